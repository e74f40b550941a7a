//! k-median++ and its greedy version, one center at a time.

use rand::{Rng, RngExt};
use rayon::prelude::*;

use crate::problem::NearestCandidate;
use crate::space::{AskerPool, LowerBounds};
use crate::{Hit, Problem, Question};

/// Centers drawn with a probability proportional to what an item would cost with those before it
/// (Arthur and Vassilvitskii 2007): D¹ for k-median, D² for k-means. The fixed centers come first;
/// where an item is drawn that is no candidate, the nearest candidate takes its place.
pub(crate) struct Seeding<'a, 'b> {
    problem: Problem<'a>,
    pool: AskerPool<'a>,
    /// Lower bounds of all distances that stand for them, if that is near enough; their caps are the
    /// distances to the nearest centers.
    lower_bounds: Option<&'b mut LowerBounds<'a>>,
    tracked: Vec<u32>,
    centers: Vec<usize>,
    distances: Vec<f32>,
    /// The largest distance of a tracked item to its nearest center; infinite before the first.
    largest: f32,
    /// The candidate nearest to an item; `None` if all items are candidates.
    nearest_candidate: Option<NearestCandidate>,
}

impl<'a, 'b> Seeding<'a, 'b> {
    /// The fixed centers of a problem, ready for more to be drawn.
    pub(crate) fn new(problem: &Problem<'a>) -> Self {
        Self::with(problem, None)
    }

    /// [`Seeding::new`] by lower bounds of distances in place of distances, which is faster, and as
    /// good: centers are drawn at random anyway. All items must have demand.
    pub(crate) fn by_bounds(problem: &Problem<'a>, lower_bounds: &'b mut LowerBounds<'a>) -> Self {
        Self::with(problem, Some(lower_bounds))
    }

    fn with(problem: &Problem<'a>, lower_bounds: Option<&'b mut LowerBounds<'a>>) -> Self {
        let pool = AskerPool::new(problem.space);
        let mut seeding = Self {
            problem: problem.clone(),
            lower_bounds,
            tracked: problem.tracked(),
            centers: Vec::new(),
            distances: vec![f32::INFINITY; problem.len()],
            largest: f32::INFINITY,
            nearest_candidate: NearestCandidate::new(problem, &pool),
            pool,
        };
        if let Some(lower_bounds) = &mut seeding.lower_bounds {
            lower_bounds.set_caps(&seeding.distances);
        }
        for &center in problem.fixed() {
            let hits = seeding.hits(&[center]).pop().unwrap_or_default();
            seeding.add(center, &hits);
        }
        seeding
    }

    /// How many candidates greedy seeding tries for each of k centers: 2 + ln k, rounded down.
    pub(crate) fn trials(k: usize) -> usize {
        2 + (k as f64).ln() as usize
    }

    /// The centers so far, in the order in which they were drawn.
    pub(crate) fn centers(&self) -> &[usize] {
        &self.centers
    }

    /// Adds a center: of `trials` random candidates the one that lowers the cost most.
    pub(crate) fn add_best_of(&mut self, trials: usize, rng: &mut impl Rng) {
        let sums = self.sums();
        let candidates: Vec<usize> = (0..trials).map(|_| self.draw(&sums, rng)).collect();
        let hits = self.hits(&candidates);
        let saved: Vec<f64> = hits.iter().map(|hits| self.saved(hits)).collect();
        let better = |best: usize, next: usize| if saved[next] > saved[best] { next } else { best };
        let best = (0..trials).fold(0, better);
        self.add(candidates[best], &hits[best]);
    }

    /// Adds a center, given the items that it is nearer to than those before it.
    fn add(&mut self, center: usize, hits: &[Hit]) {
        for hit in hits {
            self.distances[hit.item as usize] = hit.distance;
        }
        if let Some(lower_bounds) = &mut self.lower_bounds {
            lower_bounds.update_caps(hits.iter().map(|hit| hit.item), &self.distances);
        }
        self.centers.push(center);
        let distances = self.tracked.iter().map(|&item| self.distances[item as usize]);
        self.largest = distances.fold(0.0, f32::max);
    }

    /// The running sums of what the items with demand cost with the centers so far; before the
    /// first center, of their weights.
    fn sums(&self) -> Vec<f64> {
        let Problem { demand, objective, .. } = &self.problem;
        let add = |sum: &mut f64, &item: &u32| {
            let distance = self.distances[item as usize];
            let cost = if distance.is_finite() { objective.of(distance) } else { 1.0 };
            *sum += demand.of(item as usize) * cost;
            Some(*sum)
        };
        demand.items().iter().scan(0.0, add).collect()
    }

    /// Draws a candidate in proportion to what items cost, given their running sums. If the centers
    /// already serve every item at no cost, any other item will do.
    fn draw(&self, sums: &[f64], rng: &mut impl Rng) -> usize {
        let total = sums.last().copied().unwrap_or(0.0);
        let target = rng.random::<f64>() * total;
        if total == 0.0 {
            return self.draw_other(rng);
        }
        // Rounding may take the target to the end: then it is the last item that costs anything.
        let last = sums.partition_point(|&sum| sum < total);
        let at = sums.partition_point(|&sum| sum <= target).min(last);
        let item = self.problem.demand.items()[at] as usize;
        let Some(nearest) = &self.nearest_candidate else { return item };
        let candidate = self.pool.lend(|asker| nearest.of(item, asker));
        if self.centers.contains(&candidate) { self.draw_other(rng) } else { candidate }
    }

    fn draw_other(&self, rng: &mut impl Rng) -> usize {
        let mut is_center = vec![false; self.problem.len()];
        self.centers.iter().for_each(|&center| is_center[center] = true);
        let candidates = self.problem.candidates().map(|item| item as usize);
        let others: Vec<usize> = candidates.filter(|&item| !is_center[item]).collect();
        others[rng.random_range(0..others.len())]
    }

    /// For each of some candidates, the items that it would serve.
    fn hits(&self, candidates: &[usize]) -> Vec<Vec<Hit>> {
        let Some(lower_bounds) = &self.lower_bounds else {
            return candidates.par_iter().map(|&candidate| self.served_by(candidate)).collect();
        };
        let sources: Vec<u32> = candidates.iter().map(|&candidate| candidate as u32).collect();
        let rows = lower_bounds.rows(&sources);
        rows.par_iter().map(|row| row.below(&self.distances)).collect()
    }

    /// The items that a candidate would serve.
    fn served_by(&self, candidate: usize) -> Vec<Hit> {
        let question = if self.tracked.len() == self.problem.len() {
            Question::all(&self.distances)
        } else {
            Question::listed(&self.tracked, &self.distances)
        };
        let question = question.with_largest(self.largest);
        self.pool.lend(|asker| asker.ask(candidate, &question).to_vec())
    }

    /// What a candidate would save that serves the given items.
    fn saved(&self, hits: &[Hit]) -> f64 {
        let Problem { demand, objective, .. } = &self.problem;
        let saved = |hit: &Hit| {
            let before = self.distances[hit.item as usize];
            // Before the first center, all candidates start from the same (infinite) cost.
            let before = if before.is_finite() { objective.of(before) } else { 0.0 };
            demand.of(hit.item as usize) * (before - objective.of(hit.distance))
        };
        hits.iter().map(saved).sum()
    }
}
