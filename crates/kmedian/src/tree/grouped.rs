//! Fitted cells, found all at once and then grouped: the best cells for their number, and few
//! levels.

use super::fitted;
use super::grow::{Cell, Parent, group_by_key, grow};
use super::radii::heights_from_radii;
use super::{Node, Tree};
use crate::seeding::Seeding;
use crate::space::AskerPool;
use crate::{Demand, Error, LocalSearch, Matrix, Problem, Question, Run, Seed, Space};

/// The most leaves that are found at once. The sample that they are found from grows with them, and
/// all of its distances are measured.
const MOST_LEAVES: usize = 512;

/// Splits all items into about `branching`² cells, and groups these cells around `branching` of
/// their centers: the first two levels. Every cell of a further level is split on its own. So are
/// all cells if there is one level, or if these would be too many cells to find at once.
pub(super) fn build(
    space: &dyn Space,
    branching: usize,
    levels: usize,
    seed: Seed,
    run: &mut Run<'_>,
) -> Result<Tree, Error> {
    let everyone = Demand::uniform(space.len());
    let leaves = branching.saturating_pow(2);
    if levels < 2 || leaves > MOST_LEAVES {
        return fitted::cells(space, &everyone, branching, levels, seed, run);
    }
    let flat = fitted::cells(space, &everyone, leaves, 1, seed, run)?;
    let cells = &flat.nodes()[1..];
    if cells.len() <= branching {
        return Ok(flat);
    }
    let groups = group(space, &flat, branching, seed);
    let leaf_of = flat.leaves();
    let root = &flat.nodes()[0];
    let root =
        Cell { center: root.center, height: root.height, items: (0..space.len() as u32).collect() };
    let (pool, halt) = (AskerPool::new(space), run.halt().clone());
    let tree = grow(root, levels, run, |parent: &Parent<'_>| {
        if parent.depth > 1 {
            let parts = fitted::parts(space, &everyone, parent, branching, seed, &pool, &halt);
            return if parts.len() < 2 { Vec::new() } else { parts };
        }
        let leaf = |item: u32| leaf_of[item as usize] as usize - 1;
        let height = parent.height;
        if parent.depth == 0 {
            let parts = group_by_key(parent.items, |item| groups[leaf(item)]);
            let center = |group: usize| cells[group].center;
            let part = |(group, items)| Cell { center: center(group), height, items };
            return parts.into_iter().map(part).collect();
        }
        let parts = group_by_key(parent.items, leaf);
        if parts.len() < 2 {
            return Vec::new();
        }
        let part = |(leaf, items): (usize, _)| Cell { center: cells[leaf].center, height, items };
        parts.into_iter().map(part).collect()
    })?;
    Ok(heights_from_radii(tree, space, run.halt())?)
}

/// For each leaf of a tree of one level, the leaf whose center is the center of its group.
fn group(space: &dyn Space, flat: &Tree, branching: usize, seed: Seed) -> Vec<usize> {
    let cells: &[Node] = &flat.nodes()[1..];
    let centers: Vec<u32> = cells.iter().map(|cell| cell.center).collect();
    let matrix = Matrix::trusted(cells.len(), distances(space, &centers));
    let weights = cells.iter().map(|cell| f64::from(cell.span.end - cell.span.start)).collect();
    let Ok(weights) = Demand::new(weights) else { return (0..cells.len()).collect() };
    let problem = Problem::trusted(&matrix, weights);
    let mut rng = seed.stream("groups");
    let mut seeding = Seeding::new(&problem);
    while seeding.centers().len() < branching {
        seeding.add_best_of(Seeding::trials(branching), &mut rng);
    }
    let found = LocalSearch::default()
        .improve(&problem, seeding.centers(), &mut rng, &mut Run::default())
        .centers;
    let labels = crate::Assignment::new(&matrix, &found).labels;
    labels.into_iter().map(|label| found[label as usize]).collect()
}

/// All distances among some items, row by row.
fn distances(space: &dyn Space, items: &[u32]) -> Vec<f32> {
    let mut place = vec![usize::MAX; space.len()];
    items.iter().enumerate().for_each(|(at, &item)| place[item as usize] = at);
    let mut matrix = vec![0.0; items.len() * items.len()];
    let mut sorted = items.to_vec();
    sorted.sort_unstable();
    AskerPool::new(space).lend(|asker| {
        for (row, &source) in items.iter().enumerate() {
            let question = Question::ball(&sorted, f32::INFINITY);
            for hit in asker.ask(source as usize, &question) {
                matrix[row * items.len() + place[hit.item as usize]] = hit.distance;
            }
        }
    });
    matrix
}
