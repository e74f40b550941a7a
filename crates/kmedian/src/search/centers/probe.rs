//! Whether lower bounds of distances pay, found out by comparing a few candidates with all items
//! within reach.

use rayon::prelude::*;

use super::super::way::Way;
use super::Centers;
use crate::space::{LowerBounds, Range};
use crate::{Hit, tactics};

/// One in this many items that are close to a candidate, the closest, is so close that lower bounds
/// need not tell its distance well from others.
const NEAR: usize = 20;

/// One in this many items, those with the largest caps, is so far from all others that lower bounds
/// need not tell its cap well from others.
const FAR: usize = 200;

/// What a few candidates showed that were compared with all items within reach.
pub(super) struct Probed {
    /// The share of the items that a candidate is compared with where there are no lower bounds.
    pub(super) within_reach: f32,
    /// The distances of items that are closer to a candidate than their caps, but for distances of
    /// zero: each candidate is such an item itself.
    pub(super) close: Vec<f32>,
    /// The number of candidates that were tried.
    pub(super) probes: usize,
}

impl Centers<'_> {
    /// Gets ready to judge many candidates: by lower bounds of distances, where that promises to be
    /// cheaper than to look at all items within reach.
    pub(crate) fn get_ready(&mut self) {
        let unready = self.nearest.way.lower_bounds().is_none();
        let Some(vectors) = self.problem.space.own().as_vectors().filter(|_| unready) else {
            return;
        };
        let (probed, means) = (self.probe(), &self.means);
        let tracked = self.nearest.pairs.tracked();
        let range = self.range(probed.close);
        let candidates = self.candidate_count();
        let kept = tactics::keeps_bounds(candidates, tracked.len(), means.memory);
        let pruning = tactics::bounds(probed.within_reach, vectors.has_products(), kept);
        let bounds =
            |by| Some((LowerBounds::by(by, vectors, candidates, tracked, range, means)?, by));
        if let Some((lower_bounds, pruning)) = pruning.and_then(bounds) {
            self.nearest.way = Way::Bounds(Box::new(lower_bounds), pruning);
        }
    }

    /// Compares a few candidates with all items within reach.
    pub(super) fn probe(&self) -> Probed {
        let candidates = self.candidates();
        let few = candidates.par_iter().step_by(candidates.len().div_ceil(tactics::PROBES));
        let (probes, items) = (few.len(), self.problem.demand.items().len());
        let within = |&item: &u32| {
            self.pool.lend(|asker| self.nearest.within_reach(item as usize, asker).to_vec())
        };
        let found: Vec<Hit> = few.flat_map_iter(within).collect();
        // A candidate is also compared with every center.
        let compared = found.len() + probes * self.losses.len();
        let within_reach = compared as f32 / (probes * items) as f32;
        let caps = self.nearest.pairs.caps();
        let is_close = |hit: &&Hit| hit.distance > 0.0 && hit.distance < caps[hit.item as usize];
        let close = found.iter().filter(is_close);
        Probed { within_reach, close: close.map(|hit| hit.distance).collect(), probes }
    }

    /// The distances that lower bounds should tell apart, judged by the distances `close` of a few
    /// candidates to items closer than their caps. It reaches up to nearly all caps, and down to
    /// what all but the closest twentieth of `close` exceed; then, as later candidates may be
    /// nearer to items, lower by the same ratio again, but at most by two.
    fn range(&self, mut close: Vec<f32>) -> Range {
        let tracked = self.nearest.pairs.tracked();
        let mut caps: Vec<f32> =
            tracked.iter().map(|&item| self.nearest.pairs.caps()[item as usize]).collect();
        let diameter = || self.problem.space.diameter_bound();
        let at =
            |values: &mut [f32], place| *values.select_nth_unstable_by(place, f32::total_cmp).1;
        let (last, few) = (caps.len() - 1, caps.len() / FAR);
        let farthest =
            Some(at(&mut caps, last)).filter(|cap| cap.is_finite()).unwrap_or_else(diameter);
        let far = at(&mut caps, last - few).min(farthest);
        if close.is_empty() {
            return Range { near: 0.0, far, farthest };
        }
        let place = close.len() / NEAR;
        let near = at(&mut close, place);
        Range { near: near / (far / near).clamp(1.0, 2.0), far, farthest }
    }
}
