//! Means of repeated runs, and their errors.

/// The mean of some runs, and its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// The mean of the runs.
    pub mean: f64,
    /// The standard error of the mean. It is 0 for a single run, which says nothing about the
    /// error.
    pub error: f64,
    /// The number of runs.
    pub runs: usize,
}

impl Summary {
    /// The summary of some numbers. Numbers that are not finite are left out; `None` if none is
    /// left.
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

    /// This mean divided by another one, with the error of the quotient: to first order, and as if
    /// the runs of both were independent.
    #[must_use]
    pub fn over(self, other: Self) -> Self {
        let mean = self.mean / other.mean;
        let error = mean.abs() * (self.error / self.mean).hypot(other.error / other.mean);
        // A mean of 0 has no relative error.
        let error = if error.is_nan() { 0.0 } else { error };
        Self { mean, error, runs: self.runs.min(other.runs) }
    }
}

/// The mean of some numbers; `None` if there are none.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
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
}
