//! The three loops in which nearly all time is spent, small enough to count their instructions.
//!
//! `hot_loops l2|plane|graph` confirms a local optimum once more: every item is judged as a candidate, and
//! none is taken. That is the last pass of every search, and the longest. Counts do not depend on what else
//! the machine does, so a slower loop shows where clocks are too noisy; `cargo xtask bench instructions`
//! reads them with callgrind, from [`measured`] alone.

use std::env;
use std::process::ExitCode;

use kmedian::{
    Clustering, Demand, Error, Graph, KMedian, LocalSearch, Metric, Objective, Problem, Seed,
    Silent, Space, Vectors,
};
use rand::RngExt;

const SEED: Seed = Seed(1);

fn main() -> ExitCode {
    let made = match env::args().nth(1).as_deref() {
        Some("l2") => blobs(1500, 96).map(|space| (Box::new(space) as Box<dyn Space>, 10)),
        Some("plane") => blobs(6000, 2).map(|space| (Box::new(space) as Box<dyn Space>, 50)),
        Some("graph") => streets(50).map(|space| (Box::new(space) as Box<dyn Space>, 25)),
        _ => {
            eprintln!("usage: hot_loops l2|plane|graph");
            return ExitCode::from(2);
        }
    };
    match made.and_then(|(space, k)| confirm(space.as_ref(), k)) {
        Ok(found) => {
            println!(
                "cost {}, {} candidates judged, {} swaps",
                found.cost, found.judged, found.swaps
            );
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("hot_loops: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Finds a local optimum, and confirms it where it is counted.
fn confirm(space: &dyn Space, k: usize) -> Result<Clustering, Error> {
    // One thread, and all work on it: callgrind counts by thread.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let Ok(pool) = pool else { unreachable!("a pool of one thread can always be made") };
    pool.install(|| {
        let demand = Demand::uniform(space.len());
        let problem = Problem::new(space, &demand, Objective::Median)?;
        let found = KMedian::default().fit(&problem, k)?;
        measured(&problem, &found.centers)
    })
}

/// The pass that is counted: callgrind knows it by its name.
#[inline(never)]
fn measured(problem: &Problem<'_>, centers: &[usize]) -> Result<Clustering, Error> {
    LocalSearch::default().run(problem, centers, &mut SEED.stream("confirm"), &mut Silent)
}

/// Points round a few places, dense enough for clusters to touch.
fn blobs(n: usize, dims: usize) -> Result<Vectors, Error> {
    let mut random = SEED.stream("blobs");
    let mut draw = |range: f32| random.random::<f32>() * range;
    let places: Vec<f32> = (0..20 * dims).map(|_| draw(4.0)).collect();
    let values: Vec<f32> = (0..n * dims)
        .map(|at| places[(at / dims % 20) * dims + at % dims] + draw(1.0) + draw(1.0) + draw(1.0))
        .collect();
    Vectors::new(dims, &values, Metric::L2)
}

/// A square of streets of uneven lengths.
fn streets(side: u32) -> Result<Graph, Error> {
    let mut random = SEED.stream("streets");
    let mut edges = Vec::new();
    for node in 0..side * side {
        let mut street = |to: u32| edges.push((node, to, 1.0 + random.random::<f32>()));
        if node % side + 1 < side {
            street(node + 1);
        }
        if node + side < side * side {
            street(node + side);
        }
    }
    Graph::new((side * side) as usize, &edges)
}
