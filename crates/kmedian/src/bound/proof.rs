//! Centers and what no centers can beat, brought nearer to each other in turn.

use std::time::Instant;

use super::branch::{self, Best};
use super::check_gap;
use super::core::Limits;
use super::dual::Dual;
use super::ground::costs_are_whole;
use super::improve::Improver;
use crate::search::fixed_first;
use crate::{Clustering, Error, ErrorKind, LocalSearch, Problem, Run, Seed, Step, Stop};

/// Rounds of cheap passes between two searches for better centers: with fewer, prices have hardly
/// moved, and a search would find what the last one did.
const ROUNDS: usize = 4;

/// Searches in vain after which there is no other, once prices have settled. Searches are random,
/// so that one in vain says little; three in a row say that more would be, too.
const IDLE: usize = 3;

/// Perturbed centers that a search tries: so many, and so many more for each center, as each
/// perturbation is near one place, and all places should have their turn.
const TRIES: (usize, usize) = (100, 2);

/// The fewest visits that a search over the core may make: four million, a few hundredths of a
/// second, without which a search after few passes would be over before it found anything.
const FEWEST_VISITS: u64 = 1 << 22;

/// The share of the pairs in the passes since the last search that a search may visit. Passes read
/// their pairs one after the other, searches here and there, which takes several times as long: so
/// a search takes about as long as the passes before it.
const VISITS: f64 = 0.1;

/// What is to be proven of the centers that a search finds, by a
/// [`LowerBound`](crate::LowerBound) of what any centers cost.
///
/// A local optimum says that no single swap helps; a proof says how much any other centers could
/// save. Each kind includes those above it in this table:
///
/// | | what it tells | what it adds to a search |
/// |---|---|---|
/// | [`Bound`](Proof::Bound) | how good these centers are | passes over the sites |
/// | [`Gap`](Proof::Gap) | that they are as good as was asked for | better centers, in turn |
/// | [`Optimal`](Proof::Optimal) | that none are better | cases, where a gap is left |
///
/// Take a gap of 0.01 where a percent does not matter, and optimal for a few thousand items or
/// where hours do not matter. All of them end at the limits of the search with what is proven by
/// then, so [`Clustering::stop`] and [`Clustering::gap`] say what was reached. docs/PROOF.md says
/// what each takes on real data.
///
/// ```
/// use kmedian::{KMedian, Metric, Problem, Proof, Stop, Vectors};
///
/// let places = Vectors::new(1, &[0.0, 1.0, 2.0, 10.0, 11.0, 12.0], Metric::L1)?;
/// let problem = Problem::of(&places).build()?;
/// let found = KMedian { proof: Proof::Optimal, ..KMedian::default() }.fit(&problem, 2)?;
/// assert_eq!((found.cost, found.stop), (4.0, Stop::Optimal));
/// assert!(found.gap().is_some_and(|gap| gap < 1e-9));
/// # Ok::<(), kmedian::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Proof {
    /// Nothing: no bound is computed.
    #[default]
    None,
    /// A lower bound of the cost of all centers, as good as moving its prices makes it. The centers
    /// stay as they are.
    Bound,
    /// That the centers cost at most this share more than the best possible: better centers and
    /// better bounds are looked for in turn, until that is proven, neither makes progress, or a
    /// limit is reached.
    Gap(f64),
    /// That no centers cost less: like a gap of zero, and where the bound alone does not prove
    /// that, by cases, in which sites are open or closed.
    Optimal,
}

impl Proof {
    /// Checks that the proof can be asked for.
    ///
    /// # Errors
    /// If the gap is negative, 1 or more, or NaN.
    pub fn check(self) -> Result<(), Error> {
        if let Proof::Gap(gap) = self { check_gap(gap) } else { Ok(()) }
    }

    /// By how much the cost may exceed the bound.
    fn allowed(self, best: &Best) -> f64 {
        let slack = branch::slack(best.cost, best.whole);
        if let Proof::Gap(gap) = self { slack.max(gap * best.cost) } else { slack }
    }
}

/// A gap as people write it: a share of the cost, or percent of it.
///
/// ```
/// assert_eq!(kmedian::gap("0.1%")?, 0.001);
/// assert_eq!(kmedian::gap("0.02")?, 0.02);
/// # Ok::<(), kmedian::Error>(())
/// ```
///
/// # Errors
/// If the text is no number from zero on, with a percent sign or without, or a gap of 100 % or
/// more.
pub fn gap(text: &str) -> Result<f64, Error> {
    let trimmed = text.trim();
    let (number, parts) = match trimmed.strip_suffix('%') {
        Some(percent) => (percent.trim(), 100.0),
        None => (trimmed, 1.0),
    };
    let what = match number.parse::<f64>() {
        Ok(number) if (0.0..1.0).contains(&(number / parts)) => return Ok(number / parts),
        Ok(number) if number / parts >= 1.0 => {
            let percent = number / parts * 100.0;
            format!(
                "`{text}` is a gap of {percent} %, which any centers have; give a smaller share"
            )
        }
        _ => format!("`{text}` is no gap; give a share"),
    };
    Err(Error::new(ErrorKind::Parameter, format!("{what} of the cost such as 0.1% or 0.001")))
}

/// The share of a time limit that the search before a proof may take: half. The bound needs time of
/// its own, and finds better centers on the way if the search was cut short.
const SEARCHING: f64 = 0.5;

/// The search before a proof: under a time limit it leaves time for the bound.
pub(crate) fn search_before(search: &LocalSearch, proof: Proof) -> LocalSearch {
    let share = if proof == Proof::None { 1.0 } else { SEARCHING };
    let time_limit = search.time_limit.map(|limit| limit.mul_f64(share));
    LocalSearch { time_limit, ..search.clone() }
}

/// Proves what is asked for of the centers of a clustering, and improves them on the way unless
/// only a bound is asked for. The limits of the search hold for both together. `prices` are some to
/// begin with, such as those for another number of centers, and the best ones afterwards.
pub(crate) fn prove(
    problem: &Problem<'_>,
    search: &LocalSearch,
    proof: Proof,
    seed: Seed,
    found: &mut Clustering,
    prices: &mut Option<Vec<f64>>,
    run: &mut Run<'_>,
) {
    if proof == Proof::None || found.stop == Stop::Cancelled {
        return;
    }
    let started = Instant::now();
    let limit = search.time_limit.map(|limit| limit.saturating_sub(found.times.search));
    let deadline = limit.and_then(|limit| started.checked_add(limit));
    let (centers, cost) = (found.centers.clone(), found.cost);
    let whole = costs_are_whole(problem);
    let mut best = Best { centers, cost, bound: 0.0, prices: prices.take(), whole };
    let stop = approach(problem, search, proof, seed, &mut best, deadline, run);
    *prices = best.prices.take();
    if best.cost < found.cost {
        certify(problem, search, seed, &best, found, deadline, run);
    }
    found.bound = Some(best.bound.min(found.cost));
    let share = found.gap().unwrap_or(f64::INFINITY);
    found.stop = match proof {
        _ if found.cost - best.bound <= branch::slack(found.cost, whole) => Stop::Optimal,
        Proof::Gap(gap) if share <= gap => Stop::GapReached,
        _ => stop.unwrap_or(found.stop),
    };
    found.times.bound = started.elapsed();
}

/// Brings centers and bound nearer to each other, until the gap is what is asked for. Returns why
/// that ended before.
fn approach(
    problem: &Problem<'_>,
    search: &LocalSearch,
    proof: Proof,
    seed: Seed,
    best: &mut Best,
    deadline: Option<Instant>,
    run: &mut Run<'_>,
) -> Option<Stop> {
    let k = best.centers.len();
    if k == problem.fixed().len() {
        // There is nothing to choose.
        best.bound = best.cost;
        return None;
    }
    let memory = search.means(run.halt()).memory / 2;
    let faster = problem.space_for_passes(memory, run.halt());
    let faster = faster.as_ref().and_then(|space| problem.in_space(&**space).ok());
    let problem = faster.as_ref().unwrap_or(problem);
    let given = best.prices.take();
    let (given, halt) = (given.as_deref(), run.halt());
    let dual = Dual::new(problem, &best.centers, best.cost, given, memory, deadline, halt);
    let Some(mut dual) = dual else { return Some(Stop::Cancelled) };
    if dual.ground.sites.len() <= dual.ground.free {
        // There is nothing to choose.
        best.bound = best.cost;
        return None;
    }
    let mut rng = seed.stream("proof");
    let (mut idle, mut tries) = (0, TRIES.0 + TRIES.1 * k);
    let (mut visits, mut visited) = (FEWEST_VISITS, 0);
    for round in 1.. {
        let passes = dual.cheap_passes();
        if !dual.is_tired() && dual.advance(passes, best.cost, deadline, run.halt()).is_none() {
            return Some(Stop::Cancelled);
        }
        best.bound = best.bound.max(dual.best.bound.min(best.cost));
        best.prices = Some(dual.best.prices.clone());
        let step = Step::Bounded { passes: dual.passes, bound: best.bound, cost: best.cost };
        if run.step(&step).is_err() {
            return Some(Stop::Cancelled);
        }
        if best.cost - best.bound <= proof.allowed(best) {
            return None;
        }
        if dual.is_late(deadline) {
            return Some(Stop::TimeLimit);
        }
        if proof == Proof::Bound {
            if dual.is_tired() {
                return None;
            }
            continue;
        }
        if round % ROUNDS != 0 && !dual.is_tired() {
            continue;
        }
        dual.dismiss(best.cost);
        let before = best.cost;
        let Some(mut improver) = Improver::new(&mut dual, &best.centers, run.halt()) else {
            return Some(Stop::Cancelled);
        };
        let halt = run.halt();
        let ends =
            || halt.is_stopped() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if !dual.is_tired() {
            visits = FEWEST_VISITS.max((VISITS * (dual.visited - visited) as f64) as u64);
            visited = dual.visited;
        }
        let limits = Limits { tries, visits, ends: &ends };
        let (centers, cost) = improver.improve(&best.centers, &limits, &mut rng);
        if centers.len() == k {
            let cost = cost.unwrap_or_else(|| problem.cost(&centers));
            if cost < best.cost - branch::slack(best.cost, best.whole) {
                (best.centers, best.cost) = (centers, cost);
            }
        }
        if dual.is_tired() {
            idle = if best.cost < before { 0 } else { idle + 1 };
            (tries, visits) = (2 * tries, 2 * visits);
        }
        if idle >= IDLE {
            break;
        }
    }
    if proof == Proof::Optimal {
        let halt = run.halt().clone();
        let tell = |best: &Best| {
            let step = Step::Bounded { passes: 0, bound: best.bound, cost: best.cost };
            run.step(&step).is_ok()
        };
        if branch::search(&mut dual, best, deadline, &halt, tell).is_none() || halt.is_stopped() {
            return Some(Stop::Cancelled);
        }
        if best.cost - best.bound > branch::slack(best.cost, best.whole) && deadline.is_some() {
            return Some(Stop::TimeLimit);
        }
    }
    None
}

/// Searches on from better centers, so that they are what the effort asks for.
fn certify(
    problem: &Problem<'_>,
    search: &LocalSearch,
    seed: Seed,
    best: &Best,
    found: &mut Clustering,
    deadline: Option<Instant>,
    run: &mut Run<'_>,
) {
    let rest = LocalSearch {
        max_swaps: search.max_swaps.map(|most| most.saturating_sub(found.swaps)),
        time_limit: deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())),
        ..search.clone()
    };
    let centers = fixed_first(problem, &best.centers);
    let better = rest.improve(problem, &centers, &mut seed.stream("certify"), run);
    found.centers = better.centers;
    found.assignment = better.assignment;
    found.silhouette = better.silhouette;
    found.squared_silhouette = better.squared_silhouette;
    found.cost = better.cost;
    found.swaps += better.swaps;
    found.judged += better.judged;
    found.passes = found.judged.div_ceil(problem.candidates().len());
    found.times.search += better.times.search;
    found.stop = better.stop;
}
