//! What a ledger holds: datasets with budgets, and the runs that spent them.

use crate::amount::Amount;
use crate::change::ProtectedChange;

/// A dataset, and how much of its budget is spent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dataset {
    /// The name of the dataset, unique in the ledger.
    pub name: String,
    /// How much ε may be spent on the dataset, by all of its runs together.
    pub budget: Amount,
    /// How much ε is spent, including that of runs that failed.
    pub spent: Amount,
    /// How many runs have spent ε of the dataset.
    pub entries: u64,
    /// When the dataset was created, in UTC, for example `2026-11-16T02:54:00Z`.
    pub created: String,
    /// What all runs of the dataset protect. It is fixed when the dataset is created, or else by
    /// the first run that says what it protects; `None` before that.
    pub change: Option<ProtectedChange>,
}

impl Dataset {
    /// How much ε can still be spent.
    #[must_use]
    pub fn left(&self) -> Amount {
        self.budget.saturating_sub(self.spent)
    }
}

/// A run that spent some of a dataset's budget.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The number of the entry, in the order of the reservations of all datasets.
    pub number: i64,
    /// The ε that the run spent.
    pub epsilon: Amount,
    /// What the run protected; `None` for runs before version 2 of the ledger.
    pub change: Option<ProtectedChange>,
    /// The mechanism that looked at the data, if that is known.
    pub mechanism: Option<String>,
    /// How the ε of the run was split, if that is known.
    pub split: Option<String>,
    /// The software that ran, if that is known.
    pub software: Option<String>,
    /// What the run was for, in the caller's words.
    pub note: String,
    /// The day on which the ε was reserved, in UTC, for example `2026-11-16`. The time of day is
    /// not kept: together with the time of the release it would tell how long the run took, which
    /// depends on the data.
    pub reserved: String,
    /// The hash of the release, as the caller gave it; `None` if the run failed, or has not ended
    /// yet.
    pub release: Option<String>,
}
