//! `kmedian assign --fitted`: assigns rows to centers whose coordinates are not written beside
//! them, but looked up in the table that the centers were chosen from.

use std::path::Path;

use kmedian::{Metric, Vectors};
use kmedian_data::{Column, Points, PointsOptions};

use super::{Centers, label_columns};
use crate::args::AssignArgs;
use crate::console::note;
use crate::failure::{Failure, plain};
use crate::universe::less_offsets;

/// Assigns the rows of a table to centers that are rows of another one, of the same columns.
pub(super) fn assign(
    args: &AssignArgs,
    fitted: &Path,
    centers: &Centers<'_>,
) -> Result<Vec<Column>, Failure> {
    let metric = args.space.vector_metric();
    if metric == Metric::Haversine {
        return Err(Failure::new(
            "--fitted: is for many coordinates; places on the globe have two, which the table of centers has: leave it \
             out",
        ));
    }
    let options = PointsOptions {
        columns: args.space.columns.as_ref().map(|columns| columns.0.clone()),
        id: args.space.id.clone(),
        header: args.space.header,
        format: args.space.table_format().map_err(Failure::new)?,
        center: metric.is_translation_invariant(),
        skip_missing: args.space.skip_missing,
        ..PointsOptions::default()
    };
    let items = kmedian_data::read_points(&args.items, &options)?;
    let old = kmedian_data::read_points(fitted, &options)?;
    if old.columns != items.columns {
        return Err(Failure::new(format!(
            "--fitted {}: has the columns {}, but {} has {}; both tables must have the same: choose with --columns",
            fitted.display(),
            plain(&old.columns.join(", ")),
            args.items.display(),
            plain(&items.columns.join(", "))
        )));
    }
    items.notes.iter().for_each(|text| note(text));
    let values = less_offsets(&old, &items.offsets);
    let mut at = Vec::new();
    for row in rows(centers, &old, fitted)? {
        at.extend_from_slice(&values[row * old.dims..(row + 1) * old.dims]);
    }
    let about = |file: &Path| {
        let file = file.display().to_string();
        move |error: kmedian::Error| Failure::new(format!("{file}: {error}"))
    };
    let Points { dims, values, ids, kept, rows, .. } = items;
    let at = Vectors::new(dims, &at, metric).map_err(about(fitted))?;
    let items = Vectors::new(dims, &values, metric).map_err(about(&args.items))?;
    let found = items.nearest_of(&at)?;
    let found = args.space.metric.restate_assignment(found);
    let distances = found.distances.iter().map(|&distance| f64::from(distance));
    let labels = found.labels.iter().map(|&label| label as usize);
    let nearest: Vec<(usize, f64)> = labels.zip(distances).collect();
    let positions = kept.unwrap_or_else(|| (0..rows).collect());
    Ok(label_columns(&centers.names, &nearest, positions.into_iter(), ids))
}

/// The rows, of those that were read of a table, that are the centers: by their positions in it.
fn rows(centers: &Centers<'_>, old: &Points, file: &Path) -> Result<Vec<usize>, Failure> {
    let Some(positions) = centers.column("index")? else {
        return Err(centers.fail("has no column index; give a table that --centers wrote"));
    };
    let row = |&at: &usize| {
        let position = positions[at].trim().parse::<usize>().ok();
        let row = position.and_then(|position| match &old.kept {
            Some(kept) => kept.binary_search(&position).ok(),
            None => Some(position).filter(|&position| position < old.rows),
        });
        row.ok_or_else(|| {
            centers.fail(&format!(
                "the center at position {} is no row of {}; give the table that the centers came from",
                plain(&positions[at]),
                file.display()
            ))
        })
    };
    centers.rows.iter().map(row).collect()
}
