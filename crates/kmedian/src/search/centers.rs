//! The current centers of a local search, and what a swap would change.

mod at_best;
mod dismiss;
mod judge;
mod probe;
mod within_cluster;

use std::cmp::Ordering;
use std::sync::OnceLock;
use std::sync::atomic::AtomicUsize;

use rayon::prelude::*;

use super::Swap;
use super::nearest::Nearest;
use super::reliefs::ReliefsPool;
use super::way::Way;
use crate::memory::Means;
use crate::problem::NearestCandidate;
use crate::space::{Abilities, AskerPool, LowerBounds, NOBODY, Pair, nearest_pairs};
use crate::{Assignment, Hit, Problem, Pruning, silhouette, tactics};

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
    pool: AskerPool<'a>,
    reliefs_pool: ReliefsPool,
    /// By slot, the square of the distance from which on its cluster is out of reach, where centers
    /// are packed for inner products; empty until it is needed, and after every swap.
    reaches: OnceLock<Vec<f32>>,
    /// How many candidates were judged by lower bounds of distances that are kept.
    judged_by_bounds: usize,
    /// How many distances were measured of those of them that lower bounds did not dismiss, but
    /// that did not improve the centers.
    measured_in_vain: AtomicUsize,
    /// How many candidates are still to be judged before it is considered anew whether lower bounds
    /// of distances pay, and how many were to be judged the last time.
    until_reconsidered: [usize; 2],
}

impl<'a> Centers<'a> {
    /// Assigns all tracked items to the given centers, which must be distinct items.
    pub(crate) fn new(problem: &Problem<'a>, centers: &[usize], means: &Means) -> Self {
        Self::with_bounds(problem, centers, None, means)
    }

    /// [`Centers::new`] where there may be lower bounds of all distances already.
    pub(crate) fn with_bounds(
        problem: &Problem<'a>,
        centers: &[usize],
        bounds: Option<LowerBounds<'a>>,
        means: &Means,
    ) -> Self {
        let pool = AskerPool::new(problem.space);
        let nearest = Nearest::new(problem, centers, bounds, &pool);
        let mut current = Self {
            problem: problem.clone(),
            means: means.clone(),
            nearest,
            cost: 0.0,
            losses: Vec::new(),
            by_loss: (0..centers.len() as u32).collect(),
            pool,
            reliefs_pool: ReliefsPool::default(),
            reaches: OnceLock::new(),
            judged_by_bounds: 0,
            measured_in_vain: AtomicUsize::new(0),
            until_reconsidered: [tactics::RECONSIDERED_AFTER; 2],
        };
        current.sum_up();
        current
    }

    /// What algorithms may rely on in the space of the problem.
    pub(crate) fn abilities(&self) -> Abilities {
        self.problem.space.abilities()
    }

    /// Whether a distance takes little time: it is in a table, or one of vectors.
    pub(crate) fn has_cheap_distances(&self) -> bool {
        self.abilities().has_table || self.problem.space.own().as_vectors().is_some()
    }

    /// What keeps candidates from being compared with every item.
    pub(crate) fn pruning(&self) -> Pruning {
        self.nearest.way.pruning()
    }

    /// The current centers, by slot.
    pub(crate) fn centers(&self) -> &[usize] {
        self.nearest.pairs.centers()
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
        let mut tracked = self.nearest.pairs.tracked().iter().copied().peekable();
        let untracked = |item: &u32| tracked.next_if_eq(item).is_none();
        let others: Vec<u32> = (0..n as u32).filter(untracked).collect();
        for &item in self.nearest.pairs.tracked() {
            set(item, self.nearest.pair(item as usize));
        }
        for (&item, pair) in others.iter().zip(nearest_pairs(self.centers(), &others, &self.pool)) {
            set(item, pair);
        }
        assignment
    }

    /// The medoid silhouette of the current centers, by distances and by their squares.
    pub(crate) fn silhouettes(&self) -> [Option<f64>; 2] {
        let demand = &self.problem.demand;
        let pairs = demand.items().iter().map(|&item| self.nearest.pair(item as usize));
        silhouette::weighted_means(self.centers().len(), demand, pairs)
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
        self.nearest.pairs.is_center(item)
    }

    /// Makes an item the center in a slot, whether that lowers the cost or not.
    pub(crate) fn replace(&mut self, slot: usize, newcomer: usize) {
        self.apply(Swap { newcomer, slot, change: 0.0 });
    }

    /// Begins again with other centers, in their slots. Lower bounds of distances are kept, as they
    /// do not depend on centers.
    pub(crate) fn begin_again(&mut self, centers: &[usize]) {
        let way = std::mem::replace(&mut self.nearest.way, Way::Plain);
        let bounds = way.into_bounds();
        *self = Self::with_bounds(&self.problem, centers, bounds, &self.means);
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
        let Self { nearest, pool, problem, .. } = self;
        let touched = nearest.replace(problem, swap.slot, swap.newcomer, pool);
        if let Some(evidence) = nearest.way.evidence() {
            pool.lend(|asker| evidence.drop_near(&touched, asker));
        }
        self.reaches.take();
        self.sum_up();
    }

    fn sum_up(&mut self) {
        self.cost = self.nearest.cost();
        self.losses = self.nearest.losses().collect();
        // A fixed center never leaves.
        let fixed = self.fixed();
        self.losses[..fixed].fill(f64::INFINITY);
        let mut by_loss = std::mem::take(&mut self.by_loss);
        by_loss.sort_by(|&a, &b| self.cheaper_to_lose(a, b));
        self.by_loss = by_loss;
    }

    /// The order of two slots by what it costs to lose their centers; of equal ones, the first slot
    /// comes first.
    fn cheaper_to_lose(&self, a: u32, b: u32) -> Ordering {
        self.losses[a as usize].total_cmp(&self.losses[b as usize]).then(a.cmp(&b))
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
}
