//! Reports what `kmedian fit` found: as a table for people, as JSON, and as files.

use std::time::Duration;

use kmedian::Clustering;
use kmedian_data::Column;
use serde_json::{Value, json};

use crate::args::{FitArgs, Ks};
use crate::cells::{integers, numbers, texts};
use crate::console::{number, table};
use crate::universe::Universe;

/// The most centers that are listed one by one on the terminal.
const LISTED_SIZES: usize = 20;

/// The number of items that each center has, in the order of the centers.
fn sizes(fit: &Clustering) -> Vec<usize> {
    fit.assignment.sizes(fit.centers.len())
}

/// The report for people: a table with a line for each k and, for a single k, its largest centers.
pub(crate) fn summary(
    args: &FitArgs,
    universe: &Universe,
    fits: &[Clustering],
    load: Duration,
) -> String {
    let objective = args.goal.objective;
    let mut text = format!("{} items, {}, k-{objective}\n\n", universe.len(), universe.metric);
    let heads =
        ["k", "init cost", "cost", "swaps", "passes", "stop", "tree s", "init s", "search s"];
    let mut rows = vec![heads.map(String::from).to_vec()];
    for found in fits {
        rows.push(vec![
            found.centers.len().to_string(),
            number(found.init_cost),
            number(found.cost),
            found.swaps.to_string(),
            found.passes.to_string(),
            found.stop.to_string(),
            seconds(found.times.tree),
            seconds(found.times.init),
            seconds(found.times.search),
        ]);
    }
    text += &table(&rows);
    text += &format!("\nloaded in {} s\n", seconds(load));
    if let [fit] = fits {
        text += &describe(universe, fit);
    }
    text
}

/// A table of the centers of one fit, those with the most demand first: how many items each has,
/// and how much demand.
fn describe(universe: &Universe, fit: &Clustering) -> String {
    let centers = &fit.centers;
    let (sizes, served) = (sizes(fit), fit.assignment.served(centers.len(), &universe.demand));
    let mut slots: Vec<usize> = (0..centers.len()).collect();
    slots.sort_by(|&a, &b| served[b].total_cmp(&served[a]).then(centers[a].cmp(&centers[b])));
    let mut rows = vec![["center", "items", "demand"].map(String::from).to_vec()];
    for &slot in slots.iter().take(LISTED_SIZES) {
        rows.push(vec![
            universe.name(centers[slot]),
            sizes[slot].to_string(),
            number(served[slot]),
        ]);
    }
    let more = match slots.len().saturating_sub(LISTED_SIZES) {
        0 => String::new(),
        rest => format!("… and {rest} more; --centers FILE writes them all\n"),
    };
    format!("\n{}{more}", table(&rows))
}

/// The report as JSON: one object for one k, an array for several.
pub(crate) fn json(
    args: &FitArgs,
    universe: &Universe,
    fits: &[Clustering],
    load: Duration,
) -> String {
    let mut objects: Vec<Value> =
        fits.iter().map(|fit| object(args, universe, fit, load)).collect();
    let single = Ks::is_single(args.out.k.as_ref());
    let value = if single { objects.pop().unwrap_or(Value::Null) } else { Value::Array(objects) };
    format!("{value:#}\n")
}

/// What to say if centers were not certified because that would take so long.
pub(crate) fn uncertified(time: Duration) -> String {
    let time = match time.as_secs() {
        seconds @ ..100 => format!("{seconds} seconds"),
        seconds @ ..6000 => format!("{} minutes", seconds / 60),
        seconds => format!("{} hours", seconds / 3600),
    };
    format!(
        "the centers are not certified to be a local optimum: that would take about {time} on one thread; \
         --effort certified does it"
    )
}

fn object(args: &FitArgs, universe: &Universe, found: &Clustering, load: Duration) -> Value {
    let positions: Vec<usize> =
        found.centers.iter().map(|&center| universe.position(center)).collect();
    let centers: Value = if universe.has_ids() {
        found.centers.iter().map(|&center| universe.name(center)).collect()
    } else {
        json!(positions)
    };
    json!({
        "n": universe.len(),
        "k": found.centers.len(),
        "metric": universe.metric,
        "objective": args.goal.objective.to_string(),
        "init_cost": found.init_cost,
        "cost": found.cost,
        "centers": centers,
        "center_indices": positions,
        "sizes": sizes(found),
        "served": found.assignment.served(found.centers.len(), &universe.demand),
        "swaps": found.swaps,
        "passes": found.passes,
        "restarts": found.restarts,
        "stop": found.stop.to_string(),
        "certifying_seconds": found.certifying.map(|time| time.as_secs_f64()),
        "tactics": {
            "distances": found.tactics.distances.to_string(),
            "pruning": found.tactics.pruning.to_string(),
            "sampled": found.tactics.sampled,
        },
        "seconds": {
            "load": load.as_secs_f64(),
            "tree": found.times.tree.as_secs_f64(),
            "init": found.times.init.as_secs_f64(),
            "search": found.times.search.as_secs_f64(),
        },
    })
}

/// The table of `--centers`: a row for each center of each k.
pub(crate) fn centers_table(universe: &Universe, fits: &[Clustering]) -> Vec<Column> {
    let rows = || fits.iter().flat_map(|fit| fit.centers.iter().map(move |&center| (fit, center)));
    let mut columns = vec![
        integers("k", rows().map(|(fit, _)| fit.centers.len())),
        integers("index", rows().map(|(_, center)| universe.position(center))),
    ];
    if universe.has_ids() {
        columns.push(texts("id", rows().map(|(_, center)| universe.name(center))));
    }
    columns.push(integers("size", fits.iter().flat_map(sizes)));
    let served =
        fits.iter().flat_map(|fit| fit.assignment.served(fit.centers.len(), &universe.demand));
    columns.push(numbers("served", served));
    columns
}

/// The table of `--labels`: a row for each item and each k.
pub(crate) fn labels_table(universe: &Universe, fits: &[Clustering]) -> Vec<Column> {
    let rows = || fits.iter().flat_map(|fit| (0..universe.len()).map(move |item| (fit, item)));
    let label = |fit: &Clustering, item: usize| fit.assignment.labels[item] as usize;
    let center = |fit: &Clustering, item: usize| fit.centers[label(fit, item)];
    let mut columns = vec![
        integers("k", rows().map(|(fit, _)| fit.centers.len())),
        integers("index", rows().map(|(_, item)| universe.position(item))),
    ];
    if universe.has_ids() {
        columns.push(texts("id", rows().map(|(_, item)| universe.name(item))));
    }
    columns.push(integers("label", rows().map(|(fit, item)| label(fit, item))));
    columns.push(integers(
        "center_index",
        rows().map(|(fit, item)| universe.position(center(fit, item))),
    ));
    if universe.has_ids() {
        columns
            .push(texts("center_id", rows().map(|(fit, item)| universe.name(center(fit, item)))));
    }
    columns.push(numbers(
        "distance",
        rows().map(|(fit, item)| f64::from(fit.assignment.distances[item])),
    ));
    columns
}

fn seconds(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64())
}
