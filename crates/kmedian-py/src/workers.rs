//! Threads that wait for work: to start one takes longer than a small fit.

use std::process;
use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::failure::Failure;

/// What a worker is told to do.
type Job = Box<dyn FnOnce() + Send>;

/// A thread that does one job after the other, until it is dismissed by dropping this.
pub(crate) struct Worker {
    jobs: Sender<Job>,
    /// The process that the thread is in: it does not come along into the child of a fork.
    process: u32,
}

/// The workers that nobody needs at the moment: as many as there ever were at the same time.
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

    /// Gives the worker something to do.
    pub(crate) fn begin(&self, job: impl FnOnce() + Send + 'static) -> Result<(), Failure> {
        let vanished = |_| Failure::Runtime("a thread vanished; please report this".into());
        self.jobs.send(Box::new(job)).map_err(vanished)
    }

    /// Lets others have the worker, once its job is done.
    pub(crate) fn rest(self) {
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(self);
    }
}
