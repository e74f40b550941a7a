//! Options that all commands share: how the items of a file are read, and which metric they have.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args as ClapArgs;
use clap::builder::NonEmptyStringValueParser;
use kmedian::{Dissimilarity, Metric, choice};
use kmedian_data::{ColumnRef, GraphFormat, Header, Nodes, SparseFormat, TableFormat};

use super::GoalArgs;
use super::words::words;

/// How the items are read, and how far they are apart.
#[derive(ClapArgs)]
pub(crate) struct SpaceArgs {
    /// The file is a graph: items are its nodes, distances are shortest paths
    #[arg(long, conflicts_with = "matrix")]
    pub(crate) graph: bool,
    /// The file is a square matrix of distances
    #[arg(long)]
    pub(crate) matrix: bool,
    #[arg(
        long,
        help = choice::DISSIMILARITY.help,
        value_parser = words(&choice::DISSIMILARITY),
        default_value_t = Dissimilarity::L2,
        conflicts_with_all = ["graph", "matrix"]
    )]
    pub(crate) metric: Dissimilarity,
    /// The columns to use, by name or 0-based position; 0..9 are ten positions [default: all
    /// columns of numbers that have no other part; under gower all columns]
    #[arg(long, conflicts_with = "graph")]
    pub(crate) columns: Option<Columns>,
    /// With --metric jaccard: what separates the elements of a set in a column of text
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) separator: Option<String>,
    /// With --metric gower: columns that hold categories, though they look like numbers
    #[arg(long, value_name = "COLUMNS")]
    pub(crate) categories: Option<Columns>,
    /// The column that names the items
    #[arg(long, conflicts_with = "graph")]
    pub(crate) id: Option<ColumnRef>,
    /// Whether the first line names the columns
    #[arg(long, default_value = "auto", value_name = "auto|yes|no")]
    pub(crate) header: Header,
    /// The format of the items, if name and content do not tell: csv, tsv, text, parquet, npy, idx;
    /// npz and svmlight for sparse rows; for graphs edge-list, dimacs, or-library
    #[arg(long)]
    pub(crate) format: Option<String>,
    /// Take the largest connected component of a graph that falls apart; with --directed the
    /// largest strongly connected one
    #[arg(long)]
    pub(crate) largest_component: bool,
    /// Every line of the graph is open one way only, from its first node to its second; distances
    /// are those of the way from the center to the item
    #[arg(long)]
    pub(crate) directed: bool,
    /// With --directed: distances are those of the way from the item to the center
    #[arg(long)]
    pub(crate) towards: bool,
    /// What the nodes of an edge list are called: numbers that count from 0 or from 1, or names
    /// [default: 0; names, if they are no numbers, or so large that there would be millions of
    /// nodes, most of which have no edge]
    #[arg(long, value_name = "0|1|names", value_parser = Nodes::from_str)]
    pub(crate) nodes_from: Option<Nodes>,
    /// Leave out rows with gaps: empty cells, NA, null, NaN in a column that is used
    #[arg(long)]
    pub(crate) skip_missing: bool,
    /// Columns of the items, whatever they hold, to be written with centers and labels
    #[arg(long, value_name = "COLUMNS", conflicts_with = "graph")]
    pub(crate) keep_columns: Option<Columns>,
    /// Where the nodes of a graph or the items of a matrix are: a table with a row of coordinates
    /// for each. With --positions-id rows are in any order; without, it has the coordinates alone,
    /// in the order of the nodes: by their numbers or, of names, as these first occur in the graph
    #[arg(long, value_name = "FILE")]
    pub(crate) positions: Option<PathBuf>,
    /// The column of --positions that names the node or the item
    #[arg(long, value_name = "COLUMN")]
    pub(crate) positions_id: Option<ColumnRef>,
    /// The metric of --positions [default: haversine if its columns are called latitude and
    /// longitude, else l2]
    #[arg(
        long,
        value_name = "METRIC",
        value_parser = words(&choice::METRIC),
        hide_possible_values = true
    )]
    pub(crate) positions_metric: Option<Metric>,
}

impl SpaceArgs {
    /// The format of a table, if one was given.
    pub(crate) fn table_format(&self) -> Result<Option<TableFormat>, String> {
        self.format.as_deref().map(TableFormat::from_str).transpose()
    }

    /// Whether the file is a square matrix of distances.
    pub(crate) fn is_matrix(&self) -> bool {
        self.matrix || self.metric == Dissimilarity::Precomputed
    }

    /// The metric that rows of numbers are searched under. Other items have none, so that it does
    /// not matter.
    pub(crate) fn vector_metric(&self) -> Metric {
        self.metric.of_vectors().unwrap_or(Metric::L2)
    }

    /// The format of sparse rows, if the file holds such, as --format or its name says.
    pub(crate) fn sparse_format(&self, path: &Path) -> Option<SparseFormat> {
        if self.graph || self.is_matrix() {
            return None;
        }
        match self.format.as_deref() {
            Some(format) => format.parse().ok(),
            None => SparseFormat::of(path),
        }
    }

    /// The format of a graph, if one was given.
    pub(crate) fn graph_format(&self) -> Result<Option<GraphFormat>, String> {
        self.format.as_deref().map(GraphFormat::from_str).transpose()
    }
}

/// Columns as they are typed: names, positions and ranges of positions, with commas between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Columns(pub(crate) Vec<ColumnRef>);

/// The most columns of a range. A longer one is a typing error, and must not fill the memory.
const MOST_COLUMNS: usize = 1 << 18;

impl FromStr for Columns {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut columns = Vec::new();
        for part in text.split(',') {
            let ends = part.split_once("..").and_then(|(first, last)| {
                let last = last.strip_prefix('=').unwrap_or(last);
                Some((first.trim().parse::<usize>().ok()?, last.trim().parse::<usize>().ok()?))
            });
            match ends {
                None => columns.push(ColumnRef::from(part)),
                Some((first, last)) if first > last => {
                    return Err(format!(
                        "the range {part} is empty; the smaller number comes first"
                    ));
                }
                Some((first, last)) if last - first >= MOST_COLUMNS => {
                    return Err(format!(
                        "the range {part} is too long; {MOST_COLUMNS} columns at most"
                    ));
                }
                Some((first, last)) => columns.extend((first..=last).map(ColumnRef::Index)),
            }
        }
        Ok(Self(columns))
    }
}

/// Items that may have weights.
#[derive(ClapArgs)]
pub(crate) struct InputArgs {
    /// The items: CSV, TSV, text, Parquet, .npy, IDX, sparse rows as .npz or svmlight; with --graph
    /// an edge list, DIMACS or OR-Library file; text and arrays may be gzipped
    pub(crate) input: PathBuf,
    #[command(flatten)]
    pub(crate) space: SpaceArgs,
    /// How much each item counts: a file with one number an item, or a column of the input
    #[arg(long, value_name = "FILE|COLUMN")]
    pub(crate) weights: Option<String>,
}

impl InputArgs {
    pub(crate) fn source(&self) -> Source<'_> {
        let (path, how) = (self.input.as_path(), &self.space);
        let weights = self.weights.as_deref();
        Source {
            path,
            how,
            weights,
            goal: None,
            sites: None,
            site_id: None,
            rectangular: false,
            rows: false,
        }
    }
}

/// The public items of a private command: all of them count the same.
#[derive(ClapArgs)]
pub(crate) struct UniverseArgs {
    /// The public items: CSV, TSV, text, Parquet, .npy, IDX, sparse rows as .npz or svmlight; with
    /// --graph an edge list, DIMACS or OR-Library file; text and arrays may be gzipped
    pub(crate) universe: PathBuf,
    #[command(flatten)]
    pub(crate) space: SpaceArgs,
}

impl UniverseArgs {
    pub(crate) fn source<'a>(&'a self, goal: &'a GoalArgs) -> Source<'a> {
        Source::public(&self.universe, &self.space, goal)
    }
}

/// The file that the items come from, and how it is read.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) path: &'a Path,
    pub(crate) how: &'a SpaceArgs,
    /// A file of weights or the name of a column; `None` if all items count the same.
    pub(crate) weights: Option<&'a str>,
    /// Which items may be centers; `None` where no centers are found.
    pub(crate) goal: Option<&'a GoalArgs>,
    /// The file of the sites, if the items of `path` are clients and no sites.
    pub(crate) sites: Option<&'a Path>,
    /// The column that names the sites in their file, if it is not called as that of the items.
    pub(crate) site_id: Option<&'a ColumnRef>,
    /// Whether the file is a matrix with a row for each client and a column for each site.
    pub(crate) rectangular: bool,
    /// Whether rows of many numbers are kept as they are, to be drawn.
    pub(crate) rows: bool,
}

impl<'a> Source<'a> {
    /// The public items of a private command.
    pub(crate) fn public(path: &'a Path, how: &'a SpaceArgs, goal: &'a GoalArgs) -> Self {
        Self {
            path,
            how,
            weights: None,
            goal: Some(goal),
            sites: None,
            site_id: None,
            rectangular: false,
            rows: false,
        }
    }

    /// The values of --candidates and --fixed, with the names of the options.
    pub(crate) fn choices(&self) -> [(&'static str, Option<&'a str>); 2] {
        let of = |choice: fn(&GoalArgs) -> &Option<String>| {
            self.goal.and_then(|goal| choice(goal).as_deref())
        };
        [("--candidates", of(|goal| &goal.candidates)), ("--fixed", of(|goal| &goal.fixed))]
    }
}
