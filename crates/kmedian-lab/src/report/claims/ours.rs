//! Our own claims: what this project promises of its methods.

use super::paper::{many_centers, seconds};
use super::{Claim, Limit, Ratio, Source, divide, judge};
use crate::report::cells::{Cell, cells, paper_cells};
use crate::report::names::data_label;
use crate::report::select::{self, Measure, Rows};

/// All of our claims, in the order of the report.
pub(super) fn claims(rows: &Rows<'_>) -> Vec<Claim> {
    let paper = paper_cells(rows);
    let mut claims = near_non_private(&paper);
    claims.extend(below_the_others(&paper));
    claims.push(small_epsilon(rows));
    claims.extend(elsewhere(rows));
    claims
}

/// A claim of ours, with its verdict.
pub(super) fn claim(
    name: &'static str,
    statement: &'static str,
    limit: Limit,
    cells: Vec<Ratio>,
) -> Claim {
    judge(name, Source::Ours, statement, limit, cells)
}

fn near_non_private(cells: &[Cell<'_>]) -> Vec<Claim> {
    let refined = |data: &str, demand: &str| {
        let here = cells.iter().filter(|cell| cell.data.starts_with(data) && cell.demand == demand);
        divide(here, ("dp-refined", select::output), ("ndp-exact", select::output))
    };
    vec![
        claim(
            "limit-mnist-imbalanced",
            "MNIST, imbalanced, ε = 1: ours costs at most 1.05 × the non-private centers.",
            Limit::AtMost(1.05),
            refined("mnist", "imbalanced"),
        ),
        claim(
            "limit-mnist-balanced",
            "MNIST, balanced, ε = 1: ours costs at most 1.05 × the non-private centers.",
            Limit::AtMost(1.05),
            refined("mnist", "balanced"),
        ),
        claim(
            "limit-graph-imbalanced",
            "Graphs, imbalanced, ε = 1: ours costs at most 1.12 × the non-private centers.",
            Limit::AtMost(1.12),
            refined("graph", "imbalanced"),
        ),
        claim(
            "limit-graph-balanced",
            "Graphs, balanced, ε = 1: ours costs at most 1.12 × the non-private centers.",
            Limit::AtMost(1.12),
            refined("graph", "balanced"),
        ),
    ]
}

fn below_the_others(cells: &[Cell<'_>]) -> Vec<Claim> {
    let ours = ("dp-refined", select::output as Measure);
    let without_data = ("data-free", select::output as Measure);
    let with_demand = |demand| cells.iter().filter(move |cell| cell.demand == demand);
    vec![
        claim(
            "below-dp-hst",
            "ε = 1: the output of ours costs less than the output of the paper's DP-HST, in every cell.",
            Limit::StrictlyBelow,
            divide(cells, ours, ("dp-hst", select::output)),
        ),
        claim(
            "below-dp-hst-best",
            "ε = 1: it even costs less than the best of DP-HST's T iterations, which nobody may know, in every cell.",
            Limit::StrictlyBelow,
            divide(cells, ours, ("dp-hst", select::best_iteration)),
        ),
        claim(
            "below-data-free-imbalanced",
            "Imbalanced, ε = 1: ours costs less than centers without data, in every cell.",
            Limit::StrictlyBelow,
            divide(with_demand("imbalanced"), ours, without_data),
        ),
        claim(
            "below-data-free-balanced",
            "Balanced, ε = 1, where the demand is a sample of the items and says little that they do not: ours costs less \
             than centers without data, in every cell.",
            Limit::StrictlyBelow,
            divide(with_demand("balanced"), ours, without_data),
        ),
        claim(
            "initial-exact",
            "Not private: the initial centers of our exact tree search cost less than those of the paper's HST, in \
             every cell.",
            Limit::StrictlyBelow,
            divide(cells, ("ndp-exact", select::initial), ("ndp-hst", select::initial)),
        ),
    ]
}

/// The claim for a small ε: there is little to gain, but hardly anything may be lost.
fn small_epsilon(rows: &Rows<'_>) -> Claim {
    let tenth = rows.experiment("small-epsilon");
    claim(
        "small-epsilon",
        "Imbalanced, ε = 0.1: ours never costs more than 1.02 × centers without data.",
        Limit::AtMost(1.02),
        divide(&cells(&tenth), ("dp-refined", select::output), ("data-free", select::output)),
    )
}

fn elsewhere(rows: &Rows<'_>) -> Vec<Claim> {
    let ours = ("dp-refined", select::output as Measure);
    let means = cells(&rows.experiment("means").that(|row| row.objective == "means"));
    let roads = cells(&rows.experiment("roads"));
    vec![
        claim(
            "means-below-data-free",
            "k-means: ours costs less than centers without data, in every cell.",
            Limit::StrictlyBelow,
            divide(&means, ours, ("data-free", select::output)),
        ),
        claim(
            "roads-below-data-free",
            "Roads: ours costs less than centers without data, in every cell.",
            Limit::StrictlyBelow,
            divide(&roads, ours, ("data-free", select::output)),
        ),
        claim(
            "time-ours-many-centers",
            "Our HST is faster than k-median++ for k > 20, in every cell.",
            Limit::StrictlyBelow,
            many_centers(seconds(rows, "time-k", "hst-ours")),
        ),
        claim(
            "orlib-optimum",
            "OR-Library: ours, with restarts, finds the proven optimum of every odd-numbered instance. (Ratio: its cost \
             divided by the optimum.)",
            Limit::AtMost(1.0 + 1e-9),
            orlib(rows),
        ),
    ]
}

/// The cost of our centers divided by the proven optimum, for every instance.
fn orlib(rows: &Rows<'_>) -> Vec<Ratio> {
    let rows = rows.experiment("orlib").method("ndp-restarts");
    cells(&rows)
        .iter()
        .filter_map(|cell| {
            let ratio = cell
                .get("ndp-restarts", select::output)?
                .over(cell.get("ndp-restarts", select::value)?);
            Some(Ratio { cell: data_label(cell.data), ratio })
        })
        .collect()
}
