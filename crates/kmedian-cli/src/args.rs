//! The command line as it is typed. What it means is decided where it is used.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use kmedian::Metric;
use kmedian_data::{ColumnRef, GraphFormat, Header, TableFormat};
use kmedian_ledger::Amount;

/// Pick k representatives out of a known set of items, under any metric.
#[derive(Parser)]
#[command(name = "kmedian", version, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Find k centers among the items of a file
    Fit(FitArgs),
    /// Say what a file holds: items, columns, extent, components
    Info(InfoArgs),
    /// Keep the books of privacy budgets: what was spent of a dataset, and what is left
    Ledger(LedgerArgs),
    /// Site depots in a made-up city, and draw the map
    Demo(DemoArgs),
}

const FIT_EXAMPLES: &str = "\
Examples:
  kmedian fit cities.csv -k 10 --columns lat,lon --id name --metric haversine
  kmedian fit images.npy -k 20 --metric l1 --labels labels.csv
  kmedian fit roads.gr --graph -k 50 --weights visits.csv --centers depots.parquet
  kmedian fit distances.csv --matrix -k 5 --json
  kmedian fit million.npy -k 1000 --effort balanced
  kmedian fit points.parquet -k 2..20        # every k from 2 to 20, one tree for all
  kmedian fit pmed1.txt --graph --restarts 20   # OR-Library files carry their own k";

/// Where the items come from, and how far they are apart.
#[derive(ClapArgs)]
pub(crate) struct InputArgs {
    /// The items: CSV, TSV, text, Parquet, .npy, IDX; with --graph an edge list, DIMACS or OR-Library
    /// file; each may be gzipped
    pub(crate) input: PathBuf,
    /// The file is a graph: items are its nodes, distances are shortest paths
    #[arg(long, conflicts_with = "matrix")]
    pub(crate) graph: bool,
    /// The file is a square matrix of distances
    #[arg(long)]
    pub(crate) matrix: bool,
    /// How far two vectors are apart: l1, l2, linf, angular (share of a half turn), haversine
    /// (kilometres between latitude, longitude in degrees) or hamming (coordinates that differ)
    #[arg(long, default_value = "l2", conflicts_with_all = ["graph", "matrix"])]
    pub(crate) metric: Metric,
    /// The columns to use, by name or 0-based position [default: all that are not --id or --weights]
    #[arg(long, value_delimiter = ',', conflicts_with = "graph")]
    pub(crate) columns: Option<Vec<ColumnRef>>,
    /// The column that names the items
    #[arg(long, conflicts_with = "graph")]
    pub(crate) id: Option<ColumnRef>,
    /// How much each item counts: a file with one number an item, or a column of the input
    #[arg(long, value_name = "FILE|COLUMN")]
    pub(crate) weights: Option<String>,
    /// Whether the first line names the columns
    #[arg(long, default_value = "auto", value_name = "auto|yes|no")]
    pub(crate) header: Header,
    /// The input's format, if its name and content do not tell: csv, tsv, text, parquet, npy, idx; for
    /// graphs edge-list, dimacs, or-library
    #[arg(long)]
    pub(crate) format: Option<String>,
    /// Take the largest connected component of a graph that falls apart
    #[arg(long)]
    pub(crate) largest_component: bool,
}

impl InputArgs {
    /// The format of a table, if one was given.
    pub(crate) fn table_format(&self) -> Result<Option<TableFormat>, String> {
        self.format.as_deref().map(TableFormat::from_str).transpose()
    }

    /// The format of a graph, if one was given.
    pub(crate) fn graph_format(&self) -> Result<Option<GraphFormat>, String> {
        self.format.as_deref().map(GraphFormat::from_str).transpose()
    }
}

#[derive(ClapArgs)]
#[command(after_help = FIT_EXAMPLES, allow_negative_numbers = true)]
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// How many centers: a number, a list (2,5,10), a range (2..20, both ends included)
    #[arg(short, value_name = "K")]
    pub(crate) k: Option<Ks>,
    /// What is summed over the items: the distance to the nearest center, or its square
    #[arg(long, value_enum, default_value_t = ObjectiveArg::Median)]
    pub(crate) objective: ObjectiveArg,
    /// Where the search begins
    #[arg(long, value_enum, default_value_t = InitArg::Hst)]
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
    /// Take improving swaps as they are found, or always the best of all
    #[arg(long, value_enum, default_value_t = SwapArg::Eager)]
    pub(crate) swap: SwapArg,
    /// How long eager swaps go on: with much demand, first on a sample of it; then not at all (fast), once
    /// round all items (balanced), or until no swap improves the centers (certified)
    #[arg(long, value_enum, default_value_t = EffortArg::Certified)]
    pub(crate) effort: EffortArg,
    /// A swap must lower the cost by more than this share of it, divided by k
    #[arg(long, default_value_t = 0.0)]
    pub(crate) alpha: f64,
    /// Stop after this many swaps; 0 keeps the initial centers
    #[arg(long)]
    pub(crate) max_swaps: Option<usize>,
    /// Stop after this many seconds of local search, for each k; the tree is not counted
    #[arg(long, value_name = "SECONDS")]
    pub(crate) time_limit: Option<f64>,
    /// Search again this often from perturbed centers, and keep the best
    #[arg(long, default_value_t = 0)]
    pub(crate) restarts: usize,
    /// The same seed gives the same centers, whatever the number of threads
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// How many threads to use [default: all cores]
    #[arg(long)]
    pub(crate) threads: Option<usize>,
    /// Write the centers to this file (.csv, .tsv, .parquet, .json)
    #[arg(long, value_name = "FILE")]
    pub(crate) centers: Option<PathBuf>,
    /// Write every item's center and distance to this file (.csv, .tsv, .parquet, .json)
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
pub(crate) struct InfoArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Print JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

const LEDGER_EXAMPLES: &str = "\
Examples:
  kmedian ledger create ledger.db --dataset visits-2026 --budget 2
  kmedian ledger list ledger.db
  kmedian ledger show ledger.db --dataset visits-2026 --json

A budget is set once and never raised. What a run has reserved stays spent, whatever became of the run.";

#[derive(ClapArgs)]
#[command(after_help = LEDGER_EXAMPLES, arg_required_else_help = false)]
pub(crate) struct LedgerArgs {
    #[command(subcommand)]
    pub(crate) command: LedgerCommand,
}

#[derive(Subcommand)]
pub(crate) enum LedgerCommand {
    /// Add a dataset with its budget; creates the ledger if there is none
    Create {
        #[command(flatten)]
        file: LedgerFile,
        /// The name of the dataset
        #[arg(long, value_name = "NAME", value_parser = kmedian_ledger::check_name)]
        dataset: String,
        /// How much epsilon all private runs on it may spend together, for example 1 or 0.5
        #[arg(long, value_name = "E", value_parser = Amount::to_allow, allow_hyphen_values = true)]
        budget: Amount,
    },
    /// List the datasets: budget, spent, left
    List {
        #[command(flatten)]
        file: LedgerFile,
    },
    /// Show what was spent of a dataset, run by run
    Show {
        #[command(flatten)]
        file: LedgerFile,
        /// The name of the dataset
        #[arg(long, value_name = "NAME")]
        dataset: String,
    },
}

/// The ledger, and how to print what is in it.
#[derive(ClapArgs)]
pub(crate) struct LedgerFile {
    /// The ledger: an SQLite file
    #[arg(value_name = "FILE")]
    pub(crate) path: PathBuf,
    /// Print JSON instead of a table; amounts are text, as they are exact
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(ClapArgs)]
pub(crate) struct DemoArgs {
    /// The city's seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// How many depots to site
    #[arg(short, default_value_t = 12)]
    pub(crate) k: usize,
    /// Where to write the map
    #[arg(long, default_value = "demo.html", value_name = "FILE")]
    pub(crate) page: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum ObjectiveArg {
    Median,
    Means,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum InitArg {
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

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum SwapArg {
    Eager,
    Best,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EffortArg {
    Fast,
    Balanced,
    Certified,
}

/// A longer range of k is a slip of the finger, and must not fill the memory.
const MOST_KS: usize = 100_000;

/// The numbers of centers that were asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ks(pub(crate) Vec<usize>);

impl FromStr for Ks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| {
            text.trim()
                .parse::<usize>()
                .map_err(|_| format!("`{text}` is not a whole number; try 10, 2,5,10 or 2..20"))
        };
        let mut ks = Vec::new();
        for part in text.split(',') {
            match part.split_once("..") {
                None => ks.push(number(part)?),
                Some((first, last)) => {
                    let (first, last) = (number(first)?, number(last.trim_start_matches('='))?);
                    if first > last {
                        return Err(format!(
                            "the range {part} is empty; the smaller number comes first"
                        ));
                    }
                    if last - first >= MOST_KS {
                        return Err(format!(
                            "the range {part} is too long; at most {MOST_KS} numbers at once"
                        ));
                    }
                    ks.extend(first..=last);
                }
            }
        }
        Ok(Self(ks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn ks_are_numbers_lists_and_ranges() {
        let ks = |text: &str| text.parse::<Ks>().map(|ks| ks.0);
        assert_eq!(ks("7"), Ok(vec![7]));
        assert_eq!(ks("2,5, 10"), Ok(vec![2, 5, 10]));
        assert_eq!(ks("2..4,9"), Ok(vec![2, 3, 4, 9]));
        assert_eq!(ks("2..=3"), Ok(vec![2, 3]));
        assert!(ks("").is_err());
        assert!(ks("five").is_err());
        assert!(ks("9..2").is_err());
        assert!(ks("0..18446744073709551615").is_err());
    }
}
