//! The `kmedian` command, for the script that `pip` installs.

use std::ffi::OsString;
use std::panic::catch_unwind;

use pyo3::prelude::*;

/// What a Rust program exits with after a panic.
const PANICKED: u8 = 101;

/// Runs a command line, whose first word is the name of the program, and returns its exit code.
///
/// This is the one work that does not go through the door: a command is all that its process does,
/// prints to the standard streams itself, and handles Ctrl-C as the program does.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, words: Vec<OsString>) -> u8 {
    // A panic has said on standard error what it is.
    py.detach(|| catch_unwind(|| kmedian_cli::run(&words)).unwrap_or(PANICKED))
}
