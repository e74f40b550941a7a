//! The one error type: a kind for programs, a line for people.

use std::fmt;
use std::path::Path;

use crate::name::is_unseen;

/// What went wrong, in one line that says where and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    advice: Option<Advice>,
}

/// What to do about an [`Error`], as a value: a caller words it with its own names of options and
/// functions ([`Error::worded`]). As text it uses no such names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Advice {
    /// There is no ledger in the file: create one.
    CreateLedger,
    /// There is no dataset of the name: list those there are, or create one.
    FindDataset,
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CreateLedger => "create one",
            Self::FindDataset => "list those there are, or create one",
        })
    }
}

/// The kind of an [`Error`], for callers that act on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The budget would be exceeded. Nothing was spent.
    Exhausted,
    /// An amount of ε that is not a positive decimal number, or out of range.
    Amount,
    /// A name that no dataset can have.
    Name,
    /// Words that name no protected change.
    Change,
    /// The dataset protects another change than the run would. Nothing was spent.
    OtherChange,
    /// There is no dataset of this name.
    UnknownDataset,
    /// There already is a dataset of this name.
    DatasetExists,
    /// A release cannot be recorded, because its reservation is not in the file, or has a release
    /// already.
    NotReserved,
    /// Another process holds the ledger, and did not let go in time.
    Locked,
    /// The file cannot be opened, created, read or written.
    Io,
    /// The file is not a ledger, or a damaged one.
    NotALedger,
    /// The ledger was written by a newer version.
    TooNew,
    /// The chain of hashes is broken: the ledger was edited.
    Broken,
    /// The ledger was moved to a server, and is closed.
    Moved,
    /// A server has not confirmed that it has written. What was to be spent counts as spent.
    Unconfirmed,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), advice: None }
    }

    /// An error about the ledger in this file.
    pub(crate) fn at(kind: ErrorKind, path: &Path, message: impl fmt::Display) -> Self {
        let path = one_line(&path.display().to_string());
        Self::new(kind, format!("{path}: {message}"))
    }

    pub(crate) fn advise(self, advice: Advice) -> Self {
        Self { advice: Some(advice), ..self }
    }

    /// The message, and after it the advice, if there is any, in the words of the caller.
    #[must_use]
    pub fn worded(&self, word: impl FnOnce(Advice) -> String) -> String {
        match self.advice {
            Some(advice) => format!("{}; {}", self.message, word(advice)),
            None => self.message.clone(),
        }
    }

    /// The kind of problem.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.worded(|advice| advice.to_string()))
    }
}

impl std::error::Error for Error {}

/// Quotes a name for a message. Invisible characters are escaped, and text is cut after 60
/// characters.
pub(crate) fn quote(text: &str) -> String {
    // The most characters that are shown, so that a message stays short.
    const MOST: usize = 60;
    let cut: String = text.chars().take(MOST).collect();
    let more = if cut.len() < text.len() { "…" } else { "" };
    format!("`{}{more}`", one_line(&cut))
}

/// Text with control characters, which would break the line, and other invisible characters
/// escaped.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::new();
    for c in text.chars() {
        if c.is_control() || is_unseen(c) {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_stays_on_one_line() {
        let error = Error::at(ErrorKind::Io, Path::new("a\n.db"), quote(&"x\t".repeat(100)));
        let text = error.to_string();
        assert!(text.starts_with("a\\n.db: `x\\tx\\t") && text.ends_with("…`"), "{text}");
        assert_eq!(text.lines().count(), 1);
    }
}
