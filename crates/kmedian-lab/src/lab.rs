//! Where runs are done and their rows are kept.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::progress::check_interrupt;
use crate::{Failure, Progress, Row, Store, effort};

/// The rows so far, the threads, and the progress of the work.
pub struct Lab {
    store: Mutex<Store>,
    recorded: AtomicUsize,
    threads: usize,
    /// Where progress is shown.
    pub progress: Progress,
}

impl Lab {
    /// Puts the parts together.
    pub fn new(store: Store, threads: usize, progress: Progress) -> Self {
        Self { store: Mutex::new(store), recorded: AtomicUsize::new(0), threads, progress }
    }

    /// Whether a run still has to be done.
    pub fn lacks(&self, row: &Row) -> bool {
        self.store.lock().unwrap_or_else(PoisonError::into_inner).lacks(row)
    }

    /// Keeps the row of a run. After Ctrl-C it may have been cut short, so it is not kept.
    ///
    /// # Errors
    /// If the row cannot be written, or if Ctrl-C was pressed.
    pub fn record(&self, row: &Row) -> Result<(), Failure> {
        check_interrupt()?;
        self.store.lock().unwrap_or_else(PoisonError::into_inner).add(row)?;
        self.recorded.fetch_add(1, Ordering::Relaxed);
        self.progress.advance(effort::seconds(row));
        Ok(())
    }

    /// How many rows were kept so far.
    pub fn recorded(&self) -> usize {
        self.recorded.load(Ordering::Relaxed)
    }

    /// Does jobs, each on one thread of its own, as many at a time as there are threads: runs do
    /// not share threads, so the time of one does not depend on the others.
    ///
    /// # Errors
    /// The first failure; what has begun by then is finished.
    pub fn for_each<T: Sync>(
        &self,
        jobs: &[T],
        work: impl Fn(&T) -> Result<(), Failure> + Sync,
    ) -> Result<(), Failure> {
        let next = AtomicUsize::new(0);
        let failed: Mutex<Option<Failure>> = Mutex::new(None);
        let worker = || {
            while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Err(failure) = check_interrupt().and_then(|()| work(job)) {
                    next.store(jobs.len(), Ordering::Relaxed);
                    failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
                }
            }
        };
        thread::scope(|scope| -> Result<(), Failure> {
            for _ in 0..self.threads.min(jobs.len()) {
                let pool = pool(1)?;
                scope.spawn(move || pool.install(worker));
            }
            Ok(())
        })?;
        failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// Does work on all threads together.
    ///
    /// # Errors
    /// If there can be no such threads.
    pub fn together<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
        Ok(pool(self.threads)?.install(work))
    }

    /// Does work on one thread, with nothing else going on: for times that are compared.
    ///
    /// # Errors
    /// If there can be no such thread.
    pub fn alone<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
        Ok(pool(1)?.install(work))
    }
}

fn pool(threads: usize) -> Result<rayon::ThreadPool, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Failure::new(format!("--threads {threads}: {error}; choose fewer")))
}
