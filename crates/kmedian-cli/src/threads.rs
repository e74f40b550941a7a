//! Runs work on a chosen number of threads.

use crate::failure::Failure;

/// The most threads that may be asked for: more than machines have cores. Creating more would take
/// longer than the work.
const MOST_THREADS: usize = 4096;

/// Runs the work on a number of threads; on all cores if that is `None`.
pub(crate) fn in_threads<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> T + Send,
) -> Result<T, Failure> {
    let Some(threads) = threads else { return Ok(work()) };
    if threads == 0 {
        return Err(Failure::new("--threads 0: at least one thread has to do the work"));
    }
    if threads > MOST_THREADS {
        return Err(Failure::new(format!("--threads {threads}: choose 1 to {MOST_THREADS}")));
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Failure::new(format!("--threads {threads}: {error}")))?;
    Ok(pool.install(work))
}
