//! One run of the work: who watches it, and who may end it.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::{Error, ErrorKind};

/// One run of the work: an [`Observer`] that sees its steps, and a [`Halt`] that ends it from
/// another thread. Everything that may take long is given one.
///
/// The default has no observer, and a halt of its own that is never set. Limits on swaps and time
/// are not part of a run but of what is asked for: see [`LocalSearch`](crate::LocalSearch).
///
/// ```
/// use std::ops::ControlFlow;
/// use kmedian::{Halt, KMedian, Metric, Problem, Run, Step, Stop, Vectors};
///
/// let places = Vectors::new(1, &[0.0, 1.0, 2.0, 10.0, 11.0, 12.0], Metric::L1)?;
/// let problem = Problem::of(&places).build()?;
/// let mut steps = 0;
/// let mut count = |_: &Step| {
///     steps += 1;
///     ControlFlow::Continue(())
/// };
/// // Any thread that has a clone of this may end the run.
/// let halt = Halt::default();
/// let mut run = Run::observed_by(&mut count).halted_by(&halt);
///
/// let found = KMedian::default().prepare(&problem, &mut run)?.fit(2, &mut run)?;
/// assert_eq!(found.stop, Stop::LocalOptimum);
/// assert!(steps > 0);
/// # Ok::<(), kmedian::Error>(())
/// ```
#[derive(Default)]
pub struct Run<'a> {
    observer: Option<&'a mut dyn Observer>,
    halt: Halt,
}

impl<'a> Run<'a> {
    /// A run whose steps are seen by an observer.
    pub fn observed_by(observer: &'a mut dyn Observer) -> Self {
        Self { observer: Some(observer), halt: Halt::default() }
    }

    /// This run, which ends soon after [`Halt::stop`] is called on the halt or a clone of it.
    #[must_use]
    pub fn halted_by(self, halt: &Halt) -> Self {
        Self { halt: halt.clone(), ..self }
    }

    /// The flag that ends this run from another thread.
    pub fn halt(&self) -> &Halt {
        &self.halt
    }

    /// A run for a part of this one that ends at the deadline, too.
    pub(crate) fn until(&mut self, deadline: Option<Instant>) -> Run<'_> {
        let observer = self.observer.as_mut().map(|observer| &mut **observer as &mut dyn Observer);
        Run { observer, halt: self.halt.until(deadline) }
    }

    /// A run for a part of this one whose steps no observer sees. The halt of this run ends it,
    /// too.
    #[cfg(feature = "privacy")]
    pub(crate) fn unobserved(&self) -> Run<'static> {
        Run::default().halted_by(&self.halt)
    }

    /// Tells the observer of a step. Returns an error if the observer or the halt asks the work to
    /// end.
    pub(crate) fn step(&mut self, step: &Step) -> Result<(), Cancelled> {
        let observed = self.observer.as_mut().map_or(ControlFlow::Continue(()), |o| o.step(step));
        if observed.is_break() || self.halt.is_stopped() { Err(Cancelled) } else { Ok(()) }
    }
}

impl fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let observed = self.observer.is_some();
        f.debug_struct("Run").field("observed", &observed).field("halt", &self.halt).finish()
    }
}

/// The error that says that the work was asked to end, by its observer or by its halt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cancelled;

impl From<Cancelled> for Error {
    fn from(_: Cancelled) -> Self {
        Error::new(ErrorKind::Cancelled, "stopped before there was a result")
    }
}

/// Ends a [`Run`] from another thread, in the middle of a step.
///
/// An [`Observer`] is asked after every step, and some steps are long: they prepare a search of
/// millions of distances. After [`Halt::stop`] nothing more is prepared or judged, and what has
/// been found so far is the result; before there are initial centers, the result is an error of the
/// kind [`ErrorKind::Cancelled`]. No distance is ever wrong because of it.
#[derive(Debug, Clone, Default)]
pub struct Halt {
    stopped: Arc<AtomicBool>,
    /// When the work ends even if nobody stops it: the deadline of a time limit.
    deadline: Option<Instant>,
}

impl Halt {
    /// Asks every run that was given this halt, or a clone of it, to end.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether [`Halt::stop`] was called on this halt or a clone of it.
    pub fn is_stopped(&self) -> bool {
        let late = |deadline| Instant::now() >= deadline;
        self.stopped.load(Ordering::Relaxed) || self.deadline.is_some_and(late)
    }

    /// This halt, which also counts as stopped from the deadline on.
    pub(crate) fn until(&self, deadline: Option<Instant>) -> Self {
        let deadlines = self.deadline.into_iter().chain(deadline);
        Self { stopped: self.stopped.clone(), deadline: deadlines.min() }
    }

    /// Returns an error if the work is to end. What was made by parts that look at the halt may
    /// then be incomplete, and must not be used.
    pub(crate) fn check(&self) -> Result<(), Cancelled> {
        if self.is_stopped() { Err(Cancelled) } else { Ok(()) }
    }
}

/// A step of the work, as an observer sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Step {
    /// A level of the tree is done; it has this many cells.
    TreeLevel {
        /// The level, counted from the root down.
        depth: usize,
        /// How many cells the level has.
        cells: usize,
    },
    /// A tree of the kind [`Frt`](crate::TreeKind::Frt), which goes through the items in random
    /// order, has gone through some more.
    Ranked {
        /// How many items it has gone through so far.
        items: usize,
        /// How many items there are.
        of: usize,
    },
    /// An initial center was chosen.
    Seeded {
        /// How many initial centers have been chosen so far.
        centers: usize,
        /// How many initial centers will be chosen: k.
        of: usize,
    },
    /// Local search begins.
    SearchStarted {
        /// The cost of the initial centers.
        cost: f64,
    },
    /// Lower bounds of all distances, by which candidates are judged, are about to be computed.
    Preparing {
        /// The cost of the current centers.
        cost: f64,
        /// How many swaps this search has done.
        swaps: usize,
        /// How long it is predicted to take with the threads at hand.
        time: Duration,
    },
    /// A batch of candidates is about to be judged.
    Judged {
        /// How many candidates have not improved the centers since the last swap. While all centers
        /// are moved within their clusters, the number of the round.
        settled: usize,
        /// The number of items; while centers are moved within their clusters, the most rounds. In
        /// a certified search on all of the demand, centers are a local optimum once all items are
        /// settled.
        of: usize,
        /// The cost of the current centers.
        cost: f64,
        /// How many swaps this search has done.
        swaps: usize,
    },
    /// A lower bound of the cost was computed once more: the prices that prove it (see
    /// [`LowerBound`](crate::LowerBound)) were moved.
    Bounded {
        /// How many passes over sites there were; zero while sites are opened and closed case by
        /// case.
        passes: usize,
        /// What no centers cost less than.
        bound: f64,
        /// The cost of the best centers found so far.
        cost: f64,
    },
    /// A private search selected a swap.
    Selected {
        /// How many swaps have been selected so far.
        swaps: usize,
        /// How many swaps will be selected.
        of: usize,
    },
    /// A plan simulates a run.
    Simulated {
        /// The name of the scenario that places the made-up demand.
        scenario: &'static str,
        /// How many simulated runs are done, in all scenarios.
        runs: usize,
        /// How many simulated runs there will be, in all scenarios.
        of: usize,
    },
    /// Of more items than memory holds, a chunk was gone over.
    Chunk {
        /// The number of the round, from 1; 0 while weighted items are found that stand for all.
        round: usize,
        /// How many items this pass has gone over.
        items: u64,
        /// How many items there are.
        of: u64,
    },
    /// Centers were measured on all items, of which there are more than memory holds.
    Round {
        /// The number of the round, from 0.
        round: usize,
        /// The lowest cost of centers measured so far.
        cost: f64,
    },
    /// A further search, from perturbed centers, ended.
    Restarted {
        /// How many searches from perturbed centers have ended so far.
        restarts: usize,
        /// The lowest cost of centers found so far.
        best: f64,
    },
}

/// Sees every [`Step`] and may end the work by returning [`ControlFlow::Break`]: what has been
/// found so far is then the result, or an error if there are no initial centers yet. Any function
/// of a step is an observer.
pub trait Observer {
    /// Called at every step of the work; [`ControlFlow::Break`] ends it.
    fn step(&mut self, step: &Step) -> ControlFlow<()>;
}

impl<F: FnMut(&Step) -> ControlFlow<()>> Observer for F {
    fn step(&mut self, step: &Step) -> ControlFlow<()> {
        self(step)
    }
}
