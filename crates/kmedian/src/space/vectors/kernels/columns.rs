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
    /// How many of sixteen lanes coordinates are folded to.
    lanes: usize,
    /// How many coordinates are folded to each lane.
    steps: usize,
}

impl Shape {
    fn new(dims: usize) -> Self {
        Self { lanes: dims.min(LANES), steps: dims.div_ceil(LANES) }
    }

    /// The number of coordinates, with zeros.
    fn len(self) -> usize {
        self.lanes * self.steps
    }

    /// Puts the coordinates of a row to a position of each of as many places, in the order in which
    /// a fold takes them.
    #[inline(always)]
    fn put<const N: usize>(self, row: &[f32], at: usize, places: &mut [[f32; N]]) {
        for (step, some) in row.chunks(LANES).enumerate() {
            for (places, &x) in places.chunks_exact_mut(self.steps).zip(some) {
                places[step][at] = x;
            }
        }
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
                shape.put(row(at), lane, values);
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
            self.shape.put(row, count % BUNDLE, bundle);
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
        for panel in self.panels.clone() {
            let values = &self.columns.panels[panel * len..][..len];
            for (at, bundle) in self.bundles.chunks_exact(len).enumerate() {
                if U::VECTORS >= 32 {
                    let folds: [U::Lanes; BUNDLE] = self.fold(unit, bundle, 0, values);
                    self.hand_over(unit, at * BUNDLE, panel, folds);
                    continue;
                }
                for row in 0..BUNDLE {
                    let folds: [U::Lanes; 1] = self.fold(unit, bundle, row, values);
                    self.hand_over(unit, at * BUNDLE + row, panel, folds);
                }
            }
        }
    }
}

impl<K: Kernel, T: FnMut(usize, usize, &[f32; LANES])> Measuring<'_, K, T> {
    /// Hands over the distances of rows, from position `first` on, unless they are filling.
    #[inline(always)]
    fn hand_over<U: Unit, const ROWS: usize>(
        &mut self,
        unit: U,
        first: usize,
        panel: usize,
        folds: [U::Lanes; ROWS],
    ) {
        for (row, folds) in (first..self.count).zip(folds) {
            let found = self.kernel.closer(unit, folds, &[f32::INFINITY; LANES]);
            (self.take)(row, panel, &found.distances);
        }
    }

    /// Folds `ROWS` rows of a bundle, from position `first` on, with those of a panel.
    #[inline(always)]
    fn fold<U: Unit, const ROWS: usize>(
        &self,
        unit: U,
        bundle: &[[f32; BUNDLE]],
        first: usize,
        values: &[[f32; LANES]],
    ) -> [U::Lanes; ROWS] {
        let (kernel, Shape { lanes, steps }) = (self.kernel, self.columns.shape);
        let of_lane = |lane: usize| lane * steps..(lane + 1) * steps;
        // What sixteen lanes are joined to: of each four, one.
        let mut quad = [[unit.load(&[0.0; LANES]); ROWS]; 4];
        for (lane, quad) in quad.iter_mut().enumerate().take(lanes) {
            // Those that there are of the lanes a, b, c and d are joined to (a b) (c d).
            let [a, b, c, d] = [lane, lane + 8, lane + 4, lane + 12];
            *quad = fold_to_lane(unit, kernel, &bundle[of_lane(a)], first, &values[of_lane(a)]);
            if b < lanes {
                let (bundle, values) = (&bundle[of_lane(b)], &values[of_lane(b)]);
                join_to(unit, kernel, quad, fold_to_lane(unit, kernel, bundle, first, values));
            }
            if c < lanes {
                let (bundle_c, values_c) = (&bundle[of_lane(c)], &values[of_lane(c)]);
                let mut other = fold_to_lane(unit, kernel, bundle_c, first, values_c);
                if d < lanes {
                    let (bundle, values) = (&bundle[of_lane(d)], &values[of_lane(d)]);
                    let last = fold_to_lane(unit, kernel, bundle, first, values);
                    join_to(unit, kernel, &mut other, last);
                }
                join_to(unit, kernel, quad, other);
            }
        }
        let [mut a, mut b, c, d] = quad;
        join_to(unit, kernel, &mut a, c);
        join_to(unit, kernel, &mut b, d);
        join_to(unit, kernel, &mut a, b);
        a
    }
}

/// Joins each of some folds with another.
#[inline(always)]
fn join_to<U: Unit, K: Kernel, const ROWS: usize>(
    unit: U,
    kernel: K,
    to: &mut [U::Lanes; ROWS],
    others: [U::Lanes; ROWS],
) {
    for row in 0..ROWS {
        to[row] = kernel.join(unit, to[row], others[row]);
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
    let mut a = terms(unit, kernel, &bundle[0], first, &values[0]);
    if values.len() == 1 {
        return a;
    }
    let mut b: [U::Lanes; ROWS] = terms(unit, kernel, &bundle[1], first, &values[1]);
    let (mut c, mut d) = ([unit.load(&[0.0; LANES]); ROWS], [unit.load(&[0.0; LANES]); ROWS]);
    let (bundles, last_bundle) = bundle[2..].as_chunks::<WIDTH>();
    let (parts, last) = values[2..].as_chunks::<WIDTH>();
    for (bundle, values) in bundles.iter().zip(parts) {
        join_to(unit, kernel, &mut c, terms(unit, kernel, &bundle[0], first, &values[0]));
        join_to(unit, kernel, &mut d, terms(unit, kernel, &bundle[1], first, &values[1]));
        join_to(unit, kernel, &mut a, terms(unit, kernel, &bundle[2], first, &values[2]));
        join_to(unit, kernel, &mut b, terms(unit, kernel, &bundle[3], first, &values[3]));
    }
    // One by one, so that the sums stay in registers.
    if let (Some(bundle), Some(values)) = (last_bundle.first(), last.first()) {
        join_to(unit, kernel, &mut c, terms(unit, kernel, bundle, first, values));
    }
    if let (Some(bundle), Some(values)) = (last_bundle.get(1), last.get(1)) {
        join_to(unit, kernel, &mut d, terms(unit, kernel, bundle, first, values));
    }
    if let (Some(bundle), Some(values)) = (last_bundle.get(2), last.get(2)) {
        join_to(unit, kernel, &mut a, terms(unit, kernel, bundle, first, values));
    }
    let mut folds = a;
    for row in 0..ROWS {
        folds[row] = join_width(unit, kernel, [a[row], b[row], c[row], d[row]]);
    }
    folds
}

/// The terms of one coordinate of some rows of a bundle, from position `first` on.
#[inline(always)]
fn terms<U: Unit, K: Kernel, const ROWS: usize>(
    unit: U,
    kernel: K,
    bundle: &[f32; BUNDLE],
    first: usize,
    values: &[f32; LANES],
) -> [U::Lanes; ROWS] {
    let values = unit.load(values);
    let mut terms = [values; ROWS];
    for row in 0..ROWS {
        terms[row] = kernel.term(unit, unit.splat(bundle[first + row]), values);
    }
    terms
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
