//! The items of a chunk with their nearest centers, as a pass measures them.

use rand::seq::index;
use rayon::prelude::*;

use super::chunk::Chunk;
use super::measure::{Measure, Sums};
use crate::demand::draw_some;
use crate::space::{AskerPool, NOBODY, NONE, Pair, Question, nearest_pairs};
use crate::{Objective, Seed};

/// The candidates of each center that a pass draws of each chunk.
const DRAWN: usize = 2;

/// Of how many items of a cluster these candidates are the best.
const ASKED: usize = 32;

/// The most items of a cluster by which candidates are compared before a pass.
pub(super) const WITNESSES: usize = 128;

/// How many items of each chunk a pass draws from where the cost is high, as a multiple of k.
const FAR: usize = 2;

/// The items of a chunk with their two nearest centers.
pub(super) struct Ground<'a> {
    measure: &'a Measure,
    /// The items, and after them centers, candidates and newcomers.
    all: &'a Chunk,
    items: usize,
    objective: Objective,
    pool: AskerPool<'a>,
    pairs: Vec<Pair>,
    /// The items of each center.
    clusters: Vec<Vec<u32>>,
    pub(super) sums: Sums,
}

impl<'a> Ground<'a> {
    pub(super) fn new(
        measure: &'a Measure,
        all: &'a Chunk,
        items: usize,
        objective: Objective,
        pool: AskerPool<'a>,
    ) -> Self {
        let k = measure.centers.len();
        let everyone: Vec<u32> = (0..items as u32).collect();
        let centers: Vec<usize> = (items..items + k).collect();
        let pairs = nearest_pairs(&centers, &everyone, &pool);
        let (sums, clusters) = (Sums::new(k), vec![Vec::new(); k]);
        let mut ground = Self { measure, all, items, objective, pool, pairs, clusters, sums };
        for item in 0..items {
            let Pair { slots, distances } = ground.pairs[item];
            let cost = ground.cost(item, distances[0]);
            ground.sums.count(slots[0], cost, all.weights[item]);
            ground.clusters[slots[0] as usize].push(item as u32);
        }
        ground
    }

    /// What it costs to serve an item from a distance.
    fn cost(&self, item: usize, distance: f32) -> f64 {
        self.all.weights[item] * self.objective.of(distance)
    }

    /// What it costs to serve items from a place. The items are ascending.
    fn cost_from(&self, place: usize, items: &[u32]) -> f64 {
        self.pool.lend(|asker| {
            let hits = asker.ask(place, &Question::ball(items, f32::INFINITY));
            hits.iter().map(|hit| self.cost(hit.item as usize, hit.distance)).sum()
        })
    }

    /// For each center and each of its candidates, the cost of the center's items from the
    /// candidate.
    pub(super) fn judged(&self) -> Vec<f64> {
        let k = self.clusters.len();
        let each = self.measure.candidates.len() / k;
        let first = self.items + k;
        let of_slot = |(slot, cluster): (usize, &Vec<u32>)| -> Vec<f64> {
            let candidates = first + slot * each..first + (slot + 1) * each;
            candidates.map(|candidate| self.cost_from(candidate, cluster)).collect()
        };
        self.clusters.par_iter().enumerate().map(of_slot).collect::<Vec<_>>().concat()
    }

    /// What the second set of centers costs. It differs from the first in the replaced centers
    /// alone, so that most items are served by a newcomer or by one of their two nearest centers.
    pub(super) fn second(&self) -> Sums {
        let Measure { centers, candidates, newcomers, replaced, .. } = self.measure;
        if newcomers.is_empty() {
            return Sums::default();
        }
        let k = centers.len();
        let mut stays = vec![true; k];
        replaced.iter().for_each(|&slot| stays[slot as usize] = false);
        let everyone: Vec<u32> = (0..self.items as u32).collect();
        let first = self.items + k + candidates.len();
        let places: Vec<usize> = (first..first + newcomers.len()).collect();
        let new = nearest_pairs(&places, &everyone, &self.pool);
        let known = |pair: &Pair| {
            let at = pair.slots.iter().position(|&slot| slot != NONE && stays[slot as usize])?;
            Some((pair.slots[at], pair.distances[at]))
        };
        let lost = |&item: &u32| known(&self.pairs[item as usize]).is_none();
        let orphans: Vec<u32> = everyone.into_iter().filter(lost).collect();
        let left: Vec<u32> = (0..k as u32).filter(|&slot| stays[slot as usize]).collect();
        let places: Vec<usize> = left.iter().map(|&slot| self.items + slot as usize).collect();
        let mut found = nearest_pairs(&places, &orphans, &self.pool).into_iter();
        let mut sums = Sums::new(k);
        for (item, (pair, new)) in self.pairs.iter().zip(&new).enumerate() {
            let (slot, distance) = known(pair).unwrap_or_else(|| {
                // Orphans come in the order of the items.
                let Pair { slots, distances } = found.next().unwrap_or(NOBODY);
                (left.get(slots[0] as usize).copied().unwrap_or(NONE), distances[0])
            });
            let (slot, distance) = if new.distances[0] < distance {
                (replaced[new.slots[0] as usize] as u32, new.distances[0])
            } else {
                (slot, distance)
            };
            sums.count(slot, self.cost(item, distance), self.all.weights[item]);
        }
        sums
    }

    /// A few items of each cluster that cost it less than others do, as far as samples tell.
    pub(super) fn near(&self, seed: Seed) -> Vec<usize> {
        let of_slot = |(slot, cluster): (usize, &Vec<u32>)| {
            let mut rng = seed.named("near").numbered(slot as u64).generator();
            let drawn = index::sample(&mut rng, cluster.len(), WITNESSES.min(cluster.len()));
            let drawn: Vec<u32> = drawn.iter().map(|at| cluster[at]).collect();
            let distance = |item: u32| self.pairs[item as usize].distances[0];
            let mean = drawn.iter().map(|&item| f64::from(distance(item))).sum::<f64>()
                / drawn.len() as f64;
            let inner = drawn.iter().filter(|&&item| f64::from(distance(item)) <= mean);
            let mut witnesses = drawn.clone();
            witnesses.sort_unstable();
            let asked = inner.take(ASKED).map(|&item| item as usize);
            let mut asked: Vec<(f64, usize)> =
                asked.map(|item| (self.cost_from(item, &witnesses), item)).collect();
            asked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            asked.into_iter().take(DRAWN).map(|(_, item)| item).collect::<Vec<usize>>()
        };
        self.clusters.par_iter().enumerate().map(of_slot).collect::<Vec<_>>().concat()
    }

    /// Some items, drawn in proportion to what they cost.
    pub(super) fn far(&self, seed: Seed) -> Vec<usize> {
        let costs = self.pairs.iter().enumerate();
        let costs = costs.map(|(item, pair)| self.cost(item, pair.distances[0]));
        let draws = (FAR * self.clusters.len()).min(self.items);
        draw_some(costs, draws, &mut seed.named("far").generator())
    }
}
