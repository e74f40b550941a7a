//! Sums that rounding can only move to the safe side.
//!
//! A 64-bit sum of m numbers that are not negative, each a product of a weight and a difference, is
//! wrong by at most (m + 1) units of 2⁻⁵³ of itself: one for each addition, and two for each term.
//! The factors below leave twice that. A product that is too small for a normal number may lose
//! all of its digits, which the smallest normal number for each term makes up for.

/// Roundings that are granted beside one for each term of a sum: two of a term itself, a few of the
/// factor that is computed here, and some to spare.
const MORE: f64 = 8.0;

/// An upper bound of a sum of terms that are not negative, given as it was computed.
pub(super) fn at_most(sum: f64, terms: usize) -> f64 {
    let terms = terms as f64;
    sum * (1.0 + (terms + MORE) * f64::EPSILON) + terms * f64::MIN_POSITIVE
}

/// A lower bound of a sum of terms that are not negative, given as it was computed.
pub(super) fn at_least(sum: f64, terms: usize) -> f64 {
    let terms = terms as f64;
    (sum * (1.0 - (terms + MORE) * f64::EPSILON) - terms * f64::MIN_POSITIVE).max(0.0)
}

/// A 32-bit number that is not below the given 64-bit one.
pub(super) fn above(value: f64) -> f32 {
    let near = value as f32;
    if f64::from(near) < value { near.next_up() } else { near }
}
