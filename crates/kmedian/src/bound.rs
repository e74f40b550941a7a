//! What no centers can beat: a lower bound of the cost of every solution, and how near to it the
//! centers are.

mod ascent;
mod branch;
mod bundle;
mod chains;
mod core;
mod dual;
mod ground;
mod improve;
mod least;
mod levels;
mod near;
mod passes;
mod proof;
mod rounding;
mod volume;

pub use proof::{Proof, gap};
pub(crate) use proof::{prove, search_before};

use std::time::{Duration, Instant};

use crate::search::checked_centers;
use crate::{Assignment, Error, ErrorKind, Problem, Run, Step, default_memory};
use dual::Dual;
use ground::Ground;

/// A lower bound of the cost of every solution of a problem, by Lagrangian relaxation.
///
/// Every item has a price λ, at which it buys service. A site saves ρ = Σ w · max(0, λ − cost) for
/// the items that it could serve for less than their price. With f centers to choose beside the
/// fixed ones,
///
/// > bound(λ) = Σ w λ − Σ ρ of the fixed sites − the f largest ρ of the others
///
/// is at most the cost of every solution, whatever the prices are: each item pays at most its
/// price, less what the best open site saves it, and the savings of all open sites add up to at
/// least that. ρ is the one question to a space with caps λ, so there is a bound wherever there is
/// a search, and it takes O(n) memory beside lists of a limited size. docs/PROOF.md has the proof,
/// how good prices are found, and what that costs.
///
/// The bound holds for the distances as the space answers them, in exact arithmetic: sums are
/// rounded to the safe side. Where all distances and weights are whole numbers, it is rounded up.
///
/// [`KMedian::proof`](crate::KMedian::proof) bounds what a search finds, and goes on searching;
/// take this where you have the centers already.
///
/// ```
/// use kmedian::{LowerBound, Metric, Problem, Run, Vectors};
///
/// let places = Vectors::new(1, &[0.0, 1.0, 2.0, 10.0, 11.0, 12.0], Metric::L1)?;
/// let problem = Problem::of(&places).build()?;
/// let bound = LowerBound::default().of(&problem, &[1, 4], &mut Run::default())?;
/// assert_eq!(bound.cost, 4.0);
/// assert_eq!(bound.value, 4.0);
/// # Ok::<(), kmedian::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LowerBound {
    /// The share of the cost by which it may exceed the bound for the work to end: zero goes on as
    /// long as that is of use.
    pub gap: f64,
    /// The most passes over sites, the items that may be centers; `None` is no limit.
    pub max_passes: Option<usize>,
    /// The most time to take; `None` is no limit. Time is left for a last pass over all sites, and
    /// one is made in any case, as there is no bound without it.
    pub time_limit: Option<Duration>,
    /// Prices to begin with, one for each item, such as those that prove the bound for one center
    /// less; they are taken if they say more than those that the centers suggest.
    pub prices: Option<Vec<f64>>,
    /// The bytes of memory to take for lists of the items near sites; `None` is half of what the
    /// machine has free.
    pub memory: Option<usize>,
}

/// A lower bound of the cost of all solutions with as many centers, and what proves it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bound {
    /// The lower bound, in the unit of the cost: no solution with as many centers costs less.
    pub value: f64,
    /// The cost of the centers that the bound was computed for, which it is compared with.
    pub cost: f64,
    /// By item, the price that proves the bound; zero without demand.
    pub prices: Vec<f64>,
    /// How many passes there were over some or all sites, the items that may be centers.
    pub passes: usize,
    /// How many of the passes were over all sites.
    pub full_passes: usize,
    /// How long computing the bound took.
    pub time: Duration,
}

impl LowerBound {
    /// A lower bound of the cost of all solutions with as many centers as are given. The better the
    /// given centers are, the faster it rises.
    ///
    /// # Errors
    /// If the centers are none, repeated or not candidates, if a fixed one is missing, if the gap
    /// is not from 0 to 1, if prices are not one for each item, finite and not negative, or if the
    /// run is ended before there is a bound.
    pub fn of(
        &self,
        problem: &Problem<'_>,
        centers: &[usize],
        run: &mut Run<'_>,
    ) -> Result<Bound, Error> {
        check_gap(self.gap)?;
        let centers = &checked_centers(problem, centers)?;
        self.prices.as_ref().map_or(Ok(()), |prices| check_prices(problem, prices))?;
        let started = Instant::now();
        let deadline = self.time_limit.and_then(|limit| started.checked_add(limit));
        let memory = self.memory.unwrap_or_else(default_memory) / 2;
        let faster = problem.space_for_passes(memory, run.halt());
        let faster = faster.as_ref().map(|space| problem.in_space(&**space)).transpose()?;
        let problem = faster.unwrap_or_else(|| problem.tabulated(run.halt()));
        let cost = problem.cost(centers);
        if centers.len() == problem.fixed().len() {
            return Ok(Bound::of_fixed(&problem, cost, started));
        }
        let cancelled = || Error::from(crate::run::Cancelled);
        let given = self.prices.as_deref();
        let mut dual = Dual::new(&problem, centers, cost, given, memory, deadline, run.halt())
            .ok_or_else(cancelled)?;
        loop {
            let bound = dual.best.bound.min(cost);
            let left = self.max_passes.map_or(usize::MAX, |most| most.saturating_sub(dual.passes));
            let late = dual.is_late(deadline);
            let near = cost - bound <= self.gap * cost;
            let done = dual.full_passes > 0 && (left == 0 || late || near || dual.is_tired());
            let step = Step::Bounded { passes: dual.passes, bound, cost };
            if done || run.step(&step).is_err() {
                let (passes, full_passes) = (dual.passes, dual.full_passes);
                let (prices, time) = (dual.best.prices, started.elapsed());
                return Ok(Bound { value: bound, cost, prices, passes, full_passes, time });
            }
            // If the run is ended meanwhile, what was proven before is the result.
            let passes = dual.cheap_passes().min(left);
            let _ = dual.advance(passes, cost, deadline, run.halt());
        }
    }
}

impl Bound {
    /// The bound where all centers are fixed: their cost, which the prices prove that all items pay
    /// to their nearest centers.
    fn of_fixed(problem: &Problem<'_>, cost: f64, started: Instant) -> Self {
        let distances = Assignment::new(problem.space, problem.fixed()).distances;
        let mut prices = vec![0.0; problem.len()];
        for &item in problem.demand.items() {
            prices[item as usize] = problem.objective.of(distances[item as usize]);
        }
        let time = started.elapsed();
        Self { value: cost, cost, prices, passes: 0, full_passes: 0, time }
    }

    /// The lower bound of the cost that given prices prove, one price for each item, in one pass
    /// over all items that may be centers. `centers` is any solution with as many centers as the
    /// bound is for. A bound from bad prices is still true, only lower.
    ///
    /// # Errors
    /// If the centers are none, repeated or not candidates, if a fixed one is missing, if there is
    /// not a price for each item, if one is negative, NaN or infinite, or if the run is ended.
    pub fn at(
        problem: &Problem<'_>,
        centers: &[usize],
        prices: &[f64],
        run: &mut Run<'_>,
    ) -> Result<f64, Error> {
        let centers = &checked_centers(problem, centers)?;
        check_prices(problem, prices)?;
        let ground = Ground::new(problem, centers);
        let proven = passes::prove(&ground, None, prices.to_vec(), run.halt());
        Ok(proven.ok_or(crate::run::Cancelled)?.bound)
    }
}

/// Checks that there is a price for each item, finite and not negative.
fn check_prices(problem: &Problem<'_>, prices: &[f64]) -> Result<(), Error> {
    if prices.len() != problem.len() {
        let message = format!("there are {} items, but {} prices", problem.len(), prices.len());
        return Err(Error::new(ErrorKind::Shape, message));
    }
    let Some(item) = prices.iter().position(|price| !(0.0..f64::MAX).contains(price)) else {
        return Ok(());
    };
    let price = prices[item];
    let message =
        format!("the price of item {item} is {price}; prices are finite and not negative");
    Err(Error::new(ErrorKind::Value, message))
}

/// Checks that a gap is a share that can be asked for.
pub(crate) fn check_gap(gap: f64) -> Result<(), Error> {
    if (0.0..1.0).contains(&gap) {
        return Ok(());
    }
    let message =
        format!("the gap is {gap}; give a share of the cost, from 0 to less than 1, such as 0.001");
    Err(Error::new(ErrorKind::Parameter, message))
}
