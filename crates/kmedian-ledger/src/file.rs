//! The file of a ledger: an SQLite database with a mark, a version and tables.

mod store;

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use tempfile::NamedTempFile;

use crate::error::{Advice, Error, ErrorKind, one_line};
use crate::tables::{self, APPLICATION, MOVED, VERSION};
use crate::upgrade;
pub(crate) use store::FileStore;

/// How long to wait for another process that has locked the ledger. A reservation takes
/// milliseconds, so five seconds are plenty.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// What to do about a full disk.
const DISK_FULL: &str = "the disk is full; make room, then try again";

/// What to do if the file does not exist, or is empty: create a ledger in it, or refuse.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    Create,
    Refuse,
}

/// Opens a ledger, and upgrades one of an older version. `path` is for messages. SQLite is given
/// the absolute path, because it takes a name such as `:memory:` for more than a file's name.
pub(crate) fn open(path: &Path, absolute: &Path, missing: Missing) -> Result<FileStore, Error> {
    let (store, version) = open_any(path, absolute, missing)?;
    if version == MOVED {
        return Err(moved(path));
    }
    Ok(store)
}

/// Opens a ledger like [`open`], even one that was moved, and returns its version with it.
pub(crate) fn open_any(
    path: &Path,
    absolute: &Path,
    missing: Missing,
) -> Result<(FileStore, i32), Error> {
    if missing == Missing::Refuse && !absolute.exists() {
        let missing = Error::at(ErrorKind::Io, path, "there is no such ledger");
        return Err(missing.advise(Advice::CreateLedger));
    }
    let explain = |error| explain(path, &error);
    let mut connection = connect(absolute, missing).map_err(explain)?;
    let mut content = content(&mut connection).map_err(explain)?;
    if content == Content::Nothing && missing == Missing::Create {
        create_tables(&mut connection).map_err(explain)?;
        content = self::content(&mut connection).map_err(explain)?;
    }
    let mut store = FileStore { path: path.to_path_buf(), connection };
    if content == Content::Ledger(upgrade::FROM) {
        upgrade::upgrade(&mut store)?;
        content = self::content(&mut store.connection).map_err(explain)?;
    }
    match content {
        Content::Ledger(version @ (VERSION | MOVED)) => Ok((store, version)),
        Content::Ledger(newer) if newer > VERSION => Err(Error::at(
            ErrorKind::TooNew,
            path,
            format!(
                "is a ledger of version {newer}, and this kmedian reads version {VERSION}; install \
                 a newer kmedian"
            ),
        )),
        Content::Nothing => {
            let empty = Error::at(ErrorKind::NotALedger, path, "is empty, and no ledger yet");
            Err(empty.advise(Advice::CreateLedger))
        }
        Content::SetBack(version) => Err(Error::at(
            ErrorKind::NotALedger,
            path,
            format!(
                "is marked as a ledger of version {version}, but has the tables of version {VERSION}, so its mark was \
                 changed; restore it from a copy, and count what was spent since as spent"
            ),
        )),
        Content::Ledger(_) | Content::Foreign => Err(not_a_ledger(path)),
    }
}

/// Creates a ledger with what `fill` writes into it, or nothing at all. It is made under a
/// temporary name in the same folder, and renamed once it is complete and on disk. `None` if
/// another file has taken its name meanwhile.
pub(crate) fn create<T>(
    path: &Path,
    absolute: &Path,
    fill: impl FnOnce(FileStore) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    let system = |error: io::Error| match error.kind() {
        io::ErrorKind::StorageFull => Error::at(ErrorKind::Io, path, DISK_FULL),
        _ => cannot_open(path),
    };
    let folder = absolute.parent().unwrap_or(Path::new("/"));
    let temporary = temporary_in(folder).map_err(system)?;
    let connection = begin(temporary.path()).map_err(|error| explain(path, &error))?;
    let filled = fill(FileStore { path: path.to_path_buf(), connection })?;
    temporary.as_file().sync_all().map_err(system)?;
    match temporary.persist_noclobber(absolute) {
        Ok(_) => {}
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
        Err(error) => return Err(system(error.error)),
    }
    // The new name is on disk once its folder is. Where a folder cannot be opened, that is left to
    // the operating system.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(Some(filled))
}

/// Begins a ledger without datasets, in a file that no other process knows yet. It needs no journal
/// on disk, which a full disk might leave behind: if anything fails, the file is removed.
fn begin(absolute: &Path) -> rusqlite::Result<Connection> {
    let mut connection = connect(absolute, Missing::Create)?;
    connection.pragma_update(None, "journal_mode", "MEMORY")?;
    create_tables(&mut connection)?;
    Ok(connection)
}

/// An empty temporary file to make a ledger in, with the permissions of an ordinary new file. Its
/// name begins like those of all unfinished files of kmedian, and it is locked while it is worked
/// on. If its process is killed, the lock ends, and the next run that writes into the folder
/// removes the file.
fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    loop {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".kmedian-part-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let temporary = builder.tempfile_in(folder)?;
        // A file system without locks fails here. There, abandoned files are never removed.
        let _ = temporary.as_file().lock();
        // Another run may have taken it for abandoned before it was locked.
        if temporary.path().exists() {
            return Ok(temporary);
        }
    }
}

fn connect(absolute: &Path, missing: Missing) -> rusqlite::Result<Connection> {
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if missing == Missing::Create {
        flags |= OpenFlags::SQLITE_OPEN_CREATE;
    }
    let connection = Connection::open_with_flags(absolute, flags)?;
    connection.busy_timeout(PATIENCE)?;
    make_durable(&connection)?;
    Ok(connection)
}

/// Makes every commit reach the disk before it returns, because a reservation must outlive a power
/// loss. `EXTRA` syncs the file, the journal, and the folder from which the journal is removed;
/// `FULL` leaves out the folder.
fn make_durable(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "synchronous", "EXTRA")?;
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "foreign_keys", true)
}

/// What is in a database.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// A database without tables.
    Nothing,
    /// A ledger of this version.
    Ledger(i32),
    /// A ledger that is marked with this older version, which had no chain, and has one.
    SetBack(i32),
    /// The database of another program.
    Foreign,
}

/// What is in a database. It is read in one transaction, as another process may be creating the
/// tables.
fn content(connection: &mut Connection) -> rusqlite::Result<Content> {
    let transaction = connection.transaction()?;
    let application: i32 =
        transaction.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let version: i32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: i64 =
        transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let chained: bool = transaction.query_row(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'event'",
        [],
        |row| row.get(0),
    )?;
    Ok(match (application, tables) {
        (APPLICATION, _) if chained && version <= upgrade::FROM => Content::SetBack(version),
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
        tables::create(&transaction)?;
        tables::protect(&transaction)?;
    }
    transaction.commit()
}

/// The error for a ledger that was moved.
fn moved(path: &Path) -> Error {
    let what = "was moved to a server, and is closed; give the URL of the ledger there";
    Error::at(ErrorKind::Moved, path, what)
}

fn not_a_ledger(path: &Path) -> Error {
    let what = "is not a ledger of kmedian; name another file, or a new one to create";
    Error::at(ErrorKind::NotALedger, path, what)
}

/// An error of SQLite as one of ours, which says what the user can do about it.
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
        Some(ErrorCode::DiskFull) => io(DISK_FULL),
        _ => io(&format!("cannot be read or written: {}", one_line(&error.to_string()))),
    }
}

/// An error for a file that cannot be opened. SQLite does not say why, so the file system is asked.
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
