//! One best estimate from noisy counts that contradict each other.

use super::hierarchy::Hierarchy;

/// Estimates of all counts by least squares, under which the parts of every cell add up to it.
///
/// Hay et al. (2010) for any tree and any noise: on the way up, a cell's own noisy count and the
/// sum of its parts' estimates are averaged, each weighted by the inverse of its variance; on the
/// way down, what a cell has more than its parts is shared among them in proportion to their
/// variances. `variances` is infinite for a cell that was not measured.
pub(super) fn consistent(shape: &Hierarchy, noisy: &[i64], variances: &[f64]) -> Vec<f64> {
    let mut estimates: Vec<f64> = noisy.iter().map(|&count| count as f64).collect();
    let mut spreads = variances.to_vec();
    for node in (0..shape.len()).rev().filter(|&node| !shape.is_leaf(node)) {
        let sum: f64 = shape.children(node).map(|child| estimates[child]).sum();
        let spread: f64 = shape.children(node).map(|child| spreads[child]).sum();
        let of_own = share_of_own(variances[node], spread);
        estimates[node] =
            if of_own == 0.0 { sum } else { of_own * estimates[node] + (1.0 - of_own) * sum };
        spreads[node] = if of_own == 0.0 { spread } else { of_own * variances[node] };
    }
    for node in (0..shape.len()).filter(|&node| !shape.is_leaf(node)) {
        let sum: f64 = shape.children(node).map(|child| estimates[child]).sum();
        let spread: f64 = shape.children(node).map(|child| spreads[child]).sum();
        if spread > 0.0 {
            let missing = estimates[node] - sum;
            shape
                .children(node)
                .for_each(|child| estimates[child] += missing * (spreads[child] / spread));
        }
    }
    estimates
}

/// The weight, from 0 to 1, of a cell's own count when it is averaged with the sum of its parts:
/// both weigh as the inverses of their variances. Zero if the cell was not measured, one if neither
/// of them has any noise.
fn share_of_own(own: f64, parts: f64) -> f64 {
    match (own.is_finite(), own + parts > 0.0) {
        (false, _) => 0.0,
        (true, false) => 1.0,
        (true, true) => parts / (own + parts),
    }
}
