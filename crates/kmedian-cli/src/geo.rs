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

/// The axis that the name of a column reveals: the whole of it (`lat`, `x`), or a word in it
/// (`start_lon`, `pickupLatitude`, `lat.deg`). Within a longer name `x` and `y` reveal nothing.
pub(crate) fn axis(name: &str) -> Option<Axis> {
    bare_axis(name).or_else(|| {
        let found = |wanted: Axis| {
            let is_plain = |word: &String| matches!(word.as_str(), "x" | "y");
            words(name).iter().any(|word| !is_plain(word) && bare_axis(word) == Some(wanted))
        };
        match (found(Axis::Latitude), found(Axis::Longitude)) {
            (true, false) => Some(Axis::Latitude),
            (false, true) => Some(Axis::Longitude),
            _ => None,
        }
    })
}

/// The axis that a name is a word for.
fn bare_axis(name: &str) -> Option<Axis> {
    let name = name.trim().to_lowercase();
    if LATITUDES.contains(&&*name) {
        return Some(Axis::Latitude);
    }
    LONGITUDES.contains(&&*name).then_some(Axis::Longitude)
}

/// The words of a name, in lower case: what is between other characters than letters, and between
/// a small and a capital letter, and before the last capital of several, as in `GPSLat`.
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (at, &letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let begins = letter.is_uppercase()
            && (before.is_some_and(char::is_lowercase)
                || letters.get(at + 1).is_some_and(|next| next.is_lowercase()));
        if begins || !letter.is_alphabetic() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphabetic()) {
            word.extend(letter.to_lowercase());
        }
    }
    words
}

/// What a column of this name may be called in another table.
pub(crate) fn also_called(name: &str) -> &'static [&'static str] {
    match axis(name) {
        Some(Axis::Latitude) => &LATITUDES,
        Some(Axis::Longitude) => &LONGITUDES,
        None => &[],
    }
}

/// The positions of the only latitude and the only longitude among columns of these names. A
/// column that is called so and nothing else comes before one with a longer name.
pub(crate) fn find(names: &[String]) -> Option<[usize; 2]> {
    let only = |wanted: Axis| {
        let all = |axis: fn(&str) -> Option<Axis>| {
            let of_axis = (0..names.len()).filter(|&column| axis(&names[column]) == Some(wanted));
            of_axis.collect::<Vec<usize>>()
        };
        match (all(bare_axis).as_slice(), all(axis).as_slice()) {
            (&[column], _) | ([], &[column]) => Some(column),
            _ => None,
        }
    };
    Some([only(Axis::Latitude)?, only(Axis::Longitude)?])
}

/// Whether columns of these names have degrees on the globe among them: `x` and `y` may be
/// anything.
pub(crate) fn are_degrees(names: &[String]) -> bool {
    let plain = |at: usize| matches!(names[at].trim().to_lowercase().as_str(), "x" | "y");
    find(names).is_some_and(|found| !found.into_iter().any(plain))
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
        assert_eq!(find(&["start_lon", "start_lat"]), Some([1, 0]));
        assert_eq!(find(&["pickupLongitude", "pickupLatitude"]), Some([1, 0]));
        assert_eq!(find(&["lon.deg", "GPSLat"]), Some([1, 0]));
        assert_eq!(find(&["lat", "lon", "long_term"]), Some([0, 1]));
        assert_eq!(find(&["start_lat", "start_lon", "end_lat", "end_lon"]), None);
        assert_eq!(find(&["pos_x", "pos_y"]), None, "metres, perhaps");
        assert_eq!(find(&["plateau", "salon"]), None, "no words of these names");
        assert_eq!(axis("lat_lon"), None);
        let degrees = |names: [&str; 2]| are_degrees(&names.map(String::from));
        assert!(degrees(["lon", "lat"]) && !degrees(["x", "y"]) && !degrees(["a", "lat"]));
    }
}
