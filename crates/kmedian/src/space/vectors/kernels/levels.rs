//! Comparing levels, such as those of lower bounds of distances, with limits.

use super::unit::{BLOCK, Task, Unit};

/// A kind of level that a vector unit compares.
pub(in crate::space::vectors) trait Compared: Copy {
    /// A bit for each level, the lowest for the first: whether `a <= b`.
    fn up_to<U: Unit>(unit: U, a: &[Self; BLOCK], b: &[Self; BLOCK]) -> u64;
}

impl Compared for u8 {
    #[inline(always)]
    fn up_to<U: Unit>(unit: U, a: &[Self; BLOCK], b: &[Self; BLOCK]) -> u64 {
        unit.bytes_up_to(a, b)
    }
}

impl Compared for u16 {
    #[inline(always)]
    fn up_to<U: Unit>(unit: U, a: &[Self; BLOCK], b: &[Self; BLOCK]) -> u64 {
        unit.words_up_to(a, b)
    }
}

/// The task to find, for each block of levels, which of them are at most their limits.
pub(super) struct UpTo<'a, L> {
    pub(super) levels: &'a [[L; BLOCK]],
    pub(super) limits: &'a [[L; BLOCK]],
}

impl<L: Compared> Task for UpTo<'_, L> {
    type Output = Vec<u64>;

    #[inline(always)]
    fn run<U: Unit>(self, unit: U) -> Vec<u64> {
        let mut bits = vec![0; self.levels.len().min(self.limits.len())];
        // A loop, as what a closure does would not be inlined.
        for (bits, (levels, limits)) in bits.iter_mut().zip(self.levels.iter().zip(self.limits)) {
            *bits = L::up_to(unit, levels, limits);
        }
        bits
    }
}
