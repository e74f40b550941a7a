//! What repetitions say: means with their standard errors, and the paper's measure of iterations.

/// The mean of some runs, and how far it may be off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// The mean.
    pub mean: f64,
    /// The standard error of the mean; 0 for a single run, which says nothing about it.
    pub error: f64,
    /// How many runs there were.
    pub runs: usize,
}

impl Summary {
    /// The summary of some numbers; nothing, if there are none. Numbers that are not finite are
    /// left out.
    #[must_use]
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        let runs = values.len();
        let mean = mean(&values)?;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let error = match runs {
            1 => 0.0,
            _ => (squares / (runs - 1) as f64 / runs as f64).sqrt(),
        };
        Some(Self { mean, error, runs })
    }

    /// This mean divided by another one, with the error of the quotient (to first order, as if the
    /// runs of both had nothing in common).
    #[must_use]
    pub fn over(self, other: Self) -> Self {
        let mean = self.mean / other.mean;
        let error = mean.abs() * (self.error / self.mean).hypot(other.error / other.mean);
        // Nothing in nothing: a mean of 0 has no relative error.
        let error = if error.is_nan() { 0.0 } else { error };
        Self { mean, error, runs: self.runs.min(other.runs) }
    }
}

/// The mean; nothing, if there are no numbers.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The geometric mean of positive numbers: what ratios are averaged by.
#[must_use]
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    let logarithms: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    mean(&logarithms).map(f64::exp)
}

/// The means of `window` numbers in a row; of all of them, if there are fewer.
#[must_use]
pub fn moving_average(values: &[f64], window: usize) -> Vec<f64> {
    let window = window.clamp(1, values.len().max(1));
    values.windows(window).filter_map(mean).collect()
}

/// The window of [`iterations_to_optimum`], as in the paper.
pub const WINDOW: usize = 5;

/// The number of iterations until the moving average of the costs is at its least: the paper's
/// measure of how long a private search takes to find the neighborhood of a local optimum (Section
/// 5.3).
///
/// An average counts as reached when the last iteration in its window is done.
#[must_use]
pub fn iterations_to_optimum(costs: &[f64]) -> Option<usize> {
    let averages = moving_average(costs, WINDOW);
    let (at, _) = averages.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1))?;
    Some(at + WINDOW.min(costs.len()))
}

/// The exponent a of y ≈ c·xᵃ: the slope of a least-squares line through the logarithms. Needs two
/// different x.
#[must_use]
pub fn exponent(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let x_mean = mean(&logs.iter().map(|point| point.0).collect::<Vec<_>>())?;
    let y_mean = mean(&logs.iter().map(|point| point.1).collect::<Vec<_>>())?;
    let across: f64 = logs.iter().map(|(x, _)| (x - x_mean).powi(2)).sum();
    let along: f64 = logs.iter().map(|(x, y)| (x - x_mean) * (y - y_mean)).sum();
    (across > 0.0).then(|| along / across)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_of_four_runs_by_hand() {
        let summary = Summary::of([2.0, 4.0, 4.0, 6.0]).unwrap();
        assert_eq!(summary.mean, 4.0);
        assert_eq!(summary.runs, 4);
        // The squares add up to 8; 8 / 3 is the variance, and a quarter of it that of the mean.
        assert!((summary.error - (8.0_f64 / 3.0 / 4.0).sqrt()).abs() < 1e-15);
        assert_eq!(Summary::of([7.0]), Some(Summary { mean: 7.0, error: 0.0, runs: 1 }));
        assert_eq!(Summary::of([]), None);
        assert_eq!(Summary::of([f64::NAN, 3.0]).unwrap().mean, 3.0);
    }

    #[test]
    fn a_quotient_by_hand() {
        let (three, four) = (
            Summary { mean: 3.0, error: 0.3, runs: 9 },
            Summary { mean: 4.0, error: 0.0, runs: 5 },
        );
        let quotient = three.over(four);
        assert_eq!((quotient.mean, quotient.runs), (0.75, 5));
        assert!((quotient.error - 0.075).abs() < 1e-15);
        let zero = Summary { mean: 0.0, error: 0.0, runs: 1 };
        assert_eq!(zero.over(four).error, 0.0);
    }

    #[test]
    fn a_moving_average_by_hand() {
        assert_eq!(moving_average(&[1.0, 2.0, 3.0, 4.0, 5.0, 16.0], 5), [3.0, 6.0]);
        assert_eq!(moving_average(&[1.0, 3.0], 5), [2.0]);
        assert!(moving_average(&[], 5).is_empty());
    }

    #[test]
    fn iterations_are_counted_to_the_end_of_the_best_window() {
        let falling: Vec<f64> = (0..20).map(|i| f64::from(20 - i)).collect();
        assert_eq!(iterations_to_optimum(&falling), Some(20));
        let rising: Vec<f64> = (0..20).map(f64::from).collect();
        assert_eq!(iterations_to_optimum(&rising), Some(5));
        // One low cost does not make a neighborhood: the best five in a row are the last ones.
        let spike = [9.0, 1.0, 9.0, 9.0, 9.0, 9.0, 5.0, 5.0, 5.0, 5.0, 5.0];
        assert_eq!(iterations_to_optimum(&spike), Some(11));
        assert_eq!(iterations_to_optimum(&[3.0, 2.0]), Some(2));
        assert_eq!(iterations_to_optimum(&[]), None);
    }

    #[test]
    fn exponents_and_geometric_means_by_hand() {
        let square = exponent(&[(1.0, 3.0), (2.0, 12.0), (4.0, 48.0)]).unwrap();
        assert!((square - 2.0).abs() < 1e-12);
        assert_eq!(exponent(&[(2.0, 1.0), (2.0, 5.0)]), None);
        assert!((geometric_mean(&[0.5, 2.0]).unwrap() - 1.0).abs() < 1e-15);
        assert_eq!(geometric_mean(&[]), None);
    }
}
