//! `cargo xtask bench` builds what is measured, installs the peers, and hands over to
//! `bench/harness`.

use std::path::PathBuf;
use std::process::Command;

use crate::python::install;
use crate::venv::{PYTHON, environment, run_or, target};
use crate::{cargo, root};

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
        let example = ["build", "--release", "--package", "kmedian", "--example", "proof"];
        run_or(&mut cargo(&example), "the build failed")?;
        let python = environment(&work, &root().join("bench").join("requirements.txt"))?;
        install(&python, &work, &target, "release")?;
        python
    };
    let mut harness = Command::new(python);
    harness.args(["-m", "harness"]).args(arguments).env("PYTHONPATH", root().join("bench"));
    harness.arg("--kmedian").arg(target.join("release").join("kmedian")).arg("--work").arg(work);
    run_or(&mut harness, "the benchmark did not finish")
}
