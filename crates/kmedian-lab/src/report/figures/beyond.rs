//! Figures that the paper does not have.

use kmedian_plot::{Panel, Scale, Series};

use super::{Plan, blank, centers, fill, paper_data, settings};
use crate::report::cells::paper_cells;
use crate::report::figure::{Figure, Part};
use crate::report::names::{self, PAPER_DATA, PAPER_DEMANDS, data_label, setting_label};
use crate::report::select::{self, Measure, Rows};
use crate::report::stats::Summary;
use crate::row::Row;

/// The methods in figures over ε and over the number of records.
const AGAINST_EPSILON: &[&str] = &["dp-hst", "dp-exact", "dp-refined", "data-free", "ndp-exact"];
/// Our methods, for the figure of a small ε.
const OURS: &[&str] = &["dp-exact", "dp-refined", "data-free", "ndp-exact"];
/// All private methods, and those that they are compared with.
const PRIVATE: &[&str] =
    &["dp-rand", "dp-plusplus", "dp-hst", "dp-exact", "dp-refined", "data-free", "ndp-exact"];

/// All figures that the paper does not have, in the order of the report.
pub(super) fn figures(rows: &Rows<'_>) -> Vec<Figure> {
    vec![
        gain(rows),
        small_epsilon(rows),
        epsilon(rows),
        demand_size(rows),
        means(rows),
        distortion(rows),
        orlib(rows),
        roads(rows),
    ]
}

/// The figure of an experiment without rows, which says that they are missing.
fn absent(mut figure: Figure, experiment: &str) -> Figure {
    figure.missing.push(format!("the whole experiment `{experiment}`"));
    figure
}

fn gain(rows: &Rows<'_>) -> Figure {
    let caption = "By how many percent the output of ours (refined) costs less than the output of the paper's DP-HST, \
        over k, at ε = 1.";
    let mut figure = blank("gain", Part::Beyond, "Gain over the paper's DP-HST", caption);
    figure.y_name = "percent less";
    figure.y_scale = Scale::Linear;
    figure.less_is_better = false;
    figure.columns = 2;
    let cells = paper_cells(rows);
    let series = |data: &str, demand: &str, place| {
        let points: Vec<(f64, Summary)> = cells
            .iter()
            .filter(|cell| cell.data == data && cell.demand == demand)
            .filter_map(|cell| {
                let ratio = cell
                    .get("dp-refined", select::output)?
                    .over(cell.get("dp-hst", select::output)?);
                Some((
                    cell.k as f64,
                    Summary {
                        mean: (1.0 - ratio.mean) * 100.0,
                        error: ratio.error * 100.0,
                        ..ratio
                    },
                ))
            })
            .collect();
        let style = names::other_style(place);
        Series { label: data_label(data), style, reference: false, points }
    };
    for demand in PAPER_DEMANDS {
        let mut panel = Panel { title: demand.to_owned(), x_name: "k", series: Vec::new() };
        for (place, data) in paper_data(&rows.experiment("cost")).into_iter().enumerate() {
            let series = series(data, demand, place);
            if series.points.is_empty() {
                figure.missing.push(setting_label(data, demand));
            } else {
                panel.series.push(series);
            }
        }
        if !panel.series.is_empty() {
            figure.panels.push(panel);
        }
    }
    figure
}

/// Plans of a panel for each data set, demand and number of centers.
fn by_setting_and_k<'a>(
    rows: &Rows<'a>,
    methods: &'static [&'static str],
    (x_name, x): (&'static str, fn(&Row) -> Option<f64>),
    measure: Measure,
) -> Vec<Plan<'a>> {
    let mut plans = Vec::new();
    for (data, demand) in settings(rows) {
        let rows = rows.over(data, demand);
        for k in rows.distinct(|row| row.k) {
            let title = format!("{}, k = {k}", setting_label(data, demand));
            plans.push(Plan { title, rows: rows.centers(k), methods, x_name, x, measure });
        }
    }
    plans
}

/// The ε of a row, as x; `None` if its method does not depend on ε.
fn epsilon_of(row: &Row) -> Option<f64> {
    row.epsilon.filter(|_| row.method.starts_with("dp-"))
}

fn epsilon(rows: &Rows<'_>) -> Figure {
    let rows = rows.experiment("epsilon");
    let caption = "Cost of the output against ε. Below the dotted line the demand was of use; the dashed \
        line is what could be had without privacy. Ours is told how many records there are (--demand-size).";
    let mut figure = blank("epsilon", Part::Beyond, "Cost against ε", caption);
    figure.x_scale = Scale::Log;
    if rows.is_empty() {
        return absent(figure, "epsilon");
    }
    fill(
        figure,
        by_setting_and_k(&rows, AGAINST_EPSILON, ("ε", epsilon_of), select::output),
        AGAINST_EPSILON,
    )
}

fn small_epsilon(rows: &Rows<'_>) -> Figure {
    let rows = rows.experiment("small-epsilon");
    let caption = "Cost of the output with ε = 0.1, a tenth of the paper's: noise is as large as the demand in most cells \
        of the tree.";
    let figure = blank("small-epsilon", Part::Beyond, "Cost with ε = 0.1", caption);
    if rows.is_empty() {
        return absent(figure, "small-epsilon");
    }
    fill(figure, over_k(&rows, OURS), OURS)
}

fn records_of(row: &Row) -> Option<f64> {
    Some(row.records as f64)
}

fn demand_size(rows: &Rows<'_>) -> Figure {
    let rows = rows.experiment("demand-size");
    let caption = "Cost of the output for each record against the number of records |D|, which ours is told \
        (--demand-size).";
    let mut figure =
        blank("demand-size", Part::Beyond, "Cost against the size of the demand", caption);
    figure.y_name = "cost for each record";
    figure.x_scale = Scale::Log;
    if rows.is_empty() {
        return absent(figure, "demand-size");
    }
    let x = ("|D|", records_of as fn(&Row) -> Option<f64>);
    fill(
        figure,
        by_setting_and_k(&rows, AGAINST_EPSILON, x, select::output_per_record),
        AGAINST_EPSILON,
    )
}

fn over_k<'a>(rows: &Rows<'a>, methods: &'static [&'static str]) -> Vec<Plan<'a>> {
    settings(rows)
        .into_iter()
        .map(|(data, demand)| Plan {
            title: setting_label(data, demand),
            rows: rows.over(data, demand),
            methods,
            x_name: "k",
            x: centers,
            measure: select::output,
        })
        .collect()
}

fn means(rows: &Rows<'_>) -> Figure {
    let rows = rows.experiment("means").that(|row| row.objective == "means");
    let caption =
        "The same methods for k-means: sums of squared distances, centers among the items.";
    let mut figure = blank("means", Part::Beyond, "k-means: cost of the output", caption);
    figure.y_name = "sum of squares on D";
    if rows.is_empty() {
        return absent(figure, "means");
    }
    fill(figure, over_k(&rows, PRIVATE), AGAINST_EPSILON)
}

fn roads(rows: &Rows<'_>) -> Figure {
    let rows = rows.experiment("roads");
    let caption = "A real road network, every junction a possible site, with demand drawn round a few districts.";
    let mut figure = blank("roads", Part::Beyond, "Roads: cost of the output", caption);
    figure.columns = 2;
    if rows.is_empty() {
        return absent(figure, "roads");
    }
    fill(figure, over_k(&rows, PRIVATE), AGAINST_EPSILON)
}

/// The figure with one panel over names: a column for each data set, a mark for each method.
fn over_data(
    mut figure: Figure,
    rows: &Rows<'_>,
    x_name: &'static str,
    measure: Measure,
) -> Figure {
    let data = names::in_order(&PAPER_DATA, rows.distinct(|row| row.data.as_str()));
    let known: Vec<&str> = names::methods().collect();
    let methods = names::in_order(&known, rows.distinct(|row| row.method.as_str()));
    let series: Vec<Series> = methods
        .into_iter()
        .enumerate()
        .map(|(place, method)| {
            let of = |data: &str| rows.that(|row| row.data == data).method(method).summary(measure);
            Series {
                label: names::method_label(method).to_owned(),
                style: names::method_style(method, place),
                reference: false,
                points: data
                    .iter()
                    .enumerate()
                    .filter_map(|(x, data)| Some((x as f64, of(data)?)))
                    .collect(),
            }
        })
        .filter(|series| !series.points.is_empty())
        .collect();
    figure.x_labels = data.into_iter().map(data_label).collect();
    if !series.is_empty() {
        figure.panels.push(Panel { title: String::new(), x_name, series });
    }
    figure
}

fn distortion(rows: &Rows<'_>) -> Figure {
    let rows = rows.experiment("distortion");
    let caption = "Mean of tree distance divided by distance over pairs of items, for each kind of tree. The tree \
        distance is never below the distance, so 1 would be perfect.";
    let mut figure = blank("distortion", Part::Beyond, "Distortion of trees", caption);
    figure.y_name = "mean distortion";
    figure.joined = false;
    figure.columns = 1;
    if rows.is_empty() {
        return absent(figure, "distortion");
    }
    over_data(figure, &rows, "data", select::value)
}

fn orlib(rows: &Rows<'_>) -> Figure {
    let rows = rows.experiment("orlib");
    let caption = "By how many percent the cost exceeds the proven optimum, for each of the odd-numbered p-median instances \
        of the OR-Library. 0 is optimal.";
    let mut figure = blank("orlib", Part::Beyond, "OR-Library: gap to the optimum", caption);
    figure.y_name = "percent above the optimum";
    figure.y_scale = Scale::Linear;
    figure.joined = false;
    figure.columns = 1;
    if rows.is_empty() {
        return absent(figure, "orlib");
    }
    over_data(figure, &rows, "instance", select::gap)
}
