//! Virtual environments of Python, under the target folder.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::succeeds;

/// The Python that environments are made with: all packages that are pinned have wheels for it.
pub(crate) const PYTHON: &str = "python3.11";

/// The target directory, wherever it was set to be: this program is in it.
pub(crate) fn target() -> Result<PathBuf, String> {
    let this = env::current_exe().map_err(|error| format!("where is the target: {error}"))?;
    let target = this.parent().and_then(Path::parent).ok_or("xtask is not in a target folder")?;
    Ok(target.to_path_buf())
}

/// The Python of a virtual environment in `work` that has the wanted packages in their pinned
/// versions.
pub(crate) fn environment(work: &Path, wanted: &Path) -> Result<PathBuf, String> {
    let (venv, installed) = (work.join("venv"), work.join("installed.txt"));
    let python = venv.join("bin").join("python");
    let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
    if python.exists() && read(wanted) == read(&installed) {
        return Ok(python);
    }
    println!("xtask: installing Python packages");
    let failed = format!("{PYTHON} could not make a virtual environment");
    run_or(Command::new(PYTHON).args(["-m", "venv"]).arg(&venv), &failed)?;
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--requirement"]).arg(wanted);
    run_or(&mut pip, "the packages could not be installed")?;
    fs::copy(wanted, &installed).map_err(|error| format!("{}: {error}", installed.display()))?;
    Ok(python)
}

/// Runs a command, and says what it means if that fails.
pub(crate) fn run_or(command: &mut Command, message: &str) -> Result<(), String> {
    if succeeds(command) { Ok(()) } else { Err(message.into()) }
}
