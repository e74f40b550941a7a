//! Compares private centers with non-private and data-free ones, as users get them, over many ε.

use std::sync::OnceLock;

use kmedian::privacy::{Entropy, Epsilon, Method as Derivation, PublicTree, Recipe};
use kmedian::privacy::{Interval, PrivateCenters, data_free_centers};
use kmedian::{Assignment, Demand, KMedian, Objective, Problem, Seed, Space};

use crate::data::{Draw, Source, Sources, Universe, draw};
use crate::methods::{Method, Timed, timed};
use crate::progress::run;
use crate::row::{Outcome, Stated};
use crate::{Failure, Lab, Row};

/// A task of the experiment `accuracy`: private centers on one universe, for all combinations of
/// its lists.
///
/// Centers are those that a user gets, with what a release says of its own error. Only distances
/// are looked up in a table, as that is faster. The trees and the centers without data are those of
/// one public seed; the demand and the noise are those of the repetition. The noise of a repetition
/// is the same whenever it is run, so two versions of the software are compared pair by pair.
#[derive(Debug, Clone, PartialEq)]
pub struct Accuracy {
    /// The source of the items.
    pub source: Source,
    /// What distances cost.
    pub objective: Objective,
    /// The demands: how each is drawn, and its number of records, which no release is told.
    pub demands: Vec<(Draw, usize)>,
    /// The ε of the releases.
    pub epsilons: Vec<Epsilon>,
    /// The numbers of centers.
    pub ks: Vec<usize>,
    /// The number of repetitions, each with its own demand and noise.
    pub seeds: u64,
}

/// The name of the experiment in rows.
pub(crate) const EXPERIMENT: &str = "accuracy";

/// The seed of what is public, as users have it by default.
const PUBLIC: Seed = Seed(0);

impl Accuracy {
    /// The name of the task, for progress.
    pub fn title(&self, sources: &Sources) -> String {
        format!("{EXPERIMENT}, {}, k-{}", sources.name(&self.source), self.objective)
    }

    /// All rows that the task makes, without their outcomes.
    pub fn rows(&self, sources: &Sources) -> Vec<Row> {
        let data = sources.name(&self.source);
        let mut rows = Vec::new();
        for (demand, seed) in self.jobs() {
            for (method, epsilon) in self.methods() {
                let row = |&k| self.row(&data, demand, method, epsilon, k, seed);
                rows.extend(self.ks.iter().map(row));
            }
        }
        rows
    }

    /// All repetitions of all demands.
    fn jobs(&self) -> Vec<((Draw, usize), u64)> {
        let of_demand = |&demand| (0..self.seeds).map(move |seed| (demand, seed));
        self.demands.iter().flat_map(of_demand).collect()
    }

    /// All methods, the private one with every ε.
    fn methods(&self) -> Vec<(Method, Option<Epsilon>)> {
        let private = self.epsilons.iter().map(|&epsilon| (Method::DpRefined, Some(epsilon)));
        [(Method::NdpExact, None), (Method::DataFree, None)].into_iter().chain(private).collect()
    }

    fn row(
        &self,
        data: &str,
        (draw, records): (Draw, usize),
        method: Method,
        epsilon: Option<Epsilon>,
        k: usize,
        seed: u64,
    ) -> Row {
        Row {
            experiment: EXPERIMENT.to_string(),
            data: data.to_string(),
            demand: draw.name().to_string(),
            objective: self.objective.to_string(),
            method: method.name().to_string(),
            n: self.source.len(),
            k,
            records,
            epsilon: epsilon.map(Epsilon::approximate),
            seed,
            ..Row::default()
        }
    }

    /// Does the runs of this task that have no row yet.
    ///
    /// # Errors
    /// If a run fails, or if Ctrl-C was pressed.
    pub fn run(&self, universe: &Universe, sources: &Sources, lab: &Lab) -> Result<(), Failure> {
        lab.progress.say(&self.title(sources));
        let data = sources.name(&self.source);
        let public = Public::new(self, universe);
        lab.for_each(&self.jobs(), |&(demand, seed)| {
            let lacking = |(method, epsilon)| {
                let row = |&k| self.row(&data, demand, method, epsilon, k, seed);
                let rows: Vec<Row> = self.ks.iter().map(row).filter(|row| lab.lacks(row)).collect();
                (!rows.is_empty()).then_some((method, epsilon, rows))
            };
            let lacking: Vec<_> = self.methods().into_iter().filter_map(lacking).collect();
            if lacking.is_empty() {
                return Ok(());
            }
            let demand = draw(universe, demand.0, demand.1, Seed(seed))?;
            let repetition = Repetition { public: &public, demand, seed: Seed(seed) };
            for (method, epsilon, rows) in lacking {
                let ks: Vec<usize> = rows.iter().map(|row| row.k).collect();
                let outcomes = repetition.outcomes(method, epsilon, &ks)?;
                for (row, outcome) in rows.into_iter().zip(outcomes) {
                    lab.record(&row.with(outcome))?;
                }
            }
            Ok(())
        })
    }
}

/// What all repetitions share, because it does not depend on the demand. Each part is made when it
/// is first needed.
struct Public<'a> {
    task: &'a Accuracy,
    universe: &'a Universe,
    /// Centers without data, for each k of the task.
    data_free: OnceLock<Result<Timed<Vec<Vec<usize>>>, Failure>>,
    /// The trees of the releases, for each ε of the task.
    trees: Vec<OnceLock<Result<Timed<PublicTree>, Failure>>>,
}

impl<'a> Public<'a> {
    fn new(task: &'a Accuracy, universe: &'a Universe) -> Self {
        let trees = task.epsilons.iter().map(|_| OnceLock::new()).collect();
        Self { task, universe, data_free: OnceLock::new(), trees }
    }

    /// The items with all distances in memory.
    fn distances(&self) -> &'a dyn Space {
        self.universe.distances()
    }

    /// The plan of non-private and data-free centers.
    fn plan() -> KMedian {
        KMedian { seed: PUBLIC, restarts: Some(0), ..KMedian::default() }
    }

    /// Centers without data, for some k of the task, and how long each took.
    fn data_free(&self, ks: &[usize]) -> Result<Timed<Vec<Vec<usize>>>, Failure> {
        let Accuracy { objective, ks: all, .. } = self.task;
        let find =
            || data_free_centers(self.distances(), all, *objective, &Self::plan(), &mut run());
        let found = self.data_free.get_or_init(|| timed(find).map_err(Failure::from));
        let found = found.as_ref().map_err(Failure::clone)?;
        let of =
            |k: &usize| all.iter().position(|other| other == k).map(|at| found.value[at].clone());
        let seconds = found.seconds / all.len().max(1) as f64;
        Ok(Timed { value: ks.iter().filter_map(of).collect(), seconds })
    }

    /// The trees for an ε, one of which a release chooses.
    fn trees(&self, epsilon: Epsilon) -> Result<&Timed<PublicTree>, Failure> {
        let at = self.task.epsilons.iter().position(|&other| other == epsilon).unwrap_or(0);
        let recipe = Recipe { seed: PUBLIC, ..Recipe::new(epsilon) };
        let build = || PublicTree::build(self.universe.space(), &recipe, &mut run());
        let built = self.trees[at].get_or_init(|| timed(build).map_err(Failure::from));
        built.as_ref().map_err(Failure::clone)
    }
}

/// One demand, and the noise of its releases.
struct Repetition<'a> {
    public: &'a Public<'a>,
    demand: Demand,
    seed: Seed,
}

impl Repetition<'_> {
    /// What a method costs, for each k of a list.
    fn outcomes(
        &self,
        method: Method,
        epsilon: Option<Epsilon>,
        ks: &[usize],
    ) -> Result<Vec<Outcome>, Failure> {
        match (method, epsilon) {
            (_, Some(epsilon)) => self.private(epsilon, ks),
            (Method::DataFree, None) => {
                let Timed { value, seconds } = self.public.data_free(ks)?;
                Ok(value.iter().map(|centers| self.judged(centers).lasting(seconds)).collect())
            }
            (_, None) => self.non_private(ks),
        }
    }

    /// The outcome of centers: what they cost on the demand.
    fn judged(&self, centers: &[usize]) -> Outcome {
        let assignment = Assignment::new(self.public.distances(), centers);
        let final_cost = Some(assignment.cost(&self.demand, self.public.task.objective));
        Outcome { final_cost, ..Outcome::default() }
    }

    fn non_private(&self, ks: &[usize]) -> Result<Vec<Outcome>, Failure> {
        let objective = self.public.task.objective;
        let problem = Problem::of(self.public.distances())
            .demand(&self.demand)
            .objective(objective)
            .build()?;
        let plan = Public::plan();
        let prepared = plan.prepare(&problem, &mut run())?;
        let fit = |&k: &usize| {
            let found = timed(|| prepared.fit(k, &mut run()))?;
            let init_cost = Some(found.value.init_cost);
            let judged = self.judged(&found.value.centers).lasting(found.seconds);
            Ok(Outcome { init_cost, ..judged })
        };
        ks.iter().map(fit).collect()
    }

    fn private(&self, epsilon: Epsilon, ks: &[usize]) -> Result<Vec<Outcome>, Failure> {
        let (universe, objective) = (self.public.universe, self.public.task.objective);
        let counts: Vec<u64> = self.demand.weights().iter().map(|&weight| weight as u64).collect();
        let (trees, free) = (&self.public.trees(epsilon)?.value, self.public.data_free(ks)?.value);
        let mut entropy = Entropy::seeded_not_private(self.seed.named(&format!("noise {epsilon}")));
        let release = trees.copy_that_spends_again().release(&counts, &mut entropy)?;
        let plan = release.plan(Derivation::Refined);
        let estimator = release.estimator(universe.space(), &mut run())?;
        let estimator = estimator.looking_up(universe.distances())?;
        let found = timed(|| estimator.centers(ks, objective, &plan, &mut run()))?;
        let pairs: Vec<[&[usize]; 2]> =
            found.value.iter().zip(&free).map(|(ours, free)| [&ours.centers[..], free]).collect();
        let advantages = estimator.advantages(&pairs, objective)?;
        let of_each = found.value.iter().zip(advantages);
        let outcome = |(ours, advantage): (&PrivateCenters, Interval)| Outcome {
            stated: Some(self.stated(ours, advantage)),
            ..self.judged(&ours.centers).lasting(found.seconds / ks.len() as f64)
        };
        Ok(of_each.map(outcome).collect())
    }

    /// What a release states of its centers, and how many of its statements on sizes are true.
    fn stated(&self, ours: &PrivateCenters, advantage: Interval) -> Stated {
        let assignment = Assignment::new(self.public.distances(), &ours.centers);
        let sizes = assignment.served(ours.centers.len(), &self.demand);
        let covered = ours.size_intervals.iter().zip(&sizes);
        let covered = covered.filter(|(interval, size)| interval.contains(**size)).count();
        Stated {
            cost: [ours.cost_interval.low, ours.cost_interval.high],
            advantage: [advantage.low, advantage.high],
            sizes_covered: covered as f64 / sizes.len() as f64,
        }
    }
}
