//! Distances between two sets of vectors: new items, and the centers of those that were clustered
//! before.

use rayon::prelude::*;

use super::kernels::{self, Items};
use super::{Caps, LentVectors, Space};
use crate::{Assignment, Error, ErrorKind};

/// The number of new items that one task of the thread pool compares with all centers: many enough
/// for what a task costs not to matter, few enough for all threads to have some.
const PART: usize = 1 << 10;

impl LentVectors<'_> {
    /// The distances of every item to each of the centers, item by item: that of item i to center c
    /// is at i · k + c, for k centers.
    ///
    /// A distance is the same to the last bit as it is between two items of one space.
    ///
    /// # Errors
    /// If the centers have another metric or another number of coordinates.
    pub fn distances_to(&self, centers: &LentVectors<'_>) -> Result<Vec<f32>, Error> {
        self.check_like(centers)?;
        let k = centers.len();
        let mut all = vec![f32::INFINITY; self.len() * k];
        all.par_chunks_mut(PART * k).enumerate().for_each(|(part, distances)| {
            self.each_distance(centers, part, |item, center, distance| {
                distances[item * k + center] = distance;
            });
        });
        Ok(all)
    }

    /// Assigns every item to the nearest of the centers; of equally near ones to the first.
    ///
    /// # Errors
    /// If the centers have another metric or another number of coordinates.
    pub fn nearest_of(&self, centers: &LentVectors<'_>) -> Result<Assignment, Error> {
        self.check_like(centers)?;
        let mut labels = vec![0; self.len()];
        let mut distances = vec![f32::INFINITY; self.len()];
        let parts = labels.par_chunks_mut(PART).zip(distances.par_chunks_mut(PART)).enumerate();
        parts.for_each(|(part, (labels, distances))| {
            self.each_distance(centers, part, |item, center, distance| {
                if distance < distances[item] {
                    distances[item] = distance;
                    labels[item] = center as u32;
                }
            });
        });
        Ok(Assignment { labels, distances })
    }

    /// Calls `tell` with each item of a part (counted from the first of the part), each center, and
    /// their distance.
    fn each_distance(
        &self,
        centers: &LentVectors<'_>,
        part: usize,
        mut tell: impl FnMut(usize, usize, f32),
    ) {
        let start = part * PART;
        let items = Items::Range(start as u32, self.len().min(start + PART) as u32);
        let mut hits = Vec::new();
        for center in 0..centers.len() {
            let (rows, from) = (self.rows(), centers.row(center));
            hits.clear();
            kernels::sweep(
                self.metric(),
                rows,
                from,
                items,
                Caps::Uniform(f32::INFINITY),
                &mut hits,
            );
            for hit in &hits {
                tell(hit.item as usize - start, center, hit.distance);
            }
        }
    }

    fn check_like(&self, centers: &LentVectors<'_>) -> Result<(), Error> {
        if self.metric() == centers.metric() && self.dims() == centers.dims() {
            return Ok(());
        }
        let told =
            |vectors: &LentVectors<'_>| format!("{} of {}", vectors.metric(), vectors.dims());
        let message = format!(
            "the items have the metric and coordinates {}, but the centers {}; give both the same",
            told(self),
            told(centers)
        );
        Err(Error::new(ErrorKind::Shape, message))
    }
}
