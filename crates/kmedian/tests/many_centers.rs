//! Centers nearest to items, of some and of so many that they are found from inner products: the
//! answer is that of measuring every distance, to the last bit.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

use kmedian::{Assignment, Metric, Seed, Space, Vectors};
use rand::RngExt;

/// Vectors on a lattice, where many distances are equal, or anywhere.
fn vectors(metric: Metric, dims: usize, offset: f32, lattice: bool) -> Vectors {
    let mut rng = Seed(dims as u64).stream("vectors");
    let mut draw = |_| {
        let value = rng.random_range(-3.0..3.0f32);
        offset + 0.25 + if lattice { value.round() } else { value }
    };
    let values: Vec<f32> = (0..1500 * dims).map(&mut draw).collect();
    Vectors::new(dims, &values, metric).unwrap()
}

#[test]
fn items_go_to_the_first_of_the_nearest_centers() {
    let metrics = [Metric::L2, Metric::Angular, Metric::Haversine, Metric::L1];
    for (metric, dims) in metrics.into_iter().flat_map(|m| [1, 2, 3, 17, 130].map(|d| (m, d))) {
        if metric == Metric::Haversine && dims != 2 {
            continue;
        }
        let tries = [(0.0, true), (0.0, false), (50.0, true), (50.0, false)];
        for ((offset, lattice), k) in tries.into_iter().flat_map(|t| [77, 600].map(|k| (t, k))) {
            let space = vectors(metric, dims, offset, lattice);
            let centers: Vec<usize> = (0..k).map(|at| at * 19 % 1500).collect();
            let found = Assignment::new(&space, &centers);
            let mut asker = space.asker();
            for item in 0..space.len() {
                let distances: Vec<f32> =
                    centers.iter().map(|&center| asker.distance(center, item)).collect();
                let least = distances.iter().copied().fold(f32::INFINITY, f32::min);
                let label = distances.iter().position(|&distance| distance == least).unwrap();
                let what =
                    format!("k = {k}, {metric}, {dims} coordinates, offset {offset}, item {item}");
                assert_eq!(found.labels[item] as usize, label, "{what}");
                assert_eq!(found.distances[item].to_bits(), least.to_bits(), "{what}");
            }
        }
    }
}
