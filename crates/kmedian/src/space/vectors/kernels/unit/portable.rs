//! Lanes as plain numbers: what the other units must agree with, and as fast as the compiler makes
//! them.

use pulp::Arch;

use super::{BLOCK, LANES, Pair, Task, Unit};

/// The unit that every machine has: lanes as plain numbers.
#[derive(Clone, Copy)]
pub(super) struct Portable;

/// Four lanes, the width that every common machine has registers for.
type Quad = [f32; 4];

impl Unit for Portable {
    type Lanes = [Quad; 4];
    type Pairs = [Pair; LANES];
    type Sums = [i32; LANES];

    const VECTORS: usize = 4;
    // A machine without AVX has sixteen registers of four lanes.
    const WIDE: bool = false;

    fn name(self) -> &'static str {
        "portable"
    }

    fn arch(self) -> Arch {
        // Where there is no unit of ours, that of `pulp` is the best there is.
        let has_ours = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
        if has_ours { Arch::Scalar } else { Arch::new() }
    }

    #[inline(always)]
    fn with_instructions<T: Task>(self, task: T) -> T::Output {
        task.run(self)
    }

    /// Does nothing: prefetching is left to the processor.
    #[inline(always)]
    fn prefetch(self, _: &[f32; LANES]) {}

    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> Self::Lanes {
        each!(|q| each!(|i| from[4 * q + i]))
    }

    #[inline(always)]
    fn load_quads(self, from: [&[f32; 4]; 4]) -> Self::Lanes {
        each!(|q| *from[q])
    }

    #[inline(always)]
    fn splat(self, number: f32) -> [Quad; 4] {
        [[number; 4]; 4]
    }

    #[inline(always)]
    fn store(self, lanes: Self::Lanes) -> [f32; LANES] {
        let mut numbers = [0.0; LANES];
        numbers.copy_from_slice(lanes.as_flattened());
        numbers
    }

    #[inline(always)]
    fn first(self, lanes: Self::Lanes) -> f32 {
        lanes[0][0]
    }

    #[inline(always)]
    fn add(self, a: Self::Lanes, b: Self::Lanes) -> Self::Lanes {
        each!(|q| each!(|i| a[q][i] + b[q][i]))
    }

    #[inline(always)]
    fn sub(self, a: Self::Lanes, b: Self::Lanes) -> Self::Lanes {
        each!(|q| each!(|i| a[q][i] - b[q][i]))
    }

    #[inline(always)]
    fn mul(self, a: Self::Lanes, b: Self::Lanes) -> Self::Lanes {
        each!(|q| each!(|i| a[q][i] * b[q][i]))
    }

    #[inline(always)]
    fn max(self, a: Self::Lanes, b: Self::Lanes) -> Self::Lanes {
        // Not `f32::max`, which costs more because it minds NaN.
        each!(|q| each!(|i| if a[q][i] > b[q][i] { a[q][i] } else { b[q][i] }))
    }

    #[inline(always)]
    fn abs(self, a: Self::Lanes) -> Self::Lanes {
        each!(|q| each!(|i| a[q][i].abs()))
    }

    #[inline(always)]
    fn sqrt(self, a: Self::Lanes) -> Self::Lanes {
        each!(|q| each!(|i| a[q][i].sqrt()))
    }

    #[inline(always)]
    fn differ(self, a: Self::Lanes, b: Self::Lanes) -> Self::Lanes {
        each!(|q| each!(|i| if a[q][i] == b[q][i] { 0.0 } else { 1.0 }))
    }

    #[inline(always)]
    fn below(self, a: Self::Lanes, b: Self::Lanes) -> u32 {
        let mut bits = 0;
        for (lane, (a, b)) in a.as_flattened().iter().zip(b.as_flattened()).enumerate() {
            bits |= u32::from(a < b) << lane;
        }
        bits
    }

    #[inline(always)]
    fn bytes_up_to(self, a: &[u8; BLOCK], b: &[u8; BLOCK]) -> u64 {
        let mut bits = 0;
        for (at, (a, b)) in a.iter().zip(b).enumerate() {
            bits |= u64::from(a <= b) << at;
        }
        bits
    }

    #[inline(always)]
    fn words_up_to(self, a: &[u16; BLOCK], b: &[u16; BLOCK]) -> u64 {
        let mut bits = 0;
        for (at, (a, b)) in a.iter().zip(b).enumerate() {
            bits |= u64::from(a <= b) << at;
        }
        bits
    }

    #[inline(always)]
    fn load_pairs(self, from: &[Pair; LANES]) -> [Pair; LANES] {
        *from
    }

    #[inline(always)]
    fn load_sums(self, from: &[i32; LANES]) -> [i32; LANES] {
        *from
    }

    #[inline(always)]
    fn store_sums(self, sums: [i32; LANES]) -> [i32; LANES] {
        sums
    }

    #[inline(always)]
    fn add_products(
        self,
        mut sums: [i32; LANES],
        pairs: [Pair; LANES],
        [a, b]: Pair,
    ) -> [i32; LANES] {
        for (sum, pair) in sums.iter_mut().zip(pairs) {
            *sum += i32::from(pair[0]) * i32::from(a) + i32::from(pair[1]) * i32::from(b);
        }
        sums
    }

    #[inline(always)]
    fn split_halves(self, a: Self::Lanes, b: Self::Lanes) -> [Self::Lanes; 2] {
        [[a[0], a[1], b[0], b[1]], [a[2], a[3], b[2], b[3]]]
    }

    #[inline(always)]
    fn split_quads(self, a: Self::Lanes, b: Self::Lanes) -> [Self::Lanes; 2] {
        [[a[0], a[2], b[0], b[2]], [a[1], a[3], b[1], b[3]]]
    }

    #[inline(always)]
    fn split_pairs(self, a: Self::Lanes, b: Self::Lanes) -> [Self::Lanes; 2] {
        [
            each!(|q| [a[q][0], b[q][0], a[q][1], b[q][1]]),
            each!(|q| [a[q][2], b[q][2], a[q][3], b[q][3]]),
        ]
    }

    #[inline(always)]
    fn split_singles(self, a: Self::Lanes, b: Self::Lanes) -> [Self::Lanes; 2] {
        [
            each!(|q| [a[q][0], a[q][1], b[q][0], b[q][1]]),
            each!(|q| [a[q][2], a[q][3], b[q][2], b[q][3]]),
        ]
    }
}
