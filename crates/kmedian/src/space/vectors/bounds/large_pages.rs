//! A byte buffer in large pages of memory, where the system has them: a table of many megabytes
//! then costs less to touch for the first time, and less to read at random.

use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

/// A byte buffer in large pages of memory where the system has them; all zero at first.
pub(super) enum LargePages {
    Mapped(MmapMut),
    Allocated(Vec<u8>),
}

impl LargePages {
    pub(super) fn new(len: usize) -> Self {
        let Ok(map) = MmapMut::map_anon(len) else { return Self::Allocated(vec![0; len]) };
        // A system without large pages gives small ones.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Self::Mapped(map)
    }
}

impl Deref for LargePages {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Allocated(bytes) => bytes,
        }
    }
}

impl DerefMut for LargePages {
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Allocated(bytes) => bytes,
        }
    }
}
