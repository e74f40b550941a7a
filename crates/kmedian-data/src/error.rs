//! The one error type: a kind for programs, a line for people.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::advice::Advice;
use crate::input::is_standard_input;

/// What went wrong with a file, in one line that a user can act on.
///
/// As text it names the file, the place in it, the problem and what to do, for example
/// ``cities.csv: line 17, column `lat`: `abc` is not a number; choose other columns``. Lines and
/// rows count from 1, as an editor shows them. What to do about options is an [`Advice`], which
/// [`Error::worded`] puts in the words of the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    path: PathBuf,
    message: String,
    advice: Vec<Advice>,
    system: Option<io::ErrorKind>,
}

/// The kind of an [`Error`], for callers that act on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file could not be opened or read.
    Io,
    /// The content is not of the expected format.
    Format,
    /// A column is unknown, ambiguous, or of the wrong type.
    Column,
    /// A single value is unusable: text, missing, infinite, out of range.
    Value,
    /// Rows, columns or lengths do not fit together.
    Shape,
    /// The file ends too early.
    Truncated,
    /// The file holds no data.
    Empty,
    /// An output could not be written, or its path is one that cannot be written to.
    Write,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, path: &Path, message: impl Into<String>) -> Self {
        Self {
            kind,
            path: path.to_path_buf(),
            message: message.into(),
            advice: Vec::new(),
            system: None,
        }
    }

    /// The error for a failed read. Decompression reports damage as an I/O error, so some of these
    /// are errors of format.
    pub(crate) fn reading(path: &Path, error: &io::Error) -> Self {
        let explained = match error.kind() {
            io::ErrorKind::NotFound => Self::new(ErrorKind::Io, path, "no such file"),
            io::ErrorKind::PermissionDenied => {
                Self::new(ErrorKind::Io, path, "permission to read it is denied")
            }
            io::ErrorKind::IsADirectory => {
                Self::new(ErrorKind::Io, path, "is a folder; name a file in it")
            }
            io::ErrorKind::UnexpectedEof => Self::new(
                ErrorKind::Truncated,
                path,
                "ends in the middle of its compressed data; copy or download it again",
            ),
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => Self::new(
                ErrorKind::Format,
                path,
                format!("its compressed data is damaged ({error}); copy or download it again"),
            ),
            io::ErrorKind::FileTooLarge => Self::new(
                ErrorKind::Format,
                path,
                "expands to more than 256 times its size, which is no table of measurements; \
                 decompress it first if it is meant",
            ),
            _ => Self::new(ErrorKind::Io, path, format!("cannot be read: {error}")),
        };
        Self { system: Some(error.kind()), ..explained }
    }

    /// The error for a failed write.
    pub(crate) fn writing(path: &Path, error: &io::Error) -> Self {
        let why = match error.kind() {
            io::ErrorKind::NotFound => "its folder does not exist; create it first".to_owned(),
            io::ErrorKind::PermissionDenied => {
                "permission to write is denied; choose another folder".to_owned()
            }
            io::ErrorKind::IsADirectory => "is a folder; name a file in it".to_owned(),
            _ => format!("cannot be written: {error}"),
        };
        Self { system: Some(error.kind()), ..Self::new(ErrorKind::Write, path, why) }
    }

    /// Adds what to do about the error.
    pub(crate) fn advise(mut self, advice: Advice) -> Self {
        self.advice.push(advice);
        self
    }

    /// The message as one line, and after it all advice, in the words of the caller.
    #[must_use]
    pub fn worded(&self, word: impl Fn(&Advice) -> String) -> String {
        let path = if is_standard_input(&self.path) {
            "standard input".to_owned()
        } else {
            one_line(&self.path.display().to_string(), usize::MAX)
        };
        let mut line = format!("{path}: {}", self.message);
        for advice in &self.advice {
            line.push_str("; ");
            line.push_str(&word(advice));
        }
        line
    }

    /// The kind of problem.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What the operating system said; `None` if the error did not come from it. For languages that
    /// have an exception for each kind.
    #[must_use]
    pub fn system_kind(&self) -> Option<io::ErrorKind> {
        self.system
    }

    /// The file the problem is in.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.worded(Advice::to_string))
    }
}

impl std::error::Error for Error {}

/// The question whether one of the known names was meant, if one is so similar that it may be a
/// typing error; else nothing.
pub(crate) fn did_you_mean(name: &str, known: &[String]) -> String {
    let name = name.to_lowercase();
    let near = |other: &&String| {
        let other = other.to_lowercase();
        let errors = strsim::osa_distance(&name, &other);
        (other.chars().count() <= 64 && errors <= 1 + name.chars().count() / 4).then_some(errors)
    };
    let nearest = known.iter().filter_map(|other| Some((near(&other)?, other)));
    match nearest.min_by_key(|(errors, _)| *errors) {
        Some((errors, other)) if errors < other.chars().count() => {
            format!("; did you mean {}?", quote(other.as_bytes()))
        }
        _ => String::new(),
    }
}

/// Quotes what was found in a file, for a message on one line: control characters are escaped, and
/// text is cut after 40 characters.
pub(crate) fn quote(text: &[u8]) -> String {
    format!("`{}`", one_line(&String::from_utf8_lossy(text), 40))
}

/// At most `longest` characters of `text`, on one line.
pub(crate) fn one_line(text: &str, longest: usize) -> String {
    let mut line = String::new();
    for (position, c) in text.chars().enumerate() {
        if position == longest {
            line.push('…');
            break;
        }
        if c.is_control() {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}

/// Finds a value by its name, in upper or lower case; the error lists all names.
pub(crate) fn by_name<T: Copy>(all: &[(T, &str)], what: &str, text: &str) -> Result<T, String> {
    let found = all.iter().find(|(_, name)| name.eq_ignore_ascii_case(text));
    found.map(|&(value, _)| value).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|&(_, name)| name).collect();
        let (last, others) = names.split_last().unwrap_or((&"", &[]));
        format!("{} is no {what}; choose {} or {last}", quote(text.as_bytes()), others.join(", "))
    })
}

/// Lists names for a message: the first twelve, and how many more there are.
pub(crate) fn list(names: &[String]) -> String {
    // The most names that a message lists, so that it can be read at a glance.
    const MOST: usize = 12;
    let mut listed: Vec<String> =
        names.iter().take(MOST).map(|name| quote(name.as_bytes())).collect();
    if names.len() > MOST {
        listed.push(format!("and {} more", names.len() - MOST));
    }
    listed.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_the_file_and_stays_on_one_line() {
        let error = Error::new(
            ErrorKind::Value,
            Path::new("a\n.csv"),
            format!("line 3: {} is not a number", quote(b"x\ny")),
        );
        assert_eq!(error.to_string(), "a\\n.csv: line 3: `x\\ny` is not a number");
        assert_eq!(error.kind(), ErrorKind::Value);
    }

    #[test]
    fn what_the_system_said_is_kept() {
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        let path = Path::new("a.csv");
        for error in [Error::reading(path, &denied), Error::writing(path, &denied)] {
            assert_eq!(error.system_kind(), Some(io::ErrorKind::PermissionDenied));
        }
        assert_eq!(Error::new(ErrorKind::Empty, path, "is empty").system_kind(), None);
    }

    #[test]
    fn long_text_and_long_lists_are_cut() {
        assert!(quote(&[b'x'; 500]).chars().count() < 50);
        let names: Vec<String> = (0..784).map(|i| i.to_string()).collect();
        assert!(list(&names).ends_with("`11`, and 772 more"));
    }
}
