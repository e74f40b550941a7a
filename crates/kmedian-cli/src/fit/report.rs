//! Reports what `kmedian fit` found: as a table for people, as JSON, and as files.

use std::time::Duration;

use kmedian::{Clustering, Objective, Service, Stop};
use kmedian_data::Column;
use serde_json::{Value, json};

use super::choose;
use crate::args::FitArgs;
use crate::cells::{add_centers, add_items, integers, numbers, texts};
use crate::console::{grouped, printable, table};
use crate::geojson::Shown;
use crate::service;
use crate::universe::Universe;

/// The most centers that are listed one by one on the terminal, so that a table fits on a screen;
/// a file has all of them.
const LISTED_SIZES: usize = 20;

/// The number of items that each center has, in the order of the centers; of clients, if sites are
/// apart from them.
fn sizes(universe: &Universe, fit: &Clustering) -> Vec<usize> {
    let mut sizes = vec![0; fit.centers.len()];
    let labels = &fit.assignment.labels[..universe.served()];
    labels.iter().for_each(|&label| sizes[label as usize] += 1);
    sizes
}

/// The report for people: a table with a line for each k and, for a single k, its largest centers.
pub(crate) fn summary(
    args: &FitArgs,
    universe: &Universe,
    fits: &[Clustering],
    load: Duration,
) -> String {
    let objective = args.goal.objective;
    let mut text = headline(fits);
    text += &format!("{}, {}, k-{objective}\n\n", universe.described(), universe.metric);
    let proven = fits.iter().any(|found| found.bound.is_some());
    let unit = match (universe.unit(), objective) {
        (None, _) => String::new(),
        (Some(unit), Objective::Median) => format!(" {unit}"),
        (Some(unit), _) => format!(" {unit}²"),
    };
    let heads =
        ["k", "init cost", "cost", "swaps", "passes", "stop", "tree s", "init s", "search s"];
    let suggestion = choose::suggestion(fits);
    let head =
        |name: &str| if name.ends_with("cost") { format!("{name}{unit}") } else { name.into() };
    let mut heads = heads.map(head).to_vec();
    let compared = choose::columns(fits, suggestion.as_ref());
    heads.splice(3..3, choose::heads(fits));
    if proven {
        heads.splice(3..3, ["bound", "gap %"].map(String::from));
        heads.push("bound s".to_string());
    }
    let mut rows = vec![heads];
    for (found, compared) in fits.iter().zip(compared) {
        let mut row = vec![
            found.centers.len().to_string(),
            grouped(found.init_cost),
            grouped(found.cost),
            found.swaps.to_string(),
            found.passes.to_string(),
            found.stop.to_string(),
            seconds(found.times.tree),
            seconds(found.times.init),
            seconds(found.times.search),
        ];
        row.splice(3..3, compared);
        if proven {
            let bound = found.bound.map_or_else(String::new, grouped);
            row.splice(3..3, [bound, found.gap().map_or_else(String::new, percent)]);
            row.push(seconds(found.times.bound));
        }
        rows.push(row);
    }
    text += &table(&rows);
    if let Some(suggestion) = suggestion {
        text += &format!("\nsuggested: {suggestion}\n");
    }
    text += &format!("\nloaded in {} s\n", seconds(load));
    text += &ways(universe, fits);
    if let [fit] = fits {
        text += &worst(universe, fit);
        text += &describe(universe, fit);
    }
    text
}

/// The first line, if there is one fit whose cost was bounded: how near it is to the best possible.
fn headline(fits: &[Clustering]) -> String {
    let [fit] = fits else { return String::new() };
    let Some(excess) = fit.excess() else { return String::new() };
    let cost = grouped(fit.cost);
    if excess.is_infinite() {
        return format!("cost {cost}, of which nothing is proven\n");
    }
    format!("cost {cost}, proven within {} % of the best possible\n", percent(excess))
}

/// A share in percent, rounded up, so that less is never claimed than was proven.
fn percent(share: f64) -> String {
    let hundredths = (share * 1e4 - 1e-6).max(0.0).ceil();
    format!("{:.2}", hundredths / 100.0)
}

/// The item with demand that is farthest from its center.
fn worst(universe: &Universe, fit: &Clustering) -> String {
    let distances = &fit.assignment.distances;
    let served = (0..universe.served()).filter(|&item| universe.demand.of(item) > 0.0);
    let farthest = served.max_by(|&a, &b| distances[a].total_cmp(&distances[b]).then(b.cmp(&a)));
    let Some(worst) = farthest else { return String::new() };
    let unit = universe.unit().map(|unit| format!(" {unit}")).unwrap_or_default();
    format!(
        "served worst: {}, {}{unit} from {}\n",
        printable(&universe.name(worst)),
        grouped(f64::from(distances[worst])),
        printable(&universe.name(fit.centers[fit.assignment.labels[worst] as usize]))
    )
}

/// How far it is to the centers: a line for one k, a table for several.
fn ways(universe: &Universe, fits: &[Clustering]) -> String {
    if let [fit] = fits {
        return service::line(&service_of(universe, fit).overall, universe.unit());
    }
    let mut rows = vec![vec!["k".to_owned()]];
    rows[0].extend(service::HEADS.map(String::from));
    for fit in fits {
        let mut row = vec![fit.centers.len().to_string()];
        row.extend(service::cells(Some(&service_of(universe, fit).overall)));
        rows.push(row);
    }
    format!("\ndistance to the center:\n{}", table(&rows))
}

/// How far the demand is from the centers of a fit.
fn service_of(universe: &Universe, fit: &Clustering) -> Service {
    fit.assignment.service(fit.centers.len(), &universe.demand)
}

/// A table of the centers of one fit, those with the most demand first: how many items each has,
/// how much demand, and how far that is.
fn describe(universe: &Universe, fit: &Clustering) -> String {
    let centers = &fit.centers;
    let (sizes, served) =
        (sizes(universe, fit), fit.assignment.served(centers.len(), &universe.demand));
    let mut slots: Vec<usize> = (0..centers.len()).collect();
    slots.sort_by(|&a, &b| served[b].total_cmp(&served[a]).then(centers[a].cmp(&centers[b])));
    let ways = service_of(universe, fit).centers;
    let heads = ["center", "items", "demand"].into_iter().chain(service::HEADS);
    let mut rows = vec![heads.map(String::from).collect()];
    for &slot in slots.iter().take(LISTED_SIZES) {
        let mut row =
            vec![universe.name(centers[slot]), sizes[slot].to_string(), grouped(served[slot])];
        row.extend(service::cells(ways[slot].as_ref()));
        rows.push(row);
    }
    let more = match slots.len().saturating_sub(LISTED_SIZES) {
        0 => String::new(),
        rest => format!("… and {rest} more; --centers FILE writes them all\n"),
    };
    format!("\n{}{more}", table(&rows))
}

/// The report as JSON: one object, with an entry of `fits` for each k.
pub(crate) fn json(
    args: &FitArgs,
    universe: &Universe,
    fits: &[Clustering],
    load: Duration,
) -> String {
    let suggestion = choose::suggestion(fits);
    let value = json!({
        "n": universe.served(),
        "metric": universe.metric,
        "objective": args.goal.objective.to_string(),
        "suggested_k": suggestion.map(|suggestion| suggestion.k),
        "suggested_because": suggestion.map(|suggestion| suggestion.to_string()),
        "seconds": {"load": load.as_secs_f64()},
        "fits": fits.iter().map(|fit| object(universe, fit)).collect::<Vec<Value>>(),
    });
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

/// How far a time limit may be exceeded without a note: less than a second is not worth a line.
const WORTH_A_NOTE: Duration = Duration::from_secs(1);

/// What is said if bounds took longer than the time limit, which a pass over all sites may.
pub(crate) fn overdue(limit: Duration, fits: &[Clustering]) -> Option<String> {
    let took =
        fits.iter().filter(|fit| fit.bound.is_some()).map(|fit| fit.times.search + fit.times.bound);
    let over = took.max()?.checked_sub(limit).filter(|over| *over > WORTH_A_NOTE)?;
    Some(format!(
        "the time limit of {} s was exceeded by {} s: any bound takes a pass over all sites, which did not fit into it",
        limit.as_secs_f64(),
        seconds(over)
    ))
}

/// What is said if a gap that was asked for was not proven although there was time.
pub(crate) fn unproven(asked: f64, fits: &[Clustering]) -> Option<String> {
    let ended_by_itself = |fit: &&Clustering| fit.stop == Stop::LocalOptimum;
    let left = fits.iter().filter(ended_by_itself).filter_map(Clustering::gap);
    let largest = left.max_by(f64::total_cmp).filter(|gap| *gap > asked)?;
    Some(format!(
        "a gap of {} % was not proven: it is {} %, and neither centers nor bound got better; --effort optimal goes on by cases",
        percent(asked),
        percent(largest)
    ))
}

fn object(universe: &Universe, found: &Clustering) -> Value {
    let positions: Vec<usize> =
        found.centers.iter().map(|&center| universe.position(center)).collect();
    let centers: Value = found.centers.iter().map(|&center| universe.label(center)).collect();
    json!({
        "k": found.centers.len(),
        "init_cost": found.init_cost,
        "cost": found.cost,
        "silhouette": found.silhouette,
        "bound": found.bound,
        "gap": found.gap(),
        "centers": centers,
        "center_indices": positions,
        "sizes": sizes(universe, found),
        "served": found.assignment.served(found.centers.len(), &universe.demand),
        "service": service::object(&service_of(universe, found), universe),
        "fixed": universe.sites.fixed().len(),
        "candidates": found_among(universe),
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
            "tree": found.times.tree.as_secs_f64(),
            "init": found.times.init.as_secs_f64(),
            "search": found.times.search.as_secs_f64(),
            "bound": found.times.bound.as_secs_f64(),
        },
    })
}

/// The number of items that may be centers.
fn found_among(universe: &Universe) -> usize {
    (0..universe.len()).filter(|&item| universe.sites.is_candidate(item)).count()
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
    columns.push(integers("size", fits.iter().flat_map(|fit| sizes(universe, fit))));
    let served =
        fits.iter().flat_map(|fit| fit.assignment.served(fit.centers.len(), &universe.demand));
    columns.push(numbers("served", served));
    let services: Vec<Service> = fits.iter().map(|fit| service_of(universe, fit)).collect();
    columns.extend(service::columns(&services));
    add_centers(&mut columns, universe, fits.iter().flat_map(|fit| fit.centers.iter().copied()));
    columns
}

/// The table of `--labels`: a row for each item and each k.
pub(crate) fn labels_table(universe: &Universe, fits: &[Clustering]) -> Vec<Column> {
    let rows = || fits.iter().flat_map(|fit| (0..universe.served()).map(move |item| (fit, item)));
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
    add_items(&mut columns, universe, fits.iter().flat_map(|_| 0..universe.served()));
    columns
}

/// The centers of one k for a map.
pub(crate) fn shown<'a>(universe: &Universe, fit: &'a Clustering) -> Shown<'a> {
    let served = fit.assignment.served(fit.centers.len(), &universe.demand);
    let properties = sizes(universe, fit).into_iter().zip(served).map(|(size, served)| {
        let members = [("size", json!(size)), ("served", json!(served))];
        members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    });
    let properties = properties.collect();
    Shown { centers: &fit.centers, properties, labels: Some(&fit.assignment.labels) }
}

fn seconds(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64())
}
