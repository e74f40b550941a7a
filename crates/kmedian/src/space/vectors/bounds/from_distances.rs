//! Lower bounds from the distances themselves: each is measured once, and kept as a level.

use super::super::{Asker, LentVectors, Question};
use super::code::Code;
use super::level::Level;

/// The number of items that are compared with all sources before the next ones are: few enough for
/// their coordinates to stay in the cache.
const BLOCK: usize = 64;

/// Vectors whose distances are measured and rounded down to lower bounds.
pub(super) struct FromDistances<'a> {
    pub(super) vectors: &'a LentVectors<'a>,
}

impl FromDistances<'_> {
    /// For each source, its distances to some items, rounded down.
    pub(super) fn compare<L: Level>(
        &self,
        sources: &[u32],
        items: &[u32],
        code: &Code<L>,
        bounds: &mut [&mut [L]],
    ) {
        let mut asker = self.vectors;
        let mut hits = Vec::new();
        for (block, items) in items.chunks(BLOCK).enumerate() {
            let question = Question::ball(items, f32::INFINITY);
            for (bounds, &source) in bounds.iter_mut().zip(sources) {
                asker.ask(source as usize, &question, &mut hits);
                let bounds = &mut bounds[block * BLOCK..];
                for (bound, hit) in bounds.iter_mut().zip(&hits) {
                    *bound = code.level(hit.distance);
                }
            }
        }
    }
}
