//! The tables of a ledger, and what keeps them from being changed.

use rusqlite::Connection;

/// The mark of a ledger, SQLite's `application_id`: `kmlg` in ASCII. Other databases have another
/// mark, or zero.
pub(crate) const APPLICATION: i32 = 0x6b6d_6c67;

/// The version of the tables that this code writes, SQLite's `user_version`.
pub(crate) const VERSION: i32 = 2;

/// The version of a file whose ledger was moved to a server, and which is closed. Other versions of
/// kmedian refuse it too, because it is larger than theirs.
pub(crate) const MOVED: i32 = 1000 + VERSION;

/// The SQL statements that create the tables. Amounts are in trillionths. A release comes later
/// than its entry, so releases have a table of their own: then no row is ever changed.
const TABLES: &str = "
CREATE TABLE dataset (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    budget INTEGER NOT NULL CHECK (budget > 0),
    created TEXT NOT NULL,
    unit TEXT CHECK (unit IN ('record', 'owner')),
    max_per_unit INTEGER CHECK (max_per_unit > 0),
    neighbours TEXT CHECK (neighbours IN ('add-remove', 'replace-one')),
    CHECK ((unit IS NULL) = (neighbours IS NULL)),
    CHECK ((unit IS 'owner') = (max_per_unit IS NOT NULL))
) STRICT;
CREATE TABLE entry (
    number INTEGER PRIMARY KEY,
    dataset INTEGER NOT NULL REFERENCES dataset (id),
    epsilon INTEGER NOT NULL CHECK (epsilon > 0),
    unit TEXT CHECK (unit IN ('record', 'owner')),
    max_per_unit INTEGER CHECK (max_per_unit > 0),
    neighbours TEXT CHECK (neighbours IN ('add-remove', 'replace-one')),
    mechanism TEXT,
    split TEXT,
    software TEXT,
    note TEXT NOT NULL,
    reserved TEXT NOT NULL,
    CHECK ((unit IS NULL) = (neighbours IS NULL)),
    CHECK ((unit IS 'owner') = (max_per_unit IS NOT NULL))
) STRICT;
CREATE INDEX entry_of_dataset ON entry (dataset);
CREATE TABLE release (
    entry INTEGER PRIMARY KEY REFERENCES entry (number),
    hash TEXT NOT NULL
) STRICT;
CREATE TABLE event (
    number INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('dataset', 'entry', 'release', 'upgrade')),
    subject INTEGER NOT NULL,
    hash TEXT NOT NULL,
    UNIQUE (kind, subject)
) STRICT;
";

/// Each table, its key, and the SQL condition under which a new row would replace an old one.
const KEYS: [(&str, &str, &str); 4] = [
    ("dataset", "id", "id = NEW.id OR name = NEW.name"),
    ("entry", "number", "number = NEW.number"),
    ("release", "entry", "entry = NEW.entry"),
    ("event", "number", "number = NEW.number OR (kind = NEW.kind AND subject = NEW.subject)"),
];

/// Creates the tables, without the triggers that [`protect`] adds.
pub(crate) fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)
}

/// Adds triggers that keep rows from being changed or deleted, by whatever program opens the file.
/// `INSERT OR REPLACE` deletes a row without running the triggers of a deletion, so a row whose key
/// exists is refused before it is written. Rows must be numbered without gaps, so that nobody can
/// use up the largest number.
pub(crate) fn protect(connection: &Connection) -> rusqlite::Result<()> {
    for (table, key, there) in KEYS {
        connection.execute_batch(&format!(
            "CREATE TRIGGER {table}_stays BEFORE DELETE ON {table}
                BEGIN SELECT RAISE (ABORT, 'nothing is ever deleted'); END;
             CREATE TRIGGER {table}_is_fixed BEFORE UPDATE ON {table}
                BEGIN SELECT RAISE (ABORT, 'nothing is ever changed'); END;
             CREATE TRIGGER {table}_is_new BEFORE INSERT ON {table}
                WHEN EXISTS (SELECT 1 FROM {table} WHERE {there})
                BEGIN SELECT RAISE (ABORT, 'nothing is ever replaced'); END;"
        ))?;
        // A release has the number of its entry, and runs end in any order.
        if table != "release" {
            connection.execute_batch(&format!(
                "CREATE TRIGGER {table}_is_next AFTER INSERT ON {table}
                    WHEN NEW.{key} <> 1 + COALESCE ((SELECT {key} FROM {table}
                        WHERE {key} <> NEW.{key} ORDER BY {key} DESC LIMIT 1), 0)
                    BEGIN SELECT RAISE (ABORT, 'numbers have no gaps'); END;"
            ))?;
        }
    }
    Ok(())
}
