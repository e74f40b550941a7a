//! Sibling cells, merged two by two: new cells between a cell and its many parts hold the parts
//! that belong together.
//!
//! Where a cell has many children, all siblings are equally far apart in the tree: a search cannot
//! tell the halves of one cluster from two clusters. Merging siblings step by step, always the two
//! that can best share a center, puts that knowledge into the tree.

use rayon::prelude::*;

use super::{Node, Tree};
use crate::space::{Answering, AskerPool};
use crate::{Demand, Halt, Space};

/// Some of the parts of one cell.
#[derive(Clone)]
struct Group {
    /// The parts, by their position among the siblings.
    parts: Vec<usize>,
    /// The two groups that were merged into this one; `None` for a single part.
    halves: Option<[usize; 2]>,
    /// The part whose center is the group's.
    center: usize,
    /// What it costs to serve the demand of all parts from the group's center, as if the demand of
    /// a part were at the center of the part.
    cost: f64,
}

/// The parts of a cell: their demand, and the distances among their centers.
struct Siblings {
    demand: Vec<f64>,
    distances: Vec<Vec<f32>>,
}

/// Two groups that may be merged, and how much more they would cost.
struct Merger {
    halves: [usize; 2],
    price: f64,
}

/// A cell of the merged tree.
enum Source {
    /// A cell of the tree before it was merged.
    Cell(usize),
    /// A group of the parts of a cell.
    Group { parent: usize, group: usize },
}

/// A tree with mergers between every cell and its parts, so that no cell has more than two parts.
/// Once the work is halted, cells are left as they are.
pub(super) fn merged(tree: &Tree, space: &dyn Space, demand: &Demand, halt: &Halt) -> Tree {
    let pool = AskerPool::new(space);
    let stretch = 1.0 + 4.0 * space.relative_error();
    let counts = tree.counts(demand);
    let merge = |node: usize| {
        if tree.nodes[node].children.len() <= 2 || halt.is_stopped() {
            return (Vec::new(), Vec::new());
        }
        let siblings = pool.lend(|asker| Siblings::new(tree, node, &counts, asker));
        let groups = siblings.merge();
        let heights =
            groups.iter().map(|group| stretch * siblings.height(tree, node, group)).collect();
        (groups, heights)
    };
    let (groups, heights) = (0..tree.nodes.len()).into_par_iter().map(merge).unzip();
    Rebuilding { old: tree, groups, heights }.run()
}

/// The order in which siblings are merged two by two, from their demand and the distances among
/// them. Siblings are numbered first, and then mergers, in their order.
#[cfg(feature = "privacy")]
pub(crate) fn mergers(demand: Vec<f64>, distances: Vec<Vec<f32>>) -> Vec<[usize; 2]> {
    let groups = Siblings { demand, distances }.merge();
    groups.into_iter().filter_map(|group| group.halves).collect()
}

impl Siblings {
    fn new(tree: &Tree, node: usize, counts: &[f64], asker: &mut Answering<'_>) -> Self {
        let children = tree.nodes[node].children();
        let centers: Vec<u32> = children.clone().map(|child| tree.nodes[child].center).collect();
        let row = |&center: &u32| {
            let hits = asker.ask_inside(center as usize, &centers, tree.items(node));
            let to = |other: &u32| {
                hits.iter().find(|hit| hit.item == *other).map_or(0.0, |hit| hit.distance)
            };
            centers.iter().map(to).collect()
        };
        let distances = centers.iter().map(row).collect();
        Self { demand: children.map(|child| counts[child]).collect(), distances }
    }

    /// All groups, single parts first, each merger after its halves; the last one holds all parts.
    fn merge(&self) -> Vec<Group> {
        let single = |part| Group { parts: vec![part], halves: None, center: part, cost: 0.0 };
        let mut groups: Vec<Group> = (0..self.demand.len()).map(single).collect();
        let mut open: Vec<usize> = (0..groups.len()).collect();
        let mut mergers: Vec<Merger> = Vec::new();
        for (at, &b) in open.iter().enumerate() {
            mergers.extend(open[..at].iter().map(|&a| self.merger(&groups, [a, b])));
        }
        while let Some(best) = mergers.iter().min_by(|x, y| x.price.total_cmp(&y.price)) {
            let halves = best.halves;
            let union = self.union(&groups[halves[0]], &groups[halves[1]]);
            groups.push(Group { halves: Some(halves), ..union });
            open.retain(|group| !halves.contains(group));
            mergers.retain(|merger| !merger.halves.iter().any(|half| halves.contains(half)));
            let last = groups.len() - 1;
            mergers.extend(open.iter().map(|&a| self.merger(&groups, [a, last])));
            open.push(last);
        }
        groups
    }

    fn merger(&self, groups: &[Group], halves: [usize; 2]) -> Merger {
        let [a, b] = halves.map(|half| &groups[half]);
        Merger { halves, price: self.union(a, b).cost - a.cost - b.cost }
    }

    /// The union of two groups. Its center is that of the part from which all of it is served at
    /// the least cost.
    fn union(&self, a: &Group, b: &Group) -> Group {
        let parts = [a.parts.as_slice(), b.parts.as_slice()].concat();
        let cost = |center: usize| -> f64 {
            parts
                .iter()
                .map(|&part| self.demand[part] * f64::from(self.distances[center][part]))
                .sum()
        };
        let best = |x: (usize, f64), y: (usize, f64)| if y.1 < x.1 { y } else { x };
        let costs = parts.iter().map(|&part| (part, cost(part)));
        let (center, cost) = costs.reduce(best).unwrap_or((a.center, 0.0));
        Group { parts, halves: None, center, cost }
    }

    /// The height of a group: an upper bound of the distance of its items from its center, by way
    /// of the centers of their parts.
    fn height(&self, tree: &Tree, node: usize, group: &Group) -> f32 {
        let first = tree.nodes[node].children.start as usize;
        let reach =
            |&part: &usize| self.distances[group.center][part] + tree.nodes[first + part].height;
        group.parts.iter().map(reach).fold(0.0, f32::max)
    }
}

/// Copies a tree with its mergers, level by level.
struct Rebuilding<'a> {
    old: &'a Tree,
    /// For each cell of the old tree, the groups of its parts; none if it has at most two parts.
    groups: Vec<Vec<Group>>,
    /// For each cell of the old tree, the heights of these groups.
    heights: Vec<Vec<f32>>,
}

impl Rebuilding<'_> {
    fn run(&self) -> Tree {
        let mut sources = vec![Source::Cell(0)];
        let mut new =
            Tree { nodes: vec![self.old.nodes[0].clone()], items: self.old.items.clone() };
        if let Some(all) = self.groups[0].last() {
            new.nodes[0].center = self.old.nodes[1 + all.center].center;
        }
        let mut node = 0;
        while node < sources.len() {
            let first = sources.len() as u32;
            let mut at = new.nodes[node].span.start;
            for part in self.parts(&sources[node]) {
                let span = at..at + self.size(&part);
                at = span.end;
                let height = self.height(&part).min(new.nodes[node].height);
                new.nodes.push(Node {
                    parent: node as u32,
                    children: 0..0,
                    span,
                    center: self.center(&part),
                    level: 0,
                    height,
                });
                sources.push(part);
            }
            new.nodes[node].children = first..sources.len() as u32;
            if let (Source::Cell(old), true) = (&sources[node], new.nodes[node].is_leaf()) {
                let span = &new.nodes[node].span;
                new.items[span.start as usize..span.end as usize]
                    .copy_from_slice(self.old.items(*old));
            }
            node += 1;
        }
        new.number_levels();
        new
    }

    fn parts(&self, source: &Source) -> Vec<Source> {
        let (parent, halves) = match *source {
            Source::Cell(cell) => match self.groups[cell].last() {
                Some(all) => (cell, all.halves),
                None => return self.old.nodes[cell].children().map(Source::Cell).collect(),
            },
            Source::Group { parent, group } => (parent, self.groups[parent][group].halves),
        };
        let first = self.old.nodes[parent].children.start as usize;
        let part = |group: usize| match self.groups[parent][group].halves {
            Some(_) => Source::Group { parent, group },
            None => Source::Cell(first + group),
        };
        halves.into_iter().flatten().map(part).collect()
    }

    fn size(&self, source: &Source) -> u32 {
        let size = |cell: usize| self.old.nodes[cell].span.len() as u32;
        match *source {
            Source::Cell(cell) => size(cell),
            Source::Group { parent, group } => {
                let first = self.old.nodes[parent].children.start as usize;
                self.groups[parent][group].parts.iter().map(|part| size(first + part)).sum()
            }
        }
    }

    fn center(&self, source: &Source) -> u32 {
        match *source {
            Source::Cell(cell) => self.old.nodes[cell].center,
            Source::Group { parent, group } => {
                let first = self.old.nodes[parent].children.start as usize;
                self.old.nodes[first + self.groups[parent][group].center].center
            }
        }
    }

    fn height(&self, source: &Source) -> f32 {
        match *source {
            Source::Cell(cell) => self.old.nodes[cell].height,
            Source::Group { parent, group } => self.heights[parent][group],
        }
    }
}
