//! Which nodes of a graph reach each other.

use std::cmp::Reverse;

use super::Graph;
use crate::{Error, ErrorKind, Sites, Space};

impl Graph {
    /// The component of every node of an undirected graph, numbered from 0.
    pub(super) fn components(&self) -> Vec<usize> {
        let mut component = vec![usize::MAX; self.len()];
        let mut found = 0;
        let mut open = Vec::new();
        for start in 0..self.len() {
            if component[start] != usize::MAX {
                continue;
            }
            component[start] = found;
            open.push(start);
            while let Some(node) = open.pop() {
                for neighbor in self.neighbors(node) {
                    let next = neighbor.node as usize;
                    if component[next] == usize::MAX {
                        component[next] = found;
                        open.push(next);
                    }
                }
            }
            found += 1;
        }
        component
    }

    /// The strongly connected component of every node, numbered from 0 (Kosaraju's algorithm): the
    /// nodes that reach a node backwards, and are not in an earlier component, in the reverse of
    /// the order in which a search forwards has left them.
    pub(super) fn strong_components(&self) -> Vec<usize> {
        let mut component = vec![usize::MAX; self.len()];
        let mut found = 0;
        let mut open = Vec::new();
        for start in self.left_last().into_iter().rev() {
            if component[start] != usize::MAX {
                continue;
            }
            component[start] = found;
            open.push(start);
            while let Some(node) = open.pop() {
                for neighbor in self.back().of(node) {
                    let next = neighbor.node as usize;
                    if component[next] == usize::MAX {
                        component[next] = found;
                        open.push(next);
                    }
                }
            }
            found += 1;
        }
        component
    }

    /// All nodes, in the order in which a search in depth leaves them.
    fn left_last(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.len());
        let mut seen = vec![false; self.len()];
        // A node, and the arc out of it that is followed next.
        let mut path: Vec<(usize, usize)> = Vec::new();
        for start in 0..self.len() {
            if std::mem::replace(&mut seen[start], true) {
                continue;
            }
            path.push((start, 0));
            while let Some((node, arc)) = path.last_mut() {
                let Some(next) = self.neighbors(*node).get(*arc) else {
                    order.push(*node);
                    path.pop();
                    continue;
                };
                *arc += 1;
                let next = next.node as usize;
                if !std::mem::replace(&mut seen[next], true) {
                    path.push((next, 0));
                }
            }
        }
        order
    }

    /// Checks that every candidate reaches every node (or is reached from it, if ways lead to
    /// centers), which is so in an undirected graph.
    ///
    /// # Errors
    /// If there are nodes that no candidate reaches, or that some do not: the error says how many.
    pub(crate) fn check_reach(&self, sites: &Sites) -> Result<(), Error> {
        if !self.is_directed() {
            return Ok(());
        }
        let candidates = || (0..self.len()).filter(|&node| sites.is_candidate(node));
        let Some(first) = candidates().next() else { return Ok(()) };
        let missed = |reached: &[bool]| Missed {
            nodes: reached.iter().filter(|&&reached| !reached).count(),
            first: reached.iter().position(|&reached| !reached),
        };
        let by_any = missed(&self.out.reached(candidates()));
        if let Some(client) = by_any.first {
            let who = if self.turned { "is reached from" } else { "reaches" };
            return Err(self.unreached(&format!("no candidate {who}"), by_any.nodes, vec![client]));
        }
        let by_one = |node: usize| missed(&self.out.reached(std::iter::once(node)));
        let by_first = by_one(first);
        // Whatever reaches the first candidate reaches as much as that.
        let reaches_first = self.back().reached(std::iter::once(first));
        let worst = match by_first.nodes {
            0 => candidates().find(|&node| !reaches_first[node]).map(|node| (node, by_one(node))),
            _ => Some((first, by_first)),
        };
        let Some((node, missed)) = worst else { return Ok(()) };
        let who = if self.turned { "is not reached from" } else { "does not reach" };
        let items = std::iter::once(node).chain(missed.first).collect();
        Err(self.unreached(&format!("candidate {{}} {who}"), missed.nodes, items))
    }

    /// An error about so many nodes that some candidate does not reach, one of which is the last of
    /// the items.
    fn unreached(&self, who: &str, nodes: usize, items: Vec<usize>) -> Error {
        let message = format!(
            "{who} {nodes} of {} nodes, such as {{}}, along one-way streets; give other candidates, or take the largest \
             strongly connected component",
            self.len()
        );
        Error::about_items(ErrorKind::Disconnected, message, items)
    }

    /// The numbers of nodes of the components, largest first: strongly connected ones, if the graph
    /// is directed.
    #[must_use]
    pub fn component_sizes(&self) -> Vec<usize> {
        let directed = self.is_directed();
        component_sizes(&if directed { self.strong_components() } else { self.components() })
    }
}

/// The nodes that a search has not reached: how many, and the first of them.
struct Missed {
    nodes: usize,
    first: Option<usize>,
}

/// How many nodes each component has, given the component of every node.
pub(super) fn count(component: &[usize]) -> Vec<usize> {
    let mut sizes = vec![0; component.iter().max().map_or(0, |last| last + 1)];
    for &c in component {
        sizes[c] += 1;
    }
    sizes
}

/// The numbers of nodes of the components, largest first, given the component of every node.
pub(super) fn component_sizes(component: &[usize]) -> Vec<usize> {
    let mut sizes = count(component);
    sizes.sort_unstable_by_key(|&size| Reverse(size));
    sizes
}
