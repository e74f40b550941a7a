//! Further searches from perturbed centers (iterated local search).

use std::collections::BTreeSet;

use rand::seq::{IteratorRandom, index};
use rand::{Rng, RngExt};

use crate::demand::draw;
use crate::{Assignment, Clustering, LocalSearch, Observer, Problem, Seed, Step, Stop};

/// At most this share of the centers is replaced at once.
const LARGEST_SHARE: usize = 8;

/// Searches again from the best centers with a few of them replaced, and keeps the better of the two
/// each time.
pub(crate) fn run(
    problem: &Problem<'_>,
    search: &LocalSearch,
    restarts: usize,
    seed: Seed,
    best: &mut Clustering,
    observer: &mut dyn Observer,
) {
    let mut rng = seed.stream("restarts");
    while best.restarts < restarts
        && ended_by_itself(best.stop)
        && best.centers.len() < problem.len()
    {
        let rest = LocalSearch {
            max_swaps: search.max_swaps.map(|most| most.saturating_sub(best.swaps)),
            time_limit: search.time_limit.map(|limit| limit.saturating_sub(best.times.search)),
            ..search.clone()
        };
        let centers = perturbed(problem, &best.centers, &mut rng);
        let found = rest.improve(problem, &centers, &mut rng, observer);
        merge(best, found, problem.len());
        let step = Step::Restarted { restarts: best.restarts, best: best.cost };
        if observer.step(&step).is_break() {
            best.stop = Stop::Cancelled;
        }
    }
}

fn ended_by_itself(stop: Stop) -> bool {
    matches!(stop, Stop::LocalOptimum | Stop::AlphaOptimum | Stop::OnePass | Stop::Sampled)
}

/// Adds the counts of another search, and takes its centers if they are no worse: equally good centers
/// are a new place to search from. What ended the other search, ends all of them or none.
fn merge(best: &mut Clustering, found: Clustering, n: usize) {
    best.swaps += found.swaps;
    best.judged += found.judged;
    best.passes = best.judged.div_ceil(n);
    best.restarts += 1;
    best.times.search += found.times.search;
    if found.cost <= best.cost {
        best.cost = found.cost;
        best.centers = found.centers;
    }
    best.stop = found.stop;
}

/// Replaces a few random centers by items drawn in proportion to what they cost.
fn perturbed(problem: &Problem<'_>, centers: &[usize], rng: &mut impl Rng) -> Vec<usize> {
    let (n, k) = (problem.len(), centers.len());
    let most = (k / LARGEST_SHARE).max(2).min(k).min(n - k);
    let count = rng.random_range(1..=most);
    let assignment = Assignment::new(problem.space, centers);
    let cost =
        |item: usize| problem.demand.of(item) * problem.objective.of(assignment.distances[item]);
    let mut costs: Vec<f64> = (0..n).map(cost).collect();
    let mut others: BTreeSet<usize> = (0..n).collect();
    for center in centers {
        others.remove(center);
    }

    let mut perturbed = centers.to_vec();
    for slot in index::sample(rng, k, count) {
        let any = |rng: &mut _| others.iter().copied().choose(rng);
        let Some(newcomer) = draw(costs.iter().copied(), rng).or_else(|| any(rng)) else { break };
        costs[newcomer] = 0.0;
        others.remove(&newcomer);
        perturbed[slot] = newcomer;
    }
    perturbed
}
