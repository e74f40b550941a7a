//! Inner products of many rows of whole numbers with many others: the shape of a matrix product.
//!
//! Whole numbers of 16 bits are multiplied and added up two at a time, by one instruction, which is
//! faster than to multiply 32-bit floats; and as sums of whole numbers are exact, they are the same
//! on every machine.

use rayon::prelude::*;

use super::kernels::{LANES, Pair, Task, Unit, dispatch_products};
use super::panels::{HEIGHT, Tile, Visitor, WIDTH};

/// The largest sum of squares that a row may have: 46,340². No inner product of two such rows, nor
/// any part of its sum, leaves the range of 32 bits.
pub(super) const LARGEST_SQUARE: u32 = 46_340 * 46_340;

/// The vectors of sixteen lanes that a panel is wide.
const VECTORS: usize = WIDTH / LANES;

/// Pairs of numbers that are multiplied at a time: a panel and a few rows of them take 22 KiB, so
/// that they stay in the first cache while a tile is filled in parts.
const PART: usize = 128;

/// One pair of numbers of every row of a panel.
type OfPanel = [[Pair; LANES]; VECTORS];

/// Rows of whole numbers, packed into panels so that their inner products with other rows are fast.
pub(super) struct WholePanels {
    /// How many pairs of numbers a row has.
    pairs: usize,
    values: Vec<OfPanel>,
}

impl WholePanels {
    /// Packs rows of `dims` numbers; the last panel is filled up with zeros. `write` is given the
    /// position of a row, and the place for its numbers, which are zeros.
    pub(super) fn new(dims: usize, rows: usize, write: impl Fn(usize, &mut [i16]) + Sync) -> Self {
        let pairs = dims.div_ceil(2);
        let mut values = vec![[[[0; 2]; LANES]; VECTORS]; rows.div_ceil(WIDTH) * pairs];
        values.par_chunks_exact_mut(pairs).enumerate().for_each(|(panel, values)| {
            let mut numbers = vec![0; 2 * pairs];
            for row in (0..WIDTH).take_while(|row| panel * WIDTH + row < rows) {
                write(panel * WIDTH + row, &mut numbers[..dims]);
                for (place, pair) in values.iter_mut().zip(numbers.as_chunks().0) {
                    place.as_flattened_mut()[row] = *pair;
                }
            }
        });
        Self { pairs, values }
    }

    /// Computes the inner products of some rows with all panels from the panel `first` on. `write`
    /// is given the position of a row, and the place for its numbers.
    pub(super) fn multiply(
        &self,
        rows: usize,
        write: impl Fn(usize, &mut [i16]),
        dims: usize,
        first: usize,
        visitor: impl Visitor,
    ) {
        let mut bundles = vec![[[0; 2]; HEIGHT]; rows.div_ceil(HEIGHT) * self.pairs];
        let mut numbers = vec![0; 2 * self.pairs];
        for row in 0..rows {
            write(row, &mut numbers[..dims]);
            let bundle = &mut bundles[row / HEIGHT * self.pairs..];
            for (factors, pair) in bundle.iter_mut().zip(numbers.as_chunks().0) {
                factors[row % HEIGHT] = *pair;
            }
        }
        dispatch_products(Multiplication { panels: self, first, bundles: &bundles, rows, visitor });
    }
}

struct Multiplication<'a, V> {
    panels: &'a WholePanels,
    /// The number of the first panel that is multiplied.
    first: usize,
    /// Rows in bundles: for each pair of numbers, those of all rows of the bundle.
    bundles: &'a [[Pair; HEIGHT]],
    /// The number of rows in all bundles; the last one is filled up with zeros.
    rows: usize,
    visitor: V,
}

impl<V: Visitor> Task for Multiplication<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run<U: Unit>(mut self, unit: U) {
        let WholePanels { pairs, values } = self.panels;
        let mut sums: Sums = [[[0; LANES]; VECTORS]; HEIGHT];
        let mut tile: Tile = [[0.0; WIDTH]; HEIGHT];
        for (panel, values) in values.chunks_exact(*pairs).enumerate().skip(self.first) {
            for (bundle, rows) in self.bundles.chunks_exact(*pairs).enumerate() {
                let count = (self.rows - bundle * HEIGHT).min(HEIGHT);
                let parts = values.chunks(PART).zip(rows.chunks(PART)).enumerate();
                for (part, (values, rows)) in parts {
                    let part = Part { values, rows, count, is_first: part == 0 };
                    match U::VECTORS {
                        32.. => registers::<U, 2, HEIGHT>(unit, part, &mut sums),
                        8.. => registers::<U, 1, 6>(unit, part, &mut sums),
                        _ => registers::<U, 1, 2>(unit, part, &mut sums),
                    }
                }
                for (tile, sums) in tile.iter_mut().zip(&sums) {
                    for (product, &sum) in tile.iter_mut().zip(sums.as_flattened()) {
                        *product = sum as f32;
                    }
                }
                self.visitor.visit(bundle * HEIGHT, panel * WIDTH, &tile);
            }
        }
    }
}

/// Inner products of a bundle of rows with those of a panel.
type Sums = [[[i32; LANES]; VECTORS]; HEIGHT];

/// Some pairs of numbers of a panel, and of a bundle of rows that it is multiplied with.
#[derive(Clone, Copy)]
struct Part<'a> {
    values: &'a [OfPanel],
    rows: &'a [[Pair; HEIGHT]],
    /// How many of the rows are wanted.
    count: usize,
    /// Whether these are the first numbers: what the sums are does not matter then.
    is_first: bool,
}

/// Adds products to sums: `WIDE` vectors of a panel are multiplied with `TALL` rows at a time.
#[inline(always)]
fn registers<U: Unit, const WIDE: usize, const TALL: usize>(
    unit: U,
    part: Part<'_>,
    sums: &mut Sums,
) {
    for left in (0..VECTORS).step_by(WIDE) {
        for top in (0..HEIGHT).step_by(TALL) {
            if top >= part.count {
                break;
            }
            let mut added = [[unit.load_sums(&[0; LANES]); WIDE]; TALL];
            if !part.is_first {
                for row in 0..TALL {
                    for at in 0..WIDE {
                        added[row][at] = unit.load_sums(&sums[top + row][left + at]);
                    }
                }
            }
            for (factors, values) in part.rows.iter().zip(part.values) {
                let mut pairs = [unit.load_pairs(&values[left]); WIDE];
                for at in 1..WIDE {
                    pairs[at] = unit.load_pairs(&values[left + at]);
                }
                for row in 0..TALL {
                    for at in 0..WIDE {
                        let factor = factors[top + row];
                        added[row][at] = unit.add_products(added[row][at], pairs[at], factor);
                    }
                }
            }
            for row in 0..TALL {
                for at in 0..WIDE {
                    sums[top + row][left + at] = unit.store_sums(added[row][at]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::super::kernels::on_all_units;
    use super::*;
    use crate::Seed;

    /// Takes the products of all rows with all packed ones.
    struct Taking<'a>(&'a mut Vec<Vec<f32>>);

    impl Visitor for Taking<'_> {
        #[inline(always)]
        fn visit(&mut self, row: usize, at: usize, tile: &Tile) {
            for (products, taken) in tile.iter().zip(&mut self.0[row..]) {
                taken[at..at + WIDTH].copy_from_slice(products);
            }
        }
    }

    struct All<'a> {
        panels: &'a WholePanels,
        bundles: &'a [[Pair; HEIGHT]],
        rows: usize,
    }

    impl Task for All<'_> {
        type Output = Vec<Vec<f32>>;

        #[inline(always)]
        fn run<U: Unit>(self, unit: U) -> Vec<Vec<f32>> {
            let Self { panels, bundles, rows } = self;
            let width = panels.values.len() / panels.pairs * WIDTH;
            let mut products = vec![vec![f32::NAN; width]; rows];
            let visitor = Taking(&mut products);
            Multiplication { panels, first: 0, bundles, rows, visitor }.run(unit);
            products
        }
    }

    #[test]
    fn products_are_exact_on_every_unit() {
        let mut rng = Seed(1).stream("whole panels");
        for dims in [1, 2, 7, 16, 300] {
            for (packed, rows) in [(1, 1), (33, 13), (70, 25)] {
                // The largest numbers that rows of so many may have, and few others.
                let most = (LARGEST_SQUARE as f32 / dims as f32).sqrt() as i16;
                let mut some = |count: usize| -> Vec<Vec<i16>> {
                    let mut number =
                        |_| if rng.random() { most } else { rng.random_range(-most..=most) };
                    (0..count).map(|_| (0..dims).map(&mut number).collect()).collect()
                };
                let (columns, rows) = (some(packed), some(rows));
                let write = |at: usize, place: &mut [i16]| place.copy_from_slice(&columns[at]);
                let panels = WholePanels::new(dims, packed, write);
                let mut bundles =
                    vec![[[0; 2]; HEIGHT]; rows.len().div_ceil(HEIGHT) * panels.pairs];
                for (at, row) in rows.iter().enumerate() {
                    for (coordinate, &value) in row.iter().enumerate() {
                        let bundle = &mut bundles[at / HEIGHT * panels.pairs + coordinate / 2];
                        bundle[at % HEIGHT][coordinate % 2] = value;
                    }
                }
                let product = |a: &[i16], b: &[i16]| -> i64 {
                    a.iter().zip(b).map(|(&a, &b)| i64::from(a) * i64::from(b)).sum()
                };
                let all = || All { panels: &panels, bundles: &bundles, rows: rows.len() };
                let check = |unit: &str, found: Vec<Vec<f32>>| {
                    for (row, found) in rows.iter().zip(&found) {
                        for (column, &found) in columns.iter().zip(found) {
                            assert_eq!(
                                found,
                                product(row, column) as f32,
                                "{unit}, {dims} numbers"
                            );
                        }
                    }
                };
                on_all_units(all, check);
                check("with what it has for products", dispatch_products(all()));
            }
        }
    }
}
