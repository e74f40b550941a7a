//! Options of demand: a public table of its own, and records with raw coordinates, which private
//! tables may have too.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use kmedian_data::ColumnRef;

use super::Length;

/// How much each item counts, by a table whose rows name items or have coordinates.
#[derive(ClapArgs)]
pub(crate) struct DemandArgs {
    /// A table whose rows name items, in any order; each counts once, or as --count says. Items
    /// that no row names count nothing. A folder, or a pattern in quotes, is a table in several
    /// files
    #[arg(long, value_name = "FILE", conflicts_with_all = ["weights", "sites", "rectangular"])]
    pub(crate) demand: Option<PathBuf>,
    /// The column of --demand that names the item, by its --id or 0-based position [default: the
    /// column of the same name as --id, or the only one]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) key: Option<ColumnRef>,
    /// A table with raw coordinates, in the columns of --snap: each row counts at its nearest item.
    /// A folder, or a pattern in quotes, is a table in several files
    #[arg(long, value_name = "FILE", conflicts_with_all = ["weights", "demand", "sites", "rectangular"])]
    pub(crate) clients: Option<PathBuf>,
    /// The column of --demand or --clients that says how much a row counts [default: once]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) count: Option<ColumnRef>,
    #[command(flatten)]
    pub(crate) snap: SnapArgs,
}

/// How records with coordinates find their items.
#[derive(ClapArgs)]
pub(crate) struct SnapArgs {
    /// The records have raw coordinates in these columns, latitude first under haversine: each goes
    /// to its nearest item; on a graph, by --positions
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', conflicts_with = "key")]
    pub(crate) snap: Option<Vec<ColumnRef>>,
    /// Drop records that are farther than this from every item: 250m, 1.5km, or a number in the
    /// unit of the metric
    #[arg(long, value_name = "DIST", allow_hyphen_values = true)]
    pub(crate) snap_within: Option<Length>,
}
