//! The books in the tables of a server.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use postgres::types::ToSql;
use postgres::{Client, Row};

use super::tables::{LOCK, numbered_anyhow};
use super::{explain, set_patience};
use crate::amount::Amount;
use crate::chain::Kind;
use crate::change::{ProtectedChange, ProtectedUnit, Purpose};
use crate::dataset::{Dataset, Entry};
use crate::error::{Error, ErrorKind, one_line};
use crate::rows;
use crate::store::{Columns, Store, StoredEvent};

/// The query for all datasets, or the one of a name, with what is spent of them, as for the file.
/// Names are ordered by their bytes.
const DATASETS: &str = "
SELECT d.id, d.name, d.budget, COALESCE(s.spent, 0)::BIGINT, COALESCE(s.entries, 0), d.created,
    COALESCE(d.unit, f.unit), COALESCE(d.max_per_unit, f.max_per_unit), COALESCE(d.neighbours, f.neighbours)
FROM kmedian_ledger.dataset AS d
LEFT JOIN (SELECT dataset, sum(epsilon) AS spent, count(*) AS entries,
        min(number) FILTER (WHERE unit IS NOT NULL) AS first
    FROM kmedian_ledger.entry GROUP BY dataset) AS s ON s.dataset = d.id
LEFT JOIN kmedian_ledger.entry AS f ON d.unit IS NULL AND f.number = s.first
WHERE $1::TEXT IS NULL OR d.name = $1
ORDER BY d.name COLLATE \"C\"";

/// The query for the entries of a dataset, with the hashes of their releases.
const ENTRIES: &str = "
SELECT number, epsilon, unit, max_per_unit, neighbours, mechanism, split, software, note, reserved, hash
FROM kmedian_ledger.entry LEFT JOIN kmedian_ledger.release ON release.entry = entry.number
WHERE dataset = $1 ORDER BY number";

/// The statement that adds a dataset under the next number.
const DATASET: &str = "
INSERT INTO kmedian_ledger.dataset (id, name, budget, created, unit, max_per_unit, neighbours)
SELECT 1 + COALESCE(max(id), 0), $1::TEXT, $2::BIGINT,
    to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), $3::TEXT, $4::BIGINT, $5::TEXT
FROM kmedian_ledger.dataset RETURNING id";

/// The statement that adds an entry under the next number. It keeps only the day: see
/// [`Entry::reserved`].
const RESERVE: &str = "
INSERT INTO kmedian_ledger.entry
    (number, dataset, epsilon, unit, max_per_unit, neighbours, mechanism, split, software, note, reserved)
SELECT 1 + COALESCE(max(number), 0), $1::BIGINT, $2::BIGINT, $3::TEXT, $4::BIGINT, $5::TEXT, $6::TEXT, $7::TEXT,
    $8::TEXT, $9::TEXT, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD')
FROM kmedian_ledger.entry RETURNING number";

/// The statement that adds a release, if its entry is there and has none.
const RECORD: &str = "
INSERT INTO kmedian_ledger.release (entry, hash)
SELECT subject, $1::TEXT FROM kmedian_ledger.event WHERE kind = 'entry' AND subject = $2::BIGINT AND hash = $3::TEXT
AND NOT EXISTS (SELECT 1 FROM kmedian_ledger.release WHERE entry = $2)";

/// The columns that hold numbers; all others hold text.
const NUMBERS: [&str; 7] =
    ["id", "budget", "max_per_unit", "number", "dataset", "epsilon", "entry"];

/// A connection to a server, and its URL for messages.
pub(crate) struct ServerStore {
    path: PathBuf,
    client: Client,
    /// Whether the transaction that was begun is for writing.
    writing: bool,
}

impl ServerStore {
    pub(super) fn new(path: PathBuf, client: Client) -> Self {
        Self { path, client, writing: false }
    }

    fn explained<T>(&self, done: Result<T, postgres::Error>) -> Result<T, Error> {
        done.map_err(|error| explain(&self.path, &error))
    }

    fn execute(&mut self, statements: &str) -> Result<(), Error> {
        let done = self.client.batch_execute(statements);
        self.explained(done)
    }

    fn query(&mut self, query: &str, given: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, Error> {
        let found = self.client.query(query, given);
        self.explained(found)
    }

    /// The number that a statement returns for the row that it has added.
    fn added(&mut self, insert: &str, given: &[&(dyn ToSql + Sync)]) -> Result<i64, Error> {
        let row = self.client.query_one(insert, given);
        Ok(self.explained(row)?.get(0))
    }

    /// Lets others write. If that fails, the connection is lost, and the server does it.
    fn let_go(&mut self) {
        if self.writing {
            let _ = self.client.batch_execute(&format!("SELECT pg_advisory_unlock({LOCK})"));
            self.writing = false;
        }
    }

    /// Adds rows and events of another ledger as they are. Call it between [`Store::begin`] and
    /// [`Store::commit`].
    pub(crate) fn copy(
        &mut self,
        tables: &[(Kind, BTreeMap<i64, Columns>)],
        events: &[StoredEvent],
    ) -> Result<(), Error> {
        self.execute(&numbered_anyhow(true))?;
        for (kind, rows) in tables {
            let Some(table) = kind.table() else { continue };
            let cast = |(at, column): (usize, &&str)| match NUMBERS.contains(column) {
                true => format!("${}::TEXT::BIGINT", at + 1),
                false => format!("${}::TEXT", at + 1),
            };
            let values: Vec<String> = table.columns.iter().enumerate().map(cast).collect();
            let insert = format!(
                "INSERT INTO kmedian_ledger.{} ({}) VALUES ({})",
                table.name,
                table.columns.join(", "),
                values.join(", ")
            );
            for row in rows.values() {
                let values: Vec<&(dyn ToSql + Sync)> =
                    row.iter().map(|(_, value)| value as &(dyn ToSql + Sync)).collect();
                let added = self.client.execute(&insert, &values);
                self.explained(added)?;
            }
        }
        for StoredEvent { number, kind, subject, hash } in events {
            let insert = "INSERT INTO kmedian_ledger.event (number, kind, subject, hash) VALUES ($1, $2, $3, $4)";
            let added = self.client.execute(insert, &[number, kind, subject, hash]);
            self.explained(added)?;
        }
        self.execute(&numbered_anyhow(false))
    }

    /// The protected change in three columns of a row, from this one on.
    fn change(&self, row: &Row, at: usize) -> Result<Option<ProtectedChange>, Error> {
        let (unit, neighbours): (Option<String>, Option<String>) = (row.get(at), row.get(at + 2));
        let (Some(unit), Some(neighbours)) = (unit, neighbours) else { return Ok(None) };
        let at_most = row.get::<_, Option<i64>>(at + 1).and_then(|most| u32::try_from(most).ok());
        let wrong = |error: Error| {
            let what = format!("holds no protected change: {}", one_line(&error.to_string()));
            Error::at(ErrorKind::NotALedger, &self.path, what)
        };
        let unit = ProtectedUnit::from_words(&unit, at_most).map_err(wrong)?;
        let neighbours = neighbours.parse().map_err(wrong)?;
        Ok(Some(ProtectedChange { unit, neighbours }))
    }
}

impl Store for ServerStore {
    fn begin(&mut self, writing: bool) -> Result<(), Error> {
        if !writing {
            return self.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        }
        // The lock makes writers queue up, before the transaction sees a state of the tables. That
        // they never spend the same ε does not rest on it: serializable transactions see to that.
        self.execute(&format!("SELECT pg_advisory_lock({LOCK})"))?;
        self.writing = true;
        let begun = self.execute(
            "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE; SET LOCAL synchronous_commit = on",
        );
        if begun.is_err() {
            self.roll_back();
        }
        begun
    }

    fn commit(&mut self) -> Result<(), Error> {
        let done = self.client.batch_execute("COMMIT");
        let told = done.as_ref().err().is_some_and(|error| error.code().is_none());
        if told {
            let what = "the connection was lost before the server confirmed what was written; count it as spent, \
                        and see what the ledger shows";
            return Err(Error::at(ErrorKind::Unconfirmed, &self.path, what));
        }
        let done = self.explained(done);
        self.let_go();
        done
    }

    fn roll_back(&mut self) {
        // If this fails, the connection is lost, and the server does it.
        let _ = self.client.batch_execute("ROLLBACK");
        self.let_go();
    }

    fn set_patience(&mut self, patience: Duration) -> Result<(), Error> {
        let done = set_patience(&mut self.client, patience);
        self.explained(done)
    }

    fn datasets(&mut self, name: Option<&str>) -> Result<Vec<(i64, Dataset)>, Error> {
        let rows = self.query(DATASETS, &[&name])?;
        let dataset = |row: &Row| {
            let dataset = Dataset {
                name: row.get(1),
                budget: Amount::from_trillionths(row.get(2)),
                spent: Amount::from_trillionths(row.get(3)),
                entries: row.get::<_, i64>(4).unsigned_abs(),
                created: row.get(5),
                change: self.change(row, 6)?,
            };
            Ok((row.get(0), dataset))
        };
        rows.iter().map(dataset).collect()
    }

    fn entries(&mut self, dataset: i64) -> Result<Vec<Entry>, Error> {
        let rows = self.query(ENTRIES, &[&dataset])?;
        let entry = |row: &Row| {
            Ok(Entry {
                number: row.get(0),
                epsilon: Amount::from_trillionths(row.get(1)),
                change: self.change(row, 2)?,
                mechanism: row.get(5),
                split: row.get(6),
                software: row.get(7),
                note: row.get(8),
                reserved: row.get(9),
                release: row.get(10),
            })
        };
        rows.iter().map(entry).collect()
    }

    fn add_dataset(
        &mut self,
        name: &str,
        budget: Amount,
        change: Option<ProtectedChange>,
    ) -> Result<i64, Error> {
        let [unit, neighbours] = rows::words(change);
        let at_most = change.and_then(|change| change.unit.at_most()).map(i64::from);
        self.added(DATASET, &[&name, &budget.trillionths(), &unit, &at_most, &neighbours])
    }

    fn add_entry(
        &mut self,
        dataset: i64,
        epsilon: Amount,
        purpose: &Purpose,
    ) -> Result<i64, Error> {
        let [unit, neighbours] = rows::words(Some(purpose.change));
        let at_most = purpose.change.unit.at_most().map(i64::from);
        let Purpose { mechanism, split, software, note, .. } = purpose;
        let epsilon = epsilon.trillionths();
        self.added(
            RESERVE,
            &[&dataset, &epsilon, &unit, &at_most, &neighbours, mechanism, split, software, note],
        )
    }

    fn add_release(&mut self, entry: i64, head: &str, hash: &str) -> Result<bool, Error> {
        let added = self.client.execute(RECORD, &[&hash, &entry, &head]);
        Ok(self.explained(added)? == 1)
    }

    fn last_hash(&mut self) -> Result<Option<String>, Error> {
        let query = "SELECT hash FROM kmedian_ledger.event ORDER BY number DESC LIMIT 1";
        Ok(self.query(query, &[])?.first().map(|row| row.get(0)))
    }

    fn add_event(&mut self, kind: Kind, subject: i64, hash: &str) -> Result<(), Error> {
        let insert = "INSERT INTO kmedian_ledger.event (number, kind, subject, hash) \
                      SELECT 1 + COALESCE(max(number), 0), $1::TEXT, $2::BIGINT, $3::TEXT \
                      FROM kmedian_ledger.event RETURNING number";
        self.added(insert, &[&kind.word(), &subject, &hash]).map(drop)
    }

    fn events(&mut self) -> Result<Vec<StoredEvent>, Error> {
        let query = "SELECT number, kind, subject, hash FROM kmedian_ledger.event ORDER BY number";
        let event = |row: &Row| StoredEvent {
            number: row.get(0),
            kind: row.get(1),
            subject: row.get(2),
            hash: row.get(3),
        };
        Ok(self.query(query, &[])?.iter().map(event).collect())
    }

    fn rows(&mut self, kind: Kind, key: Option<i64>) -> Result<BTreeMap<i64, Columns>, Error> {
        let Some(table) = kind.table() else { return Ok(BTreeMap::new()) };
        let columns: Vec<String> =
            table.columns.iter().map(|column| format!("{column}::TEXT")).collect();
        let query = format!(
            "SELECT {}, {} FROM kmedian_ledger.{} WHERE $1::BIGINT IS NULL OR {} = $1",
            table.key,
            columns.join(", "),
            table.name,
            table.key
        );
        let row = |row: &Row| {
            let columns = table.columns.iter().enumerate();
            (row.get(0), columns.map(|(at, &name)| (name, row.get(at + 1))).collect())
        };
        Ok(self.query(&query, &[&key])?.iter().map(row).collect())
    }
}
