//! Lower bounds from inner products: the distances themselves, up to rounding, at the price of a
//! matrix product of whole numbers.

use rayon::prelude::*;

use super::super::panels::{Tile, Visitor, WIDTH};
use super::super::whole_panels::WholePanels;
use super::super::{LentVectors, Metric, Space, axes, kernels};
use super::Range;
use super::code::Code;
use super::level::Level;
use super::whole_row::{WholeRow, write};

/// Vectors less their mean, rounded to whole numbers, ready to be multiplied with many others at
/// once.
///
/// Let x' and y' be rounded vectors, e and f how far they are from x and y, and E = e + f. With
/// a = |x' - y'|, the distance of x and y is at least a - E, so that for every t from 0 to 1 its
/// square is at least (1 - t) (a² - E²/t): if a ≥ E, since 2aE ≤ ta² + E²/t, and else since that is
/// negative. As E² ≤ 2e² + 2f², it is at least
///
/// (1 - t) (|x'|² - 2e²/t + |y'|² - 2f²/t - 2x'y'),
///
/// two numbers that belong to one vector each, and an inner product. It is largest at t = E/a, so t
/// is chosen for typical e and a.
pub(super) struct FromProducts<'a> {
    vectors: &'a LentVectors<'a>,
    mean: Vec<f32>,
    panels: WholePanels,
    /// By item of the space.
    terms: Vec<Term>,
    /// The terms of the packed items, in their order, and zeros up to the width of a row of bounds.
    packed: Packed,
}

/// What a vector contributes to its bounds.
#[derive(Debug, Clone, Copy, Default)]
struct Term {
    /// What the whole numbers of the vector are multiples of.
    unit: f32,
    /// The square of the length of the rounded vector, reduced by what rounding may add to the
    /// square of a distance.
    square: f32,
}

/// The terms of packed vectors, side by side.
struct Packed {
    units: Vec<f32>,
    squares: Vec<f32>,
}

impl<'a> FromProducts<'a> {
    /// Bounds of distances to some items, whose distances are mostly in the given range.
    pub(super) fn new(
        vectors: &'a LentVectors<'a>,
        items: &[u32],
        width: usize,
        range: Range,
    ) -> Self {
        let (dims, all) = (vectors.dims(), 0..vectors.len());
        let mean = axes::mean(dims, all.clone().map(|item| vectors.coordinates(item)));
        let rounded = |item| WholeRow::new(vectors.coordinates(item), &mean);
        let rounded: Vec<WholeRow> = all.into_par_iter().map(rounded).collect();
        let given_up = given_up(&rounded, range, vectors.metric());
        let kept = (1.0 - given_up) * (1.0 - sum_error(dims));
        let term = |row: &WholeRow| {
            let away = 2.0 * row.away * row.away / given_up;
            // What the sum of squares and the few operations of a bound may be wrong by.
            let square = row.square - away - sum_error(dims) * (row.square + away);
            Term { unit: row.unit, square: kept * square }
        };
        let terms: Vec<Term> = rounded.iter().map(term).collect();
        let mut of_items: Vec<Term> = items.iter().map(|&item| terms[item as usize]).collect();
        of_items.resize(width, Term::default());
        let packed = Packed {
            units: of_items.iter().map(|term| 2.0 * kept * term.unit).collect(),
            squares: of_items.iter().map(|term| term.square).collect(),
        };
        let panels = WholePanels::new(dims, items.len(), |at, place| {
            let item = items[at] as usize;
            write(vectors.coordinates(item), &mean, terms[item].unit, place);
        });
        Self { vectors, mean, panels, terms, packed }
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
        let terms: Vec<Term> = sources.iter().map(|&source| self.terms[source as usize]).collect();
        let rounding = Rounding { terms: &terms, packed: &self.packed, code, start, bounds };
        let write = |at: usize, place: &mut [i16]| {
            let row = self.vectors.coordinates(sources[at] as usize);
            write(row, &self.mean, terms[at].unit, place);
        };
        self.panels.multiply(sources.len(), write, self.mean.len(), start / WIDTH, rounding);
    }
}

/// The share t of the square of a distance that is given up, so that what rounding vectors adds to
/// it is covered, judged by the vector in the middle and by the middle of the range.
fn given_up(rounded: &[WholeRow], range: Range, metric: Metric) -> f32 {
    let mut away: Vec<f32> = rounded.iter().map(|row| row.away).collect();
    let middle = away.len() / 2;
    let away = *away.select_nth_unstable_by(middle, f32::total_cmp).1;
    let [near, far] = [range.near, range.far].map(|far| kernels::to_squares(metric, far).sqrt());
    let distance = if near > 0.0 { (near * far).sqrt() } else { far };
    // Not all of it, and not so little that dividing by it is not safe.
    (2.0 * away / distance).clamp(f32::EPSILON, 0.5)
}

/// The share by which a sum over coordinates that are not negative, in 16 lanes or more, may be
/// wrong, and a few operations beside it.
fn sum_error(dims: usize) -> f32 {
    (dims / 16 + 32) as f32 * (f32::EPSILON / 2.0) * 1.01
}

/// Turns inner products into lower bounds of distances, rounded to levels, tile by tile.
struct Rounding<'a, 'b, L> {
    terms: &'a [Term],
    packed: &'a Packed,
    code: &'a Code<L>,
    /// The position of the item that the first bound of a row is for.
    start: usize,
    bounds: &'a mut [&'b mut [L]],
}

impl<L: Level> Visitor for Rounding<'_, '_, L> {
    #[inline(always)]
    fn visit(&mut self, row: usize, at: usize, tile: &Tile) {
        let units = &self.packed.units[at..at + WIDTH];
        let squares = &self.packed.squares[at..at + WIDTH];
        let rows = self.bounds[row..].iter_mut().zip(&self.terms[row..]);
        for ((bounds, term), products) in rows.zip(tile) {
            let bounds = &mut bounds[at - self.start..][..WIDTH];
            let columns = units.iter().zip(squares).zip(products);
            for (bound, ((unit, square), product)) in bounds.iter_mut().zip(columns) {
                *bound = self.code.level(term.square + square - term.unit * (unit * product));
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
