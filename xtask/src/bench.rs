//! `cargo xtask bench` builds what is measured, installs the peers, and hands over to `bench/harness`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{cargo, root, succeeds};

/// The peers publish wheels for this version.
const PYTHON: &str = "python3.11";

/// Options that make the harness run nothing, so that nothing has to be built for it.
const RUNS_NOTHING: [&str; 3] = ["--tables", "--help", "-h"];

/// Runs the harness with the given arguments.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let target = target()?;
    let work = target.join("bench");
    let asks = |words: &[&str]| arguments.iter().any(|argument| words.contains(&argument.as_str()));
    let python = if asks(&RUNS_NOTHING) {
        PathBuf::from(PYTHON)
    } else {
        let build = ["build", "--release", "--package", "kmedian-cli"];
        run_or(&mut cargo(&build), "the build failed")?;
        environment(&work)?
    };
    let mut harness = Command::new(python);
    harness.args(["-m", "harness"]).args(arguments).env("PYTHONPATH", root().join("bench"));
    harness.arg("--kmedian").arg(target.join("release").join("kmedian")).arg("--work").arg(work);
    run_or(&mut harness, "the benchmark did not finish")
}

/// The target directory, wherever it was set to be: this program is in it.
fn target() -> Result<PathBuf, String> {
    let this = env::current_exe().map_err(|error| format!("where is the target: {error}"))?;
    let target = this.parent().and_then(Path::parent).ok_or("xtask is not in a target folder")?;
    Ok(target.to_path_buf())
}

/// The Python of a virtual environment that has the peers in their pinned versions.
fn environment(work: &Path) -> Result<PathBuf, String> {
    let wanted = root().join("bench").join("requirements.txt");
    let (venv, installed) = (work.join("venv"), work.join("installed.txt"));
    let python = venv.join("bin").join("python");
    let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
    if python.exists() && read(&wanted) == read(&installed) {
        return Ok(python);
    }
    println!("xtask: installing the peers");
    let failed = format!("{PYTHON} could not make a virtual environment");
    run_or(Command::new(PYTHON).args(["-m", "venv"]).arg(&venv), &failed)?;
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--requirement"]).arg(&wanted);
    run_or(&mut pip, "the peers could not be installed")?;
    fs::copy(&wanted, &installed).map_err(|error| format!("{}: {error}", installed.display()))?;
    Ok(python)
}

fn run_or(command: &mut Command, message: &str) -> Result<(), String> {
    if succeeds(command) { Ok(()) } else { Err(message.into()) }
}
