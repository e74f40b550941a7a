use rayon::prelude::*;

use super::grid::Grid;
use crate::space::{Answering, AskerPool};
use crate::{Question, Sites, Space};

/// The current centers, and what every swap of one of them would cost on the private demand:
/// exactly, as whole numbers of steps of the grid.
pub(super) struct SwapCosts<'a> {
    pool: AskerPool<'a>,
    grid: Grid,
    /// The items with demand, ascending.
    private_items: Vec<u32>,
    /// The number of records at every item.
    private_counts: Vec<u64>,
    /// The items that may be centers, and the fixed centers, which are in the first slots.
    sites: Sites,
    centers: Vec<usize>,
    /// For every public item, the slot of its nearest center.
    slots: Vec<u32>,
    /// For every public item, the distance of its nearest center.
    nearest: Vec<f32>,
    /// For every public item, the distance of its second-nearest center; infinite if there is only
    /// one center.
    second: Vec<f32>,
}

/// A swap: an item, the newcomer, takes the place of the center in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Swap {
    pub(super) slot: usize,
    pub(super) newcomer: usize,
}

impl<'a> SwapCosts<'a> {
    pub(super) fn new(
        space: &'a dyn Space,
        grid: Grid,
        counts: &[u64],
        sites: &Sites,
        centers: &[usize],
    ) -> Self {
        let private_counts: Vec<u64> = counts.iter().map(|&count| grid.count(count)).collect();
        let has_demand = |&item: &u32| private_counts[item as usize] > 0;
        let private_items = (0..space.len() as u32).filter(has_demand).collect();
        let mut costs = Self {
            pool: AskerPool::new(space),
            grid,
            private_items,
            private_counts,
            sites: sites.clone(),
            centers: centers.to_vec(),
            slots: Vec::new(),
            nearest: Vec::new(),
            second: Vec::new(),
        };
        costs.find_nearest(space.len());
        costs
    }

    pub(super) fn centers(&self) -> &[usize] {
        &self.centers
    }

    pub(super) fn apply(&mut self, swap: Swap) {
        self.centers[swap.slot] = swap.newcomer;
        self.find_nearest(self.slots.len());
    }

    fn find_nearest(&mut self, items: usize) {
        self.slots = vec![0; items];
        self.nearest = vec![f32::INFINITY; items];
        self.second = vec![f32::INFINITY; items];
        let Self { pool, centers, slots, nearest, second, .. } = self;
        pool.lend(|asker| {
            for (slot, &center) in centers.iter().enumerate() {
                asker.ask(center, &Question::all(second));
                for hit in &asker.hits {
                    let item = hit.item as usize;
                    if hit.distance < nearest[item] {
                        second[item] = nearest[item];
                        nearest[item] = hit.distance;
                        slots[item] = slot as u32;
                    } else {
                        second[item] = hit.distance;
                    }
                }
            }
        });
    }

    /// The cost of the centers on the private demand.
    pub(super) fn private_cost(&self) -> u64 {
        let cost = |&item: &u32| self.count(item) * self.grid.cost(self.nearest[item as usize]);
        self.private_items.iter().map(cost).sum()
    }

    /// The most that a record can cost with the current centers, wherever it is.
    pub(super) fn largest_cost(&self) -> u64 {
        self.nearest.iter().map(|&distance| self.grid.cost(distance)).max().unwrap_or(0)
    }

    /// The most that a record can cost after any one swap, wherever it is: without its nearest
    /// center it still has its second-nearest. Centers and items are public, so this number is
    /// public too.
    pub(super) fn largest_cost_after_swap(&self) -> u64 {
        self.second.iter().map(|&distance| self.grid.cost(distance)).max().unwrap_or(0)
    }

    /// All swaps, and what each would cost: one for every slot whose center is not fixed and every
    /// candidate that is not a center.
    pub(super) fn private_swaps(&self) -> (Vec<Swap>, Vec<u64>) {
        let mut is_center = vec![false; self.slots.len()];
        self.centers.iter().for_each(|&center| is_center[center] = true);
        let may_come = |&item: &usize| !is_center[item] && self.sites.is_candidate(item);
        let newcomers: Vec<usize> = (0..is_center.len()).filter(may_come).collect();
        let (cost, losses) = (self.private_cost(), self.private_losses());
        let costs: Vec<Vec<u64>> = newcomers
            .par_iter()
            .map(|&item| self.pool.lend(|asker| self.costs_of(item, cost, &losses, asker)))
            .collect();
        let slots = self.sites.fixed().len()..self.centers.len();
        let swaps = newcomers
            .into_iter()
            .flat_map(|newcomer| slots.clone().map(move |slot| Swap { slot, newcomer }));
        (swaps.collect(), costs.concat())
    }

    /// For each center, by how much the cost rises if it goes and its items go to their
    /// second-nearest.
    fn private_losses(&self) -> Vec<u64> {
        let mut losses = vec![0; self.centers.len()];
        for &item in &self.private_items {
            let [first, second] = [&self.nearest, &self.second].map(|all| all[item as usize]);
            let more = self.grid.cost(second) - self.grid.cost(first);
            losses[self.slots[item as usize] as usize] += self.count(item) * more;
        }
        losses
    }

    /// For each slot whose center is not fixed, what the centers would cost with the newcomer in
    /// that slot.
    fn costs_of(
        &self,
        newcomer: usize,
        mut cost: u64,
        losses: &[u64],
        asker: &mut Answering<'_>,
    ) -> Vec<u64> {
        let mut losses = losses.to_vec();
        for hit in asker.ask(newcomer, &Question::listed(&self.private_items, &self.second)) {
            // The newcomer is nearer than the second-nearest center, so it serves the item if the
            // nearest goes, and perhaps also if it stays.
            let item = hit.item as usize;
            let distances = [self.nearest[item], self.second[item], hit.distance];
            let [first, second, new] = distances.map(|distance| self.grid.cost(distance));
            let stays = first.min(new);
            let loss = &mut losses[self.slots[item] as usize];
            *loss = *loss - self.count(hit.item) * (second - first)
                + self.count(hit.item) * (new - stays);
            cost -= self.count(hit.item) * (first - stays);
        }
        losses.into_iter().skip(self.sites.fixed().len()).map(|loss| cost + loss).collect()
    }

    fn count(&self, item: u32) -> u64 {
        self.private_counts[item as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Graph, Metric, Objective, Seed, Vectors};
    use rand::RngExt;

    const N: usize = 24;

    fn spaces() -> [Box<dyn Space>; 2] {
        let mut rng = Seed(1).stream("swap costs");
        let values: Vec<f32> = (0..2 * N).map(|_| rng.random_range(0..9) as f32).collect();
        let mut edges: Vec<(u32, u32, f32)> = (1..N as u32)
            .map(|node| (node, rng.random_range(0..node), rng.random_range(0.1..1.0)))
            .collect();
        edges.push((0, N as u32 - 1, 0.3));
        [
            Box::new(Vectors::new(2, &values, Metric::L2).unwrap()),
            Box::new(Graph::new(N, &edges).unwrap()),
        ]
    }

    fn plain_cost(space: &dyn Space, grid: Grid, counts: &[u64], centers: &[usize]) -> u64 {
        let mut asker = space.asker();
        let mut of_item = |item: usize| {
            let distances = centers.iter().map(|&center| asker.distance(center, item));
            counts[item] * grid.cost(distances.fold(f32::INFINITY, f32::min))
        };
        (0..space.len()).map(&mut of_item).sum()
    }

    /// Every swap's cost against the definition, before and after a swap; and what one more record
    /// changes: no cost falls, and none rises by more than the sensitivity.
    #[test]
    fn swaps_cost_what_they_cost() {
        for space in spaces() {
            for objective in [Objective::Median, Objective::Means] {
                let grid = Grid::new(&*space, objective);
                let counts: Vec<u64> = (0..N as u64).map(|item| item % 3).collect();
                for start in [vec![4], vec![3, 17, 9]] {
                    let sites = Sites::default();
                    let mut costs = SwapCosts::new(&*space, grid, &counts, &sites, &start);
                    costs.apply(Swap { slot: 0, newcomer: 11 });
                    check(&*space, grid, &counts, &costs);
                    let sites = Sites::new(N, Some(&[3, 4, 9, 11, 17, 20, 21]), &[start[0]]);
                    let sites = sites.unwrap();
                    let costs = SwapCosts::new(&*space, grid, &counts, &sites, &start);
                    check(&*space, grid, &counts, &costs);
                }
            }
        }
    }

    fn check(space: &dyn Space, grid: Grid, counts: &[u64], costs: &SwapCosts<'_>) {
        let (swaps, found) = costs.private_swaps();
        let (k, fixed) = (costs.centers().len(), costs.sites.fixed());
        let candidates = costs.sites.listed().map_or(N, <[u32]>::len);
        assert_eq!(swaps.len(), (k - fixed.len()) * (candidates - k));
        for (swap, &cost) in swaps.iter().zip(&found) {
            let mut centers = costs.centers().to_vec();
            centers[swap.slot] = swap.newcomer;
            assert_eq!(centers[..fixed.len()], *fixed);
            assert!(costs.sites.is_candidate(swap.newcomer));
            assert_eq!(cost, plain_cost(space, grid, counts, &centers));
        }
        assert_eq!(costs.private_cost(), plain_cost(space, grid, counts, costs.centers()));
        assert!(costs.largest_cost_after_swap() <= grid.largest());
        for item in 0..N {
            let mut more = counts.to_vec();
            more[item] += 1;
            let after = SwapCosts::new(space, grid, &more, &costs.sites, costs.centers());
            let (_, after) = after.private_swaps();
            for (before, after) in found.iter().zip(after) {
                assert!(after >= *before, "a record more lowers a cost");
                assert!(after - before <= costs.largest_cost_after_swap());
            }
        }
    }

    #[test]
    fn a_grid_rounds_up_and_ends_at_the_diameter() {
        let [space, _] = spaces();
        for objective in [Objective::Median, Objective::Means] {
            let grid = Grid::new(&*space, objective);
            assert_eq!(grid.cost(0.0), 0);
            assert!(grid.cost(f32::MIN_POSITIVE) == 1 || objective == Objective::Means);
            assert_eq!(grid.cost(f32::INFINITY), grid.largest());
            assert!((1 << 19..=1 << 20).contains(&grid.largest()));
        }
    }
}
