//! Options that several commands have, declared once: what is asked for, what is private, how it is run.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use kmedian::Objective;
use kmedian::privacy::{Neighbours, Split};

use super::Ks;

/// What centers are good for.
#[derive(ClapArgs)]
pub(crate) struct GoalArgs {
    /// What is summed over the demand: the distance to the nearest center, or its square
    #[arg(long, value_enum, default_value_t = ObjectiveArg::Median)]
    objective: ObjectiveArg,
}

impl GoalArgs {
    pub(crate) fn objective(&self) -> Objective {
        match self.objective {
            ObjectiveArg::Median => Objective::Median,
            ObjectiveArg::Means => Objective::Means,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum ObjectiveArg {
    Median,
    Means,
}

/// How many centers to find, and where to write them.
#[derive(ClapArgs)]
pub(crate) struct CentersOut {
    /// How many centers: a number, a list (2,5,10), a range (2..20, both ends included)
    #[arg(short, value_name = "K")]
    pub(crate) k: Option<Ks>,
    /// Write the centers to this file (.csv, .tsv, .parquet, .json)
    #[arg(long, value_name = "FILE")]
    pub(crate) centers: Option<PathBuf>,
}

/// What a private run protects and how it spends ε, beside what ε is.
#[derive(ClapArgs)]
pub(crate) struct NoiseArgs {
    /// Which tables must look alike: that differ by one record or unit more, or by one instead of another, for
    /// twice the noise
    #[arg(long, default_value_t, value_name = "add-remove|replace-one")]
    pub(crate) neighbours: Neighbours,
    /// How epsilon is split over the levels of the tree: auto, paper, uniform, cube-root
    #[arg(long, default_value_t = Split::Auto)]
    pub(crate) split: Split,
}

/// How a command runs, and how it prints.
#[derive(ClapArgs)]
pub(crate) struct RunArgs {
    /// How many threads to use [default: all cores]
    #[arg(long)]
    pub(crate) threads: Option<usize>,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}
