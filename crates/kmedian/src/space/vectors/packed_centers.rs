//! Many centers at once: lower bounds of the distances between items and all centers, at the price
//! of a matrix product, and from them the two nearest centers of every item.

mod around;

use rayon::prelude::*;

use super::LentVectors;
use super::axes::{mean, square_between};
use super::kernels::{self, LANES, Task, Unit, dispatch};
use super::panels::{HEIGHT, Panels, Tile, Visitor, WIDTH, product_error};
use crate::space::{NOBODY, Pair};

/// The most bounds that are computed before they are looked at: 256 KiB of them stay in the second
/// cache.
const BOUNDS: usize = 1 << 16;

/// The most items whose bounds are computed before they are looked at: enough for what is prepared
/// for each product not to matter.
const MOST_ITEMS: usize = 8 * HEIGHT;

/// Items whose two nearest centers one task of the thread pool finds. Larger tasks cost less to
/// hand out, smaller ones share the work more evenly.
const TASK: usize = 4 * MOST_ITEMS;

/// The centers of a search, packed so that their inner products with items are fast.
///
/// As in lower bounds of all distances (`bounds/from_products.rs`), squares of distances follow
/// from inner products up to rounding, by which they are reduced. Only the few centers whose bounds
/// are not above the second-smallest distance are measured, so the answer is that of a plain scan,
/// to the last bit.
pub(crate) struct PackedCenters<'a> {
    vectors: &'a LentVectors<'a>,
    /// The center in each slot, by its item.
    centers: Vec<u32>,
    /// Subtracted from all vectors before they are multiplied, so that rounding errors are small;
    /// any vector would do.
    mean: Vec<f32>,
    panels: Panels,
    /// By slot, the square of the center's length less the mean, reduced by what rounding errors
    /// may add to the square of a distance; infinite behind the last slot.
    norms: Vec<f32>,
    /// What is left of the square of a length once it is reduced.
    left: f32,
}

impl<'a> PackedCenters<'a> {
    /// Packs centers; `None` if distances do not follow from inner products.
    pub(crate) fn new(vectors: &'a LentVectors<'a>, centers: &[usize]) -> Option<Self> {
        if !vectors.has_products() {
            return None;
        }
        let rows = || centers.iter().map(|&center| vectors.coordinates(center));
        let mean = mean(vectors.dims(), rows());
        let left = 1.0 - product_error(vectors.dims());
        let mut norms: Vec<f32> = rows().map(|row| square_between(row, &mean) * left).collect();
        norms.resize(centers.len().next_multiple_of(WIDTH), f32::INFINITY);
        let panels = Panels::centered(rows(), &mean);
        let centers = centers.iter().map(|&center| center as u32).collect();
        Some(Self { vectors, centers, mean, panels, norms, left })
    }

    /// Puts another center into a slot.
    pub(crate) fn replace(&mut self, slot: usize, center: usize) {
        let row = self.vectors.coordinates(center);
        self.centers[slot] = center as u32;
        self.norms[slot] = square_between(row, &self.mean) * self.left;
        let centered = row.iter().zip(&self.mean).map(|(value, mean)| value - mean);
        self.panels.replace(slot, centered);
    }

    /// The two nearest centers of each of some items; of equally near ones the first slots.
    pub(crate) fn nearest_pairs(&self, items: &[u32]) -> Vec<Pair> {
        let find = |bounds: &mut Bounds, items: &[u32]| {
            let mut pairs = Vec::with_capacity(items.len());
            for some in items.chunks(self.together()) {
                self.bound(some, bounds);
                pairs.extend(dispatch(Finding { packed: self, items: some, bounds }));
            }
            pairs
        };
        let tasks = items.par_chunks(TASK).map_init(Bounds::default, find);
        tasks.flatten_iter().collect()
    }

    /// For each of some items the slots, in ascending order, whose centers may be closer to it than
    /// the distance that is given for the slot.
    pub(crate) fn slots_within(&self, items: &[u32], squares: &[f32]) -> Vec<Vec<u32>> {
        let mut bounds = Bounds::default();
        let mut slots = Vec::with_capacity(items.len());
        for some in items.chunks(self.together()) {
            self.bound(some, &mut bounds);
            slots.extend((0..some.len()).map(|at| dispatch(UpTo(bounds.of_item(at), squares))));
        }
        slots
    }

    /// The square, as [`PackedCenters::slots_within`] takes it, that stands for a distance.
    pub(crate) fn square(&self, distance: f32) -> f32 {
        kernels::to_squares(self.vectors.metric(), distance)
    }

    /// Of how many items bounds are computed before they are looked at.
    fn together(&self) -> usize {
        (BOUNDS / self.norms.len() / HEIGHT * HEIGHT).clamp(HEIGHT, MOST_ITEMS)
    }

    /// Computes lower bounds of the squares of the distances between some items and all centers.
    fn bound(&self, items: &[u32], bounds: &mut Bounds) {
        let rows: Vec<&[f32]> =
            items.iter().map(|&item| self.vectors.coordinates(item as usize)).collect();
        let norms = rows.iter().map(|row| square_between(row, &self.mean) * self.left);
        bounds.row_norms.clear();
        bounds.row_norms.extend(norms);
        bounds.width = self.norms.len();
        bounds.squares.resize(items.len() * bounds.width, 0.0);
        bounds.smallest.clear();
        bounds.smallest.resize(items.len(), [[f32::INFINITY; WIDTH]; 2]);
        let bounding = Bounding { norms: &self.norms, bounds };
        self.panels.multiply_centered(&rows, &self.mean, 0, bounding);
    }

    /// The two nearest centers of an item, with that in a slot to choose from, too.
    fn measured(&self, pair: Pair, slot: u32, item: u32) -> Pair {
        let (from, to) = self.rows(slot, item);
        pair.offered(slot, kernels::distance(self.vectors.metric(), from, to))
    }

    /// [`PackedCenters::measured`], for a task that runs on a unit already.
    #[inline(always)]
    fn measured_on<U: Unit>(&self, unit: U, pair: Pair, slot: u32, item: u32) -> Pair {
        let (from, to) = self.rows(slot, item);
        pair.offered(slot, kernels::distance_on(unit, self.vectors.metric(), from, to))
    }

    /// The rows of the center in a slot and of an item.
    #[inline(always)]
    fn rows(&self, slot: u32, item: u32) -> (&[f32], &[f32]) {
        let center = self.centers[slot as usize] as usize;
        (self.vectors.row(center), self.vectors.row(item as usize))
    }
}

/// The task to find the two nearest centers of some items, given lower bounds of their distances.
struct Finding<'a> {
    packed: &'a PackedCenters<'a>,
    items: &'a [u32],
    bounds: &'a Bounds,
}

impl Task for Finding<'_> {
    type Output = Vec<Pair>;

    #[inline(always)]
    fn run<U: Unit>(self, unit: U) -> Vec<Pair> {
        let mut pairs = Vec::with_capacity(self.items.len());
        for (at, &item) in self.items.iter().enumerate() {
            pairs.push(self.pair(unit, at, item));
        }
        pairs
    }
}

impl Finding<'_> {
    /// The two nearest centers of an item, which is at a position among the items.
    #[inline(always)]
    fn pair<U: Unit>(&self, unit: U, at: usize, item: u32) -> Pair {
        let (squares, second) = (self.bounds.of_item(at), self.bounds.second(at));
        let mut pair = NOBODY;
        for (block, squares) in blocks(squares) {
            for slot in up_to(unit, block, squares, second) {
                pair = self.packed.measured_on(unit, pair, slot, item);
            }
        }
        // What is as near as the second-nearest so far counts too: the first slots are wanted.
        let limit = self.packed.square(pair.distances[1].next_up());
        for (block, some) in blocks(squares) {
            for slot in up_to(unit, block, some, limit) {
                if squares[slot as usize] > second {
                    pair = self.packed.measured_on(unit, pair, slot, item);
                }
            }
        }
        pair
    }
}

/// Lower bounds of the squares of the distances between some items and all centers.
#[derive(Default)]
struct Bounds {
    /// By item, the square of its length less the mean, reduced by what rounding errors may add.
    row_norms: Vec<f32>,
    /// The number of bounds for an item: one for each slot, and infinite ones up to whole panels.
    width: usize,
    /// The bounds, item by item.
    squares: Vec<f32>,
    /// By item, for every place in a panel, the two smallest bounds of the slots that have it.
    smallest: Vec<[[f32; WIDTH]; 2]>,
}

impl Bounds {
    /// The bounds for the item at a position.
    #[inline(always)]
    fn of_item(&self, at: usize) -> &[f32] {
        &self.squares[at * self.width..][..self.width]
    }

    /// The second-smallest of the bounds for the item at a position.
    #[inline(always)]
    fn second(&self, at: usize) -> f32 {
        let [mut first, mut second] = self.smallest[at];
        let mut width = WIDTH / 2;
        while width > 0 {
            for place in 0..width {
                let [a, b] = [first[place], first[place + width]];
                second[place] =
                    smaller(larger(a, b), smaller(second[place], second[place + width]));
                first[place] = smaller(a, b);
            }
            width /= 2;
        }
        second[0]
    }
}

/// Turns inner products into lower bounds of squares, tile by tile.
struct Bounding<'a> {
    norms: &'a [f32],
    bounds: &'a mut Bounds,
}

impl Visitor for Bounding<'_> {
    #[inline(always)]
    fn visit(&mut self, row: usize, at: usize, tile: &Tile) {
        let Bounds { row_norms, width, squares, smallest } = &mut *self.bounds;
        let Some(norms) = self.norms[at..].first_chunk::<WIDTH>() else { return };
        let rows = row_norms[row..].iter().zip(squares[row * *width..].chunks_exact_mut(*width));
        for ((products, (norm, squares)), [first, second]) in
            tile.iter().zip(rows).zip(&mut smallest[row..])
        {
            let Some(squares) = squares[at..].first_chunk_mut::<WIDTH>() else { return };
            for place in 0..WIDTH {
                let square = norm + norms[place] - 2.0 * products[place];
                squares[place] = square;
                second[place] = smaller(second[place], larger(first[place], square));
                first[place] = smaller(first[place], square);
            }
        }
    }
}

/// The positions, in ascending order, of the finite numbers that are at most a limit.
fn at_most(numbers: &[f32], limit: f32) -> Vec<u32> {
    dispatch(AtMost(numbers, limit))
}

/// The task of [`at_most`].
struct AtMost<'a>(&'a [f32], f32);

impl Task for AtMost<'_> {
    type Output = Vec<u32>;

    #[inline(always)]
    fn run<U: Unit>(self, unit: U) -> Vec<u32> {
        let mut found = Vec::new();
        for (block, numbers) in blocks(self.0) {
            found.extend(up_to(unit, block, numbers, self.1));
        }
        found
    }
}

/// Whole panels of numbers, sixteen at a time, with the position of the first of them.
#[inline(always)]
fn blocks(numbers: &[f32]) -> impl Iterator<Item = (usize, &[f32; LANES])> {
    (0..).step_by(LANES).zip(numbers.as_chunks().0)
}

/// The positions, in ascending order, of the finite ones of sixteen numbers that are at most a
/// limit, given the position of the first.
#[inline(always)]
fn up_to<U: Unit>(unit: U, first: usize, numbers: &[f32; LANES], limit: f32) -> Ones {
    Ones { first, left: unit.below(unit.load(numbers), unit.splat(limit.next_up())) }
}

/// The positions of the ones among bits, the lowest of which has position `first`.
struct Ones {
    first: usize,
    left: u32,
}

impl Iterator for Ones {
    type Item = u32;

    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        if self.left == 0 {
            return None;
        }
        let at = self.first as u32 + self.left.trailing_zeros();
        self.left &= self.left - 1;
        Some(at)
    }
}

/// The task to find the positions, in ascending order, of the numbers that are below their limits.
/// There are whole panels of numbers, but limits only as far as they matter.
struct UpTo<'a>(&'a [f32], &'a [f32]);

impl Task for UpTo<'_> {
    type Output = Vec<u32>;

    #[inline(always)]
    fn run<U: Unit>(self, unit: U) -> Vec<u32> {
        let mut found = Vec::new();
        for ((first, numbers), limits) in blocks(self.0).zip(self.1.chunks(LANES)) {
            let mut padded = [f32::NEG_INFINITY; LANES];
            padded[..limits.len()].copy_from_slice(limits);
            let left = unit.below(unit.load(numbers), unit.load(&padded));
            found.extend(Ones { first, left });
        }
        found
    }
}

/// The smaller of two numbers that are not NaN; `f32::min` takes longer, as it has to look for NaN.
#[inline(always)]
fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The larger of two numbers that are not NaN; `f32::max` takes longer, as it has to look for NaN.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // A test that cannot go on has failed.
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::space::NONE;
    use crate::{Metric, Seed, Space, Vectors};

    /// Vectors of which many are equal, on a lattice or anywhere.
    fn vectors(metric: Metric, dims: usize, offset: f32, lattice: bool) -> Vectors {
        let mut rng = Seed(dims as u64).stream("vectors");
        let mut draw = |_| {
            let value = rng.random_range(-3.0..3.0f32);
            offset + 0.25 + if lattice { value.round() } else { value }
        };
        let dims = if metric == Metric::Haversine { 2 } else { dims };
        let values: Vec<f32> = (0..1200 * dims).map(&mut draw).collect();
        Vectors::new(dims, &values, metric).unwrap()
    }

    /// The two nearest centers by measuring all distances.
    fn plainly(vectors: &Vectors, centers: &[usize], item: usize) -> Pair {
        let mut asker = vectors.asker();
        let offered =
            |pair: Pair, (slot, &center)| pair.offered(slot, asker.distance(center, item));
        (0..).zip(centers).fold(NOBODY, offered)
    }

    #[test]
    fn pairs_are_those_of_a_plain_scan_to_the_last_bit() {
        let metrics = [Metric::L2, Metric::Angular, Metric::Haversine];
        for (metric, dims) in metrics.into_iter().flat_map(|m| [1, 3, 17, 130].map(|d| (m, d))) {
            for (offset, lattice) in [(0.0, true), (0.0, false), (1000.0, true), (1000.0, false)] {
                let offset = if metric == Metric::Haversine { 0.0 } else { offset };
                let vectors = vectors(metric, dims, offset, lattice);
                let mut centers: Vec<usize> = (0..77).map(|at| at * 13).collect();
                let items: Vec<u32> = (0..vectors.len() as u32).collect();
                let mut packed = PackedCenters::new(&vectors, &centers).unwrap();
                for (slot, center) in [(0, 5), (40, 999), (76, 1199), (40, 2)] {
                    centers[slot] = center;
                    packed.replace(slot, center);
                }
                let pairs = packed.nearest_pairs(&items);
                for (item, pair) in pairs.into_iter().enumerate() {
                    assert_eq!(pair, plainly(&vectors, &centers, item), "{metric:?} {dims} {item}");
                }
            }
        }
    }

    #[test]
    fn pairs_around_a_center_are_those_of_a_plain_scan() {
        for (metric, dims, lattice) in
            [(Metric::L2, 2, true), (Metric::L2, 3, false), (Metric::Angular, 3, false)]
        {
            let vectors = vectors(metric, dims, 0.0, lattice);
            let centers: Vec<usize> = (0..300).map(|at| at * 4).collect();
            let packed = PackedCenters::new(&vectors, &centers).unwrap();
            let plain: Vec<Pair> =
                (0..vectors.len()).map(|item| plainly(&vectors, &centers, item)).collect();
            let mut items: Vec<u32> = (0..vectors.len() as u32).collect();
            items.sort_by_key(|&item| plain[item as usize].slots[0]);
            let nearest = |item: &u32| plain[*item as usize].slots[0];
            let lists: Vec<&[u32]> = items.chunk_by(|a, b| nearest(a) == nearest(b)).collect();
            // As after a swap: of some items one center is known, of the others a second that need
            // not be right.
            let known = |item: u32| {
                let Pair { slots, distances } = plain[item as usize];
                let distances = [distances[0], f32::INFINITY];
                let alone = Pair { slots: [slots[0], NONE], distances };
                if item.is_multiple_of(2) { alone } else { packed.measured(alone, 7, item) }
            };
            let mut found = 0;
            for (&items, pairs) in lists.iter().zip(packed.pairs_around(&lists, known)) {
                found += usize::from(pairs.is_some());
                for (&item, pair) in items.iter().zip(pairs.into_iter().flatten()) {
                    assert_eq!(pair, plain[item as usize], "{metric:?} {dims} {item}");
                }
            }
            assert!(2 * found > lists.len(), "{found} of {}", lists.len());
        }
    }

    #[test]
    fn no_slot_within_is_missing() {
        let vectors = vectors(Metric::L2, 5, 0.0, false);
        let centers: Vec<usize> = (0..50).collect();
        let packed = PackedCenters::new(&vectors, &centers).unwrap();
        let distances: Vec<f32> = (0..50).map(|slot| slot as f32 / 8.0).collect();
        let squares: Vec<f32> = distances.iter().map(|&far| packed.square(far)).collect();
        let items: Vec<u32> = (0..300).collect();
        let mut asker = vectors.asker();
        let (mut found, mut within) = (0, 0);
        for (item, slots) in packed.slots_within(&items, &squares).into_iter().enumerate() {
            found += slots.len();
            for (slot, &far) in distances.iter().enumerate() {
                if asker.distance(centers[slot], item) < far {
                    within += 1;
                    assert!(slots.contains(&(slot as u32)), "item {item}, slot {slot}");
                }
            }
        }
        assert!(within > 0 && found < 2 * within, "{found} of {within}");
    }

    #[test]
    fn other_metrics_have_no_products() {
        assert!(PackedCenters::new(&vectors(Metric::L1, 3, 0.0, true), &[0, 1]).is_none());
    }
}
