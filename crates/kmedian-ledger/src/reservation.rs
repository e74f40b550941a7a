//! ε that is spent, and the release that comes of it.

use crate::amount::Amount;
use crate::chain::Kind;
use crate::error::{Error, ErrorKind, quote};
use crate::file::Missing;
use crate::ledger::{Ledger, appended};
use crate::place::Place;

/// ε that [`Ledger::reserve`] has spent for a run, and that waits for the run's release.
///
/// It holds neither a lock nor an open file or connection: a run may take hours, and other runs
/// need the ledger meanwhile. Dropping it gives nothing back.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "the ε is spent; record the release that came of it"]
pub struct Reservation {
    pub(crate) place: Place,
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
        let path = self.place.shown();
        let recorded = Ledger::at(self.place.clone(), Missing::Refuse)?.write(|store| {
            let new = store.add_release(self.number, &self.head, release_hash)?;
            if new {
                appended(store, &path, Kind::Release, self.number)?;
            }
            Ok(new)
        })?;
        if recorded {
            return Ok(());
        }
        let what = format!(
            "entry {} of {} is not there, or has its release already; was the ledger replaced?",
            self.number,
            quote(&self.dataset)
        );
        Err(Error::at(ErrorKind::NotReserved, &path, what))
    }
}
