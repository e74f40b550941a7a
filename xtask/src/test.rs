//! `cargo xtask test` is everything that must be true before a commit lands.

use std::process::{Command, ExitCode};

use crate::{cargo, docs, end, needs, python, succeeds};

/// The checks that need nothing but Rust: what each is called, and what cargo is asked to do.
const CHECKS: [(&str, &[&str]); 7] = [
    ("format", &["fmt", "--all", "--check"]),
    ("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    ("documentation", &["doc", "--workspace", "--no-deps", "--document-private-items"]),
    ("tests", &["test", "--workspace"]),
    ("the core alone", &["check", "-p", "kmedian", "--no-default-features"]),
    (
        "features of the core",
        &[
            "test",
            "-p",
            "kmedian",
            "--profile",
            "unoptimized",
            "--features",
            "ndarray,serde",
            "--test",
            "serde",
            "--test",
            "array",
        ],
    ),
    (
        "readers without Parquet",
        &["test", "-p", "kmedian-data", "--no-default-features", "--lib", "no_parquet"],
    ),
];

/// Runs the checks, up to the first that fails.
pub(crate) fn run() -> ExitCode {
    end(check())
}

fn check() -> Result<(), String> {
    let needs = needs::look()?;
    for (title, arguments) in CHECKS {
        succeed(title, &mut cargo(arguments))?;
    }
    if let Some(mut tests) = needs.tests() {
        succeed("tests that need data, a browser or rights", &mut tests)?;
    }
    println!("── Python package: maturin build, mypy, stubtest, pytest");
    python::check()?;
    println!("── docs site: Sphinx, with warnings as errors");
    docs::build()?;
    if needs.not_run.is_empty() {
        println!("all checks passed");
    } else {
        println!("all checks passed but these, which were NOT RUN:");
        needs.not_run.iter().for_each(|line| println!("  {line}"));
    }
    Ok(())
}

/// Runs a check under its title, with warnings of the documentation denied.
fn succeed(title: &str, command: &mut Command) -> Result<(), String> {
    let arguments: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
    println!("── {title}: cargo {}", arguments.join(" "));
    let passed = succeeds(command.env("RUSTDOCFLAGS", "-D warnings"));
    if passed { Ok(()) } else { Err(format!("the check failed: {title}")) }
}
