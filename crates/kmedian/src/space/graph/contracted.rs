//! A graph without the insides of its chains: searches go from junction to junction, and over the
//! nodes between two junctions in one sweep, without a queue.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::super::{Abilities, Among, Asker, Hit, Own, Question, Space};
use super::dijkstra::{Dijkstra, Marks, Open, slackened};
use super::{Graph, Neighbor};

/// The most nodes inside of one piece. A longer chain is cut, so that what is computed for pairs of
/// nodes of a piece stays cheap.
const LONGEST: usize = 64;

/// The number that stands for no piece, or no node.
const NONE: u32 = u32::MAX;

/// An undirected graph whose chains are cut into pieces between junctions. Its distances are those
/// of the graph, but for the order in which lengths along a path are added; questions about many
/// nodes are answered several times as fast, in another order.
pub(crate) struct Contracted<'a> {
    graph: &'a Graph,
    pieces: Vec<Piece>,
    /// The nodes inside of all pieces, piece by piece.
    inside: Vec<Inside>,
    /// By node, the piece that it is inside of; [`NONE`] for a junction.
    piece_of: Vec<u32>,
    /// By node, the place in `leaving` from which on its pieces are.
    offsets: Vec<u32>,
    /// The pieces at every junction.
    leaving: Vec<Leaving>,
}

/// A path between two junctions without a branch, or a dead end.
pub(crate) struct Piece {
    /// The junctions at its ends; `None` at the end of a dead end.
    pub(crate) ends: (u32, Option<u32>),
    pub(crate) length: f64,
    /// Where its inside begins and ends among all nodes that are inside of pieces.
    range: (u32, u32),
}

/// A node inside of a piece, and how far it is from the first end.
#[derive(Clone, Copy)]
pub(crate) struct Inside {
    pub(crate) node: u32,
    pub(crate) along: f64,
}

/// A piece, seen from one of its ends.
#[derive(Clone, Copy)]
struct Leaving {
    piece: u32,
    /// The junction at the other end; [`NONE`] if there is none.
    to: u32,
    backward: bool,
}

impl<'a> Contracted<'a> {
    /// Contracts an undirected graph; `None` if it is directed, where ways along a chain are not
    /// the same both ways.
    pub(crate) fn new(graph: &'a Graph) -> Option<Self> {
        if graph.is_directed() {
            return None;
        }
        let n = graph.len();
        let mut is_junction: Vec<bool> =
            (0..n).map(|node| graph.neighbors(node).len() > 2).collect();
        if !is_junction.contains(&true) {
            is_junction[0] = true;
        }
        let mut net = Self {
            graph,
            pieces: Vec::new(),
            inside: Vec::new(),
            piece_of: vec![NONE; n],
            offsets: Vec::new(),
            leaving: Vec::new(),
        };
        let mut junctions: Vec<u32> =
            (0..n as u32).rev().filter(|&at| is_junction[at as usize]).collect();
        while let Some(junction) = junctions.pop() {
            for &first in graph.neighbors(junction as usize) {
                let seen_from_there = is_junction[first.node as usize] && first.node < junction;
                if !seen_from_there && net.piece_of[first.node as usize] == NONE {
                    junctions.extend(net.walk(junction, first, &mut is_junction));
                }
            }
        }
        net.find_leaving();
        Some(net)
    }

    /// Follows a piece from its first edge on. Returns the node where it was cut, if it was.
    fn walk(&mut self, start: u32, first: Neighbor, is_junction: &mut [bool]) -> Option<u32> {
        let (piece, begin) = (self.pieces.len() as u32, self.inside.len());
        let (mut at, mut along, mut came_from) = (first.node, f64::from(first.length), start);
        let (mut end, mut cut) = (Some(start), None);
        loop {
            if is_junction[at as usize] {
                end = Some(at);
                break;
            }
            if self.inside.len() - begin == LONGEST {
                is_junction[at as usize] = true;
                (end, cut) = (Some(at), Some(at));
                break;
            }
            self.piece_of[at as usize] = piece;
            self.inside.push(Inside { node: at, along });
            let neighbors = self.graph.neighbors(at as usize);
            let Some(back) = neighbors.iter().position(|edge| edge.node == came_from) else {
                break;
            };
            let onward = neighbors.iter().enumerate().find(|(index, _)| *index != back);
            let Some((_, next)) = onward else {
                end = None;
                break;
            };
            (came_from, at, along) = (at, next.node, along + f64::from(next.length));
        }
        let range = (begin as u32, self.inside.len() as u32);
        self.pieces.push(Piece { ends: (start, end), length: along, range });
        cut
    }

    /// Sorts the pieces by the junctions at their ends.
    fn find_leaving(&mut self) {
        let mut all: Vec<(u32, Leaving)> = Vec::with_capacity(2 * self.pieces.len());
        for (piece, Piece { ends: (first, last), .. }) in (0..).zip(&self.pieces) {
            all.push((*first, Leaving { piece, to: last.unwrap_or(NONE), backward: false }));
            all.extend(last.map(|last| (last, Leaving { piece, to: *first, backward: true })));
        }
        all.sort_by_key(|&(junction, leaving)| (junction, leaving.piece, leaving.backward));
        self.offsets = vec![0; self.graph.len() + 1];
        all.iter().for_each(|&(junction, _)| self.offsets[junction as usize + 1] += 1);
        for node in 0..self.graph.len() {
            self.offsets[node + 1] += self.offsets[node];
        }
        self.leaving = all.into_iter().map(|(_, leaving)| leaving).collect();
    }

    /// Whether searches are faster than over the whole graph: if most nodes are inside of pieces.
    pub(crate) fn is_worth_it(&self) -> bool {
        2 * self.inside.len() >= self.graph.len()
    }

    pub(crate) fn graph(&self) -> &'a Graph {
        self.graph
    }

    /// All pieces, between which every node is a junction or inside of one of them.
    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The nodes inside of a piece, from its first end on.
    pub(crate) fn inside(&self, piece: &Piece) -> &[Inside] {
        &self.inside[piece.range.0 as usize..piece.range.1 as usize]
    }

    /// Whether a node is at the ends of pieces, not inside of one.
    pub(crate) fn is_junction(&self, node: u32) -> bool {
        self.piece_of[node as usize] == NONE
    }

    /// The dead ends at a junction, with their numbers among all pieces.
    pub(crate) fn dead_ends(&self, junction: u32) -> impl Iterator<Item = (u32, &Piece)> {
        let dead = self.leaving(junction).iter().filter(|leaving| leaving.to == NONE);
        dead.map(|leaving| (leaving.piece, &self.pieces[leaving.piece as usize]))
    }

    fn leaving(&self, junction: u32) -> &[Leaving] {
        let at = junction as usize;
        &self.leaving[self.offsets[at] as usize..self.offsets[at + 1] as usize]
    }
}

/// A search from one node, from junction to junction.
struct Sweep<'a> {
    net: &'a Contracted<'a>,
    /// The shortest path found so far to each node; infinite between questions.
    distance: Vec<f64>,
    /// The nodes whose distance must be made infinite again.
    reached: Vec<u32>,
    /// The junctions to visit.
    open: BinaryHeap<Reverse<Open>>,
    /// The items that are asked about, where these are not all; none between questions.
    asked: Marks,
}

impl Sweep<'_> {
    /// Takes a path to a node inside of a piece. Returns whether it is the shortest so far, and
    /// within the cap.
    #[inline]
    fn pass(&mut self, node: u32, length: f64, cap: f32) -> bool {
        let known = &mut self.distance[node as usize];
        if length >= *known || length > slackened(cap) {
            return false;
        }
        if known.is_infinite() {
            self.reached.push(node);
        }
        *known = length;
        true
    }

    /// Takes a path to a junction, from which the search is to go on if that is worth it.
    fn reach(&mut self, junction: u32, length: f64, cap: f32) {
        if self.pass(junction, length, cap) {
            let length_bits = length.to_bits();
            self.open.push(Reverse(Open { length_bits, node: junction, part: 0 }));
        }
    }

    /// Finds all nodes that are not beyond their cap. Where a sweep over a piece meets a node that
    /// is nearer by another way, all that lies behind it is, too.
    fn explore(&mut self, source: u32, cap: impl Fn(u32) -> f32) {
        let net = self.net;
        let piece = net.piece_of[source as usize];
        if piece == NONE {
            self.reach(source, 0.0, f32::INFINITY);
        } else {
            let piece = &net.pieces[piece as usize];
            let inside = net.inside(piece);
            let at = inside.iter().position(|inside| inside.node == source).unwrap_or(0);
            let from = inside[at].along;
            self.pass(source, 0.0, f32::INFINITY);
            let mut onward = inside[at + 1..].iter();
            if onward.all(|next| self.pass(next.node, next.along - from, cap(next.node)))
                && let Some(end) = piece.ends.1
            {
                self.reach(end, piece.length - from, cap(end));
            }
            let mut back = inside[..at].iter().rev();
            if back.all(|next| self.pass(next.node, from - next.along, cap(next.node))) {
                self.reach(piece.ends.0, from, cap(piece.ends.0));
            }
        }
        while let Some(Reverse(open)) = self.open.pop() {
            let length = open.length();
            if length > self.distance[open.node as usize] {
                continue;
            }
            for &Leaving { piece, to, backward } in net.leaving(open.node) {
                let piece = &net.pieces[piece as usize];
                let mut inside = net.inside(piece).iter();
                let through = if backward {
                    let whole = length + piece.length;
                    inside
                        .rev()
                        .all(|next| self.pass(next.node, whole - next.along, cap(next.node)))
                } else {
                    inside.all(|next| self.pass(next.node, length + next.along, cap(next.node)))
                };
                if through && to != NONE {
                    self.reach(to, length + piece.length, cap(to));
                }
            }
        }
    }
}

impl Asker for Sweep<'_> {
    fn ask(&mut self, source: usize, question: &Question<'_>, hits: &mut Vec<Hit>) {
        hits.clear();
        let gathered: Vec<u32>;
        let items = match question.among {
            Among::Listed(items) if items.len() < self.distance.len() => Some(items),
            Among::Grouped(groups) => {
                gathered = groups.items().collect();
                Some(&gathered[..])
            }
            Among::All | Among::Listed(_) => None,
        };
        self.explore(source as u32, |node| question.caps.of(node as usize));
        let asked = items.map(|items| Marks::set(&mut self.asked, items));
        for node in self.reached.drain(..) {
            let length = std::mem::replace(&mut self.distance[node as usize], f64::INFINITY);
            if asked.as_ref().is_none_or(|asked| asked.has(node)) {
                hits.extend(question.caps.hit(node, length as f32));
            }
        }
        if let Some((asked, items)) = asked.zip(items) {
            self.asked = asked.clear(items);
        }
    }

    fn distance(&mut self, a: usize, b: usize) -> f32 {
        Dijkstra::new(self.net.graph).distance(a, b)
    }
}

impl Space for Contracted<'_> {
    fn len(&self) -> usize {
        self.graph.len()
    }

    fn asker(&self) -> Box<dyn Asker + '_> {
        Box::new(Sweep {
            net: self,
            distance: vec![f64::INFINITY; self.graph.len()],
            reached: Vec::new(),
            open: BinaryHeap::new(),
            asked: Marks::none(self.graph.len()),
        })
    }

    fn diameter_bound(&self) -> f32 {
        self.graph.diameter_bound()
    }

    fn smallest_distance(&self) -> Option<f32> {
        self.graph.smallest_distance()
    }

    fn relative_error(&self) -> f32 {
        self.graph.relative_error()
    }

    fn abilities(&self) -> Abilities {
        self.graph.abilities()
    }

    fn own(&self) -> Own<'_> {
        Own::contracted(self)
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::Seed;
    use crate::space::Caps;

    /// Graphs with whole lengths: a path, a ring, a loop at a junction, two ways between the same
    /// junctions, chains longer than a piece, dead ends, and random ones.
    fn graphs() -> Vec<Graph> {
        let path = |n: u32| (1..n).map(|node| (node - 1, node, 1.0 + (node % 5) as f32));
        let of = |n: u32, edges: Vec<(u32, u32, f32)>| Graph::new(n as usize, &edges).unwrap();
        let mut graphs = vec![
            of(1, Vec::new()),
            of(2, path(2).collect()),
            of(200, path(200).collect()),
            of(200, path(200).chain([(199, 0, 3.0)]).collect()),
            of(150, path(150).chain([(149, 20, 3.0), (20, 100, 9.0)]).collect()),
            of(3, vec![(0, 1, 2.0), (0, 1, 5.0), (1, 2, 1.0), (2, 1, 4.0)]),
        ];
        for seed in 0..20 {
            let mut rng = Seed(seed).stream("contracted");
            let n = rng.random_range(2..400);
            let mut edges: Vec<(u32, u32, f32)> = path(n).collect();
            for _ in 0..rng.random_range(0..20) {
                let [a, b] = [0; 2].map(|_: u32| rng.random_range(0..n));
                edges.push((a, b, rng.random_range(1..60) as f32));
            }
            // A path that leaves the others somewhere in the middle becomes two dead ends.
            edges.retain(|edge| edge.0 != 0 || edge.1 != 1);
            edges.push((0, n / 2, 7.0));
            graphs.extend(Graph::new(n as usize, &edges));
        }
        graphs
    }

    #[test]
    fn answers_are_those_of_the_whole_graph() {
        for (number, graph) in graphs().iter().enumerate() {
            let net = Contracted::new(graph).unwrap();
            let mut rng = Seed(number as u64).stream("caps");
            let radii: Vec<f32> =
                (0..graph.len()).map(|_| rng.random_range(0..90) as f32).collect();
            let caps = graph.lipschitz_above(&radii);
            let largest = caps.iter().copied().fold(0.0, f32::max);
            let some: Vec<u32> = (0..graph.len() as u32).filter(|node| node % 3 != 1).collect();
            let per_item = Caps::PerItem(&caps);
            let questions = [
                Question::everything(),
                Question::ball(&some, 25.0),
                Question { among: Among::All, caps: per_item, largest },
                Question { among: Among::Listed(&some), caps: per_item, largest },
            ];
            let (mut plain, mut sweep) = (graph.asker(), net.asker());
            for (source, question) in (0..graph.len()).flat_map(|s| questions.map(|q| (s, q))) {
                let mut answers = [Vec::new(), Vec::new()];
                plain.ask(source, &question, &mut answers[0]);
                sweep.ask(source, &question, &mut answers[1]);
                answers.iter_mut().for_each(|hits| hits.sort_by_key(|hit| hit.item));
                assert_eq!(answers[0], answers[1], "graph {number}, from {source}");
            }
            assert_eq!(sweep.distance(0, graph.len() - 1), plain.distance(0, graph.len() - 1));
        }
    }

    #[test]
    fn every_node_is_a_junction_or_inside_of_a_short_piece() {
        for graph in graphs() {
            let net = Contracted::new(&graph).unwrap();
            let mut seen = vec![0; graph.len()];
            for piece in net.pieces() {
                assert!(net.inside(piece).len() <= LONGEST);
                net.inside(piece).iter().for_each(|at| seen[at.node as usize] += 1);
            }
            for node in 0..graph.len() as u32 {
                assert_eq!(seen[node as usize], u32::from(!net.is_junction(node)));
            }
        }
        let one_way = Graph::directed(2, &[(0, 1, 1.0), (1, 0, 1.0)]).unwrap();
        assert!(Contracted::new(&one_way).is_none());
    }
}
