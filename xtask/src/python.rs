//! The checks of the Python package: its wheel is built and installed as a user would, and tested
//! there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::venv::{environment, run_or, target};
use crate::{cargo, root};

/// Builds the wheel with the profile of the other tests, so that nothing is compiled twice,
/// installs it, and runs its tests, its notebooks among them; checks its types, and that its stubs
/// say what the module has.
pub(crate) fn check() -> Result<(), String> {
    let (work, package) = (target()?.join("python"), package());
    let (python, tested) = installed()?;

    let module = |name: &str| {
        let mut command = Command::new(&python);
        command.arg("-m").arg(name).current_dir(&package);
        command
    };
    let packages = ["python/kmedian", "python/kmedian_command"];
    run_or(module("mypy").args(packages), "the types of the Python package are wrong")?;
    // From elsewhere, so that the installed module is found.
    run_or(
        module("mypy.stubtest").arg("kmedian._core").current_dir(&work),
        "the stubs of the Python package do not fit its module",
    )?;
    run_or(
        module("pytest").arg("--quiet").env("KMEDIAN_COMMAND", tested),
        "the tests of the Python package failed",
    )
}

/// A Python in which the package is installed, with all that its tests and its documents need, and
/// the command beside it.
pub(crate) fn installed() -> Result<(PathBuf, PathBuf), String> {
    let (target, package) = (target()?, package());
    let work = target.join("python");
    let python = environment(&work, &package.join("tests").join("requirements.txt"))?;
    install(&python, &work, &target, "dev")?;
    // The command as tests of the workspace have it: a build of it alone has other features of its
    // dependencies, so that after `cargo test` nearly everything would be compiled once more.
    let mut command = cargo(&["test", "--workspace", "--no-run", "--test", "fit"]);
    run_or(&mut command, "the command could not be built")?;
    Ok((python, target.join("debug").join("kmedian")))
}

/// The folder of the Python package.
pub(crate) fn package() -> PathBuf {
    root().join("crates").join("kmedian-py")
}

/// Builds the wheel with a profile of cargo, in a folder of `work`, and installs it in place of the
/// last one.
pub(crate) fn install(
    python: &Path,
    work: &Path,
    target: &Path,
    profile: &str,
) -> Result<(), String> {
    let wheels = work.join("wheels");
    // What the last run left behind; it may have left nothing.
    let _ = fs::remove_dir_all(&wheels);
    let mut maturin = Command::new(python);
    maturin.args(["-m", "maturin", "build", "--quiet", "--profile", profile, "--interpreter"]);
    maturin.arg(python).arg("--out").arg(&wheels);
    maturin.current_dir(package()).env("CARGO_TARGET_DIR", target);
    run_or(&mut maturin, "the wheel could not be built")?;
    let built: Vec<PathBuf> = fs::read_dir(&wheels)
        .map_err(|error| format!("{}: {error}", wheels.display()))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .collect();
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall"]).args(built);
    run_or(&mut pip, "the wheel could not be installed")
}
