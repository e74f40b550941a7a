//! Local search: swaps of one center for another item, as long as that lowers the cost.

mod centers;
mod effort;
mod evidence;
mod excerpt;
mod limits;
mod nearest;
mod pairs;
mod passes;
mod reliefs;
pub(crate) mod restarts;
mod sample;
mod way;

pub use effort::Effort;
pub(crate) use nearest::Nearest;

use std::time::{Duration, Instant};

use rand::Rng;

use crate::memory::{Means, default_memory};
use crate::space::LowerBounds;
use crate::{
    Assignment, Clustering, Demand, Distances, Error, ErrorKind, Halt, Problem, Run, Stop, Tactics,
    Times, tactics,
};
use centers::Centers;
use excerpt::Excerpt;
use passes::Search;

/// Which of the swaps that improve the centers a local search takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum SwapRule {
    /// Takes improving swaps as they are found, the best of a small batch first: much faster, and
    /// the certificate of a local optimum is the same.
    #[default]
    Eager,
    /// Judges all swaps, and takes the best of them (the paper's Algorithm 1).
    Best,
}

/// Local search over swaps: replace one center by another item as long as that lowers the cost.
///
/// Where it ends by itself, no single swap improves the centers, and their cost is at most five
/// times the best possible for k-median (Arya et al. 2004). A swap is judged from the nearest and
/// second-nearest center of the items it could win, never from all items and all centers.
///
/// [`KMedian`](crate::KMedian) runs it after an initialization. Run it alone to improve centers
/// that you have: yesterday's, or those of another program. The defaults have no limits, and look
/// for a certified local optimum where that is predicted to take seconds; [`Effort`] trades the
/// certificate for time, `max_swaps` and `time_limit` end the search wherever it is, and
/// [`SwapRule::Best`] with `alpha` is the paper's Algorithm 1, for comparison.
///
/// ```
/// use kmedian::{LocalSearch, Metric, Problem, Run, Seed, Stop, Vectors};
///
/// let places = Vectors::new(1, &[0.0, 1.0, 2.0, 10.0, 11.0, 12.0], Metric::L1)?;
/// let problem = Problem::of(&places).build()?;
/// let mut rng = Seed(1).generator();
/// let found = LocalSearch::default().run(&problem, &[0, 1], &mut rng, &mut Run::default())?;
/// assert_eq!((found.init_cost, found.cost), (31.0, 4.0));
/// assert_eq!(found.stop, Stop::LocalOptimum);
/// # Ok::<(), kmedian::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LocalSearch {
    /// Whether improving swaps are done as they are found, or always the best of all.
    pub swap: SwapRule,
    /// The α of the paper's Algorithm 1: a swap must lower the cost by more than the share α/k of
    /// it. At zero, every improvement counts that is more than rounding.
    pub alpha: f64,
    /// The most swaps to do: `None` is no limit, and zero keeps the initial centers.
    pub max_swaps: Option<usize>,
    /// The most time to take; `None` is no limit. For [`KMedian`](crate::KMedian) that is the time
    /// of everything: the tree, the search, restarts and the proof. Where it is over before there
    /// are initial centers, these are drawn at random; assigning the items to their centers is
    /// always finished.
    pub time_limit: Option<Duration>,
    /// The bytes of memory to take for what could also be computed again, such as bounds of the
    /// distances between all pairs of vectors, a byte each. `None` is half of what the machine has
    /// free ([`default_memory`]). Less takes longer, and gives the same centers.
    pub memory: Option<usize>,
    /// How long a search by [`SwapRule::Eager`] goes on. One by [`SwapRule::Best`] always goes on
    /// to a local optimum, and [`Effort::Fast`] and [`Effort::Balanced`] are errors there.
    pub effort: Effort,
}

impl LocalSearch {
    /// Improves the given centers by swaps, until the effort or a limit ends that. That a run is
    /// ended early is no error: see [`Clustering::stop`].
    ///
    /// # Errors
    /// If α is negative or not finite, if [`SwapRule::Best`] comes with [`Effort::Fast`] or
    /// [`Effort::Balanced`], or if the centers are none, repeated or not candidates, or if a fixed
    /// center is missing.
    pub fn run(
        &self,
        problem: &Problem<'_>,
        centers: &[usize],
        rng: &mut impl Rng,
        run: &mut Run<'_>,
    ) -> Result<Clustering, Error> {
        self.check()?;
        let centers = checked_centers(problem, centers)?;
        let started = Instant::now();
        let problem = problem.tabulated(&run.halt().until(self.deadline(started)));
        let left = self.time_limit.map(|limit| limit.saturating_sub(started.elapsed()));
        Ok(LocalSearch { time_limit: left, ..self.clone() }.improve(&problem, &centers, rng, run))
    }

    /// When a search that started then reaches its time limit; `None` if it has none.
    pub(crate) fn deadline(&self, started: Instant) -> Option<Instant> {
        self.time_limit.and_then(|limit| started.checked_add(limit))
    }

    /// The memory that the search may use, and the flag that ends it.
    pub(crate) fn means(&self, halt: &Halt) -> Means {
        let memory = self.memory.unwrap_or_else(default_memory);
        Means { halt: halt.clone(), memory }
    }

    /// [`LocalSearch::run`] without its checks: on centers and parameters that are known to be
    /// valid, and without a table of distances unless the problem has one.
    pub(crate) fn improve(
        &self,
        problem: &Problem<'_>,
        centers: &[usize],
        rng: &mut impl Rng,
        run: &mut Run<'_>,
    ) -> Clustering {
        self.improve_keeping(problem, centers, None, rng, run).0
    }

    /// [`LocalSearch::improve`] with the centers that were found, and what the search knows about
    /// them, so that it can go on. `bounds` are lower bounds of all distances, if there are some
    /// already.
    pub(crate) fn improve_keeping<'a>(
        &self,
        problem: &Problem<'a>,
        centers: &[usize],
        bounds: Option<LowerBounds<'a>>,
        rng: &mut impl Rng,
        run: &mut Run<'_>,
    ) -> (Clustering, Centers<'a>) {
        let started = Instant::now();
        let halt = run.halt().until(self.deadline(started));
        let mut current = Centers::with_bounds(problem, centers, bounds, &self.means(&halt));
        let mut found = self.search(&mut current, Some(problem), started, rng, run);
        found.assignment = current.assignment();
        [found.silhouette, found.squared_silhouette] = current.silhouettes();
        found.times.search = started.elapsed();
        (found, current)
    }

    /// Improves centers about which a search knows something already. The result has an empty
    /// assignment and no silhouette.
    pub(crate) fn go_on(
        &self,
        centers: &mut Centers<'_>,
        rng: &mut impl Rng,
        run: &mut Run<'_>,
    ) -> Clustering {
        self.search(centers, None, Instant::now(), rng, run)
    }

    /// Improves centers: first on samples of the demand of `sampled`, if that problem is given. The
    /// time limit counts from `started`. The result has an empty assignment and no
    /// silhouette.
    fn search<'a>(
        &self,
        current: &mut Centers<'a>,
        sampled: Option<&Problem<'a>>,
        started: Instant,
        rng: &mut impl Rng,
        run: &mut Run<'_>,
    ) -> Clustering {
        let mut search = Search::new(self, started, run);
        let init_cost = current.cost();
        let ended = search.start(init_cost).and_then(|()| match self.swap {
            _ if current.all_fixed() => Ok(self.settled()),
            SwapRule::Best => search.best(current),
            SwapRule::Eager => self.stages(sampled, current, &mut search, rng),
        });
        let (Ok(stop) | Err(stop)) = ended;
        Clustering {
            centers: current.centers().to_vec(),
            assignment: Assignment::default(),
            cost: current.cost(),
            silhouette: None,
            squared_silhouette: None,
            bound: None,
            init_cost,
            swaps: search.swaps,
            judged: search.judged,
            passes: search.judged.div_ceil(current.candidate_count()),
            restarts: 0,
            stop,
            certifying: search.certifying,
            tactics: Tactics {
                distances: Distances::of(current.abilities()),
                pruning: current.pruning(),
                sampled: search.sampled,
            },
            times: Times { search: started.elapsed(), ..Times::default() },
        }
    }

    /// First passes on samples of the demand, where there is much of it, and then as many on all of
    /// it as are asked for.
    fn stages<'a>(
        &self,
        sampled: Option<&Problem<'a>>,
        current: &mut Centers<'a>,
        search: &mut Search<'_, '_>,
        rng: &mut impl Rng,
    ) -> Result<Stop, Stop> {
        let k = current.centers().len();
        let sample = sampled.and_then(|problem| Some((problem, sample::first(problem, k, rng)?)));
        if let Some((problem, sample)) = sample {
            search.sampled = true;
            Self::on_samples(problem, &sample, current, search, rng)?;
            if self.effort == Effort::Fast {
                return Ok(Stop::Sampled);
            }
            search.within_clusters(problem, current)?;
        }
        let certifies = match self.effort {
            Effort::Fast | Effort::Balanced => false,
            Effort::Certified | Effort::Optimal => true,
            Effort::Auto => {
                let predicted = current.time_to_certify();
                search.certifying = (!tactics::certifies(predicted)).then_some(predicted);
                search.certifying.is_none()
            }
        };
        let candidates = current.candidates();
        if certifies {
            search.until_settled(current, &candidates, rng)?;
            return Ok(self.settled());
        }
        if !search.sampled {
            search.once(current, &candidates, rng)?;
        }
        Ok(Stop::OnePass)
    }

    /// Improves centers on a small sample of the demand until they are settled; then on a larger
    /// one, where also the items nearest to their centers are judged, once.
    fn on_samples<'a>(
        problem: &Problem<'a>,
        sample: &Demand,
        current: &mut Centers<'a>,
        search: &mut Search<'_, '_>,
        rng: &mut impl Rng,
    ) -> Result<(), Stop> {
        let swaps = search.swaps;
        let candidates = sample::candidates(problem, sample, rng);
        let (centers, mut ended) = on_sample(
            problem,
            sample,
            current.centers(),
            candidates,
            search.means(),
            |rough, candidates| search.until_settled(rough, candidates, rng),
        );
        let mut found = Centers::new(problem, &centers, &search.means());
        let k = found.centers().len();
        let larger = sample::second(problem, k, rng);
        if let Some(larger) = larger.filter(|_| ended.is_ok()) {
            let mut candidates = sample::candidates(problem, &larger, rng);
            let each = tactics::hopeful_per_center(larger.items().len(), k);
            candidates.extend(passes::hopeful(&found, each).into_iter().flatten());
            candidates.sort_unstable();
            candidates.dedup();
            let centers;
            (centers, ended) = on_sample(
                problem,
                &larger,
                found.centers(),
                candidates,
                search.means(),
                |rough, candidates| search.once(rough, candidates, rng),
            );
            found = Centers::new(problem, &centers, &search.means());
        }
        if found.cost() < current.cost() {
            *current = found;
            return ended;
        }
        // What was done on samples came to nothing.
        search.swaps = swaps;
        ended.or_else(|stop| if stop == Stop::MaxSwaps { Ok(()) } else { Err(stop) })
    }

    /// Why a search ended, when every candidate has been judged in vain.
    fn settled(&self) -> Stop {
        if self.alpha > 0.0 { Stop::AlphaOptimum } else { Stop::LocalOptimum }
    }
}

/// Improves centers on a sample of the demand, as `improve` does with the candidates that it is
/// given. Returns the centers, and why that ended early if it did.
fn on_sample(
    problem: &Problem<'_>,
    sample: &Demand,
    centers: &[usize],
    candidates: Vec<u32>,
    means: Means,
    improve: impl FnOnce(&mut Centers<'_>, &[u32]) -> Result<(), Stop>,
) -> (Vec<usize>, Result<(), Stop>) {
    let items = || {
        let centers = centers.iter().map(|&center| center as u32);
        candidates.iter().chain(sample.items()).copied().chain(centers).collect()
    };
    let excerpt = Excerpt::new(problem, items());
    let part =
        excerpt.as_ref().and_then(|excerpt| Some((excerpt, excerpt.problem(problem, sample)?)));
    let Some((excerpt, part)) = part else {
        let mut rough = Centers::new(&problem.with_demand(sample), centers, &means);
        let ended = improve(&mut rough, &candidates);
        return (rough.centers().to_vec(), ended);
    };
    let mut rough = Centers::new(&part, &excerpt.positions(centers), &means);
    let candidates: Vec<usize> = candidates.iter().map(|&item| item as usize).collect();
    let candidates: Vec<u32> =
        excerpt.positions(&candidates).into_iter().map(|at| at as u32).collect();
    let ended = improve(&mut rough, &candidates);
    (excerpt.items(rough.centers()), ended)
}

/// An exchange of one center for an item that is not a center: what a local search judges, and then
/// does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Swap {
    /// The item that becomes a center.
    pub(crate) newcomer: usize,
    /// The slot of the center that leaves.
    pub(crate) slot: usize,
    /// By how much the cost changes; negative is better.
    pub(crate) change: f64,
}

/// Checks that centers are distinct candidates, with all fixed centers among them. Returns them
/// with the fixed ones first.
pub(crate) fn checked_centers(
    problem: &Problem<'_>,
    centers: &[usize],
) -> Result<Vec<usize>, Error> {
    problem.check_k(centers.len())?;
    let wrong = |message| Err(Error::new(ErrorKind::Parameter, message));
    let mut seen = vec![false; problem.len()];
    for &center in centers {
        match seen.get_mut(center) {
            None => {
                return wrong(format!(
                    "there is no item {center} to be a center; the items are 0 to {}",
                    problem.len() - 1
                ));
            }
            Some(true) => {
                return wrong(format!(
                    "item {center} is given twice as a center; give items that differ"
                ));
            }
            Some(_) if !problem.sites.is_candidate(center) => {
                return wrong(format!(
                    "item {center} is given as a center, but is not among the candidates; give candidates"
                ));
            }
            Some(seen) => *seen = true,
        }
    }
    if let Some(&center) = problem.fixed().iter().find(|&&center| !seen[center]) {
        return wrong(format!(
            "item {center} is a fixed center, but not among the given ones; add it"
        ));
    }
    Ok(fixed_first(problem, centers))
}

/// Centers, with all fixed ones among them, in the order of slots: the fixed ones first.
pub(crate) fn fixed_first(problem: &Problem<'_>, centers: &[usize]) -> Vec<usize> {
    let free = centers.iter().copied().filter(|&center| problem.sites.is_free(center));
    problem.fixed().iter().copied().chain(free).collect()
}
