//! The current centers, and the two nearest of them for every item.

use crate::space::{Among, Caps, NOBODY, NONE, Pair};
use crate::{Problem, Question};

/// For every tracked item, its two nearest centers by their slot, and the distances.
pub(crate) struct Pairs {
    /// The center in each slot, by its item.
    centers: Vec<usize>,
    is_center: Vec<bool>,
    tracked: Vec<u32>,
    pairs: Vec<Pair>,
    /// By item, the distance to its second-nearest center, as the cap for judging a swap: an item
    /// that is not closer to a newcomer than this does not change.
    caps: Vec<f32>,
    /// By how much rounding may change a distance, relative to it.
    relative_error: f32,
}

impl Pairs {
    /// Centers that are not known to any item yet.
    pub(crate) fn new(problem: &Problem<'_>, centers: &[usize]) -> Self {
        let n = problem.len();
        let mut is_center = vec![false; n];
        centers.iter().for_each(|&center| is_center[center] = true);
        Self {
            centers: centers.to_vec(),
            is_center,
            tracked: problem.tracked(),
            pairs: vec![NOBODY; n],
            caps: vec![f32::INFINITY; n],
            relative_error: problem.space.relative_error(),
        }
    }

    /// The center in each slot.
    pub(crate) fn centers(&self) -> &[usize] {
        &self.centers
    }

    /// Whether an item is one of the current centers.
    pub(crate) fn is_center(&self, item: usize) -> bool {
        self.is_center[item]
    }

    /// The items whose nearest centers are known.
    pub(crate) fn tracked(&self) -> &[u32] {
        &self.tracked
    }

    /// The two nearest centers of a tracked item.
    #[inline]
    pub(crate) fn of(&self, item: usize) -> Pair {
        self.pairs[item]
    }

    /// The two nearest centers of every item, by its number; those of items that are not tracked
    /// are [`NOBODY`].
    pub(crate) fn all(&self) -> &[Pair] {
        &self.pairs
    }

    /// The slot of the center that serves a tracked item.
    pub(crate) fn first(&self, item: u32) -> u32 {
        self.pairs[item as usize].slots[0]
    }

    /// By item, the distance to its second-nearest center: an item that is not closer to a newcomer
    /// than this does not change.
    #[inline]
    pub(crate) fn caps(&self) -> &[f32] {
        &self.caps
    }

    /// By how much rounding may change a distance, relative to it.
    pub(crate) fn relative_error(&self) -> f32 {
        self.relative_error
    }

    /// The reach of an item: a newcomer at least that far from its center does not matter to it.
    pub(crate) fn reach(&self, item: u32) -> f32 {
        self.pairs[item as usize].reach(self.relative_error)
    }

    /// All tracked items, as those that a question is about.
    pub(crate) fn among(&self) -> Among<'_> {
        if self.tracked.len() == self.pairs.len() {
            Among::All
        } else {
            Among::Listed(&self.tracked)
        }
    }

    /// The question which items a newcomer would be the nearest or second-nearest center of, with
    /// all caps raised by `spare`. `largest` is the largest cap before that.
    pub(crate) fn question_beyond(&self, spare: f32, largest: f32) -> Question<'_> {
        let (among, caps) = (self.among(), Caps::Raised(&self.caps, spare));
        Question { among, caps, largest: largest + spare }
    }

    /// Takes down the two nearest centers of an item.
    pub(crate) fn set(&mut self, item: usize, pair: Pair) {
        self.pairs[item] = pair;
        self.caps[item] = pair.distances[1];
    }

    /// Puts another center into a slot; the pairs of the items are left as they are.
    pub(crate) fn sit(&mut self, slot: usize, newcomer: usize) {
        self.is_center[self.centers[slot]] = false;
        self.is_center[newcomer] = true;
        self.centers[slot] = newcomer;
    }

    /// Removes a center that has left from the pair of an item.
    pub(crate) fn forget(&mut self, item: usize, slot: u32) {
        let Pair { slots, distances } = self.pairs[item];
        let left = usize::from(slots[0] == slot);
        let slots = [slots[left], NONE];
        self.set(item, Pair { slots, distances: [distances[left], f32::INFINITY] });
    }

    /// Makes the center in a slot the nearest or second-nearest of an item, if it is close enough.
    pub(crate) fn offer(&mut self, item: usize, slot: u32, distance: f32) {
        self.set(item, self.pairs[item].offered(slot, distance));
    }
}
