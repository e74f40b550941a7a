//! Options of records that have raw coordinates instead of keys.

use clap::Args as ClapArgs;
use kmedian_data::ColumnRef;

use super::Length;

/// How records with coordinates find their items.
#[derive(ClapArgs)]
pub(crate) struct SnapArgs {
    /// The records have raw coordinates in these columns, latitude first under haversine: each goes
    /// to its nearest item; on a graph, by --positions
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', conflicts_with = "key")]
    pub(crate) snap: Option<Vec<ColumnRef>>,
    /// Drop records that are farther than this from every item: 250m, 1.5km, or a number in the unit
    /// of the metric
    #[arg(long, value_name = "DIST", requires = "snap")]
    pub(crate) snap_within: Option<Length>,
}
