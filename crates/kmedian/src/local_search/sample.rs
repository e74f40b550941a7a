//! A sample of the demand, for the first passes of a local search.

use rand::{Rng, RngExt};

use crate::{Demand, Problem};

/// A sample has at least so many draws, and so many for each center.
const SMALLEST: usize = 1024;
const PER_CENTER: usize = 16;

/// With fewer items than this to a draw, a sample saves too little.
const WORTHWHILE: usize = 10;

/// Draws items in proportion to their demand, each draw standing for an equal share of it; `None` if that
/// would not save much. In a space that explores, a search passes through items with and without demand
/// alike, so there is nothing to save.
pub(super) fn of(problem: &Problem<'_>, k: usize, rng: &mut impl Rng) -> Option<Demand> {
    let draws = SMALLEST.max(PER_CENTER * k);
    if problem.space.explores() || problem.demand.items().len() < WORTHWHILE * draws {
        return None;
    }
    let share = problem.demand.total() / draws as f64;
    let mut targets: Vec<f64> =
        (0..draws).map(|_| rng.random::<f64>() * problem.demand.total()).collect();
    targets.sort_unstable_by(f64::total_cmp);

    let mut weights = vec![0.0; problem.len()];
    let mut targets = targets.into_iter().peekable();
    let mut sum = 0.0;
    for &item in problem.demand.items() {
        sum += problem.demand.of(item as usize);
        while targets.next_if(|&target| target < sum).is_some() {
            weights[item as usize] += share;
        }
    }
    Demand::new(weights).ok()
}
