//! ε that is spent, and the release that comes of it.

use std::path::PathBuf;

use rusqlite::params;

use crate::amount::Amount;
use crate::chain::{self, Kind};
use crate::error::{Error, ErrorKind, quote};
use crate::file;
use crate::ledger::Ledger;

/// ε that [`Ledger::reserve`] has spent for a run, and that waits for the run's release.
///
/// It holds neither a lock nor an open file: a run may take hours, and other runs need the ledger
/// meanwhile. Dropping it gives nothing back.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "the ε is spent; record the release that came of it"]
pub struct Reservation {
    pub(crate) path: PathBuf,
    pub(crate) dataset: String,
    pub(crate) number: i64,
    pub(crate) epsilon: Amount,
    pub(crate) head: String,
    pub(crate) fixed_change: bool,
}

impl Reservation {
    /// The number of the reservation's entry in the ledger.
    #[must_use]
    pub fn number(&self) -> i64 {
        self.number
    }

    /// The ε that was spent.
    #[must_use]
    pub fn epsilon(&self) -> Amount {
        self.epsilon
    }

    /// The dataset of which the ε was spent.
    #[must_use]
    pub fn dataset(&self) -> &str {
        &self.dataset
    }

    /// The head of the ledger's chain of hashes right after this ε was spent. Published with a
    /// release, it is a witness of all that had happened in the ledger until then.
    #[must_use]
    pub fn head(&self) -> &str {
        &self.head
    }

    /// Whether this run fixed what the dataset protects, because nothing had fixed it before.
    #[must_use]
    pub fn fixed_change(&self) -> bool {
        self.fixed_change
    }

    /// Records the hash of the release that came of this reservation.
    ///
    /// # Errors
    ///
    /// If the ledger cannot be written, does not hold this reservation, or has a release for it
    /// already. The ε is spent all the same, and the release is as private as it was.
    pub fn record(self, release_hash: &str) -> Result<(), Error> {
        let insert = "INSERT INTO release (entry, hash) \
             SELECT subject, ?1 FROM event WHERE kind = 'entry' AND subject = ?2 AND hash = ?3 \
             AND NOT EXISTS (SELECT 1 FROM release WHERE entry = ?2)";
        let recorded = Ledger::open(&self.path)?.write(|transaction| {
            let explain = |error| file::explain(&self.path, &error);
            let what = params![release_hash, self.number, self.head];
            let new = transaction.execute(insert, what).map_err(explain)? == 1;
            if new {
                chain::append(transaction, Kind::Release, self.number).map_err(explain)?;
            }
            Ok(new)
        })?;
        if recorded {
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
