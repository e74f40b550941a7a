/// How many standard deviations of a normal distribution about its mean hold 90 % of it, to either
/// side.
const DEVIATIONS: f64 = 1.645;

/// How many standard deviations are taken for what centers cost that were chosen by the very counts
/// that judge them. Such centers look better than they are. On two graphs and 4,000 images 1.645
/// deviations held the true cost in 84 % of releases and the true advantage in 83 %, and 2.0 held
/// them in 91 and 90 %; docs/PRIVATE-ACCURACY.md has what they hold elsewhere.
const DEVIATIONS_OF_CHOSEN: f64 = 2.0;

/// The range in which the truth lies with a probability of about 90 %, over the noise of a release.
///
/// The noise is public, so its variance is exact. What lies below the resolution of the tree, where
/// in a leaf its records are, is taken to be random.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// The range about an estimate. It is wider if it is of centers that were `chosen` by the
    /// counts that the estimate is from.
    pub(super) fn around(estimate: Estimate, chosen: bool) -> Self {
        let reach = estimate.deviation * if chosen { DEVIATIONS_OF_CHOSEN } else { DEVIATIONS };
        Self { low: estimate.value - reach, high: estimate.value + reach }
    }

    /// The middle of the range: an estimate that is not biased by shrinking.
    pub fn middle(self) -> f64 {
        f64::midpoint(self.low, self.high)
    }

    /// Whether a number is within the range.
    pub fn contains(self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// The range of something that cannot be negative, and that was estimated otherwise: cut off at
    /// zero, and wide enough for the estimate.
    pub(super) fn of_amount(self, estimate: f64) -> Self {
        Self { low: self.low.clamp(0.0, estimate.max(0.0)), high: self.high.max(estimate) }
    }
}

/// An estimate that is not biased, and its standard deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Estimate {
    pub(super) value: f64,
    pub(super) deviation: f64,
}
