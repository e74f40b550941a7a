//! What ends the work early: one line that says what, where and what to do.

use std::fmt;
use std::path::Path;

use kmedian::ErrorKind;

/// An error in one line that says what to do about it, or Ctrl-C.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    message: String,
    interrupted: bool,
}

impl Failure {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), interrupted: false }
    }

    /// An error about a file.
    pub fn at(path: &Path, what: impl fmt::Display) -> Self {
        Self::new(format!("{}: {what}", path.display()))
    }

    /// Ctrl-C was pressed.
    pub fn interrupted() -> Self {
        let message = "stopped; the same command goes on where it was".to_string();
        Self { message, interrupted: true }
    }

    /// Whether nothing is wrong, but Ctrl-C was pressed.
    pub fn is_interrupt(&self) -> bool {
        self.interrupted
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl From<kmedian::Error> for Failure {
    fn from(error: kmedian::Error) -> Self {
        match error.kind() {
            ErrorKind::Cancelled => Self::interrupted(),
            _ => Self::new(error.to_string()),
        }
    }
}

impl From<kmedian_data::Error> for Failure {
    fn from(error: kmedian_data::Error) -> Self {
        Self::new(error.to_string())
    }
}
