//! Chromium for the test of the report: found, or installed.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use crate::succeeds;

/// The variable of the environment that names the browser, to this program and to the test.
pub(crate) const VARIABLE: &str = "CHROMIUM";

/// What Chromium is called on Debian, on Ubuntu, and as Google ships it.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Chromium: the one that `CHROMIUM` names, one on the path, or Debian's, installed now.
///
/// # Errors
/// If there is none, and `apt-get` cannot install it.
pub(crate) fn chromium() -> Result<PathBuf, String> {
    let named = env::var_os(VARIABLE).map(PathBuf::from);
    if let Some(browser) = named.or_else(on_path) {
        return Ok(browser);
    }
    println!("xtask: installing Debian's package chromium with apt-get");
    let apt = |arguments: &[&str]| succeeds(Command::new("apt-get").args(arguments));
    let installed = apt(&["--quiet", "update"])
        && apt(&["--quiet", "--yes", "--no-install-recommends", "install", "chromium"]);
    let found = if installed { on_path() } else { None };
    found.ok_or_else(|| {
        format!("there is none, and apt-get cannot install it; set {VARIABLE} to a browser")
    })
}

fn on_path() -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .flat_map(|folder| NAMES.map(|name| folder.join(name)))
        .find(|path| path.is_file())
}
