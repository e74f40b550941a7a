//! Nested partitions of the items, with heights.

mod ball;
mod fitted;
mod frt;
mod grid;
#[cfg(feature = "privacy")]
mod grouped;
mod grow;
mod merge;
mod radii;
mod search;

#[cfg(feature = "privacy")]
pub(crate) use merge::mergers;
#[cfg(feature = "privacy")]
pub(crate) use search::paper_search_by_counts;
pub use search::{ExactSearch, paper_search, paper_search_among};

use std::ops::Range;

use crate::{Demand, Error, ErrorKind, Run, Seed, Space};

/// How a tree is built.
///
/// | | what it proves | time, for n items | choose it |
/// |---|---|---|---|
/// | [`Fitted`] | nothing; the best cells in practice | n · branching a level | by default |
/// | [`Ball`] | the paper's bounds | quadratic at the lowest levels | to repeat the paper |
/// | [`Frt`] | a stretch of O(log n) | m log n on a graph of m edges, else n² | for its proof |
/// | [`Grid`] | a stretch of O(d log n), d coordinates | n · levels | for huge, narrow tables |
///
/// The *stretch* is how many times as far apart two items are in the tree as in the space, in
/// expectation. Times are in distances.
///
/// [`Fitted`]: TreeKind::Fitted
/// [`Ball`]: TreeKind::Ball
/// [`Frt`]: TreeKind::Frt
/// [`Grid`]: TreeKind::Grid
///
/// ```
/// use kmedian::{Hst, Init, KMedian, Metric, Problem, TreeKind, Vectors};
///
/// let places = Vectors::new(1, &[0.0, 1.0, 2.0, 10.0, 11.0, 12.0], Metric::L1)?;
/// let problem = Problem::of(&places).build()?;
/// let init = Init::Hst(Hst { tree: TreeKind::Frt, ..Hst::default() });
/// let found = KMedian { init, ..KMedian::default() }.fit(&problem, 2)?;
/// assert_eq!(found.cost, 4.0);
/// # Ok::<(), kmedian::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum TreeKind {
    /// The paper's Algorithm 3: balls whose radius halves from level to level, round random items.
    /// Where balls become single items, it measures all distances within a cell.
    Ball {
        /// The number of levels below the root, the paper's L.
        levels: usize,
    },
    /// Fakcharoenphol, Rao and Talwar 2004: one random order, one random radius. The expected tree
    /// distance is O(log n) times the distance. It takes about O(m log n) time on a graph of m
    /// edges, and O(n²) elsewhere.
    Frt,
    /// A randomly shifted grid whose cells are halved in width from level to level; for vectors
    /// only. Vectors of more than 12 coordinates are first projected to 12 random directions.
    Grid {
        /// The number of levels below the root, at most 31.
        levels: usize,
    },
    /// Cells fitted to the items: each is split by a small clustering of its own. It takes O(n ·
    /// branching) distances a level, and has by far the best cells. The default, with 16 parts and
    /// 3 levels.
    Fitted {
        /// Into how many parts a cell is split, at least 2.
        branching: usize,
        /// The number of levels below the root.
        levels: usize,
    },
}

impl Default for TreeKind {
    fn default() -> Self {
        TreeKind::Fitted { branching: 16, levels: 3 }
    }
}

/// The numbers that a kind of tree is told, each `None` if the kind has no such number. Other kinds
/// of the same word differ in these alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parameters {
    /// Into how many parts a cell is split.
    pub(crate) branching: Option<usize>,
    /// The number of levels below the root.
    pub(crate) levels: Option<usize>,
}

impl TreeKind {
    /// The numbers that this kind of tree has.
    pub(crate) fn parameters(self) -> Parameters {
        let (branching, levels) = match self {
            TreeKind::Ball { levels } | TreeKind::Grid { levels } => (None, Some(levels)),
            TreeKind::Frt => (None, None),
            TreeKind::Fitted { branching, levels } => (Some(branching), Some(levels)),
        };
        Parameters { branching, levels }
    }

    /// This kind of tree with the given numbers; `None` if it has not all of these, or others.
    pub(crate) fn with_parameters(self, parameters: Parameters) -> Option<Self> {
        let Parameters { branching, levels } = parameters;
        match (self, branching, levels) {
            (TreeKind::Ball { .. }, None, Some(levels)) => Some(TreeKind::Ball { levels }),
            (TreeKind::Grid { .. }, None, Some(levels)) => Some(TreeKind::Grid { levels }),
            (TreeKind::Frt, None, None) => Some(TreeKind::Frt),
            (TreeKind::Fitted { .. }, Some(branching), Some(levels)) => {
                Some(TreeKind::Fitted { branching, levels })
            }
            _ => None,
        }
    }

    /// This kind of tree with the given number of levels below the root.
    ///
    /// # Errors
    /// If the kind is [`Frt`](Self::Frt), whose levels follow from the distances.
    pub fn with_levels(self, levels: usize) -> Result<Self, Error> {
        let parameters = Parameters { levels: Some(levels), ..self.parameters() };
        self.with_parameters(parameters).ok_or_else(|| {
            let message = format!("levels: an {self} tree finds its own; leave them out");
            Error::new(ErrorKind::Parameter, message)
        })
    }
}

/// A rooted tree of cells: the root holds all items, and the children of a cell split its items.
///
/// The *tree distance* of two items is twice the height of the smallest cell that holds both, and
/// zero from an item to itself. Heights fall toward the leaves, and the tree distance is never
/// below the distance. A leaf may hold several items: all of one place, or all that are left at the
/// last level.
#[derive(Debug, Clone)]
pub struct Tree {
    nodes: Vec<Node>,
    /// The items, in an order in which the items of any cell are next to each other.
    items: Vec<u32>,
}

/// A cell of a [`Tree`]. Nodes are numbered level by level, so a parent comes before its children.
#[derive(Debug, Clone)]
pub struct Node {
    /// The cell that this one is part of, by its position in [`Tree::nodes`]; the root is its own
    /// parent.
    pub parent: u32,
    /// The cells that split this one, by their positions in [`Tree::nodes`]; an empty range for a
    /// leaf.
    pub children: Range<u32>,
    /// The positions of the cell's items in the tree's order of items.
    span: Range<u32>,
    /// The item of the cell that stands for it.
    pub center: u32,
    /// The level of the cell, counted from the leaves up, as in the paper: the deepest leaves are
    /// at level zero.
    pub level: u32,
    /// Half of the tree distance of two items whose smallest common cell this is; at least half of
    /// their distance.
    pub height: f32,
}

impl Node {
    /// Whether the cell is not split any further.
    pub fn is_leaf(&self) -> bool {
        self.children.is_empty()
    }

    /// The positions in [`Tree::nodes`] of the cells that split this one; empty for a leaf.
    pub fn children(&self) -> Range<usize> {
        self.children.start as usize..self.children.end as usize
    }
}

impl Tree {
    /// Builds a tree over all items of a space.
    ///
    /// A fitted tree puts its cells where the demand is; give it [`Demand::uniform`] for a tree
    /// that knows nothing of the demand. The other trees look at the distances alone.
    ///
    /// # Errors
    /// If the tree is a grid and the items are not vectors, if distances are not the same both ways
    /// (but a directed graph has a tree, as if every street were open both ways), if it has no
    /// levels or too many, if a fitted tree splits cells into fewer than two parts, or if the run
    /// is ended.
    pub fn build(
        space: &dyn Space,
        demand: &Demand,
        kind: TreeKind,
        seed: Seed,
        run: &mut Run<'_>,
    ) -> Result<Self, Error> {
        let space = symmetric(space)?;
        match kind {
            TreeKind::Ball { levels } => ball::build(space, check_levels(levels)?, seed, run),
            TreeKind::Frt => frt::build(space, seed, run),
            TreeKind::Grid { levels } => grid::build(space, check_levels(levels)?, seed, run),
            TreeKind::Fitted { branching: 0 | 1, .. } => {
                let message = "a fitted tree must split its cells into at least 2";
                Err(Error::new(ErrorKind::Parameter, message))
            }
            TreeKind::Fitted { branching, levels } => {
                fitted::build(space, demand, branching, check_levels(levels)?, seed, run)
            }
        }
    }

    /// A tree that knows nothing of any demand, for private counts. A fitted one has as few levels
    /// as possible, without mergers between a cell and its parts. It is fitted to the items
    /// themselves, not to a projection of them, because its cells decide how good private centers
    /// are.
    #[cfg(feature = "privacy")]
    pub(crate) fn of_items(
        space: &dyn Space,
        kind: TreeKind,
        seed: Seed,
        run: &mut Run<'_>,
    ) -> Result<Self, Error> {
        match kind {
            TreeKind::Fitted { branching: branching @ 2.., levels } => {
                grouped::build(symmetric(space)?, branching, check_levels(levels)?, seed, run)
            }
            _ => Self::build(space, &Demand::uniform(space.len()), kind, seed, run),
        }
    }

    /// The cells, level by level; the first is the root.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The items of a cell, which is given by its position in [`Tree::nodes`].
    pub fn items(&self, node: usize) -> &[u32] {
        let span = &self.nodes[node].span;
        &self.items[span.start as usize..span.end as usize]
    }

    /// The total demand (sum of the weights of the items) in every cell, in the order of
    /// [`Tree::nodes`].
    pub fn counts(&self, demand: &Demand) -> Vec<f64> {
        let mut counts = vec![0.0; self.nodes.len()];
        for (node, cell) in self.nodes.iter().enumerate().rev() {
            if cell.is_leaf() {
                counts[node] = self.items(node).iter().map(|&item| demand.of(item as usize)).sum();
            } else {
                counts[node] = cell.children().map(|child| counts[child]).sum();
            }
        }
        counts
    }

    /// For every item, the position in [`Tree::nodes`] of the leaf that holds it.
    pub fn leaves(&self) -> Vec<u32> {
        let mut leaves = vec![0; self.len()];
        for (node, _) in self.nodes.iter().enumerate().filter(|(_, cell)| cell.is_leaf()) {
            for &item in self.items(node) {
                leaves[item as usize] = node as u32;
            }
        }
        leaves
    }

    /// The tree distance of two different items, given their [leaves](Tree::leaves).
    pub fn distance_of_leaves(&self, a: u32, b: u32) -> f32 {
        2.0 * self.nodes[self.common(a, b)].height
    }

    /// The tree distance of two items: twice the height of the smallest cell with both. It takes
    /// time in proportion to all items; for many pairs take [`Tree::distance_of_leaves`].
    pub fn distance(&self, a: usize, b: usize) -> f32 {
        if a == b {
            return 0.0;
        }
        let leaves = self.leaves();
        self.distance_of_leaves(leaves[a], leaves[b])
    }

    /// The smallest cell above (or equal to) two cells.
    fn common(&self, mut a: u32, mut b: u32) -> usize {
        while a != b {
            // Parents have smaller numbers: the larger of the two cannot be above the other.
            if a > b {
                a = self.nodes[a as usize].parent;
            } else {
                b = self.nodes[b as usize].parent;
            }
        }
        a as usize
    }

    /// By cell, whether it holds one of the given items.
    pub(crate) fn cells_with(&self, items: &[usize]) -> Vec<bool> {
        let mut marked = vec![false; self.nodes.len()];
        if items.is_empty() {
            return marked;
        }
        let leaves = self.leaves();
        for &item in items {
            let mut node = leaves[item] as usize;
            while !std::mem::replace(&mut marked[node], true) {
                node = self.nodes[node].parent as usize;
            }
        }
        marked
    }

    /// The height of every cell, in the order of [`Tree::nodes`]. With these heights the tree
    /// distance of two items is never below their distance.
    pub fn heights(&self) -> Vec<f32> {
        self.nodes.iter().map(|node| node.height).collect()
    }
}

/// A space over the same items whose distances are the same both ways: nearly always the given one.
fn symmetric(space: &dyn Space) -> Result<&dyn Space, Error> {
    if space.abilities().symmetric {
        return Ok(space);
    }
    space.own().symmetric().ok_or_else(|| {
        let message = "a tree needs distances that are the same both ways, between all items; take \
                       random, plusplus or greedy initial centers";
        Error::new(ErrorKind::Parameter, message)
    })
}

/// The most levels below the root that a tree may be given. A ball's radius is the diameter divided
/// by 2 to the power of its depth, and a 32-bit float holds no power of 2 beyond 2¹²⁷.
const MOST_LEVELS: usize = 120;

fn check_levels(levels: usize) -> Result<usize, Error> {
    if levels == 0 || levels > MOST_LEVELS {
        let message =
            format!("a tree of {levels} levels cannot be built; choose 1 to {MOST_LEVELS}");
        return Err(Error::new(ErrorKind::Parameter, message));
    }
    Ok(levels)
}
