//! Further searches from perturbed centers (iterated local search).

use std::time::Instant;

use rand::seq::{IteratorRandom, index};
use rand::{Rng, RngExt};

use super::centers::Centers;
use crate::demand::draw;
use crate::problem::NearestCandidate;
use crate::{Clustering, Effort, LocalSearch, Run, Seed, Step, Stop, SwapRule, tactics};

/// At most one in this many centers is replaced at once, but always up to two: more would lose what
/// is good about them.
const LARGEST_SHARE: usize = 4;

/// Searches again from the best centers with a few of them replaced, `restarts` times, and keeps
/// the better centers each time. Ends early if a search does not end by itself. `None` is a few
/// times where that takes next to no time; the first of them then goes on from what less effort
/// would have found from the initial centers.
pub(crate) fn run(
    search: &LocalSearch,
    restarts: Option<usize>,
    (initial, seed): (&[usize], Seed),
    mut known: Centers<'_>,
    best: &mut Clustering,
    run: &mut Run<'_>,
) {
    let first = best.centers.clone();
    let certified = best.stop == Stop::LocalOptimum && search.swap == SwapRule::Eager;
    let few = tactics::few_restarts(known.candidate_count(), known.has_cheap_distances());
    let count = restarts.unwrap_or(if certified { few } else { 0 });
    if restarts.is_none() && count > 0 && !known.all_fixed() {
        share_start(search, (initial, seed), &mut known, best, run);
    }
    perturbed(search, count, seed, &mut known, best, run);
    if best.centers != first {
        assign(best, known);
    }
}

/// Goes on from what [`Effort::Fast`] finds from the initial centers, if that is better than the
/// best centers so far.
fn share_start(
    search: &LocalSearch,
    (initial, seed): (&[usize], Seed),
    centers: &mut Centers<'_>,
    best: &mut Clustering,
    run: &mut Run<'_>,
) {
    centers.begin_again(initial);
    let fast = LocalSearch { effort: Effort::Fast, ..search.less(best) };
    let quick = fast.go_on(centers, &mut seed.generator(), run);
    best.swaps += quick.swaps;
    best.judged += quick.judged;
    best.times.search += quick.times.search;
    if quick.stop.is_cut_short() {
        best.stop = quick.stop;
    }
    if quick.cost < best.cost && !best.stop.is_cut_short() {
        let found = search.less(best).go_on(centers, &mut seed.stream("shared"), run);
        merge(best, found, centers.candidate_count());
        tell(best, run);
    }
}

/// Searches again from the best centers with a few of them replaced, until that was done `count`
/// times.
fn perturbed(
    search: &LocalSearch,
    count: usize,
    seed: Seed,
    centers: &mut Centers<'_>,
    best: &mut Clustering,
    run: &mut Run<'_>,
) {
    let mut rng = seed.stream("restarts");
    let mut nearest: Option<Option<NearestCandidate>> = None;
    while best.restarts < count
        && !best.stop.is_cut_short()
        && best.centers.len() < centers.candidate_count()
        && !centers.all_fixed()
    {
        let (rest, started) = (search.less(best), Instant::now());
        centers.return_to(&best.centers);
        let nearest = nearest.get_or_insert_with(|| centers.nearest_candidate());
        perturb(centers, nearest.as_ref(), &mut rng);
        let mut found = rest.go_on(centers, &mut rng, run);
        found.times.search = started.elapsed();
        merge(best, found, centers.candidate_count());
        tell(best, run);
    }
}

/// Tells the observer that a further search has ended.
fn tell(best: &mut Clustering, run: &mut Run<'_>) {
    let step = Step::Restarted { restarts: best.restarts, best: best.cost };
    if run.step(&step).is_err() {
        best.stop = Stop::Cancelled;
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
