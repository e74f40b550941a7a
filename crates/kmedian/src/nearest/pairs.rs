//! The two nearest centers of many items, from nothing.

use rayon::prelude::*;

use crate::Question;
use crate::space::{Answering, AskerPool, Pair, position};

/// No center yet.
pub(super) const NONE: u32 = u32::MAX;
pub(super) const NOBODY: Pair = Pair { slots: [NONE; 2], distances: [f32::INFINITY; 2] };

/// So many items are told of all centers before the next are, while their coordinates are at hand.
const BLOCK: usize = 512;

impl Pair {
    /// The two nearest centers, with one more to choose from. Of equally near ones the first slot counts, so that
    /// the order of offers does not matter.
    pub(super) fn offered(self, slot: u32, distance: f32) -> Self {
        let Self { slots, distances } = self;
        let nearer = |than: usize| (distance, slot) < (distances[than], slots[than]);
        if slots.contains(&slot) {
            self
        } else if nearer(0) {
            Self { slots: [slot, slots[0]], distances: [distance, distances[0]] }
        } else if nearer(1) {
            Self { slots: [slots[0], slot], distances: [distances[0], distance] }
        } else {
            self
        }
    }
}

/// The two nearest centers of each of some ascending items of a space that does not explore, by slot where they
/// are equally near: block by block.
pub(crate) fn nearest_pairs(centers: &[usize], items: &[u32], pool: &AskerPool<'_>) -> Vec<Pair> {
    let len = items.last().map_or(0, |&last| last as usize + 1);
    let blocks = items.par_chunks(BLOCK).map_init(
        || vec![f32::INFINITY; len],
        |caps, block| pool.lend(|asker| pairs_of_block(centers, block, caps, asker)),
    );
    blocks.flatten_iter().collect()
}

/// A center that is not closer than the second-nearest so far does not matter: that is the cap of an item.
fn pairs_of_block(
    centers: &[usize],
    items: &[u32],
    caps: &mut [f32],
    asker: &mut Answering<'_>,
) -> Vec<Pair> {
    let mut pairs = vec![NOBODY; items.len()];
    for (slot, &center) in (0..).zip(centers) {
        let hits = asker.ask(center, &Question::listed(items, caps));
        for (rank, hit) in hits.iter().enumerate() {
            let Pair { slots, distances } = &mut pairs[position(items, hit.item, rank)];
            if hit.distance < distances[0] {
                (slots[1], distances[1]) = (slots[0], distances[0]);
                (slots[0], distances[0]) = (slot, hit.distance);
            } else {
                (slots[1], distances[1]) = (slot, hit.distance);
            }
            caps[hit.item as usize] = distances[1];
        }
    }
    pairs
}
