//! What only this crate's own spaces can do, without a method of [`Space`] for each.

use rayon::prelude::*;

use super::{Chain, Contracted, Graph, LentVectors, SiteMatrix, Space, Territories};

/// Which of this crate's own spaces a [`Space`] is, if it is one: what
/// [`Space::own`] returns. The crate alone can look into it; the default, which
/// every other space returns, is none of them.
#[derive(Clone, Copy, Default)]
pub struct Own<'a>(Kind<'a>);

#[derive(Clone, Copy, Default)]
enum Kind<'a> {
    Vectors(&'a LentVectors<'a>),
    Graph(&'a Graph),
    Contracted(&'a Contracted<'a>),
    /// The entries of a square matrix, row by row.
    Matrix(&'a [f32]),
    SiteMatrix(&'a SiteMatrix),
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

    pub(super) fn matrix(entries: &'a [f32]) -> Self {
        Self(Kind::Matrix(entries))
    }

    pub(super) fn contracted(net: &'a Contracted<'a>) -> Self {
        Self(Kind::Contracted(net))
    }

    pub(super) fn site_matrix(matrix: &'a SiteMatrix) -> Self {
        Self(Kind::SiteMatrix(matrix))
    }

    /// Whether every distance is surely a whole number: those of a matrix are looked at, and of a
    /// graph the lengths of its arcs. Lower bounds of costs are then rounded up, if the weights are
    /// whole numbers too.
    pub(crate) fn is_whole(self) -> bool {
        let is_whole = |entry: &f32| entry.fract() == 0.0;
        match self.0 {
            Kind::Matrix(entries) => entries.par_iter().all(is_whole),
            Kind::SiteMatrix(matrix) => matrix.entries().par_iter().all(is_whole),
            Kind::Graph(graph) => graph.has_whole_lengths(),
            Kind::Contracted(net) => net.graph().has_whole_lengths(),
            Kind::Vectors(_) | Kind::Other => false,
        }
    }

    /// The space as a matrix of clients and sites, if it is one.
    pub(crate) fn as_site_matrix(self) -> Option<&'a SiteMatrix> {
        if let Kind::SiteMatrix(matrix) = self.0 { Some(matrix) } else { None }
    }

    /// The space as vectors, if it is one of vectors.
    pub(crate) fn as_vectors(self) -> Option<&'a LentVectors<'a>> {
        if let Kind::Vectors(vectors) = self.0 { Some(vectors) } else { None }
    }

    /// The chain of a graph that an item is on, if it is on one.
    pub(crate) fn chain(self, item: usize) -> Option<Chain> {
        self.as_graph()?.chain(item)
    }

    /// The least caps that are not below the given ones and 1-Lipschitz, if the space is a graph.
    pub(crate) fn lipschitz_above(self, caps: &[f32]) -> Option<Vec<f32>> {
        Some(self.as_graph()?.lipschitz_above(caps))
    }

    /// The space as a graph, if it is one.
    pub(crate) fn as_graph(self) -> Option<&'a Graph> {
        match self.0 {
            Kind::Graph(graph) => Some(graph),
            Kind::Contracted(net) => Some(net.graph()),
            _ => None,
        }
    }

    /// The space as a graph without the insides of its chains, if it is one.
    pub(crate) fn as_contracted(self) -> Option<&'a Contracted<'a>> {
        if let Kind::Contracted(net) = self.0 { Some(net) } else { None }
    }

    /// A space over the same items whose distances are the same both ways, for trees; `None` if
    /// there is none.
    pub(crate) fn symmetric(self) -> Option<&'a dyn Space> {
        self.as_graph().map(|graph| graph.undirected() as &dyn Space)
    }

    /// The two nearest centers of every node, if the space is a graph: there they are kept up to
    /// date faster than by questions.
    pub(crate) fn territories(self, centers: &[usize]) -> Option<Territories<'a>> {
        Some(self.as_graph()?.territories(centers))
    }
}
