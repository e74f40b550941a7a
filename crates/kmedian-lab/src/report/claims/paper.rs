//! The claims of the paper's Section 5.

use super::{Claim, Limit, Ratio, Source, divide, judge};
use crate::report::cells::{Cell, paper_cells};
use crate::report::names::setting_label;
use crate::report::select::{self, Measure, Rows};
use crate::report::stats::{Summary, exponent};

/// All claims of the paper, in its order.
pub(super) fn claims(rows: &Rows<'_>) -> Vec<Claim> {
    let cells = paper_cells(rows);
    let mut claims = initial_costs(&cells);
    claims.extend(final_costs(&cells));
    claims.extend(advantages(&cells));
    claims.extend(iterations(&cells));
    claims.extend(times(rows));
    claims
}

fn claim(name: &'static str, statement: &'static str, limit: Limit, cells: Vec<Ratio>) -> Claim {
    judge(name, Source::Paper, statement, limit, cells)
}

fn initial_costs(cells: &[Cell<'_>]) -> Vec<Claim> {
    let initial = |small, large| divide(cells, (small, select::initial), (large, select::initial));
    vec![
        claim(
            "initial-ndp-plusplus",
            "Not private: the initial centers of HST cost less than those of k-median++.",
            Limit::Below,
            initial("ndp-hst", "ndp-plusplus"),
        ),
        claim(
            "initial-ndp-rand",
            "Not private: the initial centers of HST cost less than random ones.",
            Limit::Below,
            initial("ndp-hst", "ndp-rand"),
        ),
        claim(
            "initial-dp-plusplus",
            "Private: the initial centers of DP-HST cost less than those of k-median++ on U.",
            Limit::Below,
            initial("dp-hst", "dp-plusplus"),
        ),
        claim(
            "initial-dp-rand",
            "Private: the initial centers of DP-HST cost less than random ones.",
            Limit::Below,
            initial("dp-hst", "dp-rand"),
        ),
    ]
}

fn final_costs(cells: &[Cell<'_>]) -> Vec<Claim> {
    let measure = select::mean_over_iterations as Measure;
    let mean = |large| divide(cells, ("dp-hst", measure), (large, measure));
    vec![
        claim(
            "final-ndp-overlap",
            "Not private: the curves of final costs overlap. (Here: the worst of the three methods is within 2 % of \
             the best.)",
            Limit::About(1.02),
            cells.iter().filter_map(spread).collect(),
        ),
        claim(
            "final-dp-plusplus",
            "Private: DP-HST has a lower final cost (mean over T) than DP-kmedian++.",
            Limit::Below,
            mean("dp-plusplus"),
        ),
        claim(
            "final-dp-rand",
            "Private: DP-HST has a lower final cost (mean over T) than DP-rand.",
            Limit::Below,
            mean("dp-rand"),
        ),
    ]
}

/// The ratio of the largest to the smallest final cost of the paper's methods that are not private.
fn spread(cell: &Cell<'_>) -> Option<Ratio> {
    let mut costs: Vec<Summary> = ["ndp-rand", "ndp-plusplus", "ndp-hst"]
        .into_iter()
        .filter_map(|method| cell.get(method, select::output))
        .collect();
    costs.sort_by(|a, b| a.mean.total_cmp(&b.mean));
    let [least, .., most] = costs[..] else { return None };
    Some(Ratio { cell: cell.label(), ratio: most.over(least) })
}

/// The cost of the first method relative to the second in one cell, divided by that in another
/// cell. Below 1, the first method has a larger advantage in the first cell.
fn advantage(
    better: &Cell<'_>,
    other: &Cell<'_>,
    methods: [&str; 2],
    measure: Measure,
    cell: String,
) -> Option<Ratio> {
    let [small, large] = methods;
    let of = |cell: &Cell<'_>| Some(cell.get(small, measure)?.over(cell.get(large, measure)?));
    Some(Ratio { cell, ratio: of(better)?.over(of(other)?) })
}

fn advantages(cells: &[Cell<'_>]) -> Vec<Claim> {
    let imbalanced = |measure: Measure| {
        let of = |cell: &Cell<'_>| {
            let balanced = cells.iter().find(|other| {
                other.data == cell.data && other.k == cell.k && other.demand == "balanced"
            })?;
            advantage(cell, balanced, ["dp-hst", "dp-plusplus"], measure, cell.label())
        };
        cells.iter().filter(|cell| cell.demand == "imbalanced").filter_map(of).collect::<Vec<_>>()
    };
    let mixed = cells.iter().filter(|cell| cell.data == "graph-r1").filter_map(|cell| {
        let apart = cells.iter().find(|other| {
            other.data == "graph-r100" && other.k == cell.k && other.demand == cell.demand
        })?;
        advantage(cell, apart, ["ndp-hst", "ndp-plusplus"], select::initial, cell.label())
    });
    vec![
        claim(
            "imbalanced-initial",
            "Private: the advantage of DP-HST over k-median++ in the initial cost is larger when the demand is \
             imbalanced. (Ratio: its cost relative to k-median++, imbalanced divided by balanced.)",
            Limit::Below,
            imbalanced(select::initial),
        ),
        claim(
            "imbalanced-final",
            "Private: so is its advantage in the final cost (mean over T).",
            Limit::Below,
            imbalanced(select::mean_over_iterations),
        ),
        claim(
            "mixed-graphs",
            "Graphs: the advantage of HST over k-median++ in the initial cost is larger at r = 1, where clusters are \
             nearly mixed up, than at r = 100.",
            Limit::Below,
            mixed.collect(),
        ),
    ]
}

fn iterations(cells: &[Cell<'_>]) -> Vec<Claim> {
    let imbalanced = |measure: Measure, large: &str| {
        let here = cells.iter().filter(|cell| cell.demand == "imbalanced");
        divide(here, ("dp-hst", measure), (large, measure))
    };
    vec![
        claim(
            "iterations-plusplus",
            "Private, imbalanced: DP-HST needs fewer iterations to a local optimum than DP-kmedian++.",
            Limit::Below,
            imbalanced(select::iterations, "dp-plusplus"),
        ),
        claim(
            "iterations-rand",
            "Private, imbalanced: DP-HST needs fewer iterations to a local optimum than DP-rand.",
            Limit::Below,
            imbalanced(select::iterations, "dp-rand"),
        ),
        claim(
            "best-plusplus",
            "Private, imbalanced: the best of the T iterations of DP-HST costs less than that of DP-kmedian++.",
            Limit::Below,
            imbalanced(select::best_iteration, "dp-plusplus"),
        ),
        claim(
            "best-rand",
            "Private, imbalanced: the best of the T iterations of DP-HST costs less than that of DP-rand.",
            Limit::Below,
            imbalanced(select::best_iteration, "dp-rand"),
        ),
    ]
}

/// The time of a method divided by that of k-median++, for every n and k of an experiment; each
/// with its k.
pub(super) fn seconds(rows: &Rows<'_>, experiment: &str, method: &str) -> Vec<(usize, Ratio)> {
    let rows = rows.experiment(experiment);
    let sizes = rows.distinct(|row| (row.data.as_str(), row.demand.as_str(), row.n, row.k));
    let of = |(data, demand, n, k): (&str, &str, usize, usize)| {
        let here = rows.over(data, demand).that(|row| row.n == n && row.k == k);
        let time = |method| here.method(method).summary(select::initial_seconds);
        let ratio = time(method)?.over(time("plusplus")?);
        Some((
            k,
            Ratio { cell: format!("{}, n = {n}, k = {k}", setting_label(data, demand)), ratio },
        ))
    };
    sizes.into_iter().filter_map(of).collect()
}

/// The ratios for more than 20 centers.
pub(super) fn many_centers(ratios: Vec<(usize, Ratio)>) -> Vec<Ratio> {
    ratios.into_iter().filter(|(k, _)| *k > 20).map(|(_, ratio)| ratio).collect()
}

fn times(rows: &Rows<'_>) -> Vec<Claim> {
    let similar =
        seconds(rows, "time-n", "hst-paper").into_iter().map(|(_, ratio)| ratio).collect();
    vec![
        claim(
            "time-similar",
            "The running time of HST is comparable to that of k-median++ at k = 20. (Here: at most twice as long.)",
            Limit::About(2.0),
            similar,
        ),
        claim(
            "time-many-centers",
            "HST is faster than k-median++ for k > 20. (In the paper: at n = 2,000.)",
            Limit::Below,
            many_centers(seconds(rows, "time-k", "hst-paper")),
        ),
        claim(
            "time-growth",
            "The time of HST grows only slightly faster with n than that of k-median++, as n log n against n. (Here: its \
             exponent is at most a quarter larger.)",
            Limit::About(1.25),
            growth(rows).into_iter().collect(),
        ),
    ]
}

/// The exponent with which the time of HST grows with n, divided by that of k-median++.
fn growth(rows: &Rows<'_>) -> Option<Ratio> {
    let rows = rows.experiment("time-n");
    let exponent_of = |method: &str| {
        let rows = rows.method(method);
        let points: Vec<(f64, f64)> = rows
            .distinct(|row| row.n)
            .into_iter()
            .filter_map(|n| {
                let runs = rows.that(|row| row.n == n).summary(select::initial_seconds)?;
                Some((n as f64, runs.mean))
            })
            .collect();
        exponent(&points)
    };
    let (plusplus, hst) = (exponent_of("plusplus")?, exponent_of("hst-paper")?);
    let cell = format!("time grows as n^{plusplus:.2} with k-median++, as n^{hst:.2} with HST");
    Some(Ratio { cell, ratio: Summary { mean: hst / plusplus, error: 0.0, runs: 1 } })
}
