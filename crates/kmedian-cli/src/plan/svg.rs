//! Draws the curves of a plan as an SVG picture in one file.

use kmedian::privacy::{PlanCurve, PlanPoint};
use kmedian_plot::{Figure, Mark, Panel, Scale, Series, Style, Summary, sheet};

/// The dash pattern, in SVG's units, of the line of centers without data: dots that are farther
/// apart than the dashes of any curve.
const DOTS: &str = "1 6";

/// Draws the mean costs as lines, which fill the picture, their standard errors as bars, a line at
/// 1, and the cost of centers without data as dotted lines, where there is room for them.
pub(super) fn draw(curves: &[PlanCurve], title: &str, runs: usize) -> String {
    let mut series = Vec::new();
    for (place, curve) in curves.iter().enumerate() {
        let style = Style::in_turn(place);
        let at = |point: &PlanPoint, mean: f64, error: f64| {
            (point.epsilon.approximate(), Summary { mean, error, runs })
        };
        let means = curve.points.iter().map(|point| at(point, point.mean, point.error));
        let level = curve.points.iter().map(|point| at(point, curve.data_free, 0.0));
        series.push(Series {
            label: curve.scenario.name.to_owned(),
            style,
            reference: false,
            points: means.collect(),
        });
        series.push(Series {
            label: "without data".to_owned(),
            style: Style { mark: Mark::None, dashes: DOTS, ..style },
            reference: true,
            points: level.collect(),
        });
    }
    // The scenarios come first in the legend.
    series.sort_by_key(|series| series.reference);
    let panel = Panel { title: "made-up demand".to_owned(), x_name: "ε", series };
    let figure = Figure {
        caption: "Private centers for demand that is made up. The line at 1 is the cost of non-private centers; a \
                  dotted line, where there is room for it, that of centers without data, in the same color."
            .to_owned(),
        line: Some(1.0),
        y_name: "cost, in multiples of the non-private cost",
        x_scale: Scale::Log,
        panels: vec![panel],
        ..Figure::new(title)
    };
    sheet::draw(&figure)
}
