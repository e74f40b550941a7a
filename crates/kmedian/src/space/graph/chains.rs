//! The chains of a graph: paths from junction to junction without a branch. Most nodes of a road
//! network are on one.

use super::{Graph, Neighbor};
use crate::Space;

/// A path of a graph without a branch, and where a node is on it: every path that leaves the chain
/// passes one of its ends.
///
/// A node t along a chain of the length L is min(d(first end) + t, d(second end) + L − t) away from
/// everything outside. From the node t' along the same chain it is at most |t − t'| away.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chain {
    /// The number of the chain in its graph, from 0.
    pub number: usize,
    /// The nodes where the chain begins and ends; twice the same node for a loop or a dead end.
    pub ends: [u32; 2],
    /// How far the node is from the first end, along the chain.
    pub along: f64,
    /// How long the chain is; there and back if it is a dead end.
    pub length: f64,
}

/// Every node that is on a chain, with its place there.
pub(super) struct Chains {
    /// The place of each node; its chain is [`NONE`] for a junction.
    places: Vec<Place>,
    chains: Vec<Span>,
}

/// The number that stands for no chain: that of a junction.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Place {
    chain: u32,
    /// How far along the chain the node is.
    along: f64,
}

/// A path between two junctions, and its length.
#[derive(Clone, Copy)]
struct Span {
    ends: [u32; 2],
    length: f64,
}

impl Chains {
    /// Walks all chains from their junctions: the nodes with more than two edges. A graph that has
    /// none is all chains from its first node.
    pub(super) fn new(graph: &Graph) -> Self {
        let n = graph.len() as u32;
        let mut found = Self {
            places: vec![Place { chain: NONE, along: 0.0 }; graph.len()],
            chains: Vec::new(),
        };
        let mut junctions: Vec<u32> =
            (0..n).filter(|&node| graph.neighbors(node as usize).len() > 2).collect();
        if junctions.is_empty() {
            junctions.push(0);
        }
        let mut is_junction = vec![false; graph.len()];
        junctions.iter().for_each(|&junction| is_junction[junction as usize] = true);
        for junction in junctions {
            for &edge in graph.neighbors(junction as usize) {
                let known = found.places[edge.node as usize].chain != NONE;
                if !known && !is_junction[edge.node as usize] {
                    found.walk(graph, junction, edge, &is_junction);
                }
            }
        }
        found
    }

    /// Follows a chain from its first edge on. A dead end is taken for a path there and back.
    fn walk(&mut self, graph: &Graph, start: u32, first: Neighbor, is_junction: &[bool]) {
        let chain = self.chains.len() as u32;
        let (mut at, mut along, mut came_from) = (first.node, f64::from(first.length), start);
        let end = loop {
            if is_junction[at as usize] {
                break at;
            }
            self.places[at as usize] = Place { chain, along };
            let neighbors = graph.neighbors(at as usize);
            let Some(back) = neighbors.iter().position(|edge| edge.node == came_from) else {
                break start;
            };
            let onwards = neighbors.iter().enumerate().find(|(index, _)| *index != back);
            let Some((_, next)) = onwards else {
                along *= 2.0;
                break start;
            };
            (came_from, at, along) = (at, next.node, along + f64::from(next.length));
        };
        self.chains.push(Span { ends: [start, end], length: along });
    }

    /// The chain that a node is on; `None` for a junction.
    pub(super) fn chain(&self, node: usize) -> Option<Chain> {
        let Place { chain, along } = self.places[node];
        let &Span { ends, length } = self.chains.get(chain as usize)?;
        Some(Chain { number: chain as usize, ends, along, length })
    }
}
