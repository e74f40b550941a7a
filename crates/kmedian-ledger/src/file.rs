//! The file of a ledger: an SQLite database with a mark, a version and two tables.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::error::{Error, ErrorKind, one_line};

/// The mark of a ledger: `kmlg` in ASCII. Other databases have another, or none.
const APPLICATION: i32 = 0x6b6d_6c67;

/// The version of the tables below.
const VERSION: i32 = 1;

/// How long to wait for another process that holds the ledger. Reservations take milliseconds.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// Amounts are in trillionths. Nothing is ever deleted, and of an entry only the release is ever
/// written, once: the triggers hold for every program that opens the file, not only for this one.
const TABLES: &str = "
CREATE TABLE dataset (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    budget INTEGER NOT NULL CHECK (budget > 0),
    created TEXT NOT NULL
) STRICT;
CREATE TABLE entry (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    dataset INTEGER NOT NULL REFERENCES dataset (id),
    epsilon INTEGER NOT NULL CHECK (epsilon > 0),
    note TEXT NOT NULL,
    reserved TEXT NOT NULL,
    release TEXT,
    recorded TEXT,
    CHECK ((release IS NULL) = (recorded IS NULL))
) STRICT;
CREATE INDEX entry_of_dataset ON entry (dataset);
CREATE TRIGGER dataset_stays BEFORE DELETE ON dataset
    BEGIN SELECT RAISE (ABORT, 'datasets are never deleted'); END;
CREATE TRIGGER dataset_is_fixed BEFORE UPDATE ON dataset
    BEGIN SELECT RAISE (ABORT, 'datasets are never changed'); END;
CREATE TRIGGER entry_stays BEFORE DELETE ON entry
    BEGIN SELECT RAISE (ABORT, 'entries are never deleted'); END;
CREATE TRIGGER entry_is_fixed BEFORE UPDATE OF number, dataset, epsilon, note, reserved ON entry
    BEGIN SELECT RAISE (ABORT, 'entries are never changed'); END;
CREATE TRIGGER entry_is_released_once BEFORE UPDATE ON entry WHEN OLD.release IS NOT NULL
    BEGIN SELECT RAISE (ABORT, 'a release is recorded once'); END;
";

/// Whether a file that is not there, or empty, becomes a ledger.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    Create,
    Refuse,
}

/// Opens a ledger. SQLite is given the absolute path, as it sees more than a name in `:memory:`.
pub(crate) fn open(path: &Path, absolute: &Path, missing: Missing) -> Result<Connection, Error> {
    if missing == Missing::Refuse && !absolute.exists() {
        let what = "there is no such ledger; make one with `kmedian ledger create`";
        return Err(Error::at(ErrorKind::Io, path, what));
    }
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if missing == Missing::Create {
        flags |= OpenFlags::SQLITE_OPEN_CREATE;
    }
    let explain = |error| explain(path, &error);
    let mut connection = Connection::open_with_flags(absolute, flags).map_err(explain)?;
    connection.busy_timeout(PATIENCE).map_err(explain)?;
    make_durable(&connection).map_err(explain)?;
    let mut content = content(&mut connection).map_err(explain)?;
    if content == Content::Nothing && missing == Missing::Create {
        create_tables(&mut connection).map_err(explain)?;
        content = self::content(&mut connection).map_err(explain)?;
    }
    match content {
        Content::Ledger(VERSION) => Ok(connection),
        Content::Ledger(newer) if newer > VERSION => Err(Error::at(
            ErrorKind::TooNew,
            path,
            format!(
                "is a ledger of version {newer}, and this kmedian reads version {VERSION}; install \
                 a newer kmedian"
            ),
        )),
        Content::Nothing => Err(Error::at(
            ErrorKind::NotALedger,
            path,
            "is empty; make it a ledger with `kmedian ledger create`",
        )),
        Content::Ledger(_) | Content::Foreign => Err(not_a_ledger(path)),
    }
}

/// A reservation must outlive a power loss, so every commit reaches the disk: the file, the journal,
/// and the folder from which the journal is removed, which `FULL` leaves out.
fn make_durable(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "synchronous", "EXTRA")?;
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "foreign_keys", true)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// A database without tables.
    Nothing,
    /// A ledger of this version.
    Ledger(i32),
    /// The database of another program.
    Foreign,
}

/// What the database holds. All of it is read in one transaction: another process may be creating
/// the tables.
fn content(connection: &mut Connection) -> rusqlite::Result<Content> {
    let transaction = connection.transaction()?;
    let application: i32 =
        transaction.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let version: i32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: i64 =
        transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(match (application, tables) {
        (APPLICATION, _) => Content::Ledger(version),
        (0, 0) => Content::Nothing,
        _ => Content::Foreign,
    })
}

/// Creates the tables, unless another process was faster.
fn create_tables(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let application: i32 =
        transaction.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if application == 0 {
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
        transaction.execute_batch(TABLES)?;
    }
    transaction.commit()
}

fn not_a_ledger(path: &Path) -> Error {
    let what = "is not a ledger of kmedian; name another file, or a new one to create";
    Error::at(ErrorKind::NotALedger, path, what)
}

/// What SQLite could not do, and what the user can.
pub(crate) fn explain(path: &Path, error: &rusqlite::Error) -> Error {
    let io = |what: &str| Error::at(ErrorKind::Io, path, what);
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => not_a_ledger(path),
        Some(ErrorCode::DatabaseCorrupt) => Error::at(
            ErrorKind::NotALedger,
            path,
            "is damaged; restore it from a copy, and count what was spent since as spent",
        ),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::at(
            ErrorKind::Locked,
            path,
            "is locked by another process; wait until that has ended, then try again",
        ),
        Some(ErrorCode::CannotOpen) => cannot_open(path),
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            io("cannot be written; make the file and its folder writable")
        }
        Some(ErrorCode::DiskFull) => io("the disk is full; make room, then try again"),
        _ => io(&format!("cannot be read or written: {}", one_line(&error.to_string()))),
    }
}

/// SQLite does not say why; the file system does.
fn cannot_open(path: &Path) -> Error {
    let io = |what: &str| Error::at(ErrorKind::Io, path, what);
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    if path.is_dir() {
        io("is a folder; name a file in it")
    } else if !folder.exists() {
        io("its folder does not exist; create it first")
    } else if !folder.is_dir() {
        io("its folder is a file; choose another place")
    } else if !path.exists() {
        io("no file can be created in its folder; choose one that is writable")
    } else {
        io("permission to open it is denied; make the file and its folder writable")
    }
}
