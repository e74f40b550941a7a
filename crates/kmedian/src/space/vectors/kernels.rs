//! Distances between padded rows of coordinates, and the scan for the items that are close.
//!
//! A distance is a *fold*: coordinate by coordinate a term is joined to one of 64 lanes, the i-th
//! coordinate to lane i mod 64; then the upper half of the lanes is joined to the lower half, until
//! one is left. Whether one row is folded at a time or sixteen, and on which vector unit, changes
//! nothing in this order, so a distance is the same to the last bit on every machine.

mod batches;
mod block;
mod columns;
mod levels;
mod lookup;
mod metric;
mod row;
mod sweep;
mod unit;
mod writer;

use super::{Caps, Groups, Hit, Metric};
use metric::with_kernel;

pub(super) use columns::Columns;
pub(super) use levels::Compared;
pub(super) use metric::EARTH_RADIUS;
#[cfg(test)]
pub(super) use unit::on_all_units;
pub(super) use unit::{BLOCK, LANES, Pair, Task, Unit, arch, dispatch, dispatch_products};
pub use unit::{vector_unit, vector_units};

/// The length of a row of `dims` coordinates with its padding: 4, 8 or a multiple of 16, so that
/// rows split into quads or fill the lanes of a vector unit.
pub(super) fn padded(dims: usize) -> usize {
    match dims {
        0..=4 => 4,
        5..=8 => 8,
        _ => dims.next_multiple_of(unit::LANES),
    }
}

/// Rows of equal, padded length, one after the other.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) values: &'a [f32],
    pub(super) stride: usize,
}

impl<'a> Rows<'a> {
    /// The row of an item.
    #[inline(always)]
    pub(super) fn of(self, item: usize) -> &'a [f32] {
        &self.values[item * self.stride..][..self.stride]
    }
}

/// The items that a scan looks at.
#[derive(Clone, Copy)]
pub(super) enum Items<'a> {
    /// The items from the first number to below the second.
    Range(u32, u32),
    /// The items of a list.
    Listed(&'a [u32]),
    /// The items of each group that are within reach of the source.
    Grouped(&'a Groups),
}

/// The distance between two padded rows.
pub(super) fn distance(metric: Metric, a: &[f32], b: &[f32]) -> f32 {
    with_kernel!(metric, |kernel| dispatch(row::Distance { kernel, a, b }))
}

/// The distance between two padded rows, for a task that runs on a unit already.
#[inline(always)]
pub(super) fn distance_on<U: Unit>(unit: U, metric: Metric, a: &[f32], b: &[f32]) -> f32 {
    with_kernel!(metric, |kernel| row::Distance { kernel, a, b }.run(unit))
}

/// The distance of rows whose squared differences have the given sum, to the last bit, under a
/// metric that is computed from that sum. It grows with the sum.
pub(super) fn of_squares(metric: Metric, sum: f32) -> f32 {
    with_kernel!(metric, |kernel| metric::Kernel::distance(kernel, sum))
}

/// A sum of squared differences from which on the distance of two rows is not below the given one.
pub(super) fn to_squares(metric: Metric, distance: f32) -> f32 {
    with_kernel!(metric, |kernel| metric::Kernel::bound(kernel, distance))
}

/// Appends the items that are closer to the row `from` than their caps to the hits, in the order of
/// `items`.
pub(super) fn sweep(
    metric: Metric,
    rows: Rows<'_>,
    from: &[f32],
    items: Items<'_>,
    caps: Caps<'_>,
    hits: &mut Vec<Hit>,
) {
    with_kernel!(metric, |kernel| dispatch(sweep::Sweep { kernel, rows, from, items, caps, hits }));
}

/// Appends those of consecutive items, from `first` on, whose known distances are below their caps
/// to the hits.
pub(crate) fn lookup(first: usize, distances: &[f32], caps: Caps<'_>, hits: &mut Vec<Hit>) {
    dispatch(lookup::Lookup { first, distances, caps, hits });
}

/// For each block of levels, a bit for each level, the lowest for the first: whether it is at most
/// its limit.
pub(super) fn up_to<L: Compared>(levels: &[[L; BLOCK]], limits: &[[L; BLOCK]]) -> Vec<u64> {
    dispatch(levels::UpTo { levels, limits })
}

#[cfg(test)]
mod tests;
