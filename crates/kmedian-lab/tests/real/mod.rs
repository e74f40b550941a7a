//! Real data beside the checkout, and the paper's random graph.

#![allow(dead_code, clippy::unwrap_used)] // Each test file uses some of these.

use std::path::{Path, PathBuf};

use kmedian::{Demand, Metric, Seed, Space, Vectors};
use kmedian_data::{PointsOptions, read_points};
use rand::seq::SliceRandom;

/// A file of the shared data; the readers say so if it is absent.
pub fn shared(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(name)
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

/// The 10,000 test images of MNIST by their digits.
pub fn mnist(metric: Metric) -> Labelled {
    let [images, labels] =
        ["mnist/t10k-images-idx3-ubyte.gz", "mnist/t10k-labels-idx1-ubyte.gz"].map(shared);
    let images = read_points(&images, &PointsOptions::default()).unwrap();
    let labels = read_points(&labels, &PointsOptions::default()).unwrap();
    let pixels: Vec<f32> = images.values.iter().map(|pixel| pixel / 255.0).collect();
    Labelled {
        space: Box::new(Vectors::new(images.dims, &pixels, metric).unwrap()),
        labels: labels.values.iter().map(|&digit| digit as usize).collect(),
    }
}

/// The graph of the paper's Section 5.
pub fn paper_graph(n: usize, r: f32, seed: Seed) -> Labelled {
    let (network, labels) = kmedian_lab::data::paper_graph(n, r, seed);
    Labelled { space: Box::new(network.graph().unwrap()), labels }
}
