use std::time::{Duration, Instant};

use crate::init::Begin;
use crate::search::restarts;
use crate::space::Merged;
use crate::{
    Clustering, Effort, Error, Init, LocalSearch, Problem, Proof, Run, Seed, Start, Stop, bound,
    silhouette,
};

/// The whole way from a problem to centers: initialization, local search, restarts.
///
/// The default is a tree's best centers, improved to a local optimum that is certified unless that
/// is predicted to take more than 10 seconds ([`Effort::Auto`]), and a few more such searches where
/// they take next to no time. Set `restarts` where the optimum matters more than time: each restart
/// perturbs the best centers and searches on; on the OR-Library's instances 200 of them find the
/// proven optima
/// (`crates/kmedian-lab/tests/orlib.rs`). For several k, or to watch and end the work,
/// [`KMedian::prepare`] builds the tree once and [`Prepared::fit`] takes a [`Run`]. A tree takes a
/// few dozen distances for each item, whatever k is; a pass of the search judges every item, and
/// without pruning that would be all n² distances.
///
/// ```
/// use kmedian::{KMedian, Metric, Problem, Vectors};
///
/// let places = Vectors::new(1, &[0.0, 1.0, 2.0, 10.0, 11.0, 12.0], Metric::L1)?;
/// let problem = Problem::of(&places).build()?;
///
/// let mut found = KMedian::default().fit(&problem, 2)?;
/// found.centers.sort();
/// assert_eq!(found.centers, [1, 4]);
/// assert_eq!(found.cost, 4.0);
/// # Ok::<(), kmedian::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct KMedian {
    /// How the initial centers are chosen, from which the local search begins.
    pub init: Init,
    /// How the initial centers are improved by swaps, and what ends that.
    pub search: LocalSearch,
    /// How many further searches to do, each from the best centers found so far, perturbed. The
    /// limits of the search hold for all of them together.
    ///
    /// `None` is a few where they take next to no time: after a certified search of at most 4,096
    /// vectors, or of a matrix of so many items, 4 of them, the first of which goes on from what
    /// less effort would have found, so that more effort never ends higher; elsewhere none. Zero is
    /// none at all.
    pub restarts: Option<usize>,
    /// What is to be proven of the centers, after all restarts: by default nothing.
    /// [`Effort::Optimal`] asks for [`Proof::Optimal`] whatever is here.
    pub proof: Proof,
    /// The seed of all randomness: the same seed gives the same centers, with any number of threads
    /// and on any machine, unless a time limit or a halt ends the search.
    pub seed: Seed,
}

impl KMedian {
    /// Finds `k` centers.
    ///
    /// # Errors
    /// If k is zero, less than the number of fixed centers or more than that of candidates, if
    /// given initial centers are not k distinct candidates with the fixed ones among them, if the
    /// tree does not suit the space (a grid without vectors), or if a parameter of
    /// the search is out of its range.
    pub fn fit(&self, problem: &Problem<'_>, k: usize) -> Result<Clustering, Error> {
        self.prepare(problem, &mut Run::default())?.fit(k, &mut Run::default())
    }

    /// This plan with another local search and number of restarts, as users choose them. If the
    /// plan has a limit of swaps already, that is kept: a plan that does no swaps still does none.
    #[must_use]
    pub fn searched_by(self, search: &LocalSearch, restarts: Option<usize>) -> Self {
        let max_swaps = self.search.max_swaps.or(search.max_swaps);
        let search = LocalSearch { max_swaps, ..search.clone() };
        Self { search, restarts, ..self }
    }

    /// Does the work that serves every k: merges equal vectors, measures a table of distances where
    /// that pays, and builds the tree.
    ///
    /// # Errors
    /// If a parameter is out of its range, if the tree does not suit the space, or if the run is
    /// ended. A time limit that is over before the tree is built is no error: centers are then
    /// random.
    pub fn prepare<'a>(
        &'a self,
        whole: &Problem<'a>,
        run: &mut Run<'_>,
    ) -> Result<Prepared<'a>, Error> {
        self.search.check()?;
        self.proof.check()?;
        let started = Instant::now();
        let deadline = self.search.deadline(started);
        let halt = run.halt().until(deadline);
        // Given centers may be equal rows, which are different items.
        let may_merge = !matches!(self.init, Init::Given(_));
        let merged = may_merge.then(|| whole.merged(&halt)).flatten();
        let (merged, problem) = merged.unzip();
        let problem = problem.as_ref().unwrap_or(whole);
        let tabulated = problem.tabulated(&halt);
        let start = self.init.prepare_within(problem, &tabulated, self.seed, deadline, run)?;
        let (whole, tree_time) = (whole.clone(), started.elapsed());
        Ok(Prepared { plan: self, whole, merged, problem: tabulated, start, tree_time })
    }
}

/// A problem that [`KMedian::prepare`] has made ready to be solved for any k.
pub struct Prepared<'a> {
    plan: &'a KMedian,
    /// The problem as it was given.
    whole: Problem<'a>,
    /// The items without repetitions, where many are equal.
    merged: Option<&'a Merged>,
    /// The problem that is solved: without repeated items where many are equal, and with a table of
    /// distances where that pays.
    problem: Problem<'a>,
    start: Start<'a>,
    tree_time: Duration,
}

impl Prepared<'_> {
    /// Finds `k` centers. The time that it took to prepare them counts towards the time limit.
    ///
    /// # Errors
    /// If k is out of its range, or if the run is ended before there are initial centers.
    pub fn fit(&self, k: usize, run: &mut Run<'_>) -> Result<Clustering, Error> {
        self.fit_within(k, &self.search_for(self.time_left()), &mut None, run)
    }

    /// Finds centers for each k of a list. They share the time limit, as far as preparing them has
    /// left some: each may take an equal part of what is left. If the run is ended, the k that was
    /// being fitted is the last. Where a bound is asked for, prices that prove it for one k are
    /// where those for the next one begin, so that the bound may be another one than that of a fit
    /// for this k alone.
    ///
    /// # Errors
    /// If a k is out of its range, or if the run is ended before there are initial centers.
    pub fn fit_each(&self, ks: &[usize], run: &mut Run<'_>) -> Result<Vec<Clustering>, Error> {
        let (started, limit) = (Instant::now(), self.time_left());
        let (mut fits, mut prices) = (Vec::new(), None);
        for (&k, others) in ks.iter().zip((0..ks.len() as u32).rev()) {
            let left = |limit: Duration| limit.saturating_sub(started.elapsed()) / (others + 1);
            let found = self.fit_within(k, &self.search_for(limit.map(left)), &mut prices, run)?;
            let ended = found.stop == Stop::Cancelled;
            fits.push(found);
            if ended {
                break;
            }
        }
        Ok(fits)
    }

    /// The time limit, less the time that preparing took.
    fn time_left(&self) -> Option<Duration> {
        self.plan.search.time_limit.map(|limit| limit.saturating_sub(self.tree_time))
    }

    /// The local search of the plan with another time limit.
    fn search_for(&self, time_limit: Option<Duration>) -> LocalSearch {
        LocalSearch { time_limit, ..self.plan.search.clone() }
    }

    /// [`Prepared::fit`] by another local search than that of the plan, such as one with less time.
    /// `prices` are some for a bound to begin with, and afterwards those that prove it.
    pub(crate) fn fit_within(
        &self,
        k: usize,
        search: &LocalSearch,
        prices: &mut Option<Vec<f64>>,
        run: &mut Run<'_>,
    ) -> Result<Clustering, Error> {
        self.whole.check_k(k)?;
        let among_all = k;
        let sites = self.whole.sites();
        let k = self.merged.map_or(k, |merged| merged.centers_for(k, sites));
        let started = Instant::now();
        let memory = search.means(run.halt()).memory;
        let begin = self.start.begin(k, search.deadline(started), memory, run)?;
        let Begin { centers, lower_bounds } = begin;
        let init_time = started.elapsed();
        let left = |limit: Duration| limit.saturating_sub(init_time);
        let search = LocalSearch { time_limit: search.time_limit.map(left), ..search.clone() };
        let seed = self.plan.seed.named("search").numbered(k as u64);
        let optimal = search.effort == Effort::Optimal;
        let proof = if optimal { Proof::Optimal } else { self.plan.proof };
        let before = bound::search_before(&search, proof);
        let mut rng = seed.generator();
        let (mut found, known) =
            before.improve_keeping(&self.problem, &centers, lower_bounds, &mut rng, run);
        restarts::run(&before, self.plan.restarts, (&centers, seed), known, &mut found, run);
        bound::prove(&self.problem, &search, proof, seed, &mut found, prices, run);
        found.times.tree = self.tree_time;
        found.times.init = init_time;
        if let Some(merged) = self.merged {
            let merged = merged.expand((&found.centers, &found.assignment), among_all, sites);
            (found.centers, found.assignment) = merged;
            // Centers with equal vectors are as near as each other, which the merged ones are not.
            if found.centers.len() > k {
                let (space, demand) = (self.whole.space, self.whole.demand());
                [found.silhouette, found.squared_silhouette] =
                    silhouette::silhouettes(space, &found.centers, demand);
            }
        }
        Ok(found)
    }
}
