//! The demo: sites depots in a made-up city from three initializations, and shows a table and a
//! map.

mod areas;
mod city;
mod compare;
mod draw;
mod geometry;
mod map;
mod page;
mod plan;
mod river;
mod sites;
mod streets;
mod style;
mod text;

use std::fmt::Write;
use std::path::PathBuf;

use kmedian::{Demand, Error, Graph, Problem, Seed};

use city::City;
use compare::{Means, Outcome, RUNS};
use text::{grouped, meters};

/// What the demo shows.
pub struct Options {
    /// The seed of all randomness: of the city, and of the runs on it.
    pub seed: u64,
    /// How many depots to site.
    pub k: usize,
    /// The file that the page will be written to, which the text names.
    pub page: PathBuf,
}

/// What was found, for the terminal and for the browser.
pub struct Report {
    /// The comparison as plain text.
    pub text: String,
    /// The map as an HTML page in one file.
    pub html: String,
}

/// Makes up the city, sites the depots, and reports. It writes no file. `progress` is called with
/// what is being done.
///
/// # Errors
/// If k is zero or larger than the number of junctions.
pub fn run(options: &Options, progress: &mut dyn FnMut(&str)) -> Result<Report, Error> {
    let seed = Seed(options.seed);
    progress("making up a city");
    let city = City::new(seed.named("city"));
    let graph = Graph::new(city.junctions.len(), &city.roads)?;
    let demand = Demand::new(city.people.clone())?;
    let problem = Problem::of(&graph).demand(&demand).build()?;
    let outcomes = compare::compare(&problem, options.k, seed.named("runs"), progress)?;
    progress("drawing the map");
    let rows: Vec<Row<'_>> =
        outcomes.iter().map(|outcome| Row { outcome, means: outcome.means(&problem) }).collect();
    let html = page::page(&page::Subject {
        options,
        city: &city,
        graph: &graph,
        demand: &demand,
        rows: &rows,
    });
    Ok(Report { text: summary(options, &city, &rows), html })
}

/// A row of the comparison: an initialization and its means.
struct Row<'a> {
    outcome: &'a Outcome,
    means: Means,
}

fn summary(options: &Options, city: &City, rows: &[Row<'_>]) -> String {
    let mut out = format!(
        "kmedian demo: {} depots for {} people in a made-up city of {} junctions, {} roads and {} bridges (seed {})\n\n",
        options.k,
        grouped(city.people.iter().sum()),
        grouped(city.junctions.len() as f64),
        grouped(city.roads.len() as f64),
        city.bridges.len(),
        options.seed,
    );
    let _ = writeln!(
        out,
        "{:<10}{:>10}{:>8}{:>10}{:>8}{:>10}",
        "init", "start", "swaps", "end", "passes", "time"
    );
    for Row { outcome, means } in rows {
        let _ = writeln!(
            out,
            "{:<10}{:>10}{:>8.1}{:>10}{:>8.1}{:>10}",
            outcome.name,
            meters(means.start),
            means.swaps,
            meters(means.end),
            means.passes,
            format!("{:.0} ms", means.millis),
        );
    }
    let _ = writeln!(
        out,
        "\nMeans over {RUNS} seeds. Start and end: the way by road from a person to the nearest depot."
    );
    let _ = writeln!(out, "What to see: {}", lesson(rows));
    let _ = writeln!(out, "The map: {}", options.page.display());
    out
}

/// What the table shows, in words.
fn lesson(rows: &[Row<'_>]) -> String {
    let list = |of: &dyn Fn(&Row<'_>) -> String| {
        let parts: Vec<String> = rows.iter().map(of).collect();
        match parts.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            _ => parts.concat(),
        }
    };
    let ends = rows.iter().map(|row| row.means.end);
    let (best, worst) = (ends.clone().fold(f64::INFINITY, f64::min), ends.fold(0.0, f64::max));
    let spread = if best > 0.0 { 100.0 * (worst / best - 1.0) } else { 0.0 };
    format!(
        "the mean way is {} at the start, and local search brings the three within {spread:.1}% of each \
         other, after {} swaps.",
        list(&|row| format!("{} ({})", meters(row.means.start), row.outcome.name)),
        list(&|row| format!("{:.1}", row.means.swaps)),
    )
}
