//! Prints what is not private, for the operator alone: on standard error, after a warning, and only
//! if asked for.

use std::fmt::Write;

use kmedian::privacy::diagnose;
use kmedian_data::{NonPrivateFacts, PrivateDemand};

use super::report::Report;
use crate::console::{number, warn};

/// Prints the true cost of the centers, how many records each serves, and how many were dropped.
pub(super) fn print(report: &Report<'_>, private_demand: &PrivateDemand) {
    warn(
        "NOT PRIVATE from here on: true costs and counts, for the operator alone; publish none of it",
    );
    let mut text = records(&private_demand.nonprivate);
    for finding in &report.findings {
        let true_cost = |centers: &[usize]| {
            let counts = &private_demand.counts;
            diagnose(&*report.universe.space, counts, centers, report.objective)
                .map(kmedian::privacy::NonPrivate::reveal_what_is_not_private)
        };
        let k = finding.centers.len();
        match true_cost(&finding.centers) {
            Err(error) => {
                let _ = writeln!(text, "k = {k}: {error}");
            }
            Ok(found) => {
                let served: Vec<String> = finding
                    .centers
                    .iter()
                    .zip(&found.served)
                    .map(|(&center, count)| format!("{} {count}", report.universe.name(center)))
                    .collect();
                let _ = write!(text, "k = {k}: true cost {}", number(found.cost));
                let data_free =
                    finding.estimate.as_ref().and_then(|estimate| estimate.data_free.as_ref());
                if let Some(Ok(other)) = data_free.map(|other| true_cost(&other.centers)) {
                    let _ = write!(text, ", without data {}", number(other.cost));
                }
                let _ = writeln!(text, "; records served: {}", served.join(", "));
            }
        }
    }
    text.lines().for_each(warn);
}

/// How many records were counted and dropped, in words.
pub(super) fn records(facts: &NonPrivateFacts) -> String {
    let NonPrivateFacts { records, unknown, too_far, without_unit, over_bound, units } = facts;
    let counted = records - unknown - without_unit - over_bound;
    let mut text = format!(
        "{records} records: {counted} counted; dropped: {unknown} of no known item, {without_unit} without \
         a unit, {over_bound} over the bound of their unit\n"
    );
    if *too_far > 0 {
        let _ =
            writeln!(text, "of no known item because they are too far from every one: {too_far}");
    }
    if let Some(units) = units {
        let _ = writeln!(text, "{units} units");
    }
    text
}
