//! The answers of a Python function, so that it is asked about each pair once.

use std::sync::atomic::{AtomicU32, Ordering};

/// For so many items all distances find room, in 128 MiB. Of more, nothing is kept.
const MOST_ITEMS: usize = 8192;

/// A distance for each pair of two items, once it is known.
pub(crate) struct DistanceCache {
    /// Pair by pair, the one with the larger item later. The bits are inverted, so that zero stands
    /// for nothing: no distance has all bits set.
    bits: Vec<AtomicU32>,
}

impl DistanceCache {
    pub(crate) fn new(items: usize) -> Self {
        let items = if items <= MOST_ITEMS { items } else { 0 };
        let pairs = items * items.saturating_sub(1) / 2;
        Self { bits: (0..pairs).map(|_| AtomicU32::new(0)).collect() }
    }

    /// The distance of two items, the lesser first, if it is known.
    pub(crate) fn get(&self, a: usize, b: usize) -> Option<f32> {
        let bits = self.bits.get(place(a, b))?.load(Ordering::Relaxed);
        (bits != 0).then(|| f32::from_bits(!bits))
    }

    /// Keeps the distance of two items, the lesser first, if there is room.
    pub(crate) fn keep(&self, a: usize, b: usize, distance: f32) {
        if let Some(bits) = self.bits.get(place(a, b)) {
            bits.store(!distance.to_bits(), Ordering::Relaxed);
        }
    }
}

fn place(a: usize, b: usize) -> usize {
    b * (b - 1) / 2 + a
}
