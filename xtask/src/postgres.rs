//! PostgreSQL for the tests of a ledger on a server: found, or installed.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::succeeds;

/// The variable of the environment that names the folder of its programs, to this program and to
/// the tests.
pub(crate) const VARIABLE: &str = "KMEDIAN_POSTGRES";

/// Where Debian and Ubuntu put the programs of each version.
const VERSIONS: &str = "/usr/lib/postgresql";

/// The folder of the programs of PostgreSQL: the one that `KMEDIAN_POSTGRES` names, or that of
/// Debian's package, which is installed now if it is not there.
///
/// # Errors
/// If there is none, and `apt-get` cannot install it.
pub(crate) fn programs() -> Result<PathBuf, String> {
    let named = env::var_os(VARIABLE).map(PathBuf::from);
    if let Some(folder) = named.or_else(installed) {
        return Ok(folder);
    }
    println!("xtask: installing Debian's package postgresql with apt-get");
    let apt = |arguments: &[&str]| succeeds(Command::new("apt-get").args(arguments));
    let done = apt(&["--quiet", "update"])
        && apt(&["--quiet", "--yes", "--no-install-recommends", "install", "postgresql"]);
    let found = if done { installed() } else { None };
    found.ok_or_else(|| {
        format!("there is none, and apt-get cannot install it; set {VARIABLE} to a folder with initdb and pg_ctl")
    })
}

/// The programs of the newest version there is.
fn installed() -> Option<PathBuf> {
    let versions = fs::read_dir(VERSIONS).ok()?.filter_map(Result::ok);
    let folders = versions.map(|version| version.path().join("bin"));
    folders.filter(|folder| folder.join("initdb").is_file()).max()
}
