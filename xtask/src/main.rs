//! The project's chores. `cargo xtask test` is everything that must be true before a commit lands.

use std::env;
use std::path::Path;
use std::process::{Command, ExitCode};

/// The checks of `cargo xtask test`: a title, cargo's arguments, and an environment variable.
const CHECKS: &[(&str, &[&str], Option<(&str, &str)>)] = &[
    ("format", &["fmt", "--all", "--check"], None),
    ("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], None),
    (
        "documentation",
        &["doc", "--workspace", "--no-deps", "--document-private-items"],
        Some(("RUSTDOCFLAGS", "-D warnings")),
    ),
    ("tests", &["test", "--workspace"], None),
];

fn main() -> ExitCode {
    match env::args().nth(1).as_deref() {
        Some("test") => test(),
        _ => {
            eprintln!("usage: cargo xtask test    format, lints, documentation and all tests");
            ExitCode::from(2)
        }
    }
}

fn test() -> ExitCode {
    for (title, arguments, variable) in CHECKS {
        println!("── {title}: cargo {}", arguments.join(" "));
        if !cargo(arguments, *variable) {
            eprintln!("xtask: the {title} check failed");
            return ExitCode::FAILURE;
        }
    }
    println!("all checks passed");
    ExitCode::SUCCESS
}

/// Runs cargo at the workspace's root and says whether it succeeded.
fn cargo(arguments: &[&str], variable: Option<(&str, &str)>) -> bool {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    Command::new(cargo)
        .args(arguments)
        .envs(variable)
        .current_dir(root)
        .status()
        .is_ok_and(|status| status.success())
}
