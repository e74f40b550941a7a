//! Cells in halves: between a cell and its many parts, parts that are neighbors are merged two by
//! two.

use rayon::prelude::*;

use crate::privacy::hierarchy::Hierarchy;
use crate::space::{Answering, AskerPool};
use crate::tree::mergers;
use crate::{Error, Halt, Space};

/// A tree over the cells of a release in which every node has two parts or none. It follows from
/// the shape of the release and from public distances.
#[derive(Debug)]
pub(crate) struct Halves {
    /// Parts come before what they are parts of; the root is the last.
    nodes: Vec<Half>,
    /// For every cell of the shape, its node.
    of_cells: Vec<usize>,
}

/// A cell, or some neighboring parts of a cell.
#[derive(Debug)]
pub(super) struct Half {
    /// The two parts; `None` for a leaf.
    pub(super) parts: Option<[usize; 2]>,
    /// The cells that are this node. There are several if a cell has a single part, and none if the
    /// node was not measured.
    pub(super) cells: Vec<usize>,
    /// The number of items.
    pub(super) items: f64,
    /// The number of leaves.
    pub(super) leaves: usize,
}

/// The most siblings among which the best pair is looked for; more of them are first cut in two by
/// their distances from two that are far apart. The search takes time as the cube of their number.
const MOST_SIBLINGS: usize = 48;

/// The number of items of a cell among which the one that stands for it is chosen: their distances
/// from each other, 64 at most, are measured for every cell.
const FEW: usize = 8;

impl Halves {
    /// Merges the parts of every cell of a shape, whose items are those of the space.
    ///
    /// # Errors
    /// If the work is halted.
    pub(crate) fn new(shape: &Hierarchy, space: &dyn Space, halt: &Halt) -> Result<Self, Error> {
        let items = items_of_cells(shape);
        let pool = AskerPool::new(space);
        let middle = |items: &Vec<u32>| pool.lend(|asker| middle(items, asker));
        let middles: Vec<u32> = items.par_iter().map(middle).collect();
        let merge = |cell: usize| {
            let siblings = || shape.children(cell).map(|part| (middles[part], items[part].len()));
            if shape.children(cell).len() < 3 || halt.is_stopped() {
                return chain(shape.children(cell).len());
            }
            let siblings = Siblings { of: siblings().collect(), region: &items[cell] };
            pool.lend(|asker| siblings.merge(asker))
        };
        let merged: Vec<Vec<[usize; 2]>> = (0..shape.len()).into_par_iter().map(merge).collect();
        halt.check()?;
        let mut halves = Self { nodes: Vec::new(), of_cells: vec![0; shape.len()] };
        for cell in (0..shape.len()).rev() {
            let mut nodes: Vec<usize> =
                shape.children(cell).map(|part| halves.of_cells[part]).collect();
            for &[a, b] in &merged[cell] {
                nodes.push(halves.join(nodes[a], nodes[b]));
            }
            let node = match nodes.last() {
                Some(&node) => node,
                None => halves.leaf(items[cell].len()),
            };
            halves.nodes[node].cells.push(cell);
            halves.of_cells[cell] = node;
        }
        Ok(halves)
    }

    pub(super) fn nodes(&self) -> &[Half] {
        &self.nodes
    }

    /// For every cell of the shape, the value of its node.
    pub(crate) fn of_cells(&self, of_nodes: &[f64]) -> Vec<f64> {
        self.of_cells.iter().map(|&node| of_nodes[node]).collect()
    }

    fn leaf(&mut self, items: usize) -> usize {
        self.nodes.push(Half { parts: None, cells: Vec::new(), items: items as f64, leaves: 1 });
        self.nodes.len() - 1
    }

    fn join(&mut self, a: usize, b: usize) -> usize {
        let items = self.nodes[a].items + self.nodes[b].items;
        let leaves = self.nodes[a].leaves + self.nodes[b].leaves;
        self.nodes.push(Half { parts: Some([a, b]), cells: Vec::new(), items, leaves });
        self.nodes.len() - 1
    }
}

/// Mergers of at most two siblings, or of siblings whose order means nothing.
fn chain(siblings: usize) -> Vec<[usize; 2]> {
    let last = |at: usize| if at == 1 { 0 } else { siblings + at - 2 };
    (1..siblings).map(|at| [last(at), at]).collect()
}

/// The items of every cell, ascending.
fn items_of_cells(shape: &Hierarchy) -> Vec<Vec<u32>> {
    let mut items = vec![Vec::new(); shape.len()];
    for (item, &leaf) in shape.leaves().iter().enumerate() {
        items[leaf as usize].push(item as u32);
    }
    for cell in (1..shape.len()).rev() {
        let parent = shape.parents()[cell] as usize;
        let of_cell = items[cell].clone();
        items[parent].extend(of_cell);
    }
    items.par_iter_mut().for_each(|items| items.sort_unstable());
    items
}

/// The item that stands for a cell: of a few, evenly taken from all, the one with the least total
/// distance to the others.
fn middle(items: &[u32], asker: &mut Answering<'_>) -> u32 {
    let few: Vec<u32> = match items.len() {
        0 => return 0,
        many if many <= FEW => items.to_vec(),
        many => (0..FEW).map(|at| items[(2 * at + 1) * many / (2 * FEW)]).collect(),
    };
    let total = |&item: &u32| -> f64 {
        let to = |&other: &u32| f64::from(asker.distance(item as usize, other as usize));
        few.iter().map(to).sum()
    };
    if few.len() < 3 {
        return few[0];
    }
    let totals: Vec<f64> = few.iter().map(total).collect();
    let best = (0..few.len()).min_by(|&a, &b| totals[a].total_cmp(&totals[b]));
    best.map_or(few[0], |best| few[best])
}

/// The parts of a cell.
struct Siblings<'a> {
    /// The item that stands for each part, and how many items the part has.
    of: Vec<(u32, usize)>,
    /// The items of the cell.
    region: &'a [u32],
}

impl Siblings<'_> {
    /// Mergers two by two. Parts are numbered first, and then mergers, in their order.
    fn merge(&self, asker: &mut Answering<'_>) -> Vec<[usize; 2]> {
        let mut merged = Vec::new();
        self.merge_some((0..self.of.len()).collect(), asker, &mut merged);
        merged
    }

    /// Merges some of the parts into one, and returns its number.
    fn merge_some(
        &self,
        mut parts: Vec<usize>,
        asker: &mut Answering<'_>,
        merged: &mut Vec<[usize; 2]>,
    ) -> usize {
        if parts.len() > MOST_SIBLINGS {
            let far = |from: &[f32]| (0..from.len()).max_by(|&a, &b| from[a].total_cmp(&from[b]));
            let one = far(&self.distances(parts[0], &parts, asker)).unwrap_or(0);
            let from_one = self.distances(parts[one], &parts, asker);
            let other = far(&from_one).unwrap_or(0);
            let from_other = self.distances(parts[other], &parts, asker);
            let mut order: Vec<usize> = (0..parts.len()).collect();
            let nearer = |&at: &usize| from_one[at] - from_other[at];
            order.sort_by(|a, b| nearer(a).total_cmp(&nearer(b)).then(a.cmp(b)));
            parts = order.into_iter().map(|at| parts[at]).collect();
            let rest = parts.split_off(parts.len() / 2);
            let halves = [parts, rest].map(|half| self.merge_some(half, asker, merged));
            merged.push(halves);
            return self.of.len() + merged.len() - 1;
        }
        let demand = parts.iter().map(|&part| self.of[part].1 as f64).collect();
        let distances = parts.iter().map(|&part| self.distances(part, &parts, asker)).collect();
        let before = merged.len();
        let number = |group: usize| match group.checked_sub(parts.len()) {
            None => parts[group],
            Some(merger) => self.of.len() + before + merger,
        };
        merged.extend(mergers(demand, distances).into_iter().map(|halves| halves.map(number)));
        if merged.len() == before { parts[0] } else { self.of.len() + merged.len() - 1 }
    }

    /// The distances of a part from some parts, by paths inside the cell where the space has paths.
    /// A part without such a path is twice as far as the farthest.
    fn distances(&self, from: usize, to: &[usize], asker: &mut Answering<'_>) -> Vec<f32> {
        let mut items: Vec<u32> = to.iter().map(|&part| self.of[part].0).collect();
        items.sort_unstable();
        items.dedup();
        let hits = asker.ask_inside(self.of[from].0 as usize, &items, self.region);
        let farthest = hits.iter().map(|hit| hit.distance).fold(0.0, f32::max);
        let mut found = vec![2.0 * farthest; items.len()];
        for hit in hits {
            if let Ok(at) = items.binary_search(&hit.item) {
                found[at] = hit.distance;
            }
        }
        let distance =
            |&part: &usize| items.binary_search(&self.of[part].0).map_or(0.0, |at| found[at]);
        to.iter().map(distance).collect()
    }
}
