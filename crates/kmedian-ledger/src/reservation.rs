//! ε that is spent, and what comes of it.

use std::path::PathBuf;

use rusqlite::params;

use crate::amount::Amount;
use crate::error::{Error, ErrorKind, quote};
use crate::file;
use crate::ledger::{Ledger, NOW};

/// ε that is spent already.
///
/// It holds neither a lock nor an open file: a run may take hours, and the ledger belongs to everybody.
/// Dropping it gives nothing back.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "the ε is spent; record the release that came of it"]
pub struct Reservation {
    path: PathBuf,
    dataset: String,
    number: i64,
    epsilon: Amount,
}

impl Reservation {
    pub(crate) fn new(path: PathBuf, dataset: String, number: i64, epsilon: Amount) -> Self {
        Self { path, dataset, number, epsilon }
    }

    /// The number of its entry in the ledger.
    #[must_use]
    pub fn number(&self) -> i64 {
        self.number
    }

    /// What was spent.
    #[must_use]
    pub fn epsilon(&self) -> Amount {
        self.epsilon
    }

    /// Records what came of it, by the hash of the release.
    ///
    /// # Errors
    ///
    /// If the ledger cannot be written, or does not hold this reservation without a release. The ε is
    /// spent all the same, and the release as private as it was.
    pub fn record(self, release_hash: &str) -> Result<(), Error> {
        let update = format!(
            "UPDATE entry SET release = ?1, recorded = {NOW} WHERE number = ?2 AND epsilon = ?3 \
             AND release IS NULL AND dataset = (SELECT id FROM dataset WHERE name = ?4)"
        );
        let changed = Ledger::open(&self.path)?.write(|transaction| {
            let what = params![release_hash, self.number, self.epsilon.trillionths(), self.dataset];
            transaction.execute(&update, what).map_err(|error| file::explain(&self.path, &error))
        })?;
        if changed == 1 {
            return Ok(());
        }
        let what = format!(
            "entry {} of {} is not there, or has its release already; was the file replaced?",
            self.number,
            quote(&self.dataset)
        );
        Err(Error::at(ErrorKind::NotReserved, &self.path, what))
    }
}
