//! What a budget is about: which two tables of records nobody can tell apart.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use crate::error::{Error, ErrorKind, quote};

/// The change of a table that a release hides, up to the factor e^ε in the probability of any
/// result. By default, one record more or less.
///
/// The ε of several releases add up only if they are about the same change: ε = 1 for a record and
/// ε = 1 for all records of a person are not ε = 2 for anything. So a dataset has one protected
/// change.
///
/// ```
/// use kmedian_ledger::{Neighbours, ProtectedChange, ProtectedUnit};
///
/// let unit = ProtectedUnit::from_words("owner", Some(5))?;
/// let change = ProtectedChange { unit, neighbours: "replace-one".parse()? };
/// assert_eq!(change.to_string(), "an owner of at most 5 records (replace-one)");
/// assert_eq!(ProtectedChange::default().to_string(), "one record (add-remove)");
/// # Ok::<(), kmedian_ledger::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ProtectedChange {
    /// What is protected as a whole: a record, or all records of an owner.
    pub unit: ProtectedUnit,
    /// How two tables that must look alike differ in units.
    pub neighbours: Neighbours,
}

/// What is protected as a whole: a record, or all records of an owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ProtectedUnit {
    /// A single record.
    #[default]
    Record,
    /// All records of an owner, of which no more than `at_most` are counted.
    Owner {
        /// The most records of one owner that are counted.
        at_most: NonZeroU32,
    },
}

/// How two tables that must look alike differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Neighbours {
    /// One table has one unit more than the other.
    #[default]
    AddRemove,
    /// One table has a unit in place of another one.
    ReplaceOne,
}

impl ProtectedUnit {
    /// The unit that words name: `record` without a number, or `owner` with the most records of one
    /// owner that are counted.
    ///
    /// # Errors
    ///
    /// If the word is another one, if a number is given for a record, or if it is missing or zero
    /// for an owner.
    pub fn from_words(unit: &str, at_most: Option<u32>) -> Result<Self, Error> {
        let wrong = |what: &str| Err(Error::new(ErrorKind::Change, what));
        match (unit, at_most.map(NonZeroU32::new)) {
            ("record", None) => Ok(Self::Record),
            ("owner", Some(Some(at_most))) => Ok(Self::Owner { at_most }),
            ("record", _) => wrong("a record is one record; leave out how many an owner has"),
            ("owner", _) => wrong("say how many records an owner has at most, 1 or more"),
            _ => wrong(&format!("{} is no unit; give record or owner", quote(unit))),
        }
    }

    /// The word of the unit: `record` or `owner`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::Owner { .. } => "owner",
        }
    }

    /// The most records of one owner that are counted; `None` if single records are protected.
    #[must_use]
    pub fn at_most(self) -> Option<u32> {
        match self {
            Self::Record => None,
            Self::Owner { at_most } => Some(at_most.get()),
        }
    }
}

impl fmt::Display for ProtectedChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.unit, self.neighbours)
    }
}

impl fmt::Display for ProtectedUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Record => f.write_str("one record"),
            Self::Owner { at_most } => {
                let records = if at_most.get() == 1 { "record" } else { "records" };
                write!(f, "an owner of at most {at_most} {records}")
            }
        }
    }
}

impl fmt::Display for Neighbours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AddRemove => "add-remove",
            Self::ReplaceOne => "replace-one",
        })
    }
}

impl FromStr for Neighbours {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "add-remove" => Ok(Self::AddRemove),
            "replace-one" => Ok(Self::ReplaceOne),
            _ => {
                let what =
                    format!("{} is no relation; give add-remove or replace-one", quote(text));
                Err(Error::new(ErrorKind::Change, what))
            }
        }
    }
}

/// What a run spends ε for. The ledger keeps all of it, so none of it may tell anything about the
/// data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Purpose {
    /// What the run protects. It must be what the dataset protects.
    pub change: ProtectedChange,
    /// The mechanism that looks at the data, in the caller's words.
    pub mechanism: String,
    /// How ε is split, in the caller's words.
    pub split: String,
    /// The software and its version.
    pub software: String,
    /// Anything else that is worth knowing, in the caller's words.
    pub note: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_read_back() {
        for (unit, at_most) in [("record", None), ("owner", Some(1)), ("owner", Some(u32::MAX))] {
            let read = ProtectedUnit::from_words(unit, at_most).unwrap();
            assert_eq!((read.word(), read.at_most()), (unit, at_most));
        }
        for neighbours in [Neighbours::AddRemove, Neighbours::ReplaceOne] {
            assert_eq!(neighbours.to_string().parse::<Neighbours>().unwrap(), neighbours);
        }
    }

    #[test]
    fn other_words_are_refused() {
        for (unit, at_most) in
            [("record", Some(1)), ("owner", None), ("owner", Some(0)), ("Record", None)]
        {
            let error = ProtectedUnit::from_words(unit, at_most).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Change, "{unit} {at_most:?}");
        }
        assert!("replace".parse::<Neighbours>().is_err());
    }
}
