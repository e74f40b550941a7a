//! Bounds from the distances themselves: as bytes, all of them find room, and each is measured
//! once.

use super::super::{Asker, LentVectors, Question};
use super::code::Code;

/// Items that are compared with all sources before the next ones are: their coordinates stay in the
/// cache.
const BLOCK: usize = 64;

/// The vectors whose distances are measured.
pub(super) struct FromDistances<'a> {
    pub(super) vectors: &'a LentVectors<'a>,
}

impl FromDistances<'_> {
    /// For each source, its distances to some items, rounded down.
    pub(super) fn compare(
        &self,
        sources: &[u32],
        items: &[u32],
        code: &Code,
        bounds: &mut [&mut [u8]],
    ) {
        let mut asker = self.vectors;
        let mut hits = Vec::new();
        for (block, items) in items.chunks(BLOCK).enumerate() {
            let question = Question::ball(items, f32::INFINITY);
            for (bounds, &source) in bounds.iter_mut().zip(sources) {
                asker.ask(source as usize, &question, &mut hits);
                let bounds = &mut bounds[block * BLOCK..];
                for (bound, hit) in bounds.iter_mut().zip(&hits) {
                    *bound = code.byte(hit.distance);
                }
            }
        }
    }
}
