//! Public demand in a table of its own: rows that name items, or that have coordinates.

use std::path::Path;

use kmedian::{Demand, Metric};
use kmedian_data::{Advice, ErrorKind, Points, PointsOptions, Snap, Snapped};

use crate::advice::about_data;
use crate::args::{DemandArgs, SpaceArgs};
use crate::console::{counted, note};
use crate::failure::{Failure, plain};
use crate::snap::Snapping;
use crate::universe::Universe;

/// The demand of the items by `--demand` or `--clients`; `None` if neither was given. `how` is how
/// the items were read, and `items` is their file, for errors.
pub(crate) fn read(
    args: &DemandArgs,
    how: &SpaceArgs,
    items: &Path,
    universe: &Universe,
) -> Result<Option<Demand>, Failure> {
    let (file, weights) = match (&args.demand, &args.clients) {
        (Some(file), _) => (file, by_keys(args, how, (file, items), universe)?),
        (None, Some(file)) => (file, by_places(args, how, file, universe)?),
        (None, None) if args.count.is_some() || args.snap.snap.is_some() => {
            return Err(Failure::new(
                "--count and --snap are for rows of --demand or --clients; give one of these, or leave them out",
            ));
        }
        (None, None) => return Ok(None),
    };
    let idle = weights.iter().filter(|&&weight| weight == 0.0).count();
    if idle > 0 {
        note(&format!("{idle} of {} items have no demand", weights.len()));
    }
    Demand::new(weights)
        .map(Some)
        .map_err(|error| Failure::new(format!("{}: {error}", file.display())))
}

fn by_keys(
    args: &DemandArgs,
    how: &SpaceArgs,
    (path, items): (&Path, &Path),
    universe: &Universe,
) -> Result<Vec<f64>, Failure> {
    let keys = universe.keys(items)?;
    let by_name = how.id.as_ref().filter(|id| id.name().is_some());
    let mut weights = vec![0.0; universe.len()];
    let (mut unknown, mut rows) = (0, 0);
    for file in &kmedian_data::demand_files(path)? {
        let read = |key| kmedian_data::read_keyed(file, key, args.count.as_ref());
        let table = match (&args.key, by_name) {
            (Some(key), _) => read(Some(key))?,
            (None, Some(id)) => match read(Some(id)) {
                Err(error) if error.kind() == ErrorKind::Column => read(None)?,
                table => table?,
            },
            (None, None) => read(None)?,
        };
        rows += table.keys.len();
        for (row, key) in table.keys.iter().enumerate() {
            match keys.find(key) {
                Some(item) => {
                    weights[item as usize] +=
                        table.counts.as_ref().map_or(1.0, |counts| counts[row]);
                }
                None if how.skip_missing => unknown += 1,
                None => {
                    return Err(Failure::new(format!(
                        "{}: row {} names `{}`, which is no item of {}; correct it, or leave such rows out with \
                         --skip-missing",
                        file.display(),
                        row + 1,
                        plain(key),
                        items.display()
                    )));
                }
            }
        }
    }
    if unknown > 0 {
        note(&format!("{unknown} of {rows} rows name no item, and were left out"));
    }
    Ok(weights)
}

fn by_places(
    args: &DemandArgs,
    how: &SpaceArgs,
    path: &Path,
    universe: &Universe,
) -> Result<Vec<f64>, Failure> {
    let Some(snapping) = Snapping::of(&args.snap, universe)? else {
        return Err(Failure::new("--clients: name the columns of the coordinates with --snap"));
    };
    let options = PointsOptions {
        columns: Some(snapping.columns().to_vec()),
        weight: args.count.clone(),
        center: snapping.metric() != Metric::Haversine,
        skip_missing: how.skip_missing,
        ..PointsOptions::default()
    };
    let mut weights = vec![0.0; universe.len()];
    let (mut far, mut nowhere, mut rows) = (0, 0, 0);
    for file in &kmedian_data::demand_files(path)? {
        let points = kmedian_data::read_points(file, &options)
            .map_err(|error| Failure::new(error.worded(about_coordinates)))?;
        snapping.check_order(file, &points.columns)?;
        points.notes.iter().for_each(|text| note(text));
        rows += points.rows;
        let places = places(&points);
        let mut found = vec![Snapped::Nowhere; points.rows];
        snapping.snap(&places, &mut found);
        for (row, found) in found.iter().enumerate() {
            let weight = points.weights.as_ref().map_or(1.0, |weights| weights[row]);
            match *found {
                Snapped::Item(item) => weights[item as usize] += weight,
                Snapped::TooFar => far += 1,
                Snapped::Nowhere if how.skip_missing => nowhere += 1,
                Snapped::Nowhere => {
                    return Err(Failure::new(format!(
                        "{}: row {} is at {:?}, which is no place under {}; correct it, or leave such rows out with \
                         --skip-missing",
                        file.display(),
                        row + 1,
                        &places[row * points.dims..(row + 1) * points.dims],
                        snapping.metric()
                    )));
                }
            }
        }
    }
    if far + nowhere == rows {
        return Err(Failure::new(format!(
            "{}: none of {} counts: {far} are too far from every item, {nowhere} are no place; check the columns of \
             --snap and their order, and --snap-within",
            path.display(),
            counted(rows, "row")
        )));
    }
    if far > 0 {
        note(&format!("{far} of {rows} rows are too far from every item, and count nothing"));
    }
    if nowhere > 0 {
        note(&format!("{nowhere} of {rows} rows are no place, and were left out"));
    }
    Ok(weights)
}

/// All coordinates in 64 bits, row by row.
fn places(points: &Points) -> Vec<f64> {
    let offset = |axis: usize| points.offsets.get(axis).copied().unwrap_or(0.0);
    let place = |(at, &value): (usize, &f32)| f64::from(value) + offset(at % points.dims);
    points.values.iter().enumerate().map(place).collect()
}

/// Advice about a table of clients, whose coordinates --snap names.
fn about_coordinates(advice: &Advice) -> String {
    match advice {
        Advice::Columns | Advice::OtherColumns | Advice::ColumnsOrIds => {
            "choose other columns with --snap".to_owned()
        }
        other => about_data(other),
    }
}
