//! Hits on their way to a list: gathered in a buffer, without a branch for each.

use super::metric::Found;
use super::unit::LANES;
use crate::space::Hit;

/// The number of hits that are held in a buffer before they are appended to the list, so that the
/// list need not be asked for room for each.
const HELD: usize = 8 * LANES;

/// Appends hits to a list, by way of a buffer.
pub(super) struct Writer<'a> {
    hits: &'a mut Vec<Hit>,
    held: [Hit; HELD],
    count: usize,
}

impl<'a> Writer<'a> {
    #[inline(always)]
    pub(super) fn new(hits: &'a mut Vec<Hit>) -> Self {
        Self { hits, held: [Hit { item: 0, distance: 0.0 }; HELD], count: 0 }
    }

    /// Appends those of sixteen items that were found to be closer than their caps.
    #[inline(always)]
    pub(super) fn write(&mut self, items: &[u32; LANES], found: &Found) {
        if found.closer == 0 {
            return;
        }
        // Every item is written and most are overwritten by the next: no branch that could be
        // foreseen wrongly.
        for (lane, (&item, &distance)) in items.iter().zip(&found.distances).enumerate() {
            let hit = Hit { item, distance };
            self.held[self.count % HELD] = hit;
            self.count += (found.closer >> lane & 1) as usize;
        }
        if self.count > HELD - LANES {
            self.flush();
        }
    }

    /// Appends the hits that were held back.
    #[inline(always)]
    pub(super) fn flush(&mut self) {
        self.hits.extend_from_slice(&self.held[..self.count]);
        self.count = 0;
    }
}
