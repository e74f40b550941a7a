//! Snaps raw coordinates of records to the nearest public items.

use kmedian::SnapIndex;
use kmedian_data::{Snap, Snapped};

use crate::failure::Failure;
use crate::names;

/// Finds the nearest items of coordinates, for the tally of records.
pub(crate) struct Snapping(SnapIndex);

impl Snapping {
    /// Prepares to snap to items with `dims` coordinates each, which are given row by row, at most
    /// `within` away in the unit of the metric.
    pub(crate) fn new(
        dims: usize,
        places: &[f64],
        metric: &str,
        within: Option<f64>,
    ) -> Result<Self, Failure> {
        let index = SnapIndex::new(dims, places, names::metric(metric)?)?;
        Ok(Self(match within {
            Some(distance) => index.within(distance)?,
            None => index,
        }))
    }
}

impl Snap for Snapping {
    fn dims(&self) -> usize {
        self.0.dims()
    }

    fn snap(&self, places: &[f64], found: &mut [Snapped]) {
        self.0.nearest_of_each(places, found, |place, nearest| match nearest {
            Some((item, _)) => Snapped::Item(item as u32),
            None if self.0.is_place(place) => Snapped::TooFar,
            None => Snapped::Nowhere,
        });
    }
}
