//! Cells fitted to the items: every cell is clustered on a sample of it, and split by the nearest
//! center.

use rand::Rng;
use rand::seq::index;

use super::Tree;
use super::grow::{Cell, Parent, grow};
use super::merge::merged;
use super::radii::medoid_of_few;
use crate::seeding::Seeding;
use crate::space::{Answering, AskerPool, Hit, position};
use crate::{Demand, Error, Halt, LocalSearch, Matrix, Problem, Run, Seed, Space};

/// The least number of sampled items for each part of a cell, so that the center of a part is
/// chosen among several.
const SAMPLED_PER_PART: usize = 4;

/// About how many items may be visited for the sample of one cell on a graph, where the distances
/// of each sampled item take a search through the cell.
const EXPLORED_ITEMS: usize = 4_000_000;

/// The most sampled items for each part of a cell on a graph, where each takes a search through the
/// cell.
const EXPLORED_PER_PART: usize = 16;

/// Builds a fitted tree, with mergers of siblings between each cell and its parts.
pub(super) fn build(
    space: &dyn Space,
    demand: &Demand,
    branching: usize,
    levels: usize,
    seed: Seed,
    run: &mut Run<'_>,
) -> Result<Tree, Error> {
    let cells = cells(space, demand, branching, levels, seed, run)?;
    let tree = merged(&cells, space, demand, run.halt());
    run.halt().check()?;
    Ok(tree)
}

/// Splits every cell into the parts nearest to `branching` centers, which are found by local search
/// on a sample of the cell. Cells without demand stay whole.
pub(super) fn cells(
    space: &dyn Space,
    demand: &Demand,
    branching: usize,
    levels: usize,
    seed: Seed,
    run: &mut Run<'_>,
) -> Result<Tree, Error> {
    let pool = AskerPool::new(space);
    let root = Cell {
        center: medoid_of_few(demand.items(), seed, &pool),
        height: space.diameter_bound(),
        items: (0..space.len() as u32).collect(),
    };
    let halt = run.halt().clone();
    let tree = grow(root, levels, run, |parent| {
        parts(space, demand, parent, branching, seed, &pool, &halt)
    })?;
    halt.check()?;
    Ok(tree)
}

/// The parts of one cell, which are nearest to at most `branching` centers: none once the work is
/// halted.
pub(super) fn parts(
    space: &dyn Space,
    demand: &Demand,
    parent: &Parent<'_>,
    branching: usize,
    seed: Seed,
    pool: &AskerPool<'_>,
    halt: &Halt,
) -> Vec<Cell> {
    let stretch = 1.0 + 2.0 * space.relative_error();
    pool.lend(|asker| {
        let seed = seed.numbered(parent.node);
        let centers = fit(space, demand, parent, branching, seed, asker, halt);
        centers.map_or_else(Vec::new, |centers| nearest_parts(parent, &centers, stretch, asker))
    })
}

/// The centers of a cell's parts: items with demand, or an empty list if there are none. `None`
/// once the work is halted.
fn fit(
    space: &dyn Space,
    demand: &Demand,
    parent: &Parent<'_>,
    branching: usize,
    seed: Seed,
    asker: &mut Answering<'_>,
    halt: &Halt,
) -> Option<Vec<u32>> {
    let wanted = |&item: &u32| demand.of(item as usize) > 0.0;
    let wanted: Vec<u32> = parent.items.iter().copied().filter(wanted).collect();
    if wanted.len() <= branching {
        return Some(wanted);
    }
    let size = sample_size(space, wanted.len(), branching);
    let sample = sample(&wanted, size, &mut seed.stream("sample"));
    let distances = distances(&sample, parent.items, asker, halt)?;
    let matrix = Matrix::trusted(sample.len(), distances);
    let weights = demand.restricted(&sample);
    let problem = Problem::trusted(&matrix, weights);

    let mut rng = seed.stream("centers");
    let mut seeding = Seeding::new(&problem);
    while seeding.centers().len() < branching {
        seeding.add_best_of(Seeding::trials(branching), &mut rng);
    }
    let search = LocalSearch { max_swaps: Some(2 * branching), ..LocalSearch::default() };
    let found = search.improve(&problem, seeding.centers(), &mut rng, &mut Run::default());
    Some(found.centers.iter().map(|&center| sample[center]).collect())
}

/// The size of a cell's sample: all distances among the sample are about as many as those from all
/// items of the cell to the centers of its parts. Fewer on a graph, where each item takes a search.
fn sample_size(space: &dyn Space, items: usize, branching: usize) -> usize {
    let balanced = ((items * branching) as f64).sqrt() as usize;
    let affordable = if space.abilities().explores {
        (EXPLORED_ITEMS / items).min(EXPLORED_PER_PART * branching)
    } else {
        usize::MAX
    };
    balanced.min(affordable).max(SAMPLED_PER_PART * branching).min(items)
}

fn sample(items: &[u32], size: usize, rng: &mut impl Rng) -> Vec<u32> {
    let mut sample: Vec<u32> =
        index::sample(rng, items.len(), size).iter().map(|at| items[at]).collect();
    sample.sort_unstable();
    sample
}

/// All distances among the sample of a cell, row by row; sample and cell are ascending. On a graph,
/// paths out of the cell do not count, so that a search visits no more than the cell. `None` once
/// the work is halted: on a large graph a row takes up to a tenth of a second, and there are
/// hundreds.
fn distances(
    sample: &[u32],
    cell: &[u32],
    asker: &mut Answering<'_>,
    halt: &Halt,
) -> Option<Vec<f32>> {
    let n = sample.len();
    let mut matrix = vec![0.0; n * n];
    for (row, &source) in sample.iter().enumerate() {
        halt.check().ok()?;
        let hits = asker.ask_inside(source as usize, sample, cell);
        for (rank, hit) in hits.iter().enumerate() {
            matrix[row * n + position(sample, hit.item, rank)] = hit.distance;
        }
    }
    Some(matrix)
}

/// Gives every item of a cell to the nearest of the centers, and returns the parts. With fewer than
/// two centers there are none.
fn nearest_parts(
    parent: &Parent<'_>,
    centers: &[u32],
    stretch: f32,
    asker: &mut Answering<'_>,
) -> Vec<Cell> {
    if centers.len() < 2 {
        return Vec::new();
    }
    let shares = asker.asker.share(parent.items, centers);
    let mut cells: Vec<Cell> =
        centers.iter().map(|&center| Cell { center, height: 0.0, items: Vec::new() }).collect();
    for (&item, Hit { item: part, distance }) in parent.items.iter().zip(shares) {
        let cell = &mut cells[part as usize];
        cell.items.push(item);
        cell.height = cell.height.max(distance * stretch);
    }
    cells.retain(|cell| !cell.items.is_empty());
    cells
}
