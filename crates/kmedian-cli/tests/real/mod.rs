//! Real data beside the checkout, and the paper's random graph.

#![allow(dead_code, clippy::unwrap_used)] // Each test file uses some of these.

use std::path::{Path, PathBuf};

use kmedian::{Demand, Graph, Metric, Seed, Space, Vectors};
use kmedian_data::{PointsOptions, read_points};
use rand::RngExt;
use rand::seq::SliceRandom;

/// A file of the shared data, or `None` with a message where the folder is absent.
pub fn shared(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let file = folder.join(name);
    if !file.exists() {
        println!("skipped: {name} is not in ../shared/data");
        return None;
    }
    Some(file)
}

/// Items in labelled clusters.
pub struct Labelled {
    pub space: Box<dyn Space>,
    pub labels: Vec<usize>,
}

impl Labelled {
    /// The paper's imbalanced demand: 500 random items of two clusters.
    pub fn imbalanced(&self, clusters: [usize; 2], seed: Seed) -> Demand {
        let mut items: Vec<usize> =
            (0..self.labels.len()).filter(|&item| clusters.contains(&self.labels[item])).collect();
        items.shuffle(&mut seed.stream("demand"));
        items.truncate(500);
        Demand::counts(self.labels.len(), items).unwrap()
    }
}

/// The 10,000 test images of MNIST by their digits, or `None` with a message where they are absent.
pub fn mnist(metric: Metric) -> Option<Labelled> {
    let [images, labels] =
        ["mnist/t10k-images-idx3-ubyte.gz", "mnist/t10k-labels-idx1-ubyte.gz"].map(shared);
    let images = read_points(&images?, &PointsOptions::default()).unwrap();
    let labels = read_points(&labels?, &PointsOptions::default()).unwrap();
    let pixels: Vec<f32> = images.values.iter().map(|pixel| pixel / 255.0).collect();
    Some(Labelled {
        space: Box::new(Vectors::new(images.dims, &pixels, metric).unwrap()),
        labels: labels.values.iter().map(|&digit| digit as usize).collect(),
    })
}

/// The graph of the paper's Section 5: ten clusters, pairs within one joined with probability 0.2 at
/// lengths from U(0, 1), and links between any two clusters at lengths from U(0.5, r). The paper does
/// not say how many links; with one for each node of a cluster the costs are as the paper's.
pub fn paper_graph(n: usize, r: f32, seed: Seed) -> Labelled {
    let mut rng = seed.stream("paper graph");
    let mut labels: Vec<usize> = (0..n).map(|node| node % 10).collect();
    labels.shuffle(&mut rng);
    let mut edges: Vec<(u32, u32, f32)> = Vec::new();
    for a in 0..n as u32 {
        for b in 0..a {
            if labels[a as usize] == labels[b as usize] && rng.random_bool(0.2) {
                edges.push((a, b, rng.random_range(f32::MIN_POSITIVE..1.0)));
            }
        }
    }
    let members: Vec<Vec<u32>> = (0..10)
        .map(|cluster| (0..n as u32).filter(|&node| labels[node as usize] == cluster).collect())
        .collect();
    for a in 0..10 {
        for b in 0..a {
            for _ in 0..n / 10 {
                let ends = [a, b].map(|cluster: usize| {
                    members[cluster][rng.random_range(0..members[cluster].len())]
                });
                edges.push((ends[0], ends[1], rng.random_range(0.5..r)));
            }
        }
    }
    Labelled { space: Box::new(Graph::new(n, &edges).unwrap()), labels }
}
