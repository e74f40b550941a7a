//! The two nearest centers of many items, from nothing.

use rayon::prelude::*;

use crate::Question;
use crate::space::{Answering, AskerPool, Pair};

/// No center yet.
pub(super) const NONE: u32 = u32::MAX;
pub(super) const NOBODY: Pair = Pair { slots: [NONE; 2], distances: [f32::INFINITY; 2] };

/// So many items are told of all centers before the next are, while their coordinates are at hand.
const BLOCK: usize = 512;

/// The two nearest centers of each of some items of a space that does not explore, by slot where they are
/// equally near: block by block.
pub(crate) fn nearest_pairs(centers: &[usize], items: &[u32], pool: &AskerPool<'_>) -> Vec<Pair> {
    let blocks = items.par_chunks(BLOCK);
    blocks.flat_map_iter(|block| pool.lend(|asker| pairs_of_block(centers, block, asker))).collect()
}

fn pairs_of_block(centers: &[usize], items: &[u32], asker: &mut Answering<'_>) -> Vec<Pair> {
    let mut pairs = vec![NOBODY; items.len()];
    for (slot, &center) in (0..).zip(centers) {
        let hits = asker.ask(center, &Question::ball(items, f32::INFINITY));
        for (Pair { slots, distances }, hit) in pairs.iter_mut().zip(hits) {
            if hit.distance < distances[0] {
                (slots[1], distances[1]) = (slots[0], distances[0]);
                (slots[0], distances[0]) = (slot, hit.distance);
            } else if hit.distance < distances[1] {
                (slots[1], distances[1]) = (slot, hit.distance);
            }
        }
    }
    pairs
}
