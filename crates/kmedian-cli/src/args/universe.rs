//! Options that all commands share: how the items of a file are read, and which metric they have.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args as ClapArgs;
use kmedian::{Metric, choice};
use kmedian_data::{ColumnRef, GraphFormat, Header, TableFormat};

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
        help = choice::METRIC.help,
        value_parser = words(&choice::METRIC),
        default_value_t = Metric::L2,
        conflicts_with_all = ["graph", "matrix"]
    )]
    pub(crate) metric: Metric,
    /// The columns to use, by name or 0-based position [default: all that have no other part]
    #[arg(long, value_delimiter = ',', conflicts_with = "graph")]
    pub(crate) columns: Option<Vec<ColumnRef>>,
    /// The column that names the items
    #[arg(long, conflicts_with = "graph")]
    pub(crate) id: Option<ColumnRef>,
    /// Whether the first line names the columns
    #[arg(long, default_value = "auto", value_name = "auto|yes|no")]
    pub(crate) header: Header,
    /// The format of the items, if name and content do not tell: csv, tsv, text, parquet, npy, idx;
    /// for graphs edge-list, dimacs, or-library
    #[arg(long)]
    pub(crate) format: Option<String>,
    /// Take the largest connected component of a graph that falls apart
    #[arg(long)]
    pub(crate) largest_component: bool,
}

impl SpaceArgs {
    /// The format of a table, if one was given.
    pub(crate) fn table_format(&self) -> Result<Option<TableFormat>, String> {
        self.format.as_deref().map(TableFormat::from_str).transpose()
    }

    /// The format of a graph, if one was given.
    pub(crate) fn graph_format(&self) -> Result<Option<GraphFormat>, String> {
        self.format.as_deref().map(GraphFormat::from_str).transpose()
    }
}

/// Items that may have weights.
#[derive(ClapArgs)]
pub(crate) struct InputArgs {
    /// The items: CSV, TSV, text, Parquet, .npy, IDX; with --graph an edge list, DIMACS or
    /// OR-Library file; each may be gzipped
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
        Source { path, how, weights: self.weights.as_deref() }
    }
}

/// The public items of a private command: all of them count the same.
#[derive(ClapArgs)]
pub(crate) struct UniverseArgs {
    /// The public items: CSV, TSV, text, Parquet, .npy, IDX; with --graph an edge list, DIMACS or
    /// OR-Library file; each may be gzipped
    pub(crate) universe: PathBuf,
    #[command(flatten)]
    pub(crate) space: SpaceArgs,
}

impl UniverseArgs {
    pub(crate) fn source(&self) -> Source<'_> {
        Source { path: &self.universe, how: &self.space, weights: None }
    }
}

/// The file that the items come from, and how it is read.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) path: &'a Path,
    pub(crate) how: &'a SpaceArgs,
    /// A file of weights or the name of a column; `None` if all items count the same.
    pub(crate) weights: Option<&'a str>,
}
