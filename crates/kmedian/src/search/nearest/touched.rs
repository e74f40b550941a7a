use super::Nearest;
use crate::Hit;

/// The items that a swap touches, and the clusters.
pub(super) struct Touched {
    /// How far the second-nearest center of each was before, and the slot that served it.
    pub(super) items: Vec<(Hit, u32)>,
    pub(super) slots: Vec<u32>,
    marked: Vec<bool>,
}

impl Touched {
    pub(super) fn new(slots: usize) -> Self {
        Self { items: Vec::new(), slots: Vec::new(), marked: vec![false; slots] }
    }

    pub(super) fn add(&mut self, item: u32, before: &Nearest<'_>) {
        let (distance, slot) = (before.caps[item as usize], before.first(item));
        self.items.push((Hit { item, distance }, slot));
        self.mark(slot);
    }

    pub(super) fn mark(&mut self, slot: u32) {
        if !std::mem::replace(&mut self.marked[slot as usize], true) {
            self.slots.push(slot);
        }
    }
}
