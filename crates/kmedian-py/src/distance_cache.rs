//! A cache of the distances that a Python function has returned, so that it is called once a pair.

use std::sync::atomic::{AtomicU32, Ordering};

/// The most items whose distances are cached: all pairs of them take 128 MiB. With more items,
/// nothing is cached.
pub(crate) const MOST_ITEMS: usize = 8192;

/// The distances of pairs of items that are known so far. Threads may share it.
pub(crate) struct DistanceCache {
    /// The bits of the distance of each pair, ordered by the larger item. They are inverted, so
    /// that zero means that the distance is not known: no distance has all bits set.
    bits: Vec<AtomicU32>,
}

impl DistanceCache {
    pub(crate) fn new(items: usize) -> Self {
        let items = if items <= MOST_ITEMS { items } else { 0 };
        let pairs = items * items.saturating_sub(1) / 2;
        Self { bits: (0..pairs).map(|_| AtomicU32::new(0)).collect() }
    }

    /// The distance of items `a` < `b`; `None` if it is not known.
    pub(crate) fn get(&self, a: usize, b: usize) -> Option<f32> {
        let bits = self.bits.get(place(a, b))?.load(Ordering::Relaxed);
        (bits != 0).then(|| f32::from_bits(!bits))
    }

    /// Keeps the distance of items `a` < `b`, if distances are cached.
    pub(crate) fn keep(&self, a: usize, b: usize, distance: f32) {
        if let Some(bits) = self.bits.get(place(a, b)) {
            bits.store(!distance.to_bits(), Ordering::Relaxed);
        }
    }
}

fn place(a: usize, b: usize) -> usize {
    b * (b - 1) / 2 + a
}
