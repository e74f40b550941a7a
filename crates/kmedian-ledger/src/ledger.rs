//! The books: datasets with budgets, and reservations against them.

use std::path::{self, Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use crate::amount::Amount;
use crate::chain::{self, Chain, Kind};
use crate::change::{ProtectedChange, Purpose};
use crate::dataset::{Dataset, Entry};
use crate::error::{Advice, Error, ErrorKind, one_line, quote};
use crate::file::{self, Missing};
use crate::name::{are_alike, check_name};
use crate::reservation::Reservation;
use crate::rows;

/// The SQL expression for the current time, in UTC to the second.
const NOW: &str = "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')";

/// The SQL statement that writes an entry. It keeps only the day: see [`Entry::reserved`].
const RESERVE: &str = "
INSERT INTO entry (dataset, epsilon, unit, max_per_unit, neighbours, mechanism, split, software, note, reserved)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, strftime('%Y-%m-%d', 'now'))";

/// A ledger in a file, which any number of processes may have open.
///
/// Every write is one transaction that locks the file before it reads what it depends on, and that
/// has reached the disk when the method returns.
#[derive(Debug)]
pub struct Ledger {
    /// The path as the caller gave it, for messages.
    path: PathBuf,
    /// The absolute path, for reservations, which must find the file again from any folder.
    absolute: PathBuf,
    connection: Connection,
}

impl Ledger {
    /// Opens the ledger in this file, or creates it if there is no file, or an empty one.
    ///
    /// # Errors
    ///
    /// If the file can be neither opened nor created, is not a ledger, or was written by a newer
    /// version.
    pub fn create_or_open(path: &Path) -> Result<Self, Error> {
        Self::at(path, Missing::Create)
    }

    /// Opens the ledger in this file.
    ///
    /// # Errors
    ///
    /// If there is no such file, or if it cannot be opened, is not a ledger, or was written by a
    /// newer version.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::at(path, Missing::Refuse)
    }

    fn at(path: &Path, missing: Missing) -> Result<Self, Error> {
        let absolute = absolute(path)?;
        if missing == Missing::Create && !absolute.exists() {
            file::create(path, &absolute, |_, _| Ok(()))?;
        }
        let connection = file::open(path, &absolute, missing)?;
        Ok(Self { path: path.to_path_buf(), absolute, connection })
    }

    /// Adds a dataset to the ledger in this file. If there is no such file, a ledger is created
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
        let absolute = absolute(path)?;
        if !absolute.exists() {
            let fill = |place: &Path, connection: Connection| {
                let (path, absolute) = (path.to_path_buf(), place.to_path_buf());
                Self { path, absolute, connection }.create_dataset(name, budget, change)
            };
            if let Some(created) = file::create(path, &absolute, fill)? {
                return Ok(created);
            }
        }
        Self::create_or_open(path)?.create_dataset(name, budget, change)
    }

    /// Sets how long to wait for another process that has locked the ledger, before giving up: five
    /// seconds by default.
    ///
    /// # Errors
    ///
    /// If SQLite refuses it.
    pub fn set_patience(&mut self, patience: Duration) -> Result<(), Error> {
        self.connection.busy_timeout(patience).map_err(|error| file::explain(&self.path, &error))
    }

    /// Adds a dataset. Its budget is set here, once and for all. What its runs protect is also set
    /// once: here, or, if `change` is `None`, by the first run.
    ///
    /// # Errors
    ///
    /// If there is a dataset of that name, or of a name that looks the same; if no dataset can have
    /// the name (see [`check_name`]); or if the file cannot be written.
    pub fn create_dataset(
        &mut self,
        name: &str,
        budget: Amount,
        change: Option<ProtectedChange>,
    ) -> Result<Dataset, Error> {
        check_name(name)?;
        let path = self.path.clone();
        let explain = |error| file::explain(&path, &error);
        self.write(|transaction| {
            let datasets = rows::datasets(transaction, None).map_err(explain)?;
            if let Some((_, old)) = datasets.iter().find(|(_, old)| are_alike(&old.name, name)) {
                return Err(exists(&path, name, old));
            }
            let insert = format!(
                "INSERT INTO dataset (name, budget, created, unit, max_per_unit, neighbours) \
                 VALUES (?1, ?2, {NOW}, ?3, ?4, ?5)"
            );
            let [unit, neighbours] = rows::words(change);
            let at_most = change.and_then(|change| change.unit.at_most());
            transaction
                .execute(&insert, params![name, budget.trillionths(), unit, at_most, neighbours])
                .map_err(explain)?;
            let id = transaction.last_insert_rowid();
            chain::append(transaction, Kind::Dataset, id).map_err(explain)?;
            required(transaction, &path, name).map(|(_, dataset)| dataset)
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
    /// there is no such dataset, or if the file cannot be written. After an error nothing is
    /// reserved, so the demand must not be read.
    pub fn reserve(
        &mut self,
        dataset: &str,
        epsilon: Amount,
        purpose: &Purpose,
    ) -> Result<Reservation, Error> {
        let (path, absolute) = (self.path.clone(), self.absolute.clone());
        let explain = |error| file::explain(&path, &error);
        self.write(|transaction| {
            // If the ledger was edited, what is missing may be what was spent.
            whole(transaction, &path)?;
            let (id, found) = required(transaction, &path, dataset)?;
            if let Some(fixed) = found.change.filter(|&fixed| fixed != purpose.change) {
                return Err(other_change(&path, dataset, fixed, purpose.change));
            }
            if epsilon > found.left() {
                return Err(exhausted(&path, &found, epsilon));
            }
            let [unit, neighbours] = rows::words(Some(purpose.change));
            let [mechanism, split, software, note] =
                [&purpose.mechanism, &purpose.split, &purpose.software, &purpose.note]
                    .map(|text| one_line(text));
            transaction
                .execute(
                    RESERVE,
                    params![
                        id,
                        epsilon.trillionths(),
                        unit,
                        purpose.change.unit.at_most(),
                        neighbours,
                        mechanism,
                        split,
                        software,
                        note
                    ],
                )
                .map_err(explain)?;
            let number = transaction.last_insert_rowid();
            let head = chain::append(transaction, Kind::Entry, number).map_err(explain)?;
            let (dataset, fixed_change) = (found.name, found.change.is_none());
            Ok(Reservation { path: absolute, dataset, number, epsilon, head, fixed_change })
        })
    }

    /// Checks that everything in the ledger was written by [`Ledger::create_dataset`],
    /// [`Ledger::reserve`] and [`Reservation::record`], and that nothing was changed or removed.
    ///
    /// Whoever can write the file can compute the chain anew, or put an older copy in its place. To
    /// notice that, compare the head of the chain with one that was written down elsewhere.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Broken`] if the ledger was edited: the message names the first event that does
    /// not fit. Also if the file cannot be read.
    pub fn verify(&self) -> Result<Chain, Error> {
        let explain = |error| file::explain(&self.path, &error);
        // One transaction reads one state of the ledger, even if other processes write meanwhile.
        let snapshot = self.connection.unchecked_transaction().map_err(explain)?;
        whole(&snapshot, &self.path)
    }

    /// All datasets, in the order of their names.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn datasets(&self) -> Result<Vec<Dataset>, Error> {
        let read = rows::datasets(&self.connection, None);
        let datasets = read.map_err(|error| file::explain(&self.path, &error))?;
        Ok(datasets.into_iter().map(|(_, dataset)| dataset).collect())
    }

    /// The dataset of this name.
    ///
    /// # Errors
    ///
    /// If there is none, or the file cannot be read.
    pub fn dataset(&self, name: &str) -> Result<Dataset, Error> {
        required(&self.connection, &self.path, name).map(|(_, dataset)| dataset)
    }

    /// The runs that have spent ε of a dataset, the oldest first.
    ///
    /// # Errors
    ///
    /// If there is no such dataset, or the file cannot be read.
    pub fn entries(&self, dataset: &str) -> Result<Vec<Entry>, Error> {
        let (id, _) = required(&self.connection, &self.path, dataset)?;
        rows::entries(&self.connection, id).map_err(|error| file::explain(&self.path, &error))
    }

    /// Runs `change` in one transaction that locks the file for writing from its beginning. What it
    /// reads is still true when it commits, so two processes never spend the same ε.
    pub(crate) fn write<T>(
        &mut self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let explain = |error| file::explain(&self.path, &error);
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(explain)?;
        let done = change(&transaction)?;
        transaction.commit().map_err(explain)?;
        Ok(done)
    }
}

fn absolute(path: &Path) -> Result<PathBuf, Error> {
    path::absolute(path)
        .map_err(|error| Error::at(ErrorKind::Io, path, format!("is no path: {error}")))
}

fn required(connection: &Connection, path: &Path, name: &str) -> Result<(i64, Dataset), Error> {
    let explain = |error| file::explain(path, &error);
    let found = rows::datasets(connection, Some(name)).map_err(explain)?.pop();
    if let Some(found) = found {
        return Ok(found);
    }
    let all = rows::datasets(connection, None).map_err(explain)?;
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
fn whole(connection: &Connection, path: &Path) -> Result<Chain, Error> {
    let checked = chain::check(connection).map_err(|error| file::explain(path, &error))?;
    checked.map_err(|what| {
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
