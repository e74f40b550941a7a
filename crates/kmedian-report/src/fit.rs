//! The page of centers that were fitted.

use kmedian::{Clustering, Demand, Objective, Service, Tried, Ways, suggest_k};
use serde_json::{Map as Object, Value, json};

use crate::encode;
use crate::html;
use crate::map::Map;
use crate::subject::Subject;
use crate::thin::MOST_SHOWN;
use crate::worst::farthest;

/// About how many bytes the pictures of all k may take together, as they make the page large;
/// with more, only some k have one.
const MOST_BYTES: usize = 6_000_000;
/// About how many bytes a row of the table of centers takes.
const BYTES_OF_ROW: usize = 80;
/// The most thumbnails of a page. Each adds its pixels to the size of the page.
const MOST_IMAGES: usize = 1500;

/// The page of centers for one or more k: a map with the centers and what they serve, a slider over
/// the k, the cost and the silhouette over k, tables of centers and of the items that are served
/// worst.
pub fn fit_page(subject: &Subject<'_>, demand: &Demand, fits: &[Clustering]) -> String {
    let suggestion = suggest_k(&fits.iter().map(Tried::of).collect::<Vec<_>>());
    let sizes: Vec<usize> = fits.iter().map(|fit| fit.centers.len()).collect();
    let pictured = pictured(subject.space.len(), &sizes, suggestion.map(|found| found.k));
    let worst_of = |fit: &Clustering| {
        let items = (0..subject.served).filter(|&item| demand.of(item) > 0.0);
        farthest(&fit.assignment, items)
    };
    let worst: Vec<Vec<usize>> = pictured.iter().map(|&at| worst_of(&fits[at])).collect();
    let centers = pictured.iter().flat_map(|&at| fits[at].centers.iter());
    let must: Vec<usize> = centers.chain(worst.iter().flatten()).copied().collect();
    let mut map = Map::new(subject, &must);
    let is_weighted = (0..subject.served).any(|item| demand.of(item) != demand.of(0));
    let mut pictures = Vec::new();
    for (&at, worst) in pictured.iter().zip(&worst) {
        let fit = &fits[at];
        let service = fit.assignment.service(fit.centers.len(), demand);
        let mut picture = map.centers(&fit.centers, &fit.assignment.labels);
        picture["k"] = json!(fit.centers.len());
        picture["tiles"] = tiles(subject, fit, &service);
        picture["rows"] = rows(subject, demand, fit, &service, is_weighted);
        picture["worst"] = worst
            .iter()
            .map(|&item| {
                let slot = fit.assignment.labels[item];
                json!([map.place(item), fit.assignment.distances[item], slot])
            })
            .collect();
        pictures.push(picture);
    }
    let mut heads = vec![json!({"name": "center", "text": true}), json!({"name": "items"})];
    if is_weighted {
        heads.push(json!({"name": "demand"}));
    }
    heads.extend(distance_heads(subject));
    let data = json!({
        "kind": "fit",
        "title": subject.title,
        "lead": lead(subject),
        "unit": subject.unit,
        "suggested": suggestion.map(|found| json!({"k": found.k, "why": found.to_string()})),
        "left_out": fits.len() - pictured.len(),
        "map": map.object(Some(demand)),
        "fits": pictures,
        "heads": heads,
        "worst": "Served worst",
        "charts": charts(subject, fits),
        "images": images(subject, &map, &must),
    });
    html::page(subject.title, &data)
}

/// Which of several k have a picture: all, or, if these would be too large together, some at even
/// steps, the suggested one, and the last.
pub(crate) fn pictured(n: usize, sizes: &[usize], suggested: Option<usize>) -> Vec<usize> {
    let total: usize = sizes.iter().map(|k| n.min(MOST_SHOWN) + BYTES_OF_ROW * k).sum();
    let step = total.div_ceil(MOST_BYTES).max(1);
    let is_kept =
        |&at: &usize| at % step == 0 || at + 1 == sizes.len() || suggested == Some(sizes[at]);
    (0..sizes.len()).filter(is_kept).collect()
}

/// What the page is about, in a sentence.
fn lead(subject: &Subject<'_>) -> String {
    let sites = subject.space.len() - subject.served;
    let among = match sites {
        0 => "among them".to_owned(),
        _ => format!("among {} sites", grouped(sites)),
    };
    let near = match subject.objective {
        Objective::Median => "so that the distances to them add up to as little as possible",
        _ => "so that the squares of the distances to them add up to as little as possible",
    };
    let items = grouped(subject.served);
    format!(
        "{items} items, and centers {among} that stand for all, chosen {near}. Distance: {}.",
        subject.metric
    )
}

/// A whole number with commas between thousands.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// The unit of costs.
pub(crate) fn unit_of_cost(subject: &Subject<'_>) -> Option<String> {
    let unit = subject.unit?;
    Some(if subject.objective == Objective::Median { unit.to_owned() } else { format!("{unit}²") })
}

/// The numbers that sum up the centers of one k.
fn tiles(subject: &Subject<'_>, fit: &Clustering, service: &Service) -> Value {
    let ways = &service.overall;
    let mut tiles = vec![
        json!(["mean distance", ways.mean, subject.unit]),
        json!(["95 % are within", ways.p95, subject.unit]),
        json!(["farthest", ways.largest, subject.unit]),
        json!(["cost", fit.cost, unit_of_cost(subject)]),
    ];
    if let Some(silhouette) = fit.silhouette {
        tiles.push(json!(["silhouette", silhouette, null]));
    }
    if let Some(gap) = fit.gap() {
        // Rounded up: never less is claimed than was proven.
        let percent = (gap * 1e4).ceil() / 100.0;
        tiles.push(json!(["above the best possible, at most", percent, "%"]));
    }
    Value::Array(tiles)
}

/// What the columns of distances are called.
pub(crate) fn distance_heads(subject: &Subject<'_>) -> Vec<Value> {
    let unit = subject.unit.map(|unit| format!(", {unit}")).unwrap_or_default();
    let names = ["mean distance", "median", "95 % within", "farthest"];
    names.map(|name| json!({"name": format!("{name}{unit}")})).to_vec()
}

/// Mean, median, 95th percentile and maximum, as cells of a row; `null` if nobody is served.
pub(crate) fn distance_cells(ways: Option<&Ways>) -> Vec<Value> {
    let cells = ways.map(|ways| {
        [ways.mean, ways.median.into(), ways.p95.into(), ways.largest.into()].map(Value::from)
    });
    cells.map_or_else(|| vec![Value::Null; 4], Vec::from)
}

/// The rows of the table of centers of one k.
fn rows(
    subject: &Subject<'_>,
    demand: &Demand,
    fit: &Clustering,
    service: &Service,
    is_weighted: bool,
) -> Value {
    let k = fit.centers.len();
    let mut sizes = vec![0_usize; k];
    let labels = &fit.assignment.labels[..subject.served];
    labels.iter().for_each(|&label| sizes[label as usize] += 1);
    let served = fit.assignment.served(k, demand);
    let row = |slot: usize| {
        let name = encode::name(&(subject.name)(fit.centers[slot]));
        let mut row = vec![json!(name), json!(sizes[slot])];
        if is_weighted {
            row.push(json!(served[slot]));
        }
        row.extend(distance_cells(service.centers[slot].as_ref()));
        Value::Array(row)
    };
    (0..k).map(row).collect()
}

/// The curves over k: of the cost, with what is possible, and of the silhouette.
fn charts(subject: &Subject<'_>, fits: &[Clustering]) -> Value {
    let mut ordered: Vec<&Clustering> = fits.iter().collect();
    ordered.sort_by_key(|fit| fit.centers.len());
    ordered.dedup_by_key(|fit| fit.centers.len());
    if ordered.len() < 2 {
        return json!([]);
    }
    let points = |of: &dyn Fn(&Clustering) -> Option<f64>| -> Vec<[f64; 2]> {
        ordered.iter().filter_map(|fit| Some([fit.centers.len() as f64, of(fit)?])).collect()
    };
    let mut costs = vec![json!({"name": "cost", "points": points(&|fit| Some(fit.cost))})];
    let bounds = points(&|fit| fit.bound);
    if !bounds.is_empty() {
        costs.push(json!({"name": "no centers can cost less", "points": bounds, "dotted": true}));
    }
    let unit = unit_of_cost(subject).map(|unit| format!(", {unit}")).unwrap_or_default();
    json!([
        chart("What the centers cost", &format!("cost{unit}"), costs, true),
        chart(
            "How clearly they are apart",
            "silhouette",
            vec![json!({"name": "silhouette", "points": points(&|fit| fit.silhouette)})],
            false
        ),
    ])
}

/// A chart over k.
pub(crate) fn chart(title: &str, y: &str, series: Vec<Value>, from_zero: bool) -> Value {
    let mut chart = Object::new();
    chart.insert("title".into(), title.into());
    chart.insert("x".into(), "number of centers, k".into());
    chart.insert("y".into(), y.into());
    chart.insert("whole".into(), true.into());
    chart.insert("picks".into(), true.into());
    chart.insert("zero".into(), from_zero.into());
    chart.insert("series".into(), series.into());
    chart.into()
}

/// The pictures of items, by their places on the map: `null` if items are none.
pub(crate) fn images(subject: &Subject<'_>, map: &Map<'_>, items: &[usize]) -> Value {
    let Some(images) = &subject.images else { return Value::Null };
    let mut items = items.to_vec();
    items.sort_unstable();
    items.dedup();
    items.truncate(MOST_IMAGES);
    let of = |&item: &usize| {
        let place = map.place(item)?;
        Some((place.to_string(), json!(encode::bytes(&images.bytes(item)))))
    };
    let pictures: Object<String, Value> = items.iter().filter_map(of).collect();
    json!({"width": images.width, "height": images.height, "of": pictures})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn too_many_pictures_are_thinned_but_not_the_suggested_one() {
        let all: Vec<usize> = (2..=30).collect();
        assert_eq!(pictured(20_000, &all, Some(15)).len(), 29);
        let many: Vec<usize> = (1..=2000).collect();
        let kept = pictured(50_000, &many, Some(778));
        assert!(kept.len() < 400 && kept.contains(&777) && kept.contains(&1999) && kept[0] == 0);
    }
}
