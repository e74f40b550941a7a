/// How many standard deviations of a normal distribution about its mean hold 90 % of it, to either
/// side.
const DEVIATIONS: f64 = 1.645;

/// The range in which the truth lies with a probability of about 90 %, over the noise of a release
/// and over where in a cell its records are.
///
/// The noise is public, so its variance is exact. Where in a leaf of the tree its records are is
/// not in the release. They may be at many of its items or all at one, as the visits of a few
/// addresses are, so a range is wide enough for one: any item of the leaf, as likely as any other.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// The range about an estimate.
    pub(super) fn around(Estimate { value, deviation }: Estimate) -> Self {
        let reach = DEVIATIONS * deviation;
        Self { low: value - reach, high: value + reach }
    }

    /// The middle of the range, where nothing cut it off or widened it.
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

/// An estimate, and the standard deviation of the truth from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Estimate {
    pub(super) value: f64,
    pub(super) deviation: f64,
}
