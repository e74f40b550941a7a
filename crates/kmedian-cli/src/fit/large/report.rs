//! Reports what was found of items that were read chunk by chunk.

use std::time::Duration;

use kmedian::rounds::RoundsFit;
use kmedian_data::Column;
use serde_json::{Value, json};

use super::files::Files;
use crate::args::FitArgs;
use crate::cells::{CENTER_COLUMNS, free_name, integers, numbers, texts};
use crate::console::{counted, grouped, printable, table};

/// The most centers that are listed one by one, as of other fits.
const LISTED: usize = 20;

/// The report for people.
pub(super) fn summary(
    args: &FitArgs,
    files: &Files,
    found: &RoundsFit,
    ids: Option<&[String]>,
    time: Duration,
) -> String {
    let k = found.centers.len();
    let mut text = format!(
        "{} in {}, {}, {}, k-{}\n\n",
        counted(found.items as usize, "item"),
        counted(files.paths().len(), "file"),
        counted(found.chunks as usize, "chunk"),
        args.input.space.metric,
        args.goal.objective
    );
    let heads = ["k", "first cost", "cost", "rounds", "stop", "seconds"];
    let first = found.costs.first().copied().unwrap_or(found.cost);
    let row = [
        k.to_string(),
        grouped(first),
        grouped(found.cost),
        found.costs.len().to_string(),
        found.stop.to_owned(),
        format!("{:.2}", time.as_secs_f64()),
    ];
    text += &table(&[heads.map(String::from).to_vec(), row.to_vec()]);
    text +=
        &format!("\n{} stood for all at first\n\n", counted(found.coreset_size, "weighted item"));
    let mut slots: Vec<usize> = (0..k).collect();
    slots.sort_by(|&a, &b| found.sizes[b].total_cmp(&found.sizes[a]).then(a.cmp(&b)));
    let mut rows = vec![vec!["center".to_owned(), "demand".to_owned(), "file".to_owned()]];
    for &slot in slots.iter().take(LISTED) {
        let place = found.centers.places[slot];
        let (file, row) = files.place(place);
        let name = ids.map_or_else(|| place.to_string(), |ids| ids[slot].clone());
        let place = format!("{}, row {}", file.display(), row + 1);
        rows.push(vec![printable(&name), grouped(found.sizes[slot]), printable(&place)]);
    }
    text += &table(&rows);
    if let Some(rest) = k.checked_sub(LISTED).filter(|&rest| rest > 0) {
        text += &format!("… and {rest} more; --centers FILE writes them all\n");
    }
    text
}

/// The report as JSON, with what other fits have of it under the same names.
pub(super) fn json(
    args: &FitArgs,
    files: &Files,
    found: &RoundsFit,
    ids: Option<&[String]>,
    time: Duration,
) -> String {
    let places = &found.centers.places;
    let centers: Value = match ids {
        Some(ids) => json!(ids),
        None => json!(places),
    };
    let fit = json!({
        "k": places.len(),
        "init_cost": found.costs.first(),
        "cost": found.cost,
        "centers": centers,
        "center_indices": places,
        "served": found.sizes,
        "costs": found.costs,
        "rounds": found.costs.len(),
        "coreset_size": found.coreset_size,
        "coreset_cost": found.coreset_cost,
        "stop": found.stop,
        "seconds": {"all": time.as_secs_f64()},
    });
    let value = json!({
        "n": found.items,
        "files": files.paths().len(),
        "chunks": found.chunks,
        "metric": args.input.space.metric.to_string(),
        "objective": args.goal.objective.to_string(),
        "seconds": {"all": time.as_secs_f64()},
        "fits": [fit],
    });
    format!("{value:#}\n")
}

/// The table of `--centers`.
pub(super) fn centers_table(
    files: &Files,
    found: &RoundsFit,
    ids: Option<&[String]>,
) -> Vec<Column> {
    let (k, places) = (found.centers.len(), &found.centers.places);
    let mut columns = vec![
        integers("k", places.iter().map(|_| k)),
        integers("index", places.iter().map(|&place| place as usize)),
    ];
    if let Some(ids) = ids {
        columns.push(texts("id", ids.iter().cloned()));
    }
    columns.push(numbers("served", found.sizes.iter().copied()));
    for (at, name) in files.columns().iter().enumerate() {
        let taken = |name: &str| CENTER_COLUMNS.contains(&name);
        let values = (0..k).map(|slot| f64::from(found.centers.row(slot)[at]));
        columns.push(numbers(&free_name(name, taken), values));
    }
    columns
}
