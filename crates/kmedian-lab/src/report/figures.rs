//! Makes all figures of the report from rows.

mod beyond;
mod paper;

use kmedian_plot::{Panel, Scale, Series};

use crate::row::Row;

use super::figure::{Figure, Part};
use super::names::{self, NON_PRIVATE_LINE, PAPER_DATA, PAPER_DEMANDS};
use super::select::{Measure, Rows};
use super::stats::Summary;

/// All figures, in the order of the report. A figure without rows has no panels, and lists what is
/// missing.
pub fn all(rows: &[Row]) -> Vec<Figure> {
    let rows = Rows::all(rows);
    let mut figures = paper::figures(&rows);
    figures.extend(beyond::figures(&rows));
    figures
}

/// A plan of a panel: its rows, and what is drawn of them.
struct Plan<'a> {
    title: String,
    rows: Rows<'a>,
    methods: &'static [&'static str],
    x_name: &'static str,
    x: fn(&Row) -> Option<f64>,
    measure: Measure,
}

/// The number of centers of a row, as x.
fn centers(row: &Row) -> Option<f64> {
    Some(row.k as f64)
}

impl Plan<'_> {
    /// The panel; `None` if none of its methods has a point.
    fn panel(&self) -> Option<Panel> {
        let xs = self.rows.distinct_numbers(self.x);
        let series: Vec<Series> = self
            .methods
            .iter()
            .enumerate()
            .map(|(place, method)| self.series(method, place, &xs))
            .filter(|series| !series.points.is_empty())
            .collect();
        (!series.is_empty()).then(|| Panel {
            title: self.title.clone(),
            x_name: self.x_name,
            series,
        })
    }

    fn series(&self, method: &str, place: usize, xs: &[f64]) -> Series {
        let rows = self.rows.method(method);
        let summary = |x: f64| rows.that(|row| (self.x)(row) == Some(x)).summary(self.measure);
        let mut points: Vec<(f64, Summary)> =
            xs.iter().filter_map(|&x| Some((x, summary(x)?))).collect();
        // A method that does not depend on x is a horizontal line.
        if rows.iter().all(|row| (self.x)(row).is_none()) {
            let level = rows.summary(self.measure);
            points = xs.iter().filter_map(|&x| Some((x, level?))).collect();
        }
        let private = self.methods.iter().any(|method| method.starts_with("dp-"));
        let non_private_line = private && method == "ndp-exact";
        Series {
            label: names::method_label(method).to_owned(),
            style: if non_private_line {
                NON_PRIVATE_LINE
            } else {
                names::method_style(method, place)
            },
            reference: non_private_line || method == "data-free",
            points,
        }
    }
}

/// Puts the panels that have rows into a figure, and lists what is missing: panels without rows,
/// and `expected` methods that have no rows in some panel or in any.
fn fill(mut figure: Figure, plans: Vec<Plan<'_>>, expected: &[&str]) -> Figure {
    let mut lacking: Vec<(&str, String)> = Vec::new();
    for plan in &plans {
        let Some(panel) = plan.panel() else {
            figure.missing.push(plan.title.clone());
            continue;
        };
        for method in plan.methods.iter().filter(|method| expected.contains(method)) {
            let label = names::method_label(method);
            if panel.series.iter().all(|series| series.label != label) {
                lacking.push((label, format!("{label} in {}", plan.title)));
            }
        }
        figure.panels.push(panel);
    }
    let shown: Vec<String> = figure.legend().iter().map(|series| series.label.clone()).collect();
    for (label, place) in lacking {
        let missing =
            if shown.iter().any(|known| known == label) { place } else { label.to_owned() };
        if !figure.missing.contains(&missing) {
            figure.missing.push(missing);
        }
    }
    figure
}

/// The data sets of the paper, with or without rows. If there are no rows of MNIST, made-up vectors
/// stand in for it.
fn paper_data(rows: &Rows<'_>) -> [&'static str; 4] {
    let has = |prefix: &str| rows.iter().any(|row| row.data.starts_with(prefix));
    match PAPER_DATA {
        [_, _, r1, r100] if has("made-up-") && !has("mnist-") => {
            ["made-up-l1", "made-up-l2", r1, r100]
        }
        data => data,
    }
}

/// The pairs of data and demand of the paper, with or without rows.
fn paper_settings(rows: &Rows<'_>) -> Vec<(&'static str, &'static str)> {
    let data = paper_data(rows);
    PAPER_DEMANDS.into_iter().flat_map(|demand| data.map(|data| (data, demand))).collect()
}

/// The pairs of data and demand that have rows, in the order of the paper.
fn settings<'a>(rows: &Rows<'a>) -> Vec<(&'a str, &'a str)> {
    let demands = names::in_order(&PAPER_DEMANDS, rows.distinct(|row| row.demand.as_str()));
    let data = names::in_order(&PAPER_DATA, rows.distinct(|row| row.data.as_str()));
    let mut pairs = Vec::new();
    for demand in demands {
        pairs.extend(data.iter().map(|&data| (data, demand)));
    }
    pairs.retain(|(data, demand)| !rows.over(data, demand).is_empty());
    pairs
}

/// A figure without panels, with what most figures have in common. Costs are compared by their
/// ratios, so the axis of costs is logarithmic.
fn blank(name: &'static str, part: Part, title: &str, caption: &str) -> Figure {
    let drawing = kmedian_plot::Figure {
        caption: caption.to_owned(),
        y_name: "cost on D",
        y_scale: Scale::Log,
        columns: 4,
        ..kmedian_plot::Figure::new(title)
    };
    Figure { name, part, drawing, less_is_better: true, missing: Vec::new() }
}
