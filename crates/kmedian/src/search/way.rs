//! The way that a search takes, with what it keeps for that.

use super::evidence::Evidence;
use crate::space::{Groups, LowerBounds, Territories};
use crate::{Objective, Pruning};

/// How a search finds the items that a newcomer matters to, and dismisses candidates: what
/// [`tactics`](crate::tactics) decided on, with what it needs.
pub(crate) enum Way<'a> {
    /// Every tracked item is compared with a newcomer.
    Plain,
    /// The tracked items are grouped by their nearest center, and the triangle inequality skips
    /// parts of the groups.
    Triangles(Groups),
    /// Lower bounds of distances dismiss most items at a fraction of the price.
    Bounds(Box<Bounded<'a>>),
    /// In a space that explores, candidates are dismissed by what was found out about their
    /// neighbors.
    Evidence(Box<Evidence>),
    /// On a graph, which is explored, the two nearest centers of every node are kept as well,
    /// and brought up to date faster than by questions.
    Graph(Box<Evidence>, Territories<'a>),
}

impl<'a> Way<'a> {
    /// What keeps candidates from being compared with every item.
    pub(super) fn pruning(&self) -> Pruning {
        match self {
            Way::Plain => Pruning::Nothing,
            Way::Triangles(_) => Pruning::Triangles,
            Way::Bounds(bounded) => bounded.lower_bounds.pruning(),
            Way::Evidence(_) | Way::Graph(..) => Pruning::Evidence,
        }
    }

    /// The tracked items by their nearest center, where triangles allow to skip some of them.
    pub(super) fn groups(&self) -> Option<&Groups> {
        if let Way::Triangles(groups) = self { Some(groups) } else { None }
    }

    /// Lower bounds of distances, where they are used.
    pub(super) fn bounded(&self) -> Option<&Bounded<'a>> {
        if let Way::Bounds(bounded) = self { Some(bounded) } else { None }
    }

    /// Lower bounds of distances, where they are used.
    pub(super) fn into_bounds(self) -> Option<LowerBounds<'a>> {
        if let Way::Bounds(bounded) = self { Some(bounded.lower_bounds) } else { None }
    }

    /// What is known of candidates from their neighbors, where that is used.
    pub(super) fn evidence(&mut self) -> Option<&mut Evidence> {
        match self {
            Way::Evidence(evidence) | Way::Graph(evidence, _) => Some(evidence),
            _ => None,
        }
    }
}

/// Lower bounds of distances, which are compared with the caps of the current centers, and what they
/// cost.
pub(crate) struct Bounded<'a> {
    pub(super) lower_bounds: LowerBounds<'a>,
    /// What the distance that each level stands for costs.
    pub(super) costs: Vec<f64>,
}

impl<'a> Bounded<'a> {
    /// Lower bounds of distances, what these cost, and the caps of all items.
    pub(super) fn new(
        mut lower_bounds: LowerBounds<'a>,
        objective: Objective,
        caps: &[f32],
    ) -> Self {
        lower_bounds.set_caps(caps);
        let costs = lower_bounds.distances().iter().map(|&distance| objective.of(distance));
        Self { costs: costs.collect(), lower_bounds }
    }
}
