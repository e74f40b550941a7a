//! Private accuracy: its cells, and the map of who wins in each.

use std::collections::BTreeMap;

use super::names::{PAPER_DATA, data_label, in_order};
use super::select::{Rows, output};
use super::stats::Summary;
use super::table::{Entry, Table, Tone, plain};
use crate::row::{Row, Stated};

/// How much more or less than centers without data counts as a difference, as a share of
/// their cost: half a percent.
pub const MARGIN: f64 = 0.005;

/// What was measured of private centers in one setting, with one ε and one k.
pub struct Cell<'a> {
    /// The name of the data in rows.
    pub data: &'a str,
    /// The name of the demand in rows.
    pub demand: &'a str,
    /// The objective: `median` or `means`.
    pub objective: &'a str,
    /// The number of records.
    pub records: usize,
    /// The number of centers.
    pub k: usize,
    /// The ε of the private centers.
    pub epsilon: f64,
    /// The cost of private centers in multiples of that of non-private ones.
    pub over_non_private: Summary,
    /// The cost of private centers in multiples of that of centers without data.
    pub over_data_free: Summary,
}

impl Cell<'_> {
    /// The name of the cell, for readers.
    pub fn label(&self) -> String {
        let &Self { data, demand, objective, records, k, epsilon, .. } = self;
        let data = data_label(data);
        format!("{data}, {demand}, k-{objective}, |D| = {records}, k = {k}, ε = {epsilon}")
    }
}

/// What the rows of a setting have in common: data, demand, objective, the number of records and
/// the number of centers.
type Setting<'a> = (&'a str, &'a str, &'a str, usize, usize);

fn by_setting<'a>(rows: &Rows<'a>) -> BTreeMap<Setting<'a>, Vec<&'a Row>> {
    let mut all: BTreeMap<Setting<'a>, Vec<&'a Row>> = BTreeMap::new();
    for row in rows.experiment(crate::accuracy::EXPERIMENT).iter() {
        let setting = (&*row.data, &*row.demand, &*row.objective, row.records, row.k);
        all.entry(setting).or_default().push(row);
    }
    all
}

/// The cells of the experiment, in the order of data, demand, objective, records, k and ε.
pub fn cells<'a>(rows: &Rows<'a>) -> Vec<Cell<'a>> {
    let mut cells = Vec::new();
    for ((data, demand, objective, records, k), rows) in by_setting(rows) {
        let cost = |method: &str, epsilon: Option<f64>| {
            let here = |row: &&&Row| row.method == method && row.epsilon == epsilon;
            Summary::of(rows.iter().filter(here).filter_map(|row| output(row)))
        };
        let mut epsilons: Vec<f64> = rows.iter().filter_map(|row| row.epsilon).collect();
        epsilons.sort_by(f64::total_cmp);
        epsilons.dedup();
        for epsilon in epsilons {
            let costs = [("dp-refined", Some(epsilon)), ("ndp-exact", None), ("data-free", None)];
            let [Some(private), Some(non_private), Some(data_free)] =
                costs.map(|(method, epsilon)| cost(method, epsilon))
            else {
                continue;
            };
            cells.push(Cell {
                data,
                demand,
                objective,
                records,
                k,
                epsilon,
                over_non_private: private.over(non_private),
                over_data_free: private.over(data_free),
            });
        }
    }
    cells
}

/// In how many of the runs the truth was where the release said, as a part of all, given what was
/// said and the true cost and advantage of the run; `None` if there are no runs.
pub fn coverage(rows: &Rows<'_>, covers: impl Fn(Stated, f64, f64) -> f64) -> Option<f64> {
    let mut found = Vec::new();
    for rows in by_setting(rows).into_values() {
        let free = |seed: u64| {
            let here = |row: &&&Row| row.method == "data-free" && row.seed == seed;
            rows.iter().find(here).and_then(|row| row.final_cost)
        };
        for row in &rows {
            if let (Some(stated), Some(cost), Some(free)) =
                (row.stated, row.final_cost, free(row.seed))
            {
                found.push(covers(stated, cost, free - cost));
            }
        }
    }
    super::stats::mean(&found)
}

/// The map of who wins: for every setting a line, for every ε a column with the cost in multiples
/// of the non-private one.
pub fn map(rows: &[Row]) -> Table {
    let rows = Rows::all(rows);
    let cells = cells(&rows);
    let mut epsilons: Vec<f64> = cells.iter().map(|cell| cell.epsilon).collect();
    epsilons.sort_by(f64::total_cmp);
    epsilons.dedup();
    let mut head =
        ["data", "demand", "objective", "|D|", "k", "without data"].map(str::to_owned).to_vec();
    head.extend(epsilons.iter().map(|epsilon| format!("ε = {epsilon}")));
    let mut lines = Vec::new();
    for data in in_order(&PAPER_DATA, rows.distinct(|row| row.data.as_str())) {
        let of_data = cells.iter().filter(|cell| cell.data == data).collect::<Vec<_>>();
        let setting = |cell: &Cell<'_>| {
            (cell.demand.to_owned(), cell.objective.to_owned(), cell.records, cell.k)
        };
        for line in of_data.chunk_by(|a, b| setting(a) == setting(b)) {
            let (demand, objective, records, k) = setting(line[0]);
            let without = line[0].over_non_private.mean / line[0].over_data_free.mean;
            let mut entries = vec![plain(data_label(data)), plain(demand), plain(objective)];
            entries.extend([records, k].map(|number| plain(number.to_string())));
            entries.push(plain(format!("{without:.3}")));
            entries.extend(epsilons.iter().map(|&epsilon| {
                let cell = line.iter().find(|cell| cell.epsilon == epsilon);
                cell.map_or(plain("–"), |cell| entry(cell))
            }));
            lines.push(entries);
        }
    }
    Table { head, words: 3, rows: lines }
}

fn entry(cell: &Cell<'_>) -> Entry {
    let tone = match cell.over_data_free.mean - 1.0 {
        less if less < -MARGIN => Tone::Wins,
        more if more > MARGIN => Tone::Loses,
        _ => Tone::Even,
    };
    Entry { tone, ..plain(format!("{} {:.3}", tone.sign(), cell.over_non_private.mean)) }
}
