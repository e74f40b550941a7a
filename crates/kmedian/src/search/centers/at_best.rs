//! What a swap changes at best: from lower bounds of distances alone.
//!
//! Nearly all time of a search by lower bounds is spent here, so the loop over the items within
//! reach is written for speed: it takes the cost of a level from a table, and adds to one of several
//! sums in turn, as an addition has to wait for the one before it to the same sum.

use super::super::reliefs::{self, LANES, Reliefs};
use super::super::way::Bounded;
use super::Centers;
use super::judge::larger;
use crate::Objective;
use crate::space::{Pair, Row};

impl Centers<'_> {
    /// The slot whose center should leave for a newcomer, judged by lower bounds of its distances,
    /// and by how much that changes the cost, or less.
    pub(super) fn best_leaving_at_best(
        &self,
        bounds: &Row<'_>,
        bounded: &Bounded<'_>,
        reliefs: &mut Reliefs,
    ) -> (usize, f64) {
        if !reliefs::add_up_in_lanes(self.losses.len()) {
            return self.best_leaving(bounds.close().into_iter(), reliefs);
        }
        // The objective is chosen outside of the loop.
        match self.problem.objective {
            Objective::Median => self.in_lanes(bounds, bounded, reliefs, f64::from),
            Objective::Means => {
                self.in_lanes(bounds, bounded, reliefs, |far| f64::from(far) * f64::from(far))
            }
        }
    }

    #[inline(always)]
    fn in_lanes(
        &self,
        bounds: &Row<'_>,
        bounded: &Bounded<'_>,
        reliefs: &mut Reliefs,
        cost: impl Fn(f32) -> f64,
    ) -> (usize, f64) {
        let (pairs, weights) = (self.nearest.pairs.all(), self.problem.demand.weights());
        let by_lane = reliefs.by_lane(self.losses.len());
        let (mut saved, mut lane) = ([0.0; LANES], 0);
        bounds.visit_close(|item, level| {
            let Pair { slots, distances } = &pairs[item as usize];
            let (here, weight) = (bounded.costs[level], weights[item as usize]);
            let [first, second] = [cost(distances[0]), cost(distances[1])];
            saved[lane] += weight * larger(first - here, 0.0);
            by_lane[slots[0] as usize][lane] += weight * larger(second - larger(here, first), 0.0);
            lane = (lane + 1) % LANES;
        });
        let (slot, loss) = reliefs.cheapest_by_lane(&self.losses);
        (slot, loss - saved.iter().sum::<f64>())
    }
}
