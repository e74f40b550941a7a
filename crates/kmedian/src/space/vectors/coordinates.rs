//! Coordinates as they were given, checked and brought to the form that distances are computed
//! from.

use crate::{Error, ErrorKind};

/// Checks that values are at least one row of `dims` numbers, all finite.
pub(super) fn check_values(dims: usize, values: &[f32]) -> Result<(), Error> {
    if values.is_empty() || dims == 0 {
        return Err(Error::new(ErrorKind::Empty, "there are no items to cluster"));
    }
    if !values.len().is_multiple_of(dims) {
        let message = format!("{} values do not fill rows of {dims}", values.len());
        return Err(Error::new(ErrorKind::Shape, message));
    }
    if let Some(at) = values.iter().position(|value| !value.is_finite()) {
        let message = format!(
            "item {}, coordinate {}: {} is not a finite number; drop or fill such rows",
            at / dims,
            at % dims,
            values[at]
        );
        return Err(Error::new(ErrorKind::Value, message));
    }
    Ok(())
}

/// The rows scaled to a length, as metrics of directions want them; an error if one is zero.
pub(super) fn directions(dims: usize, values: &[f32], length: f64) -> Result<Vec<f32>, Error> {
    let mut unit = Vec::with_capacity(values.len());
    for (item, row) in values.chunks_exact(dims).enumerate() {
        let given = row.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
        if given == 0.0 {
            let message = format!(
                "item {item} is the zero vector, which has no direction; drop it or take a metric that needs none, such as l2"
            );
            return Err(Error::new(ErrorKind::Value, message));
        }
        unit.extend(row.iter().map(|&x| (f64::from(x) / given * length) as f32));
    }
    Ok(unit)
}

/// Latitudes and longitudes in degrees as points (x, y, z) of the unit sphere; an error if they are
/// out of range.
pub(super) fn globe(dims: usize, values: &[f32]) -> Result<Vec<f32>, Error> {
    if dims != 2 {
        let message = format!(
            "haversine needs two columns, latitude and longitude in degrees, not {dims}; choose them"
        );
        return Err(Error::new(ErrorKind::Shape, message));
    }
    let mut unit = Vec::with_capacity(values.len() / 2 * 3);
    for (item, row) in values.chunks_exact(2).enumerate() {
        if row[0].abs() > 90.0 || row[1].abs() > 360.0 {
            let message = format!(
                "item {item}: latitude {} and longitude {} are not degrees on a globe; haversine takes latitude first",
                row[0], row[1]
            );
            return Err(Error::new(ErrorKind::Value, message));
        }
        let (latitude, longitude) =
            (f64::from(row[0]).to_radians(), f64::from(row[1]).to_radians());
        let (sin, cos) = (libm::sin(latitude), libm::cos(latitude));
        unit.push((cos * libm::cos(longitude)) as f32);
        unit.push((cos * libm::sin(longitude)) as f32);
        unit.push(sin as f32);
    }
    Ok(unit)
}
