//! What `kmedian fit` is told.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

use super::{CentersOut, GoalArgs, InputArgs, RunArgs, SearchArgs};

const FIT_EXAMPLES: &str = "\
Examples:
  kmedian fit cities.csv -k 10 --columns lat,lon --id name --metric haversine
  kmedian fit images.npy -k 20 --metric l1 --labels labels.csv
  kmedian fit roads.gr --graph -k 50 --weights visits.csv --centers depots.parquet
  kmedian fit distances.csv --matrix -k 5 --json
  kmedian fit million.npy -k 1000 --effort balanced
  kmedian fit points.parquet -k 2..20        # every k from 2 to 20, one tree for all
  kmedian fit pmed1.txt --graph --restarts 20   # OR-Library files carry their own k";

#[derive(ClapArgs)]
#[command(after_help = FIT_EXAMPLES, allow_negative_numbers = true)]
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) out: CentersOut,
    #[command(flatten)]
    pub(crate) goal: GoalArgs,
    /// Where the search begins
    #[arg(long, value_enum, default_value_t = InitArg::Auto)]
    pub(crate) init: InitArg,
    /// The tree for --init hst [default: fitted]
    #[arg(long, value_enum)]
    pub(crate) tree: Option<TreeArg>,
    /// The levels of that tree [default: fitted 3, ball 6, grid 10; frt finds its own]
    #[arg(long)]
    pub(crate) levels: Option<usize>,
    /// How centers are found on that tree [default: exact]
    #[arg(long, value_enum)]
    pub(crate) search: Option<SearchArg>,
    #[command(flatten)]
    pub(crate) local: SearchArgs,
    /// Where randomness begins: a seed gives the same centers, whatever the number of threads
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Write every item's center and distance to this file (.csv, .tsv, .parquet, .json)
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum InitArg {
    /// hst; greedy for a matrix, whose distances are at hand
    Auto,
    /// The best centers on a tree of cells
    Hst,
    /// k-median++, the best of a few candidates for each center
    Greedy,
    /// k-median++
    Plusplus,
    /// Any items
    Random,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum TreeArg {
    /// Cells fitted to the items
    Fitted,
    /// The paper's balls of halved radius
    Ball,
    /// Random order, random radius
    Frt,
    /// A shifted grid, for vectors
    Grid,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum SearchArg {
    /// The best centers in the tree metric
    Exact,
    /// The paper's scores
    Paper,
}
