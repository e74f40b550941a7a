//! Does runs on threads, and keeps their rows.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::progress::check_interrupt;
use crate::{Failure, Progress, Row, Store, effort};

/// The rows so far, the threads, and the progress of the work.
pub struct Lab {
    store: Mutex<Store>,
    /// The number of rows that were kept by this process.
    recorded: AtomicUsize,
    threads: usize,
    /// Shows the progress.
    pub progress: Progress,
}

impl Lab {
    /// A lab that keeps rows in a store and does runs on a number of threads.
    pub fn new(store: Store, threads: usize, progress: Progress) -> Self {
        Self { store: Mutex::new(store), recorded: AtomicUsize::new(0), threads, progress }
    }

    /// Whether the run of this row still has to be done.
    pub fn lacks(&self, row: &Row) -> bool {
        self.store.lock().unwrap_or_else(PoisonError::into_inner).lacks(row)
    }

    /// Keeps the row of a run. After Ctrl-C the run may have been cut short, so its row is not
    /// kept.
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

    /// The number of rows that were kept so far.
    pub fn recorded(&self) -> usize {
        self.recorded.load(Ordering::Relaxed)
    }

    /// Does jobs, each on one thread of its own, as many at a time as there are threads. Runs do
    /// not share threads, so that the time of one depends little on the others.
    ///
    /// # Errors
    /// The first failure. Jobs that have begun by then are finished, others are not begun.
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
    /// If the threads cannot be started.
    pub fn together<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
        Ok(pool(self.threads)?.install(work))
    }

    /// Does work on one thread, while nothing else runs: for times that are compared.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn alone<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
        Ok(pool(1)?.install(work))
    }
}

fn pool(threads: usize) -> Result<rayon::ThreadPool, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Failure::new(format!("--threads {threads}: {error}; choose fewer")))
}
