//! The passes of a local search: candidates are judged in batches, and improving swaps are done.

use std::time::Instant;

use rand::Rng;
use rand::seq::SliceRandom;

use super::LocalSearch;
use crate::swap::{Centers, Swap};
use crate::{Observer, Step, Stop};

/// Improvements below this share of the cost are rounding, not progress.
const ROUNDING: f64 = 1e-12;

/// Candidates are judged together, and in parallel, in batches that double from the first size to the
/// second while none improves. The sizes are fixed, so that the thread count does not change the answer.
const SMALLEST_BATCH: usize = 64;
const LARGEST_BATCH: usize = 1024;

/// A local search under way. What it improves may change from pass to pass.
pub(super) struct Search<'a> {
    rules: &'a LocalSearch,
    deadline: Option<Instant>,
    pub(super) swaps: usize,
    pub(super) judged: usize,
    observer: &'a mut dyn Observer,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        rules: &'a LocalSearch,
        started: Instant,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let deadline = rules.time_limit.and_then(|limit| started.checked_add(limit));
        Self { rules, deadline, swaps: 0, judged: 0, observer }
    }

    /// Tells the observer that the search begins.
    pub(super) fn start(&mut self, cost: f64) -> Result<(), Stop> {
        let step = Step::SearchStarted { cost };
        if self.observer.step(&step).is_break() { Err(Stop::Cancelled) } else { Ok(()) }
    }

    /// Takes improving swaps as they come, until every candidate in turn has failed to improve the
    /// same centers.
    pub(super) fn until_settled(
        &mut self,
        centers: &mut Centers<'_>,
        candidates: &[u32],
        rng: &mut impl Rng,
    ) -> Result<(), Stop> {
        self.get_ready(centers)?;
        let mut order = candidates.to_vec();
        order.shuffle(rng);
        let n = order.len();
        let (mut next, mut settled, mut batch) = (0, 0, SMALLEST_BATCH);
        while settled < n {
            let size = batch.min(n - settled).min(n - next);
            let progress = (settled, n);
            if self.judge_and_take(centers, &order[next..next + size], progress)? {
                settled = 0;
                batch = SMALLEST_BATCH;
            } else {
                settled += size;
                batch = (2 * batch).min(LARGEST_BATCH);
            }
            next = (next + size) % n;
        }
        Ok(())
    }

    /// Takes improving swaps as they come, judging every candidate once.
    pub(super) fn once(
        &mut self,
        centers: &mut Centers<'_>,
        candidates: &[u32],
        rng: &mut impl Rng,
    ) -> Result<(), Stop> {
        self.get_ready(centers)?;
        let mut order = candidates.to_vec();
        order.shuffle(rng);
        let (mut next, mut batch) = (0, SMALLEST_BATCH);
        while next < order.len() {
            let size = batch.min(order.len() - next);
            let progress = (next, order.len());
            let swapped = self.judge_and_take(centers, &order[next..next + size], progress)?;
            batch = if swapped { SMALLEST_BATCH } else { (2 * batch).min(LARGEST_BATCH) };
            next += size;
        }
        Ok(())
    }

    /// Takes the best of all swaps, as long as there is one.
    pub(super) fn best(&mut self, centers: &mut Centers<'_>) -> Result<Stop, Stop> {
        self.get_ready(centers)?;
        let everyone: Vec<u32> = (0..centers.candidates() as u32).collect();
        loop {
            let mut found = Vec::new();
            for (batch, candidates) in everyone.chunks(LARGEST_BATCH).enumerate() {
                let progress = (batch * LARGEST_BATCH, everyone.len());
                found.extend(self.judge(centers, candidates, progress)?);
            }
            found.sort_by(|a, b| a.change.total_cmp(&b.change));
            if !self.take_one(centers, &found)? {
                return Ok(self.rules.settled());
            }
        }
    }

    fn get_ready(&self, centers: &mut Centers<'_>) -> Result<(), Stop> {
        self.check_limits()?;
        centers.get_ready();
        Ok(())
    }

    /// Judges a batch of candidates and does the swaps that improve the centers. Returns whether there
    /// was one.
    fn judge_and_take(
        &mut self,
        centers: &mut Centers<'_>,
        candidates: &[u32],
        progress: (usize, usize),
    ) -> Result<bool, Stop> {
        let found = self.judge(centers, candidates, progress)?;
        self.take(centers, &found)
    }

    /// The improving swaps among the candidates, best first; or why the search has to end.
    fn judge(
        &mut self,
        centers: &mut Centers<'_>,
        candidates: &[u32],
        (settled, of): (usize, usize),
    ) -> Result<Vec<Swap>, Stop> {
        let step = Step::Judged { settled, of, cost: centers.cost(), swaps: self.swaps };
        if self.observer.step(&step).is_break() {
            return Err(Stop::Cancelled);
        }
        self.check_limits()?;
        self.judged += candidates.len();
        Ok(centers.improving(candidates, self.threshold(centers)))
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

    /// Does the first swap, and then those of the others that still improve the centers. Returns whether
    /// any was done; or why the search has to end before all were tried.
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

    /// Does a swap, and undoes it if the cost did not fall after all: where some distances are far larger
    /// than the cost, what a swap changes is known only up to rounding.
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

    /// A swap must change the cost by less than this (negative) amount.
    fn threshold(&self, centers: &Centers<'_>) -> f64 {
        let share = (self.rules.alpha / centers.centers().len() as f64).max(ROUNDING);
        -share * centers.cost()
    }

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
