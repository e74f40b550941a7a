//! Lower bounds from inner products: the distances themselves, up to rounding, at the price of a
//! matrix product.

use super::super::axes::{mean, square_between};
use super::super::panels::{Panels, Tile, Visitor, WIDTH};
use super::super::{LentVectors, Metric, Space};
use super::code::Code;
use super::level::Level;

/// Vectors less their mean, ready to be multiplied with many others at once.
///
/// The square of the distance of x and y is |x|² + |y|² - 2xy. Near the mean the lengths are short,
/// and what rounding adds, which is a part of the squares of the lengths, is small beside the
/// distance.
pub(super) struct FromProducts<'a> {
    vectors: &'a LentVectors<'a>,
    mean: Vec<f32>,
    panels: Panels,
    /// For each item of the space, the square of its length less the mean, reduced by what rounding
    /// errors may add to the square of a distance.
    norms: Vec<f32>,
    /// The numbers of `norms` for the packed items, in their order, and zeros up to the width of a
    /// row of bounds.
    packed_norms: Vec<f32>,
}

impl<'a> FromProducts<'a> {
    pub(super) fn new(vectors: &'a LentVectors<'a>, items: &[u32], width: usize) -> Self {
        let all = (0..vectors.len()).map(|item| vectors.coordinates(item));
        let mean = mean(vectors.dims(), all.clone());
        let kept = 1.0 - product_error(vectors.dims());
        let norms: Vec<f32> = all.map(|row| square_between(row, &mean) * kept).collect();
        let mut packed_norms: Vec<f32> = items.iter().map(|&item| norms[item as usize]).collect();
        packed_norms.resize(width, 0.0);
        let rows = items.iter().map(|&item| vectors.coordinates(item as usize));
        let panels = Panels::centered(rows, &mean);
        Self { vectors, mean, panels, norms, packed_norms }
    }

    pub(super) fn metric(&self) -> Metric {
        self.vectors.metric()
    }

    /// For each source, writes lower bounds of its distances to the items from the position `start`
    /// on, as levels.
    pub(super) fn compare<L: Level>(
        &self,
        sources: &[u32],
        start: usize,
        code: &Code<L>,
        bounds: &mut [&mut [L]],
    ) {
        let rows: Vec<&[f32]> =
            sources.iter().map(|&source| self.vectors.coordinates(source as usize)).collect();
        let row_norms: Vec<f32> =
            sources.iter().map(|&source| self.norms[source as usize]).collect();
        let norms = &self.packed_norms;
        let rounding = Rounding { row_norms: &row_norms, norms, code, start, bounds };
        self.panels.multiply_centered(&rows, &self.mean, start / WIDTH, rounding);
    }
}

/// The share of the squares of both lengths by which the square of a distance, computed from
/// products, may exceed what the kernels compute.
///
/// With u the unit roundoff and d coordinates, a product is wrong by du of half of both squares and
/// enters twice; the squares of the lengths and the kernels' own sums, which run in 16 lanes or
/// more, are wrong by (d/16 + 16)u of themselves, the sum being at most twice both squares; less
/// the mean each coordinate is rounded once, and so is each of the last steps.
pub(in super::super) fn product_error(dims: usize) -> f32 {
    let (dims, in_lanes) = (dims as f32, (dims / 16 + 16) as f32);
    (dims + 3.0 * in_lanes + 16.0) * (f32::EPSILON / 2.0) * 1.01
}

/// Turns inner products into lower bounds of distances, rounded to levels, tile by tile.
struct Rounding<'a, 'b, L> {
    row_norms: &'a [f32],
    norms: &'a [f32],
    code: &'a Code<L>,
    /// The position of the item that the first bound of a row is for.
    start: usize,
    bounds: &'a mut [&'b mut [L]],
}

impl<L: Level> Visitor for Rounding<'_, '_, L> {
    #[inline(always)]
    fn visit(&mut self, row: usize, at: usize, tile: &Tile) {
        let norms = &self.norms[at..at + WIDTH];
        let rows = self.bounds[row..].iter_mut().zip(&self.row_norms[row..]);
        for ((bounds, row_norm), products) in rows.zip(tile) {
            let bounds = &mut bounds[at - self.start..][..WIDTH];
            for ((bound, norm), product) in bounds.iter_mut().zip(norms).zip(products) {
                *bound = self.code.level(row_norm + norm - 2.0 * product);
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // A test that cannot go on has failed.
mod tests {
    use rand::RngExt;

    use super::super::{LowerBounds, Range};
    use super::*;
    use crate::memory::Means;
    use crate::{Halt, Pruning, Seed, Vectors};

    /// Some vectors on a line, every second one equal to the first, and some noise.
    fn vectors(metric: Metric, dims: usize, offset: f32, noise: f32) -> Vectors {
        let mut rng = Seed(1).stream("vectors");
        let mut values = Vec::new();
        for item in 0..300 {
            for coordinate in 0..dims {
                let on_line = ((item / 2) * (coordinate + 1)) as f32 / 100.0;
                values.push(1.0 + offset + on_line + noise * rng.random_range(-1.0..1.0f32));
            }
        }
        Vectors::new(dims, &values, metric).unwrap()
    }

    #[test]
    fn bounds_are_never_above_the_distance_and_close_to_it() {
        for metric in [Metric::L2, Metric::Angular] {
            for dims in [3, 17, 130] {
                for (offset, noise) in [(0.0, 0.0), (0.0, 3.0), (1e5, 3.0), (-1e6, 0.5)] {
                    check(&vectors(metric, dims, offset, noise));
                }
            }
        }
    }

    fn check(vectors: &Vectors) {
        let items: Vec<u32> = (0..vectors.len() as u32).collect();
        let farthest = vectors.diameter_bound();
        let range = Range { near: farthest / 100.0, far: farthest / 2.0, farthest };
        let bounds = |memory| {
            let means = Means { halt: Halt::default(), memory };
            LowerBounds::by(Pruning::Products, vectors, items.len(), &items, range, &means).unwrap()
        };
        // Two bytes each, one byte each, and none that are kept.
        let (fine, coarse, computed) = (bounds(1 << 30), bounds(100_000), bounds(0));
        assert!(!fine.are_coarse() && coarse.are_coarse() && !computed.are_kept());
        let sharpened = bounds(100_000).sharpened(items.len(), 200_000);
        assert!(sharpened.are_kept() && !sharpened.are_coarse());
        let sums = [fine, coarse, computed, sharpened].map(|bounds| sum(vectors, bounds));
        assert!(sums[0] >= sums[1] && sums[1] == sums[2] && sums[0] == sums[3], "{sums:?}");
        let distances: f32 = items.iter().map(|&item| all(vectors, item).sum::<f32>()).sum();
        // Angles of vectors that are far away in the same direction are mostly rounding.
        let precise = vectors.metric() == Metric::L2 || farthest > 0.01;
        assert!(!precise || sums[1] > 0.9 * distances, "{sums:?} say little of {distances}");
    }

    fn all(vectors: &Vectors, source: u32) -> impl Iterator<Item = f32> {
        let mut asker = vectors.asker();
        (0..vectors.len()).map(move |item| asker.distance(source as usize, item))
    }

    /// The sum of all lower bounds, none of which must be above its distance.
    fn sum(vectors: &Vectors, mut bounds: LowerBounds<'_>) -> f32 {
        bounds.set_caps(&vec![f32::INFINITY; vectors.len()]);
        let sources: Vec<u32> = (0..vectors.len() as u32).collect();
        let mut sum = 0.0;
        for (&source, row) in sources.iter().zip(bounds.rows(&sources)) {
            let close = row.close();
            assert_eq!(close.len(), vectors.len());
            for (hit, distance) in close.iter().zip(all(vectors, source)) {
                assert!(hit.distance <= distance, "{} > {distance}", hit.distance);
                // What is closer than a cap is up to its threshold.
                let threshold = bounds.threshold(distance.next_up());
                assert!(hit.distance <= bounds.distances()[usize::from(threshold)]);
                sum += hit.distance;
            }
        }
        sum
    }
}
