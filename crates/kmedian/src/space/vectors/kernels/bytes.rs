//! Comparing bytes, such as lower bounds of distances, with limits.

use super::unit::{BYTES, Task, Unit};

/// The task to find, for each block of bytes, which of them are at most their limits.
pub(super) struct UpTo<'a> {
    pub(super) bytes: &'a [[u8; BYTES]],
    pub(super) limits: &'a [[u8; BYTES]],
}

impl Task for UpTo<'_> {
    type Output = Vec<u64>;

    #[inline(always)]
    fn run<U: Unit>(self, unit: U) -> Vec<u64> {
        let mut bits = vec![0; self.bytes.len().min(self.limits.len())];
        // A loop, as what a closure does would not be inlined.
        for (bits, (bytes, limits)) in bits.iter_mut().zip(self.bytes.iter().zip(self.limits)) {
            *bits = unit.up_to(bytes, limits);
        }
        bits
    }
}
