//! The project's chores. `cargo xtask test` is everything that must be true before a commit lands.

use std::env;
use std::path::Path;
use std::process::{Command, ExitCode};

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
    for Check { title, arguments } in CHECKS {
        println!("── {title}: cargo {}", arguments.join(" "));
        if !cargo(arguments) {
            eprintln!("xtask: the {title} check failed");
            return ExitCode::FAILURE;
        }
    }
    println!("all checks passed");
    ExitCode::SUCCESS
}

/// Runs cargo at the workspace's root and says whether it succeeded.
fn cargo(arguments: &[&str]) -> bool {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).env("RUSTDOCFLAGS", "-D warnings").current_dir(root);
    command.status().is_ok_and(|status| status.success())
}
