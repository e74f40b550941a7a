//! Runs work on a chosen number of threads.

use std::process;
use std::sync::OnceLock;
use std::thread::{self, ThreadId};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::failure::Failure;

/// The most threads that may be asked for: more than machines have cores. Creating more would take
/// longer than the work.
const MOST_THREADS: usize = 4096;

thread_local! {
    /// A thread pool of the current thread alone, which takes no time to enter; `None` if it cannot
    /// be built.
    static ALONE: Option<ThreadPool> =
        ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().ok();
}

/// The thread that imported the module.
static FIRST: OnceLock<ThreadId> = OnceLock::new();

/// Remembers the current thread as the one that imported the module. Call it at the import.
pub(crate) fn note_first() {
    FIRST.get_or_init(|| thread::current().id());
}

/// Whether the current thread imported the module, and so most likely lives as long as the program.
/// Other threads of Python must not do work themselves: their thread pool would never be freed.
pub(crate) fn stays_around() -> bool {
    FIRST.get() == Some(&thread::current().id())
}

/// Runs the work on a number of threads; on all cores if that is `None`. Call it only on threads
/// that live long: workers, and the thread that imported the module.
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

/// The thread pool of all cores, which is kept. `None` in the child of a fork, which does not
/// inherit the threads.
fn all_cores() -> Option<&'static ThreadPool> {
    static ALL: OnceLock<(u32, Option<ThreadPool>)> = OnceLock::new();
    let (owner, all) = ALL.get_or_init(|| (process::id(), pool(0).ok()));
    all.as_ref().filter(|_| *owner == process::id())
}

/// A new pool of this number of threads; zero stands for all cores.
fn pool(threads: usize) -> Result<ThreadPool, Failure> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Failure::Runtime(format!("no threads could be started: {error}")))
}
