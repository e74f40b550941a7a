//! A buffer in large pages of memory, where the system has them: a table of many megabytes then
//! costs less to touch for the first time, and less to read at random.

use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;
use pulp::bytemuck::{cast_slice, cast_slice_mut};

use super::level::Level;

/// A buffer of levels in large pages of memory where the system has them; all zero at first.
pub(super) enum LargePages<L> {
    Mapped(MmapMut),
    Allocated(Vec<L>),
}

impl<L: Level> LargePages<L> {
    pub(super) fn new(len: usize) -> Self {
        let Ok(map) = MmapMut::map_anon(len * size_of::<L>()) else {
            return Self::Allocated(vec![L::from_bits(0); len]);
        };
        // A system without large pages gives small ones.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Self::Mapped(map)
    }
}

impl<L: Level> Deref for LargePages<L> {
    type Target = [L];

    // Pages begin at addresses that suit every number.
    fn deref(&self) -> &[L] {
        match self {
            Self::Mapped(map) => cast_slice(map),
            Self::Allocated(levels) => levels,
        }
    }
}

impl<L: Level> DerefMut for LargePages<L> {
    fn deref_mut(&mut self) -> &mut [L] {
        match self {
            Self::Mapped(map) => cast_slice_mut(map),
            Self::Allocated(levels) => levels,
        }
    }
}
