//! Samples of the demand, for the first passes of a local search.

use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

use crate::{Demand, Problem, tactics};

/// A small sample of the demand, on which centers settle quickly; `None` if that would not save
/// much.
pub(super) fn first(problem: &Problem<'_>, k: usize, rng: &mut impl Rng) -> Option<Demand> {
    let items = problem.demand.items().len();
    let draws = tactics::first_sample(items, k, problem.space.abilities())?;
    draw(&problem.demand, draws, rng)
}

/// A second, larger sample of the demand, which tells good centers from better ones.
pub(super) fn second(problem: &Problem<'_>, k: usize, rng: &mut impl Rng) -> Option<Demand> {
    let draws = tactics::second_sample(problem.demand.items().len(), k);
    draw(&problem.demand, draws, rng)
}

/// Draws items in proportion to their demand, each draw standing for an equal share of it.
fn draw(demand: &Demand, draws: usize, rng: &mut impl Rng) -> Option<Demand> {
    let share = demand.total() / draws as f64;
    let mut targets: Vec<f64> = (0..draws).map(|_| rng.random::<f64>() * demand.total()).collect();
    targets.sort_unstable_by(f64::total_cmp);

    let mut weights = vec![0.0; demand.len()];
    let mut targets = targets.into_iter().peekable();
    let mut sum = 0.0;
    for &item in demand.items() {
        sum += demand.of(item as usize);
        while targets.next_if(|&target| target < sum).is_some() {
            weights[item as usize] += share;
        }
    }
    Demand::new(weights).ok()
}

/// The candidates of a search on a sample of the demand: the items of the sample, and as many of
/// those without demand, drawn at random. Where not every item is a candidate: those of the sample
/// that are, and as many others as the sample has items.
pub(super) fn candidates(problem: &Problem<'_>, sample: &Demand, rng: &mut impl Rng) -> Vec<u32> {
    let Problem { demand, sites, .. } = problem;
    let mut candidates = sample.items().to_vec();
    candidates.retain(|&item| sites.is_candidate(item as usize));
    if !sites.is_default() {
        let unsampled = |&item: &u32| sample.of(item as usize) == 0.0;
        let others: Vec<u32> = problem.candidates().filter(unsampled).collect();
        candidates.extend(others.sample(rng, sample.items().len()));
    } else if demand.items().len() < demand.len() {
        let without = |&item: &u32| demand.of(item as usize) == 0.0;
        let empty: Vec<u32> = problem.candidates().filter(without).collect();
        candidates.extend(empty.sample(rng, sample.items().len()));
    }
    candidates
}
