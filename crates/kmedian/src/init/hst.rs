//! Initial centers from a tree: the paper's initialization.

use super::Source;
use crate::tree::{ExactSearch, Tree, TreeKind};
use crate::{Error, Problem, Run, Seed, Space};

/// An initialization from a tree (hierarchically separated tree): how the tree is built, and how
/// centers are found on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Hst {
    /// Which tree is built over the items; by default a fitted one.
    pub tree: TreeKind,
    /// How centers are found on the tree; by default the best ones in the tree metric.
    pub search: TreeSearch,
}

/// How centers are found on a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum TreeSearch {
    /// The best centers in the tree metric; on a fitted tree heights are mean distances then, not
    /// upper bounds.
    #[default]
    Exact,
    /// Algorithms 4 and 5 of the paper, a 10-approximation in the tree metric.
    Paper,
}

impl Hst {
    /// Whether the tree is built from coordinates, which a table of distances does not have.
    pub(super) fn of_coordinates(&self) -> bool {
        matches!(self.tree, TreeKind::Grid { .. })
    }

    /// Builds the tree, and prepares the search on it for every k.
    pub(super) fn prepare<'a>(
        &self,
        problem: &Problem<'a>,
        seed: Seed,
        run: &mut Run<'_>,
    ) -> Result<Source<'a>, Error> {
        let Problem { space, demand, objective, sites } = problem;
        let (space, objective) = (*space, *objective);
        let projection = match self.tree {
            TreeKind::Fitted { .. } => {
                space.own().as_vectors().and_then(|vectors| vectors.projection(run.halt()))
            }
            _ => None,
        };
        let space = projection.as_ref().map_or(space, |projection| projection as &dyn Space);
        let tree = Tree::build(space, demand, self.tree, seed.named("tree"), run)?;
        Ok(match self.search {
            TreeSearch::Paper => Source::Paper(tree),
            TreeSearch::Exact => {
                let heights = match self.tree {
                    TreeKind::Fitted { .. } => tree.mean_heights(space, demand, objective, run)?,
                    _ => tree.heights(),
                };
                Source::Exact(ExactSearch::among(sites, &tree, &heights, demand, objective))
            }
        })
    }
}
