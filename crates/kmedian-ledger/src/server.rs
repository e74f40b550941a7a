//! A ledger on a PostgreSQL server.

mod store;
mod tables;
mod url;

use std::path::Path;
use std::time::Duration;

use postgres::error::SqlState;
use postgres::{Client, NoTls};

use crate::error::{Advice, Error, ErrorKind, one_line};
use crate::file::{Missing, PATIENCE};
use crate::tables::VERSION;
use store::ServerStore;
pub(crate) use url::Url;

/// How long to wait for a server to answer a call: one that is gone must not hold up a run forever.
const ANSWER: Duration = Duration::from_secs(30);

/// The first release of PostgreSQL whose SQL is known to be enough, as the server counts them.
const OLDEST: i32 = 120_000;

/// Opens the ledger in a database, or creates it if there is none and `missing` says so.
pub(crate) fn open(url: &Url, missing: Missing) -> Result<ServerStore, Error> {
    let path = url.shown();
    let explain = |error| explain(&path, &error);
    let mut client = connect(url)?;
    if missing == Missing::Create {
        tables::create(&mut client).map_err(explain)?;
    }
    match tables::version(&mut client).map_err(explain)? {
        Some(VERSION) => Ok(ServerStore::new(path, client)),
        Some(newer) if newer > VERSION => {
            let what = format!(
                "is a ledger of version {newer}, and this kmedian reads version {VERSION}; install a newer kmedian"
            );
            Err(Error::at(ErrorKind::TooNew, &path, what))
        }
        Some(_) => Err(Error::at(
            ErrorKind::NotALedger,
            &path,
            "has tables that are not those of a ledger; name another database",
        )),
        None => {
            let missing = Error::at(ErrorKind::Io, &path, "there is no ledger in this database");
            Err(missing.advise(Advice::CreateLedger))
        }
    }
}

/// Connects to a server, and refuses one that may forget what it has confirmed.
fn connect(url: &Url) -> Result<Client, Error> {
    let path = url.shown();
    let explain = |error| explain(&path, &error);
    let mut config = url.config();
    config.connect_timeout(ANSWER).tcp_user_timeout(ANSWER).application_name("kmedian");
    let mut client = config.connect(NoTls).map_err(explain)?;
    let settings = client
        .query_one(
            "SELECT current_setting('fsync') = 'on', current_setting('server_encoding') = 'UTF8', \
             current_setting('server_version_num')::int",
            &[],
        )
        .map_err(explain)?;
    let refused = |what: &str| Err(Error::at(ErrorKind::Io, &path, what));
    if !settings.get::<_, bool>(0) {
        return refused(
            "the server has fsync off, so a power loss may forget what was spent; turn it on",
        );
    }
    if !settings.get::<_, bool>(1) {
        return refused("the encoding of the database is not UTF-8; name another database");
    }
    if settings.get::<_, i32>(2) < OLDEST {
        return refused("the server is older than PostgreSQL 12; name a newer one");
    }
    set_patience(&mut client, PATIENCE).map_err(explain)?;
    Ok(client)
}

/// Sets how long statements of a session wait for others that write.
fn set_patience(client: &mut Client, patience: Duration) -> Result<(), postgres::Error> {
    let milliseconds = patience.as_millis().clamp(1, i32::MAX as u128);
    client.batch_execute(&format!("SET lock_timeout = {milliseconds}"))
}

/// An error of the server or of the connection as one of ours, which says what the user can do.
fn explain(path: &Path, error: &postgres::Error) -> Error {
    let io = |what: &str| Error::at(ErrorKind::Io, path, what);
    let Some(code) = error.code() else {
        let why = std::error::Error::source(error).map_or(error.to_string(), ToString::to_string);
        return io(&format!(
            "the server cannot be reached: {}; see whether it runs",
            one_line(&why)
        ));
    };
    let busy = [
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::UNIQUE_VIOLATION,
    ];
    if busy.contains(code) {
        let what = "another process writes into it; wait until that has ended, then try again";
        return Error::at(ErrorKind::Locked, path, what);
    }
    let told = error.as_db_error().map_or_else(|| error.to_string(), |told| told.message().into());
    if *code == SqlState::INSUFFICIENT_PRIVILEGE {
        return io(&format!("{}; let its owner grant it", one_line(&told)));
    }
    io(&format!("the server refuses: {}", one_line(&told)))
}
