//! The page of a private release. All of it may be published: it is computed from the release and
//! the public items alone.

use kmedian::privacy::Interval;
use kmedian::{Assignment, Service};
use serde_json::{Value, json};

use crate::encode;
use crate::fit::{chart, distance_cells, distance_heads, grouped, images, pictured, unit_of_cost};
use crate::html;
use crate::map::Map;
use crate::subject::Subject;
use crate::worst::farthest;

/// Private centers for one k.
pub struct Finding {
    /// The centers.
    pub centers: Vec<usize>,
    /// What the release says of them, if it has counts.
    pub estimate: Option<Estimate>,
}

/// What centers cost and serve, estimated from noisy counts.
pub struct Estimate {
    /// The estimated cost.
    pub cost: f64,
    /// Where the true cost is, with a probability of about 90 %.
    pub cost_interval: Interval,
    /// The estimated number of records of each center.
    pub sizes: Vec<f64>,
    /// Where the true number of records of each center is.
    pub size_intervals: Vec<Interval>,
    /// How far the estimated demand is from the centers.
    pub service: Option<Service>,
    /// Centers without data, to compare with.
    pub data_free: Option<DataFree>,
}

/// What centers cost that know nothing of the demand.
pub struct DataFree {
    /// Their cost, estimated from noisy counts.
    pub cost: f64,
    /// How much more they cost than the private centers, on the true demand.
    pub advantage: Interval,
}

/// The page of private centers for one or more k. `facts` are the terms of the release, as pairs of
/// a question and its answer; `is_private` is false for experiments, which the page then says at
/// the top. The items of the subject are public.
pub fn release_page(
    subject: &Subject<'_>,
    is_private: bool,
    facts: &[(String, String)],
    findings: &[Finding],
) -> String {
    let sizes: Vec<usize> = findings.iter().map(|finding| finding.centers.len()).collect();
    let pictured = pictured(subject.space.len(), &sizes, None);
    let assigned: Vec<Assignment> =
        pictured.iter().map(|&at| Assignment::new(subject.space, &findings[at].centers)).collect();
    let worst: Vec<Vec<usize>> =
        assigned.iter().map(|assignment| farthest(assignment, 0..subject.served)).collect();
    let centers = pictured.iter().flat_map(|&at| findings[at].centers.iter());
    let must: Vec<usize> = centers.chain(worst.iter().flatten()).copied().collect();
    let mut map = Map::new(subject, &must);
    let has_counts = findings.iter().all(|finding| finding.estimate.is_some());
    let mut pictures = Vec::new();
    for ((&at, assignment), worst) in pictured.iter().zip(&assigned).zip(&worst) {
        let finding = &findings[at];
        let mut picture = map.centers(&finding.centers, &assignment.labels);
        picture["k"] = json!(finding.centers.len());
        picture["tiles"] = tiles(subject, finding);
        picture["note"] = json!(finding.estimate.as_ref().and_then(doubt));
        let row = |slot: usize| row(subject, finding, slot);
        picture["rows"] = (0..finding.centers.len()).map(row).collect();
        let far = |&item: &usize| {
            json!([map.place(item), assignment.distances[item], assignment.labels[item]])
        };
        picture["worst"] = worst.iter().map(far).collect();
        pictures.push(picture);
    }
    let mut heads = vec![json!({"name": "center", "text": true})];
    if has_counts {
        let names = ["estimated records", "at least", "at most"];
        heads.extend(names.map(|name| json!({"name": name})));
        heads.extend(distance_heads(subject));
    }
    let data = json!({
        "kind": "release",
        "title": subject.title,
        "lead": format!(
            "Centers for private demand over {} public items. Everything here was computed from the release \
             and the public items: it says no more of anybody than the release does.",
            grouped(subject.space.len())
        ),
        "warning": (!is_private).then_some("NOT PRIVATE: an experiment, whose noise protects nobody."),
        "unit": subject.unit,
        "left_out": findings.len() - pictured.len(),
        "map": map.object(None),
        "fits": pictures,
        "heads": heads,
        "worst": "Public items that are farthest from a center",
        "charts": charts(subject, findings),
        "facts": facts,
        "images": images(subject, &map, &must),
    });
    html::page(subject.title, &data)
}

/// The numbers that sum up the centers of one k, all of them estimates.
fn tiles(subject: &Subject<'_>, finding: &Finding) -> Value {
    let Some(estimate) = &finding.estimate else { return json!([]) };
    let unit = unit_of_cost(subject);
    let Interval { low, high } = estimate.cost_interval;
    let mut tiles = vec![
        json!(["estimated cost", estimate.cost, unit]),
        json!(["it is with 90 % between", [low, high], unit]),
    ];
    if let Some(free) = &estimate.data_free {
        let Interval { low, high } = free.advantage;
        tiles.push(json!(["estimated cost without data", free.cost, unit]));
        tiles.push(json!(["data saves, with 90 %, between", [low, high], unit]));
    }
    if let Some(service) = &estimate.service {
        tiles.push(json!(["estimated mean distance", service.overall.mean, subject.unit]));
    }
    Value::Array(tiles)
}

/// A sentence if the private centers may be no better than centers without data.
fn doubt(estimate: &Estimate) -> Option<&'static str> {
    let free = estimate.data_free.as_ref()?;
    (free.advantage.low <= 0.0).then_some(
        "What the data saves cannot be told from zero: there are too few records for this ε to show that \
         these centers are better than centers without data.",
    )
}

fn row(subject: &Subject<'_>, finding: &Finding, slot: usize) -> Value {
    let mut row = vec![json!(encode::name(&(subject.name)(finding.centers[slot])))];
    if let Some(estimate) = &finding.estimate {
        // More digits than one after the point would be noise.
        let tenths = |size: f64| (size * 10.0).round() / 10.0;
        let Interval { low, high } = estimate.size_intervals[slot];
        row.extend([estimate.sizes[slot], low, high].map(|size| json!(tenths(size))));
        let service = estimate.service.as_ref();
        row.extend(distance_cells(service.and_then(|all| all.centers[slot].as_ref())));
    }
    Value::Array(row)
}

/// The curve of estimated costs over k, with that of centers without data.
fn charts(subject: &Subject<'_>, findings: &[Finding]) -> Value {
    let known =
        findings.iter().filter_map(|f| Some((f.centers.len() as f64, f.estimate.as_ref()?)));
    let mut known: Vec<(f64, &Estimate)> = known.collect();
    known.sort_by(|a, b| a.0.total_cmp(&b.0));
    known.dedup_by_key(|found| found.0 as usize);
    if known.len() < 2 {
        return json!([]);
    }
    let costs: Vec<[f64; 4]> = known
        .iter()
        .map(|(k, found)| [*k, found.cost, found.cost_interval.low, found.cost_interval.high])
        .collect();
    let free: Vec<[f64; 2]> =
        known.iter().filter_map(|(k, found)| Some([*k, found.data_free.as_ref()?.cost])).collect();
    let unit = unit_of_cost(subject).map(|unit| format!(", {unit}")).unwrap_or_default();
    let series = vec![
        json!({"name": "private centers, with 90 % intervals", "points": costs}),
        json!({"name": "centers without data", "points": free, "dotted": true}),
    ];
    json!([chart(
        "What the centers cost, estimated",
        &format!("estimated cost{unit}"),
        series,
        true
    )])
}
