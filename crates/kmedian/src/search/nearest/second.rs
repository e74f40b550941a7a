//! The second-nearest center of items that lost one of their two nearest.

use rayon::prelude::*;

use super::Nearest;
use crate::space::{Answering, AskerPool, Groups, LowerBounds, NONE, Pair};
use crate::{Question, tactics};

/// The items whose second-nearest center one task of the thread pool finds: each may be compared
/// with many centers, so a few are work enough.
const FEW: usize = 16;

/// The centers whose bounds are compared with a threshold at once: as many as fit into a few small
/// vector registers.
const BLOCK: usize = 16;

impl Nearest<'_> {
    /// Finds the second-nearest center of orphans among the centers round the one that is left to
    /// them. Returns the orphans that it left alone: all of them where centers are few, and those
    /// whose center has too many others round it.
    pub(super) fn find_second_around(&mut self, mut orphans: Vec<u32>) -> Vec<u32> {
        let many = tactics::looks_around(self.pairs.centers().len());
        let Some(centers) = self.packed.as_ref().filter(|_| many) else { return orphans };
        orphans.sort_unstable_by_key(|&item| (self.pairs.first(item), item));
        let nearest = |item: &u32| self.pairs.first(*item);
        let lists: Vec<&[u32]> = orphans.chunk_by(|a, b| nearest(a) == nearest(b)).collect();
        let found = centers.pairs_around(&lists, |item| self.pairs.of(item as usize));
        let mut left = Vec::new();
        for (items, pairs) in lists.into_iter().zip(found) {
            match pairs {
                Some(pairs) => items
                    .iter()
                    .zip(pairs)
                    .for_each(|(&item, pair)| self.pairs.set(item as usize, pair)),
                None => left.extend_from_slice(items),
            }
        }
        left.sort_unstable();
        left
    }

    /// Finds the second-nearest center of orphans, the items that lost one of their two. `newcomer`
    /// is the slot that has a new center, which has been offered already to the items that are
    /// closer to it than to their former second-nearest center.
    pub(super) fn find_second(
        &mut self,
        newcomer: usize,
        orphans: &[u32],
        asker: &mut Answering<'_>,
    ) {
        self.offer_center(newcomer, &Groups::default(), orphans, asker);
        let groups = match self.way.groups() {
            Some(_) => self.round_nearest(orphans),
            None => Groups::default(),
        };
        for slot in (0..self.pairs.centers().len()).filter(|&slot| slot != newcomer) {
            self.offer_center(slot, &groups, orphans, asker);
        }
    }

    /// [`Nearest::find_second`] from inner products with all centers. Returns false, and does
    /// nothing, where centers are not packed for that.
    pub(super) fn find_second_by_products(&mut self, orphans: &[u32]) -> bool {
        let Some(centers) = &self.packed else { return false };
        let pairs = centers.nearest_pairs(orphans);
        orphans.iter().zip(pairs).for_each(|(&item, pair)| self.pairs.set(item as usize, pair));
        true
    }

    /// [`Nearest::find_second`] from lower bounds of all distances. Returns false, and does
    /// nothing, where no bounds are kept.
    pub(super) fn find_second_by_bounds(&mut self, orphans: &[u32], pool: &AskerPool<'_>) -> bool {
        let bounded = self.way.bounded();
        let pairs = bounded.and_then(|bounded| {
            let lower_bounds = &bounded.lower_bounds;
            lower_bounds.are_kept().then(|| self.pairs_by_bounds(orphans, lower_bounds, pool))
        });
        let Some(pairs) = pairs else { return false };
        orphans.iter().zip(pairs).for_each(|(&item, pair)| self.pairs.set(item as usize, pair));
        true
    }

    /// The two nearest centers of some items, of which one or both may be known, from lower bounds
    /// of all distances.
    pub(super) fn pairs_by_bounds(
        &self,
        items: &[u32],
        lower_bounds: &LowerBounds<'_>,
        pool: &AskerPool<'_>,
    ) -> Vec<Pair> {
        let k = self.pairs.centers().len();
        let mut bounds = lower_bounds.table(self.pairs.centers(), items);
        let some = items.par_chunks(FEW).zip(bounds.par_chunks_mut(FEW * k));
        let find = |(items, bounds): (&[u32], &mut [u16])| {
            pool.lend(|asker| {
                let lines = items.iter().zip(bounds.chunks_mut(k));
                let pair = |(&item, bounds)| self.pair_by_bounds(item, bounds, lower_bounds, asker);
                lines.map(pair).collect::<Vec<Pair>>()
            })
        };
        some.flat_map_iter(find).collect()
    }

    /// The two nearest centers of an item, of which one or both may be known, from lower bounds of
    /// its distances to all centers: those with the smallest bounds are measured first, and then
    /// few others matter.
    fn pair_by_bounds(
        &self,
        item: u32,
        bounds: &mut [u16],
        lower_bounds: &LowerBounds<'_>,
        asker: &mut Answering<'_>,
    ) -> Pair {
        let mut pair = self.pairs.of(item as usize);
        let mut measure = |pair: Pair, slot: usize| {
            let distance = asker.distance(self.pairs.centers()[slot], item as usize);
            pair.offered(slot as u32, distance)
        };
        // What is known or measured gets a level above all thresholds: it need not be looked at
        // again.
        for slot in pair.slots.into_iter().filter(|&slot| slot != NONE) {
            bounds[slot as usize] = u16::MAX;
        }
        for slot in smallest_two(bounds).into_iter().flatten() {
            pair = measure(pair, slot);
            bounds[slot] = u16::MAX;
        }
        let mut threshold = lower_bounds.threshold(pair.distances[1]);
        for (block, some) in bounds.chunks(BLOCK).enumerate() {
            if some.iter().all(|&bound| bound > threshold) {
                continue;
            }
            for (slot, &bound) in (block * BLOCK..).zip(some) {
                if bound <= threshold {
                    pair = measure(pair, slot);
                    threshold = lower_bounds.threshold(pair.distances[1]);
                }
            }
        }
        pair
    }

    /// Groups items round their nearest centers.
    fn round_nearest(&self, items: &[u32]) -> Groups {
        let mut items = items.to_vec();
        items.sort_unstable_by_key(|&item| (self.pairs.first(item), item));
        let runs = || items.chunk_by(|&a, &b| self.pairs.first(a) == self.pairs.first(b));
        let anchor = |run: &[u32]| self.pairs.centers()[self.pairs.first(run[0]) as usize] as u32;
        let mut groups = Groups::new(runs().map(anchor).collect());
        for (group, run) in runs().enumerate() {
            groups.set(group, anchor(run), run, |item| self.pairs.reach(item));
        }
        groups
    }

    /// Offers the center in a slot to some items; by their groups, if there are any.
    ///
    /// In a space that explores, the caps are not Lipschitz between these items and the others, but
    /// that does no harm: on the way from a center to an item whose second-nearest it is, it is one
    /// of the two nearest of every item, and so closer than its cap or just as close.
    pub(super) fn offer_center(
        &mut self,
        slot: usize,
        groups: &Groups,
        items: &[u32],
        asker: &mut Answering<'_>,
    ) {
        let (center, caps) = (self.pairs.centers()[slot], self.pairs.caps());
        let picked =
            self.way.bounded().map(|bounded| bounded.lower_bounds.pick(center as u32, items, caps));
        let question = if groups.is_empty() {
            Question::listed(picked.as_deref().unwrap_or(items), caps)
        } else {
            Question::grouped(groups, caps)
        };
        asker.ask(center, &question);
        for hit in &asker.hits {
            self.pairs.offer(hit.item as usize, slot as u32, hit.distance);
        }
    }
}

/// The slots of the two smallest of some bounds.
fn smallest_two(bounds: &[u16]) -> [Option<usize>; 2] {
    let (mut slots, mut smallest) = ([None; 2], [u16::MAX; 2]);
    for (slot, &bound) in bounds.iter().enumerate() {
        if bound < smallest[0] {
            (slots, smallest) = ([Some(slot), slots[0]], [bound, smallest[0]]);
        } else if bound < smallest[1] {
            (slots[1], smallest[1]) = (Some(slot), bound);
        }
    }
    slots
}
