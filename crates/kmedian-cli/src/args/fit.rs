//! The options of `kmedian fit`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use kmedian::{Init, TreeKind, TreeSearch, choice};

use super::words::{by_default, words};
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
    #[arg(long, help = choice::INIT.help, value_parser = words(&choice::INIT), default_value_t)]
    pub(crate) init: Init,
    #[arg(long, help = by_default(&choice::TREE), value_parser = words(&choice::TREE))]
    pub(crate) tree: Option<TreeKind>,
    /// The levels of that tree, instead of its own
    #[arg(long)]
    pub(crate) levels: Option<usize>,
    #[arg(long, help = by_default(&choice::SEARCH), value_parser = words(&choice::SEARCH))]
    pub(crate) search: Option<TreeSearch>,
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
