//! The items of a question, up to sixteen at a time.

use super::block::Probe;
use super::metric::Kernel;
use super::sweep::Source;
use super::unit::{LANES, Unit};
use crate::space::Groups;

/// Up to sixteen items that are compared with a source at once, and their caps.
pub(super) struct Batch<'a> {
    /// The items; behind the first `count` of them, any others.
    pub(super) items: &'a [u32; LANES],
    /// The cap of each item: the distance that it must be below.
    pub(super) caps: [f32; LANES],
    /// How many of the sixteen places hold items of the question.
    pub(super) count: usize,
}

/// The items of a question. One type for all kinds, so that what is done with the items is compiled
/// once.
pub(super) enum Batches<'a, U, K, P> {
    /// The items from the first number to below the second.
    Range(u32, u32),
    /// The items of a list.
    Listed(&'a [u32]),
    /// The items of groups that are within reach.
    Grouped(Reached<'a, U, K, P>),
}

impl<'a, U: Unit, K: Kernel, P: Probe> Batches<'a, U, K, P> {
    /// The next items, any others behind them, and their number: 0 at the end. They are put
    /// together in `items`, unless they lie somewhere as they are needed.
    #[inline(always)]
    pub(super) fn next<'b>(&mut self, items: &'b mut [u32; LANES]) -> (&'b [u32; LANES], usize)
    where
        'a: 'b,
    {
        match self {
            Batches::Range(start, end) => {
                let count = (*end - *start).min(LANES as u32);
                for (lane, item) in items.iter_mut().enumerate() {
                    // Not beyond the end, where no items are.
                    *item = *start + (lane as u32).min(count.saturating_sub(1));
                }
                *start += count;
                (items, count as usize)
            }
            Batches::Listed(list) => {
                if let Some((first, rest)) = list.split_first_chunk() {
                    *list = rest;
                    return (first, LANES);
                }
                items[..list.len()].copy_from_slice(list);
                (items, std::mem::take(list).len())
            }
            Batches::Grouped(reached) => {
                let count = reached.next(items);
                (items, count)
            }
        }
    }
}

/// The items of groups that are within reach of a source.
pub(super) struct Reached<'a, U, K, P> {
    source: Source<'a, U, K, P>,
    groups: &'a Groups,
    /// The first group whose anchor has not been looked at.
    next: usize,
    /// A bit for each of the groups whose anchors were looked at last, if it is within reach and
    /// still to come.
    open: u32,
    /// The distances of the anchors that were looked at last.
    distances: [f32; LANES],
    /// The items of the present group that are still to come.
    items: &'a [u32],
}

impl<'a, U: Unit, K: Kernel, P: Probe> Reached<'a, U, K, P> {
    #[inline(always)]
    pub(super) fn new(source: Source<'a, U, K, P>, groups: &'a Groups) -> Self {
        Self { source, groups, next: 0, open: 0, distances: [0.0; LANES], items: &[] }
    }

    /// Looks at the next anchors until one is within reach of its group, or none is left.
    #[inline(always)]
    fn look(&mut self) {
        while self.open == 0 && self.next < self.groups.anchors().len() {
            let left = &self.groups.anchors()[self.next..];
            let count = left.len().min(LANES);
            let (mut anchors, mut caps) = ([left[0]; LANES], [0.0; LANES]);
            anchors[..count].copy_from_slice(&left[..count]);
            for (at, cap) in caps[..count].iter_mut().enumerate() {
                *cap = self.groups.farthest(self.next + at);
            }
            let found = self.source.probe(&Batch { items: &anchors, caps, count });
            (self.open, self.distances) = (found.closer, found.distances);
            self.next += LANES;
        }
    }

    /// Writes the next items to the front of `items`, and returns their number.
    #[inline(always)]
    fn next(&mut self, items: &mut [u32; LANES]) -> usize {
        let mut count = 0;
        while count < LANES {
            if self.items.is_empty() {
                self.look();
                if self.open == 0 {
                    break;
                }
                let at = self.open.trailing_zeros() as usize % LANES;
                self.open &= self.open - 1;
                self.items = self.groups.reached(self.next - LANES + at, self.distances[at]);
            }
            let (taken, rest) = self.items.split_at(self.items.len().min(LANES - count));
            items[count..count + taken.len()].copy_from_slice(taken);
            count += taken.len();
            self.items = rest;
        }
        count
    }
}
