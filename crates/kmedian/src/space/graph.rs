mod adjacency;
mod chains;
mod components;
mod contracted;
mod dijkstra;
mod territories;

use std::cmp::Reverse;
use std::sync::OnceLock;

use adjacency::{Adjacency, Neighbor};
use chains::Chains;
use components::{component_sizes, count};
use dijkstra::Dijkstra;

pub use chains::Chain;
pub(crate) use contracted::{Contracted, Inside, Piece};
pub use territories::Territories;

use super::{Abilities, Asker, Own, Space, diameter};
use crate::{Error, ErrorKind};

/// The number of nodes without an edge that a graph may have, about a million. More mean that nodes
/// are numbered with large gaps, which would take memory for nothing.
const MOST_ISOLATED: usize = 1 << 20;

/// The nodes of a connected graph under the shortest-path distance; with one-way streets, if it is
/// directed.
///
/// Edges are kept as compressed adjacency: no table over pairs of nodes is ever made. A question is
/// answered by Dijkstra's algorithm, which does not go to a node that is farther than its cap: with
/// 1-Lipschitz caps nothing behind such a node can be closer than its own.
///
/// In a directed graph ([`Graph::directed`]) a distance is that of the way from the center to the
/// item; [`Graph::reversed`] is for the other way round. Caps still never rise by more than an arc
/// along it, so the search stays exact. Trees, which need distances that are the same both ways,
/// are built as if every street were open both ways.
///
/// ```
/// use kmedian::{Graph, Space};
///
/// let path = Graph::new(3, &[(0, 1, 2.0), (1, 2, 0.5)])?;
/// assert_eq!(path.asker().distance(0, 2), 2.5);
///
/// let roundabout = Graph::directed(3, &[(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0)])?;
/// assert_eq!(roundabout.asker().distance(1, 0), 2.0);
/// # Ok::<(), kmedian::Error>(())
/// ```
pub struct Graph {
    /// The arcs out of every node.
    out: Adjacency,
    /// The arcs into every node, from their heads to their tails; `None` in an undirected graph,
    /// where they are those out of it.
    into: Option<Adjacency>,
    /// Whether the arcs were turned round, so that ways lead from items to centers.
    turned: bool,
    diameter: OnceLock<f32>,
    chains: OnceLock<Chains>,
    /// The graph with every arc open both ways, for trees.
    undirected: OnceLock<Box<Graph>>,
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
        let component = Self::unchecked(nodes, edges)?.components();
        let (nodes, kept) = largest(&component, edges);
        let graph = Self::unchecked(nodes.len(), &kept)?;
        diameter::check(&graph, diameter::LARGEST_DISTANCE)?;
        Ok(Component { graph, nodes, sizes: component_sizes(&component) })
    }

    fn unchecked(nodes: usize, edges: &[(u32, u32, f32)]) -> Result<Self, Error> {
        check_edges(nodes, edges)?;
        let both = |&(a, b, length): &(u32, u32, f32)| [(a, b, length), (b, a, length)];
        Ok(Self::of(Adjacency::new(nodes, edges.iter().flat_map(both)), None))
    }

    fn of(out: Adjacency, into: Option<Adjacency>) -> Self {
        let (diameter, chains, undirected) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { out, into, turned: false, diameter, chains, undirected }
    }

    /// Takes arcs `(from, to, length)` between the nodes `0..nodes`, each open one way only.
    /// Self-loops are ignored; of parallel arcs the shortest counts.
    ///
    /// Whether all clients can be reached is found out when a [`Problem`](crate::Problem) is built,
    /// which knows the candidates; [`Graph::largest_strong_component`] always passes.
    ///
    /// # Errors
    /// If there are no nodes, a node is out of range, a length is not positive and finite, or
    /// distances are too large for 32-bit numbers.
    pub fn directed(nodes: usize, arcs: &[(u32, u32, f32)]) -> Result<Self, Error> {
        check_edges(nodes, arcs)?;
        let total: f64 = arcs.iter().map(|arc| f64::from(arc.2)).sum();
        if total > f64::from(diameter::LARGEST_DISTANCE) {
            return Err(diameter::too_large());
        }
        let back = |&(from, to, length): &(u32, u32, f32)| (to, from, length);
        let out = Adjacency::new(nodes, arcs.iter().copied());
        let into = Adjacency::new(nodes, arcs.iter().map(back));
        Ok(Self::of(out, Some(into)))
    }

    /// The graph with all arcs turned round, so that a distance is that of the way from the item to
    /// the center. An undirected graph stays as it is.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self.into {
            Some(into) => Self { turned: !self.turned, ..Self::of(into, Some(self.out)) },
            None => Self::of(self.out, None),
        }
    }

    /// The largest strongly connected component (the first of several) of a directed graph: every
    /// node of it reaches every other.
    ///
    /// # Errors
    /// As [`Graph::directed`].
    pub fn largest_strong_component(
        nodes: usize,
        arcs: &[(u32, u32, f32)],
    ) -> Result<Component, Error> {
        let component = Self::directed(nodes, arcs)?.strong_components();
        let (nodes, kept) = largest(&component, arcs);
        let graph = Self::directed(nodes.len(), &kept)?;
        Ok(Component { graph, nodes, sizes: component_sizes(&component) })
    }

    /// Whether arcs are open one way only.
    pub fn is_directed(&self) -> bool {
        self.into.is_some()
    }

    /// The number of edges, or arcs of a directed graph; parallel ones are all counted, self-loops
    /// are not.
    pub fn edges(&self) -> usize {
        let arcs = self.out.arcs();
        if self.is_directed() { arcs } else { arcs / 2 }
    }

    /// The heads of the arcs out of a node.
    fn neighbors(&self, node: usize) -> &[Neighbor] {
        self.out.of(node)
    }

    /// The arcs into every node, from head to tail.
    fn back(&self) -> &Adjacency {
        self.into.as_ref().unwrap_or(&self.out)
    }

    /// The graph with every arc open both ways; itself, if it is undirected.
    pub(super) fn undirected(&self) -> &Graph {
        if !self.is_directed() {
            return self;
        }
        self.undirected.get_or_init(|| {
            let arcs = (0..self.len()).flat_map(|node| {
                let both = [&self.out, self.back()].into_iter().flat_map(move |all| all.of(node));
                both.map(move |arc| (node as u32, arc.node, arc.length))
            });
            Box::new(Self::of(Adjacency::new(self.len(), arcs), None))
        })
    }
}

/// The nodes of the largest component, and the edges among them with their ends renumbered.
#[allow(clippy::type_complexity)] // A pair that is taken apart at once.
fn largest(component: &[usize], edges: &[(u32, u32, f32)]) -> (Vec<usize>, Vec<(u32, u32, f32)>) {
    let sizes = count(component);
    let largest = (0..sizes.len()).max_by_key(|&c| (sizes[c], Reverse(c))).unwrap_or(0);
    let is_in = |node: u32| component[node as usize] == largest;
    let nodes: Vec<usize> = (0..component.len()).filter(|&node| is_in(node as u32)).collect();
    let mut new_name = vec![u32::MAX; component.len()];
    for (new, &old) in nodes.iter().enumerate() {
        new_name[old] = new as u32;
    }
    let kept = edges.iter().filter(|edge| is_in(edge.0) && is_in(edge.1));
    let renamed = kept.map(|edge| (new_name[edge.0 as usize], new_name[edge.1 as usize], edge.2));
    (nodes, renamed.collect())
}

fn check_edges(nodes: usize, edges: &[(u32, u32, f32)]) -> Result<(), Error> {
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
    }
    Ok(())
}

impl Graph {
    /// The two nearest of the given centers for every node, ready to be kept up to date over swaps.
    pub fn territories(&self, centers: &[usize]) -> Territories<'_> {
        Territories::new(self, centers)
    }

    /// Whether the lengths of all arcs are whole numbers, and so all distances are.
    pub(super) fn has_whole_lengths(&self) -> bool {
        self.out.has_whole_lengths()
    }

    /// For every node the least caps that are not below the given ones and 1-Lipschitz: the largest
    /// over all nodes of their cap less their distance. Rounded up; zero where that is negative.
    pub(crate) fn lipschitz_above(&self, caps: &[f32]) -> Vec<f32> {
        Dijkstra::new(self).lipschitz_above(caps)
    }

    /// The chain (path without a branch) that a node is on; `None` for a junction, and in a
    /// directed graph, where ways along a chain are not the same both ways.
    pub fn chain(&self, node: usize) -> Option<Chain> {
        if self.is_directed() {
            return None;
        }
        self.chains.get_or_init(|| Chains::new(self)).chain(node)
    }
}

impl Space for Graph {
    fn len(&self) -> usize {
        self.out.len()
    }

    fn asker(&self) -> Box<dyn Asker + '_> {
        Box::new(Dijkstra::new(self))
    }

    fn diameter_bound(&self) -> f32 {
        *self.diameter.get_or_init(|| match &self.into {
            None => diameter::diameter_bound(self),
            Some(_) => diameter::directed_bound(self, self.out.total()),
        })
    }

    /// The shortest edge: no path is shorter than one of its edges.
    fn smallest_distance(&self) -> Option<f32> {
        self.out.shortest()
    }

    fn relative_error(&self) -> f32 {
        f32::EPSILON
    }

    fn abilities(&self) -> Abilities {
        let symmetric = !self.is_directed();
        Abilities { explores: true, symmetric, ..Abilities::default() }
    }

    fn content(&self, sink: &mut dyn FnMut(&[u8])) -> bool {
        sink(if self.is_directed() { b"directed graph" } else { b"graph" });
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
