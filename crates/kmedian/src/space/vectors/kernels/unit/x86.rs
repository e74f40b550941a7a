//! Lanes in the registers of x86-64: one of 512 bits, or two of 256.

use std::arch::x86_64::{__m256, __m256i, __m512, __m512i, _CMP_LT_OQ, _CMP_NEQ_UQ, _MM_HINT_T0};

use pulp::x86::{V3, V4};
use pulp::{Arch, cast};

use super::{BLOCK, LANES, Pair, Task, Unit};

pulp::simd_type! {
    /// The instructions of [`V4`], and one for [`Unit::add_products`] that the compiler then takes
    /// in place of two.
    struct WithVnni {
        sse: "sse",
        sse2: "sse2",
        fxsr: "fxsr",
        sse3: "sse3",
        ssse3: "ssse3",
        sse4_1: "sse4.1",
        sse4_2: "sse4.2",
        popcnt: "popcnt",
        avx: "avx",
        avx2: "avx2",
        bmi1: "bmi1",
        bmi2: "bmi2",
        fma: "fma",
        lzcnt: "lzcnt",
        avx512f: "avx512f",
        avx512bw: "avx512bw",
        avx512cd: "avx512cd",
        avx512dq: "avx512dq",
        avx512vl: "avx512vl",
        avx512vnni: "avx512vnni",
    }
}

/// A task on a unit, for the unit to run with its instructions.
struct Run<U, T> {
    unit: U,
    task: T,
}

impl<U: Unit, T: Task> pulp::NullaryFnOnce for Run<U, T> {
    type Output = T::Output;

    #[inline(always)]
    fn call(self) -> T::Output {
        self.task.run(self.unit)
    }
}

impl Unit for V4 {
    type Lanes = __m512;
    type Pairs = __m512i;
    type Sums = __m512i;

    const VECTORS: usize = 32;
    const WIDE: bool = true;

    fn name(self) -> &'static str {
        "avx512"
    }

    fn arch(self) -> Arch {
        Arch::V4(self)
    }

    #[inline(always)]
    fn with_instructions<T: Task>(self, task: T) -> T::Output {
        self.vectorize(Run { unit: self, task })
    }

    #[inline(always)]
    fn with_products<T: Task>(self, task: T) -> T::Output {
        match WithVnni::try_new() {
            Some(more) => more.vectorize(Run { unit: self, task }),
            None => self.with_instructions(task),
        }
    }

    #[inline(always)]
    fn prefetch(self, from: &[f32; LANES]) {
        self.sse._mm_prefetch::<_MM_HINT_T0>(from.as_ptr().cast());
    }

    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> __m512 {
        cast(*from)
    }

    #[inline(always)]
    fn load_quads(self, from: [&[f32; 4]; 4]) -> __m512 {
        let [a, b, c, d] = from;
        let lanes = self.avx512f._mm512_castps128_ps512(cast(*a));
        let lanes = self.avx512f._mm512_insertf32x4::<1>(lanes, cast(*b));
        let lanes = self.avx512f._mm512_insertf32x4::<2>(lanes, cast(*c));
        self.avx512f._mm512_insertf32x4::<3>(lanes, cast(*d))
    }

    #[inline(always)]
    fn splat(self, number: f32) -> __m512 {
        self.avx512f._mm512_set1_ps(number)
    }

    #[inline(always)]
    fn store(self, lanes: __m512) -> [f32; LANES] {
        cast(lanes)
    }

    #[inline(always)]
    fn first(self, lanes: __m512) -> f32 {
        self.sse._mm_cvtss_f32(self.avx512f._mm512_castps512_ps128(lanes))
    }

    #[inline(always)]
    fn add(self, a: __m512, b: __m512) -> __m512 {
        self.avx512f._mm512_add_ps(a, b)
    }

    #[inline(always)]
    fn sub(self, a: __m512, b: __m512) -> __m512 {
        self.avx512f._mm512_sub_ps(a, b)
    }

    #[inline(always)]
    fn mul(self, a: __m512, b: __m512) -> __m512 {
        self.avx512f._mm512_mul_ps(a, b)
    }

    #[inline(always)]
    fn max(self, a: __m512, b: __m512) -> __m512 {
        self.avx512f._mm512_max_ps(a, b)
    }

    #[inline(always)]
    fn abs(self, a: __m512) -> __m512 {
        self.avx512f._mm512_abs_ps(a)
    }

    #[inline(always)]
    fn sqrt(self, a: __m512) -> __m512 {
        self.avx512f._mm512_sqrt_ps(a)
    }

    #[inline(always)]
    fn differ(self, a: __m512, b: __m512) -> __m512 {
        let differ = self.avx512f._mm512_cmp_ps_mask::<_CMP_NEQ_UQ>(a, b);
        self.avx512f._mm512_maskz_mov_ps(differ, self.avx512f._mm512_set1_ps(1.0))
    }

    #[inline(always)]
    fn below(self, a: __m512, b: __m512) -> u32 {
        u32::from(self.avx512f._mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b))
    }

    #[inline(always)]
    fn bytes_up_to(self, a: &[u8; BLOCK], b: &[u8; BLOCK]) -> u64 {
        self.avx512bw._mm512_cmple_epu8_mask(cast(*a), cast(*b))
    }

    #[inline(always)]
    fn words_up_to(self, a: &[u16; BLOCK], b: &[u16; BLOCK]) -> u64 {
        let [a, b]: [[__m512i; 2]; 2] = [cast(*a), cast(*b)];
        let low = self.avx512bw._mm512_cmple_epu16_mask(a[0], b[0]);
        let high = self.avx512bw._mm512_cmple_epu16_mask(a[1], b[1]);
        u64::from(low) | u64::from(high) << 32
    }

    #[inline(always)]
    fn load_pairs(self, from: &[Pair; LANES]) -> __m512i {
        cast(*from)
    }

    #[inline(always)]
    fn load_sums(self, from: &[i32; LANES]) -> __m512i {
        cast(*from)
    }

    #[inline(always)]
    fn store_sums(self, sums: __m512i) -> [i32; LANES] {
        cast(sums)
    }

    #[inline(always)]
    fn add_products(self, sums: __m512i, pairs: __m512i, factors: Pair) -> __m512i {
        let factors = self.avx512f._mm512_set1_epi32(cast(factors));
        self.avx512f._mm512_add_epi32(sums, self.avx512bw._mm512_madd_epi16(pairs, factors))
    }

    #[inline(always)]
    fn split_halves(self, a: __m512, b: __m512) -> [__m512; 2] {
        [
            self.avx512f._mm512_shuffle_f32x4::<0b01_00_01_00>(a, b),
            self.avx512f._mm512_shuffle_f32x4::<0b11_10_11_10>(a, b),
        ]
    }

    #[inline(always)]
    fn split_quads(self, a: __m512, b: __m512) -> [__m512; 2] {
        [
            self.avx512f._mm512_shuffle_f32x4::<0b10_00_10_00>(a, b),
            self.avx512f._mm512_shuffle_f32x4::<0b11_01_11_01>(a, b),
        ]
    }

    #[inline(always)]
    fn split_pairs(self, a: __m512, b: __m512) -> [__m512; 2] {
        [self.avx512f._mm512_unpacklo_ps(a, b), self.avx512f._mm512_unpackhi_ps(a, b)]
    }

    #[inline(always)]
    fn split_singles(self, a: __m512, b: __m512) -> [__m512; 2] {
        [
            self.avx512f._mm512_shuffle_ps::<0b01_00_01_00>(a, b),
            self.avx512f._mm512_shuffle_ps::<0b11_10_11_10>(a, b),
        ]
    }
}

impl Unit for V3 {
    type Lanes = [__m256; 2];
    type Pairs = [__m256i; 2];
    type Sums = [__m256i; 2];

    const VECTORS: usize = 8;
    const WIDE: bool = true;

    fn name(self) -> &'static str {
        "avx2"
    }

    fn arch(self) -> Arch {
        Arch::V3(self)
    }

    #[inline(always)]
    fn with_instructions<T: Task>(self, task: T) -> T::Output {
        self.vectorize(Run { unit: self, task })
    }

    #[inline(always)]
    fn prefetch(self, from: &[f32; LANES]) {
        self.sse._mm_prefetch::<_MM_HINT_T0>(from.as_ptr().cast());
    }

    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> [__m256; 2] {
        cast(*from)
    }

    #[inline(always)]
    fn load_quads(self, from: [&[f32; 4]; 4]) -> [__m256; 2] {
        let [a, b, c, d] = from;
        [self.avx._mm256_set_m128(cast(*b), cast(*a)), self.avx._mm256_set_m128(cast(*d), cast(*c))]
    }

    #[inline(always)]
    fn splat(self, number: f32) -> [__m256; 2] {
        [self.avx._mm256_set1_ps(number); 2]
    }

    #[inline(always)]
    fn store(self, lanes: [__m256; 2]) -> [f32; LANES] {
        cast(lanes)
    }

    #[inline(always)]
    fn first(self, lanes: [__m256; 2]) -> f32 {
        self.avx._mm256_cvtss_f32(lanes[0])
    }

    #[inline(always)]
    fn add(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
        [self.avx._mm256_add_ps(a[0], b[0]), self.avx._mm256_add_ps(a[1], b[1])]
    }

    #[inline(always)]
    fn sub(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
        [self.avx._mm256_sub_ps(a[0], b[0]), self.avx._mm256_sub_ps(a[1], b[1])]
    }

    #[inline(always)]
    fn mul(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
        [self.avx._mm256_mul_ps(a[0], b[0]), self.avx._mm256_mul_ps(a[1], b[1])]
    }

    #[inline(always)]
    fn max(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
        [self.avx._mm256_max_ps(a[0], b[0]), self.avx._mm256_max_ps(a[1], b[1])]
    }

    #[inline(always)]
    fn abs(self, a: [__m256; 2]) -> [__m256; 2] {
        let sign = self.avx._mm256_set1_ps(-0.0);
        [self.avx._mm256_andnot_ps(sign, a[0]), self.avx._mm256_andnot_ps(sign, a[1])]
    }

    #[inline(always)]
    fn sqrt(self, a: [__m256; 2]) -> [__m256; 2] {
        [self.avx._mm256_sqrt_ps(a[0]), self.avx._mm256_sqrt_ps(a[1])]
    }

    #[inline(always)]
    fn differ(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
        let one = self.avx._mm256_set1_ps(1.0);
        let low = self.avx._mm256_cmp_ps::<_CMP_NEQ_UQ>(a[0], b[0]);
        let high = self.avx._mm256_cmp_ps::<_CMP_NEQ_UQ>(a[1], b[1]);
        [self.avx._mm256_and_ps(low, one), self.avx._mm256_and_ps(high, one)]
    }

    #[inline(always)]
    fn below(self, a: [__m256; 2], b: [__m256; 2]) -> u32 {
        let low = self.avx._mm256_cmp_ps::<_CMP_LT_OQ>(a[0], b[0]);
        let high = self.avx._mm256_cmp_ps::<_CMP_LT_OQ>(a[1], b[1]);
        let bits = |lanes| self.avx._mm256_movemask_ps(lanes) as u32;
        bits(low) | bits(high) << 8
    }

    #[inline(always)]
    fn bytes_up_to(self, a: &[u8; BLOCK], b: &[u8; BLOCK]) -> u64 {
        let [a, b]: [[__m256i; 2]; 2] = [cast(*a), cast(*b)];
        let bits = |at: usize| {
            let smaller = self.avx2._mm256_min_epu8(a[at], b[at]);
            let same = self.avx2._mm256_cmpeq_epi8(smaller, a[at]);
            u64::from(self.avx2._mm256_movemask_epi8(same) as u32)
        };
        bits(0) | bits(1) << 32
    }

    #[inline(always)]
    fn words_up_to(self, a: &[u16; BLOCK], b: &[u16; BLOCK]) -> u64 {
        let [a, b]: [[__m256i; 4]; 2] = [cast(*a), cast(*b)];
        let same = |at: usize| {
            let smaller = self.avx2._mm256_min_epu16(a[at], b[at]);
            self.avx2._mm256_cmpeq_epi16(smaller, a[at])
        };
        let bits = |at: usize| {
            // Packing takes turns between the halves of both, which is put right afterwards.
            let packed = self.avx2._mm256_packs_epi16(same(at), same(at + 1));
            let packed = self.avx2._mm256_permute4x64_epi64::<0b11_01_10_00>(packed);
            u64::from(self.avx2._mm256_movemask_epi8(packed) as u32)
        };
        bits(0) | bits(2) << 32
    }

    #[inline(always)]
    fn load_pairs(self, from: &[Pair; LANES]) -> [__m256i; 2] {
        cast(*from)
    }

    #[inline(always)]
    fn load_sums(self, from: &[i32; LANES]) -> [__m256i; 2] {
        cast(*from)
    }

    #[inline(always)]
    fn store_sums(self, sums: [__m256i; 2]) -> [i32; LANES] {
        cast(sums)
    }

    #[inline(always)]
    fn add_products(self, sums: [__m256i; 2], pairs: [__m256i; 2], factors: Pair) -> [__m256i; 2] {
        let factors = self.avx._mm256_set1_epi32(cast(factors));
        [
            self.avx2._mm256_add_epi32(sums[0], self.avx2._mm256_madd_epi16(pairs[0], factors)),
            self.avx2._mm256_add_epi32(sums[1], self.avx2._mm256_madd_epi16(pairs[1], factors)),
        ]
    }

    #[inline(always)]
    fn split_halves(self, a: [__m256; 2], b: [__m256; 2]) -> [[__m256; 2]; 2] {
        [[a[0], b[0]], [a[1], b[1]]]
    }

    #[inline(always)]
    fn split_quads(self, a: [__m256; 2], b: [__m256; 2]) -> [[__m256; 2]; 2] {
        let low = self.avx._mm256_permute2f128_ps::<0x20>(a[0], a[1]);
        let high = self.avx._mm256_permute2f128_ps::<0x31>(a[0], a[1]);
        [
            [low, self.avx._mm256_permute2f128_ps::<0x20>(b[0], b[1])],
            [high, self.avx._mm256_permute2f128_ps::<0x31>(b[0], b[1])],
        ]
    }

    #[inline(always)]
    fn split_pairs(self, a: [__m256; 2], b: [__m256; 2]) -> [[__m256; 2]; 2] {
        let low = self.avx._mm256_unpacklo_ps(a[0], b[0]);
        let high = self.avx._mm256_unpackhi_ps(a[0], b[0]);
        [
            [low, self.avx._mm256_unpacklo_ps(a[1], b[1])],
            [high, self.avx._mm256_unpackhi_ps(a[1], b[1])],
        ]
    }

    #[inline(always)]
    fn split_singles(self, a: [__m256; 2], b: [__m256; 2]) -> [[__m256; 2]; 2] {
        let low = self.avx._mm256_shuffle_ps::<0b01_00_01_00>(a[0], b[0]);
        let high = self.avx._mm256_shuffle_ps::<0b11_10_11_10>(a[0], b[0]);
        [
            [low, self.avx._mm256_shuffle_ps::<0b01_00_01_00>(a[1], b[1])],
            [high, self.avx._mm256_shuffle_ps::<0b11_10_11_10>(a[1], b[1])],
        ]
    }
}
