//! What is read of the tables of a universe beside coordinates and weights: which columns there
//! are, and those of --keep-columns.

use kmedian::Metric;
use kmedian_data::{ColumnRef, Points, PointsOptions};

use super::sites;
use crate::args::Source;
use crate::failure::Failure;
use crate::geo;

/// How the table of the items is read, as the options say.
pub(super) fn table_options(
    source: Source<'_>,
    weight: Option<ColumnRef>,
) -> Result<PointsOptions, Failure> {
    Ok(PointsOptions {
        columns: source.how.columns.as_ref().map(|columns| columns.0.clone()),
        id: source.how.id.clone(),
        weight,
        others: sites::columns(source),
        header: source.how.header,
        format: source.how.table_format().map_err(Failure::new)?,
        center: false,
        skip_missing: source.how.skip_missing,
    })
}

/// The columns of --keep-columns, each read by itself. `rows` are the rows of the file that are
/// items, if some are not.
pub(super) fn keep_columns(
    source: Source<'_>,
    rows: Option<&[usize]>,
) -> Result<Vec<(String, Vec<String>)>, Failure> {
    let Some(columns) = &source.how.keep_columns else { return Ok(Vec::new()) };
    if source.path.as_os_str() == "-" {
        return Err(Failure::new(
            "--keep-columns reads the items once more, which standard input does not allow; save them first",
        ));
    }
    let options = table_options(source, None)?;
    let read = |column: &ColumnRef| {
        let mut all = kmedian_data::read_texts(source.path, column, &options)?;
        if let Some(sites) = source.sites {
            all.extend(kmedian_data::read_texts(sites, column, &options)?);
        }
        let cells = match rows {
            Some(rows) => rows.iter().filter_map(|&row| all.get(row).cloned()).collect(),
            None => all,
        };
        Ok((column.to_string(), cells))
    };
    columns.0.iter().map(read).collect()
}

/// Points whose columns are in the order that the metric wants, as far as their names tell.
pub(super) fn in_order(points: Points, metric: Metric, chosen: bool) -> Result<Points, String> {
    if metric == Metric::Haversine { geo::latitude_first(points, chosen) } else { Ok(points) }
}
