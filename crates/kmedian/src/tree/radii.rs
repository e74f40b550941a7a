//! How far the items of a cell are from its center, at most and on average.

use rand::RngExt;
use rayon::prelude::*;

use super::Tree;
use crate::run::Cancelled;
use crate::space::AskerPool;
use crate::{Demand, Error, Halt, Objective, Question, Run, Seed, Space};

/// The number of random items among which the center of a cell is chosen. There are only 28 pairs
/// of them to measure.
const FEW: usize = 8;

impl Tree {
    /// For every cell, the mean distance of its items from its center: heights for an exact search
    /// that looks at typical distances, not at the largest.
    ///
    /// The mean is over the demand in the cell, or over its items where there is no demand. For
    /// k-means it is the root of the mean square. No part is higher than the whole. With these
    /// heights the tree distance may be below the distance.
    ///
    /// # Errors
    /// If the run is ended, or if the tree could not have been built of this space.
    pub fn mean_heights(
        &self,
        space: &dyn Space,
        demand: &Demand,
        objective: Objective,
        run: &mut Run<'_>,
    ) -> Result<Vec<f32>, Error> {
        let space = super::symmetric(space)?;
        let mut heights = self.per_cell(space, run.halt(), |node, distances| {
            let items = self.items(node);
            let mean = |weight: &dyn Fn(u32) -> f64| {
                let total: f64 = items.iter().map(|&item| weight(item)).sum();
                let cost = |(&item, &distance): (&u32, &f32)| weight(item) * objective.of(distance);
                (items.iter().zip(distances).map(cost).sum::<f64>() / total, total)
            };
            let (by_demand, total) = mean(&|item| demand.of(item as usize));
            let mean = if total > 0.0 { by_demand } else { mean(&|_| 1.0).0 };
            match objective {
                Objective::Median => mean as f32,
                Objective::Means => mean.sqrt() as f32,
            }
        })?;
        for node in 1..self.nodes.len() {
            heights[node] = heights[node].min(heights[self.nodes[node].parent as usize]);
        }
        Ok(heights)
    }

    /// For every cell, the value of `f` for the cell and the distances of its items from its
    /// center.
    fn per_cell(
        &self,
        space: &dyn Space,
        halt: &Halt,
        f: impl Fn(usize, &[f32]) -> f32 + Sync,
    ) -> Result<Vec<f32>, Cancelled> {
        let pool = AskerPool::new(space);
        let position = self.positions();
        (0..self.nodes.len())
            .into_par_iter()
            .map(|node| {
                let cell = &self.nodes[node];
                let mut distances = vec![0.0; cell.span.len()];
                halt.check()?;
                if distances.len() > 1 {
                    pool.lend(|asker| {
                        let question = Question::ball(self.items(node), f32::INFINITY);
                        for hit in asker.ask(cell.center as usize, &question) {
                            let at = position[hit.item as usize] - cell.span.start;
                            distances[at as usize] = hit.distance;
                        }
                    });
                }
                Ok(f(node, &distances))
            })
            .collect()
    }

    /// For every item, its position in the tree's order of items.
    fn positions(&self) -> Vec<u32> {
        let mut positions = vec![0; self.len()];
        for (position, &item) in self.items.iter().enumerate() {
            positions[item as usize] = position as u32;
        }
        positions
    }
}

/// Sets every height to the cell's radius, the distance of its farthest item from its center: the
/// items of a cell are at most twice that apart.
///
/// # Errors
/// If the work is halted.
pub(super) fn heights_from_radii(
    mut tree: Tree,
    space: &dyn Space,
    halt: &Halt,
) -> Result<Tree, Cancelled> {
    let stretch = 1.0 + 2.0 * space.relative_error();
    let farthest = |_, distances: &[f32]| distances.iter().copied().fold(0.0, f32::max);
    let radii = tree.per_cell(space, halt, farthest)?;
    for (node, radius) in radii.into_iter().enumerate() {
        let above = tree.nodes[tree.nodes[node].parent as usize].height;
        tree.nodes[node].height = above.min(radius * stretch);
    }
    Ok(tree)
}

/// Of a few random items, the one with the least total distance to the others.
pub(super) fn medoid_of_few(items: &[u32], seed: Seed, pool: &AskerPool<'_>) -> u32 {
    if items.len() <= 2 {
        return items[0];
    }
    let mut rng = seed.stream("medoid");
    let mut few: Vec<u32> = (0..FEW).map(|_| items[rng.random_range(0..items.len())]).collect();
    few.sort_unstable();
    few.dedup();
    let question = Question::ball(&few, f32::INFINITY);
    let total = |item: u32| -> f64 {
        pool.lend(|asker| {
            asker.ask(item as usize, &question).iter().map(|hit| f64::from(hit.distance)).sum()
        })
    };
    let totals = few.iter().map(|&item| (item, total(item)));
    totals.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(items[0], |best| best.0)
}
