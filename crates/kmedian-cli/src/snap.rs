//! Snapping raw coordinates to the nearest items.

use kmedian::{Metric, SnapIndex};
use kmedian_data::{ColumnRef, Snap, Snapped};

use crate::args::SnapArgs;
use crate::failure::Failure;
use crate::geo::{self, Axis};
use crate::universe::Universe;

/// Finds the nearest items of raw coordinates, for the readers of tables.
pub(crate) struct Snapping {
    index: SnapIndex,
    metric: Metric,
    columns: Vec<ColumnRef>,
}

impl Snapping {
    /// Prepares to snap the columns of `--snap` to the items of a universe. `None` if it was not
    /// asked for.
    pub(crate) fn of(args: &SnapArgs, universe: &Universe) -> Result<Option<Self>, Failure> {
        let Some(columns) = args.snap.clone() else { return Ok(None) };
        let Some(places) = universe.places() else {
            return Err(Failure::new(
                "--snap: the items have no coordinates to snap to; for a graph or a matrix give --positions FILE, \
                 a row of coordinates for each item",
            ));
        };
        let (metric, dims) = (places.metric(), places.dims());
        if columns.len() != dims {
            return Err(Failure::new(format!(
                "--snap: {} columns, but items have {dims} coordinates ({}); name as many, in that order",
                columns.len(),
                places.names().join(", ")
            )));
        }
        if metric == Metric::Haversine {
            check_order(&columns)?;
        }
        let about = |error: kmedian::Error| Failure::new(format!("--snap: {error}"));
        let mut index = SnapIndex::new(dims, &places.values(), metric).map_err(about)?;
        if let Some(within) = args.snap_within {
            let distance = within
                .under(metric)
                .map_err(|what| Failure::new(format!("--snap-within: {what}")))?;
            index = index.within(distance).map_err(about)?;
        }
        Ok(Some(Self { index, metric, columns }))
    }

    /// The columns of the coordinates.
    pub(crate) fn columns(&self) -> &[ColumnRef] {
        &self.columns
    }

    /// The metric by which items are near.
    pub(crate) fn metric(&self) -> Metric {
        self.metric
    }

    /// The number of items.
    pub(crate) fn items(&self) -> usize {
        self.index.len()
    }
}

/// Refuses columns whose names say that the longitude comes first.
fn check_order(columns: &[ColumnRef]) -> Result<(), Failure> {
    let axis = |column: &ColumnRef| match column {
        ColumnRef::Name(name) => geo::axis(name),
        ColumnRef::Index(_) => None,
    };
    if let [Some(Axis::Longitude), Some(Axis::Latitude)] =
        columns.iter().map(axis).collect::<Vec<_>>()[..]
    {
        let name = |column: &ColumnRef| match column {
            ColumnRef::Name(name) => name.clone(),
            ColumnRef::Index(position) => position.to_string(),
        };
        return Err(Failure::new(format!(
            "--snap: haversine takes latitude first, so give --snap {},{}",
            name(&columns[1]),
            name(&columns[0])
        )));
    }
    Ok(())
}

impl Snap for Snapping {
    fn dims(&self) -> usize {
        self.index.dims()
    }

    fn snap(&self, places: &[f64], found: &mut [Snapped]) {
        self.index.nearest_of_each(places, found, |place, nearest| match nearest {
            Some((item, _)) => Snapped::Item(item as u32),
            None if self.index.is_place(place) => Snapped::TooFar,
            None => Snapped::Nowhere,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found for a place does not depend on the places around it, or on the threads that
    /// share them.
    #[test]
    fn places_are_snapped_one_by_one() {
        let odd = [
            f64::NAN,
            f64::INFINITY,
            f64::MAX,
            -f64::MAX,
            f64::MIN_POSITIVE,
            -0.0,
            0.5,
            1.0,
            89.9,
            400.0,
        ];
        let items: Vec<f64> = (0..50).map(|at| f64::from(at * 7 % 23) / 2.0 + 0.5).collect();
        for metric in Metric::ALL {
            let index = SnapIndex::new(2, &items, metric).ok().and_then(|i| i.within(3.0).ok());
            let Some(index) = index else { panic!("{metric}: no index") };
            let snapping = Snapping { index, metric, columns: Vec::new() };
            let places: Vec<f64> =
                (0..6000).map(|at| odd[(at * at + at / 7) % odd.len()]).collect();
            let mut together = vec![Snapped::Nowhere; 3000];
            snapping.snap(&places, &mut together);
            for (place, found) in places.chunks_exact(2).zip(together) {
                let mut alone = [Snapped::Nowhere];
                snapping.snap(place, &mut alone);
                assert_eq!(alone, [found], "{metric}: {place:?}");
            }
        }
    }
}
