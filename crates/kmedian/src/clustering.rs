use std::fmt;
use std::time::Duration;

use crate::run::Cancelled;
use crate::{Assignment, Tactics};

/// Centers, how they were found, and why the search for better ones ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Clustering {
    /// The centers, which are distinct items; labels are positions in this list.
    pub centers: Vec<usize>,
    /// For every item, with or without demand, its nearest center and the distance to it.
    pub assignment: Assignment,
    /// The cost of the centers: the sum over all items of their weight times what the distance to
    /// the nearest center costs.
    pub cost: f64,
    /// How clearly the centers are told apart ([`medoid_silhouette`](crate::medoid_silhouette)),
    /// from 0 to 1; `None` with less than two centers or without demand.
    pub silhouette: Option<f64>,
    /// The silhouette by the squares of distances, which is that of a dissimilarity that is a
    /// square ([`Dissimilarity::restate`](crate::Dissimilarity::restate)).
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) squared_silhouette: Option<f64>,
    /// What no centers cost less than, where that was asked for
    /// ([`KMedian::proof`](crate::KMedian::proof)); at most `cost`. See
    /// [`LowerBound`](crate::LowerBound) for what it means.
    pub bound: Option<f64>,
    /// The cost of the initial centers, in the unit of `cost`.
    pub init_cost: f64,
    /// How many swaps led from the initial to the final centers.
    pub swaps: usize,
    /// How many swaps were tried: candidates judged against the then current centers, each with the
    /// best center to leave for it.
    pub judged: usize,
    /// The number of judged candidates (`judged`) divided by the number of items that may be
    /// centers, rounded up: how many rounds over all candidates the work amounts to.
    pub passes: usize,
    /// How many further searches there were from perturbed centers; `swaps`, `judged` and `passes`
    /// count theirs too.
    pub restarts: usize,
    /// Why the search ended.
    pub stop: Stop,
    /// Where [`Effort::Auto`](crate::Effort::Auto) did without a local optimum: how long the rest
    /// of the search is predicted to take with [`Effort::Certified`](crate::Effort::Certified), on
    /// one thread. `None` otherwise.
    pub certifying: Option<Duration>,
    /// How distances were obtained and candidates skipped: for diagnosis, as no guarantee depends
    /// on it.
    pub tactics: Tactics,
    /// How long the tree, the initial centers and the local search took.
    pub times: Times,
}

impl Clustering {
    /// The share of the cost by which it exceeds the bound at most: no centers cost less than
    /// `cost · (1 − gap)`. `None` without a bound.
    pub fn gap(&self) -> Option<f64> {
        let bound = self.bound?;
        Some(if self.cost > bound { (self.cost - bound) / self.cost } else { 0.0 })
    }

    /// The share of the best possible cost by which the cost exceeds it at most: a little more than
    /// the [gap](Clustering::gap), which is a share of the cost itself. Infinite if the bound is
    /// zero and the cost is not; `None` without a bound.
    pub fn excess(&self) -> Option<f64> {
        let bound = self.bound?;
        Some(if self.cost > bound { (self.cost - bound) / bound } else { 0.0 })
    }
}

/// How long the parts of a clustering took.
#[derive(Debug, Clone, Copy, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Times {
    /// How long preparing took, most of which is building the tree; it serves every k.
    pub tree: Duration,
    /// How long choosing the initial centers took.
    pub init: Duration,
    /// How long local search took, with all restarts.
    pub search: Duration,
    /// How long finding a lower bound of the cost took, with the search for better centers that
    /// goes with it; zero if no [`proof`](crate::KMedian::proof) was asked for.
    pub bound: Duration,
}

/// Why a local search ended. An end before a local optimum is a result, not an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Stop {
    /// Every candidate was judged against the final centers, and none improves them.
    LocalOptimum,
    /// Every candidate was judged against the final centers, and none improves them by the share
    /// α/k that was asked for.
    AlphaOptimum,
    /// The [`Effort`](crate::Effort) asked for no more: on all of the demand, candidates were
    /// judged in a single pass (after samples, only those nearest to their centers), not until none
    /// improves the centers.
    OnePass,
    /// The effort is [`Fast`](crate::Effort::Fast): swaps were judged on samples of the demand
    /// only.
    Sampled,
    /// The centers are proven to cost at most the share more than the best possible that was asked
    /// for ([`Proof::Gap`](crate::Proof::Gap)).
    GapReached,
    /// The centers are proven to be the best possible: none cost less by more than a billionth.
    Optimal,
    /// [`LocalSearch::max_swaps`](crate::LocalSearch::max_swaps) was reached.
    MaxSwaps,
    /// [`LocalSearch::time_limit`](crate::LocalSearch::time_limit) was reached.
    TimeLimit,
    /// The run was ended early, by its [`Observer`](crate::Observer) or its [`Halt`](crate::Halt).
    Cancelled,
}

impl Stop {
    /// Whether a limit or the end of the run ended the search before it was done.
    pub(crate) fn is_cut_short(self) -> bool {
        matches!(self, Stop::MaxSwaps | Stop::TimeLimit | Stop::Cancelled)
    }
}

impl From<Cancelled> for Stop {
    fn from(_: Cancelled) -> Self {
        Stop::Cancelled
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stop::LocalOptimum => "local-optimum",
            Stop::AlphaOptimum => "alpha-optimum",
            Stop::OnePass => "one-pass",
            Stop::Sampled => "sampled",
            Stop::GapReached => "gap-reached",
            Stop::Optimal => "optimal",
            Stop::MaxSwaps => "max-swaps",
            Stop::TimeLimit => "time-limit",
            Stop::Cancelled => "cancelled",
        })
    }
}
