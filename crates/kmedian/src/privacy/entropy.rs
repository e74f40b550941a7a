use rand::Rng;
use rand::rngs::ChaCha8Rng;

use crate::{Error, ErrorKind, Seed};

/// The number of 64-bit words that are read from the operating system at once: a system call for
/// each word would take far longer.
const BLOCK: usize = 1024;

/// Where private noise comes from: the operating system's random bits.
///
/// Noise protects nobody if it can be computed again. So it is not drawn from a [`Seed`], and not
/// from any generator of ours: every bit is read from the operating system. A seeded source exists
/// for tests and experiments; what is released with it says so, and is not private.
pub struct Entropy {
    source: Source,
    block: Vec<u64>,
    /// The bits that have not been handed out yet, in the lowest places.
    word: u64,
    /// The number of bits left in `word`.
    left: u32,
}

enum Source {
    System,
    Seeded(Box<ChaCha8Rng>),
}

impl Entropy {
    /// A source of the operating system's random bits, which nobody can repeat: the one to use for
    /// whatever is to be private.
    pub fn system() -> Self {
        Self::from_source(Source::System)
    }

    /// A source that anybody can repeat. What is released with it is **not private**.
    pub fn seeded_not_private(seed: Seed) -> Self {
        Self::from_source(Source::Seeded(Box::new(seed.stream("noise"))))
    }

    fn from_source(source: Source) -> Self {
        Self { source, block: Vec::new(), word: 0, left: 0 }
    }

    /// Whether the noise can be repeated, so that it protects nobody.
    pub fn is_seeded(&self) -> bool {
        matches!(self.source, Source::Seeded(_))
    }

    /// The next `count` random bits, in the lowest places of the number; at most 64.
    ///
    /// # Errors
    /// If the operating system has no random bits to give.
    #[inline]
    pub fn bits(&mut self, count: u32) -> Result<u64, Error> {
        if self.left < count {
            self.word = self.next_word()?;
            self.left = u64::BITS;
        }
        let bits = if count == u64::BITS { self.word } else { self.word & ((1 << count) - 1) };
        self.word = self.word.checked_shr(count).unwrap_or(0);
        self.left -= count;
        Ok(bits)
    }

    /// A random number below `bound`, each with the same probability; zero if the bound is zero.
    ///
    /// # Errors
    /// If the operating system has no random bits to give.
    #[inline]
    pub fn below(&mut self, bound: u64) -> Result<u64, Error> {
        let bits = u64::BITS - bound.saturating_sub(1).leading_zeros();
        loop {
            let drawn = self.bits(bits)?;
            if drawn < bound.max(1) {
                return Ok(drawn);
            }
        }
    }

    #[inline]
    fn next_word(&mut self) -> Result<u64, Error> {
        match self.block.pop() {
            Some(word) => Ok(word),
            None => self.refill(),
        }
    }

    #[cold]
    fn refill(&mut self) -> Result<u64, Error> {
        match &mut self.source {
            Source::System => {
                let mut bytes = vec![0; BLOCK * 8];
                getrandom::fill(&mut bytes).map_err(|error| {
                    let message = format!("the operating system gives no random bits: {error}");
                    Error::new(ErrorKind::Entropy, message)
                })?;
                let words = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
                self.block.extend(words);
            }
            Source::Seeded(rng) => self.block.extend((0..BLOCK).map(|_| rng.next_u64())),
        }
        Ok(self.block.pop().unwrap_or(0))
    }
}
