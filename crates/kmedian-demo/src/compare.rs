//! Compares three initializations, each followed by local search, over a few seeds.

use std::time::{Duration, Instant};

use kmedian::{Clustering, Error, Hst, Init, LocalSearch, Problem, Seed, SwapRule};

/// The number of seeds with which each initialization is run: enough for a mean, and quickly done.
pub const RUNS: u64 = 3;

/// What came of one initialization.
pub struct Outcome {
    /// The name of the initialization.
    pub name: String,
    /// What the initialization does, in a few words.
    pub what: &'static str,
    /// The runs, one for each seed.
    pub runs: Vec<Run>,
}

/// One initialization with one seed.
pub struct Run {
    /// The initial centers.
    pub start: Vec<usize>,
    /// Where local search ended.
    pub end: Clustering,
    /// How long initialization and search took, building the tree included.
    pub time: Duration,
}

/// Means over the runs of an [`Outcome`]. Costs are the mean distance by road of a person from the
/// nearest depot, in meters.
pub struct Means {
    /// The mean cost of the initial centers.
    pub start: f64,
    /// The mean number of swaps.
    pub swaps: f64,
    /// The mean cost when the search has ended.
    pub end: f64,
    /// The mean number of candidates that were judged, in multiples of the number of junctions.
    pub passes: f64,
    /// The mean time in milliseconds.
    pub millis: f64,
}

impl Outcome {
    /// The means over all runs.
    pub fn means(&self, problem: &Problem<'_>) -> Means {
        let mean = |of: &dyn Fn(&Run) -> f64| {
            self.runs.iter().map(of).sum::<f64>() / self.runs.len() as f64
        };
        let people = problem.demand().total();
        Means {
            start: mean(&|run| run.end.init_cost / people),
            swaps: mean(&|run| run.end.swaps as f64),
            end: mean(&|run| run.end.cost / people),
            passes: mean(&|run| run.end.judged as f64 / problem.len() as f64),
            millis: mean(&|run| 1e3 * run.time.as_secs_f64()),
        }
    }
}

/// Runs all initializations, the simplest first. `progress` is called with what is being done.
pub fn compare(
    problem: &Problem<'_>,
    k: usize,
    seed: Seed,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<Outcome>, Error> {
    let inits = [
        (Init::Random, "junctions drawn at random"),
        (Init::PlusPlus, "each depot drawn where much is left to serve"),
        (Init::Hst(Hst::default()), "the best depots on a tree of nested cells"),
    ];
    let mut outcomes = Vec::new();
    for (init, what) in inits {
        progress(&format!("siting {k} depots: {init}"));
        let runs = (0..RUNS).map(|number| run(problem, k, &init, seed.numbered(number)));
        let runs = runs.collect::<Result<_, _>>()?;
        outcomes.push(Outcome { name: init.to_string(), what, runs });
    }
    Ok(outcomes)
}

fn run(problem: &Problem<'_>, k: usize, init: &Init, seed: Seed) -> Result<Run, Error> {
    let started = Instant::now();
    let start = init
        .prepare(problem, seed, &mut kmedian::Run::default())?
        .centers(k, &mut kmedian::Run::default())?;
    let rng = &mut seed.named("search").numbered(k as u64).generator();
    let search = LocalSearch { swap: SwapRule::Best, ..LocalSearch::default() };
    let end = search.run(problem, &start, rng, &mut kmedian::Run::default())?;
    Ok(Run { start, end, time: started.elapsed() })
}
