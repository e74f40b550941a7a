//! The private pipeline, run on made-up demand.

use std::time::Instant;

use kmedian::privacy::{
    Entropy, Epsilon, Method, Protection, PublicTree, Recipe, Unit, data_free_centers,
};
use kmedian::{Demand, KMedian, Objective, Problem, Seed, Silent, Space};

use super::scenario::{self, Scenario};
use crate::args::{PlanArgs, Search};
use crate::failure::Failure;

/// Which ε are tried, in multiples of the one that was asked for.
const FACTORS: [f64; 5] = [0.1, 0.3, 1.0, 3.0, 10.0];

/// What private centers cost in a scenario, in multiples of the cost of non-private ones.
pub(super) struct Curve {
    pub(super) scenario: Scenario,
    /// The mean cost of non-private centers.
    pub(super) non_private_cost: f64,
    /// The ratio for centers that know nothing of the demand.
    pub(super) data_free: f64,
    pub(super) points: Vec<Point>,
}

/// The ratios of all runs with one ε.
pub(super) struct Point {
    pub(super) epsilon: Epsilon,
    pub(super) mean: f64,
    pub(super) least: f64,
    pub(super) most: f64,
}

/// All that is public, prepared once.
pub(super) struct Simulation<'a> {
    space: &'a dyn Space,
    k: usize,
    objective: Objective,
    method: Method,
    search: Search,
    records: u32,
    runs: u32,
    seed: Seed,
    trees: Vec<(Epsilon, PublicTree)>,
}

impl<'a> Simulation<'a> {
    pub(super) fn new(args: &PlanArgs, space: &'a dyn Space, k: usize) -> Result<Self, Failure> {
        let seed = Seed(args.seed);
        let unit = args.max_per_unit.map_or(Unit::Record, |at_most| Unit::Owner { at_most });
        let protection = Protection { unit, neighbours: args.noise.neighbours };
        let tree = |epsilon: Epsilon| {
            let (split, records) = (args.noise.split, Some(args.demand_size.get().into()));
            let recipe = Recipe { split, records, protection, seed, ..Recipe::new(epsilon) };
            Ok::<_, Failure>((epsilon, PublicTree::build(space, &recipe, &mut Silent)?))
        };
        Ok(Self {
            space,
            k,
            objective: args.goal.objective(),
            method: args.method,
            search: args.search.checked_for(args.method)?,
            records: args.demand_size.get(),
            runs: args.runs.get(),
            seed,
            trees: epsilons(args.epsilon).into_iter().map(tree).collect::<Result<_, _>>()?,
        })
    }

    /// Runs all scenarios.
    pub(super) fn run(&self, progress: &mut dyn FnMut(&str)) -> Result<Vec<Curve>, Failure> {
        progress("centers without data");
        let plan = self.search.applied_to(KMedian { seed: self.seed, ..KMedian::default() });
        let data_free =
            data_free_centers(self.space, &[self.k], self.objective, &plan, &mut Silent)?;
        let (started, all) = (Instant::now(), scenario::ALL.len() * self.runs as usize);
        let mut done = 0;
        let mut curves = Vec::new();
        for scenario in scenario::ALL {
            let mut trials = Vec::new();
            for run in 0..self.runs {
                let left = started.elapsed().as_secs_f64() / f64::from(done.max(1))
                    * (all as f64 - f64::from(done));
                let rest =
                    if done > 0 { format!(", about {left:.0} s left") } else { String::new() };
                progress(&format!("{}: run {} of {}{rest}", scenario.name, run + 1, self.runs));
                trials.push(self.trial(&scenario, run, &plan, &data_free[0])?);
                done += 1;
            }
            curves.push(self.curve(scenario, &trials));
        }
        Ok(curves)
    }

    /// Centers for one made-up demand: non-private, without data, and private for every ε.
    fn trial(
        &self,
        scenario: &Scenario,
        run: u32,
        plan: &KMedian,
        data_free: &[usize],
    ) -> Result<Trial, Failure> {
        let seed = self.seed.named(scenario.name).numbered(run.into());
        let counts = scenario.draw(self.space, self.records, seed.named("demand"));
        let demand = Demand::new(counts.iter().map(|&count| count as f64).collect())?;
        let problem = Problem::new(self.space, &demand, self.objective)?;
        let non_private = problem.cost(&plan.fit(&problem, self.k)?.centers);
        let mut private = Vec::new();
        for (place, (_, tree)) in self.trees.iter().enumerate() {
            let mut entropy = Entropy::seeded_not_private(seed.numbered(place as u64));
            let release = tree.copy_that_spends_again().release(&counts, &mut entropy)?;
            let plan = self.search.applied_to(release.plan(self.method));
            let found =
                release.centers(self.space, &[self.k], self.objective, &plan, &mut Silent)?;
            private.push(ratio(problem.cost(&found[0].centers), non_private));
        }
        Ok(Trial { non_private, data_free: ratio(problem.cost(data_free), non_private), private })
    }

    fn curve(&self, scenario: Scenario, trials: &[Trial]) -> Curve {
        let mean =
            |of: &dyn Fn(&Trial) -> f64| trials.iter().map(of).sum::<f64>() / trials.len() as f64;
        let point = |(place, &(epsilon, _)): (usize, &(Epsilon, PublicTree))| {
            let ratios = || trials.iter().map(|trial| trial.private[place]);
            Point {
                epsilon,
                mean: mean(&|trial| trial.private[place]),
                least: ratios().fold(f64::INFINITY, f64::min),
                most: ratios().fold(0.0, f64::max),
            }
        };
        Curve {
            scenario,
            non_private_cost: mean(&|trial| trial.non_private),
            data_free: mean(&|trial| trial.data_free),
            points: self.trees.iter().enumerate().map(point).collect(),
        }
    }
}

/// What came of one made-up demand.
struct Trial {
    non_private: f64,
    data_free: f64,
    /// A ratio for each ε.
    private: Vec<f64>,
}

/// How many times as much; if both are nothing, they are the same.
fn ratio(cost: f64, non_private: f64) -> f64 {
    if cost == non_private { 1.0 } else { cost / non_private }
}

/// The ε round the one that was asked for, as far as they are possible: rounded to nine decimals, at most 100.
fn epsilons(asked: Epsilon) -> Vec<Epsilon> {
    let around = |factor: f64| format!("{:.9}", asked.approximate() * factor).parse().ok();
    let mut all: Vec<Epsilon> = FACTORS.into_iter().filter_map(around).collect();
    if !all.contains(&asked) {
        all.push(asked);
        all.sort_by(|a, b| a.approximate().total_cmp(&b.approximate()));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epsilons_stay_possible() {
        let tried = |text: &str| {
            let all = epsilons(text.parse().unwrap());
            all.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(tried("1"), ["0.1", "0.3", "1", "3", "10"]);
        assert_eq!(tried("0.7"), ["0.07", "0.21", "0.7", "2.1", "7"]);
        assert_eq!(tried("50"), ["5", "15", "50"]);
        assert_eq!(tried("0.000000001"), ["0.000000001", "0.000000003", "0.00000001"]);
    }
}
