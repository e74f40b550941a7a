//! The tests of the Python package on real Spark: a driver, a master and two executors on this
//! machine, one of which is killed in the middle of the work.

use std::path::Path;
use std::process::Command;

use crate::python::{install, package};
use crate::succeeds;
use crate::venv::{environment, run_or, target};

/// Two executors, each a process of its own with one core and 1,024 MiB.
const MASTER: &str = "local-cluster[2,1,1024]";

/// The variable of the environment that tells the tests to run on real Spark, and its master.
const VARIABLE: &str = "KMEDIAN_SPARK";

/// Installs Spark and the wheel into an environment of their own, as Spark's client and Spark
/// itself have the same name, and runs the tests there.
pub(crate) fn check() -> Result<(), String> {
    if !succeeds(Command::new("java").arg("-version")) {
        return Err(
            "Spark needs Java 17 or newer; install Debian's package default-jre-headless".into()
        );
    }
    let (target, package) = (target()?, package());
    let work = target.join("spark");
    let wanted = package.join("tests").join("requirements-spark.txt");
    let python = environment(&work, &wanted)?;
    install(&python, &work, &target, "dev")?;
    let mut pytest = tests(&python, &package);
    run_or(&mut pytest, "the tests on real Spark failed")
}

fn tests(python: &Path, package: &Path) -> Command {
    let mut command = Command::new(python);
    command.args(["-m", "pytest", "--quiet"]).current_dir(package).env(VARIABLE, MASTER);
    let tests = ["test_spark_items.py", "test_spark_private.py", "test_real_spark.py"];
    command.args(tests.map(|file| Path::new("tests").join(file)));
    command
}
