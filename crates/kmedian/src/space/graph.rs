mod chains;
mod territories;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;
use std::sync::OnceLock;

use chains::Chains;
use territories::Labels;

use super::{Among, Asker, Hit, Passage, Question, Space, Territories, extent, position};
use crate::{Error, ErrorKind};

/// Caps are compared with this much to spare, relative to them, so that rounding in the caps never cuts
/// off a path that matters.
const SLACK: f64 = 1e-5;

/// The cap of a node that is not to be visited.
const NOWHERE: f32 = -1.0;

/// With more nodes than this without an edge, their numbers are something else than numbers from 0.
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

/// A connected component of a graph.
pub struct Component {
    /// The component as a graph of its own.
    pub graph: Graph,
    /// For each of its nodes, the node of the whole graph.
    pub nodes: Vec<usize>,
    /// The sizes of all components, largest first.
    pub sizes: Vec<usize>,
}

impl Graph {
    /// Takes edges `(a, b, length)` between the nodes `0..nodes`. Self-loops are ignored; of parallel
    /// edges the shortest counts.
    ///
    /// # Errors
    /// If there are no nodes, a node is out of range, a length is not positive and finite, distances are
    /// too large for 32-bit numbers, or the graph is not connected: then the error says how many
    /// components there are and how large, and [`Graph::largest_component`] is the way out.
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
        extent::check(&graph, extent::LARGEST_DISTANCE)?;
        Ok(graph)
    }

    /// Like [`Graph::new`], but keeps only the largest connected component (the first of several).
    ///
    /// # Errors
    /// Like [`Graph::new`], except that the graph need not be connected.
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
        extent::check(&graph, extent::LARGEST_DISTANCE)?;
        Ok(Component { graph, nodes, sizes: component_sizes(&component) })
    }

    fn unchecked(nodes: usize, edges: &[(u32, u32, f32)]) -> Result<Self, Error> {
        if nodes == 0 {
            return Err(Error::new(ErrorKind::Empty, "the graph has no nodes"));
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
                    "edge {a} – {b} has length {length}; lengths must be positive and finite"
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
        Ok(Self { offsets, neighbors, diameter: OnceLock::new(), chains: OnceLock::new() })
    }

    /// The number of edges; parallel ones count each.
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

/// How many nodes each component has.
fn count(component: &[usize]) -> Vec<usize> {
    let mut sizes = vec![0; component.iter().max().map_or(0, |last| last + 1)];
    for &c in component {
        sizes[c] += 1;
    }
    sizes
}

/// The sizes of the components, largest first.
fn component_sizes(component: &[usize]) -> Vec<usize> {
    let mut sizes = count(component);
    sizes.sort_unstable_by_key(|&size| Reverse(size));
    sizes
}

impl Space for Graph {
    fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    fn asker(&self) -> Box<dyn Asker + '_> {
        Box::new(Dijkstra {
            graph: self,
            distance: vec![f64::INFINITY; self.len()],
            reached: Vec::new(),
            open: BinaryHeap::new(),
            asked: Marks::none(self.len()),
            inside: Marks::none(self.len()),
        })
    }

    fn diameter_bound(&self) -> f32 {
        *self.diameter.get_or_init(|| extent::diameter_bound(self))
    }

    /// The shortest edge: no path is shorter than one of its edges.
    fn smallest_distance(&self) -> Option<f32> {
        self.neighbors.iter().map(|neighbor| neighbor.length).reduce(f32::min)
    }

    fn relative_error(&self) -> f32 {
        f32::EPSILON
    }

    fn explores(&self) -> bool {
        true
    }

    fn territories(&self, centers: &[usize]) -> Option<Box<dyn Territories + '_>> {
        Some(Box::new(Labels::new(self, centers)))
    }

    fn passage(&self, item: usize) -> Option<Passage> {
        self.chains.get_or_init(|| Chains::new(self)).passage(item)
    }
}

/// Dijkstra's algorithm with caps. Lengths of paths are added in double precision.
struct Dijkstra<'a> {
    graph: &'a Graph,
    /// The shortest path found so far to each node; infinite between questions.
    distance: Vec<f64>,
    /// The nodes whose distance must be made infinite again.
    reached: Vec<u32>,
    open: BinaryHeap<Reverse<Open>>,
    /// The items asked about, and those that ways may lead through; none between questions.
    asked: Marks,
    inside: Marks,
}

/// Marks at some nodes.
#[derive(Default)]
struct Marks(Vec<bool>);

impl Marks {
    fn none(nodes: usize) -> Self {
        Self(vec![false; nodes])
    }

    /// Takes marks out of their place, and sets those of some nodes.
    fn set(place: &mut Self, nodes: &[u32]) -> Self {
        let mut marks = std::mem::take(place);
        nodes.iter().for_each(|&node| marks.0[node as usize] = true);
        marks
    }

    /// Removes the marks of some nodes.
    fn clear(mut self, nodes: &[u32]) -> Self {
        nodes.iter().for_each(|&node| self.0[node as usize] = false);
        self
    }

    #[inline]
    fn has(&self, node: u32) -> bool {
        self.0[node as usize]
    }
}

/// A node to visit. Lengths are never negative, so their bits have the same order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Open {
    length_bits: u64,
    node: u32,
    /// Which of several sources it was reached from.
    part: u32,
}

impl Open {
    fn length(&self) -> f64 {
        f64::from_bits(self.length_bits)
    }
}

impl Dijkstra<'_> {
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
        self.explore_on(cap, largest, visit);
    }

    /// Visits the nodes that are not beyond their cap, from all that have been reached.
    fn explore_on(
        &mut self,
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
            for neighbor in self.graph.neighbors(node as usize) {
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

/// A cap with a little to spare.
fn slackened(cap: f32) -> f64 {
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

    /// One search from all centers at once. A node belongs where the last one on its way does; only ways
    /// among the items count, so none is cut off from its center.
    fn share(&mut self, items: &[u32], centers: &[u32]) -> Vec<Hit> {
        let mut shares = vec![Hit { item: 0, distance: f32::INFINITY }; items.len()];
        for (part, &center) in centers.iter().enumerate() {
            self.reach(center, 0.0, part as u32);
        }
        let inside = Marks::set(&mut self.inside, items);
        let within = |node: u32| if inside.has(node) { f32::INFINITY } else { NOWHERE };
        self.explore_on(within, f32::INFINITY, |open| {
            let at = position(items, open.node, 0);
            shares[at] = Hit { item: open.part, distance: open.length() as f32 };
            ControlFlow::Continue(())
        });
        self.inside = inside.clear(items);
        shares
    }

    /// One search from all sources: one that reaches less far starts with as much less left to go.
    fn ask_around(&mut self, sources: &[Hit], hits: &mut Vec<Hit>) {
        hits.clear();
        let farthest = sources.iter().map(|source| source.distance).fold(0.0, f32::max);
        for source in sources {
            let less = f64::from(farthest) - f64::from(source.distance);
            self.reach(source.item, if less.is_nan() { 0.0 } else { less }, 0);
        }
        self.explore_on(
            |_| farthest,
            farthest,
            |open| {
                hits.push(Hit { item: open.node, distance: open.length() as f32 });
                ControlFlow::Continue(())
            },
        );
    }
}
