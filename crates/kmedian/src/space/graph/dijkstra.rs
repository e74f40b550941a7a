//! Questions to a graph, answered by searches that do not go beyond the caps.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use super::super::{Among, Asker, Hit, Question, Space, position};
use super::{Adjacency, Graph};

/// The share by which caps are raised before lengths of paths are compared with them: far more than
/// rounding changes a 32-bit cap, so that it never cuts off a path that matters.
const SLACK: f64 = 1e-5;

/// The cap of a node that is not to be visited: below every length of a path.
const NOWHERE: f32 = -1.0;

/// Dijkstra's algorithm with caps. Lengths of paths are added in double precision.
pub(super) struct Dijkstra<'a> {
    graph: &'a Graph,
    /// The shortest path found so far to each node; infinite between questions.
    distance: Vec<f64>,
    /// The nodes whose distance must be made infinite again.
    reached: Vec<u32>,
    open: BinaryHeap<Reverse<Open>>,
    /// The items that are asked about; none between questions.
    asked: Marks,
    /// The items that paths may lead through, where that is limited; none between questions.
    inside: Marks,
}

/// A set of nodes, as a mark at each.
#[derive(Default)]
pub(super) struct Marks(Vec<bool>);

impl Marks {
    pub(super) fn none(nodes: usize) -> Self {
        Self(vec![false; nodes])
    }

    /// Takes an empty set out of its place, and adds some nodes.
    pub(super) fn set(place: &mut Self, nodes: &[u32]) -> Self {
        let mut marks = std::mem::take(place);
        nodes.iter().for_each(|&node| marks.0[node as usize] = true);
        marks
    }

    /// Removes some nodes from the set.
    pub(super) fn clear(mut self, nodes: &[u32]) -> Self {
        nodes.iter().for_each(|&node| self.0[node as usize] = false);
        self
    }

    #[inline]
    pub(super) fn has(&self, node: u32) -> bool {
        self.0[node as usize]
    }
}

/// A node to visit. Lengths are never negative, so their bits have the same order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Open {
    pub(super) length_bits: u64,
    pub(super) node: u32,
    /// The number of the source that it was reached from, where there are several.
    pub(super) part: u32,
}

impl Open {
    pub(super) fn length(&self) -> f64 {
        f64::from_bits(self.length_bits)
    }
}

impl<'a> Dijkstra<'a> {
    pub(super) fn new(graph: &'a Graph) -> Self {
        Self {
            graph,
            distance: vec![f64::INFINITY; graph.len()],
            reached: Vec::new(),
            open: BinaryHeap::new(),
            asked: Marks::none(graph.len()),
            inside: Marks::none(graph.len()),
        }
    }

    fn reach(&mut self, node: u32, length: f64, part: u32) {
        let known = &mut self.distance[node as usize];
        if length < *known {
            if known.is_infinite() {
                self.reached.push(node);
            }
            *known = length;
            self.open.push(Reverse(Open { length_bits: length.to_bits(), node, part }));
        }
    }

    /// Visits the nodes that are not beyond their cap by increasing distance, until `visit` breaks.
    fn explore(
        &mut self,
        source: usize,
        cap: impl Fn(u32) -> f32,
        largest: f32,
        visit: impl FnMut(&Open) -> ControlFlow<()>,
    ) {
        self.reach(source as u32, 0.0, 0);
        self.explore_on(&self.graph.out, cap, largest, visit);
    }

    /// Visits the nodes that are not beyond their cap by increasing distance from all nodes that
    /// have been reached, along the given arcs, until `visit` breaks. No cap may exceed `largest`.
    fn explore_on(
        &mut self,
        arcs: &'a Adjacency,
        cap: impl Fn(u32) -> f32,
        largest: f32,
        mut visit: impl FnMut(&Open) -> ControlFlow<()>,
    ) {
        let farthest = slackened(largest);
        while let Some(Reverse(open)) = self.open.pop() {
            let (node, length) = (open.node, open.length());
            if length > self.distance[node as usize] {
                continue;
            }
            if visit(&open).is_break() {
                break;
            }
            // Edges are sorted by length: behind the first that leads too far, all do.
            for neighbor in arcs.of(node as usize) {
                let length = length + f64::from(neighbor.length);
                if length > farthest {
                    break;
                }
                if length <= slackened(cap(neighbor.node)) {
                    self.reach(neighbor.node, length, open.part);
                }
            }
        }
        self.open.clear();
        for node in self.reached.drain(..) {
            self.distance[node as usize] = f64::INFINITY;
        }
    }
}

/// The share of the largest cap that the least Lipschitz caps are raised by: far more than the
/// roundings of 64-bit sums along a path.
const RAISE: f64 = 1e-9;

impl Dijkstra<'_> {
    /// For every node the largest, over all nodes, of their cap less their distance, rounded up;
    /// zero where that is negative. One search from all nodes at once: a node whose cap is less
    /// than the largest starts with the difference as its length.
    pub(super) fn lipschitz_above(&mut self, caps: &[f32]) -> Vec<f32> {
        let largest = caps.iter().copied().fold(0.0, f32::max);
        for (node, &cap) in (0..).zip(caps).filter(|(_, cap)| **cap > 0.0) {
            self.reach(node, f64::from(largest) - f64::from(cap), 0);
        }
        let mut least = vec![0.0f32; caps.len()];
        let raise = f64::from(largest) * RAISE;
        self.explore_on(
            self.graph.back(),
            |_| largest,
            largest,
            |open| {
                let left = f64::from(largest) - open.length() + raise;
                least[open.node as usize] = (left.max(0.0) as f32).next_up();
                ControlFlow::Continue(())
            },
        );
        least
    }
}

/// A cap with a little to spare for rounding, as [`SLACK`] says.
pub(super) fn slackened(cap: f32) -> f64 {
    f64::from(cap) * (1.0 + SLACK)
}

impl Asker for Dijkstra<'_> {
    fn ask(&mut self, source: usize, question: &Question<'_>, hits: &mut Vec<Hit>) {
        hits.clear();
        let cap = |node: u32| question.caps.of(node as usize);
        let gathered: Vec<u32>;
        let items = match question.among {
            Among::Listed(items) if items.len() < self.graph.len() => items,
            Among::Grouped(groups) => {
                gathered = groups.items().collect();
                &gathered
            }
            Among::All | Among::Listed(_) => {
                self.explore(source, cap, question.largest, |open| {
                    hits.extend(question.caps.hit(open.node, open.length() as f32));
                    ControlFlow::Continue(())
                });
                return;
            }
        };
        let asked = Marks::set(&mut self.asked, items);
        let mut left = items.len();
        self.explore(source, cap, question.largest, |open| {
            if asked.has(open.node) {
                hits.extend(question.caps.hit(open.node, open.length() as f32));
                left -= 1;
            }
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        self.asked = asked.clear(items);
    }

    fn distance(&mut self, a: usize, b: usize) -> f32 {
        let mut found = f32::INFINITY;
        self.explore(
            a,
            |_| f32::INFINITY,
            f32::INFINITY,
            |open| {
                if open.node as usize == b {
                    found = open.length() as f32;
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            },
        );
        found
    }
    fn ask_inside(&mut self, source: usize, items: &[u32], region: &[u32], hits: &mut Vec<Hit>) {
        hits.clear();
        let asked = Marks::set(&mut self.asked, items);
        let inside = Marks::set(&mut self.inside, region);
        let within = |node: u32| if inside.has(node) { f32::INFINITY } else { NOWHERE };
        let mut left = items.len();
        self.explore(source, within, f32::INFINITY, |open| {
            if asked.has(open.node) {
                hits.push(Hit { item: open.node, distance: open.length() as f32 });
                left -= 1;
            }
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        self.asked = asked.clear(items);
        self.inside = inside.clear(region);
    }

    /// One search from all centers at once. A node belongs to the center of the node before it on
    /// its path; only paths among the items count, so none is cut off from its center.
    fn share(&mut self, items: &[u32], centers: &[u32]) -> Vec<Hit> {
        let mut shares = vec![Hit { item: 0, distance: f32::INFINITY }; items.len()];
        for (part, &center) in centers.iter().enumerate() {
            self.reach(center, 0.0, part as u32);
        }
        let inside = Marks::set(&mut self.inside, items);
        let within = |node: u32| if inside.has(node) { f32::INFINITY } else { NOWHERE };
        self.explore_on(&self.graph.out, within, f32::INFINITY, |open| {
            let at = position(items, open.node, 0);
            shares[at] = Hit { item: open.part, distance: open.length() as f32 };
            ControlFlow::Continue(())
        });
        self.inside = inside.clear(items);
        shares
    }

    /// One search against the arcs, from the target to the items.
    fn ask_to(&mut self, target: usize, items: &[u32], hits: &mut Vec<Hit>) {
        hits.clear();
        let asked = Marks::set(&mut self.asked, items);
        let mut left = items.len();
        self.reach(target as u32, 0.0, 0);
        self.explore_on(
            self.graph.back(),
            |_| f32::INFINITY,
            f32::INFINITY,
            |open| {
                if asked.has(open.node) {
                    hits.push(Hit { item: open.node, distance: open.length() as f32 });
                    left -= 1;
                }
                if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        self.asked = asked.clear(items);
    }

    /// One search from all sources at once, against the arcs: a source that reaches less far than
    /// the farthest starts with the difference as its length.
    fn ask_around(&mut self, sources: &[Hit], hits: &mut Vec<Hit>) {
        hits.clear();
        let farthest = sources.iter().map(|source| source.distance).fold(0.0, f32::max);
        for source in sources {
            let less = f64::from(farthest) - f64::from(source.distance);
            self.reach(source.item, if less.is_nan() { 0.0 } else { less }, 0);
        }
        self.explore_on(
            self.graph.back(),
            |_| farthest,
            farthest,
            |open| {
                hits.push(Hit { item: open.node, distance: open.length() as f32 });
                ControlFlow::Continue(())
            },
        );
    }
}
