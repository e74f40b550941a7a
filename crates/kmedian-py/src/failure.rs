//! Turns all errors of the Rust crates into Python exceptions.

use std::io;

use kmedian::ErrorKind;
use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    kmedian,
    BudgetExhausted,
    PyRuntimeError,
    "The budget of a dataset does not suffice. Nothing was spent, and no record was read."
);

/// An error, by the Python exception that it becomes.
pub(crate) enum Failure {
    /// An argument cannot be used: `ValueError`.
    Value(String),
    /// The arguments were right, but the work could not be done: `RuntimeError`.
    Runtime(String),
    /// The budget of a dataset does not suffice: `BudgetExhausted`.
    Exhausted(String),
    /// A file could not be read or written: `OSError`, or its subclass for the reason.
    File(io::ErrorKind, String),
}

impl Failure {
    /// The error for a panic, which is a bug of kmedian.
    pub(crate) fn bug(payload: &(dyn std::any::Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
        Self::Runtime(format!("this is a bug in kmedian, please report it: {text}"))
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Value(message) => PyValueError::new_err(printable(&message)),
            Failure::Runtime(message) => PyRuntimeError::new_err(printable(&message)),
            Failure::Exhausted(message) => BudgetExhausted::new_err(printable(&message)),
            Failure::File(why, message) => io::Error::new(why, printable(&message)).into(),
        }
    }
}

/// A message with its control characters escaped. Parts of it may come from a file, and could
/// control a terminal.
fn printable(message: &str) -> String {
    let mut shown = String::with_capacity(message.len());
    for letter in message.chars() {
        if letter.is_control() {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    shown
}

impl From<kmedian::Error> for Failure {
    fn from(error: kmedian::Error) -> Self {
        match error.kind() {
            ErrorKind::Cancelled => Self::Runtime(format!(
                "{error}: the callback returned False before there were any centers to end with; let it wait for the \
                 step \"started\""
            )),
            ErrorKind::Entropy => Self::Runtime(error.to_string()),
            ErrorKind::NotAMetric => Self::Value(format!(
                "{error}. In Python: D = (D + D.T) / 2; np.fill_diagonal(D, 0); if rows are clients and columns are sites, \
                 fit(D, sites=names)"
            )),
            ErrorKind::Disconnected => Self::Value(format!(
                "{error}; nodes are counted from 0, in the order of the graph: \
                 scipy.sparse.csgraph.connected_components says which is in which"
            )),
            _ => Self::Value(error.to_string()),
        }
    }
}

impl From<kmedian_data::Error> for Failure {
    fn from(error: kmedian_data::Error) -> Self {
        match error.system_kind() {
            Some(why) => Self::File(why, error.to_string()),
            None => Self::Value(error.to_string()),
        }
    }
}

impl From<kmedian_ledger::Error> for Failure {
    fn from(error: kmedian_ledger::Error) -> Self {
        use kmedian_ledger::ErrorKind;
        let message = error.worded(about_ledger);
        match error.kind() {
            ErrorKind::Exhausted => Self::Exhausted(message),
            ErrorKind::Amount
            | ErrorKind::Name
            | ErrorKind::Change
            | ErrorKind::OtherChange
            | ErrorKind::Broken
            | ErrorKind::UnknownDataset
            | ErrorKind::DatasetExists
            | ErrorKind::NotALedger
            | ErrorKind::TooNew
            | ErrorKind::Moved => Self::Value(message),
            ErrorKind::Io => Self::File(io::ErrorKind::Other, message),
            _ => Self::Runtime(message),
        }
    }
}

/// What to do about an error of the ledger, in terms of the Python package.
fn about_ledger(advice: kmedian_ledger::Advice) -> String {
    match advice {
        kmedian_ledger::Advice::CreateLedger => {
            "make one with kmedian.Ledger(path, create=True)".into()
        }
        kmedian_ledger::Advice::FindDataset => {
            "Ledger.datasets() has those there are, Ledger.create_dataset(name, budget) adds one"
                .into()
        }
        // Advice that this crate does not know yet, in general terms.
        other => other.to_string(),
    }
}
