//! Sixteen short rows at a time, so that each of their distances has a lane of its own.

use super::Rows;
use super::batches::Batch;
use super::metric::{Found, Kernel};
use super::row::{WIDTH, join_width};
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

/// The way to look at rows of `STRIDE` coordinates, at most 32: sixteen rows at once.
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

/// The way to look at rows of more than 16 coordinates, which are two vectors of lanes or more:
/// sixteen rows at once, to the end. One way for all lengths, as there would be too much to
/// compile.
#[derive(Clone, Copy)]
pub(super) struct Together;

impl Probe for Together {
    #[inline(always)]
    fn probe<U: Unit, K: Kernel>(
        self,
        unit: U,
        kernel: K,
        rows: Rows<'_>,
        from: &[f32],
        batch: &Batch<'_>,
    ) -> Found {
        let row = |at: usize| rows.of(batch.items[at] as usize);
        if !U::WIDE {
            // By way of memory, as four rows at once would not stay in registers.
            let mut folds = [unit.load(&[0.0; LANES]); LANES];
            for (at, fold) in folds.iter_mut().enumerate() {
                *fold = fold_to_lanes(unit, kernel, from, row(at));
            }
            let [a, e, i, m, b, f, j, n, c, g, k, o, d, h, l, p] = folds;
            let a = join_to_quads(unit, kernel, [a, b, c, d]);
            let e = join_to_quads(unit, kernel, [e, f, g, h]);
            let i = join_to_quads(unit, kernel, [i, j, k, l]);
            let m = join_to_quads(unit, kernel, [m, n, o, p]);
            return closer(unit, kernel, [a, e, i, m], batch);
        }
        // A loop, as four copies of what is in it would take four times as long to compile.
        let mut quads = [unit.load(&[0.0; LANES]); 4];
        for (at, quads) in quads.iter_mut().enumerate() {
            // Written out: `map` of an array would stay a call.
            let rows = [row(at), row(at + 4), row(at + 8), row(at + 12)];
            *quads = fold_rows(unit, kernel, from, rows);
        }
        closer(unit, kernel, quads, batch)
    }
}

/// Which of sixteen rows are closer than their caps, given folds to four lanes as [`join_quads`]
/// takes them.
#[inline(always)]
fn closer<U: Unit, K: Kernel>(
    unit: U,
    kernel: K,
    [a, b, c, d]: [U::Lanes; 4],
    batch: &Batch<'_>,
) -> Found {
    let mut found = kernel.closer(unit, join_quads(unit, kernel, [a, b, c, d]), &batch.caps);
    found.closer &= u32::MAX >> (32 - batch.count as u32);
    found
}

/// The folds of sixteen rows, a lane each, each of which has been folded to four lanes. The rows of
/// `a` are the first, the fifth, the ninth and the thirteenth, those of `b` the ones behind them,
/// and so on.
#[inline(always)]
fn join_quads<U: Unit, K: Kernel>(unit: U, kernel: K, [a, b, c, d]: [U::Lanes; 4]) -> U::Lanes {
    let [low, high] = unit.split_pairs(a, b);
    let ab = kernel.join(unit, low, high);
    let [low, high] = unit.split_pairs(c, d);
    let cd = kernel.join(unit, low, high);
    let [low, high] = unit.split_singles(ab, cd);
    kernel.join(unit, low, high)
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
    let a = fold_one_or_two(unit, kernel, from, a);
    let b = fold_one_or_two(unit, kernel, from, b);
    let c = fold_one_or_two(unit, kernel, from, c);
    let d = fold_one_or_two(unit, kernel, from, d);
    join_to_quads(unit, kernel, [a, b, c, d])
}

/// Folds each of four rows of two vectors of lanes or more to four lanes: the first row to the
/// first quad, and so on.
#[inline(always)]
fn fold_rows<U: Unit, K: Kernel>(
    unit: U,
    kernel: K,
    from: &[f32],
    [a, b, c, d]: [&[f32]; 4],
) -> U::Lanes {
    let a = fold_to_lanes(unit, kernel, from, a);
    let b = fold_to_lanes(unit, kernel, from, b);
    let c = fold_to_lanes(unit, kernel, from, c);
    let d = fold_to_lanes(unit, kernel, from, d);
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

/// Folds a row of one or two vectors of lanes to one.
#[inline(always)]
fn fold_one_or_two<U: Unit, K: Kernel, const STRIDE: usize>(
    unit: U,
    kernel: K,
    from: &[f32; STRIDE],
    row: &[f32; STRIDE],
) -> U::Lanes {
    let (from, row) = (from.as_chunks().0, row.as_chunks().0);
    let first = lanes_term(unit, kernel, &from[0], &row[0]);
    if STRIDE == LANES {
        return first;
    }
    kernel.join(unit, first, lanes_term(unit, kernel, &from[1], &row[1]))
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

/// Folds a row of two vectors of lanes or more to one.
#[inline(always)]
fn fold_to_lanes<U: Unit, K: Kernel>(unit: U, kernel: K, from: &[f32], row: &[f32]) -> U::Lanes {
    let (from, row) = (from.as_chunks().0, row.as_chunks().0);
    let mut a = lanes_term(unit, kernel, &from[0], &row[0]);
    let mut b = lanes_term(unit, kernel, &from[1], &row[1]);
    if row.len() <= WIDTH {
        if row.len() > 2 {
            a = kernel.join(unit, a, lanes_term(unit, kernel, &from[2], &row[2]));
        }
        if row.len() == WIDTH {
            b = kernel.join(unit, b, lanes_term(unit, kernel, &from[3], &row[3]));
        }
        return kernel.join(unit, a, b);
    }
    let mut c = lanes_term(unit, kernel, &from[2], &row[2]);
    let mut d = lanes_term(unit, kernel, &from[3], &row[3]);
    let (from, last_from) = from[4..].as_chunks::<WIDTH>();
    let (row, last) = row[4..].as_chunks::<WIDTH>();
    for (from, row) in from.iter().zip(row) {
        a = kernel.join(unit, a, lanes_term(unit, kernel, &from[0], &row[0]));
        b = kernel.join(unit, b, lanes_term(unit, kernel, &from[1], &row[1]));
        c = kernel.join(unit, c, lanes_term(unit, kernel, &from[2], &row[2]));
        d = kernel.join(unit, d, lanes_term(unit, kernel, &from[3], &row[3]));
    }
    // One by one, so that the lanes stay in registers.
    if let (Some(from), Some(row)) = (last_from.first(), last.first()) {
        a = kernel.join(unit, a, lanes_term(unit, kernel, from, row));
    }
    if let (Some(from), Some(row)) = (last_from.get(1), last.get(1)) {
        b = kernel.join(unit, b, lanes_term(unit, kernel, from, row));
    }
    if let (Some(from), Some(row)) = (last_from.get(2), last.get(2)) {
        c = kernel.join(unit, c, lanes_term(unit, kernel, from, row));
    }
    join_width(unit, kernel, [a, b, c, d])
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
