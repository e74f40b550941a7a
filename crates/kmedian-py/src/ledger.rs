//! The books of privacy budgets.

use std::path::{Path, PathBuf};

use kmedian_ledger::{self as books, Amount, ProtectedChange, ProtectedUnit, Purpose};
use pyo3::prelude::*;

use crate::door::Door;
use crate::failure::Failure;

/// A ledger, by its file. It is opened for each call, as a run may take hours and the file belongs
/// to everybody.
#[pyclass(frozen, get_all, module = "kmedian._core")]
pub(crate) struct Ledger {
    /// The file.
    path: PathBuf,
}

/// What is protected: the word for the unit, how many records an owner has at most, the word for
/// the neighbours.
type Change = (String, Option<u32>, String);

/// A dataset: its name, its budget, what is spent of it and what is left, by how many runs, when it
/// was created, and what it protects, once that is fixed.
type Dataset = (String, String, String, String, u64, String, Option<Change>);

/// A run: its number, what it spent, what for, on which day, once there is one its release, what it
/// protected, and its mechanism, split and software.
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
    /// Opens a ledger; creates it, if asked to and there is none.
    #[new]
    fn new(py: Python<'_>, path: PathBuf, create: bool) -> PyResult<Self> {
        let ledger = Self { path };
        ledger.with(py, move |path| {
            if create { books::Ledger::create_or_open(path) } else { books::Ledger::open(path) }
        })?;
        Ok(ledger)
    }

    /// Adds a dataset with a budget, a decimal number as text, and with what its runs protect, if
    /// that is fixed now.
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

    /// Checks the chain of the ledger: how many events there are, its head, and how many came after
    /// a head that is expected, if that was one.
    fn verify(&self, py: Python<'_>, expect: &str) -> PyResult<(usize, String, Option<usize>)> {
        let chain = self.with(py, |path| books::Ledger::open(path)?.verify())?;
        Ok((chain.events(), chain.head().to_owned(), chain.events_since(expect)))
    }

    /// All datasets.
    fn datasets(&self, py: Python<'_>) -> PyResult<Vec<Dataset>> {
        let all = self.with(py, |path| books::Ledger::open(path)?.datasets())?;
        Ok(all.into_iter().map(dataset).collect())
    }

    /// The runs of a dataset.
    fn entries(&self, py: Python<'_>, name: &str) -> PyResult<Vec<Entry>> {
        let name = name.to_owned();
        let all = self.with(py, move |path| books::Ledger::open(path)?.entries(&name))?;
        Ok(all.into_iter().map(entry).collect())
    }

    /// Spends ε, a decimal number as text, to protect this change by this mechanism with this
    /// split.
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
    /// Another process may hold the file for a while, so this too goes through the door.
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

/// ε that is spent.
#[pyclass(frozen, module = "kmedian._core")]
pub(crate) struct Reservation {
    reservation: books::Reservation,
}

#[pymethods]
impl Reservation {
    /// The number of its entry.
    #[getter]
    fn number(&self) -> i64 {
        self.reservation.number()
    }

    /// What was spent.
    #[getter]
    fn epsilon(&self) -> String {
        self.reservation.epsilon().to_string()
    }

    /// Records the release that came of it.
    fn record(&self, py: Python<'_>, hash: &str) -> PyResult<()> {
        let (reservation, hash) = (self.reservation.clone(), hash.to_owned());
        let door = Door { py, threads: None, progress: None };
        door.pass(move |_| Ok(reservation.record(&hash)?))
    }
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
