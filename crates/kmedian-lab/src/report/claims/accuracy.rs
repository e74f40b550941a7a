//! Our claims of private accuracy.

use super::ours::claim;
use super::{Claim, Limit, Ratio};
use crate::report::accuracy::{Cell, MARGIN, cells, coverage};
use crate::report::select::Rows;
use crate::report::stats::{Summary, mean};
use crate::row::Stated;

/// The usual number of records.
const RECORDS: usize = 500;

/// The least and the most part of runs in which a range of 90 % may hold the truth.
const COVERED: [f64; 2] = [0.85, 0.95];

/// The most part of the savings that are called clear that may be losses: as often as the lower end
/// of a range of 90 % is above the truth.
const LOSSES: f64 = 0.05;

/// All claims of private accuracy, in the order of the report.
pub(super) fn claims(rows: &Rows<'_>) -> Vec<Claim> {
    let cells = cells(rows);
    let mut claims = against_data_free(&cells);
    claims.extend(near_non_private(&cells));
    claims.extend(ranges(rows));
    claims.push(clear_savings(rows));
    claims
}

fn against_data_free(cells: &[Cell<'_>]) -> Vec<Claim> {
    let ratio = |cell: &Cell<'_>| Ratio { cell: cell.label(), ratio: cell.over_data_free };
    let balanced: Vec<f64> = cells
        .iter()
        .filter(|cell| cell.demand == "balanced")
        .map(|cell| cell.over_data_free.mean)
        .collect();
    let all = mean(&balanced).map(|mean| Ratio {
        cell: "the mean over all balanced cells".to_owned(),
        ratio: Summary { mean, error: 0.0, runs: balanced.len() },
    });
    vec![
        claim(
            "accuracy-data-free",
            "Whatever ε, k, demand and universe: ours never costs more than 1.005 × centers without data.",
            Limit::AtMost(1.0 + MARGIN),
            cells.iter().map(ratio).collect(),
        ),
        claim(
            "accuracy-balanced",
            "Where the demand is a sample of the items: on average ours costs at most 1.001 × centers without data.",
            Limit::AtMost(1.001),
            all.into_iter().collect(),
        ),
    ]
}

/// What private centers cost in multiples of non-private ones, for k-median.
fn near_non_private(cells: &[Cell<'_>]) -> Vec<Claim> {
    let uneven = |data: &str, records: usize, epsilon: f64| {
        let here = |cell: &&Cell<'_>| {
            cell.data.starts_with(data)
                && cell.records == records
                && cell.epsilon == epsilon
                && ["imbalanced", "districts"].contains(&cell.demand)
                && cell.objective == "median"
        };
        let ratio = |cell: &Cell<'_>| Ratio { cell: cell.label(), ratio: cell.over_non_private };
        cells.iter().filter(here).map(ratio).collect::<Vec<_>>()
    };
    vec![
        claim(
            "accuracy-graphs",
            "500 records of two clusters, ε = 1, new graphs: at most 1.03 × the non-private cost.",
            Limit::AtMost(1.03),
            uneven("graph", RECORDS, 1.0),
        ),
        claim(
            "accuracy-images",
            "500 records of two digits, ε = 1: at most 1.04 × the non-private cost.",
            Limit::AtMost(1.04),
            uneven("mnist", RECORDS, 1.0),
        ),
        claim(
            "accuracy-roads",
            "500 records of four districts of Oldenburg, ε = 1: at most 1.10 × the non-private cost.",
            Limit::AtMost(1.10),
            uneven("oldenburg", RECORDS, 1.0),
        ),
        claim(
            "accuracy-graphs-tenth",
            "500 records of two clusters, ε = 0.1, new graphs: at most 1.10 × the non-private cost.",
            Limit::AtMost(1.10),
            uneven("graph", RECORDS, 0.1),
        ),
        claim(
            "accuracy-images-tenth",
            "500 records of two digits, ε = 0.1: at most 1.09 × the non-private cost.",
            Limit::AtMost(1.09),
            uneven("mnist", RECORDS, 0.1),
        ),
        claim(
            "accuracy-5000",
            "5,000 records, ε = 1, graphs and images: at most 1.01 × the non-private cost, without being told the number.",
            Limit::AtMost(1.01),
            [uneven("graph", 5_000, 1.0), uneven("mnist", 5_000, 1.0)].concat(),
        ),
        claim(
            "accuracy-50000",
            "50,000 records, ε = 1, graphs and images: at most 1.003 × the non-private cost, without being told the number.",
            Limit::AtMost(1.003),
            [uneven("graph", 50_000, 1.0), uneven("mnist", 50_000, 1.0)].concat(),
        ),
    ]
}

/// For cost, advantage and sizes, a number that follows from the part of runs in which the truth
/// was in the stated range.
fn held(rows: &Rows<'_>, of: impl Fn(f64) -> f64) -> Vec<Ratio> {
    let holds = |[low, high]: [f64; 2], truth: f64| f64::from(low <= truth && truth <= high);
    let parts = [
        ("cost", coverage(rows, |stated: Stated, cost, _| holds(stated.cost, cost))),
        ("advantage", coverage(rows, |stated: Stated, _, more| holds(stated.advantage, more))),
        ("sizes", coverage(rows, |stated: Stated, _, _| stated.sizes_covered)),
    ];
    let ratio = |(what, part): (&str, Option<f64>)| {
        let part = part?;
        let cell = format!("{what}: {:.1} % of the runs", 100.0 * part);
        Some(Ratio { cell, ratio: Summary { mean: of(part), error: 0.0, runs: 1 } })
    };
    parts.into_iter().filter_map(ratio).collect()
}

/// Of the savings that releases call clear, how many are losses, for every kind of demand.
fn clear_savings(rows: &Rows<'_>) -> Claim {
    let share = |demand: &str| {
        let here = rows.that(|row| row.demand == demand);
        let is_clear = |stated: Stated| stated.advantage[0] > 0.0;
        let clear = coverage(&here, |stated, _, _| f64::from(is_clear(stated)))?;
        let lost = |stated: Stated, more: f64| is_clear(stated) && more < 0.0;
        let lost = coverage(&here, |stated, _, more| f64::from(lost(stated, more)))?;
        let mean = if clear > 0.0 { lost / clear } else { 0.0 };
        let cell = format!("{demand}: clear in {:.1} % of the runs", 100.0 * clear);
        Some(Ratio { cell, ratio: Summary { mean, error: 0.0, runs: 1 } })
    };
    claim(
        "accuracy-clear",
        "Whatever the demand: of the savings over centers without data that are called clear, at most one in twenty is a \
         loss. (Ratio: that part.)",
        Limit::AtMost(LOSSES),
        rows.distinct(|row| row.demand.as_str()).into_iter().filter_map(share).collect(),
    )
}

fn ranges(rows: &Rows<'_>) -> Vec<Claim> {
    let least = |part: f64| COVERED[0] / part.max(0.01);
    vec![
        claim(
            "accuracy-ranges-hold",
            "The stated 90 % ranges of cost, advantage and sizes hold the truth in at least 85 % of all runs. (Ratio: 85 % \
             divided by that part.)",
            Limit::AtMost(1.0),
            held(rows, least),
        ),
        claim(
            "accuracy-ranges-points",
            "Where all records are at 30 items, they do so too. (Ratio: 85 % divided by that part.)",
            Limit::AtMost(1.0),
            held(&rows.that(|row| row.demand == "points"), least),
        ),
        claim(
            "accuracy-ranges-narrow",
            "They are not needlessly wide: the range of the cost holds it in at most 95 % of all runs. (Ratio: that part \
             divided by 95 %.)",
            Limit::AtMost(1.0),
            held(rows, |part| part / COVERED[1]).into_iter().take(1).collect(),
        ),
    ]
}
