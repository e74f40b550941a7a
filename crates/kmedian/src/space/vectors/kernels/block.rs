//! Sixteen short rows at a time, so that each of their distances has a lane of its own.

use super::Rows;
use super::batches::Batch;
use super::metric::{Found, Kernel};
use super::unit::{LANES, Unit};

/// A way to look at the rows of a batch of items, by the length of rows.
pub(super) trait Probe: Copy {
    /// Which items of a batch are closer to a row than their caps.
    fn probe<U: Unit, K: Kernel>(
        self,
        unit: U,
        kernel: K,
        rows: Rows<'_>,
        from: &[f32],
        batch: &Batch<'_>,
    ) -> Found;
}

/// The way to look at rows of `STRIDE` coordinates, at most 16: sixteen rows at once.
#[derive(Clone, Copy)]
pub(super) struct Short<const STRIDE: usize>;

impl<const STRIDE: usize> Probe for Short<STRIDE> {
    #[inline(always)]
    fn probe<U: Unit, K: Kernel>(
        self,
        unit: U,
        kernel: K,
        rows: Rows<'_>,
        from: &[f32],
        batch: &Batch<'_>,
    ) -> Found {
        let (rows, _) = rows.values.as_chunks::<STRIDE>();
        let Some(from) = from.first_chunk() else { unreachable!("rows are of equal length") };
        let row = |at: usize| &rows[batch.items[at] as usize];
        // What joins the lanes of four vectors takes a quad of each of them to the quad of its
        // place.
        let a = fold_to_quads(unit, kernel, from, [row(0), row(4), row(8), row(12)]);
        let b = fold_to_quads(unit, kernel, from, [row(1), row(5), row(9), row(13)]);
        let c = fold_to_quads(unit, kernel, from, [row(2), row(6), row(10), row(14)]);
        let d = fold_to_quads(unit, kernel, from, [row(3), row(7), row(11), row(15)]);
        closer(unit, kernel, [a, b, c, d], batch)
    }
}

/// The way to look at rows of 17 to 64 coordinates, which are two to four vectors of lanes: sixteen
/// rows at once. One way for all lengths, as there would be too much to compile.
#[derive(Clone, Copy)]
pub(super) struct Middling;

impl Probe for Middling {
    #[inline(always)]
    fn probe<U: Unit, K: Kernel>(
        self,
        unit: U,
        kernel: K,
        rows: Rows<'_>,
        from: &[f32],
        batch: &Batch<'_>,
    ) -> Found {
        let mut folds = [unit.load(&[0.0; LANES]); LANES];
        for (fold, &item) in folds.iter_mut().zip(batch.items) {
            *fold = fold_to_lanes(unit, kernel, from, rows.of(item as usize));
        }
        let [a, e, i, m, b, f, j, n, c, g, k, o, d, h, l, p] = folds;
        let a = join_to_quads(unit, kernel, [a, b, c, d]);
        let e = join_to_quads(unit, kernel, [e, f, g, h]);
        let i = join_to_quads(unit, kernel, [i, j, k, l]);
        let m = join_to_quads(unit, kernel, [m, n, o, p]);
        closer(unit, kernel, [a, e, i, m], batch)
    }
}

/// Which of sixteen rows, each of which has been folded to four lanes, are closer than their caps.
/// The rows of `a` are the first, the fifth, the ninth and the thirteenth, those of `b` the ones
/// behind them, and so on.
#[inline(always)]
fn closer<U: Unit, K: Kernel>(
    unit: U,
    kernel: K,
    [a, b, c, d]: [U::Lanes; 4],
    batch: &Batch<'_>,
) -> Found {
    let [low, high] = unit.split_pairs(a, b);
    let ab = kernel.join(unit, low, high);
    let [low, high] = unit.split_pairs(c, d);
    let cd = kernel.join(unit, low, high);
    let [low, high] = unit.split_singles(ab, cd);
    let mut found = kernel.closer(unit, kernel.join(unit, low, high), &batch.caps);
    found.closer &= u32::MAX >> (32 - batch.count as u32);
    found
}

/// Folds each of four rows to four lanes: the first row to the first quad, and so on.
#[inline(always)]
fn fold_to_quads<U: Unit, K: Kernel, const STRIDE: usize>(
    unit: U,
    kernel: K,
    from: &[f32; STRIDE],
    [a, b, c, d]: [&[f32; STRIDE]; 4],
) -> U::Lanes {
    if STRIDE < LANES {
        let first = quad_terms(unit, kernel, from, [a, b, c, d], 0);
        if STRIDE == 4 {
            return first;
        }
        return kernel.join(unit, first, quad_terms(unit, kernel, from, [a, b, c, d], 1));
    }
    let from = unit.load(&from.as_chunks().0[0]);
    let a = kernel.term(unit, from, unit.load(&a.as_chunks().0[0]));
    let b = kernel.term(unit, from, unit.load(&b.as_chunks().0[0]));
    let c = kernel.term(unit, from, unit.load(&c.as_chunks().0[0]));
    let d = kernel.term(unit, from, unit.load(&d.as_chunks().0[0]));
    join_to_quads(unit, kernel, [a, b, c, d])
}

/// Joins the lanes of four rows to four each: those of the first row to the first quad, and so on.
#[inline(always)]
fn join_to_quads<U: Unit, K: Kernel>(unit: U, kernel: K, [a, b, c, d]: [U::Lanes; 4]) -> U::Lanes {
    let [low, high] = unit.split_halves(a, b);
    let ab = kernel.join(unit, low, high);
    let [low, high] = unit.split_halves(c, d);
    let cd = kernel.join(unit, low, high);
    let [low, high] = unit.split_quads(ab, cd);
    kernel.join(unit, low, high)
}

/// The terms of one quad of coordinates of each of four rows.
#[inline(always)]
fn quad_terms<U: Unit, K: Kernel, const STRIDE: usize>(
    unit: U,
    kernel: K,
    from: &[f32; STRIDE],
    rows: [&[f32; STRIDE]; 4],
    quad: usize,
) -> U::Lanes {
    let from = &from.as_chunks::<4>().0[quad];
    let [a, b, c, d] = rows;
    let quads = [
        &a.as_chunks::<4>().0[quad],
        &b.as_chunks::<4>().0[quad],
        &c.as_chunks::<4>().0[quad],
        &d.as_chunks::<4>().0[quad],
    ];
    kernel.term(unit, unit.load_quads([from; 4]), unit.load_quads(quads))
}

/// Folds a row of two to four vectors of lanes to one.
#[inline(always)]
fn fold_to_lanes<U: Unit, K: Kernel>(unit: U, kernel: K, from: &[f32], row: &[f32]) -> U::Lanes {
    let (from, row) = (from.as_chunks().0, row.as_chunks().0);
    let mut even = lanes_term(unit, kernel, &from[0], &row[0]);
    let mut odd = lanes_term(unit, kernel, &from[1], &row[1]);
    if row.len() > 2 {
        even = kernel.join(unit, even, lanes_term(unit, kernel, &from[2], &row[2]));
    }
    if row.len() > 3 {
        odd = kernel.join(unit, odd, lanes_term(unit, kernel, &from[3], &row[3]));
    }
    kernel.join(unit, even, odd)
}

/// The terms of sixteen coordinates. A closure in its place is not inlined: on a unit without
/// registers of sixteen lanes, every operation would then be a call.
#[inline(always)]
fn lanes_term<U: Unit, K: Kernel>(
    unit: U,
    kernel: K,
    from: &[f32; LANES],
    row: &[f32; LANES],
) -> U::Lanes {
    kernel.term(unit, unit.load(from), unit.load(row))
}
