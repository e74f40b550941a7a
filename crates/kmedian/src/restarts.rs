//! Further searches from perturbed centers (iterated local search).

use rand::seq::index;
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
    matches!(stop, Stop::LocalOptimum | Stop::AlphaOptimum)
}

/// Adds the counts of another search, and takes its centers if they are better. A limit that ended the
/// other search ends all of them, but the best centers keep the certificate they have.
fn merge(best: &mut Clustering, found: Clustering, n: usize) {
    best.swaps += found.swaps;
    best.judged += found.judged;
    best.passes = best.judged.div_ceil(n);
    best.restarts += 1;
    best.times.search += found.times.search;
    if found.cost < best.cost {
        best.cost = found.cost;
        best.centers = found.centers;
    }
    best.stop = found.stop;
}

/// Replaces a few random centers by items drawn in proportion to what they cost.
fn perturbed(problem: &Problem<'_>, centers: &[usize], rng: &mut impl Rng) -> Vec<usize> {
    let k = centers.len();
    let most = (k / LARGEST_SHARE).clamp(1, problem.len() - k);
    let count = rng.random_range(1..=most.max(2.min(k)).min(problem.len() - k));
    let assignment = Assignment::new(problem.space, centers);
    let mut costs: Vec<f64> = (0..problem.len())
        .map(|item| problem.demand.of(item) * problem.objective.of(assignment.distances[item]))
        .collect();
    let mut is_center = vec![false; problem.len()];
    centers.iter().for_each(|&center| is_center[center] = true);
    let mut centers = centers.to_vec();
    for slot in index::sample(rng, k, count) {
        let newcomer = draw(costs.iter().copied(), rng).unwrap_or_else(|| {
            let others: Vec<usize> = (0..problem.len()).filter(|&item| !is_center[item]).collect();
            others[rng.random_range(0..others.len())]
        });
        costs[newcomer] = 0.0;
        is_center[newcomer] = true;
        centers[slot] = newcomer;
    }
    centers
}
