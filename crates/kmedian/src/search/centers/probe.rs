//! Whether lower bounds of distances pay, and how long it would take to certify centers: predicted
//! from a few candidates, how many items are within reach of them and how many they are compared
//! with where triangles dismiss what they can; never from a clock.

use std::sync::atomic::Ordering;
use std::time::Duration;

use rayon::prelude::*;

use super::super::way::Way;
use super::Centers;
use crate::seed::a_few;
use crate::space::{LentVectors, LowerBounds, Range};
use crate::tactics::{self, Judging};
use crate::{Hit, Pruning};

/// The most candidates that are judged to see how many items each is compared with: a rough mean
/// suffices to predict a time.
const JUDGED: usize = 32;

/// Of so many candidates one is judged to see how many items it is compared with, until
/// [`JUDGED`] are: so that it takes little beside judging all of them.
const JUDGED_OF: usize = 128;

/// Candidates that are judged together to see how many items each is compared with.
const JUDGED_TOGETHER: usize = 8;

/// How often all items may be compared before no further candidate is judged to see how many each
/// is compared with: they are many then, and few candidates tell.
const COMPARED: f64 = 2.0;

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
    /// cheaper than to look at all items within reach. `before` is told how long it is predicted to
    /// take to compute them, and says whether to do so.
    pub(crate) fn get_ready(&mut self, before: impl FnOnce(Duration) -> bool) {
        let unready = self.nearest.way.bounded().is_none();
        let Some(vectors) = self.problem.space.own().as_vectors().filter(|_| unready) else {
            return;
        };
        let (probed, means) = (self.probe(), &self.means);
        let (candidates, items) = (self.candidate_count(), self.nearest.pairs.tracked().len());
        let agreed = |&by: &Pruning| {
            let kept = self.keeps_bounds(self.means.memory);
            let time = || tactics::computing_together(candidates, items, vectors.dims(), by);
            !kept || before(time())
        };
        let pruning = self.chosen_bounds(&probed, vectors).filter(agreed);
        let tracked = self.nearest.pairs.tracked();
        let bounds = |by| {
            let range = self.range(probed.close);
            LowerBounds::by(by, vectors, candidates, tracked, range, means)
        };
        if let Some(lower_bounds) = pruning.and_then(bounds) {
            self.nearest.use_bounds(lower_bounds, &self.problem);
        }
    }

    /// What lower bounds are computed from by which candidates are judged; `None` if there are none.
    fn chosen_bounds(&self, probed: &Probed, vectors: &LentVectors<'_>) -> Option<Pruning> {
        let memory = self.means.memory;
        let possible = self.possible_bounds(probed, vectors, memory)?;
        let (candidates, items) = (self.candidate_count(), self.nearest.pairs.tracked().len());
        let surely = possible == Pruning::Products
            && self.keeps_bounds(memory)
            && tactics::surely_bounded(candidates.max(items), vectors.priced_dims());
        if surely { Some(possible) } else { self.judging(probed, vectors, memory).bounds() }
    }

    /// Considers anew which way is best, every now and then before so many candidates are judged.
    /// How much triangles dismiss changes with the centers, so lower bounds of distances may pay by
    /// now; and where these let so many candidates through that measuring their distances takes
    /// longer than all bounds did, they are rounded to more levels.
    pub(super) fn reconsider(&mut self, candidates: usize) {
        self.judged_by_bounds += candidates;
        let [left, last] = self.until_reconsidered;
        if candidates <= left {
            self.until_reconsidered = [left - candidates, last];
            return;
        }
        self.until_reconsidered = [2 * last; 2];
        if self.lets_too_much_through() {
            let way = std::mem::replace(&mut self.nearest.way, Way::Plain);
            if let Some(lower_bounds) = way.into_bounds() {
                let finer = lower_bounds.sharpened(self.candidate_count(), self.means.memory);
                self.nearest.use_bounds(finer, &self.problem);
            }
        }
        self.get_ready(|_| true);
    }

    /// Whether measuring the distances of candidates that lower bounds let through in vain is
    /// predicted to take longer than to compute these bounds once more.
    fn lets_too_much_through(&self) -> bool {
        let coarse = self.nearest.way.bounded().filter(|bounded| bounded.lower_bounds.are_coarse());
        let Some(vectors) = self.problem.space.own().as_vectors() else { return false };
        coarse.is_some_and(|bounded| {
            let (candidates, items) = (self.candidate_count(), self.nearest.pairs.tracked().len());
            let pruning = bounded.lower_bounds.pruning();
            let share = candidates as f64 / self.judged_by_bounds as f64;
            let measured = share.max(1.0) * self.measured_in_vain.load(Ordering::Relaxed) as f64;
            tactics::lets_too_much_through(measured, candidates, items, vectors.dims(), pruning)
        })
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
        let mut few: Vec<u32> =
            a_few(candidates.len(), judged).into_iter().map(|at| candidates[at]).collect();
        few.retain(|&item| !self.is_center(item as usize));
        let items = self.nearest.pairs.tracked().len() as f64;
        let (mut judged, mut compared) = (0, 0.0);
        for some in few.chunks_mut(JUDGED_TOGETHER) {
            some.sort_by_key(|&item| self.slot_of(item));
            let before = self.pool.looked_at();
            let dismissed = self.dismissed(some, 0.0);
            let open = dismissed.iter().filter(|swap| swap.is_none()).count();
            compared += (self.pool.looked_at() - before) as f64;
            compared += open as f64 * f64::from(within_reach) * items;
            judged += some.len();
            if compared > COMPARED * items {
                break;
            }
        }
        compared / judged.max(1) as f64
    }

    /// Compares a few candidates with all items within reach.
    fn probe(&self) -> Probed {
        let candidates = self.candidates();
        let few = a_few(candidates.len(), tactics::PROBES);
        let (probes, items) = (few.len(), self.problem.demand.items().len());
        let within = |at: usize| {
            let item = candidates[at] as usize;
            self.pool.lend(|asker| self.nearest.within_reach(item, asker).to_vec())
        };
        let found: Vec<Hit> = few.into_par_iter().flat_map_iter(within).collect();
        // A candidate is also compared with every center.
        let compared = found.len() + probes * self.losses.len();
        let within_reach = compared as f32 / (probes * items) as f32;
        let caps = self.nearest.pairs.caps();
        let is_close = |hit: &&Hit| hit.distance > 0.0 && hit.distance < caps[hit.item as usize];
        let close = found.iter().filter(is_close);
        Probed { within_reach, close: close.map(|hit| hit.distance).collect(), probes }
    }

    /// The distances that lower bounds should tell apart, judged by the distances `close` of a few
    /// candidates to items closer than their caps.
    fn range(&self, close: Vec<f32>) -> Range {
        let caps = self.nearest.pairs.caps();
        let caps: Vec<f32> =
            self.nearest.pairs.tracked().iter().map(|&item| caps[item as usize]).collect();
        let farthest = caps.iter().copied().fold(0.0, f32::max);
        let diameter = || self.problem.space.diameter_bound();
        let farthest = if farthest.is_finite() { farthest } else { diameter() };
        Range::of(caps, close, farthest)
    }
}
