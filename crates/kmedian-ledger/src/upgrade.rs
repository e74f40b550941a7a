//! Upgrades ledgers of version 1 to the current version.
//!
//! Version 1 had neither protected changes nor a chain of hashes. It kept the time of each
//! reservation and of each release to the second, which together tell how long a run took. All
//! datasets, amounts, notes and releases are kept; of the times, only the day of the reservation.

use rusqlite::{Connection, TransactionBehavior, params};

use crate::chain::{self, Kind};
use crate::tables::{self, VERSION};

/// The one older version of the tables, which is upgraded.
pub(crate) const FROM: i32 = 1;

/// What is kept of an entry of version 1: its number, dataset, ε in trillionths, note, day, and the
/// hash of its release.
type OldEntry = (i64, i64, i64, String, String, Option<String>);

/// Upgrades a ledger in one transaction, unless another process was faster.
pub(crate) fn upgrade(connection: &mut Connection) -> rusqlite::Result<()> {
    // What is dropped must not stay readable in free pages of the file.
    connection.pragma_update(None, "secure_delete", true)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: i32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version == FROM {
        rebuild(&transaction)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()
}

fn rebuild(connection: &Connection) -> rusqlite::Result<()> {
    let datasets: Vec<(i64, String, i64, String)> = connection
        .prepare("SELECT id, name, budget, created FROM dataset ORDER BY id")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let entries: Vec<OldEntry> = connection
        .prepare(
            "SELECT number, dataset, epsilon, note, substr(reserved, 1, 10), release FROM entry \
             ORDER BY number",
        )?
        .query_map([], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
        })?
        .collect::<rusqlite::Result<_>>()?;
    // The triggers and indices of the tables are dropped with them.
    connection.execute_batch("DROP TABLE entry; DROP TABLE dataset;")?;
    tables::create(connection)?;
    for (id, name, budget, created) in datasets {
        connection.execute(
            "INSERT INTO dataset (id, name, budget, created) VALUES (?1, ?2, ?3, ?4)",
            params![id, name, budget, created],
        )?;
        chain::append(connection, Kind::Dataset, id)?;
    }
    for (number, dataset, epsilon, note, day, release) in entries {
        connection.execute(
            "INSERT INTO entry (number, dataset, epsilon, note, reserved) \
             VALUES (?1, ?2, ?3, ?4, ?5)",
            params![number, dataset, epsilon, note, day],
        )?;
        chain::append(connection, Kind::Entry, number)?;
        if let Some(hash) = release {
            let insert = "INSERT INTO release (entry, hash) VALUES (?1, ?2)";
            connection.execute(insert, params![number, hash])?;
            chain::append(connection, Kind::Release, number)?;
        }
    }
    chain::append(connection, Kind::Upgrade, i64::from(FROM))?;
    tables::protect(connection)
}
