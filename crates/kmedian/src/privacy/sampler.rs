use rand::SeedableRng;
use rand::rngs::ChaCha20Rng;

use super::Entropy;
use crate::Error;

impl Entropy {
    /// A random generator that chooses which records of an owner are counted, if there are too
    /// many.
    ///
    /// It is seeded with 256 bits of this source: nobody can repeat its choices if they come from
    /// the operating system, anybody can if they come from a seed. Take it before any noise is
    /// drawn, so that the noise does not depend on whether records have owners.
    ///
    /// # Errors
    /// If the operating system has no random bits to give.
    pub fn sampler(&mut self) -> Result<ChaCha20Rng, Error> {
        let mut seed = [0; 32];
        for bytes in seed.as_chunks_mut::<8>().0 {
            *bytes = self.bits(u64::BITS)?.to_le_bytes();
        }
        Ok(ChaCha20Rng::from_seed(seed))
    }
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;
    use crate::Seed;

    #[test]
    fn only_a_seed_is_repeated() {
        let drawn = |mut entropy: Entropy| entropy.sampler().expect("random bits").next_u64();
        let seeded = |seed| drawn(Entropy::seeded_not_private(Seed(seed)));
        assert_eq!(seeded(1), seeded(1));
        assert_ne!(seeded(1), seeded(2));
        assert_ne!(drawn(Entropy::system()), drawn(Entropy::system()));
    }
}
