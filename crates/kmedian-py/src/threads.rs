//! How many threads work.

use std::process;
use std::sync::OnceLock;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::failure::Failure;

/// More than any machine has cores; creating them would take longer than the work.
const MOST_THREADS: usize = 4096;

/// Runs the work on a number of threads; on all cores, if none is given.
pub(crate) fn in_threads<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> T + Send,
) -> Result<T, Failure> {
    match threads {
        Some(threads) if !(1..=MOST_THREADS).contains(&threads) => {
            Err(Failure::Value(format!("n_jobs = {threads}: choose 1 to {MOST_THREADS} threads")))
        }
        None if !forked() => Ok(work()),
        _ => Ok(pool(threads.unwrap_or(0))?.install(work)),
    }
}

/// Whether this process was forked off one that had used the pool of all cores: its threads did not come along.
fn forked() -> bool {
    static OWNER: OnceLock<u32> = OnceLock::new();
    *OWNER.get_or_init(process::id) != process::id()
}

/// A pool of so many threads; zero stands for all cores.
fn pool(threads: usize) -> Result<ThreadPool, Failure> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Failure::Runtime(format!("no threads could be started: {error}")))
}
