//! A planner: what private centers would cost for several ε, from runs on made-up demand. It spends
//! no ε.

mod scenario;

use std::num::NonZeroU32;

use super::{Entropy, Epsilon, Method, Protection, PublicTree, Recipe, Split, data_free_centers};
use crate::{
    Demand, Error, Goal, KMedian, LocalSearch, Objective, Problem, Run, Seed, Sites, Space, Step,
};
pub use scenario::Scenario;

/// Which ε are tried, in multiples of the planned one: from a tenth to ten times as much, in steps
/// of about √10.
const FACTORS: [f64; 5] = [0.1, 0.3, 1.0, 3.0, 10.0];

/// How often each ε is tried by default. With fewer runs, the range of their costs says too little.
const RUNS: NonZeroU32 = NonZeroU32::new(5).expect("not zero");

/// Simulates what private centers would cost for several ε, before any is spent.
///
/// How much ε is enough depends on the items, on k and on the number of records, all of which are
/// public. Demand is therefore made up over the public items ([`Scenario`]), and the private
/// pipeline is run on it: its centers are compared with non-private ones on that demand, and with
/// centers that know nothing of it. No record is read, and nothing is spent. The noise is seeded:
/// the same plan has the same curves.
///
/// It takes one data-free fit, and for each of four scenarios `runs` non-private fits, each with a
/// private fit for each of about five ε.
///
/// ```
/// use kmedian::privacy::Planner;
/// use kmedian::{Metric, Run, Vectors};
///
/// let stops: Vec<f32> = (0..200).map(|stop| stop as f32).collect();
/// let stops = Vectors::new(1, &stops, Metric::L1)?;
/// let planner = Planner::new("1".parse()?, 4, 500.try_into().unwrap());
/// for curve in planner.run(&stops, &mut Run::default())? {
///     let costs: Vec<f64> = curve.points.iter().map(|point| point.mean).collect();
///     println!("{}: {costs:.2?}, without data {:.2}", curve.scenario.name, curve.data_free);
/// }
/// # Ok::<(), kmedian::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Planner {
    /// About how much privacy may be lost; a tenth to ten times as much is tried.
    pub epsilon: Epsilon,
    /// How ε is split over the levels of the tree.
    pub split: Split,
    /// What is protected as a whole (a record, or all records of an owner), and which tables are
    /// neighbors.
    pub protection: Protection,
    /// About how many records the demand will have.
    pub records: NonZeroU32,
    /// How many centers to find: from 1 to the number of candidates, with the fixed ones.
    pub k: usize,
    /// What a distance costs: k-median or k-means.
    pub objective: Objective,
    /// Which items may be centers, and which always are: both are public.
    pub sites: Sites,
    /// How private centers are derived from noisy counts.
    pub method: Method,
    /// How private, non-private and data-free centers are searched for.
    pub search: LocalSearch,
    /// How many further searches from perturbed centers follow each search: see
    /// [`KMedian::restarts`](crate::KMedian::restarts). `None` is a few for non-private centers
    /// where that takes next to no time, as in a plain search, and none for private and data-free
    /// ones, as in a release.
    pub restarts: Option<usize>,
    /// How often each ε is tried, 5 times by default; each time on other made-up demand.
    pub runs: NonZeroU32,
    /// The seed of everything random, including the noise. Nothing is released, so a plan may be
    /// repeated.
    pub seed: Seed,
}

/// What private centers cost in a scenario, in multiples of the cost of non-private ones.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanCurve {
    /// Where the made-up demand is.
    pub scenario: Scenario,
    /// The mean cost, over all runs, of non-private centers.
    pub non_private_cost: f64,
    /// The mean, over all runs, of what centers that know nothing of the demand cost in multiples
    /// of the non-private cost.
    pub data_free: f64,
    /// The costs for each ε that was tried, the smallest ε first.
    pub points: Vec<PlanPoint>,
}

/// What private centers cost with one ε, in multiples of the non-private cost, over all runs.
///
/// Such a ratio is infinite where the non-private centers cost nothing and the private ones do not,
/// and 1 where both cost nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanPoint {
    /// The ε that was simulated; a plan spends none.
    pub epsilon: Epsilon,
    /// The mean, over all runs, of what private centers cost in multiples of the non-private cost.
    pub mean: f64,
    /// The standard error of the mean. It is zero for a single run, which says nothing about the
    /// error.
    pub error: f64,
    /// The smallest ratio of private to non-private cost of all runs.
    pub least: f64,
    /// The largest ratio of private to non-private cost of all runs.
    pub most: f64,
}

impl Planner {
    /// A planner with the defaults: single records are protected, split and method are those that
    /// measure best, and each ε is tried five times.
    pub fn new(epsilon: Epsilon, k: usize, records: NonZeroU32) -> Self {
        Self {
            epsilon,
            split: Split::default(),
            protection: Protection::default(),
            records,
            k,
            objective: Objective::default(),
            sites: Sites::default(),
            method: Method::default(),
            search: LocalSearch::default(),
            restarts: None,
            runs: RUNS,
            seed: Seed::default(),
        }
    }

    /// Simulates all scenarios of [`Scenario::ALL`], and returns a curve for each.
    ///
    /// # Errors
    /// If k or the search is out of its range, if ε is too small for the tree, or if the run is
    /// ended.
    pub fn run(&self, space: &dyn Space, run: &mut Run<'_>) -> Result<Vec<PlanCurve>, Error> {
        let simulation = Simulation::prepare(self, space, &mut run.unobserved())?;
        let of = Scenario::ALL.len() * self.runs.get() as usize;
        let mut done = 0;
        let mut curves = Vec::new();
        for scenario in Scenario::ALL {
            let mut trials = Vec::new();
            for number in 0..self.runs.get() {
                run.step(&Step::Simulated { scenario: scenario.name, runs: done, of })?;
                trials.push(simulation.trial(&scenario, number, &mut run.unobserved())?);
                done += 1;
            }
            curves.push(simulation.curve(scenario, &trials));
        }
        Ok(curves)
    }

    /// What centers are sought.
    fn goal(&self) -> Goal {
        Goal { objective: self.objective, sites: self.sites.clone() }
    }

    /// The ε to try, ascending: the planned one, and its multiples as far as they are possible,
    /// which are rounded to nine decimals and at most 100.
    fn epsilons(&self) -> Vec<Epsilon> {
        let asked = self.epsilon;
        let around = |factor: f64| format!("{:.9}", asked.approximate() * factor).parse().ok();
        let mut all: Vec<Epsilon> = FACTORS.into_iter().filter_map(around).collect();
        if !all.contains(&asked) {
            all.push(asked);
            all.sort_by(|a, b| a.approximate().total_cmp(&b.approximate()));
        }
        all
    }
}

/// A planner, and what is prepared once for all of its runs.
struct Simulation<'a> {
    planner: &'a Planner,
    space: &'a dyn Space,
    non_private: KMedian,
    data_free: Vec<usize>,
    trees: Vec<(Epsilon, PublicTree)>,
}

impl<'a> Simulation<'a> {
    fn prepare(
        planner: &'a Planner,
        space: &'a dyn Space,
        run: &mut Run<'_>,
    ) -> Result<Self, Error> {
        let &Planner { split, protection, seed, k, .. } = planner;
        let mut tree = |epsilon: Epsilon| {
            let recipe = Recipe { split, protection, seed, ..Recipe::new(epsilon) };
            Ok((epsilon, PublicTree::build(space, &recipe, run)?))
        };
        let trees = planner.epsilons().into_iter().map(&mut tree).collect::<Result<_, Error>>()?;
        let searched = |restarts| {
            KMedian { seed, ..KMedian::default() }.searched_by(&planner.search, restarts)
        };
        let non_private = searched(planner.restarts);
        let of_release = searched(Some(planner.restarts.unwrap_or(0)));
        let data_free = data_free_centers(space, &[k], planner.goal(), &of_release, run)?;
        Ok(Self { planner, space, non_private, data_free: data_free.concat(), trees })
    }

    /// Centers for one made-up demand: non-private, without data, and private for every ε.
    fn trial(&self, scenario: &Scenario, number: u32, run: &mut Run<'_>) -> Result<Trial, Error> {
        let &Planner { k, method, ref search, restarts, .. } = self.planner;
        let goal = self.planner.goal();
        let seed = self.planner.seed.named(scenario.name).numbered(number.into());
        let records = self.planner.records.get();
        let counts = scenario.draw(self.space, k, records, seed.named("demand"));
        let demand = Demand::new(counts.iter().map(|&count| count as f64).collect())?;
        let problem = Problem::of(self.space).demand(&demand).goal(&goal).build()?;
        let found = self.non_private.prepare(&problem, run)?.fit(k, run)?;
        let non_private = problem.cost(&found.centers);
        let mut private = Vec::new();
        for (place, (_, tree)) in self.trees.iter().enumerate() {
            let mut entropy = Entropy::seeded_not_private(seed.numbered(place as u64));
            let release = tree.copy_that_spends_again().release(&counts, &mut entropy)?;
            let plan = release.plan(method).searched_by(search, Some(restarts.unwrap_or(0)));
            let found = release.centers(self.space, &[k], goal.clone(), &plan, run)?;
            private.push(ratio(problem.cost(&found[0].centers), non_private));
        }
        run.halt().check()?;
        let data_free = ratio(problem.cost(&self.data_free), non_private);
        Ok(Trial { non_private, data_free, private })
    }

    fn curve(&self, scenario: Scenario, trials: &[Trial]) -> PlanCurve {
        let mean =
            |of: &dyn Fn(&Trial) -> f64| trials.iter().map(of).sum::<f64>() / trials.len() as f64;
        let point = |(place, &(epsilon, _)): (usize, &(Epsilon, PublicTree))| {
            let ratios = || trials.iter().map(|trial| trial.private[place]);
            let of_runs = mean(&|trial| trial.private[place]);
            let variance = mean(&|trial| (trial.private[place] - of_runs).powi(2));
            PlanPoint {
                epsilon,
                mean: of_runs,
                error: (variance / (trials.len() - 1).max(1) as f64).sqrt(),
                least: ratios().fold(f64::INFINITY, f64::min),
                most: ratios().fold(0.0, f64::max),
            }
        };
        PlanCurve {
            scenario,
            non_private_cost: mean(&|trial| trial.non_private),
            data_free: mean(&|trial| trial.data_free),
            points: self.trees.iter().enumerate().map(point).collect(),
        }
    }
}

/// What centers cost on one made-up demand.
struct Trial {
    /// The cost of non-private centers.
    non_private: f64,
    /// The cost of centers that know nothing of the demand, in multiples of the non-private cost.
    data_free: f64,
    /// For each ε, the cost of private centers in multiples of the non-private cost.
    private: Vec<f64>,
}

/// A cost in multiples of the non-private cost; 1 if both are zero.
fn ratio(cost: f64, non_private: f64) -> f64 {
    if cost == non_private { 1.0 } else { cost / non_private }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::{ErrorKind, Metric, Observer, Vectors};

    fn planner(epsilon: &str) -> Planner {
        let records = NonZeroU32::new(300).expect("not zero");
        let runs = NonZeroU32::new(1).expect("not zero");
        Planner { runs, ..Planner::new(epsilon.parse().expect("an ε"), 3, records) }
    }

    fn line() -> Vectors {
        let line: Vec<f32> = (0..120).map(|x| x as f32).collect();
        Vectors::new(1, &line, Metric::L1).expect("vectors")
    }

    #[test]
    fn epsilons_stay_possible() {
        let tried = |text: &str| {
            let all = planner(text).epsilons();
            all.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(tried("1"), ["0.1", "0.3", "1", "3", "10"]);
        assert_eq!(tried("0.7"), ["0.07", "0.21", "0.7", "2.1", "7"]);
        assert_eq!(tried("50"), ["5", "15", "50"]);
        assert_eq!(tried("0.000000001"), ["0.000000001", "0.000000003", "0.00000001"]);
    }

    #[test]
    fn a_plan_can_be_repeated_and_searched_less() {
        let (line, planner) = (line(), planner("1"));
        let curves = planner.run(&line, &mut Run::default()).unwrap();
        assert_eq!(curves, planner.run(&line, &mut Run::default()).unwrap());
        let search = LocalSearch { max_swaps: Some(0), ..LocalSearch::default() };
        let lazy = Planner { search, ..planner }.run(&line, &mut Run::default()).unwrap();
        assert!(lazy[0].non_private_cost > curves[0].non_private_cost);
    }

    #[test]
    fn an_observer_ends_it() {
        struct After(usize);
        impl Observer for After {
            fn step(&mut self, step: &Step) -> ControlFlow<()> {
                match step {
                    Step::Simulated { runs, .. } if *runs == self.0 => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(()),
                }
            }
        }
        let error = planner("1").run(&line(), &mut Run::observed_by(&mut After(2))).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled);
    }
}
