//! What only this crate's own spaces can do, without a method of [`Space`](super::Space) for each.

use super::{Chain, Graph, LentVectors, Territories};

/// One of this crate's own spaces, or none of them. Its content is private to the crate.
#[derive(Clone, Copy, Default)]
pub struct Own<'a>(Kind<'a>);

#[derive(Clone, Copy, Default)]
enum Kind<'a> {
    Vectors(&'a LentVectors<'a>),
    Graph(&'a Graph),
    #[default]
    Other,
}

impl<'a> Own<'a> {
    pub(super) fn vectors(vectors: &'a LentVectors<'a>) -> Self {
        Self(Kind::Vectors(vectors))
    }

    pub(super) fn graph(graph: &'a Graph) -> Self {
        Self(Kind::Graph(graph))
    }

    /// The space as vectors, if it is one of vectors.
    pub(crate) fn as_vectors(self) -> Option<&'a LentVectors<'a>> {
        if let Kind::Vectors(vectors) = self.0 { Some(vectors) } else { None }
    }

    /// The chain of a graph that an item is on, if it is on one.
    pub(crate) fn chain(self, item: usize) -> Option<Chain> {
        if let Kind::Graph(graph) = self.0 { graph.chain(item) } else { None }
    }

    /// The two nearest centers of every node, if the space is a graph: there they are kept up to
    /// date faster than by questions.
    pub(crate) fn territories(self, centers: &[usize]) -> Option<Territories<'a>> {
        if let Kind::Graph(graph) = self.0 { Some(graph.territories(centers)) } else { None }
    }
}
