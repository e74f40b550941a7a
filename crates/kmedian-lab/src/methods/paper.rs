//! The paper's methods, with the constants of its Section 5.

use std::ops::ControlFlow;

use kmedian::privacy::{Entropy, Epsilon, PrivateInit, PrivateSearch};
use kmedian::{
    Demand, Init, LocalSearch, Observer, Problem, Run, Seed, Step, SwapRule, Tree, TreeKind, tree,
};

use super::{Method, Timed, timed};
use crate::progress::run;
use crate::row::Outcome;
use crate::{Failure, Universe};

/// The number of levels of the ball tree without privacy: the paper's L.
const LEVELS: usize = 6;

/// A swap must save more than this share of the cost, divided by k: the paper's α of Algorithm 1.
const ALPHA: f64 = 1e-3;
/// The most iterations of Algorithm 1, as in the paper.
const MOST_ITERATIONS: usize = 20;

/// The tree of NDP-HST. It depends neither on the demand nor on k.
pub(crate) fn ball_tree(universe: &Universe, seed: Seed) -> Result<Timed<Tree>, Failure> {
    let everyone = Demand::uniform(universe.len());
    let kind = TreeKind::Ball { levels: LEVELS };
    let seed = seed.named("tree");
    Ok(timed(|| Tree::build(universe.distances(), &everyone, kind, seed, &mut run()))?)
}

/// The initial centers of one of the paper's methods without privacy.
pub(crate) fn initial_centers(
    method: Method,
    problem: &Problem<'_>,
    k: usize,
    seed: Seed,
    ball_tree: impl FnOnce() -> Result<Timed<Tree>, Failure>,
) -> Result<Timed<Vec<usize>>, Failure> {
    let init = match method {
        Method::NdpHst => {
            let Timed { value: tree, seconds: before } = ball_tree()?;
            let found = timed(|| Ok::<_, Failure>(tree::paper_search(&tree, problem.demand(), k)))?;
            return Ok(Timed { value: found.value, seconds: before + found.seconds });
        }
        Method::NdpPlusPlus => Init::PlusPlus,
        _ => Init::Random,
    };
    Ok(timed(|| init.prepare(problem, seed, &mut run())?.centers(k, &mut run()))?)
}

/// The paper's Algorithm 1 from given initial centers.
pub(crate) fn search(
    problem: &Problem<'_>,
    start: &Timed<Vec<usize>>,
    seed: Seed,
) -> Result<Outcome, Failure> {
    let rules = LocalSearch {
        swap: SwapRule::Best,
        alpha: ALPHA,
        max_swaps: Some(MOST_ITERATIONS),
        ..LocalSearch::default()
    };
    let mut trace = Trace::default();
    let mut rng = seed.stream("swaps");
    let found = timed(|| {
        let mut run = Run::observed_by(&mut trace).halted_by(run().halt());
        rules.run(problem, &start.value, &mut rng, &mut run)
    })?;
    Ok(Outcome {
        init_cost: Some(found.value.init_cost),
        costs: trace.costs,
        final_cost: Some(found.value.cost),
        seconds: start.seconds + found.seconds,
        init_seconds: Some(start.seconds),
        ..Outcome::default()
    })
}

/// An observer that notes the cost after each swap. A search judges candidates once more after its
/// last swap, so that one is noted too.
#[derive(Default)]
struct Trace {
    costs: Vec<f64>,
}

impl Observer for Trace {
    fn step(&mut self, step: &Step) -> ControlFlow<()> {
        if let Step::Judged { cost, swaps, .. } = *step
            && swaps > self.costs.len()
        {
            self.costs.push(cost);
        }
        ControlFlow::Continue(())
    }
}

/// The paper's Algorithm 7 from the initial centers of one of its private methods, with its L = 8
/// and T = 20.
pub(crate) fn private_search(
    method: Method,
    problem: &Problem<'_>,
    counts: &[u64],
    k: usize,
    epsilon: Epsilon,
    seed: Seed,
) -> Result<Outcome, Failure> {
    let paper = PrivateSearch { seed, ..PrivateSearch::paper(epsilon) };
    let init = match method {
        Method::DpRand => PrivateInit::Random,
        Method::DpPlusPlus => PrivateInit::PlusPlus,
        _ => paper.init,
    };
    let search = PrivateSearch { init, ..paper };
    let noise = seed.named(&format!("{} {epsilon}", method.name())).numbered(k as u64);
    let mut entropy = Entropy::seeded_not_private(noise);
    let found = timed(|| {
        search.run(problem.space(), counts, k, problem.objective(), &mut entropy, &mut run())
    })?;
    let costs: Vec<f64> = found.value.history.iter().map(|centers| problem.cost(centers)).collect();
    Ok(Outcome {
        init_cost: costs.first().copied(),
        final_cost: costs.get(found.value.selected).copied(),
        costs: costs.into_iter().skip(1).collect(),
        seconds: found.seconds,
        ..Outcome::default()
    })
}
