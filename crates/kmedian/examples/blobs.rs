//! The time of a search on made-up blobs: `blobs N COORDINATES PLACES K EFFORT THREADS [SPREAD]`
//! draws N points round some places and prints the seconds that a search for K centers takes, by
//! the clock and of the processor, with its cost and tactics. `KMEDIAN_MEMORY_BYTES`, if set, is
//! the memory that the search may use: 0 leaves no room for lower bounds.

use std::env;
use std::error::Error;
use std::fs;
use std::time::Instant;

use kmedian::{Effort, KMedian, LocalSearch, Metric, Problem, Seed, Vectors};
use rand::RngExt;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [n, dims, places, k, effort, threads, more @ ..] = args.as_slice() else {
        return Err("usage: blobs N COORDINATES PLACES K EFFORT THREADS [SPREAD]".into());
    };
    let spread = more.first().map_or(Ok(0.3), |spread| spread.parse())?;
    let values = drawn(n.parse()?, dims.parse()?, places.parse()?, spread);
    let vectors = Vectors::new(dims.parse()?, &values, Metric::L2)?;
    let problem = Problem::of(&vectors).build()?;
    let memory = env::var("KMEDIAN_MEMORY_BYTES").ok().map(|bytes| bytes.parse()).transpose()?;
    let effort: Effort = effort.parse()?;
    let search = LocalSearch { effort, memory, ..LocalSearch::default() };
    let plan = KMedian { search, ..KMedian::default() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.parse()?).build()?;
    let (started, before) = (Instant::now(), processor_seconds());
    let found = pool.install(|| plan.fit(&problem, k.parse().unwrap_or(0)))?;
    println!(
        "{n} x {dims}, k = {k}, {effort}, {threads} threads: {:.3} s, {:.3} processor s, cost {:.4}, {} swaps, {} judged, by {}, {}",
        started.elapsed().as_secs_f64(),
        processor_seconds() - before,
        found.cost,
        found.swaps,
        found.judged,
        found.tactics.pruning,
        found.stop,
    );
    Ok(())
}

/// Points, each the sum of a random corner and of three numbers from -spread to spread for each
/// coordinate.
fn drawn(n: usize, dims: usize, places: usize, spread: f32) -> Vec<f32> {
    let mut rng = Seed(1).stream("blobs");
    let corners: Vec<f32> = (0..places * dims).map(|_| rng.random::<f32>()).collect();
    let mut noise = || (0..3).map(|_| spread * (rng.random::<f32>() - 0.5)).sum::<f32>();
    (0..n * dims).map(|at| corners[at % corners.len()] + noise()).collect()
}

/// The processor time that this process has taken, in seconds, where the system tells it:
/// hundredths of a second of its own and of the system's.
fn processor_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split(' ').collect();
    let ticks = |at: usize| fields.get(at).and_then(|ticks| ticks.parse::<f64>().ok());
    (ticks(12).unwrap_or(0.0) + ticks(13).unwrap_or(0.0)) / 100.0
}
