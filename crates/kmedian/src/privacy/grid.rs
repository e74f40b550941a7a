use crate::{Objective, Space};

/// The binary logarithm of the number of grid steps in the cost of the diameter, rounded up.
/// Rounding a cost to whole steps then changes it by about a millionth of the diameter's cost.
const BITS: i32 = 20;

/// The binary logarithm of the largest sum of costs over all records, in grid steps: two such sums
/// still add up to less than 2⁶⁴.
const COST_BITS: i32 = 62;

/// A public grid on which costs are whole numbers, rounded up.
///
/// Sums of floats depend on the order of their terms, and so does the change that one record makes.
/// Sums of whole numbers do not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    step: f64,
    objective: Objective,
    /// The cost, in steps, of the upper bound of the diameter: no record costs more, wherever the
    /// centers are.
    largest: u64,
    /// The largest number of records at an item for which sums of costs do not overflow.
    largest_count: u64,
}

impl Grid {
    pub(super) fn new(space: &dyn Space, objective: Objective) -> Self {
        let bound = objective.of(space.diameter_bound());
        let exponent = libm::frexp(bound).1;
        let step = libm::ldexp(1.0, exponent - BITS);
        let largest = (bound / step).ceil() as u64;
        Self {
            step,
            objective,
            largest,
            largest_count: (1 << (COST_BITS - BITS)) / space.len() as u64,
        }
    }

    /// The cost of a distance, in steps. It is never more than the cost of the diameter's bound,
    /// even if the distances are no metric and that bound is wrong.
    #[inline]
    pub(super) fn cost(&self, distance: f32) -> u64 {
        ((self.objective.of(distance) / self.step).ceil() as u64).min(self.largest)
    }

    /// The cost of the upper bound of the diameter, in steps.
    pub(super) fn largest(&self) -> u64 {
        self.largest
    }

    /// A count of records, or the largest one for which sums of costs are exact, if that is less. A
    /// record changes the result by at most one.
    pub(super) fn count(&self, count: u64) -> u64 {
        count.min(self.largest_count)
    }
}
