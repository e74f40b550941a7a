use rand::SeedableRng;
use rand::rngs::ChaCha20Rng;

use super::Entropy;
use crate::Error;

impl Entropy {
    /// A generator that chooses which records of a unit are counted, if it has too many.
    ///
    /// It begins with 256 bits of this source: from the operating system nobody can repeat the
    /// choice, from a seed anybody can. Take it before any noise is drawn, so that noise does not
    /// depend on whether there are units.
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
