//! Our methods, with the defaults that users get.
//!
//! Trees are built on the space as users have it. Swaps are judged with all distances at hand: they
//! are the same distances, and hundreds of runs share them.

use kmedian::privacy::{Entropy, Epsilon, Method as Derivation, PublicTree, Recipe};
use kmedian::{Demand, KMedian, Objective, Problem, Seed, Start};

use super::{Timed, timed};
use crate::progress::run;
use crate::row::Outcome;
use crate::{Failure, Universe};

/// How often the search for the optimum of an OR-Library instance begins again: enough to reach all
/// of them.
const RESTARTS: usize = 200;

/// Centers as they are when swaps begin, and when they end; and how long each took.
pub(crate) struct Found {
    initial: Timed<Vec<usize>>,
    last: Timed<Vec<usize>>,
}

impl Found {
    /// What the centers come to on the demand of a problem.
    pub(crate) fn outcome(&self, judge: &Problem<'_>) -> Outcome {
        let final_cost = Some(judge.cost(&self.last.value));
        Outcome { final_cost, ..self.initial_outcome(judge) }.lasting(self.last.seconds)
    }

    /// What the initial centers alone come to.
    pub(crate) fn initial_outcome(&self, judge: &Problem<'_>) -> Outcome {
        let cost = Some(judge.cost(&self.initial.value));
        let init_seconds = Some(self.initial.seconds);
        Outcome { init_cost: cost, final_cost: cost, init_seconds, ..Outcome::default() }
            .lasting(self.initial.seconds)
    }
}

/// From the exact search on a fitted tree to a certified local optimum, for each of some k.
///
/// The space of a problem has all distances at hand, here and below.
pub(crate) fn local_search(
    universe: &Universe,
    problem: &Problem<'_>,
    ks: &[usize],
    seed: Seed,
) -> Result<Vec<Found>, Failure> {
    let plan = KMedian { seed, ..KMedian::default() };
    search_for_all(universe, problem, ks, &plan, 0.0)
}

/// Centers that know nothing of the demand, for each of some k.
pub(crate) fn data_free(
    universe: &Universe,
    objective: Objective,
    ks: &[usize],
    seed: Seed,
) -> Result<Vec<Timed<Vec<usize>>>, Failure> {
    let everyone = Demand::uniform(universe.len());
    let problem =
        Problem::of(universe.distances()).demand(&everyone).objective(objective).build()?;
    let found = local_search(universe, &problem, ks, seed)?;
    Ok(found.into_iter().map(|found| found.last).collect())
}

/// The search for the optimum: the same, then again and again from perturbed centers.
pub(crate) fn restarts(problem: &Problem<'_>, k: usize, seed: Seed) -> Result<Outcome, Failure> {
    let plan = KMedian { seed, restarts: RESTARTS, ..KMedian::default() };
    let found = timed(|| plan.prepare(problem, &mut run())?.fit(k, &mut run()))?;
    let (init_cost, final_cost) = (Some(found.value.init_cost), Some(found.value.cost));
    Ok(Outcome { init_cost, final_cost, ..Outcome::default() }.lasting(found.seconds))
}

/// The tree of the default recipe. It depends on no demand, but for its size, where that is public.
pub(crate) fn public_tree(
    universe: &Universe,
    epsilon: Epsilon,
    records: Option<u64>,
    seed: Seed,
) -> Result<Timed<PublicTree>, Failure> {
    let recipe = Recipe { records, seed, ..Recipe::new(epsilon) };
    Ok(timed(|| PublicTree::build(universe.space(), &recipe, &mut run()))?)
}

/// Releases demand, and derives centers for each of some k from the release.
pub(crate) fn release(
    universe: &Universe,
    tree: &Timed<PublicTree>,
    counts: &[u64],
    objective: Objective,
    ks: &[usize],
    seed: Seed,
) -> Result<Vec<Found>, Failure> {
    let epsilon = tree.value.budget().epsilon();
    let mut entropy = Entropy::seeded_not_private(seed.named(&format!("release {epsilon}")));
    let released = timed(|| {
        let release = tree.value.copy_that_spends_again().release(counts, &mut entropy)?;
        let weights = release.weights()?;
        Ok::<_, kmedian::Error>((release, weights))
    })?;
    let (release, weights) = released.value;
    let problem =
        Problem::of(universe.distances()).demand(&weights).objective(objective).build()?;
    let plan = release.plan(Derivation::Refined);
    search_for_all(universe, &problem, ks, &plan, tree.seconds + released.seconds)
}

/// Initial centers from the space, and swaps, for each of some k, after work that took `seconds`.
fn search_for_all(
    universe: &Universe,
    problem: &Problem<'_>,
    ks: &[usize],
    plan: &KMedian,
    before: f64,
) -> Result<Vec<Found>, Failure> {
    let given = problem.in_space(universe.space())?;
    let start: Timed<Start<'_>> = timed(|| plan.init.prepare(&given, plan.seed, &mut run()))?;
    let find = |&k: &usize| {
        let initial = timed(|| start.value.centers(k, &mut run()))?;
        let rng = &mut plan.seed.named("search").numbered(k as u64).generator();
        let found = timed(|| plan.search.run(problem, &initial.value, rng, &mut run()))?;
        let seconds = before + start.seconds + initial.seconds;
        Ok(Found {
            last: Timed { value: found.value.centers, seconds: seconds + found.seconds },
            initial: Timed { seconds, ..initial },
        })
    };
    ks.iter().map(find).collect()
}
