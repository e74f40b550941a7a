//! Lanes in the registers of 64-bit ARM: four of 128 bits.

use std::arch::aarch64::{
    float32x4_t, float64x2_t, int16x4_t, int16x8_t, int32x4_t, uint8x16_t, uint16x8_t, uint32x4_t,
    uint64x2_t,
};

use pulp::aarch64::Neon;
use pulp::{Arch, cast};

use super::{BLOCK, LANES, Pair, Task, Unit};

/// Sixteen lanes: four registers of a quad each.
type Quads = [float32x4_t; 4];

/// A task on the unit, for the unit to run with its instructions.
struct Run<T> {
    unit: Neon,
    task: T,
}

impl<T: Task> pulp::NullaryFnOnce for Run<T> {
    type Output = T::Output;

    #[inline(always)]
    fn call(self) -> T::Output {
        self.task.run(self.unit)
    }
}

/// A bit for each lane of four masks of four lanes, the lowest for the first.
#[inline(always)]
fn bits_of_lanes(unit: Neon, masks: [uint32x4_t; 4]) -> u32 {
    let mut bits = masks;
    for (quad, mask) in bits.iter_mut().enumerate() {
        let weights: [u32; 4] = std::array::from_fn(|lane| 1 << (4 * quad + lane));
        *mask = unit.neon.vandq_u32(*mask, cast(weights));
    }
    let [a, b, c, d] = bits;
    // Each lane has bits of its own, so their sum is all of them.
    unit.neon.vaddvq_u32(unit.neon.vorrq_u32(unit.neon.vorrq_u32(a, b), unit.neon.vorrq_u32(c, d)))
}

/// A bit for each byte of four masks of sixteen bytes, the lowest for the first.
#[inline(always)]
fn bits_of_bytes(unit: Neon, masks: [uint8x16_t; 4]) -> u64 {
    const WEIGHTS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
    let [a, b, c, d] = masks.map(|mask| unit.neon.vandq_u8(mask, cast(WEIGHTS)));
    // Adding neighbors three times makes one byte of every eight.
    let (low, high) = (unit.neon.vpaddq_u8(a, b), unit.neon.vpaddq_u8(c, d));
    let fours = unit.neon.vpaddq_u8(low, high);
    let eights: uint64x2_t = cast(unit.neon.vpaddq_u8(fours, fours));
    unit.neon.vgetq_lane_u64::<0>(eights)
}

impl Unit for Neon {
    type Lanes = Quads;
    type Pairs = [int16x8_t; 4];
    type Sums = [int32x4_t; 4];

    const VECTORS: usize = 8;
    // There are 32 registers, and four rows take 16.
    const WIDE: bool = true;

    fn name(self) -> &'static str {
        "neon"
    }

    fn arch(self) -> Arch {
        Arch::Neon(self)
    }

    #[inline(always)]
    fn with_instructions<T: Task>(self, task: T) -> T::Output {
        self.vectorize(Run { unit: self, task })
    }

    /// Does nothing: prefetching is left to the processor.
    #[inline(always)]
    fn prefetch(self, _: &[f32; LANES]) {}

    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> Quads {
        cast(*from)
    }

    #[inline(always)]
    fn load_quads(self, from: [&[f32; 4]; 4]) -> Quads {
        each!(|q| cast(*from[q]))
    }

    #[inline(always)]
    fn splat(self, number: f32) -> Quads {
        [self.neon.vdupq_n_f32(number); 4]
    }

    #[inline(always)]
    fn store(self, lanes: Quads) -> [f32; LANES] {
        cast(lanes)
    }

    #[inline(always)]
    fn first(self, lanes: Quads) -> f32 {
        self.neon.vgetq_lane_f32::<0>(lanes[0])
    }

    #[inline(always)]
    fn add(self, a: Quads, b: Quads) -> Quads {
        each!(|q| self.neon.vaddq_f32(a[q], b[q]))
    }

    #[inline(always)]
    fn sub(self, a: Quads, b: Quads) -> Quads {
        each!(|q| self.neon.vsubq_f32(a[q], b[q]))
    }

    #[inline(always)]
    fn mul(self, a: Quads, b: Quads) -> Quads {
        each!(|q| self.neon.vmulq_f32(a[q], b[q]))
    }

    /// Of two zeros the second, as on other units, where the instruction for maxima takes the
    /// positive one.
    #[inline(always)]
    fn max(self, a: Quads, b: Quads) -> Quads {
        each!(|q| self.neon.vbslq_f32(self.neon.vcgtq_f32(a[q], b[q]), a[q], b[q]))
    }

    #[inline(always)]
    fn abs(self, a: Quads) -> Quads {
        each!(|q| self.neon.vabsq_f32(a[q]))
    }

    #[inline(always)]
    fn sqrt(self, a: Quads) -> Quads {
        each!(|q| self.neon.vsqrtq_f32(a[q]))
    }

    #[inline(always)]
    fn differ(self, a: Quads, b: Quads) -> Quads {
        let one: uint32x4_t = cast([1.0_f32; 4]);
        each!(|q| cast(self.neon.vbicq_u32(one, self.neon.vceqq_f32(a[q], b[q]))))
    }

    #[inline(always)]
    fn below(self, a: Quads, b: Quads) -> u32 {
        bits_of_lanes(self, each!(|q| self.neon.vcltq_f32(a[q], b[q])))
    }

    #[inline(always)]
    fn bytes_up_to(self, a: &[u8; BLOCK], b: &[u8; BLOCK]) -> u64 {
        let [a, b]: [[uint8x16_t; 4]; 2] = [cast(*a), cast(*b)];
        bits_of_bytes(self, each!(|q| self.neon.vcleq_u8(a[q], b[q])))
    }

    #[inline(always)]
    fn words_up_to(self, a: &[u16; BLOCK], b: &[u16; BLOCK]) -> u64 {
        let [a, b]: [[uint16x8_t; 8]; 2] = [cast(*a), cast(*b)];
        // A mask of eight words, as the bytes that it has.
        let mask = |at: usize| cast(self.neon.vcleq_u16(a[at], b[at]));
        // The lower byte of every word.
        bits_of_bytes(self, each!(|q| self.neon.vuzp1q_u8(mask(2 * q), mask(2 * q + 1))))
    }

    #[inline(always)]
    fn load_pairs(self, from: &[Pair; LANES]) -> [int16x8_t; 4] {
        cast(*from)
    }

    #[inline(always)]
    fn load_sums(self, from: &[i32; LANES]) -> [int32x4_t; 4] {
        cast(*from)
    }

    #[inline(always)]
    fn store_sums(self, sums: [int32x4_t; 4]) -> [i32; LANES] {
        cast(sums)
    }

    #[inline(always)]
    fn add_products(
        self,
        sums: [int32x4_t; 4],
        pairs: [int16x8_t; 4],
        factors: Pair,
    ) -> [int32x4_t; 4] {
        let factors: int16x8_t = cast([factors; 4]);
        each!(|q| {
            let [low, _]: [int16x4_t; 2] = cast(pairs[q]);
            let [half, _]: [int16x4_t; 2] = cast(factors);
            let low = self.neon.vmull_s16(low, half);
            let high = self.neon.vmull_high_s16(pairs[q], factors);
            self.neon.vaddq_s32(sums[q], self.neon.vpaddq_s32(low, high))
        })
    }

    #[inline(always)]
    fn split_halves(self, a: Quads, b: Quads) -> [Quads; 2] {
        [[a[0], a[1], b[0], b[1]], [a[2], a[3], b[2], b[3]]]
    }

    #[inline(always)]
    fn split_quads(self, a: Quads, b: Quads) -> [Quads; 2] {
        [[a[0], a[2], b[0], b[2]], [a[1], a[3], b[1], b[3]]]
    }

    #[inline(always)]
    fn split_pairs(self, a: Quads, b: Quads) -> [Quads; 2] {
        [each!(|q| self.neon.vzip1q_f32(a[q], b[q])), each!(|q| self.neon.vzip2q_f32(a[q], b[q]))]
    }

    #[inline(always)]
    fn split_singles(self, a: Quads, b: Quads) -> [Quads; 2] {
        let [a, b]: [[float64x2_t; 4]; 2] = [cast(a), cast(b)];
        [
            each!(|q| cast(self.neon.vzip1q_f64(a[q], b[q]))),
            each!(|q| cast(self.neon.vzip2q_f64(a[q], b[q]))),
        ]
    }
}
