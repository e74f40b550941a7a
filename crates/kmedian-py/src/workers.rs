//! Worker threads, which are kept for later calls: starting one takes longer than a small fit.

use std::process;
use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::failure::Failure;

/// The work that a worker does.
type Job = Box<dyn FnOnce() + Send>;

/// A thread that does one job after the other. If this is dropped, the thread ends after its job.
pub(crate) struct Worker {
    jobs: Sender<Job>,
    /// The process that the thread runs in. The child of a fork does not inherit the thread.
    process: u32,
}

/// The idle workers. With the busy ones there are at most as many as were ever busy at once.
static IDLE: Mutex<Vec<Worker>> = Mutex::new(Vec::new());

impl Worker {
    /// An idle worker, or a new one if there is none.
    pub(crate) fn hire() -> Result<Self, Failure> {
        let process = process::id();
        let idle = {
            let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
            idle.retain(|worker| worker.process == process);
            idle.pop()
        };
        idle.map_or_else(|| Self::start(process), Ok)
    }

    fn start(process: u32) -> Result<Self, Failure> {
        let (jobs, given) = mpsc::channel::<Job>();
        let work = move || given.into_iter().for_each(|job| job());
        let started = thread::Builder::new().name("kmedian".into()).spawn(work);
        let failed = |error| Failure::Runtime(format!("no thread could be started: {error}"));
        started.map_err(failed)?;
        Ok(Self { jobs, process })
    }

    /// Gives the worker a job, and returns at once.
    pub(crate) fn begin(&self, job: impl FnOnce() + Send + 'static) -> Result<(), Failure> {
        let vanished = |_| Failure::Runtime("a thread vanished; please report this".into());
        self.jobs.send(Box::new(job)).map_err(vanished)
    }

    /// Makes the worker idle, so that another call can use it. Its job must be done.
    pub(crate) fn rest(self) {
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(self);
    }
}
