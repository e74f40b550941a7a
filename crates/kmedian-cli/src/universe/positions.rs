//! Places from --positions: where the nodes of a graph or the items of a matrix are.

use std::path::Path;

use kmedian::Metric;
use kmedian_data::{ItemKeys, Points, PointsOptions};

use super::table::in_order;
use crate::args::Source;
use crate::console::note;
use crate::failure::{Failure, plain};
use crate::geo;
use crate::places::Places;

/// What the items of a file are called: by names, or by numbers that count from `first`.
#[derive(Clone, Copy)]
pub(super) struct Called<'a> {
    pub(super) items: usize,
    pub(super) names: Option<&'a [String]>,
    pub(super) first: usize,
}

impl<'a> Called<'a> {
    fn keys(self, file: &Path) -> Result<ItemKeys<'a>, Failure> {
        match self.names {
            Some(names) => Ok(ItemKeys::named(file, names)?),
            None => {
                let numbers = self.first..self.first + self.items;
                Ok(ItemKeys::numbered(&numbers.collect::<Vec<_>>()))
            }
        }
    }

    fn name(self, item: usize) -> String {
        let number = || (item + self.first).to_string();
        self.names.map_or_else(number, |names| names[item].clone())
    }
}

/// Where the items are, if there is a file of it.
pub(super) fn read(source: Source<'_>, called: Called<'_>) -> Result<Option<Places>, Failure> {
    let Some(file) = &source.how.positions else { return Ok(None) };
    let id = source.how.positions_id.clone();
    let points = kmedian_data::read_points(file, &PointsOptions { id, ..Default::default() })?;
    let path = file.display();
    let about = |what: String| Failure::new(format!("--positions {path}: {what}"));
    let rows = match &points.ids {
        Some(ids) => Some(rows(source.path, called, ids).map_err(about)?),
        None => {
            check_coordinates(&points).map_err(about)?;
            None
        }
    };
    if rows.is_none() && points.rows != called.items {
        return Err(about(format!(
            "has {} rows, but {} has {} items; give a row of coordinates for each, or name the column that says which \
             row is whose with --positions-id",
            points.rows,
            source.path.display(),
            called.items
        )));
    }
    let metric = source.how.positions_metric.unwrap_or_else(|| {
        if !geo::are_degrees(&points.columns) {
            return Metric::L2;
        }
        let named = geo::find(&points.columns).unwrap_or_default();
        let named = named.map(|column| points.columns[column].as_str()).join(" and ");
        note(&format!(
            "--positions {path}: the columns {named} are taken for degrees on the globe; --positions-metric l2 takes \
             them for plain coordinates"
        ));
        Metric::Haversine
    });
    let Points { columns, values, offsets, .. } = in_order(points, metric, false).map_err(about)?;
    let Some(places) = Places::new(metric, &columns, values, offsets) else {
        return Err(about(format!("has {} columns, which are no place", columns.len())));
    };
    Ok(Some(match rows {
        Some(rows) => places.of_items(&rows),
        None => places,
    }))
}

/// Refuses columns beside the two of the coordinates, one of which may say which row is whose, if
/// no column was named that does.
fn check_coordinates(points: &Points) -> Result<(), String> {
    if points.passed_over.is_empty() && points.dims <= 2 {
        return Ok(());
    }
    let all: Vec<&str> =
        points.passed_over.iter().chain(&points.columns).map(String::as_str).collect();
    Err(format!(
        "has the columns {}; name the one that holds the nodes or items with --positions-id, or leave only the two \
         coordinates, in the order of the nodes",
        plain(&all.join(", "))
    ))
}

/// The row of each item, given the item that each row names. Rows of others are passed over with a
/// note.
fn rows(items: &Path, called: Called<'_>, ids: &[String]) -> Result<Vec<usize>, String> {
    let keys = called.keys(items).map_err(|failure| failure.message().to_owned())?;
    let mut rows = vec![None; called.items];
    let mut others = 0;
    for (row, id) in ids.iter().enumerate() {
        match keys.find(id) {
            None => others += 1,
            Some(item) => {
                if let Some(first) = rows[item as usize].replace(row) {
                    return Err(format!(
                        "the rows {} and {} are both of `{}`; leave one of them out",
                        first + 1,
                        row + 1,
                        plain(id)
                    ));
                }
            }
        }
    }
    let missing = rows.iter().filter(|row| row.is_none()).count();
    if let Some(item) = rows.iter().position(Option::is_none) {
        return Err(format!(
            "has no row for {missing} of the {} items of {}, such as `{}`; add one for each",
            called.items,
            items.display(),
            plain(&called.name(item))
        ));
    }
    if others > 0 {
        note(&format!(
            "--positions: {others} of {} rows are of no item, and were passed over",
            ids.len()
        ));
    }
    Ok(rows.into_iter().flatten().collect())
}
