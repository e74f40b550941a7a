//! The door: the one way from Python into the core.
//!
//! The work runs on a worker thread. The calling thread waits for it without holding the
//! interpreter, so that other Python threads go on. Ten times a second the calling thread goes back
//! to Python, to see whether Ctrl-C was pressed and to report progress. A worker could not do that,
//! because Python handles signals only in its main thread. If that raises an exception, the work is
//! ended, and the exception is raised to the caller. A panic becomes a `RuntimeError`.
//!
//! Work that must end does so at its next step, and a `Halt` cuts long steps short. The caller
//! waits for that at most half a second. Then the exception is raised, and the work, which owns
//! everything it needs, ends in the background.
//!
//! Work of a few milliseconds is done by the calling thread itself, where that is possible.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kmedian::{Halt, Run, Step};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::failure::Failure;
use crate::threads::{in_threads, stays_around};
use crate::workers::Worker;

/// The time between two looks at Python: ten times a second is soon enough for Ctrl-C and progress.
const INTERVAL: Duration = Duration::from_millis(100);

/// How long to wait for work to end after an exception, before the exception is raised anyway. With
/// [`INTERVAL`] this keeps the answer to Ctrl-C within a second.
const PATIENCE: Duration = Duration::from_millis(500);

/// How the work of one call from Python is done.
pub(crate) struct Door<'py> {
    pub(crate) py: Python<'py>,
    /// The number of threads; `None` for all cores.
    pub(crate) threads: Option<usize>,
    /// A Python function that is called with the name of a step and its numbers. If it returns
    /// `False`, the work ends with what it has.
    pub(crate) progress: Option<Bound<'py, PyAny>>,
}

/// What the calling thread and the worker share while the work goes on.
#[derive(Default)]
pub(crate) struct Watch {
    /// Ends the work.
    halt: Halt,
    /// Whether there is an exception to raise.
    failed: AtomicBool,
    /// The latest step of the work that was not reported yet.
    latest: Mutex<Option<Step>>,
    /// The exception to raise.
    error: Mutex<Option<PyErr>>,
    /// What the user should know about the work.
    notes: Mutex<Vec<String>>,
}

impl Door<'_> {
    /// Does the work on a worker thread, and waits for it. Raises what the work, a signal or the
    /// progress function raises.
    pub(crate) fn pass<T: Send + 'static>(
        self,
        work: impl FnOnce(&Watch) -> Result<T, Failure> + Send + 'static,
    ) -> PyResult<T> {
        let Self { py, threads, progress } = self;
        let watch = Arc::new(Watch::default());
        let (sender, receiver) = mpsc::channel();
        let watched = Arc::clone(&watch);
        let job = move || {
            // The caller may have stopped waiting.
            let _ = sender.send(watched.over(threads, work));
        };
        let worker = Worker::hire()?;
        worker.begin(job)?;

        let progress = progress.map(Bound::unbind);
        let done = py.detach(|| watch.wait(receiver, progress.as_ref()));
        // A worker that is still busy is not reused: its thread ends after its job.
        if done.is_ok() {
            worker.rest();
        }
        watch.look_up(progress.as_ref());
        if let Some(error) = lock(&watch.error).take() {
            return Err(error);
        }
        let vanished = |_| Err(Failure::Runtime("the work vanished; please report this".into()));
        done.unwrap_or_else(vanished).map_err(PyErr::from)
    }

    /// Does work that takes a few milliseconds at most: on the calling thread if it may do that, or
    /// else as [`pass`](Self::pass) does.
    pub(crate) fn pass_briefly<T: Send + 'static>(
        self,
        work: impl FnOnce(&Watch) -> Result<T, Failure> + Send + 'static,
    ) -> PyResult<T> {
        if self.progress.is_some() || self.threads != Some(1) || !stays_around() {
            return self.pass(work);
        }
        let done = self.py.detach(|| Watch::default().over(self.threads, work));
        done.map_err(PyErr::from)
    }
}

impl Watch {
    /// Does the work on a number of threads. A panic becomes an error.
    fn over<T: Send>(
        &self,
        threads: Option<usize>,
        work: impl FnOnce(&Watch) -> Result<T, Failure> + Send,
    ) -> Result<T, Failure> {
        let done = catch_unwind(AssertUnwindSafe(|| in_threads(threads, || work(self))));
        done.unwrap_or_else(|payload| Err(Failure::bug(&*payload)))?
    }

    /// Whether the work was asked to end.
    fn stopped(&self) -> bool {
        self.halt.is_stopped()
    }

    /// Adds something that the user should know about the work.
    pub(crate) fn note(&self, text: String) {
        lock(&self.notes).push(text);
    }

    /// What the user should know about the work.
    pub(crate) fn notes(&self) -> Vec<String> {
        lock(&self.notes).clone()
    }

    /// Whether an exception is waiting to be raised.
    pub(crate) fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Ends the work with an exception. If there are several, the first one is raised.
    pub(crate) fn fail(&self, error: PyErr) {
        lock(&self.error).get_or_insert(error);
        self.failed.store(true, Ordering::Relaxed);
        self.halt.stop();
    }

    /// Does work of the core in a run whose steps are reported here, and which this watch can end.
    pub(crate) fn run<T>(&self, work: impl FnOnce(&mut Run<'_>) -> T) -> T {
        let mut observer = |step: &Step| {
            *lock(&self.latest) = Some(*step);
            ControlFlow::Continue(())
        };
        work(&mut Run::observed_by(&mut observer).halted_by(&self.halt))
    }

    /// Waits for the result of the work, and goes back to Python ten times a second. An error if
    /// the work has not ended half a second after an exception, or has vanished.
    fn wait<T>(
        &self,
        receiver: Receiver<T>,
        progress: Option<&Py<PyAny>>,
    ) -> Result<T, RecvTimeoutError> {
        loop {
            match receiver.recv_timeout(INTERVAL) {
                Err(RecvTimeoutError::Timeout) => self.look_up(progress),
                done => return done,
            }
            if self.failed() {
                return receiver.recv_timeout(PATIENCE);
            }
        }
    }

    /// Goes back to Python for a moment, to check for signals and to report progress.
    fn look_up(&self, progress: Option<&Py<PyAny>>) {
        if self.failed() {
            return;
        }
        // Once the progress function has ended the work, it is not called again. Ctrl-C still
        // counts.
        let step = lock(&self.latest).take().filter(|_| !self.stopped());
        let asked = Python::attach(|py| -> PyResult<bool> {
            py.check_signals()?;
            match (progress, step) {
                (Some(progress), Some(step)) => {
                    let (name, numbers) = described(py, &step)?;
                    let answer = progress.call1(py, (name, numbers))?;
                    Ok(answer.extract(py).unwrap_or(true))
                }
                _ => Ok(true),
            }
        });
        match asked {
            Ok(true) => {}
            Ok(false) => self.halt.stop(),
            Err(error) => self.fail(error),
        }
    }
}

/// The name of a step and its numbers, as the progress function gets them.
fn described<'py>(py: Python<'py>, step: &Step) -> PyResult<(&'static str, Bound<'py, PyDict>)> {
    let numbers = PyDict::new(py);
    let name = match *step {
        Step::TreeLevel { depth, cells } => {
            numbers.set_item("level", depth)?;
            numbers.set_item("cells", cells)?;
            "tree"
        }
        Step::Ranked { items, of } => {
            numbers.set_item("items", items)?;
            numbers.set_item("of", of)?;
            "ranked"
        }
        Step::Seeded { centers, of } => {
            numbers.set_item("centers", centers)?;
            numbers.set_item("of", of)?;
            "seeded"
        }
        Step::SearchStarted { cost } => {
            numbers.set_item("cost", cost)?;
            "started"
        }
        Step::Preparing { cost, swaps, time } => {
            numbers.set_item("cost", cost)?;
            numbers.set_item("swaps", swaps)?;
            numbers.set_item("seconds", time.as_secs_f64())?;
            "preparing"
        }
        Step::Judged { settled, of, cost, swaps } => {
            numbers.set_item("settled", settled)?;
            numbers.set_item("of", of)?;
            numbers.set_item("cost", cost)?;
            numbers.set_item("swaps", swaps)?;
            "judged"
        }
        Step::Simulated { scenario, runs, of } => {
            numbers.set_item("scenario", scenario)?;
            numbers.set_item("runs", runs)?;
            numbers.set_item("of", of)?;
            "simulated"
        }
        Step::Restarted { restarts, best } => {
            numbers.set_item("restarts", restarts)?;
            numbers.set_item("cost", best)?;
            "restarted"
        }
        Step::Chunk { round, items, of } => {
            numbers.set_item("round", round)?;
            numbers.set_item("items", items)?;
            numbers.set_item("of", of)?;
            "chunk"
        }
        Step::Round { round, cost } => {
            numbers.set_item("round", round)?;
            numbers.set_item("cost", cost)?;
            "round"
        }
        Step::Bounded { passes, bound, cost } => {
            numbers.set_item("passes", passes)?;
            numbers.set_item("bound", bound)?;
            numbers.set_item("cost", cost)?;
            "bounded"
        }
        _ => "working",
    };
    Ok((name, numbers))
}

/// Panics on a worker thread, for the test that a panic becomes a Python exception.
#[cfg(debug_assertions)]
#[pyfunction]
#[pyo3(name = "_panic_on_purpose")]
pub(crate) fn panic_on_purpose(py: Python<'_>) -> PyResult<()> {
    Door { py, threads: None, progress: None }.pass(|_| panic!("on purpose"))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
