//! Moves a ledger from a file to a server.

use std::path::Path;

use crate::chain::{Chain, Kind};
use crate::error::{Error, ErrorKind};
use crate::file::{self, FileStore, Missing};
use crate::ledger::{Ledger, whole};
use crate::place::Place;
use crate::server;
use crate::store::Store;
use crate::tables::MOVED;

/// The kinds of rows in the order in which they refer to each other.
const KINDS: [Kind; 3] = [Kind::Dataset, Kind::Entry, Kind::Release];

impl Ledger {
    /// Moves a ledger from a file to a server: all datasets, entries, releases and events, with
    /// their hashes, so that the head of the chain stays the same. The file is closed first, for
    /// good.
    ///
    /// If it fails in between, nothing can be spent in either place; do it again then. Doing so for
    /// a ledger that was moved changes nothing.
    ///
    /// # Errors
    ///
    /// If the first place is no file or the second no server; if the chain of the file is broken;
    /// if there is another ledger on the server; or if one of them cannot be read or written.
    pub fn move_to_server(from: &Path, to: &Path) -> Result<Chain, Error> {
        let (Place::File { path, absolute }, Place::Server(url)) =
            (Place::of(from)?, Place::of(to)?)
        else {
            let what = "a ledger is moved from a file to a server; give a path and a URL such as \
                        postgres://user@host/database";
            return Err(Error::new(ErrorKind::Io, what));
        };
        let (mut file, version) = file::open_any(&path, &absolute, Missing::Refuse)?;
        let chain = read(&mut file, |store| whole(store, &path))?;
        let mut server = server::open(&url, Missing::Create)?;
        let shown = url.shown();
        let there = read(&mut server, |store| whole(store, &shown))?;
        if there.events() > 0 && there.events_since(chain.head()).is_none() {
            let what = "there is another ledger in this database; name one without a ledger";
            return Err(Error::at(ErrorKind::DatasetExists, &shown, what));
        }
        // From here on nobody can spend in the file, whatever happens.
        let chain = if version == MOVED { chain } else { close(&mut file, &path)? };
        let mut tables = Vec::new();
        for kind in KINDS {
            tables.push((kind, file.rows(kind, None)?));
        }
        let events = file.events()?;
        server.begin(true)?;
        let copied = whole(&mut server, &shown).and_then(|there| {
            if there.events() == 0 {
                server.copy(&tables, &events)?;
            }
            let there = whole(&mut server, &shown)?;
            if there.events_since(chain.head()).is_none() {
                let what = "there is another ledger in this database; name one without a ledger";
                return Err(Error::at(ErrorKind::DatasetExists, &shown, what));
            }
            Ok(there)
        });
        match copied {
            Ok(there) => server.commit().map(|()| there),
            Err(error) => {
                server.roll_back();
                Err(error)
            }
        }
    }
}

/// Closes a file for good, and returns its chain.
fn close(file: &mut FileStore, path: &Path) -> Result<Chain, Error> {
    file.begin(true)?;
    let closed = whole(file, path).and_then(|chain| {
        let marked = file.connection.pragma_update(None, "user_version", MOVED);
        marked.map_err(|error| file::explain(path, &error)).map(|()| chain)
    });
    match closed {
        Ok(chain) => file.commit().map(|()| chain),
        Err(error) => {
            file.roll_back();
            Err(error)
        }
    }
}

/// Reads one state of the books.
fn read<T>(
    store: &mut dyn Store,
    work: impl FnOnce(&mut dyn Store) -> Result<T, Error>,
) -> Result<T, Error> {
    store.begin(false)?;
    let found = work(store);
    store.roll_back();
    found
}
