//! The project's chores.

mod audit;
mod bench;
mod browser;
mod data;
mod docs;
mod needs;
mod postgres;
mod python;
mod spark;
mod test;
mod venv;

use std::env;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::{SystemTime, UNIX_EPOCH};

const USAGE: &str = "\
usage: cargo xtask test               format, lints, documentation and all tests
       cargo xtask python             the tests of the Python package alone
       cargo xtask spark              the same on real Spark, one of whose executors is killed
       cargo xtask docs               the documents as a site, in target/site
       cargo xtask bench [--help]     time, memory and cost against other programs
       cargo xtask data mnist         the images that kmedian-lab clusters, into data/mnist
       cargo xtask fuzz [MINUTES]     damaged files for every reader, an hour by default
       cargo xtask property [CASES]   one private record more is one count more: a million random tables
       cargo xtask audit [RUNS]       attacks on the private mechanisms, a million runs a side
       cargo xtask audit --end-to-end [RUNS]
                                      attacks on `kmedian private`, 100,000 runs a side
       cargo xtask audit --outcomes A B EPSILON
                                      the same attack on files of outcomes, a line {\"noisy_counts\": [...]} a run";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.split_first() {
        Some((chore, [])) if chore == "test" => test::run(),
        Some((chore, [])) if chore == "python" => end(python::check()),
        Some((chore, [])) if chore == "spark" => end(spark::check()),
        Some((chore, [])) if chore == "docs" => end(docs::build()),
        Some((chore, rest)) if chore == "bench" => end(bench::run(rest)),
        Some((chore, [what])) if chore == "data" && what == "mnist" => end(data::mnist()),
        Some((chore, rest)) if chore == "audit" => audit::run(rest).unwrap_or_else(usage),
        Some((chore, [])) if chore == "fuzz" => fuzz(60),
        Some((chore, [minutes])) if chore == "fuzz" => match minutes.parse() {
            Ok(minutes) => fuzz(minutes),
            Err(_) => usage(),
        },
        Some((chore, [])) if chore == "property" => property("1000000"),
        Some((chore, [cases])) if chore == "property" && cases.parse::<u64>().is_ok() => {
            property(cases)
        }
        _ => usage(),
    }
}

/// Says what there is to do.
fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
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

/// Runs damaged files through every reader, and random options through the command, for some
/// minutes. Every day has a seed of its own.
fn fuzz(minutes: u64) -> ExitCode {
    let days =
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() / 86_400);
    let (seconds, seed) = ((minutes * 60).to_string(), days.to_string());
    let options = ["--", "--seconds", &seconds, "--seed", &seed];
    let run: Vec<&str> = ["run", "-p", "kmedian-fuzz"].into_iter().chain(options).collect();
    let passed =
        succeeds(&mut cargo(&["build", "-p", "kmedian-cli"])) && succeeds(&mut cargo(&run));
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Reads a number of random private tables, each with and without one record more.
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
