//! One best estimate from noisy counts that contradict each other, and how far off it may be.

use super::hierarchy::Hierarchy;

/// Estimates of all counts by least squares, under which the parts of every cell add up to it. They
/// are not biased, and an estimate may be negative.
///
/// Hay et al. (2010) for any tree and any noise: on the way up, a cell's own noisy count and the
/// sum of its parts' estimates are averaged, each weighted by the inverse of its variance; on the
/// way down, what a cell has more than its parts is shared among them in proportion to their
/// variances.
pub(super) struct Consistent<'a> {
    shape: &'a Hierarchy,
    /// The estimate of every cell.
    pub(super) estimates: Vec<f64>,
    /// The variance of what is known of every cell from its own count and those below it.
    spreads: Vec<f64>,
}

impl<'a> Consistent<'a> {
    /// `variances` is infinite for a cell that was not measured.
    pub(super) fn new(shape: &'a Hierarchy, noisy: &[i64], variances: &[f64]) -> Self {
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
        Self { shape, estimates, spreads }
    }

    /// The sum of all leaves' estimates, each times its factor, and the variance that noise gives
    /// it. `factors` has an entry for every cell; those of the leaves are read.
    ///
    /// What is known of the parts of a cell from below is independent, and their estimates differ
    /// from it by shares of one number, what the cell has more than they. So the variance is a sum
    /// over cells of how much the factors of their parts differ.
    pub(super) fn sum(&self, mut factors: Vec<f64>) -> (f64, f64) {
        let (shape, mut variance) = (self.shape, 0.0);
        let leaves = (0..shape.len()).filter(|&node| shape.is_leaf(node));
        let sum = leaves.map(|leaf| factors[leaf] * self.estimates[leaf]).sum();
        for node in (0..shape.len()).rev().filter(|&node| !shape.is_leaf(node)) {
            let parts = || shape.children(node).map(|child| (factors[child], self.spreads[child]));
            let spread: f64 = parts().map(|(_, spread)| spread).sum();
            if spread > 0.0 {
                let mean = parts().map(|(factor, part)| factor * (part / spread)).sum::<f64>();
                variance +=
                    parts().map(|(factor, part)| part * (factor - mean).powi(2)).sum::<f64>();
                factors[node] = mean;
            }
        }
        (sum, variance + factors[0].powi(2) * self.spreads[0])
    }
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

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::Seed;

    /// What the variance of a sum of estimates is said to be, against sums of simulated noise.
    #[test]
    fn the_variance_of_a_sum_is_what_noise_makes_it() {
        // Three cells of four, one and two leaves; a leaf beside them.
        let parents = vec![0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 3, 3];
        let shape = Hierarchy::read(parents, vec![4, 5, 6, 7, 8, 9, 10, 11]).expect("a tree");
        let mut rng = Seed(1).stream("noise");
        for root in [f64::INFINITY, 900.0] {
            let mut variances: Vec<f64> =
                (0..shape.len()).map(|_| rng.random_range(100.0..2000.0)).collect();
            variances[0] = root;
            let factors: Vec<f64> = (0..shape.len()).map(|_| rng.random_range(-1.0..3.0)).collect();
            let mut sums = Vec::new();
            let mut told = 0.0;
            for _ in 0..4000 {
                let mut normal = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
                let noise = |variance: &f64| (variance.min(1e6).sqrt() * normal()).round() as i64;
                let noisy: Vec<i64> = variances.iter().map(noise).collect();
                let (sum, variance) =
                    Consistent::new(&shape, &noisy, &variances).sum(factors.clone());
                sums.push(sum);
                told = variance;
            }
            let square = sums.iter().map(|sum| sum * sum).sum::<f64>() / sums.len() as f64;
            assert!((square / told - 1.0).abs() < 0.12, "{square}, but {told} was told");
        }
    }
}
