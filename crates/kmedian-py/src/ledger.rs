//! The books of privacy budgets.

use std::path::{Path, PathBuf};

use kmedian_ledger::{self as books, Amount};
use pyo3::prelude::*;

use crate::door::Door;
use crate::failure::Failure;

/// A ledger, by its file. It is opened for each call, as a run may take hours and the file belongs to everybody.
#[pyclass(frozen, get_all, module = "kmedian._core")]
pub(crate) struct Ledger {
    /// The file.
    path: PathBuf,
}

/// A dataset: its name, its budget, what is spent of it and what is left, by how many runs, and when it was created.
type Dataset = (String, String, String, String, u64, String);

/// A run: its number, what it spent, what for, when, and, once there is one, its release and when that was recorded.
type Entry = (i64, String, String, String, Option<String>, Option<String>);

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

    /// Adds a dataset with a budget, a decimal number as text.
    fn create_dataset(&self, py: Python<'_>, name: &str, budget: &str) -> PyResult<()> {
        let (name, budget) = (name.to_owned(), budget.to_owned());
        self.with(py, move |path| {
            books::Ledger::open(path)?.create_dataset(&name, Amount::to_allow(&budget)?)
        })?;
        Ok(())
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

    /// Spends ε, a decimal number as text.
    fn reserve(
        &self,
        py: Python<'_>,
        name: &str,
        epsilon: &str,
        note: &str,
    ) -> PyResult<Reservation> {
        let [name, epsilon, note] = [name, epsilon, note].map(str::to_owned);
        let reservation = self.with(py, move |path| {
            let epsilon = Amount::to_spend(&epsilon)?;
            books::Ledger::open(path)?.reserve(&name, epsilon, &note)
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
    (dataset.name, budget, spent, left, dataset.entries, dataset.created)
}

fn entry(entry: books::Entry) -> Entry {
    let (hash, recorded) = entry.release.map(|release| (release.hash, release.recorded)).unzip();
    (entry.number, entry.epsilon.to_string(), entry.note, entry.reserved, hash, recorded)
}
