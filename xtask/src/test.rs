//! `cargo xtask test` is everything that must be true before a commit lands.

use std::process::ExitCode;

use crate::{cargo, python, succeeds};

/// A check of `cargo xtask test`.
struct Check {
    title: &'static str,
    arguments: &'static [&'static str],
}

const CHECKS: [Check; 4] = [
    Check { title: "format", arguments: &["fmt", "--all", "--check"] },
    Check {
        title: "lints",
        arguments: &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
    },
    Check {
        title: "documentation",
        arguments: &["doc", "--workspace", "--no-deps", "--document-private-items"],
    },
    Check { title: "tests", arguments: &["test", "--workspace"] },
];

/// Runs the checks, up to the first that fails.
pub(crate) fn run() -> ExitCode {
    for Check { title, arguments } in CHECKS {
        println!("── {title}: cargo {}", arguments.join(" "));
        if !succeeds(cargo(arguments).env("RUSTDOCFLAGS", "-D warnings")) {
            eprintln!("xtask: the {title} check failed");
            return ExitCode::FAILURE;
        }
    }
    println!("── Python package: maturin build, mypy, stubtest, pytest");
    if let Err(message) = python::check() {
        eprintln!("xtask: {message}");
        return ExitCode::FAILURE;
    }
    println!("all checks passed");
    ExitCode::SUCCESS
}
