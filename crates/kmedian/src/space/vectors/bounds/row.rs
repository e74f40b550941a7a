//! The lower bounds of one source, and the items that they do not dismiss.

use std::borrow::Cow;

use super::super::Hit;
use super::super::kernels::{self, BLOCK};
use super::level::Level;

/// Lower bounds of the distances of a source to all items, as levels.
pub(crate) struct Row<'a> {
    pub(super) levels: Levels<'a>,
    /// The items, in the order of the levels.
    pub(super) items: &'a [u32],
    /// The distance that each level stands for.
    pub(super) distances: &'a [f32],
}

/// The levels of a row, as they are kept.
pub(super) enum Levels<'a> {
    Bytes(Compared<'a, u8>),
    Words(Compared<'a, u16>),
}

/// The levels of a row in one or two parts, and those of the caps that they are compared with.
pub(super) struct Compared<'a, L: Level> {
    pub(super) parts: [Cow<'a, [L]>; 2],
    pub(super) thresholds: &'a [L],
}

impl Row<'_> {
    /// Calls `visit` with the items that may be closer to the source than their cap, in order, and
    /// with the levels of their bounds.
    #[inline(always)]
    pub(crate) fn visit_close(&self, visit: impl FnMut(u32, usize)) {
        match &self.levels {
            Levels::Bytes(levels) => levels.visit_close(self.items, visit),
            Levels::Words(levels) => levels.visit_close(self.items, visit),
        }
    }

    /// The items that may be closer to the source than their cap, in order, with distances that are
    /// never above the true ones.
    pub(crate) fn close(&self) -> Vec<Hit> {
        let mut hits = Vec::new();
        self.visit_close(|item, level| hits.push(Hit { item, distance: self.distances[level] }));
        hits
    }

    /// The items whose bounds are below their caps, which are given by item, in order, with the
    /// bounds.
    pub(crate) fn below(&self, caps: &[f32]) -> Vec<Hit> {
        let mut hits = Vec::new();
        self.visit_close(|item, level| {
            let distance = self.distances[level];
            if distance < caps[item as usize] {
                hits.push(Hit { item, distance });
            }
        });
        hits
    }

    /// The level of the item at a position.
    pub(super) fn at(&self, position: usize) -> u16 {
        match &self.levels {
            Levels::Bytes(levels) => levels.at(position).into(),
            Levels::Words(levels) => levels.at(position),
        }
    }
}

impl<L: Level> Compared<'_, L> {
    #[inline(always)]
    fn visit_close(&self, items: &[u32], mut visit: impl FnMut(u32, usize)) {
        let [before, behind] = &self.parts;
        let (first, second) = self.thresholds.split_at(before.len());
        for (start, levels, thresholds) in [(0, before, first), (before.len(), behind, second)] {
            let (levels, _) = levels.as_chunks::<BLOCK>();
            let bits = kernels::up_to(levels, thresholds.as_chunks().0);
            let items = items[start.min(items.len())..].chunks(BLOCK);
            for ((bits, levels), items) in bits.into_iter().zip(levels).zip(items) {
                for at in Ones(bits) {
                    visit(items[at], levels[at % BLOCK].index());
                }
            }
        }
    }

    fn at(&self, position: usize) -> L {
        let [before, behind] = &self.parts;
        before.get(position).copied().unwrap_or_else(|| behind[position - before.len()])
    }
}

/// The positions of the ones among bits, the lowest first.
struct Ones(u64);

impl Iterator for Ones {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let at = self.0.trailing_zeros() as usize;
        self.0 &= self.0.wrapping_sub(1);
        (at < BLOCK).then_some(at)
    }
}
