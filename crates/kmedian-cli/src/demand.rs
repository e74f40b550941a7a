//! Public demand in a table of its own: rows that name items, or that have coordinates.

use std::path::Path;

use kmedian::{Demand, Metric};
use kmedian_data::{ColumnRef, ErrorKind, PointsOptions, Snap, Snapped};

use crate::args::{DemandArgs, SpaceArgs};
use crate::console::note;
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
    (file, items): (&Path, &Path),
    universe: &Universe,
) -> Result<Vec<f64>, Failure> {
    let keys = universe.keys(items)?;
    let by_name = match &how.id {
        Some(ColumnRef::Name(name)) if name.parse::<usize>().is_err() => how.id.as_ref(),
        _ => None,
    };
    let read = |key: Option<&ColumnRef>| kmedian_data::read_keyed(file, key, args.count.as_ref());
    let table = match (&args.key, by_name) {
        (Some(key), _) => read(Some(key))?,
        (None, Some(id)) => match read(Some(id)) {
            Err(error) if error.kind() == ErrorKind::Column => read(None)?,
            table => table?,
        },
        (None, None) => read(None)?,
    };
    let mut weights = vec![0.0; universe.len()];
    let mut unknown = 0;
    for (row, key) in table.keys.iter().enumerate() {
        match keys.find(key) {
            Some(item) => {
                weights[item as usize] += table.counts.as_ref().map_or(1.0, |counts| counts[row]);
            }
            None if how.skip_missing => unknown += 1,
            None => {
                return Err(Failure::new(format!(
                    "{}: row {} names `{}`, which is no item of {}; correct it, or leave such rows out with --skip-missing",
                    file.display(),
                    row + 1,
                    plain(key),
                    items.display()
                )));
            }
        }
    }
    if unknown > 0 {
        note(&format!("{unknown} of {} rows name no item, and were left out", table.keys.len()));
    }
    Ok(weights)
}

fn by_places(
    args: &DemandArgs,
    how: &SpaceArgs,
    file: &Path,
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
    let points = kmedian_data::read_points(file, &options)?;
    snapping.check_order(file, &points.columns)?;
    points.notes.iter().for_each(|text| note(text));
    let offset = |axis: usize| points.offsets.get(axis).copied().unwrap_or(0.0);
    let places: Vec<f64> = points
        .values
        .iter()
        .enumerate()
        .map(|(at, &value)| f64::from(value) + offset(at % points.dims))
        .collect();
    let mut found = vec![Snapped::Nowhere; points.rows];
    snapping.snap(&places, &mut found);
    let mut weights = vec![0.0; universe.len()];
    let (mut far, mut nowhere) = (0, 0);
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
    if far > 0 {
        note(&format!(
            "{far} of {} rows are too far from every item, and count nothing",
            points.rows
        ));
    }
    if nowhere > 0 {
        note(&format!("{nowhere} of {} rows are no place, and were left out", points.rows));
    }
    Ok(weights)
}
