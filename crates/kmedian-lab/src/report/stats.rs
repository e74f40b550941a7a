//! Statistics of repeated runs: means with their standard errors, and the paper's measure of
//! iterations.

pub use kmedian_plot::{Summary, mean};

/// The geometric mean of positive numbers, by which ratios are averaged; `None` if there are none.
#[must_use]
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    let logarithms: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    mean(&logarithms).map(f64::exp)
}

/// The means of every `window` consecutive numbers; the mean of all, if there are fewer.
#[must_use]
pub fn moving_average(values: &[f64], window: usize) -> Vec<f64> {
    let window = window.clamp(1, values.len().max(1));
    values.windows(window).filter_map(mean).collect()
}

/// The number of iterations over which [`iterations_to_optimum`] averages, as in the paper.
pub const WINDOW: usize = 5;

/// The number of iterations until the moving average of the costs is smallest: the paper's measure
/// of how long a private search takes to come near a local optimum (Section 5.3).
///
/// An average is reached with the last iteration of its window. `None` if there are no costs.
#[must_use]
pub fn iterations_to_optimum(costs: &[f64]) -> Option<usize> {
    let averages = moving_average(costs, WINDOW);
    let (at, _) = averages.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1))?;
    Some(at + WINDOW.min(costs.len()))
}

/// The exponent a of y ≈ c·xᵃ: the slope of a least-squares line through the logarithms. `None`
/// unless there are two different x.
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
