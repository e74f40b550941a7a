//! Growing a tree level by level. Trees differ in one function: how a cell is split.

use rayon::prelude::*;

use super::{Node, Tree};
use crate::{Error, Run, Step};

/// A part of a cell that is being split.
pub(super) struct Cell {
    pub(super) center: u32,
    pub(super) height: f32,
    pub(super) items: Vec<u32>,
}

/// A cell that is to be split.
pub(super) struct Parent<'a> {
    pub(super) items: &'a [u32],
    pub(super) height: f32,
    /// The number of levels that the cell is below the root.
    pub(super) depth: usize,
    /// The number of the cell, which seeds the random numbers of its split.
    pub(super) node: u64,
}

/// Grows a tree from the root: `split` returns the parts of a cell, or nothing to leave it whole.
///
/// Cells of one item, and cells of height zero (whose items are all in one place), are leaves.
pub(super) fn grow(
    root: Cell,
    levels: usize,
    run: &mut Run<'_>,
    split: impl Fn(&Parent<'_>) -> Vec<Cell> + Sync,
) -> Result<Tree, Error> {
    let span = 0..root.items.len() as u32;
    let nodes = vec![Node {
        parent: 0,
        children: 0..0,
        span,
        center: root.center,
        level: 0,
        height: root.height,
    }];
    let mut tree = Tree { nodes, items: root.items };
    let mut frontier = 0..1;
    let mut depth = 0;
    while depth < levels && !frontier.is_empty() {
        let parts: Vec<Vec<Cell>> =
            frontier.clone().into_par_iter().map(|node| tree.parts(node, depth, &split)).collect();
        let first = tree.nodes.len();
        for (node, parts) in frontier.zip(parts) {
            tree.attach(node, parts);
        }
        frontier = first..tree.nodes.len();
        depth += 1;
        run.step(&Step::TreeLevel { depth, cells: frontier.len() })?;
    }
    tree.number_levels();
    Ok(tree)
}

impl Tree {
    fn parts(
        &self,
        node: usize,
        depth: usize,
        split: &impl Fn(&Parent<'_>) -> Vec<Cell>,
    ) -> Vec<Cell> {
        let Node { height, .. } = self.nodes[node];
        let items = self.items(node);
        if items.len() == 1 || height == 0.0 {
            return Vec::new();
        }
        split(&Parent { items, height, depth, node: node as u64 })
    }

    fn attach(&mut self, node: usize, parts: Vec<Cell>) {
        let first = self.nodes.len() as u32;
        let mut at = self.nodes[node].span.start;
        for part in parts {
            let span = at..at + part.items.len() as u32;
            self.items[span.start as usize..span.end as usize].copy_from_slice(&part.items);
            at = span.end;
            // Two items at distance zero need not be equally far from a third, by rounding or
            // because the distances are no metric. Then the center that a cell was fitted around
            // may lie in another cell, and a search would find it twice.
            let is_inside = part.items.contains(&part.center);
            self.nodes.push(Node {
                parent: node as u32,
                children: 0..0,
                span,
                center: if is_inside { part.center } else { part.items[0] },
                level: 0,
                // The items of a part are no farther apart than those of the whole.
                height: part.height.min(self.nodes[node].height),
            });
        }
        self.nodes[node].children = first..self.nodes.len() as u32;
    }

    /// Numbers the levels from the deepest leaves up.
    pub(super) fn number_levels(&mut self) {
        let mut depths = vec![0; self.nodes.len()];
        for node in 1..self.nodes.len() {
            depths[node] = depths[self.nodes[node].parent as usize] + 1;
        }
        let deepest = depths.last().copied().unwrap_or(0);
        for (node, depth) in self.nodes.iter_mut().zip(depths) {
            node.level = deepest - depth;
        }
    }
}

/// Splits items by a key; parts are in the order in which their keys first occur.
pub(super) fn group_by_key<K: std::hash::Hash + Eq>(
    items: &[u32],
    key: impl Fn(u32) -> K,
) -> Vec<(K, Vec<u32>)> {
    let mut index = std::collections::HashMap::new();
    let mut groups: Vec<(K, Vec<u32>)> = Vec::new();
    for &item in items {
        let group = *index.entry(key(item)).or_insert(groups.len());
        if group == groups.len() {
            groups.push((key(item), Vec::new()));
        }
        groups[group].1.push(item);
    }
    groups
}
