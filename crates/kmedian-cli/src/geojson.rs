//! `--geojson`: centers, and what they serve, as features for a map.

mod shapes;

use std::path::Path;

use kmedian::Metric;
use serde_json::{Map, Value, json};

use crate::console::{note, printable};
use crate::failure::Failure;
use crate::geo::{self, Axis};
use crate::places::Places;
use crate::universe::Universe;
use shapes::{area, segments, wrapped};

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
    note_plain(places);
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

/// Whether the coordinates of items are degrees on the globe.
fn on_globe(places: &Places) -> bool {
    places.metric() == Metric::Haversine || geo::are_degrees(places.names())
}

/// Says so if coordinates go out as they are, though they cannot be degrees.
fn note_plain(places: &Places) {
    let [x, y] = [0, 1].map(|axis| places.values().into_iter().skip(axis).step_by(2));
    let most = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, |a: f64, b| a.max(b.abs()));
    let [x, y] = [most(&mut { x }), most(&mut { y })];
    if !on_globe(places) && (x.max(y) > 360.0 || x.min(y) > 90.0) {
        note(&format!(
            "--geojson: {} are written as they are, but maps want longitude and latitude in degrees",
            printable(&places.names().join(" and "))
        ));
    }
}

/// A place as GeoJSON has it, longitude first, and from -180 to 180. Plain coordinates are taken as
/// they are, unless their names say that the latitude comes first.
fn coordinates(places: &Places, item: usize) -> [f64; 2] {
    let [first, second] = [places.value(item, 0), places.value(item, 1)];
    let latitude_first = places.metric() == Metric::Haversine
        || geo::axis(&places.names()[0]) == Some(Axis::Latitude);
    let [x, y] = if latitude_first { [second, first] } else { [first, second] };
    if on_globe(places) { [wrapped(x), y] } else { [x, y] }
}

/// The area of each of k centers, given the center of every item.
fn areas(universe: &Universe, places: &Places, labels: &[u32], k: usize) -> Vec<Value> {
    let globe = on_globe(places);
    let mut served = vec![Vec::new(); k];
    for item in 0..universe.served() {
        served[labels[item] as usize].push(coordinates(places, item));
    }
    let Some(roads) = universe.roads() else {
        return served.into_iter().map(|served| area(served, globe)).collect();
    };
    let mut lines = vec![Vec::new(); k];
    for [a, b] in roads.iter().map(|road| road.map(|node| node as usize)) {
        if labels[a] == labels[b] {
            let road = [coordinates(places, a), coordinates(places, b)];
            lines[labels[a] as usize].extend(segments(road, globe));
        }
    }
    let area = |(lines, served): (Vec<[[f64; 2]; 2]>, _)| match lines.is_empty() {
        // A center that serves itself alone has no road.
        true => area(served, globe),
        false => json!({"type": "MultiLineString", "coordinates": lines}),
    };
    lines.into_iter().zip(served).map(area).collect()
}
