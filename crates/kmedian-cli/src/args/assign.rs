//! The options of `kmedian assign`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use kmedian_data::ColumnRef;

use super::{Source, SpaceArgs};

const ASSIGN_EXAMPLES: &str = "\
Examples:
  kmedian fit stops.csv --id stop --columns lat,lon --metric haversine -k 9 --centers sites.csv
  kmedian assign sites.csv new.csv --columns lat,lon --metric haversine --labels labels.csv
  kmedian assign depots.csv roads.gr --graph --labels areas.parquet
  kmedian assign depots.csv roads.gr --graph --rows visits.csv --key node --labels visits.labels.csv
  kmedian assign sites.csv times.csv --matrix --id client --labels labels.csv
  kmedian assign digits.csv new.npy --fitted old.npy --labels labels.csv   # 784 coordinates
  kmedian assign medoids.csv new.csv --fitted old.csv --metric gower --labels labels.csv";

#[derive(ClapArgs)]
#[command(after_help = ASSIGN_EXAMPLES, allow_negative_numbers = true)]
pub(crate) struct AssignArgs {
    /// The centers: a table that --centers wrote (.csv, .tsv, .parquet, .json)
    pub(crate) file: PathBuf,
    /// What is assigned: a table of rows with the coordinates of the centers; with --graph the
    /// graph, whose nodes are assigned; with --matrix a table of distances, a row for each item and
    /// a column for each center, under its name
    pub(crate) items: PathBuf,
    #[command(flatten)]
    pub(crate) space: SpaceArgs,
    /// Another word for --matrix, as for fit: a row for each client, a column for each site
    #[arg(long, conflicts_with_all = ["graph", "matrix", "metric"])]
    pub(crate) rectangular: bool,
    /// The table that the centers came from, which has what the table of centers has not: texts,
    /// sets, sparse rows, mixed columns, and items of more than 16 coordinates
    #[arg(long, value_name = "FILE", conflicts_with_all = ["graph", "matrix", "rectangular"])]
    pub(crate) fitted: Option<PathBuf>,
    /// Which of the centers, if the file has those of several k
    #[arg(short, value_name = "K")]
    pub(crate) k: Option<usize>,
    /// Assign the rows of this table, which name nodes of the graph, instead of all nodes
    #[arg(long, value_name = "FILE")]
    pub(crate) rows: Option<PathBuf>,
    /// The column of --rows that names the node [default: the only one]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) key: Option<ColumnRef>,
    /// Write the center and the distance of every row to this file (.csv, .tsv, .parquet, .json)
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: PathBuf,
}

impl AssignArgs {
    pub(crate) fn source(&self) -> Source<'_> {
        let (path, how) = (self.items.as_path(), &self.space);
        Source {
            path,
            how,
            weights: None,
            goal: None,
            sites: None,
            site_id: None,
            rectangular: false,
            rows: false,
        }
    }
}
