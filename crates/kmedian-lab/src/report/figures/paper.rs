//! The figures of the paper's Section 5.

use kmedian_plot::Scale;

use super::{Plan, blank, centers, fill, paper_settings};
use crate::report::figure::{Figure, Part};
use crate::report::names::{data_label, setting_label};
use crate::report::select::{self, Measure, PAPER_SEARCHES, Rows};
use crate::row::Row;

/// The methods in figures without privacy.
const NON_PRIVATE: &[&str] = &["ndp-rand", "ndp-plusplus", "ndp-hst", "ndp-exact"];
/// The private methods whose initial centers are compared.
const PRIVATE_INITIAL: &[&str] = &["dp-rand", "dp-plusplus", "dp-hst", "dp-exact", "dp-refined"];
/// All private methods, and those that they are compared with.
const PRIVATE: &[&str] =
    &["dp-rand", "dp-plusplus", "dp-hst", "dp-exact", "dp-refined", "data-free", "ndp-exact"];
/// The methods in the figure of the best iteration: the paper's searches, and the output of ours.
const PRIVATE_BEST: &[&str] = &["dp-rand", "dp-plusplus", "dp-hst", "dp-refined"];
/// The initializations in the figure of running times.
const TIMED: &[&str] = &["plusplus", "greedy", "hst-paper", "hst-ours"];

/// All figures of the paper, in the order of the report.
pub(super) fn figures(rows: &Rows<'_>) -> Vec<Figure> {
    vec![
        cost(rows, &NON_PRIVATE_IMAGES),
        cost(rows, &PRIVATE_IMAGES),
        cost(rows, &NON_PRIVATE_GRAPH),
        cost(rows, &PRIVATE_GRAPH),
        selected(rows),
        iterations(rows),
        best(rows),
        time(rows),
    ]
}

/// One of the four figures of initial and final costs.
struct CostFigure {
    name: &'static str,
    title: &'static str,
    caption: &'static str,
    /// Whether the data are graphs, not images.
    graphs: bool,
    /// The methods whose initial costs are shown.
    initial: &'static [&'static str],
    /// The name of the final cost, the methods that are shown, and how it is measured.
    last: (&'static str, &'static [&'static str], Measure),
}

const NON_PRIVATE_CAPTION: &str = "Mean cost on the demand of the initial centers and after local search, over k. The three NDP methods are the paper's: best swaps, α = 10⁻³, at most 20 of them.";
const PRIVATE_CAPTION: &str = "Mean cost on the demand of the initial centers and, as the paper reports it, the \
    mean over the T = 20 iterations, over k, at ε = 1. Ours has no iterations that look at the demand: \
    its one output is shown.";

const NON_PRIVATE_IMAGES: CostFigure = CostFigure {
    name: "images-ndp",
    title: "Images, not private: initial and final cost",
    caption: NON_PRIVATE_CAPTION,
    graphs: false,
    initial: NON_PRIVATE,
    last: ("final", NON_PRIVATE, select::output),
};
const PRIVATE_IMAGES: CostFigure = CostFigure {
    name: "images-dp",
    title: "Images, private: initial and final cost",
    caption: PRIVATE_CAPTION,
    graphs: false,
    initial: PRIVATE_INITIAL,
    last: ("mean over T", PRIVATE, select::mean_over_iterations),
};
const NON_PRIVATE_GRAPH: CostFigure = CostFigure {
    name: "graph-ndp",
    title: "Graphs, not private: initial and final cost",
    graphs: true,
    ..NON_PRIVATE_IMAGES
};
const PRIVATE_GRAPH: CostFigure = CostFigure {
    name: "graph-dp",
    title: "Graphs, private: initial and final cost",
    graphs: true,
    ..PRIVATE_IMAGES
};

fn cost(rows: &Rows<'_>, figure: &CostFigure) -> Figure {
    let rows = rows.experiment("cost");
    let (moment, methods, measure) = figure.last;
    let mut plans = Vec::new();
    for (moment, methods, measure) in
        [("initial", figure.initial, select::initial as Measure), (moment, methods, measure)]
    {
        for (data, demand) in paper_settings(&rows)
            .into_iter()
            .filter(|(data, _)| data.starts_with("graph-") == figure.graphs)
        {
            let title = format!("{}: {moment}", setting_label(data, demand));
            plans.push(over_k(title, rows.over(data, demand), methods, measure));
        }
    }
    fill(blank(figure.name, Part::Paper, figure.title, figure.caption), plans, methods)
}

fn over_k<'a>(
    title: String,
    rows: Rows<'a>,
    methods: &'static [&'static str],
    measure: Measure,
) -> Plan<'a> {
    Plan { title, rows, methods, x_name: "k", x: centers, measure }
}

fn selected(rows: &Rows<'_>) -> Figure {
    let rows = rows.experiment("cost");
    let caption = "The cost that a user gets: of the one set of centers that a method releases, over k, at ε = 1. A \
        private search may pick only one of its T iterations, and not by its true cost.";
    let plans = paper_settings(&rows)
        .into_iter()
        .map(|(data, demand)| {
            over_k(setting_label(data, demand), rows.over(data, demand), PRIVATE, select::output)
        })
        .collect();
    fill(
        blank("dp-output", Part::Paper, "Private: cost of the selected output", caption),
        plans,
        PRIVATE,
    )
}

fn imbalanced<'a>(
    rows: &Rows<'a>,
    methods: &'static [&'static str],
    measure: Measure,
) -> Vec<Plan<'a>> {
    let rows = rows.experiment("cost");
    paper_settings(&rows)
        .into_iter()
        .filter(|(_, demand)| *demand == "imbalanced")
        .map(|(data, demand)| over_k(data_label(data), rows.over(data, demand), methods, measure))
        .collect()
}

fn iterations(rows: &Rows<'_>) -> Figure {
    let caption = "Iterations until the moving average (window 5) of the cost over T = 20 iterations is at its least, \
        over k, imbalanced demand, ε = 1. A search that never gets better than it began has 5, one that gets better \
        all the time 20; one that walks at \
        random 12.5 on average.";
    let mut figure =
        blank("iterations", Part::Paper, "Private: iterations to a local optimum", caption);
    figure.y_name = "iterations";
    figure.y_scale = Scale::Linear;
    fill(figure, imbalanced(rows, &PAPER_SEARCHES, select::iterations), &PAPER_SEARCHES)
}

fn best(rows: &Rows<'_>) -> Figure {
    let caption = "The least cost among the T = 20 iterations, over k, imbalanced demand, ε = 1. Nobody may know which \
        iteration it was, so this is a bound, not an output. Ours is its output.";
    fill(
        blank("best-cost", Part::Paper, "Private: best cost within T", caption),
        imbalanced(rows, PRIVATE_BEST, select::best_iteration),
        PRIVATE_BEST,
    )
}

fn items(row: &Row) -> Option<f64> {
    Some(row.n as f64)
}

fn time(rows: &Rows<'_>) -> Figure {
    let caption = "Seconds of the initialization alone.";
    let mut plans = Vec::new();
    for (experiment, x_name, x, fixed_name, fixed) in [
        ("time-k", "k", centers as fn(&Row) -> Option<f64>, "n", items as fn(&Row) -> Option<f64>),
        ("time-n", "n", items, "k", centers),
    ] {
        let rows = rows.experiment(experiment);
        let measure = select::initial_seconds as Measure;
        let plan = |title, rows| Plan { title, rows, methods: TIMED, x_name, x, measure };
        for data in rows.distinct(|row| row.data.as_str()) {
            let rows = rows.that(|row| row.data == data);
            for value in rows.distinct_numbers(fixed) {
                let title = format!("{}, over {x_name}, {fixed_name} = {value}", data_label(data));
                plans.push(plan(title, rows.that(|row| fixed(row) == Some(value))));
            }
        }
        if rows.is_empty() {
            plans.push(plan(format!("over {x_name}"), rows));
        }
    }
    let mut figure = blank("time", Part::Paper, "Running time of initializations", caption);
    figure.y_name = "seconds";
    figure.x_scale = Scale::Log;
    figure.columns = 2;
    fill(figure, plans, TIMED)
}
