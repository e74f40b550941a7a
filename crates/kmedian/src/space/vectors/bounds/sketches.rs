//! A few numbers for each vector that bound Euclidean distances from below.
//!
//! A vector's *sketch* is its coordinates along some orthonormal axes, and the length of what is
//! left of it. Sketches are never farther apart than their vectors: the axes lose nothing of what
//! they see, and what is left of two vectors differs by at least the difference of the lengths.
//! Along the principal axes of the data a few dozen coordinates see nearly everything.

use rayon::prelude::*;

use super::super::axes::{self, Axes, centered, defect};
use super::super::panels::Panels;
use super::super::{LentVectors, Space};
use crate::Halt;

/// Rows that are projected or packed together.
const BLOCK: usize = 256;

/// The sketches of all items of a space.
pub(crate) struct Sketches {
    /// The coordinates along the axes, and the length of the rest.
    rows: Vec<f32>,
    pub(super) dims: usize,
    /// For each item, the square of the length of its sketch.
    norms: Vec<f32>,
    /// The square of a distance between sketches may exceed that of the computed distance between
    /// the vectors by this share of the squares of their lengths.
    error: f32,
}

impl Sketches {
    /// Sketches vectors along axes.
    pub(in super::super) fn new(
        vectors: &LentVectors<'_>,
        Axes { mean, axes }: &Axes,
        halt: &Halt,
    ) -> Self {
        let dims = axes.len() + 1;
        let projection = AxisProjection::new(axes);
        let mut rows = vec![0.0; vectors.len() * dims];
        rows.par_chunks_mut(BLOCK * dims).enumerate().for_each(|(block, out)| {
            // Half a table is never looked at.
            if halt.is_stopped() {
                return;
            }
            let first = block * BLOCK;
            let centered: Vec<Vec<f32>> = (first..first + out.len() / dims)
                .map(|item| centered(vectors.coordinates(item), mean))
                .collect();
            projection.sketch(&centered, out);
        });
        let norms = rows.chunks_exact(dims).map(axes::square).collect();
        // Write x = Qz + w and y = Qz' + w' for the vectors less their mean, with z the computed
        // coordinates and a = z - z'. Then |x - y|² = |Qa|² + 2 a·Qᵀ(w - w') + |w - w'|², where
        // |Qa|² and |a|² differ by the axes' defect, |Qᵀw| is rounding and defect, and |w - w'| is
        // at least the difference of the lengths. An inner product over d coordinates is wrong by
        // at most d roundings.
        let roundings = (vectors.dims() + dims) as f64 * f64::from(f32::EPSILON);
        let error = (8.0 * (roundings + defect(axes))) as f32;
        Self { rows, dims, norms, error }
    }

    /// The number of items.
    pub(super) fn len(&self) -> usize {
        self.norms.len()
    }

    /// The square of the length of a sketch, less what errors may add: with two of these, the
    /// square of a distance is never too large.
    pub(super) fn norm(&self, item: u32) -> f32 {
        self.norms[item as usize] * (1.0 - self.error)
    }

    pub(super) fn row(&self, item: u32) -> &[f32] {
        &self.rows[item as usize * self.dims..][..self.dims]
    }
}

/// From vectors to coordinates along axes, and back.
struct AxisProjection {
    count: usize,
    dims: usize,
    forth: Panels,
    back: Panels,
}

impl AxisProjection {
    fn new(axes: &[Vec<f32>]) -> Self {
        let (count, dims) = (axes.len(), axes[0].len());
        let columns = axes::transposed(axes);
        Self {
            count,
            dims,
            forth: Panels::new(dims, axes.iter().map(Vec::as_slice)),
            back: Panels::new(count, columns.iter().map(Vec::as_slice)),
        }
    }

    /// Writes the coordinates of a few vectors along the axes, and the length of what is left of
    /// each.
    fn sketch(&self, vectors: &[Vec<f32>], out: &mut [f32]) {
        let dims = self.count + 1;
        let refs: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
        self.forth.products(self.count, &refs, |row, at, products| {
            out[row * dims + at..][..products.len()].copy_from_slice(products);
        });
        let mut rest: Vec<f64> = vec![0.0; vectors.len()];
        let coordinates: Vec<&[f32]> =
            out.chunks_exact(dims).map(|row| &row[..self.count]).collect();
        self.back.products(self.dims, &coordinates, |row, at, seen| {
            let left = vectors[row][at..].iter().zip(seen).map(|(x, seen)| x - seen);
            rest[row] += f64::from(left.map(|x| x * x).sum::<f32>());
        });
        for (row, rest) in out.chunks_exact_mut(dims).zip(rest) {
            row[self.count] = rest.sqrt() as f32;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // A test that cannot go on has failed.
mod tests {
    use rand::RngExt;

    use super::super::super::{Metric, Vectors};
    use super::super::LowerBounds;
    use super::*;
    use crate::Seed;

    /// Some vectors on a line, some of them equal, and some noise.
    fn vectors(offset: f32, noise: f32) -> Vectors {
        let mut rng = Seed(1).stream("vectors");
        let (n, dims) = (300, 130);
        let mut values = Vec::new();
        for item in 0..n {
            for coordinate in 0..dims {
                let on_line = ((item / 2) * (coordinate + 1)) as f32 / 100.0;
                values.push(offset + on_line + noise * rng.random_range(-1.0..1.0f32));
            }
        }
        Vectors::new(dims, &values, Metric::L2).unwrap()
    }

    #[test]
    fn bounds_are_never_above_the_distance() {
        for (offset, noise) in [(0.0, 0.0), (0.0, 3.0), (1e5, 3.0), (-1e6, 0.5)] {
            let vectors = vectors(offset, noise);
            let sketches = vectors.sketches(&Halt::default()).unwrap();
            let items: Vec<u32> = (0..vectors.len() as u32).collect();
            let (farthest, halt) = (vectors.diameter_bound(), Halt::default());
            let bounds_of_all = LowerBounds::sketched(sketches, &items, farthest, &halt);
            let caps = vec![f32::INFINITY; vectors.len()];
            let mut asker = vectors.asker();
            let (mut bounds, mut distances) = (0.0, 0.0);
            let thresholds = bounds_of_all.thresholds(&caps);
            for (source, row) in bounds_of_all.rows(&items).iter().enumerate() {
                assert_eq!(bounds_of_all.close(row, &thresholds).count(), items.len());
                for hit in bounds_of_all.close(row, &thresholds) {
                    let distance = asker.distance(source, hit.item as usize);
                    assert!(hit.distance <= distance, "{} > {distance}", hit.distance);
                    bounds += hit.distance;
                    distances += distance;
                }
            }
            assert!(bounds > 0.9 * distances, "{bounds} says little of {distances}");
        }
    }
}
