use std::fmt;
use std::time::Duration;

use crate::{Assignment, Tactics};

/// Centers, how they were found, and why the search for better ones ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Clustering {
    /// The centers: distinct items.
    pub centers: Vec<usize>,
    /// Every item, with or without demand, with its nearest center.
    pub assignment: Assignment,
    /// The cost of the centers.
    pub cost: f64,
    /// The cost of the initial centers.
    pub init_cost: f64,
    /// How many swaps led from the initial to the final centers.
    pub swaps: usize,
    /// How many swaps were tried: candidates judged against the then current centers, each with the
    /// best center to leave for it.
    pub judged: usize,
    /// How often that is all candidates, rounded up.
    pub passes: usize,
    /// How many further runs there were from perturbed centers; the counts above include them.
    pub restarts: usize,
    /// Why the search ended.
    pub stop: Stop,
    /// Which way the data took.
    pub tactics: Tactics,
    /// How long it took.
    pub times: Times,
}

/// How long the parts of the work took.
#[derive(Debug, Clone, Copy, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Times {
    /// Building the tree, which serves every k.
    pub tree: Duration,
    /// Choosing the initial centers.
    pub init: Duration,
    /// Local search, with all restarts.
    pub search: Duration,
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Stop {
    /// Every candidate was judged against the final centers, and none improves them.
    LocalOptimum,
    /// Every candidate was judged against the final centers, and none improves them by the share α/k
    /// that was asked for.
    AlphaOptimum,
    /// The last pass judged its candidates once, as the effort allows.
    OnePass,
    /// All passes were on samples of the demand, as the effort allows.
    Sampled,
    /// The limit on swaps was reached.
    MaxSwaps,
    /// The limit on time was reached.
    TimeLimit,
    /// The observer asked to stop.
    Cancelled,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stop::LocalOptimum => "local-optimum",
            Stop::AlphaOptimum => "alpha-optimum",
            Stop::OnePass => "one-pass",
            Stop::Sampled => "sampled",
            Stop::MaxSwaps => "max-swaps",
            Stop::TimeLimit => "time-limit",
            Stop::Cancelled => "cancelled",
        })
    }
}
