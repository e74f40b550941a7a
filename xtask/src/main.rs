//! The project's chores.

mod bench;
mod data;
mod python;
mod test;
mod venv;

use std::env;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

const USAGE: &str = "\
usage: cargo xtask test               format, lints, documentation and all tests
       cargo xtask python             the tests of the Python package alone
       cargo xtask bench [--help]     time, memory and cost against other programs
       cargo xtask data mnist         the images that kmedian-lab clusters, into data/mnist
       cargo xtask audit [RUNS]       attacks on the private mechanisms, a million runs a side
       cargo xtask property [CASES]   one private record more is one count more: a million random tables";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.split_first() {
        Some((chore, [])) if chore == "test" => test::run(),
        Some((chore, [])) if chore == "python" => end(python::check()),
        Some((chore, rest)) if chore == "bench" => end(bench::run(rest)),
        Some((chore, [what])) if chore == "data" && what == "mnist" => end(data::mnist()),
        Some((chore, [])) if chore == "audit" => audit("1000000"),
        Some((chore, [runs])) if chore == "audit" && runs.parse::<u64>().is_ok() => audit(runs),
        Some((chore, [])) if chore == "property" => property("1000000"),
        Some((chore, [cases])) if chore == "property" && cases.parse::<u64>().is_ok() => {
            property(cases)
        }
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// Says what went wrong, if something did.
fn end(done: Result<(), String>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the private mechanisms so often on each of two neighbours, and says what an attacker can prove.
fn audit(runs: &str) -> ExitCode {
    let arguments =
        ["test", "--release", "-p", "kmedian", "--test", "privacy_audit", "--", "--nocapture"];
    let passed = succeeds(cargo(&arguments).env("KMEDIAN_AUDIT_RUNS", runs));
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Reads so many random private tables, with and without one record more.
fn property(cases: &str) -> ExitCode {
    let arguments = ["test", "-p", "kmedian-data", "--test", "door", "--", "--nocapture"];
    let passed = succeeds(cargo(&arguments).env("KMEDIAN_DOOR_CASES", cases));
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The workspace's root.
fn root() -> PathBuf {
    let package = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    package.parent().map_or(package.clone(), PathBuf::from)
}

/// Cargo, to be run at the workspace's root.
fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// Runs a command and says whether it succeeded.
fn succeeds(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}
