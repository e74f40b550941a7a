//! Places of the world, from GeoNames.

use std::path::Path;

use kmedian::{Metric, Seed, Vectors};
use kmedian_data::{ColumnRef, PointsOptions, read_points};
use rand::seq::SliceRandom;

use crate::Failure;

/// The file of places, in the folder of shared data.
pub const PLACES: &str = "points/geonames-cities1000.tsv.gz";

/// Draws `n` random places of more than 1,000 people, by latitude and longitude, from [`PLACES`].
///
/// # Errors
/// If the file cannot be read, or has fewer places.
pub fn places(shared: &Path, n: usize, seed: Seed) -> Result<Vectors, Failure> {
    let path = shared.join(PLACES);
    let columns = Some(vec![ColumnRef::Index(0), ColumnRef::Index(1)]);
    let read = read_points(&path, &PointsOptions { columns, ..PointsOptions::default() })?;
    if n > read.rows {
        return Err(Failure::at(&path, format!("has {} places, not {n}", read.rows)));
    }
    let mut order: Vec<usize> = (0..read.rows).collect();
    order.shuffle(&mut seed.stream("places"));
    let place = |&at: &usize| &read.values[at * read.dims..(at + 1) * read.dims];
    let values: Vec<f32> = order[..n].iter().flat_map(place).copied().collect();
    Ok(Vectors::new(read.dims, &values, Metric::Haversine)?)
}
