//! The two nearest centers of every node, kept up to date over swaps.
//!
//! Each node has two labels: a center and how far it is, in double precision. A label comes from
//! the same label of a neighbor, plus the edge; so all labels are known from those of the
//! neighbors, and after a swap only the nodes that lost a label, or that the newcomer is close to,
//! are looked at again. The sums are those of a search from the center, however often labels are
//! repaired.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Graph;
use crate::Space;
use crate::space::Pair;

/// A center, and how far away it is.
#[derive(Clone, Copy)]
struct Label {
    length: f64,
    slot: u32,
}

/// The label that stands for no center: farther than any other.
const NONE: Label = Label { length: f64::INFINITY, slot: u32::MAX };

impl Label {
    /// Whether this label is nearer than the other, or as near and in an earlier slot.
    fn precedes(&self, other: &Label) -> bool {
        self.length < other.length || self.length == other.length && self.slot < other.slot
    }
}

/// A label that is offered to a node. Lengths are never negative, so their bits have the same
/// order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Offer {
    length_bits: u64,
    slot: u32,
    node: u32,
}

/// The two nearest centers of every node of a [`Graph`], kept up to date over swaps.
pub struct Territories<'a> {
    graph: &'a Graph,
    /// The center in each slot, by its node.
    centers: Vec<u32>,
    labels: Vec<[Label; 2]>,
    open: BinaryHeap<Reverse<Offer>>,
    /// The nodes whose labels have changed since the last swap began; some come more than once.
    touched: Vec<u32>,
}

impl<'a> Territories<'a> {
    pub(super) fn new(graph: &'a Graph, centers: &[usize]) -> Self {
        let mut labels = Self {
            graph,
            centers: centers.iter().map(|&center| center as u32).collect(),
            labels: vec![[NONE; 2]; graph.len()],
            open: BinaryHeap::new(),
            touched: Vec::new(),
        };
        for (slot, &center) in centers.iter().enumerate() {
            labels.offer(center as u32, Label { length: 0.0, slot: slot as u32 });
        }
        labels.spread();
        labels
    }

    /// Offers a label to a node, unless it has two better ones.
    fn offer(&mut self, node: u32, label: Label) {
        let [first, second] = &self.labels[node as usize];
        if label.precedes(second) && label.slot != first.slot {
            let length_bits = label.length.to_bits();
            self.open.push(Reverse(Offer { length_bits, slot: label.slot, node }));
        }
    }

    /// Takes the best offers first, and passes each on to the neighbors of the node that took it.
    fn spread(&mut self) {
        let graph = self.graph;
        while let Some(Reverse(Offer { length_bits, slot, node })) = self.open.pop() {
            let label = Label { length: f64::from_bits(length_bits), slot };
            let [first, second] = &mut self.labels[node as usize];
            if slot == first.slot || slot == second.slot || !label.precedes(second) {
                continue;
            }
            *second = label;
            if second.precedes(first) {
                std::mem::swap(first, second);
            }
            self.touched.push(node);
            self.pass_on(graph, node, label);
        }
    }

    /// Offers a node's label to its neighbors.
    fn pass_on(&mut self, graph: &Graph, node: u32, label: Label) {
        for edge in graph.neighbors(node as usize) {
            let length = label.length + f64::from(edge.length);
            self.offer(edge.node, Label { length, ..label });
        }
    }

    /// Removes the center in a slot from the labels of all nodes. These nodes are connected, as
    /// each has its label from another, so they are found from the center on.
    fn remove(&mut self, slot: u32) {
        let mut open = vec![self.centers[slot as usize]];
        while let Some(node) = open.pop() {
            let [first, second] = &mut self.labels[node as usize];
            if first.slot == slot {
                *first = *second;
            } else if second.slot != slot {
                continue;
            }
            *second = NONE;
            self.touched.push(node);
            open.extend(self.graph.neighbors(node as usize).iter().map(|edge| edge.node));
        }
    }

    /// Offers the touched nodes the labels of the nodes with an arc to them.
    fn offer_again(&mut self) {
        let graph = self.graph;
        for at in 0..self.touched.len() {
            let node = self.touched[at];
            for edge in graph.back().of(node as usize) {
                for label in self.labels[edge.node as usize] {
                    let length = label.length + f64::from(edge.length);
                    self.offer(node, Label { length, ..label });
                }
            }
        }
    }
}

impl Territories<'_> {
    /// The two nearest centers of a node, and their distances.
    pub fn pair(&self, item: usize) -> Pair {
        let labels = &self.labels[item];
        Pair {
            slots: labels.map(|label| label.slot),
            distances: labels.map(|label| label.length as f32),
        }
    }

    /// Puts another center into a slot. Returns the nodes whose two nearest centers may have
    /// changed, each once, in ascending order.
    pub fn replace(&mut self, slot: usize, newcomer: usize) -> Vec<u32> {
        self.remove(slot as u32);
        self.offer_again();
        self.centers[slot] = newcomer as u32;
        self.offer(newcomer as u32, Label { length: 0.0, slot: slot as u32 });
        self.spread();
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        touched.dedup();
        touched
    }
}
