//! The passes of a local search: candidates are judged in batches, and improving swaps are done.

use std::time::{Duration, Instant};

use rand::Rng;
use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::LocalSearch;
use super::Swap;
use super::centers::Centers;
use crate::memory::Means;
use crate::{Halt, Hit, Problem, Run, Step, Stop, tactics};

/// The share of the cost up to which an improvement is taken for rounding, not progress: some
/// thousands of the roundings of a 64-bit number.
const ROUNDING: f64 = 1e-12;

/// The candidates in the first batch after a swap. Batches are judged in parallel, and double up to
/// [`LARGEST_BATCH`] while none improves the centers. The sizes are fixed, so that the number of
/// threads does not change the answer.
const SMALLEST_BATCH: usize = 64;
/// The candidates in the largest batch that is judged in parallel before swaps are done: enough to
/// keep many threads busy, and what a search may still do after its time limit.
const LARGEST_BATCH: usize = 1024;

/// One in this many candidates is hopeful, those nearest to their centers: after a first lap, most
/// swaps that are left are found among them.
const HOPEFUL: usize = 16;

/// How often all centers are moved within their clusters, at most, so that the time for it is
/// bounded; [`ENOUGH`] ends that sooner.
const ROUNDS: usize = 16;
/// The share of the cost that moving all centers within their clusters must save for another round
/// to be worth its time.
const ENOUGH: f64 = 1e-4;

/// A local search under way, with its counts and limits. The centers that it improves are given to
/// each of its passes, as they may be those of a sample.
pub(super) struct Search<'a, 'r> {
    rules: &'a LocalSearch,
    deadline: Option<Instant>,
    /// The flag that ends what the search prepares and judges: that of the run, and the deadline.
    halt: Halt,
    /// How many swaps were done.
    pub(super) swaps: usize,
    /// How many candidates were judged.
    pub(super) judged: usize,
    /// Whether a sample of the demand was searched.
    pub(super) sampled: bool,
    /// What certifying is predicted to take, if the search does without for that reason.
    pub(super) certifying: Option<Duration>,
    run: &'a mut Run<'r>,
}

impl<'a, 'r> Search<'a, 'r> {
    pub(super) fn new(rules: &'a LocalSearch, started: Instant, run: &'a mut Run<'r>) -> Self {
        let deadline = rules.deadline(started);
        let halt = run.halt().until(deadline);
        Self { rules, deadline, halt, swaps: 0, judged: 0, sampled: false, certifying: None, run }
    }

    /// The memory that the search may use, and the flag that ends it.
    pub(super) fn means(&self) -> Means {
        self.rules.means(&self.halt)
    }

    /// Tells the observer that the search begins.
    pub(super) fn start(&mut self, cost: f64) -> Result<(), Stop> {
        Ok(self.run.step(&Step::SearchStarted { cost })?)
    }

    /// Takes improving swaps as they come, until every candidate has failed to improve the same
    /// centers.
    ///
    /// Candidates come in random order. After each lap those come first that are nearest to their
    /// centers, until none of them is any good: most swaps that are left are found among them, and
    /// little has to be judged again after the last.
    pub(super) fn until_settled(
        &mut self,
        centers: &mut Centers<'_>,
        candidates: &[u32],
        rng: &mut impl Rng,
    ) -> Result<(), Stop> {
        let mut order = self.get_ready(centers, candidates, rng)?;
        let mut failures = Failures::new(centers.items());
        loop {
            self.lap(centers, &order, &mut failures)?;
            if order.iter().all(|&item| failures.holds(item)) {
                return Ok(());
            }
            let hopeful = sort_by_hope(&mut order, centers);
            while !hopeful.iter().all(|&item| failures.holds(item)) {
                self.lap(centers, hopeful, &mut failures)?;
            }
        }
    }

    /// One lap: judges the candidates that have not failed since the last swap.
    fn lap(
        &mut self,
        centers: &mut Centers<'_>,
        candidates: &[u32],
        failures: &mut Failures,
    ) -> Result<(), Stop> {
        let mut rest = candidates.iter().copied();
        let mut batch = SMALLEST_BATCH;
        loop {
            let open = rest.by_ref().filter(|&item| !failures.holds(item)).take(batch);
            let open: Vec<u32> = open.collect();
            if open.is_empty() {
                return Ok(());
            }
            let progress = (failures.held, centers.candidate_count());
            if self.judge_and_take(centers, &open, progress)? {
                failures.forget();
                batch = SMALLEST_BATCH;
            } else {
                open.iter().for_each(|&item| failures.add(item));
                batch = (2 * batch).min(LARGEST_BATCH);
            }
        }
    }

    /// Takes improving swaps as they come, judging every candidate once.
    pub(super) fn once(
        &mut self,
        centers: &mut Centers<'_>,
        candidates: &[u32],
        rng: &mut impl Rng,
    ) -> Result<(), Stop> {
        let mut order = self.get_ready(centers, candidates, rng)?;
        order.sort_by_key(|&item| centers.slot_of(item));
        self.lap(centers, &order, &mut Failures::new(centers.items()))
    }

    /// Lets centers give way to better ones among the items that they serve: all of them together,
    /// which is much cheaper than one at a time.
    pub(super) fn within_clusters<'p>(
        &mut self,
        problem: &Problem<'p>,
        centers: &mut Centers<'p>,
    ) -> Result<(), Stop> {
        for round in 0..ROUNDS {
            let candidates = hopeful(centers, tactics::HOPEFUL_PER_CENTER);
            self.tell(centers, (round, ROUNDS))?;
            self.judged += candidates.iter().map(Vec::len).sum::<usize>();
            let mut swaps = centers.improving_within_clusters(candidates, self.threshold(centers));
            self.check_halt()?;
            swaps.truncate(self.rules.max_swaps.map_or(usize::MAX, |most| most - self.swaps));
            let promised: f64 = swaps.iter().map(|swap| swap.change).sum();
            if promised >= -ENOUGH * centers.cost() {
                break;
            }
            let mut moved = centers.centers().to_vec();
            swaps.iter().for_each(|swap| moved[swap.slot] = swap.newcomer);
            *centers = Centers::new(problem, &moved, &self.means());
            self.swaps += swaps.len();
        }
        Ok(())
    }

    /// Takes the best of all swaps, as long as there is one.
    pub(super) fn best(&mut self, centers: &mut Centers<'_>) -> Result<Stop, Stop> {
        self.prepare(centers)?;
        let all = centers.candidates();
        loop {
            let mut found = Vec::new();
            for (batch, candidates) in all.chunks(LARGEST_BATCH).enumerate() {
                let progress = (batch * LARGEST_BATCH, all.len());
                found.extend(self.judge(centers, candidates, progress)?);
            }
            found.sort_by(|a, b| a.change.total_cmp(&b.change));
            if !self.take_one(centers, &found)? {
                return Ok(self.rules.settled());
            }
        }
    }

    /// Candidates in random order, and centers that are ready to judge them.
    fn get_ready(
        &mut self,
        centers: &mut Centers<'_>,
        candidates: &[u32],
        rng: &mut impl Rng,
    ) -> Result<Vec<u32>, Stop> {
        self.prepare(centers)?;
        let mut order = candidates.to_vec();
        order.shuffle(rng);
        Ok(order)
    }

    /// Gets centers ready to judge many candidates, and tells the observer if that takes long.
    fn prepare(&mut self, centers: &mut Centers<'_>) -> Result<(), Stop> {
        self.check_limits()?;
        let (mut told, cost, swaps) = (Ok(()), centers.cost(), self.swaps);
        centers.get_ready(|time| {
            told = self.run.step(&Step::Preparing { cost, swaps, time });
            told.is_ok()
        });
        told?;
        Ok(())
    }

    /// Judges a batch of candidates and does the swaps that improve the centers. Returns whether
    /// there was one.
    fn judge_and_take(
        &mut self,
        centers: &mut Centers<'_>,
        candidates: &[u32],
        progress: (usize, usize),
    ) -> Result<bool, Stop> {
        let found = self.judge(centers, candidates, progress)?;
        self.take(centers, &found)
    }

    /// The swaps of the candidates that improve the centers, best first. Returns an error, the
    /// reason, if the search has to end.
    fn judge(
        &mut self,
        centers: &mut Centers<'_>,
        candidates: &[u32],
        progress: (usize, usize),
    ) -> Result<Vec<Swap>, Stop> {
        self.tell(centers, progress)?;
        self.judged += candidates.len();
        let improving = centers.improving(candidates, self.threshold(centers));
        self.check_halt()?;
        Ok(improving)
    }

    /// Tells the observer how far the search is. Returns an error, the reason, if the search has to
    /// end.
    fn tell(&mut self, centers: &Centers<'_>, (settled, of): (usize, usize)) -> Result<(), Stop> {
        let step = Step::Judged { settled, of, cost: centers.cost(), swaps: self.swaps };
        self.run.step(&step)?;
        self.check_limits()
    }

    /// Does the first swap that improves the centers. Returns whether there was one.
    fn take_one(&mut self, centers: &mut Centers<'_>, found: &[Swap]) -> Result<bool, Stop> {
        for &swap in found {
            self.check_limits()?;
            if self.swap(centers, swap) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Does the first swap, and then those of the others that still improve the centers. Returns
    /// whether any was done, or an error, the reason, if the search has to end before all were
    /// tried.
    fn take(&mut self, centers: &mut Centers<'_>, found: &[Swap]) -> Result<bool, Stop> {
        let mut done = false;
        for &judged in found {
            self.check_limits()?;
            let swap = if done {
                self.judged += 1;
                centers.improving(&[judged.newcomer as u32], self.threshold(centers)).pop()
            } else {
                Some(judged)
            };
            done |= swap.is_some_and(|swap| self.swap(centers, swap));
        }
        Ok(done)
    }

    /// Does a swap, and undoes it if the cost did not fall after all: where some distances are far
    /// larger than the cost, what a swap changes is known only up to rounding.
    fn swap(&mut self, centers: &mut Centers<'_>, swap: Swap) -> bool {
        let leaving = centers.centers()[swap.slot];
        let allowed = centers.cost() + self.threshold(centers);
        centers.apply(swap);
        if centers.cost() > allowed {
            centers.apply(Swap { newcomer: leaving, ..swap });
            return false;
        }
        self.swaps += 1;
        true
    }

    /// The change of cost, a negative number, that a swap must fall below to be done.
    fn threshold(&self, centers: &Centers<'_>) -> f64 {
        let share = (self.rules.alpha / centers.centers().len() as f64).max(ROUNDING);
        -share * centers.cost()
    }

    /// Returns an error, the reason, if the search was halted, so that what was judged last may be
    /// incomplete.
    fn check_halt(&self) -> Result<(), Stop> {
        self.run.halt().check()?;
        self.check_limits()
    }

    /// Returns an error, the reason, if the limit of swaps or of time is reached.
    fn check_limits(&self) -> Result<(), Stop> {
        if self.rules.max_swaps.is_some_and(|most| self.swaps >= most) {
            Err(Stop::MaxSwaps)
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Err(Stop::TimeLimit)
        } else {
            Ok(())
        }
    }
}

/// Sorts candidates, those nearest to their centers first, and returns the hopeful ones: one in
/// [`HOPEFUL`].
fn sort_by_hope<'o>(order: &'o mut [u32], centers: &Centers<'_>) -> &'o [u32] {
    order.sort_by(|&a, &b| centers.away(a).total_cmp(&centers.away(b)));
    &order[..order.len().div_ceil(HOPEFUL)]
}

/// The hopeful candidates of each cluster, by its slot: those with demand that are nearest to the
/// center, one in [`HOPEFUL`] and at most so many. Where not every item is a candidate, also those
/// without demand.
pub(super) fn hopeful(centers: &Centers<'_>, at_most: usize) -> Vec<Vec<u32>> {
    let nearest = |mut candidates: Vec<Hit>| {
        let most = candidates.len().div_ceil(HOPEFUL).min(at_most);
        if most < candidates.len() {
            let nearer =
                |a: &Hit, b: &Hit| a.distance.total_cmp(&b.distance).then(a.item.cmp(&b.item));
            candidates.select_nth_unstable_by(most, nearer);
            candidates.truncate(most);
        }
        candidates.into_iter().map(|hit| hit.item).collect()
    };
    centers.candidates_by_cluster().into_par_iter().map(nearest).collect()
}

/// The candidates that were judged and do not improve the current centers.
struct Failures {
    /// By item, the value of `now` when it last failed; 0 before that.
    failed_at: Vec<usize>,
    now: usize,
    /// How many items have failed with the current centers.
    held: usize,
}

impl Failures {
    fn new(items: usize) -> Self {
        Self { failed_at: vec![0; items], now: 1, held: 0 }
    }

    fn holds(&self, item: u32) -> bool {
        self.failed_at[item as usize] == self.now
    }

    fn add(&mut self, item: u32) {
        self.failed_at[item as usize] = self.now;
        self.held += 1;
    }

    /// Forgets all failures, as the centers have changed.
    fn forget(&mut self) {
        self.now += 1;
        self.held = 0;
    }
}
