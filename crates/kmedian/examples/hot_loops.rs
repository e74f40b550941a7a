//! The three loops in which nearly all time is spent, small enough to count their instructions.
//!
//! `hot_loops l2|plane|graph` judges every item as a candidate once, against centers that are given
//! and by a rule that no swap can meet. That is what the last pass of every search does, and the
//! longest. As nothing is searched for, a search that ends elsewhere does not change the counts:
//! only the loops do. Counts do not depend on what else the machine does, so a slower loop shows
//! where clocks are too noisy; `cargo xtask bench instructions` reads them with callgrind, from
//! [`measured`] alone.

use std::env;
use std::process::ExitCode;

use kmedian::{
    Clustering, Demand, Error, Graph, LocalSearch, Metric, Problem, Run, Seed, Space, Vectors,
};
use rand::RngExt;

const SEED: Seed = Seed(1);

/// A space, and centers that are good for it.
type Sited = (Box<dyn Space>, Vec<usize>);

fn main() -> ExitCode {
    let made = match env::args().nth(1).as_deref() {
        Some("l2") => blobs(2100, 96, 10, 1.0),
        Some("plane") => blobs(6000, 2, 50, 4.0),
        Some("graph") => streets(50, 10),
        _ => {
            eprintln!("usage: hot_loops l2|plane|graph");
            return ExitCode::from(2);
        }
    };
    match made.and_then(|(space, centers)| judge(space.as_ref(), &centers)) {
        Ok(found) => {
            println!("cost {}, {} judged, {} swaps", found.cost, found.judged, found.swaps);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("hot_loops: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Judges all items twice: what a space prepares at the first question is not counted.
fn judge(space: &dyn Space, centers: &[usize]) -> Result<Clustering, Error> {
    // One thread, and all work on it: callgrind counts by thread.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let Ok(pool) = pool else { unreachable!("a pool of one thread can always be made") };
    pool.install(|| {
        let demand = Demand::uniform(space.len());
        let problem = Problem::of(space).demand(&demand).build()?;
        pass(&problem, centers)?;
        measured(&problem, centers)
    })
}

/// The pass that is counted: callgrind knows it by its name.
#[inline(never)]
fn measured(problem: &Problem<'_>, centers: &[usize]) -> Result<Clustering, Error> {
    pass(problem, centers)
}

/// Judges every item. With α = k a swap would have to save the whole cost, so none is taken.
fn pass(problem: &Problem<'_>, centers: &[usize]) -> Result<Clustering, Error> {
    let search = LocalSearch { alpha: centers.len() as f64, ..LocalSearch::default() };
    search.run(problem, centers, &mut SEED.stream("pass"), &mut Run::default())
}

/// Points round some places; the less they are spread, the more they overlap, and the less can be
/// dismissed unseen. The first point of each place is its center.
fn blobs(n: usize, dims: usize, places: usize, spread: f32) -> Result<Sited, Error> {
    let mut random = SEED.stream("blobs");
    let mut draw = |range: f32| random.random::<f32>() * range;
    let corners: Vec<f32> = (0..places * dims).map(|_| draw(spread)).collect();
    let values: Vec<f32> = (0..n * dims)
        .map(|at| corners[at % corners.len()] + draw(1.0) + draw(1.0) + draw(1.0))
        .collect();
    Ok((Box::new(Vectors::new(dims, &values, Metric::L2)?), (0..places).collect()))
}

/// A square of streets of uneven lengths, with a center in the middle of each block.
fn streets(side: usize, block: usize) -> Result<Sited, Error> {
    let mut random = SEED.stream("streets");
    let (mut edges, mut centers) = (Vec::new(), Vec::new());
    for node in 0..side * side {
        let (row, column) = (node / side, node % side);
        let mut street =
            |to: usize| edges.push((node as u32, to as u32, 1.0 + random.random::<f32>()));
        if column + 1 < side {
            street(node + 1);
        }
        if row + 1 < side {
            street(node + side);
        }
        if row % block == block / 2 && column % block == block / 2 {
            centers.push(node);
        }
    }
    Ok((Box::new(Graph::new(side * side, &edges)?), centers))
}
