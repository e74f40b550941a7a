//! The options of `kmedian fit`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use kmedian::{Init, TreeKind, TreeSearch, choice};
use kmedian_data::ColumnRef;

use super::words::{by_default, words};
use super::{CentersOut, DemandArgs, GoalArgs, InputArgs, RunArgs, SearchArgs, Source};

const FIT_EXAMPLES: &str = "\
Examples:
  kmedian fit cities.csv -k 10 --columns lat,lon --id name --metric haversine
  kmedian fit images.npy -k 20 --metric l1 --labels labels.csv
  kmedian fit roads.gr --graph -k 50 --weights visits.csv --centers depots.parquet
  kmedian fit distances.csv --matrix -k 5 --json
  kmedian fit stops.csv --id stop --columns lat,lon --metric haversine -k 9 --clients rides.csv --snap lat,lon
  kmedian fit million.npy -k 1000 --effort balanced
  kmedian fit 'points/*.parquet' -k 1000 --memory 2GiB --labels labels.parquet   # larger than memory
  kmedian fit points.parquet -k 2..20        # every k from 2 to 20, one tree for all
  kmedian fit pmed1.txt --graph --restarts 20   # OR-Library files carry their own k
  kmedian fit pmed1.txt --graph --gap 0.1% --time-limit 60   # proven: no centers save 0.1 % of the cost
  kmedian fit homes.csv --sites lots.csv --fixed depots.txt -k 8
  kmedian fit roads.gr --graph --directed --candidates garages.txt -k 20
  kmedian fit costs.csv --rectangular -k 5   # a row for each client, a column for each site";

#[derive(ClapArgs)]
#[command(after_help = FIT_EXAMPLES, allow_negative_numbers = true)]
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Read the items in chunks that fit into --memory [default: 1 GiB], again and again, and never
    /// all at once; a folder and a pattern of files, such as 'points/*.parquet', always are
    #[arg(long)]
    pub(crate) chunked: bool,
    /// The places for centers, if the items are clients and no sites: a table of the same columns
    #[arg(long, value_name = "FILE", conflicts_with_all = ["graph", "matrix", "rectangular"])]
    pub(crate) sites: Option<PathBuf>,
    /// The column that names the sites [default: that of --id]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) site_id: Option<ColumnRef>,
    /// The file is a matrix of distances with a row for each client and a column for each site; it
    /// need not be a metric
    #[arg(long, conflicts_with_all = ["graph", "matrix", "metric"])]
    pub(crate) rectangular: bool,
    #[command(flatten)]
    pub(crate) demand: DemandArgs,
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
    /// Prove what no centers can beat, and so how near to the best possible the found ones are
    #[arg(long)]
    pub(crate) bound: bool,
    /// Improve centers and bound in turn until this gap is proven, such as 0.1% or 0.001
    #[arg(long, value_name = "SHARE", value_parser = kmedian::gap)]
    pub(crate) gap: Option<f64>,
    /// Where randomness begins: a seed gives the same centers, whatever the number of threads
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Write every item's center and distance to this file (.csv, .tsv, .parquet, .json)
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

impl FitArgs {
    pub(crate) fn source(&self) -> Source<'_> {
        let (goal, sites) = (Some(&self.goal), self.sites.as_deref());
        let (site_id, rectangular) = (self.site_id.as_ref(), self.rectangular);
        let rows = self.out.report.is_some();
        Source { goal, sites, site_id, rectangular, rows, ..self.input.source() }
    }
}
