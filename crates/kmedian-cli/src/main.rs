//! The `kmedian` command: see the library beside it, which the Python package calls too.

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    ExitCode::from(kmedian_cli::run(&words))
}
