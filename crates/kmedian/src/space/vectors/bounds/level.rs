//! The whole numbers that lower bounds are rounded to.

use pulp::bytemuck::Pod;

use super::super::kernels::Compared;

/// A whole number that a lower bound is rounded to: one of 256 in a byte, or one of 4,096 in two
/// bytes.
pub(super) trait Level: Compared + Pod + Ord + Into<u16> + Send + Sync {
    /// The number of levels.
    const COUNT: usize;

    /// The level up to which steps are fine: seven eighths of all. Those above it suffice for the
    /// few distances that are larger than nearly all caps.
    const KNEE: f32 = (Self::COUNT / 8 * 7 - 1) as f32;

    /// The largest level, which stands for the farthest distances.
    const LARGEST: Self;

    /// The level in the lowest bits of a number.
    fn from_bits(bits: u32) -> Self;

    /// The position of the level in a table of all levels.
    #[inline(always)]
    fn index(self) -> usize {
        usize::from(self.into())
    }
}

impl Level for u8 {
    const COUNT: usize = 1 << 8;
    const LARGEST: Self = u8::MAX;

    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        bits as u8
    }
}

impl Level for u16 {
    const COUNT: usize = 1 << 12;
    const LARGEST: Self = (Self::COUNT - 1) as u16;

    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        bits as u16
    }
}
