//! Keeps worker threads out of Python while the interpreter ends.
//!
//! Work whose caller is gone, or was interrupted, may still be calling a Python function. Before
//! the interpreter ends, no worker thread may enter Python any more, and those inside are waited
//! for.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// Whether the interpreter is about to end, so that no thread may enter Python.
static LEAVING: AtomicBool = AtomicBool::new(false);
/// The number of threads that are inside Python, or about to enter.
static INSIDE: AtomicUsize = AtomicUsize::new(0);

/// How long to wait for threads inside Python. A function that never returns must not keep the
/// program from ending.
const PATIENCE: Duration = Duration::from_secs(10);

/// Does work in Python; `None` if the interpreter is about to end.
pub(crate) fn attached<T>(work: impl FnOnce(Python<'_>) -> T) -> Option<T> {
    INSIDE.fetch_add(1, Ordering::SeqCst);
    let done = (!LEAVING.load(Ordering::SeqCst)).then(|| Python::attach(work));
    INSIDE.fetch_sub(1, Ordering::SeqCst);
    done
}

/// Closes Python to worker threads, and waits for those inside. Python calls it when the
/// interpreter exits.
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
