use std::ops::ControlFlow;

/// A step of the work, as an observer sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Step {
    /// A level of the tree is done; it has this many cells.
    TreeLevel {
        /// The level, counted from the root down.
        depth: usize,
        /// How many cells it has.
        cells: usize,
    },
    /// Items of an FRT tree were ranked.
    Ranked {
        /// How many are.
        items: usize,
        /// How many will be.
        of: usize,
    },
    /// An initial center was chosen.
    Seeded {
        /// How many there are.
        centers: usize,
        /// How many there will be.
        of: usize,
    },
    /// Local search begins.
    SearchStarted {
        /// The cost of the initial centers.
        cost: f64,
    },
    /// Candidates were judged.
    Judged {
        /// How many in a row did not improve the current centers.
        settled: usize,
        /// How many there are: when all are settled, the centers are a local optimum.
        of: usize,
        /// The cost of the current centers.
        cost: f64,
        /// The swaps so far.
        swaps: usize,
    },
    /// A private search selected a swap.
    Selected {
        /// The swaps so far.
        swaps: usize,
        /// How many there will be.
        of: usize,
    },
    /// A plan simulates a run.
    Simulated {
        /// Where the made-up demand is.
        scenario: &'static str,
        /// The runs that are done.
        runs: usize,
        /// How many there will be.
        of: usize,
    },
    /// A run from perturbed centers ended.
    Restarted {
        /// How many such runs there have been.
        restarts: usize,
        /// The best cost of all runs.
        best: f64,
    },
}

/// Sees every [`Step`] and may end the work by returning [`ControlFlow::Break`]: what has been found so
/// far is then the result. Any function of a step is one.
pub trait Observer {
    /// Called after every step.
    fn step(&mut self, step: &Step) -> ControlFlow<()>;
}

impl<F: FnMut(&Step) -> ControlFlow<()>> Observer for F {
    fn step(&mut self, step: &Step) -> ControlFlow<()> {
        self(step)
    }
}

/// An observer that looks away.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {
    fn step(&mut self, _: &Step) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
