//! How long a search is predicted to take, by lower bounds of distances and by triangles.

use std::time::Duration;

use super::Pruning;

/// About how often all candidates are judged until none improves the centers: what the predicted
/// time of a certified search is multiplied by.
const PASSES: f64 = 3.0;

/// The time of a distance: seconds for each coordinate, and how many coordinates its other costs
/// amount to. Measured on one thread of a processor with AVX2.
const DISTANCE: (f64, f64) = (1.0 / 6e9, 32.0);

/// The time of a distance to an item whose row is not in a cache: seconds for each coordinate, and
/// how many coordinates its other costs amount to. Measured on one thread for 8,000 rows of 512
/// coordinates.
const DISTANCE_IN_MEMORY: (f64, f64) = (1.0 / 3e9, 32.0);

/// The time of a lower bound from an inner product: seconds for each coordinate, and how many
/// coordinates rounding to a byte amounts to. Measured on one thread of a processor with AVX2.
const PRODUCT: (f64, f64) = (1.0 / 40e9, 48.0);

/// Seconds to compare a lower bound, a byte, with its threshold. Measured on one thread of a
/// processor with AVX2.
const BYTE: f64 = 1e-10;

/// Seconds to judge what a candidate changes for an item that is closer to it than its cap.
/// Measured on one thread of a processor with AVX2, and raised from 5 ns to 8, as in the plane,
/// where most of the time of lower bounds goes there, they took longer than predicted.
const CLOSE: f64 = 8e-9;

/// The share of the predicted time of triangles, two fifths, that lower bounds must fall below to
/// be chosen. Of 24 searches measured (3,000 to 20,000 points in 2 to 96 dimensions, k = 10 and 50)
/// this is right in 21, and costs 15 % at most in the others: in the plane, where the share is 0.3
/// to 0.7, triangles take as long from bad centers, and less than half as long from good ones; from
/// three dimensions on it is below 0.3, and they take twice to twenty times as long.
const SURELY_FASTER: f64 = 0.4;
/// Whether measuring so many distances, where lower bounds did not suffice, takes longer than to
/// compute the bounds of so many candidates and items once more.
pub(crate) fn lets_too_much_through(
    measured: f64,
    candidates: usize,
    items: usize,
    dims: usize,
    bounds: Pruning,
) -> bool {
    let once = computing(candidates, items, dims, bounds);
    measured * price(dims, DISTANCE_IN_MEMORY) > once
}

/// The predicted time to compute the lower bounds of the distances between so many candidates and
/// items, shared by the threads of the current pool.
pub(crate) fn computing_together(
    candidates: usize,
    items: usize,
    dims: usize,
    bounds: Pruning,
) -> Duration {
    let threads = rayon::current_num_threads() as f64;
    let seconds = computing(candidates, items, dims, bounds) / threads;
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// Seconds to compute the lower bounds of the distances between so many candidates and items: of
/// half of the pairs if all items are both, as bounds are symmetric.
fn computing(candidates: usize, items: usize, dims: usize, bounds: Pruning) -> f64 {
    let half = if candidates == items { 0.5 } else { 1.0 };
    let each = if bounds == Pruning::Products { PRODUCT } else { DISTANCE };
    half * candidates as f64 * items as f64 * price(dims, each)
}

/// Seconds for one distance or product of so many coordinates, given those for each coordinate, and
/// how many coordinates other costs amount to.
fn price(dims: usize, (each, more): (f64, f64)) -> f64 {
    each * (dims as f64 + more)
}

/// What the time to judge all candidates, a few times over, is predicted from.
pub(crate) struct Judging {
    /// The number of candidates.
    pub(crate) candidates: usize,
    /// The number of items with demand.
    pub(crate) items: usize,
    /// The number of coordinates.
    pub(crate) dims: usize,
    /// How many items are closer to a candidate than their caps, on average.
    pub(crate) close: f64,
    /// How many items a candidate is compared with on average where there are no lower bounds, and
    /// triangles dismiss what they can.
    pub(crate) looked_at: f64,
    /// What lower bounds of distances would be computed from; `None` where they cannot pay.
    pub(crate) bounds: Option<Pruning>,
    /// Whether there is room to keep all lower bounds.
    pub(crate) kept: bool,
}

impl Judging {
    /// What lower bounds of distances are computed from; `None` where triangles are faster.
    pub(crate) fn bounds(&self) -> Option<Pruning> {
        self.bounds.filter(|&by| self.by_bounds(by) < SURELY_FASTER * self.by_triangles())
    }

    /// The predicted time to certify centers, on one thread.
    pub(crate) fn time(&self) -> Duration {
        let by_bounds = self.bounds.map_or(f64::INFINITY, |bounds| self.by_bounds(bounds));
        let seconds = by_bounds.min(self.by_triangles());
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }

    /// Seconds to certify centers by lower bounds of distances.
    fn by_bounds(&self, bounds: Pruning) -> f64 {
        let (candidates, items) = (self.candidates as f64, self.items as f64);
        let judging = PASSES * candidates * (items * BYTE + self.close * CLOSE);
        let computing = if bounds == Pruning::Products && !self.kept {
            PASSES * candidates * items * price(self.dims, PRODUCT)
        } else {
            computing(self.candidates, self.items, self.dims, bounds)
        };
        computing + judging
    }

    /// Seconds to certify centers by triangles.
    fn by_triangles(&self) -> f64 {
        PASSES * self.candidates as f64 * self.looked_at * price(self.dims, DISTANCE)
    }
}

#[cfg(test)]
mod tests {
    use super::super::certifies;
    use super::*;

    #[test]
    fn too_much_is_let_through_where_measuring_it_takes_as_long_as_all_bounds() {
        let through =
            |measured| lets_too_much_through(measured, 8000, 8000, 512, Pruning::Products);
        assert!(!through(2.4e6) && through(2.6e6));
    }

    fn judging(n: usize, dims: usize, looked_at: f64) -> Judging {
        let bounds = Some(Pruning::Products);
        Judging { candidates: n, items: n, dims, close: 100.0, looked_at, bounds, kept: true }
    }

    #[test]
    fn bounds_pay_where_triangles_dismiss_little() {
        assert_eq!(judging(20_000, 2, 1000.0).bounds(), None);
        assert_eq!(judging(20_000, 2, 20_000.0).bounds(), Some(Pruning::Products));
        assert_eq!(judging(20_000, 768, 19_000.0).bounds(), Some(Pruning::Products));
        let without = Judging { bounds: None, ..judging(20_000, 2, 20_000.0) };
        assert_eq!(without.bounds(), None);
    }

    #[test]
    fn certifying_takes_longer_without_memory() {
        let with = |n, kept| Judging { kept, ..judging(n, 768, n as f64) }.time();
        assert!(certifies(with(10_000, true)) && !certifies(with(50_000, true)));
        assert!(with(10_000, false) > 2 * with(10_000, true));
    }
}
