//! Upgrades ledgers of version 1 to the current version.
//!
//! Version 1 had neither protected changes nor a chain of hashes. It kept the time of each
//! reservation and of each release to the second, which together tell how long a run took. All
//! datasets, amounts, notes and releases are kept; of the times, only the day of the reservation.

use rusqlite::{Connection, params};

use crate::chain::{self, Kind};
use crate::error::Error;
use crate::file::{self, FileStore};
use crate::store::Store;
use crate::tables::{self, VERSION};

/// The one older version of the tables, which is upgraded.
pub(crate) const FROM: i32 = 1;

/// A dataset of version 1: its key, name, budget in trillionths, and when it was created.
type OldDataset = (i64, String, i64, String);

/// What is kept of an entry of version 1: its number, dataset, ε in trillionths, note, day, and the
/// hash of its release.
type OldEntry = (i64, i64, i64, String, String, Option<String>);

/// Upgrades a ledger in one transaction, unless another process was faster.
pub(crate) fn upgrade(store: &mut FileStore) -> Result<(), Error> {
    let path = store.path.clone();
    let explain = |error| file::explain(&path, &error);
    // What is dropped must not stay readable in free pages of the file.
    store.connection.pragma_update(None, "secure_delete", true).map_err(explain)?;
    store.begin(true)?;
    let version = store.connection.pragma_query_value(None, "user_version", |row| row.get(0));
    let done = match version.map_err(explain) {
        Ok(FROM) => rebuild(store, explain),
        Ok(_) => Ok(()),
        Err(error) => Err(error),
    };
    match done {
        Ok(()) => store.commit(),
        Err(error) => {
            store.roll_back();
            Err(error)
        }
    }
}

/// Copies what is kept into new tables.
fn rebuild(store: &mut FileStore, explain: impl Fn(rusqlite::Error) -> Error) -> Result<(), Error> {
    let (datasets, entries) = old_rows(&store.connection).map_err(&explain)?;
    // The triggers and indices of the tables are dropped with them.
    let drop = store.connection.execute_batch("DROP TABLE entry; DROP TABLE dataset;");
    drop.and_then(|()| tables::create(&store.connection)).map_err(&explain)?;
    for (id, name, budget, created) in datasets {
        let insert = "INSERT INTO dataset (id, name, budget, created) VALUES (?1, ?2, ?3, ?4)";
        let row = params![id, name, budget, created];
        store.connection.execute(insert, row).map_err(&explain)?;
        chain::append(store, Kind::Dataset, id)?;
    }
    for (number, dataset, epsilon, note, day, release) in entries {
        let insert = "INSERT INTO entry (number, dataset, epsilon, note, reserved) \
                      VALUES (?1, ?2, ?3, ?4, ?5)";
        let row = params![number, dataset, epsilon, note, day];
        store.connection.execute(insert, row).map_err(&explain)?;
        chain::append(store, Kind::Entry, number)?;
        if let Some(hash) = release {
            let insert = "INSERT INTO release (entry, hash) VALUES (?1, ?2)";
            store.connection.execute(insert, params![number, hash]).map_err(&explain)?;
            chain::append(store, Kind::Release, number)?;
        }
    }
    chain::append(store, Kind::Upgrade, i64::from(FROM))?;
    let protected = tables::protect(&store.connection);
    protected
        .and_then(|()| store.connection.pragma_update(None, "user_version", VERSION))
        .map_err(&explain)
}

/// All datasets and entries of version 1.
fn old_rows(connection: &Connection) -> rusqlite::Result<(Vec<OldDataset>, Vec<OldEntry>)> {
    let datasets = connection
        .prepare("SELECT id, name, budget, created FROM dataset ORDER BY id")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let entries = connection
        .prepare(
            "SELECT number, dataset, epsilon, note, substr(reserved, 1, 10), release FROM entry \
             ORDER BY number",
        )?
        .query_map([], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
        })?
        .collect::<rusqlite::Result<_>>()?;
    Ok((datasets, entries))
}
