//! Distances between many rows, sixteen at a time, where the sixteen lie side by side, coordinate by
//! coordinate: nothing has to be moved between lanes, so that measuring takes little but arithmetic.

use std::ops::Range;

use rayon::prelude::*;

use super::super::Metric;
use super::metric::{self, Kernel, with_kernel};
use super::row::{WIDTH, join_width};
use super::unit::{LANES, Task, Unit, dispatch};

/// The rows that are put together so that they can be compared with a panel at once: where registers
/// have room for the folds of all of them, they share what is loaded of the panel.
const BUNDLE: usize = 4;

/// Rows side by side in panels of sixteen, ready to be compared with many others.
///
/// A panel has a vector of lanes for each coordinate, in the order in which a fold takes them: first
/// the coordinates that are folded to the first of sixteen lanes, then those of the second, and so on.
pub(in crate::space::vectors) struct Columns {
    shape: Shape,
    panels: Vec<[f32; LANES]>,
}

/// In which order coordinates are folded, with zeros up to equally many for each lane.
#[derive(Clone, Copy)]
struct Shape {
    dims: usize,
    /// How many of sixteen lanes coordinates are folded to.
    lanes: usize,
    /// How many coordinates are folded to each lane.
    steps: usize,
}

impl Shape {
    fn new(dims: usize) -> Self {
        Self { dims, lanes: dims.min(LANES), steps: dims.div_ceil(LANES) }
    }

    /// The number of coordinates, with zeros.
    fn len(self) -> usize {
        self.lanes * self.steps
    }

    /// The coordinates of a row in the order in which a fold takes them.
    fn ordered(self, row: &[f32]) -> impl Iterator<Item = f32> {
        let places = (0..self.lanes)
            .flat_map(move |lane| (0..self.steps).map(move |step| lane + step * LANES));
        places.map(move |at| if at < self.dims { row[at] } else { 0.0 })
    }
}

impl Columns {
    /// Puts rows of `dims` coordinates side by side; the last panel is filled up with zeros.
    pub(in crate::space::vectors) fn new<'a>(
        dims: usize,
        rows: usize,
        row: impl Fn(usize) -> &'a [f32] + Sync,
    ) -> Self {
        let shape = Shape::new(dims);
        let mut panels = vec![[0.0; LANES]; rows.div_ceil(LANES) * shape.len()];
        panels.par_chunks_exact_mut(shape.len()).enumerate().for_each(|(panel, values)| {
            for (lane, at) in (panel * LANES..rows).take(LANES).enumerate() {
                for (value, x) in values.iter_mut().zip(shape.ordered(row(at))) {
                    value[lane] = x;
                }
            }
        });
        Self { shape, panels }
    }

    /// Measures the distances from some rows to those of some panels. Calls `take` with the position
    /// of a row, the number of a panel, and the distances from one to the other.
    pub(in crate::space::vectors) fn measure<'a>(
        &self,
        metric: Metric,
        rows: impl Iterator<Item = &'a [f32]>,
        panels: Range<usize>,
        take: impl FnMut(usize, usize, &[f32; LANES]),
    ) {
        let (bundles, count) = self.bundles(rows);
        let (columns, bundles) = (self, &bundles);
        with_kernel!(metric, |kernel| {
            dispatch(Measuring { kernel, columns, bundles, count, panels, take });
        });
    }

    /// Rows in bundles, the last of which is filled up with zeros, and their number.
    fn bundles<'a>(&self, rows: impl Iterator<Item = &'a [f32]>) -> (Vec<[f32; BUNDLE]>, usize) {
        let mut bundles = Vec::new();
        let mut count = 0;
        for row in rows {
            if count % BUNDLE == 0 {
                bundles.resize(bundles.len() + self.shape.len(), [0.0; BUNDLE]);
            }
            let bundle = &mut bundles[count / BUNDLE * self.shape.len()..];
            for (values, x) in bundle.iter_mut().zip(self.shape.ordered(row)) {
                values[count % BUNDLE] = x;
            }
            count += 1;
        }
        (bundles, count)
    }
}

/// The task to measure the distances from some rows to those of some panels.
struct Measuring<'a, K, T> {
    kernel: K,
    columns: &'a Columns,
    /// The rows in bundles: for each coordinate, in the order in which a fold takes them, those of
    /// all rows of the bundle.
    bundles: &'a [[f32; BUNDLE]],
    /// The number of rows in all bundles; the last one is filled up with zeros.
    count: usize,
    panels: Range<usize>,
    take: T,
}

impl<K: Kernel, T: FnMut(usize, usize, &[f32; LANES])> Task for Measuring<'_, K, T> {
    type Output = ();

    #[inline(always)]
    fn run<U: Unit>(mut self, unit: U) {
        let len = self.columns.shape.len();
        // Made once, as filling it takes longer than to measure a few short rows.
        let mut folds = [[unit.load(&[0.0; LANES]); BUNDLE]; LANES];
        for panel in self.panels.clone() {
            let values = &self.columns.panels[panel * len..][..len];
            for (at, bundle) in self.bundles.chunks_exact(len).enumerate() {
                if U::VECTORS >= 32 {
                    self.fold::<U, BUNDLE>(unit, bundle, 0, values, &mut folds);
                } else {
                    for row in 0..BUNDLE {
                        self.fold::<U, 1>(unit, bundle, row, values, &mut folds);
                    }
                }
                let rows = at * BUNDLE..self.count.min((at + 1) * BUNDLE);
                for (row, fold) in rows.zip(folds[0]) {
                    let found = self.kernel.closer(unit, fold, &[f32::INFINITY; LANES]);
                    (self.take)(row, panel, &found.distances);
                }
            }
        }
    }
}

impl<K: Kernel, T> Measuring<'_, K, T> {
    /// Folds `ROWS` rows of a bundle, from position `first` on, with those of a panel. What becomes
    /// of them is the first of the folds.
    #[inline(always)]
    fn fold<U: Unit, const ROWS: usize>(
        &self,
        unit: U,
        bundle: &[[f32; BUNDLE]],
        first: usize,
        values: &[[f32; LANES]],
        folds: &mut [[U::Lanes; BUNDLE]; LANES],
    ) {
        let (kernel, Shape { lanes, steps, .. }) = (self.kernel, self.columns.shape);
        let parts = bundle.chunks_exact(steps).zip(values.chunks_exact(steps));
        for (folds, (bundle, values)) in folds.iter_mut().zip(parts) {
            let of_lane: [U::Lanes; ROWS] = fold_to_lane(unit, kernel, bundle, first, values);
            folds[first..first + ROWS].copy_from_slice(&of_lane);
        }
        for width in [8, 4, 2, 1] {
            let (lower, upper) = folds.split_at_mut(width);
            let joined = lower.iter_mut().zip(upper).take(lanes.saturating_sub(width).min(width));
            for (lower, upper) in joined {
                for (lower, upper) in lower.iter_mut().zip(upper).skip(first).take(ROWS) {
                    *lower = kernel.join(unit, *lower, *upper);
                }
            }
        }
    }
}

/// For each of some rows of a bundle, from position `first` on, folds the terms of those of its
/// coordinates that belong to one of sixteen lanes.
#[inline(always)]
fn fold_to_lane<U: Unit, K: Kernel, const ROWS: usize>(
    unit: U,
    kernel: K,
    bundle: &[[f32; BUNDLE]],
    first: usize,
    values: &[[f32; LANES]],
) -> [U::Lanes; ROWS] {
    let zero = unit.load(&[0.0; LANES]);
    let mut sums = [[zero; ROWS]; WIDTH];
    let (bundles, last_bundle) = bundle.as_chunks::<WIDTH>();
    let (parts, last) = values.as_chunks::<WIDTH>();
    for (bundle, values) in bundles.iter().zip(parts) {
        for step in 0..WIDTH {
            add(unit, kernel, &bundle[step], first, &values[step], &mut sums[step]);
        }
    }
    // By their number, so that the sums stay in registers.
    #[allow(clippy::needless_range_loop)]
    for step in 0..WIDTH - 1 {
        if let (Some(bundle), Some(value)) = (last_bundle.get(step), last.get(step)) {
            add(unit, kernel, bundle, first, value, &mut sums[step]);
        }
    }
    let mut folds = [zero; ROWS];
    for row in 0..ROWS {
        let of_row = [sums[0][row], sums[1][row], sums[2][row], sums[3][row]];
        folds[row] = join_width(unit, kernel, of_row);
    }
    folds
}

/// Adds one term to the sum of each row.
#[inline(always)]
fn add<U: Unit, K: Kernel, const ROWS: usize>(
    unit: U,
    kernel: K,
    bundle: &[f32; BUNDLE],
    first: usize,
    value: &[f32; LANES],
    sums: &mut [U::Lanes; ROWS],
) {
    let value = unit.load(value);
    for row in 0..ROWS {
        let term = kernel.term(unit, unit.splat(bundle[first + row]), value);
        sums[row] = kernel.join(unit, sums[row], term);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{plain, random_rows};
    use super::super::unit::on_all_units;
    use super::super::{Rows, padded};
    use super::*;

    /// A task that brings its own places for distances, and returns their bits.
    struct All<'a, K> {
        kernel: K,
        columns: &'a Columns,
        bundles: &'a [[f32; BUNDLE]],
        count: usize,
    }

    impl<K: Kernel> Task for All<'_, K> {
        type Output = Vec<Vec<u32>>;

        #[inline(always)]
        fn run<U: Unit>(self, unit: U) -> Vec<Vec<u32>> {
            let Self { kernel, columns, bundles, count } = self;
            let panels = 0..columns.panels.len() / columns.shape.len();
            let mut found = vec![Vec::new(); count];
            let take = |row: usize, panel: usize, distances: &[f32; LANES]| {
                assert_eq!(found[row].len(), panel * LANES);
                found[row].extend(distances.map(f32::to_bits));
            };
            Measuring { kernel, columns, bundles, count, panels, take }.run(unit);
            found
        }
    }

    #[test]
    fn distances_are_those_of_a_plain_fold_on_every_unit() {
        for metric in Metric::ALL {
            for dims in (1..=70).chain([100, 128, 131, 300, 784]) {
                let values = random_rows(dims, 1.0, metric);
                let rows = Rows { values: &values, stride: padded(dims) };
                let count = values.len() / rows.stride;
                let row = |at: usize| &rows.of(at)[..dims];
                let columns = Columns::new(dims, count, row);
                let (bundles, count) = columns.bundles((0..count).map(row));
                let (columns, bundles) = (&columns, bundles.as_slice());
                let check = |unit: &str, found: Vec<Vec<u32>>| {
                    for (a, found) in found.iter().enumerate() {
                        for (b, &found) in found.iter().enumerate().take(count) {
                            let expected = plain(metric, row(a), row(b)).to_bits();
                            assert_eq!(found, expected, "{unit}: {metric}, {dims} coordinates");
                        }
                    }
                };
                with_kernel!(metric, |kernel| {
                    on_all_units(|| All { kernel, columns, bundles, count }, check);
                });
            }
        }
    }
}
