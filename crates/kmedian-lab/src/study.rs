//! A study: methods on one universe, for some demands, k, ε and repetitions.

use std::sync::OnceLock;

use kmedian::privacy::{Epsilon, PublicTree};
use kmedian::{Objective, Seed, Tree};

use crate::data::{Draw, Source, Sources, Universe};
use crate::methods::{Method, Timed};
use crate::repetition::Repetition;
use crate::{Failure, Lab, Row};

/// What is run: all combinations of what is listed.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// The experiment that its rows belong to.
    pub experiment: &'static str,
    /// The items.
    pub source: Source,
    /// What distances cost.
    pub objective: Objective,
    /// Where the demand is, and how many records there are.
    pub demands: Vec<(Draw, usize)>,
    /// The methods.
    pub methods: Vec<Method>,
    /// The ε that private methods may spend, one after the other.
    pub epsilons: Vec<Epsilon>,
    /// Whether our private methods are told how many records there are.
    pub size_is_public: bool,
    /// The numbers of centers.
    pub ks: Vec<usize>,
    /// The repetitions: each has demand and randomness of its own.
    pub seeds: u64,
    /// The proven optimum, where there is one.
    pub optimum: Option<f64>,
}

impl Study {
    /// What the study is called while it runs.
    pub fn title(&self, sources: &Sources) -> String {
        format!("{}, {}", self.experiment, sources.name(&self.source))
    }

    /// All rows that will be there in the end, without what is not known yet.
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

    /// What a method may spend: each of the ε, or nothing.
    pub(crate) fn epsilons_of(&self, method: Method) -> Vec<Option<Epsilon>> {
        if method.is_private() {
            self.epsilons.iter().copied().map(Some).collect()
        } else {
            vec![None]
        }
    }

    /// The row of one run, without what came of it.
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

    /// Does the runs that have no row yet.
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

/// What all demands of a repetition share, because it depends on none.
pub(crate) struct Public {
    pub(crate) ball_tree: OnceLock<Result<Timed<Tree>, Failure>>,
    pub(crate) data_free: OnceLock<Result<Vec<Timed<Vec<usize>>>, Failure>>,
    /// For each ε and demand of the study: trees may depend on how many records there are.
    trees: Vec<OnceLock<Result<Timed<PublicTree>, Failure>>>,
}

impl Public {
    fn new(study: &Study) -> Self {
        let trees = study.epsilons.len() * study.demands.len();
        let trees = (0..trees).map(|_| OnceLock::new()).collect();
        Self { ball_tree: OnceLock::new(), data_free: OnceLock::new(), trees }
    }

    /// The tree for an ε and a demand, built where it is not there yet.
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
