//! Swaps of a center for an item that it serves, judged by its cluster alone.

use rayon::prelude::*;

use super::{Centers, Swap};
use crate::Question;

/// So many candidates are judged on one thread.
const FEW: usize = 8;

impl Centers<'_> {
    /// For each candidate the swap with the center that serves it, if that changes the cost by less than
    /// `below`, best first. What items of other clusters gain is left out: a swap is at least as good as it is
    /// said to be.
    pub(crate) fn improving_at_home(&self, candidates: &[u32], below: f64) -> Vec<Swap> {
        let judged = candidates.par_iter().with_min_len(FEW).filter_map(|&item| {
            let slot = self.slot_of(item) as usize;
            let served = slot < self.losses.len() && !self.is_center(item as usize);
            served.then(|| self.judge_at_home(item as usize, slot))
        });
        let mut swaps: Vec<Swap> = judged.filter(|swap| swap.change < below).collect();
        swaps.sort_by(|a, b| a.change.total_cmp(&b.change));
        swaps
    }

    fn judge_at_home(&self, newcomer: usize, slot: usize) -> Swap {
        if self.losses.len() == 1 {
            return self.judge(newcomer);
        }
        let question = Question::listed(self.nearest.items_of(slot), &self.nearest.caps);
        let kept: f64 = self.pool.lend(|asker| {
            let changes = asker.ask(newcomer, &question).iter().map(|hit| self.change(hit));
            changes.map(|change| change.saved + change.relief).sum()
        });
        Swap { newcomer, slot, change: self.losses[slot] - kept }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Demand, Metric, Objective, Problem, Vectors};

    #[test]
    fn a_swap_is_as_good_as_said_or_better() {
        let line: Vec<f32> = [0.0, 1.0, 2.0, 5.0, 9.0, 10.0, 11.0, 14.0].into();
        let space = Vectors::new(1, &line, Metric::L1).unwrap();
        let demand = Demand::uniform(line.len());
        let problem = Problem::new(&space, &demand, Objective::Median).unwrap();
        let everyone: Vec<u32> = (0..line.len() as u32).collect();
        let from = [0, 7];
        let before = problem.cost(&from);
        let swaps = Centers::new(problem, &from).improving_at_home(&everyone, f64::INFINITY);
        assert_eq!(swaps.len(), line.len() - from.len());
        assert!(swaps.is_sorted_by(|a, b| a.change <= b.change));
        for swap in &swaps {
            let mut to = from;
            to[swap.slot] = swap.newcomer;
            let change = problem.cost(&to) - before;
            assert!(change <= swap.change, "{swap:?} changes {change}");
        }
        // By its own cluster, 5.0 takes the place of 0.0 at a change of 5 + 4 + 3 + 0 − (0 + 1 + 2 + 5) = 4; and
        // 9.0 comes closer to it.
        let five = swaps.iter().find(|swap| swap.newcomer == 3).unwrap();
        assert_eq!((five.slot, five.change), (0, 4.0));
    }
}
