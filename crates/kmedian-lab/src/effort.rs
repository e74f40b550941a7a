//! Estimates roughly how long a run will take.

use crate::Row;

/// The number of seconds that a run is expected to take, so that the progress bar can tell how much
/// time is left. Nothing else depends on it.
///
/// The factors were measured on one core. Only their ratios matter.
pub(crate) fn seconds(row: &Row) -> f64 {
    let (n, k) = (row.n as f64, row.k.max(1) as f64);
    let demand = row.records.min(row.n) as f64;
    let expected = match row.method.as_str() {
        // Twenty iterations, each of which compares every item with the demand. With few centers, a
        // swap reaches more of the demand.
        "dp-rand" | "dp-plusplus" | "dp-hst" => 7e-7 * n * demand / k.sqrt(),
        "ndp-rand" | "ndp-plusplus" | "ndp-hst" => 5e-8 * n * demand,
        // Passes over all pairs of items.
        "dp-refined" | "data-free" => 1.5e-8 * n * n,
        "ndp-restarts" => 2e-5 * n * k,
        // Distances of vectors, of which trees are built.
        "hst-paper" => 2e-9 * n * n,
        "greedy" => 2e-7 * n * k,
        _ => 1e-5 * n,
    };
    expected + FIXED
}

/// The number of seconds that any run takes, to set it up and to write its row.
const FIXED: f64 = 1e-3;
