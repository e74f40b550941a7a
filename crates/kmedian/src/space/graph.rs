mod chains;
mod dijkstra;
mod territories;

use std::cmp::Reverse;
use std::sync::OnceLock;

use chains::Chains;
use dijkstra::Dijkstra;

pub use chains::Chain;
pub use territories::Territories;

use super::{Abilities, Asker, Own, Space, diameter};
use crate::{Error, ErrorKind};

/// The number of nodes without an edge that a graph may have, about a million. More mean that nodes
/// are numbered with large gaps, which would take memory for nothing.
const MOST_ISOLATED: usize = 1 << 20;

/// The nodes of an undirected, connected graph under the shortest-path distance.
///
/// Edges are kept as compressed adjacency: no table over pairs of nodes is ever made. A question is
/// answered by Dijkstra's algorithm, which does not go to a node that is farther than its cap: with
/// 1-Lipschitz caps nothing behind such a node can be closer than its own.
///
/// ```
/// use kmedian::{Graph, Space};
///
/// let path = Graph::new(3, &[(0, 1, 2.0), (1, 2, 0.5)])?;
/// assert_eq!(path.asker().distance(0, 2), 2.5);
/// # Ok::<(), kmedian::Error>(())
/// ```
pub struct Graph {
    offsets: Vec<usize>,
    neighbors: Vec<Neighbor>,
    diameter: OnceLock<f32>,
    chains: OnceLock<Chains>,
}

#[derive(Clone, Copy)]
struct Neighbor {
    node: u32,
    length: f32,
}

/// The largest connected component of a graph, as [`Graph::largest_component`] finds it.
pub struct Component {
    /// The component as a graph of its own.
    pub graph: Graph,
    /// For each node of the component, the node that it is in the whole graph.
    pub nodes: Vec<usize>,
    /// The number of nodes of each component of the whole graph, largest first.
    pub sizes: Vec<usize>,
}

impl Graph {
    /// Takes edges `(a, b, length)` between the nodes `0..nodes`. Self-loops are ignored; of
    /// parallel edges the shortest counts.
    ///
    /// # Errors
    /// If there are no nodes, a node is out of range, a length is not positive and finite,
    /// distances are too large for 32-bit numbers, or the graph is not connected: then the error
    /// says how many components there are and how large, and [`Graph::largest_component`] is the
    /// way out.
    pub fn new(nodes: usize, edges: &[(u32, u32, f32)]) -> Result<Self, Error> {
        let graph = Self::unchecked(nodes, edges)?;
        let sizes = component_sizes(&graph.components());
        if sizes.len() > 1 {
            let shown: Vec<String> = sizes.iter().take(5).map(ToString::to_string).collect();
            let more = if sizes.len() > shown.len() { ", …" } else { "" };
            let message = format!(
                "the graph has {} components (of {}{more} nodes): distances between them are infinite; \
                 connect them or take the largest",
                sizes.len(),
                shown.join(", ")
            );
            return Err(Error::new(ErrorKind::Disconnected, message));
        }
        diameter::check(&graph, diameter::LARGEST_DISTANCE)?;
        Ok(graph)
    }

    /// The largest connected component of a graph (the first of several) as a graph of its own.
    ///
    /// # Errors
    /// As [`Graph::new`], except that the graph need not be connected.
    pub fn largest_component(nodes: usize, edges: &[(u32, u32, f32)]) -> Result<Component, Error> {
        let whole = Self::unchecked(nodes, edges)?;
        let component = whole.components();
        let sizes = count(&component);
        let largest = (0..sizes.len()).max_by_key(|&c| (sizes[c], Reverse(c))).unwrap_or(0);
        let nodes: Vec<usize> = (0..nodes).filter(|&node| component[node] == largest).collect();
        let mut new_name = vec![u32::MAX; component.len()];
        for (new, &old) in nodes.iter().enumerate() {
            new_name[old] = new as u32;
        }
        let kept: Vec<(u32, u32, f32)> = edges
            .iter()
            .filter(|edge| component[edge.0 as usize] == largest)
            .map(|edge| (new_name[edge.0 as usize], new_name[edge.1 as usize], edge.2))
            .collect();
        let graph = Self::unchecked(nodes.len(), &kept)?;
        diameter::check(&graph, diameter::LARGEST_DISTANCE)?;
        Ok(Component { graph, nodes, sizes: component_sizes(&component) })
    }

    fn unchecked(nodes: usize, edges: &[(u32, u32, f32)]) -> Result<Self, Error> {
        if nodes == 0 {
            return Err(Error::new(ErrorKind::Empty, "the graph has no nodes; give at least one"));
        }
        if nodes > 2 * edges.len() + MOST_ISOLATED {
            let message = format!(
                "there are {nodes} nodes, but only {} edges; nodes must be numbered without large gaps",
                edges.len()
            );
            return Err(Error::new(ErrorKind::Value, message));
        }
        let mut offsets = vec![0usize; nodes + 1];
        for &(a, b, length) in edges {
            if a.max(b) as usize >= nodes {
                let message = format!("edge {a} – {b}: the nodes are 0 to {}", nodes - 1);
                return Err(Error::new(ErrorKind::Value, message));
            }
            if !(length > 0.0 && length.is_finite()) {
                let message = format!(
                    "edge {a} – {b} has length {length}; lengths must be positive and finite: make one node of \
                     two in the same place, and leave out an edge that leads nowhere"
                );
                return Err(Error::new(ErrorKind::Value, message));
            }
            if a != b {
                offsets[a as usize + 1] += 1;
                offsets[b as usize + 1] += 1;
            }
        }
        for node in 0..nodes {
            offsets[node + 1] += offsets[node];
        }
        let mut next = offsets.clone();
        let mut neighbors = vec![Neighbor { node: 0, length: 0.0 }; offsets[nodes]];
        for &(a, b, length) in edges.iter().filter(|edge| edge.0 != edge.1) {
            for (from, to) in [(a, b), (b, a)] {
                neighbors[next[from as usize]] = Neighbor { node: to, length };
                next[from as usize] += 1;
            }
        }
        for node in 0..nodes {
            let of_node = &mut neighbors[offsets[node]..offsets[node + 1]];
            of_node.sort_by(|a, b| a.length.total_cmp(&b.length).then(a.node.cmp(&b.node)));
        }
        let (diameter, chains) = (OnceLock::new(), OnceLock::new());
        Ok(Self { offsets, neighbors, diameter, chains })
    }

    /// The number of edges; parallel edges are all counted, self-loops are not.
    pub fn edges(&self) -> usize {
        self.neighbors.len() / 2
    }

    fn neighbors(&self, node: usize) -> &[Neighbor] {
        &self.neighbors[self.offsets[node]..self.offsets[node + 1]]
    }

    /// The component of every node, numbered from 0.
    fn components(&self) -> Vec<usize> {
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
}

/// How many nodes each component has, given the component of every node.
fn count(component: &[usize]) -> Vec<usize> {
    let mut sizes = vec![0; component.iter().max().map_or(0, |last| last + 1)];
    for &c in component {
        sizes[c] += 1;
    }
    sizes
}

/// The numbers of nodes of the components, largest first, given the component of every node.
fn component_sizes(component: &[usize]) -> Vec<usize> {
    let mut sizes = count(component);
    sizes.sort_unstable_by_key(|&size| Reverse(size));
    sizes
}

impl Graph {
    /// The two nearest of the given centers for every node, ready to be kept up to date over swaps.
    pub fn territories(&self, centers: &[usize]) -> Territories<'_> {
        Territories::new(self, centers)
    }

    /// The chain (path without a branch) that a node is on; `None` for a junction.
    pub fn chain(&self, node: usize) -> Option<Chain> {
        self.chains.get_or_init(|| Chains::new(self)).chain(node)
    }
}

impl Space for Graph {
    fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    fn asker(&self) -> Box<dyn Asker + '_> {
        Box::new(Dijkstra::new(self))
    }

    fn diameter_bound(&self) -> f32 {
        *self.diameter.get_or_init(|| diameter::diameter_bound(self))
    }

    /// The shortest edge: no path is shorter than one of its edges.
    fn smallest_distance(&self) -> Option<f32> {
        self.neighbors.iter().map(|neighbor| neighbor.length).reduce(f32::min)
    }

    fn relative_error(&self) -> f32 {
        f32::EPSILON
    }

    fn abilities(&self) -> Abilities {
        Abilities { explores: true, ..Abilities::default() }
    }

    fn content(&self, sink: &mut dyn FnMut(&[u8])) -> bool {
        sink(b"graph");
        for node in 0..self.len() {
            sink(&(self.neighbors(node).len() as u64).to_le_bytes());
            for neighbor in self.neighbors(node) {
                sink(&neighbor.node.to_le_bytes());
                sink(&neighbor.length.to_bits().to_le_bytes());
            }
        }
        true
    }

    fn own(&self) -> Own<'_> {
        Own::graph(self)
    }
}
