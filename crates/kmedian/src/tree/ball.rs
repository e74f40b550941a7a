//! The ball tree of the paper's Algorithm 3, as written. Its radii are not random, so the expected
//! distortion that holds for FRT trees is not promised.

use std::collections::HashSet;
use std::iter;

use rand::RngExt;
use rand::seq::SliceRandom;

use super::Tree;
use super::grow::{Cell, Parent, grow};
use crate::space::{Answering, AskerPool};
use crate::{Error, Halt, Question, Run, Seed, Space};

/// Builds a ball tree. A cell's height is its radius, which is halved from level to level; the
/// root's radius is the upper bound of the diameter.
pub(super) fn build(
    space: &dyn Space,
    levels: usize,
    seed: Seed,
    run: &mut Run<'_>,
) -> Result<Tree, Error> {
    let diameter = space.diameter_bound();
    let stretch = 1.0 + 2.0 * space.relative_error();
    let pool = AskerPool::new(space);
    let center = seed.stream("root").random_range(0..space.len() as u32);
    let root =
        Cell { center, height: diameter * stretch, items: (0..space.len() as u32).collect() };
    let halt = run.halt().clone();
    let tree = grow(root, levels, run, |parent| {
        let radius = diameter / 2f32.powi(parent.depth as i32 + 1);
        let seed = seed.numbered(parent.node);
        let cells = pool.lend(|asker| carve(parent, radius, seed, asker, &halt));
        cells
            .into_iter()
            .map(|(center, spread, items)| {
                let height = if spread == 0.0 { 0.0 } else { radius * stretch };
                Cell { center, height, items }
            })
            .collect()
    })?;
    halt.check()?;
    Ok(tree)
}

/// Takes balls off the items of a cell, around centers in random order. Returns each ball's center,
/// the distance of its farthest item, and its items. Once the work is halted, the rest is left out.
fn carve(
    parent: &Parent<'_>,
    radius: f32,
    seed: Seed,
    asker: &mut Answering<'_>,
    halt: &Halt,
) -> Vec<(u32, f32, Vec<u32>)> {
    let mut left = parent.items.to_vec();
    left.shuffle(&mut seed.generator());
    let mut taken = HashSet::new();
    let mut balls = Vec::new();
    while let Some((&center, others)) = left.split_first().filter(|_| !halt.is_stopped()) {
        let hits = asker.ask(center as usize, &Question::ball(others, radius));
        let spread = hits.iter().map(|hit| hit.distance).fold(0.0, f32::max);
        let items: Vec<u32> = iter::once(center).chain(hits.iter().map(|hit| hit.item)).collect();
        taken.extend(items.iter().copied());
        left.retain(|item| !taken.contains(item));
        taken.clear();
        balls.push((center, spread, items));
    }
    balls
}
