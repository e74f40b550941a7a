//! The end of the interpreter, which must not find a worker inside Python.
//!
//! Work whose caller is gone, or was interrupted, may still be asking a Python function. Before the
//! interpreter ends, nobody is let in any more, and whoever is inside is waited for.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

static LEAVING: AtomicBool = AtomicBool::new(false);
static INSIDE: AtomicUsize = AtomicUsize::new(0);

/// How long a function that was asked is waited for: one that never returns must not keep the
/// program from ending.
const PATIENCE: Duration = Duration::from_secs(10);

/// Goes into Python, unless it is about to end.
pub(crate) fn attached<T>(work: impl FnOnce(Python<'_>) -> T) -> Option<T> {
    INSIDE.fetch_add(1, Ordering::SeqCst);
    let done = (!LEAVING.load(Ordering::SeqCst)).then(|| Python::attach(work));
    INSIDE.fetch_sub(1, Ordering::SeqCst);
    done
}

/// Called at the interpreter's exit.
#[pyfunction]
pub(crate) fn leave(py: Python<'_>) {
    LEAVING.store(true, Ordering::SeqCst);
    py.detach(|| {
        let until = Instant::now() + PATIENCE;
        while INSIDE.load(Ordering::SeqCst) > 0 && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
    });
}
