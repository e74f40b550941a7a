use crate::{Objective, Space};

/// The binary logarithm of the number of grid steps that the diameter costs, rounded up: rounding
/// to whole steps changes a cost by a millionth of that.
const BITS: i32 = 20;

/// The binary logarithm of the largest sum of costs, in grid steps: it fits into 64 bits.
const COST_BITS: i32 = 62;

/// A public grid on which costs are whole numbers, rounded up.
///
/// Sums of floats depend on their order, and so does what a record changes in them. Whole numbers
/// do not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    step: f64,
    objective: Objective,
    /// What the bound of the diameter costs: no record costs more, wherever the centers are.
    largest: u64,
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

    /// What a distance costs, in steps. It is never more than the diameter costs, even if the
    /// distances are no metric and the bound of the diameter is wrong.
    #[inline]
    pub(super) fn cost(&self, distance: f32) -> u64 {
        ((self.objective.of(distance) / self.step).ceil() as u64).min(self.largest)
    }

    /// What the diameter costs.
    pub(super) fn largest(&self) -> u64 {
        self.largest
    }

    /// A count, or the largest for which sums are exact. A record changes it by one at the most.
    pub(super) fn count(&self, count: u64) -> u64 {
        count.min(self.largest_count)
    }
}
