//! The ledger of privacy budgets, for Python.

use std::path::{Path, PathBuf};

use kmedian_ledger::{self as books, Amount, ProtectedChange, ProtectedUnit, Purpose};
use pyo3::prelude::*;

use crate::door::Door;
use crate::failure::Failure;

/// A ledger, by the path of its file or the URL of its database. It is opened for each call: a run
/// may take hours, and other processes need the ledger meanwhile.
#[pyclass(frozen, get_all, module = "kmedian._core")]
pub(crate) struct Ledger {
    /// The path of the file.
    path: PathBuf,
}

/// What is protected: the word for the unit, the most records of an owner that are counted (`None`
/// for single records), and the word for the neighbor relation.
type Change = (String, Option<u32>, String);

/// A dataset: its name, its budget, what is spent and what is left (as decimal text), the number of
/// its runs, when it was created, and what it protects, if that is fixed.
type Dataset = (String, String, String, String, u64, String, Option<Change>);

/// An entry: its number, the ε that it spent (as decimal text), its note, the day, the hash of its
/// release (if there is one), what it protected, and its mechanism, split and software (if known).
type Entry = (
    i64,
    String,
    String,
    String,
    Option<String>,
    Option<Change>,
    Option<String>,
    Option<String>,
    Option<String>,
);

#[pymethods]
impl Ledger {
    /// Opens a ledger. If `create` is true and there is none, it is created.
    #[new]
    fn new(py: Python<'_>, path: PathBuf, create: bool) -> PyResult<Self> {
        let ledger = Self { path };
        ledger.with(py, move |path| {
            if create { books::Ledger::create_or_open(path) } else { books::Ledger::open(path) }
        })?;
        Ok(ledger)
    }

    /// Adds a dataset with a budget, a decimal number as text. `protects` is what its runs protect,
    /// or `None` to let the first run fix that.
    fn create_dataset(
        &self,
        py: Python<'_>,
        name: &str,
        budget: &str,
        protects: Option<Change>,
    ) -> PyResult<()> {
        let (name, budget) = (name.to_owned(), budget.to_owned());
        self.with(py, move |path| {
            let change = protects.as_ref().map(read_change).transpose()?;
            books::Ledger::open(path)?.create_dataset(&name, Amount::to_allow(&budget)?, change)
        })?;
        Ok(())
    }

    /// Checks the chain of the ledger. Returns the number of events, the head, and the number of
    /// events since `expect` was the head (`None` if it never was).
    fn verify(&self, py: Python<'_>, expect: &str) -> PyResult<(usize, String, Option<usize>)> {
        let chain = self.with(py, |path| books::Ledger::open(path)?.verify())?;
        Ok((chain.events(), chain.head().to_owned(), chain.events_since(expect)))
    }

    /// All datasets, in the order of their names.
    fn datasets(&self, py: Python<'_>) -> PyResult<Vec<Dataset>> {
        let all = self.with(py, |path| books::Ledger::open(path)?.datasets())?;
        Ok(all.into_iter().map(dataset).collect())
    }

    /// The entries of a dataset, the oldest first.
    fn entries(&self, py: Python<'_>, name: &str) -> PyResult<Vec<Entry>> {
        let name = name.to_owned();
        let all = self.with(py, move |path| books::Ledger::open(path)?.entries(&name))?;
        Ok(all.into_iter().map(entry).collect())
    }

    /// Spends `epsilon`, a decimal number as text, of a dataset's budget. The ledger keeps what is
    /// protected, the mechanism, the split and the note.
    #[pyo3(signature = (name, epsilon, note, protects, mechanism, split))]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords, one by one")]
    fn reserve(
        &self,
        py: Python<'_>,
        name: &str,
        epsilon: &str,
        note: &str,
        protects: Change,
        mechanism: &str,
        split: &str,
    ) -> PyResult<Reservation> {
        let texts = [name, epsilon, note, mechanism, split];
        let [name, epsilon, note, mechanism, split] = texts.map(str::to_owned);
        let reservation = self.with(py, move |path| {
            let change = read_change(&protects)?;
            let software = concat!("kmedian ", env!("CARGO_PKG_VERSION"), ", Python").to_owned();
            let purpose = Purpose { change, mechanism, split, software, note };
            let epsilon = Amount::to_spend(&epsilon)?;
            books::Ledger::open(path)?.reserve(&name, epsilon, &purpose)
        })?;
        Ok(Reservation { reservation })
    }
}

impl Ledger {
    /// Does work on the file through the [`Door`], because another process may have locked the file
    /// for a while.
    fn with<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Path) -> Result<T, books::Error> + Send + 'static,
    ) -> PyResult<T> {
        let path = self.path.clone();
        let door = Door { py, threads: None, progress: None };
        door.pass(move |_| work(&path).map_err(Failure::from))
    }
}

/// ε that was spent for a run, and waits for the run's release.
#[pyclass(frozen, module = "kmedian._core")]
pub(crate) struct Reservation {
    reservation: books::Reservation,
}

#[pymethods]
impl Reservation {
    /// The number of the entry in the ledger.
    #[getter]
    fn number(&self) -> i64 {
        self.reservation.number()
    }

    /// The ε that was spent, as decimal text.
    #[getter]
    fn epsilon(&self) -> String {
        self.reservation.epsilon().to_string()
    }

    /// Records the hash of the release that came of this reservation.
    fn record(&self, py: Python<'_>, hash: &str) -> PyResult<()> {
        let (reservation, hash) = (self.reservation.clone(), hash.to_owned());
        let door = Door { py, threads: None, progress: None };
        door.pass(move |_| Ok(reservation.record(&hash)?))
    }
}

/// Whether a place of a ledger is a database on a server, and no file.
#[pyfunction]
pub(crate) fn is_server(path: PathBuf) -> bool {
    books::is_server(&path)
}

/// The place of a ledger as it may be printed: without the password of a URL.
#[pyfunction]
pub(crate) fn shown_place(path: PathBuf) -> String {
    books::shown(&path)
}

fn dataset(dataset: books::Dataset) -> Dataset {
    let (budget, spent, left) = (dataset.budget, dataset.spent, dataset.left());
    let amounts = [budget, spent, left].map(|amount| amount.to_string());
    let [budget, spent, left] = amounts;
    let protects = dataset.change.map(change);
    (dataset.name, budget, spent, left, dataset.entries, dataset.created, protects)
}

fn entry(entry: books::Entry) -> Entry {
    let books::Entry { number, epsilon, note, reserved, release, .. } = entry;
    let (mechanism, split, software) = (entry.mechanism, entry.split, entry.software);
    let protects = entry.change.map(change);
    (number, epsilon.to_string(), note, reserved, release, protects, mechanism, split, software)
}

fn change(change: ProtectedChange) -> Change {
    let unit = change.unit;
    (unit.word().to_owned(), unit.at_most(), change.neighbours.to_string())
}

fn read_change((unit, at_most, neighbours): &Change) -> Result<ProtectedChange, books::Error> {
    let unit = ProtectedUnit::from_words(unit, *at_most)?;
    Ok(ProtectedChange { unit, neighbours: neighbours.parse()? })
}
