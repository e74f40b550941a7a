//! Labeled vectors: the images of MNIST, or made-up vectors if there are no images.

use std::path::{Path, PathBuf};

use kmedian::{Metric, Seed, Vectors};
use kmedian_data::{PointsOptions, read_points};
use rand::RngExt;
use rand::seq::SliceRandom;

use crate::Failure;

/// The largest value of a pixel, a byte: pixels are divided by it.
const WHITE: f32 = 255.0;

/// The number of clusters of made-up vectors: as many as there are digits.
const CLUSTERS: usize = 10;
/// The number of coordinates of made-up vectors: many, as in images, but few enough to be quick.
const DIMENSIONS: usize = 48;
/// The standard deviation of the middles of clusters, in multiples of that within a cluster.
const APART: f32 = 2.0;

/// Vectors in labeled clusters. Images are in random order, so that the first n are n random ones.
pub struct Images {
    dims: usize,
    /// The coordinates, vector after vector.
    values: Vec<f32>,
    /// The cluster of each vector.
    labels: Vec<usize>,
}

impl Images {
    /// The 60,000 training images of MNIST, with pixels from 0 to 1.
    ///
    /// # Errors
    /// If the folder does not have the IDX files, plain or gzipped.
    pub fn mnist(folder: &Path, seed: Seed) -> Result<Self, Failure> {
        let images =
            read_points(&idx_file(folder, "train-images-idx3-ubyte")?, &PointsOptions::default())?;
        let labels =
            read_points(&idx_file(folder, "train-labels-idx1-ubyte")?, &PointsOptions::default())?;
        if images.rows != labels.rows {
            let what =
                format!("has {} images, but {} labels; fetch it again", images.rows, labels.rows);
            return Err(Failure::at(folder, what));
        }
        let mut order: Vec<usize> = (0..images.rows).collect();
        order.shuffle(&mut seed.stream("images"));
        let pixels =
            |&image: &usize| &images.values[image * images.dims..(image + 1) * images.dims];
        let values = order.iter().flat_map(pixels).map(|pixel| pixel / WHITE).collect();
        let labels = order.iter().map(|&image| labels.values[image] as usize).collect();
        Ok(Self { dims: images.dims, values, labels })
    }

    /// Makes up `n` vectors around ten random points.
    pub fn made_up(n: usize, seed: Seed) -> Self {
        let mut rng = seed.stream("made-up vectors");
        // The sum of twelve uniform numbers is nearly normal, with variance 1.
        let mut normal = || (0..12).map(|_| rng.random::<f32>()).sum::<f32>() - 6.0;
        let middles: Vec<f32> = (0..CLUSTERS * DIMENSIONS).map(|_| APART * normal()).collect();
        let labels: Vec<usize> = (0..n).map(|item| item * 7 % CLUSTERS).collect();
        let round = |&label: &usize| middles[label * DIMENSIONS..(label + 1) * DIMENSIONS].to_vec();
        let values = labels.iter().flat_map(round).map(|middle| middle + normal()).collect();
        Self { dims: DIMENSIONS, values, labels }
    }

    /// The number of vectors.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are no vectors.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The n vectors after the first `skip` as a space, and their labels.
    ///
    /// # Errors
    /// If there are fewer than that.
    pub fn some(
        &self,
        skip: usize,
        n: usize,
        metric: Metric,
    ) -> Result<(Vectors, Vec<usize>), Failure> {
        let end = skip + n;
        if end > self.len() {
            return Err(Failure::new(format!("there are {} images, not {end}", self.len())));
        }
        let values = &self.values[skip * self.dims..end * self.dims];
        Ok((Vectors::new(self.dims, values, metric)?, self.labels[skip..end].to_vec()))
    }
}

/// An IDX file of a folder, plain or gzipped.
fn idx_file(folder: &Path, name: &str) -> Result<PathBuf, Failure> {
    let [plain, gzipped] = [folder.join(name), folder.join(format!("{name}.gz"))];
    [plain, gzipped].into_iter().find(|path| path.exists()).ok_or_else(|| {
        let what =
            format!("has no {name}; run `cargo xtask data mnist`, or give --mnist another folder");
        Failure::at(folder, what)
    })
}
