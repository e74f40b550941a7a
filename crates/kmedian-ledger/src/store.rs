//! What a ledger asks of the place where its books are kept.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::amount::Amount;
use crate::chain::Kind;
use crate::change::{ProtectedChange, Purpose};
use crate::dataset::{Dataset, Entry};
use crate::error::Error;

/// A row as the chain of hashes sees it: the name of each column and its value as text, `None` for
/// NULL.
pub(crate) type Columns = Vec<(&'static str, Option<String>)>;

/// An event of the chain, as it was stored. Its kind may be none that is known.
pub(crate) struct StoredEvent {
    pub(crate) number: i64,
    pub(crate) kind: String,
    pub(crate) subject: i64,
    pub(crate) hash: String,
}

/// Books that are kept somewhere: in an SQLite file, or by a PostgreSQL server.
///
/// All reading and writing is between [`Store::begin`] and [`Store::commit`] or
/// [`Store::roll_back`]. Between them the books do not change but by this store, and once a commit
/// has returned, what was written outlives a power loss. Rows are only ever added: the books
/// themselves refuse every change and every deletion. What may be added is decided by
/// [`Ledger`](crate::Ledger), which is the same for all stores.
pub(crate) trait Store: Send {
    /// Begins a transaction. One that is for writing waits until no other one is.
    fn begin(&mut self, writing: bool) -> Result<(), Error>;

    /// Ends a transaction: what it has written is on disk.
    fn commit(&mut self) -> Result<(), Error>;

    /// Ends a transaction as if it had written nothing.
    fn roll_back(&mut self);

    /// Sets how long to wait for others that write.
    fn set_patience(&mut self, patience: Duration) -> Result<(), Error>;

    /// All datasets in the order of their names, or the one of this name, with their keys.
    fn datasets(&mut self, name: Option<&str>) -> Result<Vec<(i64, Dataset)>, Error>;

    /// The entries of the dataset of this key, the oldest first.
    fn entries(&mut self, dataset: i64) -> Result<Vec<Entry>, Error>;

    /// Adds a dataset, and returns its key.
    fn add_dataset(
        &mut self,
        name: &str,
        budget: Amount,
        change: Option<ProtectedChange>,
    ) -> Result<i64, Error>;

    /// Adds an entry of the dataset of this key, with the day, and returns its number. The texts of
    /// the purpose are on one line.
    fn add_entry(&mut self, dataset: i64, epsilon: Amount, purpose: &Purpose)
    -> Result<i64, Error>;

    /// Adds the hash of a release, if there is an entry of this number whose event has the hash
    /// `head`, and which has no release yet; false otherwise.
    fn add_release(&mut self, entry: i64, head: &str, hash: &str) -> Result<bool, Error>;

    /// The hash of the last event.
    fn last_hash(&mut self) -> Result<Option<String>, Error>;

    /// Adds an event.
    fn add_event(&mut self, kind: Kind, subject: i64, hash: &str) -> Result<(), Error>;

    /// All events, in the order of their numbers.
    fn events(&mut self) -> Result<Vec<StoredEvent>, Error>;

    /// The rows of the table of a kind by their keys: all, or the one of this key.
    fn rows(&mut self, kind: Kind, key: Option<i64>) -> Result<BTreeMap<i64, Columns>, Error>;
}
