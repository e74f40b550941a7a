//! What is drawn, whatever it is drawn with: curves over ε, and their range.

use kmedian::privacy::PlanCurve;

/// Curves over the same ε.
pub(super) struct Chart {
    /// The ε, from left to right.
    pub(super) epsilons: Vec<String>,
    pub(super) lines: Vec<Line>,
    /// The top of the chart; the bottom is 1, or a little less if private centers happen to be
    /// better.
    pub(super) range: [f64; 2],
}

/// One curve.
pub(super) struct Line {
    pub(super) name: &'static str,
    /// The height without data.
    pub(super) data_free: f64,
    /// Mean, least and most for each ε.
    pub(super) heights: Vec<[f64; 3]>,
}

/// A flat chart still has some height.
const LEAST_TOP: f64 = 1.05;

impl Chart {
    pub(super) fn of(curves: &[PlanCurve]) -> Self {
        let lines: Vec<Line> = curves
            .iter()
            .map(|curve| Line {
                name: curve.scenario.name,
                data_free: curve.data_free,
                heights: curve.points.iter().map(|p| [p.mean, p.least, p.most]).collect(),
            })
            .collect();
        let heights = || {
            let of = |line: &Line| line.heights.concat().into_iter().chain([line.data_free]);
            lines.iter().flat_map(of).filter(|height| height.is_finite()).collect::<Vec<_>>()
        };
        let range = [
            heights().into_iter().fold(1.0, f64::min),
            heights().into_iter().fold(LEAST_TOP, f64::max),
        ];
        let epsilons = curves.first().map_or_else(Vec::new, |curve| {
            curve.points.iter().map(|point| point.epsilon.to_string()).collect()
        });
        Self { epsilons, lines, range }
    }

    /// How far up a height is, from 0 to 1; nowhere if it is not finite.
    pub(super) fn share(&self, height: f64) -> Option<f64> {
        let [low, high] = self.range;
        height.is_finite().then(|| (height - low) / (high - low))
    }
}
