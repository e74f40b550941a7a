//! `--geojson`: centers, and what they serve, as features for a map.

use std::path::Path;

use kmedian::Metric;
use serde_json::{Map, Value, json};

use crate::failure::Failure;
use crate::geo::{self, Axis};
use crate::places::Places;
use crate::universe::Universe;

/// Centers of one k, as a map shows them.
pub(crate) struct Shown<'a> {
    pub(crate) centers: &'a [usize],
    /// What is said of each center, beside its name and its columns.
    pub(crate) properties: Vec<Map<String, Value>>,
    /// The center of each item, by its place among the centers; `None` if that is not public.
    pub(crate) labels: Option<&'a [u32]>,
}

/// Checks that the items have places that a map can show.
pub(crate) fn check(universe: &Universe) -> Result<(), Failure> {
    match universe.places() {
        Some(places) if places.dims() == 2 => Ok(()),
        Some(places) => Err(Failure::new(format!(
            "--geojson: a map has two coordinates, but items have {}; choose two with --columns",
            places.dims()
        ))),
        None => Err(Failure::new(
            "--geojson: the items have no coordinates; for a graph or a matrix give --positions FILE",
        )),
    }
}

/// Writes the centers of every k as points and, where labels are public, the area of each: in a
/// graph the roads between the nodes that it serves, elsewhere the convex hull of its items.
pub(crate) fn write(file: &Path, universe: &Universe, fits: &[Shown<'_>]) -> Result<(), Failure> {
    check(universe)?;
    let Some(places) = universe.places() else { return Ok(()) };
    let mut features = Vec::new();
    for fit in fits {
        let areas = fit.labels.map(|labels| areas(universe, places, labels, fit.centers.len()));
        for (slot, &center) in fit.centers.iter().enumerate() {
            let mut properties = Map::new();
            properties.insert("k".into(), json!(fit.centers.len()));
            properties.insert("center".into(), universe.label(center));
            properties.extend(fit.properties.get(slot).cloned().unwrap_or_default());
            for (name, cells) in universe.kept_columns() {
                properties.insert(name.into(), json!(cells[center]));
            }
            let place = json!({"type": "Point", "coordinates": coordinates(places, center)});
            features.push(feature("center", place, properties.clone()));
            let area = areas.as_ref().map(|areas| areas[slot].clone());
            features.extend(area.map(|area| feature("area", area, properties)));
        }
    }
    let collection = json!({"type": "FeatureCollection", "features": features});
    let text = format!("{collection}\n");
    Ok(kmedian_data::write_atomically(file, |out| out.write_all(text.as_bytes()))?)
}

fn feature(kind: &str, geometry: Value, mut properties: Map<String, Value>) -> Value {
    properties.insert("kind".into(), json!(kind));
    json!({"type": "Feature", "geometry": geometry, "properties": properties})
}

/// A place as GeoJSON has it, longitude first. Plain coordinates are taken as they are, unless
/// their names say that the latitude comes first.
fn coordinates(places: &Places, item: usize) -> [f64; 2] {
    let [first, second] = [places.value(item, 0), places.value(item, 1)];
    let latitude_first = places.metric() == Metric::Haversine
        || geo::axis(&places.names()[0]) == Some(Axis::Latitude);
    if latitude_first { [second, first] } else { [first, second] }
}

/// The area of each of k centers, given the center of every item.
fn areas(universe: &Universe, places: &Places, labels: &[u32], k: usize) -> Vec<Value> {
    let mut served = vec![Vec::new(); k];
    for item in 0..universe.served() {
        served[labels[item] as usize].push(coordinates(places, item));
    }
    let hulls = |served: Vec<Vec<[f64; 2]>>| served.into_iter().map(area).collect();
    let Some(roads) = universe.roads() else { return hulls(served) };
    let mut lines = vec![Vec::new(); k];
    for [a, b] in roads.iter().map(|road| road.map(|node| node as usize)) {
        if labels[a] == labels[b] {
            lines[labels[a] as usize].push([coordinates(places, a), coordinates(places, b)]);
        }
    }
    let area = |(lines, served): (Vec<[[f64; 2]; 2]>, _)| match lines.is_empty() {
        // A center that serves itself alone has no road.
        true => area(served),
        false => json!({"type": "MultiLineString", "coordinates": lines}),
    };
    lines.into_iter().zip(served).map(area).collect()
}

/// The convex hull of points: a polygon, or a line or a point if they are few or in a line.
fn area(points: Vec<[f64; 2]>) -> Value {
    let hull = hull(points);
    match hull.as_slice() {
        [] => Value::Null,
        [point] => json!({"type": "Point", "coordinates": point}),
        [_, _] => json!({"type": "LineString", "coordinates": hull}),
        [first, ..] => {
            let ring: Vec<[f64; 2]> = hull.iter().copied().chain([*first]).collect();
            json!({"type": "Polygon", "coordinates": [ring]})
        }
    }
}

/// The corners of the convex hull, counterclockwise (Andrew's monotone chain).
fn hull(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let turn = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| {
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    };
    let half = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for point in points {
            while let [.., a, b] = chain[..]
                && turn(a, b, point) <= 0.0
            {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut corners = half(&mut points.iter().copied());
    corners.extend(half(&mut points.iter().rev().copied()));
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hulls_have_the_outer_corners() {
        let square = vec![[0.0, 0.0], [2.0, 2.0], [1.0, 1.0], [2.0, 0.0], [0.0, 2.0], [1.0, 0.0]];
        assert_eq!(hull(square.clone()), [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]);
        let ring = &area(square)["coordinates"][0];
        assert_eq!(ring.as_array().map(Vec::len), Some(5));
        assert_eq!(ring[0], ring[4], "a ring is closed");
        assert_eq!(hull(vec![[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]), [[0.0, 0.0], [2.0, 2.0]]);
        assert_eq!(area(vec![[1.0, 1.0], [1.0, 1.0]])["type"], "Point");
        assert_eq!(area(vec![[0.0, 0.0], [1.0, 1.0]])["type"], "LineString");
        assert_eq!(area(Vec::new()), Value::Null);
    }
}
