//! Our methods, with the defaults that users get.
//!
//! Trees are built on the space as a user has it. Swaps are judged with all distances in memory,
//! which hundreds of runs share. The distances are the same.

use kmedian::privacy::{Entropy, Epsilon, Method as Derivation, PublicTree, Recipe};
use kmedian::{Demand, KMedian, Objective, Problem, Seed, Start};

use super::{Timed, timed};
use crate::progress::run;
use crate::row::Outcome;
use crate::{Failure, Universe};

/// The number of restarts in the search for the optimum of an OR-Library instance: enough to find
/// all of them.
const RESTARTS: usize = 200;

/// The centers before and after local search, and how long each took from the beginning.
pub(crate) struct Found {
    /// The initial centers.
    initial: Timed<Vec<usize>>,
    /// The centers after local search.
    last: Timed<Vec<usize>>,
}

impl Found {
    /// The outcome of the whole method, with costs on the demand of a problem.
    pub(crate) fn outcome(&self, judge: &Problem<'_>) -> Outcome {
        let final_cost = Some(judge.cost(&self.last.value));
        Outcome { final_cost, ..self.initial_outcome(judge) }.lasting(self.last.seconds)
    }

    /// The outcome of a method that ends with the initial centers.
    pub(crate) fn initial_outcome(&self, judge: &Problem<'_>) -> Outcome {
        let cost = Some(judge.cost(&self.initial.value));
        let init_seconds = Some(self.initial.seconds);
        Outcome { init_cost: cost, final_cost: cost, init_seconds, ..Outcome::default() }
            .lasting(self.initial.seconds)
    }
}

/// Our non-private method: exact search on a fitted tree, then swaps to a certified local optimum,
/// for each k of a list. The space of the problem has all distances in memory.
pub(crate) fn local_search(
    universe: &Universe,
    problem: &Problem<'_>,
    ks: &[usize],
    seed: Seed,
) -> Result<Vec<Found>, Failure> {
    let plan = KMedian { seed, restarts: Some(0), ..KMedian::default() };
    search_for_all(universe, problem, ks, &plan, 0.0)
}

/// Centers that know nothing of the demand, for each k of a list.
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

/// The search for the optimum: our non-private method, then many times more from perturbed centers.
pub(crate) fn restarts(problem: &Problem<'_>, k: usize, seed: Seed) -> Result<Outcome, Failure> {
    let plan = KMedian { seed, restarts: Some(RESTARTS), ..KMedian::default() };
    let found = timed(|| plan.prepare(problem, &mut run())?.fit(k, &mut run()))?;
    let (init_cost, final_cost) = (Some(found.value.init_cost), Some(found.value.cost));
    Ok(Outcome { init_cost, final_cost, ..Outcome::default() }.lasting(found.seconds))
}

/// The public tree of the default recipe. It does not depend on the demand, except for the number
/// of its records, if that is public.
pub(crate) fn public_tree(
    universe: &Universe,
    epsilon: Epsilon,
    records: Option<u64>,
    seed: Seed,
) -> Result<Timed<PublicTree>, Failure> {
    let recipe = Recipe { records, seed, ..Recipe::new(epsilon) };
    Ok(timed(|| PublicTree::build(universe.space(), &recipe, &mut run()))?)
}

/// Releases demand with seeded noise, and derives centers from the release for each k of a list.
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
        let weights = release.weights(universe.space(), &mut run())?;
        Ok::<_, kmedian::Error>((release, weights))
    })?;
    let (release, weights) = released.value;
    let problem =
        Problem::of(universe.distances()).demand(&weights).objective(objective).build()?;
    let plan = release.plan(Derivation::Refined);
    search_for_all(universe, &problem, ks, &plan, tree.seconds + released.seconds)
}

/// Initial centers on the space as a user has it, and then swaps, for each k of a list. The work
/// before took `before` seconds, which are added to all times.
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
