//! Whether lower bounds of distances pay, and how long it would take to certify centers: predicted
//! from a few candidates, how many items are within reach of them and how many they are compared
//! with where triangles dismiss what they can; never from a clock.

use std::time::Duration;

use rayon::prelude::*;

use super::super::way::Way;
use super::Centers;
use crate::space::{LentVectors, LowerBounds, Range};
use crate::tactics::{self, Judging};
use crate::{Hit, Pruning};

/// The most candidates that are judged to see how many items each is compared with: a rough mean
/// suffices to predict a time.
const JUDGED: usize = 32;

/// Of so many candidates one is judged to see how many items it is compared with, until
/// [`JUDGED`] are: so that it takes little beside judging all of them.
const JUDGED_OF: usize = 128;

/// One in this many items that are close to a candidate, the closest, is so close that lower bounds
/// need not tell its distance well from others.
const NEAR: usize = 20;

/// One in this many items, those with the largest caps, is so far from all others that lower bounds
/// need not tell its cap well from others.
const FAR: usize = 200;

/// What a few candidates showed that were compared with all items within reach.
struct Probed {
    /// The share of the items that a candidate is compared with where there are no lower bounds.
    within_reach: f32,
    /// The distances of items that are closer to a candidate than their caps, but for distances of
    /// zero: each candidate is such an item itself.
    close: Vec<f32>,
    /// The number of candidates that were tried.
    probes: usize,
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
        if self.possible_bounds(&probed, vectors, means.memory).is_none() {
            return;
        }
        let pruning = self.judging(&probed, vectors, means.memory).bounds();
        let tracked = self.nearest.pairs.tracked();
        let bounds = |by| {
            let (candidates, range) = (self.candidate_count(), self.range(probed.close));
            Some((LowerBounds::by(by, vectors, candidates, tracked, range, means)?, by))
        };
        if let Some((lower_bounds, pruning)) = pruning.and_then(bounds) {
            self.nearest.way = Way::Bounds(Box::new(lower_bounds), pruning);
        }
    }

    /// How long a search from these centers to a local optimum is predicted to take, on one thread;
    /// zero where nothing is known of the time of a distance, or all are in a table. The memory at
    /// hand does not matter to it, so every machine decides alike.
    pub(crate) fn time_to_certify(&self) -> Duration {
        let Some(vectors) = self.problem.space.own().as_vectors() else { return Duration::ZERO };
        let at_worst = self.judging_all(vectors).time();
        if tactics::certifies(at_worst) {
            return at_worst;
        }
        self.judging(&self.probe(), vectors, tactics::COMMON_MEMORY).time()
    }

    /// What the time to judge all candidates is predicted from if all are compared with all items:
    /// the longest that it can be.
    fn judging_all(&self, vectors: &LentVectors<'_>) -> Judging {
        let items = self.nearest.pairs.tracked().len();
        let (candidates, dims, all) = (self.candidate_count(), vectors.dims(), items as f64);
        Judging { candidates, items, dims, close: all, looked_at: all, bounds: None, kept: false }
    }

    /// What the time to judge all candidates is predicted from, with so many bytes of memory.
    fn judging(&self, probed: &Probed, vectors: &LentVectors<'_>, memory: usize) -> Judging {
        Judging {
            candidates: self.candidate_count(),
            items: self.nearest.pairs.tracked().len(),
            dims: vectors.dims(),
            close: probed.close.len() as f64 / probed.probes as f64,
            looked_at: self.looked_at(probed.within_reach),
            bounds: self.possible_bounds(probed, vectors, memory),
            kept: self.keeps_bounds(memory),
        }
    }

    /// What lower bounds may be computed from, with so many bytes of memory; `None` where that
    /// cannot pay.
    fn possible_bounds(
        &self,
        probed: &Probed,
        vectors: &LentVectors<'_>,
        memory: usize,
    ) -> Option<Pruning> {
        let kept = self.keeps_bounds(memory);
        tactics::possible_bounds(probed.within_reach, vectors.has_products(), kept)
    }

    /// Whether there is room for all lower bounds in so many bytes of memory.
    fn keeps_bounds(&self, memory: usize) -> bool {
        let tracked = self.nearest.pairs.tracked().len();
        tactics::keeps_bounds(self.candidate_count(), tracked, memory)
    }

    /// How many items a candidate is compared with, on average, where triangles dismiss what they
    /// can; one that is not dismissed is compared with the share `within_reach` of the items.
    fn looked_at(&self, within_reach: f32) -> f64 {
        let candidates = self.candidates();
        let judged = candidates.len().div_ceil(JUDGED_OF).min(JUDGED);
        let step = candidates.len().div_ceil(judged);
        let mut few: Vec<u32> = candidates.into_iter().step_by(step).collect();
        few.retain(|&item| !self.is_center(item as usize));
        few.sort_by_key(|&item| self.slot_of(item));
        let before = self.pool.looked_at();
        let dismissed = self.dismissed(&few, 0.0);
        let listed = self.pool.looked_at() - before;
        let open = dismissed.iter().filter(|swap| swap.is_none()).count();
        let reached = f64::from(within_reach) * self.nearest.pairs.tracked().len() as f64;
        (listed as f64 + open as f64 * reached) / few.len().max(1) as f64
    }

    /// Compares a few candidates with all items within reach.
    fn probe(&self) -> Probed {
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
