//! Turns all errors of the Rust crates into Python exceptions.

use std::io;

use kmedian::{ErrorKind, Graph};
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
    /// Some nodes of a graph cannot be reached: `ValueError`. The error is worded once it is known
    /// what the nodes are called.
    Disconnected(kmedian::Error),
}

impl Failure {
    /// The error for a panic, which is a bug of kmedian.
    pub(crate) fn bug(payload: &(dyn std::any::Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
        Self::Runtime(format!("this is a bug in kmedian, please report it: {text}"))
    }

    /// This error, with the nodes of the graph that it is about by their names. If the graph
    /// falls apart, two nodes are named between which there is no way.
    pub(crate) fn naming_nodes(
        self,
        nodes: usize,
        edges: &[(u32, u32, f32)],
        name: impl Fn(usize) -> String,
    ) -> Self {
        let Self::Disconnected(error) = self else { return self };
        let told = error.naming(&name);
        // What is about single nodes names them already.
        let apart = if told == error.to_string() { apart(nodes, edges) } else { None };
        let apart = apart.map_or_else(String::new, |(one, other)| {
            format!(". For example, {} and {} are not connected", name(one), name(other))
        });
        Self::Value(format!("{told}{LARGEST_COMPONENT}{apart}"))
    }
}

/// How to do what an error about a graph that falls apart advises.
const LARGEST_COMPONENT: &str =
    ", as KMedian does with metric_params={\"largest_component\": True}";

/// A node of the largest component of a graph, and one that is not in it.
fn apart(nodes: usize, edges: &[(u32, u32, f32)]) -> Option<(usize, usize)> {
    let inside = Graph::largest_component(nodes, edges).ok()?.nodes;
    let outside = (0..nodes).zip(&inside).find(|(node, within)| node != *within);
    let outside = outside.map_or(inside.len(), |(node, _)| node);
    Some((*inside.first()?, outside)).filter(|_| outside < nodes)
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Value(message) => PyValueError::new_err(printable(&message)),
            Failure::Runtime(message) => PyRuntimeError::new_err(printable(&message)),
            Failure::Exhausted(message) => BudgetExhausted::new_err(printable(&message)),
            Failure::File(why, message) => io::Error::new(why, printable(&message)).into(),
            Failure::Disconnected(error) => {
                PyValueError::new_err(printable(&format!("{error}{LARGEST_COMPONENT}")))
            }
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
            ErrorKind::Disconnected => Self::Disconnected(error),
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
