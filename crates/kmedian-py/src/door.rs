//! The one door from Python into the core.
//!
//! The work runs on a thread of its own, and the thread that called waits for it without holding
//! the interpreter: other Python threads go on. Ten times a second it goes back to Python, to see
//! whether Ctrl-C was pressed and to tell how far the work is; only the thread that called can do
//! that, because Python hands signals to its main thread alone. Whatever ends the work early is
//! raised; a panic is told as an error.
//!
//! Work that is to end does so at its next step, and a `Halt` makes short work of long ones. Still
//! nobody waits for more than half a second: the exception is raised, and the work, which owns all
//! it needs, ends behind the caller's back.
//!
//! Work that is over before anyone could press a key is done by the thread that called, where that
//! is as good.

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

/// How often Python is asked whether to go on.
const INTERVAL: Duration = Duration::from_millis(100);

/// How long work that is to end with an exception is waited for.
const PATIENCE: Duration = Duration::from_millis(500);

/// What a call says about how its work is to be done.
pub(crate) struct Door<'py> {
    pub(crate) py: Python<'py>,
    /// How many threads; by default as many as there are cores.
    pub(crate) threads: Option<usize>,
    /// Called with the name of a step and its numbers; ends the work by returning `False`.
    pub(crate) progress: Option<Bound<'py, PyAny>>,
}

/// What both sides of the door look at while the work goes on.
#[derive(Default)]
pub(crate) struct Watch {
    halt: Halt,
    failed: AtomicBool,
    latest: Mutex<Option<Step>>,
    error: Mutex<Option<PyErr>>,
}

impl Door<'_> {
    /// Does the work on the other side.
    pub(crate) fn pass<T: Send + 'static>(
        self,
        work: impl FnOnce(&Watch) -> Result<T, Failure> + Send + 'static,
    ) -> PyResult<T> {
        let Self { py, threads, progress } = self;
        let watch = Arc::new(Watch::default());
        let (sender, receiver) = mpsc::channel();
        let watched = Arc::clone(&watch);
        let job = move || {
            // Nobody may be waiting any more.
            let _ = sender.send(watched.over(threads, work));
        };
        let worker = Worker::hire()?;
        worker.begin(job)?;

        let progress = progress.map(Bound::unbind);
        let done = py.detach(|| watch.wait(receiver, progress.as_ref()));
        // A worker that is still busy is dismissed.
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

    /// Does work that takes a few milliseconds at most, of which there is nothing to tell.
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
    /// Does the work; if it panics, that is an error.
    fn over<T: Send>(
        &self,
        threads: Option<usize>,
        work: impl FnOnce(&Watch) -> Result<T, Failure> + Send,
    ) -> Result<T, Failure> {
        let done = catch_unwind(AssertUnwindSafe(|| in_threads(threads, || work(self))));
        done.unwrap_or_else(|payload| Err(Failure::bug(&*payload)))?
    }

    /// Whether the work is to end.
    fn stopped(&self) -> bool {
        self.halt.is_stopped()
    }

    /// Whether an exception is waiting to be raised.
    pub(crate) fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Ends the work with an exception; of several the first counts.
    pub(crate) fn fail(&self, error: PyErr) {
        lock(&self.error).get_or_insert(error);
        self.failed.store(true, Ordering::Relaxed);
        self.halt.stop();
    }

    /// Does work of the core in a run that is watched, and ended, from here.
    pub(crate) fn run<T>(&self, work: impl FnOnce(&mut Run<'_>) -> T) -> T {
        let mut observer = |step: &Step| {
            *lock(&self.latest) = Some(*step);
            ControlFlow::Continue(())
        };
        work(&mut Run::observed_by(&mut observer).halted_by(&self.halt))
    }

    /// Waits for what the work sends, and looks up now and then.
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

    /// Goes back to Python for a moment.
    fn look_up(&self, progress: Option<&Py<PyAny>>) {
        if self.failed() {
            return;
        }
        // Who has said that the work is to end is not asked again; Ctrl-C still counts.
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

/// A step as Python sees it.
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
        _ => "working",
    };
    Ok((name, numbers))
}

/// Panics behind the door, for the test that it stays there.
#[cfg(debug_assertions)]
#[pyfunction]
#[pyo3(name = "_panic_on_purpose")]
pub(crate) fn panic_on_purpose(py: Python<'_>) -> PyResult<()> {
    Door { py, threads: None, progress: None }.pass(|_| panic!("on purpose"))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
