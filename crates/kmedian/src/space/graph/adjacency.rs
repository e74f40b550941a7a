//! The arcs of a graph, node by node.

/// The arcs out of every node, or into it, shortest first.
pub(super) struct Adjacency {
    offsets: Vec<usize>,
    neighbors: Vec<Neighbor>,
}

/// The other end of an arc, and how long that is.
#[derive(Clone, Copy)]
pub(super) struct Neighbor {
    pub(super) node: u32,
    pub(super) length: f32,
}

impl Adjacency {
    /// Takes arcs `(from, to, length)` between the nodes `0..nodes`; those from a node to itself
    /// are left out.
    pub(super) fn new(nodes: usize, arcs: impl Iterator<Item = (u32, u32, f32)> + Clone) -> Self {
        let arcs = arcs.filter(|arc| arc.0 != arc.1);
        let mut offsets = vec![0usize; nodes + 1];
        arcs.clone().for_each(|(from, ..)| offsets[from as usize + 1] += 1);
        for node in 0..nodes {
            offsets[node + 1] += offsets[node];
        }
        let mut next = offsets.clone();
        let mut neighbors = vec![Neighbor { node: 0, length: 0.0 }; offsets[nodes]];
        for (from, to, length) in arcs {
            neighbors[next[from as usize]] = Neighbor { node: to, length };
            next[from as usize] += 1;
        }
        for node in 0..nodes {
            let of_node = &mut neighbors[offsets[node]..offsets[node + 1]];
            of_node.sort_by(|a, b| a.length.total_cmp(&b.length).then(a.node.cmp(&b.node)));
        }
        Self { offsets, neighbors }
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of arcs.
    pub(super) fn arcs(&self) -> usize {
        self.neighbors.len()
    }

    /// The other ends of the arcs of a node, nearest first.
    #[inline]
    pub(super) fn of(&self, node: usize) -> &[Neighbor] {
        &self.neighbors[self.offsets[node]..self.offsets[node + 1]]
    }

    /// The length of the shortest arc; `None` if there are none.
    pub(super) fn shortest(&self) -> Option<f32> {
        self.neighbors.iter().map(|neighbor| neighbor.length).reduce(f32::min)
    }

    /// Whether all lengths are whole numbers.
    pub(super) fn has_whole_lengths(&self) -> bool {
        self.neighbors.iter().all(|neighbor| neighbor.length.fract() == 0.0)
    }

    /// The sum of the lengths of all arcs, rounded up: no shortest path is longer.
    pub(super) fn total(&self) -> f32 {
        let total: f64 = self.neighbors.iter().map(|neighbor| f64::from(neighbor.length)).sum();
        (total as f32).next_up()
    }

    /// Marks the nodes that can be reached from some.
    pub(super) fn reached(&self, from: impl Iterator<Item = usize>) -> Vec<bool> {
        let mut reached = vec![false; self.len()];
        let mut open: Vec<usize> = Vec::new();
        for start in from {
            if !std::mem::replace(&mut reached[start], true) {
                open.push(start);
            }
            while let Some(node) = open.pop() {
                for neighbor in self.of(node) {
                    if !std::mem::replace(&mut reached[neighbor.node as usize], true) {
                        open.push(neighbor.node as usize);
                    }
                }
            }
        }
        reached
    }
}
