//! Further searches from perturbed centers (iterated local search).

use std::time::Instant;

use rand::seq::{IteratorRandom, index};
use rand::{Rng, RngExt};

use super::centers::Centers;
use crate::demand::draw;
use crate::problem::NearestCandidate;
use crate::{Clustering, LocalSearch, Problem, Run, Seed, Step, Stop};

/// At most one in this many centers is replaced at once, but always up to two: more would lose what
/// is good about them.
const LARGEST_SHARE: usize = 4;

/// Searches again from the best centers with a few of them replaced, `restarts` times, and keeps
/// the better centers each time. Ends early if a search does not end by itself.
pub(crate) fn run(
    problem: &Problem<'_>,
    search: &LocalSearch,
    restarts: usize,
    seed: Seed,
    best: &mut Clustering,
    run: &mut Run<'_>,
) {
    let mut rng = seed.stream("restarts");
    let mut known: Option<Centers<'_>> = None;
    let mut nearest: Option<Option<NearestCandidate>> = None;
    let first = best.centers.clone();
    while best.restarts < restarts
        && !best.stop.is_cut_short()
        && best.centers.len() < problem.candidates().len()
        && best.centers.len() > problem.fixed().len()
    {
        let rest = search.less(best);
        let started = Instant::now();
        let means = search.means(&run.halt().until(rest.deadline(started)));
        let centers = known.get_or_insert_with(|| Centers::new(problem, &best.centers, &means));
        centers.return_to(&best.centers);
        let nearest = nearest.get_or_insert_with(|| centers.nearest_candidate());
        perturb(centers, nearest.as_ref(), &mut rng);
        let mut found = rest.go_on(centers, &mut rng, run);
        found.times.search = started.elapsed();
        merge(best, found, problem.candidates().len());
        let step = Step::Restarted { restarts: best.restarts, best: best.cost };
        if run.step(&step).is_err() {
            best.stop = Stop::Cancelled;
        }
    }
    if let Some(centers) = known.filter(|_| best.centers != first) {
        assign(best, centers);
    }
}

/// Finds which items the best centers serve, and puts that into the result.
fn assign(best: &mut Clustering, mut centers: Centers<'_>) {
    centers.return_to(&best.centers);
    let position = |center: &usize| best.centers.iter().position(|best| best == center);
    let labels: Vec<u32> =
        centers.centers().iter().map(|center| position(center).unwrap_or(0) as u32).collect();
    [best.silhouette, best.squared_silhouette] = centers.silhouettes();
    best.assignment = centers.assignment();
    best.assignment.labels.iter_mut().for_each(|label| *label = labels[*label as usize]);
}

/// Adds the counts of another search, and takes its centers if they are no worse: equally good
/// centers are a new place to search from. The reason why the other search ended is the reason of
/// all.
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

/// Replaces a few random centers that are not fixed by items drawn in proportion to what they cost,
/// or, where not every item is a candidate, by the candidates nearest to these.
fn perturb(centers: &mut Centers<'_>, nearest: Option<&NearestCandidate>, rng: &mut impl Rng) {
    let (n, k, fixed) = (centers.items(), centers.centers().len(), centers.fixed());
    let free = k - fixed;
    let most = (free / LARGEST_SHARE).max(2).min(free).min(centers.candidate_count() - k);
    let count = rng.random_range(1..=most);
    for slot in index::sample(rng, free, count) {
        let costs = (0..n).map(|item| centers.cost_of(item));
        let candidates = centers.candidates().into_iter().map(|item| item as usize);
        let any = |rng: &mut _| candidates.filter(|&item| !centers.is_center(item)).choose(rng);
        let drawn = draw(costs, rng)
            .map(|item| nearest.map_or(item, |nearest| centers.candidate_near(item, nearest)))
            .filter(|&item| !centers.is_center(item));
        let Some(newcomer) = drawn.or_else(|| any(rng)) else { break };
        centers.replace(fixed + slot, newcomer);
    }
}
