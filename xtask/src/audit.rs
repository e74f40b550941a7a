//! Attacks on what is private: the mechanisms alone, the command as a whole, or outcomes that
//! another program wrote.

use std::path;
use std::process::{Command, ExitCode};

use crate::{cargo, succeeds};

/// How often a mechanism is run on each of two neighbors: about two minutes on two cores.
const MECHANISM_RUNS: &str = "1000000";

/// How often the command is run on each of two neighboring tables: about half an hour on two cores.
const COMMAND_RUNS: &str = "100000";

/// Runs the audit that the arguments ask for; `None` if they ask for none.
pub(crate) fn run(arguments: &[String]) -> Option<ExitCode> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let is_number = |text: &str| text.parse::<u64>().is_ok();
    let mut audit = match *arguments.as_slice() {
        [] => mechanisms(MECHANISM_RUNS),
        [runs] if is_number(runs) => mechanisms(runs),
        ["--end-to-end"] => command(COMMAND_RUNS),
        ["--end-to-end", runs] if is_number(runs) => command(runs),
        ["--outcomes", a, b, epsilon] => outcomes(a, b, epsilon),
        _ => return None,
    };
    Some(if succeeds(&mut audit) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn mechanisms(runs: &str) -> Command {
    let mut audit = test("kmedian", "privacy_audit", &[]);
    audit.env("KMEDIAN_AUDIT_RUNS", runs);
    audit
}

/// One test after the other, as each uses all cores.
fn command(runs: &str) -> Command {
    let mut audit = test("kmedian-cli", "end_to_end_audit", &["--test-threads", "1"]);
    audit.env("KMEDIAN_END_TO_END_RUNS", runs);
    audit
}

fn outcomes(a: &str, b: &str, epsilon: &str) -> Command {
    let mut audit =
        test("kmedian-cli", "end_to_end_audit", &["--ignored", "outcomes_of_another_door"]);
    for (variable, file) in [("KMEDIAN_OUTCOMES_A", a), ("KMEDIAN_OUTCOMES_B", b)] {
        // The test runs in another folder.
        audit.env(variable, path::absolute(file).unwrap_or_else(|_| file.into()));
    }
    audit.env("KMEDIAN_OUTCOMES_EPSILON", epsilon);
    audit
}

/// A test of a crate, optimized, with what it prints.
fn test(package: &str, name: &str, more: &[&str]) -> Command {
    let fixed = ["test", "--release", "-p", package, "--test", name, "--", "--nocapture"];
    cargo(&[&fixed, more].concat())
}
