//! What ends a command early: one line for the user, and an exit code.

use std::io;

use kmedian::ErrorKind;

use crate::advice::{about_data, about_ledger};

/// The exit code of a command that did what it was asked to do.
pub(crate) const DONE: u8 = 0;

/// The exit code for input or options that cannot be used.
pub(crate) const BAD_INPUT: u8 = 2;

/// The exit code for a privacy budget that does not suffice.
pub(crate) const EXHAUSTED: u8 = 3;

/// The exit code after Ctrl-C, as shells have it; also after SIGTERM and SIGHUP, which end a
/// command the same way.
pub(crate) const INTERRUPTED: u8 = 130;

/// An error in one line that says what to do about it, and the exit code of the command.
pub(crate) struct Failure {
    message: String,
    exit_code: u8,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), exit_code: BAD_INPUT }
    }

    /// This failure, with more said about it.
    pub(crate) fn and(mut self, more: &str) -> Self {
        self.message = format!("{}; {more}", self.message);
        self
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn exit_code(&self) -> u8 {
        self.exit_code
    }
}

/// What Rust says of numbers that it cannot read, and what a user can do with.
const NUMBERS: [(&str, &str); 4] = [
    ("invalid digit found in string", "give a whole number, 0 or more"),
    ("cannot parse integer from empty string", "give a whole number, 0 or more"),
    ("number too large to fit in target type", "the number is too large"),
    ("invalid float literal", "give a number"),
];

/// What is wrong with a command line, in one line: the first paragraph of what clap says, and where
/// to find help.
pub(crate) fn one_line(complaint: &str) -> String {
    let in_one = |text: &str| {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        NUMBERS.iter().fold(line, |line, (theirs, ours)| line.replace(theirs, ours))
    };
    let mut paragraphs = complaint.split("\n\n");
    let what = in_one(paragraphs.next().unwrap_or(complaint));
    // What clap believes was meant, if it does.
    let tip = paragraphs.find_map(|text| text.trim().strip_prefix("tip: "));
    let tip = tip.map(|tip| format!("; {}", in_one(tip))).unwrap_or_default();
    format!("{}{tip}; see `kmedian help`", what.trim_start_matches("error: "))
}

/// Text from a file, for a message. Characters that would break the line, control the terminal or
/// be invisible are escaped.
pub(crate) fn plain(text: &str) -> String {
    let mut line = String::new();
    for c in text.chars() {
        if matches!(c, '"' | '\'' | '\\') { line.push(c) } else { line.extend(c.escape_debug()) }
    }
    line
}

impl From<kmedian::Error> for Failure {
    fn from(error: kmedian::Error) -> Self {
        let message = match error.kind() {
            ErrorKind::Disconnected => format!("{error} with --largest-component"),
            _ => error.to_string(),
        };
        let exit_code = if error.kind() == ErrorKind::Cancelled { INTERRUPTED } else { BAD_INPUT };
        Self { message, exit_code }
    }
}

impl From<kmedian_data::Error> for Failure {
    fn from(error: kmedian_data::Error) -> Self {
        Self::new(error.worded(about_data))
    }
}

impl From<kmedian_ledger::Error> for Failure {
    fn from(error: kmedian_ledger::Error) -> Self {
        let exhausted = error.kind() == kmedian_ledger::ErrorKind::Exhausted;
        let exit_code = if exhausted { EXHAUSTED } else { BAD_INPUT };
        Self { message: error.worded(about_ledger), exit_code }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::new(format!("cannot write to standard output: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kmedian_ledger::{Amount, Ledger, Purpose};

    #[test]
    fn an_exhausted_budget_has_an_exit_code_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::create_or_open(&folder.path().join("l.db")).unwrap();
        ledger.create_dataset("visits", Amount::to_allow("1").unwrap(), None).unwrap();
        let two = Amount::to_spend("2").unwrap();
        let refused = |error: kmedian_ledger::Error| Failure::from(error).exit_code();
        assert_eq!(
            refused(ledger.reserve("visits", two, &Purpose::default()).unwrap_err()),
            EXHAUSTED
        );
        assert_eq!(
            refused(ledger.reserve("others", two, &Purpose::default()).unwrap_err()),
            BAD_INPUT
        );
    }
}
