//! Sixteen lanes at a time, on whatever vector unit the machine has.

/// An array of one expression for each of four quads, or each lane of a quad. It is written out four
/// times, which the compiler turns into operations on registers where a loop may stay a loop.
macro_rules! each {
    (|$quad:ident| $one:expr) => {
        [
            {
                let $quad = 0;
                $one
            },
            {
                let $quad = 1;
                $one
            },
            {
                let $quad = 2;
                $one
            },
            {
                let $quad = 3;
                $one
            },
        ]
    };
}

#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::env;
use std::sync::LazyLock;

use portable::Portable;
use pulp::Arch;

/// The number of lanes that a [`Unit`] works on: the 32-bit numbers in a register of AVX-512.
pub(in crate::space) const LANES: usize = 16;

/// The number of levels that a [`Unit`] compares at once: as many bytes as a register of AVX-512 has,
/// and a bit each in 64.
pub(in crate::space) const BLOCK: usize = 64;

/// Two whole numbers that are multiplied with two others, and the products added.
pub(in crate::space::vectors) type Pair = [i16; 2];

/// A vector unit: what is done to sixteen lanes at once.
///
/// Each operation rounds as IEEE 754 says, lane by lane, so all units agree to the last bit.
/// Multiplying and adding are never fused, as not all of them could.
pub(in crate::space::vectors) trait Unit: Copy {
    /// Sixteen numbers, in four quads of four.
    type Lanes: Copy;
    /// Sixteen pairs of whole numbers of 16 bits.
    type Pairs: Copy;
    /// Sixteen whole numbers of 32 bits.
    type Sums: Copy;

    /// How many vectors of sixteen lanes the registers of the unit hold.
    const VECTORS: usize;

    /// Whether the lanes of four rows fit into the registers of the unit, with room for as many
    /// again.
    const WIDE: bool;

    /// What the unit is called, for people.
    fn name(self) -> &'static str;
    /// This unit as the crate `pulp` calls it, for work that is generic over the units of `pulp`.
    fn arch(self) -> Arch;
    /// Runs a task, compiled with the instructions of this unit.
    fn with_instructions<T: Task>(self, task: T) -> T::Output;
    /// Runs a task whose time goes into [`Unit::add_products`], compiled with the instructions of
    /// this unit, and with further ones for that if the machine has them.
    fn with_products<T: Task>(self, task: T) -> T::Output {
        self.with_instructions(task)
    }

    /// Prefetches numbers that will be loaded soon into the cache.
    fn prefetch(self, from: &[f32; LANES]);
    /// Loads sixteen consecutive numbers.
    fn load(self, from: &[f32; LANES]) -> Self::Lanes;
    /// Loads four quads from different places.
    fn load_quads(self, from: [&[f32; 4]; 4]) -> Self::Lanes;
    /// A number in all lanes.
    fn splat(self, number: f32) -> Self::Lanes;
    /// The numbers in all lanes.
    fn store(self, lanes: Self::Lanes) -> [f32; LANES];
    /// The number in the first lane.
    fn first(self, lanes: Self::Lanes) -> f32;

    /// `a + b`.
    fn add(self, a: Self::Lanes, b: Self::Lanes) -> Self::Lanes;
    /// `a - b`.
    fn sub(self, a: Self::Lanes, b: Self::Lanes) -> Self::Lanes;
    /// `a * b`.
    fn mul(self, a: Self::Lanes, b: Self::Lanes) -> Self::Lanes;
    /// The larger of `a` and `b`, neither of which is NaN.
    fn max(self, a: Self::Lanes, b: Self::Lanes) -> Self::Lanes;
    /// `|a|`.
    fn abs(self, a: Self::Lanes) -> Self::Lanes;
    /// `√a`.
    fn sqrt(self, a: Self::Lanes) -> Self::Lanes;
    /// 1 where `a` and `b` differ, else 0.
    fn differ(self, a: Self::Lanes, b: Self::Lanes) -> Self::Lanes;
    /// A bit for each lane, the lowest for the first: whether `a < b`.
    fn below(self, a: Self::Lanes, b: Self::Lanes) -> u32;
    /// A bit for each byte, the lowest for the first: whether `a <= b`.
    fn bytes_up_to(self, a: &[u8; BLOCK], b: &[u8; BLOCK]) -> u64;
    /// A bit for each number, the lowest for the first: whether `a <= b`.
    fn words_up_to(self, a: &[u16; BLOCK], b: &[u16; BLOCK]) -> u64;

    /// Loads sixteen consecutive pairs.
    fn load_pairs(self, from: &[Pair; LANES]) -> Self::Pairs;
    /// Loads sixteen sums.
    fn load_sums(self, from: &[i32; LANES]) -> Self::Sums;
    /// The sums in all lanes.
    fn store_sums(self, sums: Self::Sums) -> [i32; LANES];
    /// In each lane, a sum and the two products of a pair with the factors, none of which is -2¹⁵.
    fn add_products(self, sums: Self::Sums, pairs: Self::Pairs, factors: Pair) -> Self::Sums;

    /// The lower halves of `a` and `b`, and their upper halves.
    fn split_halves(self, a: Self::Lanes, b: Self::Lanes) -> [Self::Lanes; 2];
    /// Of the four halves of `a` and `b`: the lower quads, and the upper quads.
    fn split_quads(self, a: Self::Lanes, b: Self::Lanes) -> [Self::Lanes; 2];
    /// In each quad `(0 1 2 3)` of `a` and its like in `b`: `(a0 b0 a1 b1)`, and `(a2 b2 a3 b3)`.
    fn split_pairs(self, a: Self::Lanes, b: Self::Lanes) -> [Self::Lanes; 2];
    /// In each quad `(0 1 2 3)` of `a` and its like in `b`: `(a0 a1 b0 b1)`, and `(a2 a3 b2 b3)`.
    fn split_singles(self, a: Self::Lanes, b: Self::Lanes) -> [Self::Lanes; 2];
}

/// Work that is compiled for each unit, and run on the best one there is.
///
/// All that it calls must be inlined into it: what is not is compiled for any machine, and cannot
/// keep lanes in registers.
pub(in crate::space::vectors) trait Task {
    /// What the work results in.
    type Output;

    /// Does the work on the given unit.
    fn run<U: Unit>(self, unit: U) -> Self::Output;
}

/// Evaluates an expression with each vector unit that this machine has beside the portable one, the
/// best first. A unit that is added here is dispatched to, and compared with the others by the
/// tests.
macro_rules! with_each_special_unit {
    (|$unit:ident| $body:expr) => {
        #[cfg(target_arch = "x86_64")]
        {
            if let Some($unit) = pulp::x86::V4::try_new() {
                $body
            }
            if let Some($unit) = pulp::x86::V3::try_new() {
                $body
            }
        }
        #[cfg(target_arch = "aarch64")]
        if let Some($unit) = pulp::aarch64::Neon::try_new() {
            $body
        }
    };
}

/// Evaluates an expression with each vector unit that this machine has, the best first.
macro_rules! with_each_unit {
    (|$unit:ident| $body:expr) => {
        with_each_special_unit!(|$unit| $body);
        let $unit = Portable;
        $body
    };
}

/// The variable of the environment that names the vector unit to use in place of the best one.
const VARIABLE: &str = "KMEDIAN_VECTOR_UNIT";

/// The vector unit that the environment names, if this machine has it. The variable is read once.
static NAMED: LazyLock<Option<&'static str>> = LazyLock::new(|| {
    let name = env::var(VARIABLE).ok()?;
    vector_units().into_iter().find(|&unit| unit == name)
});

/// The names of the vector units that this machine has, the best first: `avx512`, `avx2`, `neon`,
/// and `portable`, which every machine has. All of them give the same answers.
///
/// The best one is used, unless the variable `KMEDIAN_VECTOR_UNIT` of the environment names
/// another: so that tests and benchmarks of one machine tell about others.
pub fn vector_units() -> Vec<&'static str> {
    let mut names = Vec::new();
    with_each_unit!(|unit| names.push(unit.name()));
    names
}

/// The name of the vector unit that is used: see [`vector_units`].
pub fn vector_unit() -> &'static str {
    with_each_special_unit!(|unit| if is_used(unit) {
        return unit.name();
    });
    Portable.name()
}

/// Whether a unit is used, given that none before it in the list is.
fn is_used(unit: impl Unit) -> bool {
    NAMED.is_none_or(|name| name == unit.name())
}

/// Runs a task on the vector unit that is used: the best one, unless the environment names another.
pub(in crate::space::vectors) fn dispatch<T: Task>(task: T) -> T::Output {
    with_each_special_unit!(|unit| if is_used(unit) {
        return unit.with_instructions(task);
    });
    Portable.with_instructions(task)
}

/// Runs a task whose time goes into [`Unit::add_products`] on the vector unit that is used.
pub(in crate::space::vectors) fn dispatch_products<T: Task>(task: T) -> T::Output {
    with_each_special_unit!(|unit| if is_used(unit) {
        return unit.with_products(task);
    });
    Portable.with_products(task)
}

/// The vector unit that is used, as the crate `pulp` calls it, for work that is generic over the
/// units of `pulp`.
pub(in crate::space) fn arch() -> Arch {
    with_each_special_unit!(|unit| if is_used(unit) {
        return unit.arch();
    });
    Portable.arch()
}

/// Runs a task on every vector unit that this machine has, and as it is dispatched; hands each
/// result over, with the name of the unit.
#[cfg(test)]
pub(in crate::space::vectors) fn on_all_units<T: Task>(
    task: impl Fn() -> T,
    check: impl Fn(&str, T::Output),
) {
    check("dispatched", dispatch(task()));
    with_each_unit!(|unit| check(unit.name(), unit.with_instructions(task())));
}
