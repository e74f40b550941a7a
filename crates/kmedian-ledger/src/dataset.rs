//! What a ledger holds: datasets, and what was spent of them.

use crate::amount::Amount;
use crate::error::{Error, ErrorKind, quote};

/// The longest name of a dataset, in characters.
const LONGEST_NAME: usize = 200;

/// A dataset, and how much of its budget is spent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dataset {
    /// Its name, unique in the ledger.
    pub name: String,
    /// How much ε may be spent on it, for ever.
    pub budget: Amount,
    /// How much is spent, by runs that failed too.
    pub spent: Amount,
    /// By how many runs.
    pub entries: u64,
    /// When it was created, in UTC, for example `2026-11-16T02:54:00Z`.
    pub created: String,
}

impl Dataset {
    /// How much can still be spent.
    #[must_use]
    pub fn left(&self) -> Amount {
        self.budget.saturating_sub(self.spent)
    }
}

/// A run that spent some of a dataset's budget.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// Its number, in the order of the reservations of all datasets.
    pub number: i64,
    /// What it spent.
    pub epsilon: Amount,
    /// What it was for, in the caller's words.
    pub note: String,
    /// When it was reserved, in UTC.
    pub reserved: String,
    /// What came of it; nothing if the run failed, or has not ended yet.
    pub release: Option<Release>,
}

/// The release of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Release {
    /// Its hash, as the caller gave it.
    pub hash: String,
    /// When it was recorded, in UTC.
    pub recorded: String,
}

/// Checks that a dataset could have this name, and gives it back: text on one line, with something in
/// it, without blanks around it.
///
/// # Errors
///
/// If it could not.
pub fn check_name(name: &str) -> Result<String, Error> {
    let problem = if name.trim().is_empty() {
        "a dataset needs a name; give it one, such as visits-2026".to_owned()
    } else if name.trim() != name || name.chars().any(char::is_control) {
        format!("{} has blanks around it or spans lines; choose a plain name", quote(name))
    } else if name.chars().count() > LONGEST_NAME {
        format!("{} is longer than {LONGEST_NAME} characters; choose a shorter name", quote(name))
    } else {
        return Ok(name.to_owned());
    };
    Err(Error::new(ErrorKind::Name, problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        assert_eq!(check_name("Besuche in Zürich, 2026").unwrap(), "Besuche in Zürich, 2026");
        for name in ["", "  ", " a", "a\n", "a\tb", &"x".repeat(201)] {
            assert_eq!(check_name(name).unwrap_err().kind(), ErrorKind::Name, "{name:?}");
        }
    }
}
