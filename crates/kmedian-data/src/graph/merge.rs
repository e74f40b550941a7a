//! Merges the edges of a file into a simple graph.

use super::Edge;

/// Which length a pair of nodes keeps if it is listed more than once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeated {
    Smallest,
    Last,
}

/// Whether edges are open both ways, or only from their first node to their second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Streets {
    TwoWay,
    OneWay,
}

/// Edges in the order of the file, with loops and repetitions.
#[derive(Debug)]
pub(crate) struct RawEdges {
    edges: Vec<Edge>,
    loops: usize,
    streets: Streets,
}

/// A simple graph, and how many lines were dropped on the way to it.
pub(crate) struct Merged {
    pub(crate) edges: Vec<Edge>,
    /// The number of edges from a node to itself.
    pub(crate) loops: usize,
    /// The number of lines that repeat a pair of nodes.
    pub(crate) repeated: usize,
    /// The number of lines that repeat a pair of nodes with another length.
    pub(crate) conflicting: usize,
}

impl RawEdges {
    /// No edges yet, and room for this number of them.
    pub(crate) fn with_room(edges: usize, streets: Streets) -> Self {
        Self { edges: Vec::with_capacity(edges), loops: 0, streets }
    }

    /// Adds an edge between two nodes, in either order if streets are open both ways.
    pub(crate) fn push(&mut self, u: u32, v: u32, length: f32) {
        if u == v {
            self.loops += 1;
        } else if self.streets == Streets::OneWay {
            self.edges.push(Edge { a: u, b: v, length });
        } else {
            self.edges.push(Edge { a: u.min(v), b: u.max(v), length });
        }
    }

    pub(crate) fn merge(mut self, keep: Repeated) -> Merged {
        // Stable: lines of one pair stay in the order of the file.
        self.edges.sort_by_key(|edge| (edge.a, edge.b));
        let before = self.edges.len();
        let mut conflicting = 0;
        self.edges.dedup_by(|next, kept| {
            let same = (next.a, next.b) == (kept.a, kept.b);
            if same && next.length != kept.length {
                conflicting += 1;
                kept.length = match keep {
                    Repeated::Smallest => kept.length.min(next.length),
                    Repeated::Last => next.length,
                };
            }
            same
        });
        Merged {
            repeated: before - self.edges.len(),
            edges: self.edges,
            loops: self.loops,
            conflicting,
        }
    }
}

impl Merged {
    /// Notes for the user about what was dropped. A pair that is repeated with the same length is
    /// noted only if that is `unusual` for the format.
    pub(crate) fn notes(&self, keep: Repeated, unusual: bool) -> Vec<String> {
        let which = match keep {
            Repeated::Smallest => "smallest",
            Repeated::Last => "last",
        };
        let mut notes = Vec::new();
        if self.loops > 0 {
            notes.push(format!("{} from a node to itself dropped", count(self.loops, "edge")));
        }
        if self.conflicting > 0 {
            notes.push(format!(
                "{} a pair with another length: the {which} is kept",
                repeats(self.conflicting)
            ));
        } else if unusual && self.repeated > 0 {
            notes.push(format!("{} a pair with the same length", repeats(self.repeated)));
        }
        notes
    }
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

fn repeats(n: usize) -> String {
    format!("{} {}", count(n, "line"), if n == 1 { "repeats" } else { "repeat" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(keep: Repeated) -> Merged {
        let mut raw = RawEdges::with_room(0, Streets::TwoWay);
        for (u, v, length) in [(2, 1, 5.0), (0, 0, 1.0), (1, 2, 3.0), (0, 1, 1.0), (2, 1, 4.0)] {
            raw.push(u, v, length);
        }
        raw.merge(keep)
    }

    #[test]
    fn pairs_keep_the_smallest_or_the_last_length() {
        for (keep, length) in [(Repeated::Smallest, 3.0), (Repeated::Last, 4.0)] {
            let merged = merged(keep);
            assert_eq!(merged.edges.len(), 2);
            assert_eq!(merged.edges[1], Edge { a: 1, b: 2, length });
            assert_eq!((merged.loops, merged.repeated, merged.conflicting), (1, 2, 2));
        }
    }

    #[test]
    fn notes_count_what_happened() {
        assert_eq!(
            merged(Repeated::Smallest).notes(Repeated::Smallest, true),
            [
                "1 edge from a node to itself dropped",
                "2 lines repeat a pair with another length: the smallest is kept"
            ]
        );
    }
}
