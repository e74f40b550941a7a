//! What a swap touches: the items whose two nearest centers may change, and their clusters.

use crate::Hit;
use crate::search::pairs::Pairs;

/// The items whose two nearest centers a swap may change, and the slots of the clusters that they
/// leave or join.
pub(super) struct Touched {
    /// The items, each with the distance to its second-nearest center before the swap and the slot
    /// of the center that served it.
    pub(super) items: Vec<(Hit, u32)>,
    pub(super) slots: Vec<u32>,
    marked: Vec<bool>,
}

impl Touched {
    pub(super) fn new(slots: usize) -> Self {
        Self { items: Vec::new(), slots: Vec::new(), marked: vec![false; slots] }
    }

    pub(super) fn add(&mut self, item: u32, before: &Pairs) {
        let (distance, slot) = (before.caps()[item as usize], before.first(item));
        self.items.push((Hit { item, distance }, slot));
        self.mark(slot);
    }

    pub(super) fn mark(&mut self, slot: u32) {
        if !std::mem::replace(&mut self.marked[slot as usize], true) {
            self.slots.push(slot);
        }
    }
}
