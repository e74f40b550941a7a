//! Measures how long initializations take, over k and over the number of items.

use kmedian::{Demand, Hst, Init, Metric, Objective, Problem, Seed, TreeKind, TreeSearch};

use crate::data::{Draw, Images, Source, Sources};
use crate::methods::timed;
use crate::progress::run;
use crate::row::Outcome;
use crate::{Failure, Lab, Row, Sizes};

/// A task that measures initializations: on images under l2, on one thread, while nothing else
/// runs. All images have the same weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Time {
    /// The name of the experiment in rows.
    experiment: &'static str,
    /// The pairs of a number of items and a number of centers that are measured.
    cells: Vec<(usize, usize)>,
    seeds: u64,
}

/// The initializations that are compared, by their names in rows.
fn inits() -> [(&'static str, Init); 4] {
    let paper = Hst { tree: TreeKind::Ball { levels: 6 }, search: TreeSearch::Paper };
    [
        ("plusplus", Init::PlusPlus),
        ("greedy", Init::Greedy),
        ("hst-paper", Init::Hst(paper)),
        ("hst-ours", Init::Hst(Hst::default())),
    ]
}

/// The metric of the images.
const METRIC: Metric = Metric::L2;

impl Time {
    /// Both tasks: over k, and over the number of items.
    pub(crate) fn both(sizes: &Sizes) -> [Self; 2] {
        let over_k = sizes.time_ks.iter().map(|&k| (sizes.time_n, k)).collect();
        let over_n = sizes.time_ns.iter().map(|&n| (n, sizes.time_k)).collect();
        let time = |experiment, cells| Self { experiment, cells, seeds: sizes.seeds };
        [time("time-k", over_k), time("time-n", over_n)]
    }

    /// The name of the task, for progress.
    pub fn title(&self) -> String {
        self.experiment.to_string()
    }

    /// All rows that the task makes, without their outcomes.
    pub fn rows(&self, sources: &Sources) -> Vec<Row> {
        let mut rows = Vec::new();
        for &(n, k) in &self.cells {
            for seed in 0..self.seeds {
                for (method, _) in inits() {
                    rows.push(self.row(sources, method, n, k, seed));
                }
            }
        }
        rows
    }

    fn row(&self, sources: &Sources, method: &str, n: usize, k: usize, seed: u64) -> Row {
        Row {
            experiment: self.experiment.to_string(),
            data: sources.name(&Source::Images { n, metric: METRIC, skip: 0 }),
            demand: Draw::All.name().to_string(),
            objective: Objective::Median.to_string(),
            method: method.to_string(),
            n,
            k,
            records: n,
            seed,
            ..Row::default()
        }
    }

    /// Does the runs of this task that have no row yet.
    ///
    /// # Errors
    /// If a run fails, or if Ctrl-C was pressed.
    pub fn run(&self, sources: &Sources, lab: &Lab) -> Result<(), Failure> {
        for &(n, k) in &self.cells {
            lab.progress.say(&format!("{}, n = {n}, k = {k}", self.experiment));
            // The methods take turns, so that other load on the machine affects them equally.
            for seed in 0..self.seeds {
                for (method, init) in inits() {
                    let row = self.row(sources, method, n, k, seed);
                    if lab.lacks(&row) {
                        let images = sources.images()?;
                        let outcome = lab.alone(|| measure(images, n, k, &init, Seed(seed)))??;
                        lab.record(&row.with(outcome))?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Measures one initialization, on a new space, so that nothing is cached from another run.
fn measure(
    images: &Images,
    n: usize,
    k: usize,
    init: &Init,
    seed: Seed,
) -> Result<Outcome, Failure> {
    let (space, _) = images.some(0, n, METRIC)?;
    let demand = Demand::uniform(n);
    let problem = Problem::of(&space).demand(&demand).build()?;
    let found = timed(|| init.prepare(&problem, seed, &mut run())?.centers(k, &mut run()))?;
    Ok(Outcome {
        init_cost: Some(problem.cost(&found.value)),
        seconds: found.seconds,
        init_seconds: Some(found.seconds),
        ..Outcome::default()
    })
}
