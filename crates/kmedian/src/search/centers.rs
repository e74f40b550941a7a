//! The current centers of a local search, and what a swap would change.

mod certify;
mod dismiss;
mod within_cluster;

use std::sync::OnceLock;

use rayon::prelude::*;

use super::evidence::{CurrentCenters, Evidence};
use super::nearest::{Gain, Nearest};
use super::reliefs::{Reliefs, ReliefsPool};
use super::swap::Swap;
use crate::memory::Means;
use crate::problem::NearestCandidate;
use crate::space::{
    Abilities, Answering, AskerPool, LowerBounds, NOBODY, Pair, Range, Row, nearest_pairs,
};
use crate::{Assignment, Hit, Problem, Pruning, Question, tactics};

/// Candidates that one task of the thread pool judges: enough work to be worth a task, few enough
/// to keep all threads busy.
const TOGETHER: usize = 32;

/// The number of parts in which the true distances of a candidate are computed if lower bounds do
/// not dismiss it; it may be dismissed after each part, so few candidates need all.
const REFINEMENTS: usize = 8;

/// One in this many items that are close to a candidate, the closest, is so close that lower bounds
/// need not tell its distance well from others.
const NEAR: usize = 20;

/// One in this many items, those with the largest caps, is so far from all others that lower bounds
/// need not tell its cap well from others.
const FAR: usize = 200;

/// The current centers of a search, with all that is needed to judge a swap without looking at
/// every item and every center.
pub(crate) struct Centers<'a> {
    problem: Problem<'a>,
    means: Means,
    nearest: Nearest<'a>,
    cost: f64,
    /// What it costs to lose the center in each slot; infinite for fixed centers, which are in the
    /// first slots.
    losses: Vec<f64>,
    /// The slots by what it costs to lose their center, cheapest first.
    by_loss: Vec<u32>,
    evidence: Option<Evidence>,
    pool: AskerPool<'a>,
    reliefs_pool: ReliefsPool,
    /// The caps of all tracked items, as the bytes that lower bounds are compared with; empty until
    /// they are needed, and after every swap.
    thresholds: OnceLock<Vec<u8>>,
}

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

impl<'a> Centers<'a> {
    /// Assigns all tracked items to the given centers, which must be distinct items.
    pub(crate) fn new(problem: &Problem<'a>, centers: &[usize], means: &Means) -> Self {
        let pool = AskerPool::new(problem.space);
        let nearest = Nearest::new(problem, centers, &pool);
        let mut current = Self {
            problem: problem.clone(),
            means: means.clone(),
            nearest,
            cost: 0.0,
            losses: Vec::new(),
            by_loss: (0..centers.len() as u32).collect(),
            evidence: None,
            pool,
            reliefs_pool: ReliefsPool::default(),
            thresholds: OnceLock::new(),
        };
        current.sum_up();
        current.evidence = Evidence::new(problem, current.cost);
        current
    }

    /// Gets ready to judge many candidates: by lower bounds of distances, where that promises to be
    /// cheaper than to look at all items within reach.
    pub(crate) fn get_ready(&mut self) {
        let unready = self.nearest.lower_bounds().is_none();
        let Some(vectors) = self.problem.space.own().as_vectors().filter(|_| unready) else {
            return;
        };
        let (probed, means) = (self.probe(), &self.means);
        let tracked = self.nearest.tracked();
        let range = self.range(probed.close);
        let candidates = self.candidate_count();
        let kept = tactics::keeps_bounds(candidates, tracked.len(), means.memory);
        let pruning = tactics::bounds(probed.within_reach, vectors.has_products(), kept);
        let bounds =
            |by| Some((LowerBounds::by(by, vectors, candidates, tracked, range, means)?, by));
        if let Some((lower_bounds, pruning)) = pruning.and_then(bounds) {
            self.nearest.set_lower_bounds(lower_bounds, pruning);
        }
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
        let caps = &self.nearest.caps;
        let is_close = |hit: &&Hit| hit.distance > 0.0 && hit.distance < caps[hit.item as usize];
        let close = found.iter().filter(is_close);
        Probed { within_reach, close: close.map(|hit| hit.distance).collect(), probes }
    }

    /// The distances that lower bounds should tell apart, judged by the distances `close` of a few
    /// candidates to items closer than their caps. It reaches up to nearly all caps, and down to
    /// what all but the closest twentieth of `close` exceed; then, as later candidates may be
    /// nearer to items, lower by the same ratio again, but at most by two.
    fn range(&self, mut close: Vec<f32>) -> Range {
        let tracked = self.nearest.tracked();
        let mut caps: Vec<f32> =
            tracked.iter().map(|&item| self.nearest.caps[item as usize]).collect();
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

    /// What algorithms may rely on in the space of the problem.
    pub(crate) fn abilities(&self) -> Abilities {
        self.problem.space.abilities()
    }

    /// What keeps candidates from being compared with every item.
    pub(crate) fn pruning(&self) -> Pruning {
        self.nearest.pruning()
    }

    /// The current centers, by slot.
    pub(crate) fn centers(&self) -> &[usize] {
        self.nearest.centers()
    }

    /// The cost of the current centers.
    pub(crate) fn cost(&self) -> f64 {
        self.cost
    }

    /// Every item with its nearest center: known already for items with demand, and measured for
    /// the others.
    pub(crate) fn assignment(&self) -> Assignment {
        let n = self.items();
        let mut assignment = Assignment { labels: vec![0; n], distances: vec![0.0; n] };
        let mut set = |item: u32, Pair { slots, distances }: Pair| {
            assignment.labels[item as usize] = slots[0];
            assignment.distances[item as usize] = distances[0];
        };
        let mut tracked = self.nearest.tracked().iter().copied().peekable();
        let untracked = |item: &u32| tracked.next_if_eq(item).is_none();
        let others: Vec<u32> = (0..n as u32).filter(untracked).collect();
        for &item in self.nearest.tracked() {
            set(item, self.nearest.pair(item as usize));
        }
        for (&item, pair) in others.iter().zip(nearest_pairs(self.centers(), &others, &self.pool)) {
            set(item, pair);
        }
        assignment
    }

    /// The number of items of the problem.
    pub(crate) fn items(&self) -> usize {
        self.problem.len()
    }

    /// The items that may be centers, with those that are centers now.
    pub(crate) fn candidates(&self) -> Vec<u32> {
        self.problem.candidates().collect()
    }

    /// How many items may be centers, with those that are centers now.
    pub(crate) fn candidate_count(&self) -> usize {
        self.problem.candidates().len()
    }

    /// How many centers are fixed: they are in the first slots.
    pub(crate) fn fixed(&self) -> usize {
        self.problem.fixed().len()
    }

    /// Whether no center may leave.
    pub(crate) fn all_fixed(&self) -> bool {
        self.fixed() == self.centers().len()
    }

    /// For each slot whose center may leave, the candidates in its cluster and how far they are
    /// from the center; an empty list for a fixed center. Where every item is a candidate, those
    /// without demand are left out.
    pub(super) fn candidates_by_cluster(&self) -> Vec<Vec<Hit>> {
        let sites = &self.problem.sites;
        let (free, k) = (self.fixed(), self.centers().len());
        let of_cluster = |slot: usize| {
            let candidates =
                self.served_by(slot).iter().filter(|&&item| sites.is_free(item as usize));
            candidates.map(|&item| Hit { item, distance: self.away(item) }).collect()
        };
        let mut lists: Vec<Vec<Hit>> = vec![Vec::new(); free];
        lists.par_extend((free..k).into_par_iter().map(of_cluster));
        let untracked = |item: &u32| {
            sites.is_free(*item as usize) && self.nearest.pair(*item as usize) == NOBODY
        };
        let others: Vec<u32> =
            sites.listed().unwrap_or(&[]).iter().copied().filter(untracked).collect();
        for (&item, pair) in others.iter().zip(nearest_pairs(self.centers(), &others, &self.pool)) {
            let (slot, distance) = (pair.slots[0] as usize, pair.distances[0]);
            if slot >= free {
                lists[slot].push(Hit { item, distance });
            }
        }
        lists
    }

    /// What finds the candidate nearest to an item; `None` if every item is a candidate.
    pub(super) fn nearest_candidate(&self) -> Option<NearestCandidate> {
        NearestCandidate::new(&self.problem, &self.pool)
    }

    /// The candidate nearest to an item.
    pub(super) fn candidate_near(&self, item: usize, nearest: &NearestCandidate) -> usize {
        self.pool.lend(|asker| nearest.of(item, asker))
    }

    /// What the demand at an item costs with the current centers.
    pub(crate) fn cost_of(&self, item: usize) -> f64 {
        let weight = self.problem.demand.of(item);
        let cost = || weight * self.problem.objective.of(self.nearest.pair(item).distances[0]);
        if weight == 0.0 { 0.0 } else { cost() }
    }

    /// Whether an item is one of the current centers.
    pub(crate) fn is_center(&self, item: usize) -> bool {
        self.nearest.is_center(item)
    }

    /// Makes an item the center in a slot, whether that lowers the cost or not.
    pub(crate) fn replace(&mut self, slot: usize, newcomer: usize) {
        self.apply(Swap { newcomer, slot, change: 0.0 });
    }

    /// Goes back to centers that were there before; which slot each is in does not matter.
    pub(crate) fn return_to(&mut self, centers: &[usize]) {
        let mut wanted = vec![false; self.items()];
        centers.iter().for_each(|&center| wanted[center] = true);
        let missing: Vec<usize> =
            centers.iter().copied().filter(|&center| !self.is_center(center)).collect();
        let present = self.centers().to_vec();
        let superfluous = (0..present.len()).filter(|&slot| !wanted[present[slot]]);
        for (slot, newcomer) in superfluous.zip(missing) {
            self.replace(slot, newcomer);
        }
    }

    /// Does a swap, and brings costs, losses and evidence up to date.
    pub(crate) fn apply(&mut self, swap: Swap) {
        let Self { nearest, pool, problem, evidence, .. } = self;
        let touched = nearest.replace(problem, swap.slot, swap.newcomer, pool);
        if let Some(evidence) = evidence {
            pool.lend(|asker| evidence.drop_near(&touched, asker));
        }
        self.thresholds.take();
        self.sum_up();
    }

    fn sum_up(&mut self) {
        self.cost = self.nearest.cost();
        self.losses = self.nearest.losses().collect();
        // A fixed center never leaves.
        let fixed = self.fixed();
        self.losses[..fixed].fill(f64::INFINITY);
        let losses = &self.losses;
        self.by_loss
            .sort_by(|&a, &b| losses[a as usize].total_cmp(&losses[b as usize]).then(a.cmp(&b)));
    }

    /// The state of the search that evidence about candidates is evaluated against.
    fn current(&self, below: f64) -> CurrentCenters<'_, 'a> {
        let Self { problem, nearest, pool, cost, by_loss, .. } = self;
        let halt = &self.means.halt;
        let losses = if self.losses.len() == 1 { &[0.0] } else { self.losses.as_slice() };
        CurrentCenters { problem, halt, nearest, pool, cost: *cost, losses, by_loss, below }
    }

    /// The best swap for each candidate that changes the cost by less than `below`, best first.
    pub(crate) fn improving(&mut self, candidates: &[u32], below: f64) -> Vec<Swap> {
        let mut swaps = match self.evidence.take() {
            Some(mut evidence) => {
                let swaps = evidence.improving(&self.current(below), candidates);
                self.evidence = Some(evidence);
                swaps
            }
            None => {
                let judged = self.judge_all(candidates, below);
                judged.into_iter().filter(|swap| swap.change < below).collect()
            }
        };
        swaps.sort_by(|a, b| a.change.total_cmp(&b.change));
        swaps
    }

    /// The best swap for each candidate that is not a center yet. The change is exact where it is
    /// less than `below`, and a lower bound elsewhere.
    fn judge_all(&self, candidates: &[u32], below: f64) -> Vec<Swap> {
        let candidates: Vec<u32> = candidates
            .iter()
            .copied()
            .filter(|&candidate| !self.nearest.is_center(candidate as usize))
            .collect();
        let Some(lower_bounds) = self.nearest.lower_bounds() else {
            return together(&candidates, |some| self.judge_some(some, below));
        };
        let thresholds =
            self.thresholds.get_or_init(|| lower_bounds.thresholds(&self.nearest.caps));
        together(&candidates, |some| self.judge_by_bounds(some, lower_bounds, thresholds, below))
    }

    /// Judges candidates, one by one unless they are dismissed together.
    fn judge_some(&self, candidates: &[u32], below: f64) -> Vec<Swap> {
        if self.means.halt.is_stopped() {
            return Vec::new();
        }
        let dismissed = candidates.iter().zip(self.dismissed(candidates, below));
        let question = self.nearest.question();
        self.lend(|asker, reliefs| {
            let mut judge = |item| self.judge(item as usize, &question, asker, reliefs);
            let judge =
                |(&item, dismissed): (&u32, Option<Swap>)| dismissed.unwrap_or_else(|| judge(item));
            dismissed.map(judge).collect()
        })
    }

    /// Judges candidates by lower bounds of their distances, and exactly those that these do not
    /// dismiss.
    fn judge_by_bounds(
        &self,
        candidates: &[u32],
        lower_bounds: &LowerBounds<'_>,
        thresholds: &[u8],
        below: f64,
    ) -> Vec<Swap> {
        if self.means.halt.is_stopped() {
            return Vec::new();
        }
        self.lend(|asker, reliefs| {
            let judge = |(&item, bounds): (&u32, Row<'_>)| {
                let newcomer = item as usize;
                let hits = || lower_bounds.close(&bounds, thresholds);
                let (slot, change) = self.best_leaving(hits(), reliefs);
                if change >= below {
                    return Swap { newcomer, slot, change };
                }
                self.refine(newcomer, hits().collect(), below, asker, reliefs)
            };
            candidates.iter().zip(lower_bounds.rows(candidates)).map(judge).collect()
        })
    }

    /// Lends an asker and a buffer of reliefs for the time of one call.
    fn lend<T>(&self, work: impl FnOnce(&mut Answering<'a>, &mut Reliefs) -> T) -> T {
        self.pool.lend(|asker| self.reliefs_pool.lend(|reliefs| work(asker, reliefs)))
    }

    /// Judges a candidate from lower bounds of its distances, which make its swap look better than
    /// it is. As long as the swap looks good, a further part of the bounds is replaced by true
    /// distances.
    fn refine(
        &self,
        newcomer: usize,
        mut hits: Vec<Hit>,
        below: f64,
        asker: &mut Answering<'_>,
        reliefs: &mut Reliefs,
    ) -> Swap {
        let part = hits.len().div_ceil(REFINEMENTS).max(1);
        let mut exact: Vec<Hit> = Vec::new();
        let mut items = Vec::new();
        loop {
            items.clear();
            items.extend(hits.drain(..part.min(hits.len())).map(|hit| hit.item));
            let question = Question::listed(&items, &self.nearest.caps);
            exact.extend(asker.ask(newcomer, &question));
            let (slot, change) = self.best_leaving(exact.iter().chain(&hits).copied(), reliefs);
            if change >= below || hits.is_empty() {
                return Swap { newcomer, slot, change };
            }
        }
    }

    /// The distance of an item to its center, infinite if the item is not tracked: the larger it
    /// is, the less likely the item is a better center.
    pub(crate) fn away(&self, item: u32) -> f32 {
        self.nearest.pair(item as usize).distances[0]
    }

    /// The tracked items (those with demand; on a graph all) that the center in a slot serves.
    pub(crate) fn served_by(&self, slot: usize) -> &[u32] {
        self.nearest.items_of(slot)
    }

    /// The slot of the center that serves a tracked item.
    pub(crate) fn slot_of(&self, item: u32) -> u32 {
        self.nearest.pair(item as usize).slots[0]
    }

    /// The best swap that makes an item a center.
    fn judge(
        &self,
        newcomer: usize,
        question: &Question<'_>,
        asker: &mut Answering<'_>,
        reliefs: &mut Reliefs,
    ) -> Swap {
        let hits = asker.ask(newcomer, question).iter().copied();
        let (slot, change) = self.best_leaving(hits, reliefs);
        Swap { newcomer, slot, change }
    }

    /// The slot whose center should leave for a newcomer with the given distances to items, and by
    /// how much that changes the cost.
    fn best_leaving(&self, hits: impl Iterator<Item = Hit>, reliefs: &mut Reliefs) -> (usize, f64) {
        if self.losses.len() == 1 { self.judge_only(hits) } else { self.judge_any(hits, reliefs) }
    }

    /// The change with a single center: every item goes from it to the newcomer.
    fn judge_only(&self, hits: impl Iterator<Item = Hit>) -> (usize, f64) {
        let Problem { demand, objective, .. } = &self.problem;
        let cost: f64 =
            hits.map(|hit| demand.of(hit.item as usize) * objective.of(hit.distance)).sum();
        (0, cost - self.cost)
    }

    /// The change with several centers: the one leaves whose loss, less what the newcomer takes off
    /// it, is least (Schubert and Rousseeuw, "Fast and eager k-medoids clustering", 2021).
    fn judge_any(&self, hits: impl Iterator<Item = Hit>, reliefs: &mut Reliefs) -> (usize, f64) {
        let mut saved = 0.0;
        let relieved = hits.map(|hit| {
            let change = self.change(&hit);
            saved += change.saved;
            (self.nearest.pair(hit.item as usize).slots[0], change.relief)
        });
        let (slot, loss) = reliefs.cheapest(&self.losses, &self.by_loss, relieved);
        (slot, loss - saved)
    }

    /// What a newcomer changes for an item: the hit is the item and the newcomer's distance to it.
    #[inline(always)]
    fn change(&self, hit: &Hit) -> Gain {
        let objective = self.problem.objective;
        let item = hit.item as usize;
        let weight = self.problem.demand.of(item);
        if weight == 0.0 {
            return Gain::default();
        }
        let here = objective.of(hit.distance);
        let [first, second] = self.nearest.pair(item).distances.map(|d| objective.of(d));
        Gain {
            saved: weight * larger(first - here, 0.0),
            relief: weight * larger(second - larger(here, first), 0.0),
        }
    }
}

/// Judges candidates in parallel, in parts; on the calling thread if they are few.
fn together(candidates: &[u32], judge: impl Fn(&[u32]) -> Vec<Swap> + Send + Sync) -> Vec<Swap> {
    if candidates.len() <= TOGETHER {
        return judge(candidates);
    }
    candidates.par_chunks(TOGETHER).flat_map_iter(judge).collect()
}

/// The larger of two numbers that are not NaN; `f64::max` takes longer, as it has to look for NaN.
#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}
