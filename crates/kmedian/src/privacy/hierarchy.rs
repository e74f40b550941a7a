use std::ops::Range;

use crate::tree::Node;
use crate::{Error, ErrorKind, Tree};

/// The shape of a public tree, which a release keeps: so any version of the software can read the
/// release without building the tree again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hierarchy {
    /// The parent of every node. Nodes are numbered level by level; the root is its own parent.
    parents: Vec<u32>,
    /// For every item, the leaf that holds it.
    leaves: Vec<u32>,
    /// The children of every node; an empty range for a leaf.
    children: Vec<Range<u32>>,
    /// How many levels every node is below the root.
    depths: Vec<u32>,
}

/// The most levels below the root that a file may claim. No tree of this software has more: radii
/// are halved from level to level, and a 32-bit float can be halved 277 times at most.
const MOST_LEVELS: u32 = 512;

impl Hierarchy {
    pub(super) fn of(tree: &Tree) -> Self {
        let root = tree.nodes()[0].level;
        let children = |node: &Node| if node.is_leaf() { 0..0 } else { node.children.clone() };
        Self {
            parents: tree.nodes().iter().map(|node| node.parent).collect(),
            leaves: tree.leaves(),
            children: tree.nodes().iter().map(children).collect(),
            depths: tree.nodes().iter().map(|node| root - node.level).collect(),
        }
    }

    /// The shape that a file describes by the parent of every node and the leaf of every item.
    ///
    /// # Errors
    /// If that is not a tree whose nodes are numbered level by level.
    pub(super) fn read(parents: Vec<u32>, leaves: Vec<u32>) -> Result<Self, Error> {
        let mut children = vec![0..0u32; parents.len()];
        let mut depths = vec![0; parents.len()];
        for node in 1..parents.len() {
            let parent = parents[node] as usize;
            if parent >= node || parents[node] < parents[node - 1] {
                return Err(not_a_tree());
            }
            let siblings: &mut Range<u32> = &mut children[parent];
            if siblings.end == 0 {
                siblings.start = node as u32;
            }
            siblings.end = node as u32 + 1;
            depths[node] = depths[parent] + 1;
            if depths[node] > MOST_LEVELS {
                return Err(not_a_tree());
            }
        }
        let is_leaf = |&leaf: &u32| children.get(leaf as usize).is_some_and(Range::is_empty);
        if parents.first() != Some(&0) || !leaves.iter().all(is_leaf) {
            return Err(not_a_tree());
        }
        Ok(Self { parents, leaves, children, depths })
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.parents.len()
    }

    pub(super) fn parents(&self) -> &[u32] {
        &self.parents
    }

    pub(super) fn leaves(&self) -> &[u32] {
        &self.leaves
    }

    pub(super) fn children(&self, node: usize) -> Range<usize> {
        self.children[node].start as usize..self.children[node].end as usize
    }

    pub(super) fn is_leaf(&self, node: usize) -> bool {
        self.children[node].is_empty()
    }

    /// How many levels a node is below the root.
    pub(super) fn depth(&self, node: usize) -> usize {
        self.depths[node] as usize
    }

    /// The number of levels below the root.
    pub(super) fn levels(&self) -> usize {
        self.depths.last().map_or(0, |&depth| depth as usize)
    }

    /// The exact count of every node, from the counts of the items. A count that would overflow
    /// stays at the largest number; one record more still changes it by at most one.
    pub(super) fn counts(&self, of_items: &[u64]) -> Vec<u64> {
        let mut counts = vec![0u64; self.len()];
        for (&leaf, &count) in self.leaves.iter().zip(of_items) {
            counts[leaf as usize] = counts[leaf as usize].saturating_add(count);
        }
        for node in (1..self.len()).rev() {
            let parent = self.parents[node] as usize;
            counts[parent] = counts[parent].saturating_add(counts[node]);
        }
        counts
    }

    /// The number of items below every node.
    pub(super) fn sizes(&self) -> Vec<u64> {
        self.counts(&vec![1; self.leaves.len()])
    }
}

fn not_a_tree() -> Error {
    let message = "the nodes of the release are not a tree; get the file again";
    Error::new(ErrorKind::Release, message)
}
