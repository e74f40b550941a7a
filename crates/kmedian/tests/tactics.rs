//! Which way the data takes, pinned for a handful of shapes: a threshold that moves is seen here.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

use kmedian::{
    Custom, Distances, Graph, Init, KMedian, LocalSearch, Matrix, Metric, Problem, Pruning, Seed,
    Space, Tactics, Vectors,
};
use rand::RngExt;

/// The tactics of a search for k centers, from random ones.
fn tactics(space: &dyn Space, k: usize) -> Tactics {
    let search = LocalSearch { max_swaps: Some(1), ..LocalSearch::default() };
    let plan = KMedian { init: Init::Random, search, ..KMedian::default() };
    plan.fit(&Problem::of(space).build().unwrap(), k).unwrap().tactics
}

fn is(found: Tactics, distances: Distances, pruning: Pruning, sampled: bool) {
    assert_eq!((found.distances, found.pruning, found.sampled), (distances, pruning, sampled));
}

/// Vectors that a few axes see most of, or none does.
fn vectors(n: usize, dims: usize, metric: Metric, axes: usize) -> Vectors {
    let mut rng = Seed(5).stream("tactics");
    let mut values = Vec::with_capacity(n * dims);
    for _ in 0..n {
        let scale = |at: usize| if at < axes { 10.0 } else { 0.1 };
        values.extend((0..dims).map(|at| scale(at) * rng.random_range(-1.0..1.0f32)));
    }
    Vectors::new(dims, &values, metric).unwrap()
}

#[test]
fn few_vectors_are_tabulated() {
    for (n, metric) in [(2048, Metric::L1), (1024, Metric::L2), (255, Metric::Angular)] {
        is(tactics(&vectors(n, 3, metric, 3), 5), Distances::Tabulated, Pruning::Nothing, false);
    }
    let more = vectors(2049, 2, Metric::L1, 2);
    is(tactics(&more, 100), Distances::Measured, Pruning::Triangles, false);
    for (n, metric) in [(1025, Metric::L2), (256, Metric::Angular)] {
        let with_products = vectors(n, 3, metric, 3);
        is(tactics(&with_products, 5), Distances::Measured, Pruning::Products, false);
    }
}

#[test]
fn long_vectors_have_lower_bounds() {
    for metric in [Metric::L2, Metric::Angular] {
        let long = vectors(2500, 96, metric, 8);
        is(tactics(&long, 5), Distances::Measured, Pruning::Products, false);
    }
    let taxicab = vectors(2500, 96, Metric::L1, 8);
    is(tactics(&taxicab, 5), Distances::Measured, Pruning::Bytes, false);
}

#[test]
fn much_demand_is_sampled_first() {
    let many = vectors(10_240, 2, Metric::L2, 2);
    is(tactics(&many, 20), Distances::Measured, Pruning::Triangles, true);
}

#[test]
fn other_spaces() {
    let edges: Vec<_> = (0..99).map(|node| (node, node + 1, 1.0)).collect();
    let road = Graph::new(100, &edges).unwrap();
    is(tactics(&road, 3), Distances::Explored, Pruning::Evidence, false);

    let distances: Vec<f32> = (0..900).map(|at| (at / 30usize).abs_diff(at % 30) as f32).collect();
    let matrix = Matrix::new(30, distances).unwrap();
    assert_eq!(tactics(&matrix, 3).distances, Distances::Tabulated);

    let function = Custom::new(30, |a: usize, b: usize| a.abs_diff(b) as f32).unwrap();
    is(tactics(&function, 3), Distances::Measured, Pruning::Triangles, false);
}
