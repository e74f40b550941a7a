//! How many threads work.

use std::process;
use std::sync::OnceLock;
use std::thread::{self, ThreadId};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::failure::Failure;

/// More than any machine has cores; creating them would take longer than the work.
const MOST_THREADS: usize = 4096;

thread_local! {
    /// A pool of this thread alone, which takes no time to enter; none if the system refuses.
    static ALONE: Option<ThreadPool> =
        ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().ok();
}

/// The thread that imported the module.
static FIRST: OnceLock<ThreadId> = OnceLock::new();

/// To be called when the module is imported.
pub(crate) fn note_first() {
    FIRST.get_or_init(|| thread::current().id());
}

/// Whether this is the thread of Python's that most likely goes on as long as the program. No other
/// one is to work alone: what that takes is never given back.
pub(crate) fn stays_around() -> bool {
    FIRST.get() == Some(&thread::current().id())
}

/// Runs the work on a number of threads; on all cores, if none is given. To be called by threads
/// that stay around: workers, and the first.
pub(crate) fn in_threads<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> T + Send,
) -> Result<T, Failure> {
    match threads {
        Some(1) => ALONE.with(|alone| match alone {
            Some(pool) => Ok(pool.install(work)),
            None => Ok(pool(1)?.install(work)),
        }),
        Some(threads) if !(1..=MOST_THREADS).contains(&threads) => {
            Err(Failure::Value(format!("n_jobs = {threads}: choose 1 to {MOST_THREADS} threads")))
        }
        Some(threads) => Ok(pool(threads)?.install(work)),
        None => match all_cores() {
            Some(pool) => Ok(pool.install(work)),
            None => Ok(pool(0)?.install(work)),
        },
    }
}

/// The pool of all cores, which is kept. In the child of a fork there is none, as its threads did
/// not come along.
fn all_cores() -> Option<&'static ThreadPool> {
    static ALL: OnceLock<(u32, Option<ThreadPool>)> = OnceLock::new();
    let (owner, all) = ALL.get_or_init(|| (process::id(), pool(0).ok()));
    all.as_ref().filter(|_| *owner == process::id())
}

/// A pool of so many threads; zero stands for all cores.
fn pool(threads: usize) -> Result<ThreadPool, Failure> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Failure::Runtime(format!("no threads could be started: {error}")))
}
