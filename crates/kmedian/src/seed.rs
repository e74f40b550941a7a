use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::index;

/// Where all randomness starts: one number, from which named streams are derived.
///
/// Streams that differ in name are independent, so drawing more numbers in one part of an algorithm
/// never changes another part. The generator is ChaCha with 8 rounds on every machine: the same
/// seed gives the same answer everywhere and at any thread count.
///
/// ```
/// use kmedian::Seed;
/// use rand::Rng;
///
/// let seed = Seed(7);
/// assert_eq!(seed.stream("tree").next_u64(), seed.stream("tree").next_u64());
/// assert_ne!(seed.stream("tree").next_u64(), seed.stream("init").next_u64());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Seed(pub u64);

impl Seed {
    /// The seed of a part of the work, by its name: the same name gives the same seed.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        name.bytes().fold(self, |seed, byte| seed.numbered(u64::from(byte) + 1))
    }

    /// The seed of one of many parts of the work that are alike, such as repetitions, by its
    /// number.
    #[must_use]
    pub fn numbered(self, number: u64) -> Self {
        Self(scramble(self.0 ^ scramble(number.wrapping_add(0x9E37_79B9_7F4A_7C15))))
    }

    /// A generator for the part of the work with this name.
    pub fn stream(self, name: &str) -> ChaCha8Rng {
        self.named(name).generator()
    }

    /// A generator that starts from this seed itself, without a name.
    pub fn generator(self) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(self.0)
    }
}

/// A bijection of the 64-bit numbers that spreads every input bit (the finalizer of MurmurHash3,
/// with the constants of splitmix64).
fn scramble(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// Some of `n` positions, at most `count`, in ascending order, to tell from them what all are like:
/// always the same ones, but drawn at random, as what repeats at equal distances, such as every
/// thousandth row, would mislead positions at equal distances.
pub(crate) fn a_few(n: usize, count: usize) -> Vec<usize> {
    let mut rng = Seed(0).stream("a few");
    let mut positions = index::sample(&mut rng, n, count.min(n)).into_vec();
    positions.sort_unstable();
    positions
}
