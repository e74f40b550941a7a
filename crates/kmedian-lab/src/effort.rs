//! How long a run will take, roughly.

use crate::Row;

/// How many seconds a run is expected to take, so that the progress bar can tell how long is left. Nothing else
/// depends on it.
pub(crate) fn seconds(row: &Row) -> f64 {
    let _ = row;
    1.0
}
