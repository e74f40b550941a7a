//! The books: datasets with budgets, and reservations against them.

use std::cell::RefCell;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use crate::amount::Amount;
use crate::chain::{self, Chain, Kind};
use crate::change::{ProtectedChange, Purpose};
use crate::dataset::{Dataset, Entry};
use crate::error::{Advice, Error, ErrorKind, one_line, quote};
use crate::file::{self, FileStore, Missing};
use crate::name::{are_alike, check_name};
use crate::place::Place;
use crate::reservation::Reservation;
use crate::server;
use crate::store::Store;

/// A ledger in a file or on a PostgreSQL server, which any number of processes may have open.
///
/// Every write is one transaction that lets no other one write before it has ended, and that has
/// reached the disk when the method returns.
///
/// The place of a ledger is a path, or a URL such as `postgres://user@host/database`. A server
/// needs PostgreSQL 12 or later, a database whose encoding is UTF-8, and `fsync` on. A password is
/// best left out of the URL, which others see in lists of processes: give it as `PGPASSWORD`.
pub struct Ledger {
    place: Place,
    /// Reading needs a transaction too, which changes a connection.
    store: RefCell<Box<dyn Store>>,
}

/// Shows the place, without a password.
impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ledger").field(&self.place).finish()
    }
}

impl Ledger {
    /// Opens the ledger in this place, or creates it if there is no file, or an empty one, or no
    /// ledger in the database.
    ///
    /// # Errors
    ///
    /// If the file can be neither opened nor created, is not a ledger, or was written by a newer
    /// version; if the server cannot be reached.
    pub fn create_or_open(path: &Path) -> Result<Self, Error> {
        Self::at(Place::of(path)?, Missing::Create)
    }

    /// Opens the ledger in this place.
    ///
    /// # Errors
    ///
    /// If there is none, or if it cannot be opened, is not a ledger, or was written by a newer
    /// version.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::at(Place::of(path)?, Missing::Refuse)
    }

    pub(crate) fn at(place: Place, missing: Missing) -> Result<Self, Error> {
        let store: Box<dyn Store> = match &place {
            Place::File { path, absolute } => {
                if missing == Missing::Create && !absolute.exists() {
                    file::create(path, absolute, |_| Ok(()))?;
                }
                Box::new(file::open(path, absolute, missing)?)
            }
            Place::Server(url) => Box::new(server::open(url, missing)?),
        };
        Ok(Self { place, store: RefCell::new(store) })
    }

    /// Adds a dataset to the ledger in this place. If there is no such file, a ledger is created
    /// with the dataset in it, or not at all: a full disk leaves no empty ledger.
    ///
    /// # Errors
    ///
    /// The errors of [`Ledger::create_or_open`] and [`Ledger::create_dataset`].
    pub fn create_with_dataset(
        path: &Path,
        name: &str,
        budget: Amount,
        change: Option<ProtectedChange>,
    ) -> Result<Dataset, Error> {
        let place = Place::of(path)?;
        if let Place::File { path, absolute } = &place
            && !absolute.exists()
        {
            let fill = |store: FileStore| {
                let store: Box<dyn Store> = Box::new(store);
                let mut new = Self { place: place.clone(), store: RefCell::new(store) };
                new.create_dataset(name, budget, change)
            };
            if let Some(created) = file::create(path, absolute, fill)? {
                return Ok(created);
            }
        }
        Self::at(place, Missing::Create)?.create_dataset(name, budget, change)
    }

    /// Sets how long to wait for another process that writes, before giving up: five seconds by
    /// default.
    ///
    /// # Errors
    ///
    /// If the file or the server refuses it.
    pub fn set_patience(&mut self, patience: Duration) -> Result<(), Error> {
        self.store.get_mut().set_patience(patience)
    }

    /// Adds a dataset. Its budget is set here, once and for all. What its runs protect is also set
    /// once: here, or, if `change` is `None`, by the first run.
    ///
    /// # Errors
    ///
    /// If there is a dataset of that name, or of a name that looks the same; if no dataset can have
    /// the name (see [`check_name`]); or if the ledger cannot be written.
    pub fn create_dataset(
        &mut self,
        name: &str,
        budget: Amount,
        change: Option<ProtectedChange>,
    ) -> Result<Dataset, Error> {
        check_name(name)?;
        let path = self.place.shown();
        self.write(|store| {
            let datasets = store.datasets(None)?;
            if let Some((_, old)) = datasets.iter().find(|(_, old)| are_alike(&old.name, name)) {
                return Err(exists(&path, name, old));
            }
            let id = store.add_dataset(name, budget, change)?;
            appended(store, &path, Kind::Dataset, id)?;
            required(store, &path, name).map(|(_, dataset)| dataset)
        })
    }

    /// Spends `epsilon` of a dataset's budget. Call it before the demand is read.
    ///
    /// Once this returns, the ε is spent, on disk, whatever becomes of the run.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Exhausted`] if the budget would be exceeded; [`ErrorKind::OtherChange`] if the
    /// dataset protects another change; [`ErrorKind::Broken`] if the ledger was edited; also if
    /// there is no such dataset, or if the ledger cannot be written. After an error the demand must
    /// not be read. Nothing is reserved then, but for [`ErrorKind::Unconfirmed`]: a server may have
    /// spent the ε that it could not confirm.
    pub fn reserve(
        &mut self,
        dataset: &str,
        epsilon: Amount,
        purpose: &Purpose,
    ) -> Result<Reservation, Error> {
        let (path, place) = (self.place.shown(), self.place.clone());
        let purpose = on_one_line(purpose);
        self.write(|store| {
            // If the ledger was edited, what is missing may be what was spent.
            whole(store, &path)?;
            let (id, found) = required(store, &path, dataset)?;
            if let Some(fixed) = found.change.filter(|&fixed| fixed != purpose.change) {
                return Err(other_change(&path, dataset, fixed, purpose.change));
            }
            if epsilon > found.left() {
                return Err(exhausted(&path, &found, epsilon));
            }
            let number = store.add_entry(id, epsilon, &purpose)?;
            let head = appended(store, &path, Kind::Entry, number)?;
            let (dataset, fixed_change) = (found.name, found.change.is_none());
            Ok(Reservation { place, dataset, number, epsilon, head, fixed_change })
        })
    }

    /// Checks that everything in the ledger was written by [`Ledger::create_dataset`],
    /// [`Ledger::reserve`] and [`Reservation::record`], and that nothing was changed or removed.
    ///
    /// Whoever can write the books can compute the chain anew, or put an older copy in their place.
    /// To notice that, compare the head of the chain with one that was written down elsewhere.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Broken`] if the ledger was edited: the message names the first event that does
    /// not fit. Also if the ledger cannot be read.
    pub fn verify(&self) -> Result<Chain, Error> {
        self.read(|store| whole(store, &self.place.shown()))
    }

    /// All datasets, in the order of their names.
    ///
    /// # Errors
    ///
    /// If the ledger cannot be read.
    pub fn datasets(&self) -> Result<Vec<Dataset>, Error> {
        let datasets = self.read(|store| store.datasets(None))?;
        Ok(datasets.into_iter().map(|(_, dataset)| dataset).collect())
    }

    /// The dataset of this name.
    ///
    /// # Errors
    ///
    /// If there is none, or the ledger cannot be read.
    pub fn dataset(&self, name: &str) -> Result<Dataset, Error> {
        self.read(|store| required(store, &self.place.shown(), name).map(|(_, dataset)| dataset))
    }

    /// The runs that have spent ε of a dataset, the oldest first.
    ///
    /// # Errors
    ///
    /// If there is no such dataset, or the ledger cannot be read.
    pub fn entries(&self, dataset: &str) -> Result<Vec<Entry>, Error> {
        self.read(|store| {
            let (id, _) = required(store, &self.place.shown(), dataset)?;
            store.entries(id)
        })
    }

    /// Reads one state of the ledger, even if other processes write meanwhile.
    pub(crate) fn read<T>(
        &self,
        work: impl FnOnce(&mut dyn Store) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut store = self.store.borrow_mut();
        store.begin(false)?;
        let found = work(&mut **store);
        store.roll_back();
        found
    }

    /// Runs `change` in one transaction, during which nobody else writes. What it reads is still
    /// true when it commits, so two processes never spend the same ε.
    pub(crate) fn write<T>(
        &mut self,
        change: impl FnOnce(&mut dyn Store) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let store = &mut **self.store.get_mut();
        store.begin(true)?;
        match change(store) {
            Ok(done) => store.commit().map(|()| done),
            Err(error) => {
                store.roll_back();
                Err(error)
            }
        }
    }
}

/// A purpose whose texts are on one line each, as they are shown in tables.
fn on_one_line(purpose: &Purpose) -> Purpose {
    Purpose {
        change: purpose.change,
        mechanism: one_line(&purpose.mechanism),
        split: one_line(&purpose.split),
        software: one_line(&purpose.software),
        note: one_line(&purpose.note),
    }
}

/// Adds the event of a row that was just written, and returns the new head.
pub(crate) fn appended(
    store: &mut dyn Store,
    path: &Path,
    kind: Kind,
    subject: i64,
) -> Result<String, Error> {
    let lost = || Error::at(ErrorKind::Io, path, "a row that was just written is not there");
    chain::append(store, kind, subject)?.ok_or_else(lost)
}

fn required(store: &mut dyn Store, path: &Path, name: &str) -> Result<(i64, Dataset), Error> {
    if let Some(found) = store.datasets(Some(name))?.pop() {
        return Ok(found);
    }
    let all = store.datasets(None)?;
    let alike = all.iter().find(|(_, dataset)| are_alike(&dataset.name, name));
    let error = |what: String| Error::at(ErrorKind::UnknownDataset, path, what);
    let missing = format!("there is no dataset {}", quote(name));
    Err(match alike {
        Some((_, alike)) => error(format!(
            "{missing}; there is {}, which is written otherwise; copy that name",
            quote(&alike.name)
        )),
        None => error(missing).advise(Advice::FindDataset),
    })
}

/// The chain of a ledger, or an error if the ledger was edited.
pub(crate) fn whole(store: &mut dyn Store, path: &Path) -> Result<Chain, Error> {
    chain::check(store)?.map_err(|what| {
        let advice = "was edited; restore the ledger from a copy that verifies, and count what was \
                      spent since as spent";
        Error::at(ErrorKind::Broken, path, format!("the chain is broken: {what}: it {advice}"))
    })
}

fn exists(path: &Path, name: &str, old: &Dataset) -> Error {
    let alike = if old.name == name { "" } else { ", whose name looks the same" };
    let what = format!(
        "there already is a dataset {} with a budget of {}{alike}; choose another name",
        quote(&old.name),
        old.budget
    );
    Error::at(ErrorKind::DatasetExists, path, what)
}

fn other_change(path: &Path, name: &str, fixed: ProtectedChange, asked: ProtectedChange) -> Error {
    let what = format!(
        "{} protects {fixed}, and this run would protect {asked}: their ε do not add up; protect the \
         same, or give the other a dataset and a budget of its own",
        quote(name)
    );
    Error::at(ErrorKind::OtherChange, path, what)
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
