//! The books: datasets with budgets, and reservations against them.

use std::path::{self, Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};

use crate::amount::Amount;
use crate::dataset::{Dataset, Entry, Release, check_name};
use crate::error::{Error, ErrorKind, one_line, quote};
use crate::file::{self, Missing};
use crate::reservation::Reservation;

/// The clock of the ledger, in UTC.
pub(crate) const NOW: &str = "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')";

/// All datasets, or the one of a name, with what is spent of them.
const DATASETS: &str = "
SELECT name, budget, COALESCE(SUM(epsilon), 0), COUNT(epsilon), created, dataset.id
FROM dataset LEFT JOIN entry ON entry.dataset = dataset.id
WHERE ?1 IS NULL OR name = ?1
GROUP BY dataset.id ORDER BY name";

/// A ledger in a file, which any number of processes may have open.
///
/// Every write is one transaction that locks the file before it reads what it depends on, and that has
/// reached the disk when the method returns.
#[derive(Debug)]
pub struct Ledger {
    /// As the caller gave it, for messages.
    path: PathBuf,
    /// For reservations, which must find the file again from any folder.
    absolute: PathBuf,
    connection: Connection,
}

impl Ledger {
    /// Opens the ledger in this file, or creates it if there is no file, or an empty one.
    ///
    /// # Errors
    ///
    /// If the file can be neither opened nor created, is something else, or was written by a newer
    /// version.
    pub fn create_or_open(path: &Path) -> Result<Self, Error> {
        Self::at(path, Missing::Create)
    }

    /// Opens the ledger in this file.
    ///
    /// # Errors
    ///
    /// As [`Ledger::create_or_open`]; also if there is no such file.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::at(path, Missing::Refuse)
    }

    fn at(path: &Path, missing: Missing) -> Result<Self, Error> {
        let absolute = path::absolute(path)
            .map_err(|error| Error::at(ErrorKind::Io, path, format!("is no path: {error}")))?;
        let connection = file::open(path, &absolute, missing)?;
        Ok(Self { path: path.to_path_buf(), absolute, connection })
    }

    /// How long to wait while another process holds the ledger, before giving up; five seconds unless
    /// said otherwise.
    ///
    /// # Errors
    ///
    /// If SQLite refuses.
    pub fn set_patience(&mut self, patience: Duration) -> Result<(), Error> {
        self.connection.busy_timeout(patience).map_err(|error| file::explain(&self.path, &error))
    }

    /// Adds a dataset. Its budget is set once and for all.
    ///
    /// # Errors
    ///
    /// If there is one of that name, or the name cannot be used (see [`check_name`]).
    pub fn create_dataset(&mut self, name: &str, budget: Amount) -> Result<Dataset, Error> {
        check_name(name)?;
        let path = self.path.clone();
        self.write(|transaction| {
            if let Some((_, old)) = find(transaction, name).map_err(|e| file::explain(&path, &e))? {
                let what = format!(
                    "there already is a dataset {} with a budget of {}; choose another name",
                    quote(name),
                    old.budget
                );
                return Err(Error::at(ErrorKind::DatasetExists, &path, what));
            }
            let insert =
                format!("INSERT INTO dataset (name, budget, created) VALUES (?1, ?2, {NOW})");
            transaction
                .execute(&insert, params![name, budget.trillionths()])
                .map_err(|error| file::explain(&path, &error))?;
            required(transaction, &path, name).map(|(_, dataset)| dataset)
        })
    }

    /// Spends `epsilon` of a dataset's budget. To be called before the demand is read.
    ///
    /// When this returns, the ε is spent, on disk, whatever becomes of the run. The note says what for;
    /// it is kept beside the data and must not tell anything about it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Exhausted`] if the budget would be exceeded; also if there is no such dataset, or
    /// if the file cannot be written. Then nothing may be computed: nothing was reserved.
    pub fn reserve(
        &mut self,
        dataset: &str,
        epsilon: Amount,
        note: &str,
    ) -> Result<Reservation, Error> {
        let (path, absolute) = (self.path.clone(), self.absolute.clone());
        self.write(|transaction| {
            let (id, found) = required(transaction, &path, dataset)?;
            if epsilon > found.left() {
                return Err(exhausted(&path, &found, epsilon));
            }
            let insert = format!(
                "INSERT INTO entry (dataset, epsilon, note, reserved) VALUES (?1, ?2, ?3, {NOW})"
            );
            transaction
                .execute(&insert, params![id, epsilon.trillionths(), one_line(note)])
                .map_err(|error| file::explain(&path, &error))?;
            let number = transaction.last_insert_rowid();
            Ok(Reservation::new(absolute, dataset.to_owned(), number, epsilon))
        })
    }

    /// All datasets, by name.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn datasets(&self) -> Result<Vec<Dataset>, Error> {
        let read = || -> rusqlite::Result<Vec<Dataset>> {
            let mut statement = self.connection.prepare(DATASETS)?;
            statement.query_map([None::<&str>], dataset)?.collect()
        };
        read().map_err(|error| file::explain(&self.path, &error))
    }

    /// The dataset of this name.
    ///
    /// # Errors
    ///
    /// If there is none, or the file cannot be read.
    pub fn dataset(&self, name: &str) -> Result<Dataset, Error> {
        required(&self.connection, &self.path, name).map(|(_, dataset)| dataset)
    }

    /// What was spent of a dataset, the oldest first.
    ///
    /// # Errors
    ///
    /// If there is no such dataset, or the file cannot be read.
    pub fn entries(&self, dataset: &str) -> Result<Vec<Entry>, Error> {
        let (id, _) = required(&self.connection, &self.path, dataset)?;
        let read = || -> rusqlite::Result<Vec<Entry>> {
            let mut statement = self.connection.prepare(
                "SELECT number, epsilon, note, reserved, release, recorded FROM entry \
                 WHERE dataset = ?1 ORDER BY number",
            )?;
            statement.query_map([id], entry)?.collect()
        };
        read().map_err(|error| file::explain(&self.path, &error))
    }

    /// One transaction that holds the only right to write from its very beginning: what is read in it
    /// is still true when it commits, so two processes never spend the same ε.
    pub(crate) fn write<T>(
        &mut self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let explain = |error| file::explain(&self.path, &error);
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(explain)?;
        let done = change(&transaction)?;
        transaction.commit().map_err(explain)?;
        Ok(done)
    }
}

fn find(connection: &Connection, name: &str) -> rusqlite::Result<Option<(i64, Dataset)>> {
    connection.query_row(DATASETS, [Some(name)], |row| Ok((row.get(5)?, dataset(row)?))).optional()
}

fn required(connection: &Connection, path: &Path, name: &str) -> Result<(i64, Dataset), Error> {
    let found = find(connection, name).map_err(|error| file::explain(path, &error))?;
    found.ok_or_else(|| {
        let what = format!(
            "there is no dataset {}; `kmedian ledger list` shows those there are, `kmedian ledger \
             create` adds one",
            quote(name)
        );
        Error::at(ErrorKind::UnknownDataset, path, what)
    })
}

fn exhausted(path: &Path, dataset: &Dataset, epsilon: Amount) -> Error {
    let left = dataset.left();
    let advice = if left == Amount::from_trillionths(0) {
        "no more can be released".to_owned()
    } else {
        format!("at most {left} can be spent")
    };
    let what = format!(
        "of the budget {} of {}, {} is spent, and ε = {epsilon} would exceed it; {advice}",
        dataset.budget,
        quote(&dataset.name),
        dataset.spent
    );
    Error::at(ErrorKind::Exhausted, path, what)
}

fn dataset(row: &Row<'_>) -> rusqlite::Result<Dataset> {
    Ok(Dataset {
        name: row.get(0)?,
        budget: Amount::from_trillionths(row.get(1)?),
        spent: Amount::from_trillionths(row.get(2)?),
        entries: row.get::<_, i64>(3)?.unsigned_abs(),
        created: row.get(4)?,
    })
}

fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let (hash, recorded): (Option<String>, Option<String>) = (row.get(4)?, row.get(5)?);
    Ok(Entry {
        number: row.get(0)?,
        epsilon: Amount::from_trillionths(row.get(1)?),
        note: row.get(2)?,
        reserved: row.get(3)?,
        release: hash.zip(recorded).map(|(hash, recorded)| Release { hash, recorded }),
    })
}
