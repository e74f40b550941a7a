//! How long it would take to certify centers: predicted from what a few candidates cost, in items
//! looked at, never from a clock or from the memory at hand. So every machine decides alike.

use std::time::Duration;

use super::Centers;
use super::probe::Probed;
use crate::tactics::{self, Certifying};

/// The number of candidates that are judged to see how many items each is compared with: a rough
/// mean suffices to predict a time.
const JUDGED: usize = 32;

impl Centers<'_> {
    /// How long a search from these centers to a local optimum is predicted to take, on one thread;
    /// zero where nothing is known of the time of a distance, or all are in a table.
    pub(crate) fn time_to_certify(&self) -> Duration {
        let Some(vectors) = self.problem.space.own().as_vectors() else { return Duration::ZERO };
        let Probed { within_reach, close, probes } = self.probe();
        let items = self.nearest.pairs.tracked().len();
        let candidates = self.candidate_count();
        let kept = tactics::keeps_bounds(candidates, items, tactics::COMMON_MEMORY);
        let bounds = tactics::bounds(within_reach, vectors.has_products(), kept);
        Certifying {
            candidates,
            items,
            dims: vectors.dims(),
            close: close.len() as f64 / probes as f64,
            looked_at: if bounds.is_some() { 0.0 } else { self.looked_at(within_reach) },
            bounds,
            kept,
        }
        .time()
    }

    /// How many items a candidate is compared with, on average, where triangles dismiss what they
    /// can; one that is not dismissed is compared with the share `within_reach` of the items.
    fn looked_at(&self, within_reach: f32) -> f64 {
        let candidates = self.candidates();
        let step = candidates.len().div_ceil(JUDGED);
        let mut few: Vec<u32> = candidates.into_iter().step_by(step).collect();
        few.retain(|&item| !self.is_center(item as usize));
        few.sort_by_key(|&item| self.slot_of(item));
        let before = self.pool.looked_at();
        let dismissed = self.dismissed(&few, 0.0);
        let listed = self.pool.looked_at() - before;
        let open = dismissed.iter().filter(|swap| swap.is_none()).count();
        let reached = f64::from(within_reach) * self.nearest.pairs.tracked().len() as f64;
        (listed as f64 + open as f64 * reached) / few.len().max(1) as f64
    }
}
