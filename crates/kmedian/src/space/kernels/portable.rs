//! Lanes as plain numbers: what the others are measured by, and as fast as the compiler makes them.

use std::array::from_fn;

use super::unit::{LANES, Unit};

/// The unit that every machine has.
#[derive(Clone, Copy)]
pub(super) struct Portable;

impl Unit for Portable {
    type Lanes = [f32; LANES];

    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> Self::Lanes {
        *from
    }

    #[inline(always)]
    fn load_quads(self, from: [&[f32; 4]; 4]) -> Self::Lanes {
        from_fn(|lane| from[lane / 4][lane % 4])
    }

    #[inline(always)]
    fn store(self, lanes: Self::Lanes) -> [f32; LANES] {
        lanes
    }

    #[inline(always)]
    fn first(self, lanes: Self::Lanes) -> f32 {
        lanes[0]
    }

    #[inline(always)]
    fn add(self, a: Self::Lanes, b: Self::Lanes) -> Self::Lanes {
        from_fn(|lane| a[lane] + b[lane])
    }

    #[inline(always)]
    fn sub(self, a: Self::Lanes, b: Self::Lanes) -> Self::Lanes {
        from_fn(|lane| a[lane] - b[lane])
    }

    #[inline(always)]
    fn mul(self, a: Self::Lanes, b: Self::Lanes) -> Self::Lanes {
        from_fn(|lane| a[lane] * b[lane])
    }

    #[inline(always)]
    fn max(self, a: Self::Lanes, b: Self::Lanes) -> Self::Lanes {
        // Not `f32::max`, which costs more because it minds NaN.
        from_fn(|lane| if a[lane] > b[lane] { a[lane] } else { b[lane] })
    }

    #[inline(always)]
    fn abs(self, a: Self::Lanes) -> Self::Lanes {
        from_fn(|lane| a[lane].abs())
    }

    #[inline(always)]
    fn sqrt(self, a: Self::Lanes) -> Self::Lanes {
        from_fn(|lane| a[lane].sqrt())
    }

    #[inline(always)]
    fn differ(self, a: Self::Lanes, b: Self::Lanes) -> Self::Lanes {
        from_fn(|lane| f32::from(a[lane] != b[lane]))
    }

    #[inline(always)]
    fn below(self, a: Self::Lanes, b: Self::Lanes) -> u32 {
        (0..LANES).fold(0, |bits, lane| bits | u32::from(a[lane] < b[lane]) << lane)
    }

    #[inline(always)]
    fn split_halves(self, a: Self::Lanes, b: Self::Lanes) -> [Self::Lanes; 2] {
        [0, 8].map(|from| from_fn(|lane| [a, b][lane / 8][from + lane % 8]))
    }

    #[inline(always)]
    fn split_quads(self, a: Self::Lanes, b: Self::Lanes) -> [Self::Lanes; 2] {
        [0, 4].map(|from| from_fn(|lane| [a, b][lane / 8][lane / 4 % 2 * 8 + from + lane % 4]))
    }

    #[inline(always)]
    fn split_pairs(self, a: Self::Lanes, b: Self::Lanes) -> [Self::Lanes; 2] {
        [0, 2].map(|from| from_fn(|lane| [a, b][lane % 2][lane / 4 * 4 + from + lane / 2 % 2]))
    }

    #[inline(always)]
    fn split_singles(self, a: Self::Lanes, b: Self::Lanes) -> [Self::Lanes; 2] {
        [0, 2].map(|from| from_fn(|lane| [a, b][lane / 2 % 2][lane / 4 * 4 + from + lane % 2]))
    }
}
