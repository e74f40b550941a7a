//! Studies: methods on one universe, for some demands, k, ε and repetitions.

use std::sync::OnceLock;

use kmedian::privacy::{Epsilon, PublicTree};
use kmedian::{Objective, Seed, Tree};

use crate::data::{Draw, Source, Sources, Universe};
use crate::methods::{Method, Timed};
use crate::repetition::Repetition;
use crate::{Failure, Lab, Row};

/// A task that compares methods on one universe. It runs all combinations of its lists.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// The name of the experiment in rows.
    pub experiment: &'static str,
    /// The source of the items.
    pub source: Source,
    /// What distances cost.
    pub objective: Objective,
    /// The demands: how each is drawn, and its number of records.
    pub demands: Vec<(Draw, usize)>,
    /// The methods that are compared.
    pub methods: Vec<Method>,
    /// The ε with which each private method is run.
    pub epsilons: Vec<Epsilon>,
    /// Whether our private methods are told the number of records.
    pub size_is_public: bool,
    /// The numbers of centers.
    pub ks: Vec<usize>,
    /// The number of repetitions, each with its own demand and randomness.
    pub seeds: u64,
    /// The proven optimum of an instance of the OR-Library.
    pub optimum: Option<f64>,
}

impl Study {
    /// The name of the study, for progress.
    pub fn title(&self, sources: &Sources) -> String {
        format!("{}, {}", self.experiment, sources.name(&self.source))
    }

    /// All rows that the study makes, without their outcomes.
    pub fn rows(&self, sources: &Sources) -> Vec<Row> {
        let mut rows = Vec::new();
        for seed in 0..self.seeds {
            for &demand in &self.demands {
                for &method in &self.methods {
                    for epsilon in self.epsilons_of(method) {
                        let row = |&k| {
                            self.row(&sources.name(&self.source), demand, method, epsilon, k, seed)
                        };
                        rows.extend(self.ks.iter().map(row));
                    }
                }
            }
        }
        rows
    }

    /// The ε with which a method is run: each ε of the study, or `None` if the method spends none.
    pub(crate) fn epsilons_of(&self, method: Method) -> Vec<Option<Epsilon>> {
        if method.is_private() {
            self.epsilons.iter().copied().map(Some).collect()
        } else {
            vec![None]
        }
    }

    /// The row of one run, without its outcome.
    pub(crate) fn row(
        &self,
        data: &str,
        (draw, records): (Draw, usize),
        method: Method,
        epsilon: Option<Epsilon>,
        k: usize,
        seed: u64,
    ) -> Row {
        Row {
            experiment: self.experiment.to_string(),
            data: data.to_string(),
            demand: draw.name().to_string(),
            objective: self.objective.to_string(),
            method: method.name().to_string(),
            n: self.source.len(),
            k,
            records,
            epsilon: epsilon.map(Epsilon::approximate),
            seed,
            value: self.optimum,
            ..Row::default()
        }
    }

    /// Does the runs of this study that have no row yet.
    ///
    /// # Errors
    /// If a run fails, or if Ctrl-C was pressed.
    pub fn run(&self, universe: &Universe, sources: &Sources, lab: &Lab) -> Result<(), Failure> {
        lab.progress.say(&self.title(sources));
        let public: Vec<Public> = (0..self.seeds).map(|_| Public::new(self)).collect();
        let seeds = || 0..self.seeds;
        let of_demand = |&demand| seeds().map(move |seed| (demand, seed));
        let jobs: Vec<((Draw, usize), u64)> = self.demands.iter().flat_map(of_demand).collect();
        let data = sources.name(&self.source);
        lab.for_each(&jobs, |&(demand, seed)| {
            let public = &public[seed as usize];
            Repetition::new(self, &data, universe, lab, public, demand, Seed(seed))?.run()
        })
    }
}

/// What all demands of a repetition share, because it does not depend on the demand. Each part is
/// made when it is first needed.
pub(crate) struct Public {
    /// The tree of the paper's NDP-HST.
    pub(crate) ball_tree: OnceLock<Result<Timed<Tree>, Failure>>,
    /// Centers without data, for each k of the study.
    pub(crate) data_free: OnceLock<Result<Vec<Timed<Vec<usize>>>, Failure>>,
    /// The trees of our releases, for each ε and demand: a tree may depend on the number of
    /// records.
    trees: Vec<OnceLock<Result<Timed<PublicTree>, Failure>>>,
}

impl Public {
    fn new(study: &Study) -> Self {
        let trees = study.epsilons.len() * study.demands.len();
        let trees = (0..trees).map(|_| OnceLock::new()).collect();
        Self { ball_tree: OnceLock::new(), data_free: OnceLock::new(), trees }
    }

    /// The tree for an ε and a demand, which is built if it is missing.
    pub(crate) fn tree(
        &self,
        study: &Study,
        epsilon: Epsilon,
        demand: (Draw, usize),
        build: impl FnOnce() -> Result<Timed<PublicTree>, Failure>,
    ) -> Result<&Timed<PublicTree>, Failure> {
        let of_epsilon = study.epsilons.iter().position(|&other| other == epsilon).unwrap_or(0);
        let of_demand = study.demands.iter().position(|&other| other == demand).unwrap_or(0);
        let of_demand = if study.size_is_public { of_demand } else { 0 };
        let at = of_epsilon * study.demands.len() + of_demand;
        self.trees[at].get_or_init(build).as_ref().map_err(Failure::clone)
    }
}
