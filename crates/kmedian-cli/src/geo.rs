//! Finds the columns of latitudes and longitudes by their names.

use kmedian_data::Points;

use crate::console::note;

/// What a column of a place on the globe holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Axis {
    Latitude,
    Longitude,
}

const LATITUDES: [&str; 3] = ["lat", "latitude", "y"];
const LONGITUDES: [&str; 5] = ["lon", "lng", "long", "longitude", "x"];

/// The axis that the name of a column reveals.
pub(crate) fn axis(name: &str) -> Option<Axis> {
    let name = name.trim().to_lowercase();
    if LATITUDES.contains(&&*name) {
        return Some(Axis::Latitude);
    }
    LONGITUDES.contains(&&*name).then_some(Axis::Longitude)
}

/// What a column of this name may be called in another table.
pub(crate) fn also_called(name: &str) -> &'static [&'static str] {
    match axis(name) {
        Some(Axis::Latitude) => &LATITUDES,
        Some(Axis::Longitude) => &LONGITUDES,
        None => &[],
    }
}

/// The positions of the only latitude and the only longitude among columns of these names.
pub(crate) fn find(names: &[String]) -> Option<[usize; 2]> {
    let only = |wanted: Axis| {
        let mut found = (0..names.len()).filter(|&column| axis(&names[column]) == Some(wanted));
        found.next().filter(|_| found.next().is_none())
    };
    Some([only(Axis::Latitude)?, only(Axis::Longitude)?])
}

/// Whether columns of these names are degrees on the globe: `x` and `y` alone may be anything.
pub(crate) fn are_degrees(names: &[String]) -> bool {
    let plain = |name: &String| matches!(name.trim().to_lowercase().as_str(), "x" | "y");
    names.len() == 2 && find(names).is_some() && !names.iter().any(plain)
}

/// Puts the latitude before the longitude, as haversine wants them, where the names of the columns
/// tell them apart. Columns that the user has not `chosen` are put in order, and the others left
/// out, with a note.
///
/// # Errors
/// If the user has chosen the columns, and their names say that the longitude comes first.
pub(crate) fn latitude_first(points: Points, chosen: bool) -> Result<Points, String> {
    let Some(order) = find(&points.columns).filter(|order| *order != [0, 1] || points.dims > 2)
    else {
        return Ok(points);
    };
    let [latitude, longitude] = order.map(|column| points.columns[column].clone());
    if chosen && points.dims == 2 {
        return Err(format!(
            "haversine takes latitude first, so choose the columns {latitude},{longitude}"
        ));
    }
    if chosen {
        return Ok(points);
    }
    note(&format!(
        "by their names, the column {latitude} is the latitude and {longitude} the longitude"
    ));
    let rows = points.values.chunks_exact(points.dims);
    let values = rows.flat_map(|row| order.map(|column| row[column])).collect();
    let offsets = order.iter().filter_map(|&column| points.offsets.get(column).copied()).collect();
    let columns = vec![latitude, longitude];
    Ok(Points { values, offsets, columns, dims: 2, ..points })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_reveal_the_axes() {
        let find =
            |names: &[&str]| find(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        assert_eq!(find(&["lng", "Lat"]), Some([1, 0]));
        assert_eq!(find(&["id", "latitude", "people", "LONGITUDE"]), Some([1, 3]));
        assert_eq!(find(&["x", "y"]), Some([1, 0]));
        assert_eq!(find(&["lat", "latitude", "lon"]), None, "which of the two?");
        assert_eq!(find(&["lat", "population"]), None);
        let degrees = |names: [&str; 2]| are_degrees(&names.map(String::from));
        assert!(degrees(["lon", "lat"]) && !degrees(["x", "y"]) && !degrees(["a", "lat"]));
    }
}
