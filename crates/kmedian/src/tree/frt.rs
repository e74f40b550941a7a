//! The tree of Fakcharoenphol, Rao and Talwar ("A tight bound on approximating arbitrary metrics by
//! tree metrics", 2004), from least-element lists (Cohen 1997; Blelloch, Gu and Sun 2017).

use rand::RngExt;
use rand::seq::SliceRandom;

use super::Tree;
use super::grow::{Cell, Parent, group_by_key, grow};
use crate::space::AskerPool;
use crate::{Error, Question, Run, Seed, Space, Step};

/// Builds an FRT tree. At a level of radius r, an item belongs to the first item, in one random
/// order, that is at most r away. The radii are halved from level to level, after one random
/// factor.
pub(super) fn build(space: &dyn Space, seed: Seed, run: &mut Run<'_>) -> Result<Tree, Error> {
    let mut rng = seed.stream("frt");
    let mut order: Vec<u32> = (0..space.len() as u32).collect();
    order.shuffle(&mut rng);
    let factor = libm::exp2f(rng.random::<f32>());
    let lists = least_elements(space, &order, run)?;

    let diameter = space.diameter_bound();
    let stretch = 1.0 + 2.0 * space.relative_error();
    let root = Cell { center: order[0], height: diameter / 2.0 * stretch, items: order };
    grow(root, usize::MAX, run, |parent| {
        let mut radius = factor * diameter / 4.0;
        while radius * stretch >= parent.height {
            radius /= 2.0;
        }
        split(parent, radius, stretch, &lists)
    })
}

/// Splits a cell: items that have the same first item of the order within the radius are a part.
/// Radii that leave the cell whole are skipped. That first item may lie in another cell, so the
/// center of a part is its own first item.
fn split(parent: &Parent<'_>, mut radius: f32, stretch: f32, lists: &[Vec<Rank>]) -> Vec<Cell> {
    loop {
        let first = |item: u32| first_within(&lists[item as usize], radius);
        let cell = |(_, items): (u32, Vec<u32>)| {
            let in_one_place = items.iter().all(|&item| first(item).distance == 0.0);
            let height = if in_one_place { 0.0 } else { radius * stretch };
            Cell { center: items[0], height, items }
        };
        let groups = group_by_key(parent.items, |item| first(item).center);
        let cells: Vec<Cell> = groups.into_iter().map(cell).collect();
        if cells.len() > 1 || cells[0].height == 0.0 {
            return cells;
        }
        radius /= 2.0;
    }
}

/// An entry of a least-element list: an item that is closer than all before it in the order.
struct Rank {
    center: u32,
    distance: f32,
}

/// For every item, the items that are closer than all before them in the order: O(log n) of them in
/// expectation, at falling distances, the last one at distance zero.
fn least_elements(
    space: &dyn Space,
    order: &[u32],
    run: &mut Run<'_>,
) -> Result<Vec<Vec<Rank>>, Error> {
    let mut lists: Vec<Vec<Rank>> = (0..space.len()).map(|_| Vec::new()).collect();
    let mut closest = vec![f32::INFINITY; space.len()];
    AskerPool::new(space).lend(|asker| {
        for (rank, &center) in order.iter().enumerate() {
            if rank % 64 == 0 {
                run.step(&Step::Ranked { items: rank, of: order.len() })?;
            }
            for hit in asker.ask(center as usize, &Question::all(&closest)) {
                lists[hit.item as usize].push(Rank { center, distance: hit.distance });
            }
            for hit in &asker.hits {
                closest[hit.item as usize] = hit.distance;
            }
        }
        Ok(lists)
    })
}

/// The first entry within a radius; the last entry is at distance zero, so there is one.
fn first_within(list: &[Rank], radius: f32) -> &Rank {
    let at = list.partition_point(|rank| rank.distance > radius);
    &list[at.min(list.len() - 1)]
}
