//! How long a run will take, roughly.

use crate::Row;

/// How many seconds a run is expected to take, so that the progress bar can tell how long is left.
/// Nothing else depends on it.
///
/// The factors were measured on one core; what matters is how methods and sizes compare.
pub(crate) fn seconds(row: &Row) -> f64 {
    let (n, k) = (row.n as f64, row.k.max(1) as f64);
    let demand = row.records.min(row.n) as f64;
    let expected = match row.method.as_str() {
        // Twenty iterations, in each of which every item is compared with the demand. With few
        // centers, more of the demand is within reach of a swap.
        "dp-rand" | "dp-plusplus" | "dp-hst" => 7e-7 * n * demand / k.sqrt(),
        "ndp-rand" | "ndp-plusplus" | "ndp-hst" => 5e-8 * n * demand,
        // Passes over all pairs of items.
        "dp-refined" | "data-free" => 1.5e-8 * n * n,
        "ndp-restarts" => 2e-5 * n * k,
        // Distances of vectors, as long as it takes to build trees of them.
        "hst-paper" => 2e-9 * n * n,
        "greedy" => 2e-7 * n * k,
        _ => 1e-5 * n,
    };
    expected + FIXED
}

/// The seconds that any run takes, however small: setting it up, and writing its row.
const FIXED: f64 = 1e-3;
