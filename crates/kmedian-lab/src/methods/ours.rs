//! Our methods, with the defaults that users get.

use kmedian::privacy::{
    Entropy, Epsilon, Method as Derivation, PrivateTree, Recipe, data_free_centers,
};
use kmedian::{Demand, KMedian, Objective, Prepared, Problem, Seed, Space};

use super::{Timed, timed};
use crate::Failure;
use crate::progress::Watch;
use crate::row::Outcome;

/// From the exact search on a fitted tree to a certified local optimum, for each of some k.
///
/// `judge` is the same problem with all distances at hand: costs are taken from it, so that those of all methods
/// are sums of the same numbers.
pub(crate) fn local_search(
    problem: &Problem<'_>,
    judge: &Problem<'_>,
    ks: &[usize],
    restarts: usize,
    seed: Seed,
) -> Result<Vec<Outcome>, Failure> {
    let plan = KMedian { seed, restarts, ..KMedian::default() };
    let prepared = plan.prepare(problem, &mut Watch)?;
    let fit = |&k: &usize| {
        let found = prepared.fit(k, &mut Watch)?;
        let init = (found.times.tree + found.times.init).as_secs_f64();
        Ok(Outcome {
            init_cost: Some(found.init_cost),
            final_cost: Some(judge.cost(&found.centers)),
            seconds: init + found.times.search.as_secs_f64(),
            init_seconds: Some(init),
            ..Outcome::default()
        })
    };
    ks.iter().map(fit).collect()
}

/// Centers that know nothing of the demand, for each of some k.
pub(crate) fn data_free(
    space: &dyn Space,
    ks: &[usize],
    objective: Objective,
    seed: Seed,
) -> Result<Vec<Timed<Vec<usize>>>, Failure> {
    let plan = KMedian { seed, ..KMedian::default() };
    let fit = |&k: &usize| -> Result<_, Failure> {
        let found = timed(|| data_free_centers(space, &[k], objective, &plan, &mut Watch))?;
        let centers = found.value.into_iter().next().unwrap_or_default();
        Ok(Timed { value: centers, seconds: found.seconds })
    };
    ks.iter().map(fit).collect()
}

/// Weights that a private release gives to the items, from which centers for any k follow.
pub(crate) struct Derived {
    release: PrivateTree,
    weights: Demand,
    seconds: f64,
}

/// Releases demand by the default recipe.
pub(crate) fn release(
    space: &dyn Space,
    counts: &[u64],
    epsilon: Epsilon,
    seed: Seed,
) -> Result<Derived, Failure> {
    let recipe = Recipe { seed, ..Recipe::new(epsilon) };
    let mut entropy = Entropy::seeded_not_private(seed.named(&format!("release {epsilon}")));
    let released = timed(|| {
        let release = PrivateTree::release(space, counts, &recipe, &mut entropy, &mut Watch)?;
        let weights = release.weights()?;
        Ok::<_, kmedian::Error>((release, weights))
    })?;
    let Timed { value: (release, weights), seconds } = released;
    Ok(Derived { release, weights, seconds })
}

impl Derived {
    /// What comes of the exact search alone, and of swaps after it, for each of some k.
    pub(crate) fn exact_and_refined(
        &self,
        judge: &Problem<'_>,
        space: &dyn Space,
        ks: &[usize],
    ) -> Result<[Vec<Outcome>; 2], Failure> {
        let exact = self.derive(Derivation::Exact, judge, space, ks)?;
        let mut refined = self.derive(Derivation::Refined, judge, space, ks)?;
        for (end, begin) in refined.iter_mut().zip(&exact) {
            end.init_cost = begin.final_cost;
            end.init_seconds = Some(begin.seconds);
        }
        Ok([exact, refined])
    }

    fn derive(
        &self,
        derivation: Derivation,
        judge: &Problem<'_>,
        space: &dyn Space,
        ks: &[usize],
    ) -> Result<Vec<Outcome>, Failure> {
        let problem = Problem::new(space, &self.weights, judge.objective)?;
        let plan = self.release.plan(derivation);
        let prepared: Timed<Prepared<'_>> = timed(|| plan.prepare(&problem, &mut Watch))?;
        let fit = |&k: &usize| {
            let found = timed(|| prepared.value.fit(k, &mut Watch))?;
            let cost = judge.cost(&found.value.centers);
            Ok(Outcome {
                init_cost: (derivation == Derivation::Exact).then_some(cost),
                final_cost: Some(cost),
                seconds: self.seconds + prepared.seconds + found.seconds,
                ..Outcome::default()
            })
        };
        ks.iter().map(fit).collect()
    }
}
