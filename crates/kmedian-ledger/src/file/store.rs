//! The books in an SQLite file.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{explain, moved};
use crate::amount::Amount;
use crate::chain::Kind;
use crate::change::{ProtectedChange, Purpose};
use crate::dataset::{Dataset, Entry};
use crate::error::Error;
use crate::rows;
use crate::store::{Columns, Store, StoredEvent};
use crate::tables::MOVED;

/// The SQL expression for the current time, in UTC to the second.
const NOW: &str = "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')";

/// The SQL statement that writes an entry. It keeps only the day: see [`Entry::reserved`].
const RESERVE: &str = "
INSERT INTO entry (dataset, epsilon, unit, max_per_unit, neighbours, mechanism, split, software, note, reserved)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, strftime('%Y-%m-%d', 'now'))";

/// The SQL statement that writes a release, if its entry is there and has none.
const RECORD: &str = "
INSERT INTO release (entry, hash)
SELECT subject, ?1 FROM event WHERE kind = 'entry' AND subject = ?2 AND hash = ?3
AND NOT EXISTS (SELECT 1 FROM release WHERE entry = ?2)";

/// An open SQLite file, and its path for messages.
pub(crate) struct FileStore {
    pub(crate) path: PathBuf,
    pub(crate) connection: Connection,
}

impl FileStore {
    fn explained<T>(&self, done: rusqlite::Result<T>) -> Result<T, Error> {
        done.map_err(|error| explain(&self.path, &error))
    }

    fn execute(&self, statement: &str) -> Result<(), Error> {
        self.explained(self.connection.execute_batch(statement))
    }
}

impl Store for FileStore {
    fn begin(&mut self, writing: bool) -> Result<(), Error> {
        // A lock from the beginning: what is read is still true at the commit, so two processes
        // never spend the same ε.
        self.execute(if writing { "BEGIN IMMEDIATE" } else { "BEGIN" })?;
        if !writing {
            return Ok(());
        }
        // It may have been moved since it was opened.
        let version = self.connection.pragma_query_value(None, "user_version", |row| row.get(0));
        let refused = match self.explained(version) {
            Ok(MOVED) => moved(&self.path),
            Ok(_) => return Ok(()),
            Err(error) => error,
        };
        self.roll_back();
        Err(refused)
    }

    fn commit(&mut self) -> Result<(), Error> {
        let done = self.execute("COMMIT");
        if done.is_err() {
            self.roll_back();
        }
        done
    }

    fn roll_back(&mut self) {
        // SQLite may have done so already, and if it cannot, the next transaction says why.
        let _ = self.connection.execute_batch("ROLLBACK");
    }

    fn set_patience(&mut self, patience: Duration) -> Result<(), Error> {
        self.explained(self.connection.busy_timeout(patience))
    }

    fn datasets(&mut self, name: Option<&str>) -> Result<Vec<(i64, Dataset)>, Error> {
        self.explained(rows::datasets(&self.connection, name))
    }

    fn entries(&mut self, dataset: i64) -> Result<Vec<Entry>, Error> {
        self.explained(rows::entries(&self.connection, dataset))
    }

    fn add_dataset(
        &mut self,
        name: &str,
        budget: Amount,
        change: Option<ProtectedChange>,
    ) -> Result<i64, Error> {
        let insert = format!(
            "INSERT INTO dataset (name, budget, created, unit, max_per_unit, neighbours) \
             VALUES (?1, ?2, {NOW}, ?3, ?4, ?5)"
        );
        let [unit, neighbours] = rows::words(change);
        let at_most = change.and_then(|change| change.unit.at_most());
        let row = params![name, budget.trillionths(), unit, at_most, neighbours];
        self.explained(self.connection.execute(&insert, row))?;
        Ok(self.connection.last_insert_rowid())
    }

    fn add_entry(
        &mut self,
        dataset: i64,
        epsilon: Amount,
        purpose: &Purpose,
    ) -> Result<i64, Error> {
        let [unit, neighbours] = rows::words(Some(purpose.change));
        let Purpose { change, mechanism, split, software, note } = purpose;
        let row = params![
            dataset,
            epsilon.trillionths(),
            unit,
            change.unit.at_most(),
            neighbours,
            mechanism,
            split,
            software,
            note
        ];
        self.explained(self.connection.execute(RESERVE, row))?;
        Ok(self.connection.last_insert_rowid())
    }

    fn add_release(&mut self, entry: i64, head: &str, hash: &str) -> Result<bool, Error> {
        let added = self.connection.execute(RECORD, params![hash, entry, head]);
        Ok(self.explained(added)? == 1)
    }

    fn last_hash(&mut self) -> Result<Option<String>, Error> {
        let query = "SELECT hash FROM event ORDER BY number DESC LIMIT 1";
        self.explained(self.connection.query_row(query, [], |row| row.get(0)).optional())
    }

    fn add_event(&mut self, kind: Kind, subject: i64, hash: &str) -> Result<(), Error> {
        let insert = "INSERT INTO event (kind, subject, hash) VALUES (?1, ?2, ?3)";
        self.explained(self.connection.execute(insert, params![kind.word(), subject, hash]))?;
        Ok(())
    }

    fn events(&mut self) -> Result<Vec<StoredEvent>, Error> {
        let read = || {
            let mut statement = self
                .connection
                .prepare("SELECT number, kind, subject, hash FROM event ORDER BY number")?;
            let event = |row: &Row<'_>| {
                Ok(StoredEvent {
                    number: row.get(0)?,
                    kind: row.get(1)?,
                    subject: row.get(2)?,
                    hash: row.get(3)?,
                })
            };
            statement.query_map([], event)?.collect()
        };
        self.explained(read())
    }

    fn rows(&mut self, kind: Kind, key: Option<i64>) -> Result<BTreeMap<i64, Columns>, Error> {
        let Some(table) = kind.table() else { return Ok(BTreeMap::new()) };
        let query = format!(
            "SELECT {}, {} FROM {} WHERE ?1 IS NULL OR {} = ?1",
            table.key,
            table.columns.join(", "),
            table.name,
            table.key
        );
        let read = || {
            let mut statement = self.connection.prepare(&query)?;
            let row = |row: &Row<'_>| {
                let value = |(at, &name)| Ok((name, value(row.get_ref(at + 1)?)));
                let columns = table.columns.iter().enumerate().map(value);
                Ok((row.get(0)?, columns.collect::<rusqlite::Result<Columns>>()?))
            };
            statement.query_map([key], row)?.collect()
        };
        self.explained(read())
    }
}

/// A value of a column as text; `None` for NULL.
fn value(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(text) | ValueRef::Blob(text) => {
            Some(String::from_utf8_lossy(text).into_owned())
        }
    }
}
