//! Inner products of many rows with many others: the shape of a matrix product.
//!
//! The rows that stay are packed into panels, transposed, so that one coordinate of a whole panel
//! fills a few vector registers. Then a handful of other rows is multiplied with a panel at a time.
//! Every product is a chain of fused multiplications and additions, coordinate by coordinate: the
//! same to the last bit on every machine.

use pulp::bytemuck::{Pod, cast_slice, cast_slice_mut};
use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use super::kernels::arch;

/// The number of rows that are packed into a panel: 32 numbers are two registers of AVX-512, four
/// of AVX2.
pub(super) const WIDTH: usize = 32;

/// Rows that are multiplied with a panel at once. Twelve rows and the 32 of a panel keep 24 of the
/// 32 registers of AVX-512 busy, and in quarters 12 of the 16 of AVX2: enough sums under way to
/// hide that each addition takes four cycles.
pub(super) const HEIGHT: usize = 12;

/// Coordinates that are multiplied at a time: a panel and a few rows of them take 22 KiB, so that
/// they stay in the first cache while a tile is filled in parts.
const PART: usize = 128;

/// The inner products of [`HEIGHT`] rows with the [`WIDTH`] rows of a panel.
pub(super) type Tile = [[f32; WIDTH]; HEIGHT];

/// Takes inner products tile by tile. What is to run on the vector unit must be
/// `#[inline(always)]`.
pub(super) trait Visitor {
    /// Takes the products of rows, the first of which is at position `row`, with a panel whose
    /// first row is at position `at`. Of rows that are missing to a full tile there are any numbers.
    fn visit(&mut self, row: usize, at: usize, tile: &Tile);
}

/// The bytes in a cache line, at which panels begin.
const CACHE_LINE: usize = 64;

/// Rows of equal length, packed into panels so that their inner products with other rows are fast.
pub(super) struct Panels {
    dims: usize,
    values: Vec<f32>,
    /// Where the panels begin: at the start of a cache line.
    start: usize,
}

impl Panels {
    /// Packs rows of `dims` coordinates; the last panel is filled up with zeros.
    pub(super) fn new<'a>(dims: usize, rows: impl ExactSizeIterator<Item = &'a [f32]>) -> Self {
        Self::packed(dims, rows, |_, value| value)
    }

    /// Packs rows into panels, each less a mean.
    pub(super) fn centered<'a>(
        rows: impl ExactSizeIterator<Item = &'a [f32]>,
        mean: &[f32],
    ) -> Self {
        Self::packed(mean.len(), rows, |coordinate, value| value - mean[coordinate])
    }

    fn packed<'a>(
        dims: usize,
        rows: impl ExactSizeIterator<Item = &'a [f32]>,
        change: impl Fn(usize, f32) -> f32 + Sync,
    ) -> Self {
        let len = rows.len().div_ceil(WIDTH) * WIDTH * dims;
        let mut values = vec![0.0_f32; len + CACHE_LINE / size_of::<f32>()];
        let start = values.as_ptr().align_offset(CACHE_LINE).min(values.len() - len);
        values.truncate(start + len);
        let rows: Vec<&[f32]> = rows.collect();
        let panels = values[start..].par_chunks_exact_mut(WIDTH * dims);
        panels.zip(rows.par_chunks(WIDTH)).for_each(|(panel, rows)| {
            for (coordinate, values) in panel.chunks_exact_mut(WIDTH).enumerate() {
                for (value, row) in values.iter_mut().zip(rows) {
                    *value = change(coordinate, row[coordinate]);
                }
            }
        });
        Self { dims, values, start }
    }

    /// Puts other coordinates into the place of the packed row at a position.
    pub(super) fn replace(&mut self, at: usize, row: impl Iterator<Item = f32>) {
        let panel = &mut self.values[self.start + at / WIDTH * WIDTH * self.dims..];
        for (values, value) in panel.chunks_exact_mut(WIDTH).zip(row) {
            values[at % WIDTH] = value;
        }
    }

    /// Computes the inner products of all rows, less a mean, with all panels from the panel `first`
    /// on.
    pub(super) fn multiply_centered(
        &self,
        rows: &[&[f32]],
        mean: &[f32],
        first: usize,
        visitor: impl Visitor,
    ) {
        let bundles = self.bundles(rows, |coordinate, value| value - mean[coordinate]);
        let rows = rows.len();
        arch().dispatch(Multiplication { panels: self, first, bundles: &bundles, rows, visitor });
    }

    /// Rows in bundles of [`HEIGHT`]: for each coordinate, the values of all rows of the bundle.
    fn bundles(&self, rows: &[&[f32]], change: impl Fn(usize, f32) -> f32) -> Vec<[f32; HEIGHT]> {
        let mut bundles = vec![[0.0; HEIGHT]; rows.len().div_ceil(HEIGHT) * self.dims];
        for (at, row) in rows.iter().enumerate() {
            let bundle = &mut bundles[at / HEIGHT * self.dims..];
            let values = row[..self.dims].iter().enumerate();
            for (factors, (coordinate, &value)) in bundle.iter_mut().zip(values) {
                factors[at % HEIGHT] = change(coordinate, value);
            }
        }
        bundles
    }

    /// Computes the inner products of some rows, less a mean, with the first `count` packed ones.
    /// Calls `take` with the position of a row, the position of a packed row, and the products of
    /// the row with that one and those that follow in its panel.
    pub(super) fn products_centered(
        &self,
        count: usize,
        rows: &[&[f32]],
        mean: &[f32],
        mut take: impl FnMut(usize, usize, &[f32]),
    ) {
        let visitor = Copying { count, rows: rows.len(), take: &mut take };
        self.multiply_centered(rows, mean, 0, visitor);
    }
}

/// The share of the squares of both lengths by which the square of a distance, computed from
/// products, may exceed what the kernels compute.
///
/// With u the unit roundoff and d coordinates, a product is wrong by du of half of both squares and
/// enters twice; the squares of the lengths and the kernels' own sums, which run in 16 lanes or
/// more, are wrong by (d/16 + 16)u of themselves, the sum being at most twice both squares; less
/// the mean each coordinate is rounded once, and so is each of the last steps.
pub(super) fn product_error(dims: usize) -> f32 {
    let (dims, in_lanes) = (dims as f32, (dims / 16 + 16) as f32);
    (dims + 3.0 * in_lanes + 16.0) * (f32::EPSILON / 2.0) * 1.01
}

/// Hands inner products on to a function, row by row.
struct Copying<'a> {
    count: usize,
    rows: usize,
    take: &'a mut dyn FnMut(usize, usize, &[f32]),
}

impl Visitor for Copying<'_> {
    fn visit(&mut self, row: usize, at: usize, tile: &Tile) {
        let width = WIDTH.min(self.count - at);
        for (row, products) in (row..self.rows).zip(tile) {
            (self.take)(row, at, &products[..width]);
        }
    }
}

struct Multiplication<'a, V> {
    panels: &'a Panels,
    /// The number of the first panel that is multiplied.
    first: usize,
    bundles: &'a [[f32; HEIGHT]],
    /// The number of rows in all bundles; the last one is filled up with zeros.
    rows: usize,
    visitor: V,
}

impl<V: Visitor> WithSimd for Multiplication<'_, V> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let Panels { dims, values, start } = self.panels;
        let mut tile: Tile = [[0.0; WIDTH]; HEIGHT];
        let panels = values[*start..].chunks_exact(WIDTH * dims).enumerate();
        for (panel, values) in panels.skip(self.first) {
            for (bundle, rows) in self.bundles.chunks_exact(*dims).enumerate() {
                let count = (self.rows - bundle * HEIGHT).min(HEIGHT);
                let parts = values.chunks(PART * WIDTH).zip(rows.chunks(PART)).enumerate();
                for (part, (values, rows)) in parts {
                    let part = Part { values, rows, count, is_first: part == 0 };
                    match S::F32_LANES {
                        16 => registers::<S, 2, 2, HEIGHT>(simd, part, &mut tile),
                        8 => registers::<S, 4, 2, 6>(simd, part, &mut tile),
                        4 => registers::<S, 8, 4, 2>(simd, part, &mut tile),
                        _ => one_by_one(part, &mut tile),
                    }
                }
                self.visitor.visit(bundle * HEIGHT, panel * WIDTH, &tile);
            }
        }
    }
}

/// Some coordinates of a panel, and of a bundle of rows that it is multiplied with.
#[derive(Clone, Copy)]
struct Part<'a> {
    values: &'a [f32],
    rows: &'a [[f32; HEIGHT]],
    /// How many of the rows are wanted.
    count: usize,
    /// Whether these are the first coordinates: what the tile holds does not matter then.
    is_first: bool,
}

/// Adds products to a tile. A panel is `PANEL` registers wide, of which `WIDE` are multiplied with
/// `TALL` rows at a time.
#[inline(always)]
fn registers<S: Simd, const PANEL: usize, const WIDE: usize, const TALL: usize>(
    simd: S,
    part: Part<'_>,
    tile: &mut Tile,
) {
    let panel: &[[S::f32s; PANEL]] = chunks(cast_slice(part.values));
    for left in (0..PANEL).step_by(WIDE) {
        for top in (0..HEIGHT).step_by(TALL) {
            if top >= part.count {
                break;
            }
            let mut sums = [[simd.splat_f32s(0.0); WIDE]; TALL];
            if !part.is_first {
                for (sums, old) in sums.iter_mut().zip(&tile[top..top + TALL]) {
                    sums.copy_from_slice(&cast_slice::<f32, S::f32s>(old)[left..left + WIDE]);
                }
            }
            for (factors, values) in part.rows.iter().zip(panel) {
                for row in 0..TALL {
                    let factor = simd.splat_f32s(factors[top + row]);
                    for at in 0..WIDE {
                        sums[row][at] = simd.mul_add_f32s(factor, values[left + at], sums[row][at]);
                    }
                }
            }
            for (out, sums) in tile[top..top + TALL].iter_mut().zip(&sums) {
                let out = cast_slice_mut::<f32, S::f32s>(out);
                out[left..left + WIDE].copy_from_slice(sums);
            }
        }
    }
}

/// Values in groups of `N`.
#[inline(always)]
fn chunks<T: Pod, const N: usize>(values: &[T]) -> &[[T; N]] {
    values.as_chunks::<N>().0
}

/// Adds products to a tile where there are no vector registers.
fn one_by_one(part: Part<'_>, tile: &mut Tile) {
    if part.is_first {
        *tile = [[0.0; WIDTH]; HEIGHT];
    }
    for (factors, values) in part.rows.iter().zip(part.values.chunks_exact(WIDTH)) {
        for (sums, factor) in tile.iter_mut().zip(factors) {
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum = factor.mul_add(*value, *sum);
            }
        }
    }
}
