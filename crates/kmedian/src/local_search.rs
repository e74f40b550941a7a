use std::fmt;
use std::time::{Duration, Instant};

use rand::Rng;
use rand::seq::SliceRandom;

use crate::swap::{Centers, Swap};
use crate::{Clustering, Error, ErrorKind, Observer, Problem, Step, Stop, Times};

/// Improvements below this share of the cost are rounding, not progress.
const ROUNDING: f64 = 1e-12;

/// Candidates are judged together, and in parallel, in batches that double from the first size to the
/// second while none improves. The sizes are fixed, so that the thread count does not change the answer.
const SMALLEST_BATCH: usize = 64;
const LARGEST_BATCH: usize = 1024;

/// Which improving swap is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Strategy {
    /// Improving swaps as they are found, the best of a small batch first.
    #[default]
    Eager,
    /// The best of all swaps (the paper's Algorithm 1).
    Best,
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Strategy::Eager => "eager",
            Strategy::Best => "best",
        })
    }
}

/// Local search over swaps: replace one center by another item as long as that lowers the cost.
///
/// Where it ends by itself, no single swap improves the centers, and their cost is at most five times
/// the best possible for k-median (Arya et al. 2004). A swap is judged from the nearest and
/// second-nearest center of the items it could win, never from all items and all centers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LocalSearch {
    /// Which improving swap is taken.
    pub strategy: Strategy,
    /// A swap must lower the cost by more than this share of it, divided by k: the α of Algorithm 1.
    /// At zero, every improvement counts.
    pub alpha: f64,
    /// The most swaps to do.
    pub max_swaps: Option<usize>,
    /// The most time to take; a batch that has begun is finished.
    pub time_limit: Option<Duration>,
}

impl LocalSearch {
    /// Improves the given centers.
    ///
    /// # Errors
    /// If α is negative or NaN, or if the centers are none, too many, repeated or out of range.
    pub fn run(
        &self,
        problem: &Problem<'_>,
        centers: &[usize],
        rng: &mut impl Rng,
        observer: &mut dyn Observer,
    ) -> Result<Clustering, Error> {
        self.check()?;
        check_centers(problem, centers)?;
        Ok(self.improve(problem, centers, rng, observer))
    }

    /// [`LocalSearch::run`] on centers and rules that are known to be right.
    pub(crate) fn improve(
        &self,
        problem: &Problem<'_>,
        centers: &[usize],
        rng: &mut impl Rng,
        observer: &mut dyn Observer,
    ) -> Clustering {
        let started = Instant::now();
        let mut found = self.go_on(&mut Centers::new(*problem, centers), rng, observer);
        found.times.search = started.elapsed();
        found
    }

    /// Improves centers about which something is known already.
    pub(crate) fn go_on(
        &self,
        centers: &mut Centers<'_>,
        rng: &mut impl Rng,
        observer: &mut dyn Observer,
    ) -> Clustering {
        let started = Instant::now();
        let n = centers.items();
        let mut search = Search {
            rules: self,
            n,
            deadline: self.time_limit.and_then(|limit| started.checked_add(limit)),
            centers,
            swaps: 0,
            judged: 0,
            observer,
        };
        let init_cost = search.centers.cost();
        let stop = if search.observer.step(&Step::SearchStarted { cost: init_cost }).is_break() {
            Stop::Cancelled
        } else {
            match self.strategy {
                Strategy::Eager => search.eager(rng),
                Strategy::Best => search.best(),
            }
        };
        Clustering {
            centers: search.centers.centers().to_vec(),
            cost: search.centers.cost(),
            init_cost,
            swaps: search.swaps,
            judged: search.judged,
            passes: search.judged.div_ceil(n),
            restarts: 0,
            stop,
            times: Times { search: started.elapsed(), ..Times::default() },
        }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        if !(self.alpha >= 0.0 && self.alpha.is_finite()) {
            let message = format!("alpha = {} must be zero or a positive number", self.alpha);
            return Err(Error::new(ErrorKind::Parameter, message));
        }
        Ok(())
    }
}

/// Checks that centers are distinct items.
pub(crate) fn check_centers(problem: &Problem<'_>, centers: &[usize]) -> Result<(), Error> {
    problem.check_k(centers.len())?;
    let mut seen = vec![false; problem.len()];
    for &center in centers {
        let wrong = match seen.get_mut(center) {
            None => format!(
                "there is no item {center} to be a center; the items are 0 to {}",
                problem.len() - 1
            ),
            Some(true) => format!("item {center} is given twice as a center"),
            Some(seen) => {
                *seen = true;
                continue;
            }
        };
        return Err(Error::new(ErrorKind::Parameter, wrong));
    }
    Ok(())
}

/// A local search under way.
struct Search<'a, 's> {
    rules: &'a LocalSearch,
    n: usize,
    deadline: Option<Instant>,
    centers: &'a mut Centers<'s>,
    swaps: usize,
    judged: usize,
    observer: &'a mut dyn Observer,
}

impl Search<'_, '_> {
    /// Takes improving swaps as they come, until every candidate in turn has failed to improve the
    /// same centers.
    fn eager(&mut self, rng: &mut impl Rng) -> Stop {
        let mut order: Vec<u32> = (0..self.n as u32).collect();
        order.shuffle(rng);
        let (mut next, mut settled, mut batch) = (0, 0, SMALLEST_BATCH);
        while settled < self.n {
            let size = batch.min(self.n - settled).min(self.n - next);
            let found = match self.judge(&order[next..next + size], settled) {
                Ok(found) => found,
                Err(stop) => return stop,
            };
            next = (next + size) % self.n;
            match self.take(&found) {
                Err(stop) => return stop,
                Ok(true) => {
                    settled = 0;
                    batch = SMALLEST_BATCH;
                }
                Ok(false) => {
                    settled += size;
                    batch = (2 * batch).min(LARGEST_BATCH);
                }
            }
        }
        self.settled()
    }

    /// Takes the best of all swaps, as long as there is one.
    fn best(&mut self) -> Stop {
        let everyone: Vec<u32> = (0..self.n as u32).collect();
        loop {
            let mut found = Vec::new();
            for (batch, candidates) in everyone.chunks(LARGEST_BATCH).enumerate() {
                match self.judge(candidates, batch * LARGEST_BATCH) {
                    Ok(more) => found.extend(more),
                    Err(stop) => return stop,
                }
            }
            found.sort_by(|a, b| a.change.total_cmp(&b.change));
            match self.take_one(&found) {
                Err(stop) => return stop,
                Ok(true) => {}
                Ok(false) => return self.settled(),
            }
        }
    }

    /// The improving swaps among the candidates, best first; or why the search has to end.
    fn judge(&mut self, candidates: &[u32], settled: usize) -> Result<Vec<Swap>, Stop> {
        let step =
            Step::Judged { settled, of: self.n, cost: self.centers.cost(), swaps: self.swaps };
        if self.observer.step(&step).is_break() {
            return Err(Stop::Cancelled);
        }
        self.check_limits()?;
        self.judged += candidates.len();
        Ok(self.centers.improving(candidates, self.threshold()))
    }

    /// Does the first swap that improves the centers. Returns whether there was one.
    fn take_one(&mut self, found: &[Swap]) -> Result<bool, Stop> {
        for &swap in found {
            self.check_limits()?;
            if self.swap(swap) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Does the first swap, and then those of the others that still improve the centers. Returns whether
    /// any was done; or why the search has to end before all were tried.
    fn take(&mut self, found: &[Swap]) -> Result<bool, Stop> {
        let mut done = false;
        for &judged in found {
            self.check_limits()?;
            let swap = if done {
                self.judged += 1;
                self.centers.judge(judged.newcomer).filter(|swap| swap.change < self.threshold())
            } else {
                Some(judged)
            };
            done |= swap.is_some_and(|swap| self.swap(swap));
        }
        Ok(done)
    }

    /// Does a swap, and undoes it if the cost did not fall after all: where some distances are far larger
    /// than the cost, what a swap changes is known only up to rounding.
    fn swap(&mut self, swap: Swap) -> bool {
        let leaving = self.centers.centers()[swap.slot];
        let allowed = self.centers.cost() + self.threshold();
        self.centers.apply(swap);
        if self.centers.cost() > allowed {
            self.centers.apply(Swap { newcomer: leaving, ..swap });
            return false;
        }
        self.swaps += 1;
        true
    }

    /// A swap must change the cost by less than this (negative) amount.
    fn threshold(&self) -> f64 {
        let share = (self.rules.alpha / self.centers.centers().len() as f64).max(ROUNDING);
        -share * self.centers.cost()
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

    /// Why the search ended, when every candidate has been judged in vain.
    fn settled(&self) -> Stop {
        if self.rules.alpha > 0.0 { Stop::AlphaOptimum } else { Stop::LocalOptimum }
    }
}
