//! Swaps of a center for an item that it serves, judged by its cluster alone.

use rayon::prelude::*;

use super::super::Swap;
use super::Centers;
use crate::Problem;

/// Candidates of one cluster that a task judges together, on one thread: their coordinates stay in
/// the cache.
const TOGETHER: usize = 64;

impl Centers<'_> {
    /// For each center the swap for the best of its candidates, which are given by slot, if that
    /// changes the cost of its cluster by less than `below` (a negative number); the best swap
    /// first. All these swaps may be done together: the items of a center may stay with the one
    /// that takes its place.
    pub(crate) fn improving_within_clusters(
        &self,
        mut candidates: Vec<Vec<u32>>,
        below: f64,
    ) -> Vec<Swap> {
        candidates.iter_mut().for_each(|same| same.retain(|&item| !self.is_center(item as usize)));
        let parts = |(slot, same): (usize, &'_ Vec<u32>)| {
            same.chunks(TOGETHER).map(move |some| (slot, some.to_vec())).collect::<Vec<_>>()
        };
        let some: Vec<(usize, Vec<u32>)> = candidates.iter().enumerate().flat_map(parts).collect();
        let judged =
            some.par_iter().flat_map_iter(|(slot, same)| self.judge_within_cluster(*slot, same));
        let mut swaps: Vec<Swap> = judged.filter(|swap| swap.change < below).collect();
        swaps.sort_by(|a, b| a.change.total_cmp(&b.change));
        let mut open = vec![true; self.losses.len()];
        swaps.retain(|swap| std::mem::take(&mut open[swap.slot]));
        swaps
    }

    /// For each candidate, what it changes for the cluster of a slot if it becomes the center. Each
    /// item is compared with all of them, as they are few enough to stay in the cache.
    fn judge_within_cluster(&self, slot: usize, candidates: &[u32]) -> Vec<Swap> {
        if self.means.halt.is_stopped() {
            return Vec::new();
        }
        let Problem { demand, objective, .. } = &self.problem;
        let mut costs = vec![0.0; candidates.len()];
        self.pool.lend(|asker| {
            for &item in self.served_by(slot) {
                let weight = demand.of(item as usize);
                for (cost, hit) in costs.iter_mut().zip(asker.ask_to(item as usize, candidates)) {
                    *cost += weight * objective.of(hit.distance);
                }
            }
        });
        let before = self.nearest.cost_of(slot);
        let swap = |(cost, &item): (f64, &u32)| Swap {
            newcomer: item as usize,
            slot,
            change: cost - before,
        };
        costs.into_iter().zip(candidates).map(swap).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Demand, Halt, LocalSearch, Metric, Vectors};

    #[test]
    fn swaps_may_be_done_together() {
        let line: Vec<f32> = [0.0, 1.0, 2.0, 5.0, 9.0, 10.0, 11.0, 14.0].into();
        let space = Vectors::new(1, &line, Metric::L1).unwrap();
        let demand = Demand::uniform(line.len());
        let problem = Problem::of(&space).demand(&demand).build().unwrap();
        let halves = vec![vec![0, 1, 2, 3], vec![4, 5, 6, 7]];
        let swaps =
            Centers::new(&problem, &[0, 7], &LocalSearch::default().means(&Halt::default()))
                .improving_within_clusters(halves, 0.0);
        let changes: Vec<_> = swaps.iter().map(|s| (s.slot, s.newcomer, s.change)).collect();
        // From 0 + 1 + 2 + 5 to 1 + 0 + 1 + 4, and from 5 + 4 + 3 + 0 to 1 + 0 + 1 + 4.
        assert_eq!(changes, [(1, 5, -6.0), (0, 1, -2.0)]);
        assert_eq!(problem.cost(&[1, 5]), problem.cost(&[0, 7]) - 8.0);
    }
}
