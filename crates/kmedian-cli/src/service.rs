//! Prints how far it is from the demand to its centers, in tables and as JSON.

use kmedian::{Service, Ways};
use kmedian_data::Column;
use serde_json::{Value, json};

use crate::cells::numbers;
use crate::console::grouped;
use crate::universe::Universe;

/// What the columns of [`cells`] are called.
pub(crate) const HEADS: [&str; 4] = ["mean", "median", "95 %", "max"];

/// A distance as text.
fn distance(away: f32) -> String {
    grouped(f64::from(away))
}

/// The mean, the median, the 95th percentile and the maximum distance, as cells of a table; dashes
/// if nobody is served.
pub(crate) fn cells(ways: Option<&Ways>) -> Vec<String> {
    ways.map_or_else(
        || vec!["–".to_owned(); HEADS.len()],
        |ways| {
            let others = [ways.median, ways.p95, ways.largest].map(distance);
            [grouped(ways.mean)].into_iter().chain(others).collect()
        },
    )
}

/// Mean, median, 95th percentile and largest distance in one line for people; `unit` is that of
/// distances, if it is known.
pub(crate) fn line(ways: &Ways, unit: Option<&str>) -> String {
    let unit = unit.map(|unit| format!(" {unit}")).unwrap_or_default();
    format!(
        "distance to the center: mean {}{unit}, median {}{unit}, 95 % within {}{unit}, at most {}{unit}\n",
        grouped(ways.mean),
        distance(ways.median),
        distance(ways.p95),
        distance(ways.largest)
    )
}

/// How far it is to the centers, overall and for each of them, as JSON; the items that are served
/// worst by their ids.
pub(crate) fn object(service: &Service, universe: &Universe) -> Value {
    let ways = |ways: &Ways| {
        json!({
            "mean": ways.mean,
            "median": ways.median,
            "p95": ways.p95,
            "max": ways.largest,
            "farthest": universe.label(ways.farthest),
        })
    };
    let mut object = ways(&service.overall);
    let centers = service.centers.iter().map(|center| center.as_ref().map(ways));
    object["centers"] = centers.map(|center| center.unwrap_or(Value::Null)).collect();
    object
}

/// The columns of a table of centers: a row for each center of each service. Centers that serve
/// nobody have zeros.
pub(crate) fn columns(services: &[Service]) -> Vec<Column> {
    let column = |name: &str, of: fn(&Ways) -> f64| {
        let centers = services.iter().flat_map(|service| &service.centers);
        numbers(name, centers.map(|center| center.as_ref().map_or(0.0, of)))
    };
    vec![
        column("mean_distance", |ways| ways.mean),
        column("median_distance", |ways| ways.median.into()),
        column("p95_distance", |ways| ways.p95.into()),
        column("max_distance", |ways| ways.largest.into()),
    ]
}
