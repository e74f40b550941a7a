//! The curves of a plan over ε, and their range: what is drawn on a terminal.

use kmedian::privacy::PlanCurve;

/// Curves over the same ε.
pub(super) struct Chart {
    /// The ε from left to right, as text.
    pub(super) epsilons: Vec<String>,
    pub(super) lines: Vec<Line>,
    /// The bottom and the top of the chart: those of the curves, with 1. Centers without data may
    /// be above it. The bottom is 1, or less if private centers happen to be better than
    /// non-private ones.
    pub(super) range: [f64; 2],
}

/// One curve: the cost of private centers in one scenario, in multiples of the non-private cost.
pub(super) struct Line {
    pub(super) name: &'static str,
    /// The cost of centers without data, in multiples of the non-private cost.
    pub(super) data_free: f64,
    /// The mean for each ε.
    pub(super) means: Vec<f64>,
}

/// The lowest top of a chart, so that a flat one still has some height.
const LEAST_TOP: f64 = 1.05;

impl Chart {
    pub(super) fn of(curves: &[PlanCurve]) -> Self {
        let lines: Vec<Line> = curves
            .iter()
            .map(|curve| Line {
                name: curve.scenario.name,
                data_free: curve.data_free,
                means: curve.points.iter().map(|point| point.mean).collect(),
            })
            .collect();
        let means = || lines.iter().flat_map(|line| &line.means).copied().filter(|x| x.is_finite());
        let range = [means().fold(1.0, f64::min), means().fold(LEAST_TOP, f64::max)];
        let epsilons = curves.first().map_or_else(Vec::new, |curve| {
            curve.points.iter().map(|point| point.epsilon.to_string()).collect()
        });
        Self { epsilons, lines, range }
    }

    /// How far up a height is, from 0 at the bottom to 1 at the top; `None` if it is not finite.
    pub(super) fn share(&self, height: f64) -> Option<f64> {
        let [low, high] = self.range;
        height.is_finite().then(|| (height - low) / (high - low))
    }
}
