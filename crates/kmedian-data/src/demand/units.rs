//! Keeps at most m records of each unit (owner of records), drawn uniformly.

use std::collections::HashMap;
use std::num::NonZeroU32;

use rand::Rng;
use sha2::{Digest, Sha256};

/// The odd number next to 2⁶⁴ divided by the golden ratio. It is odd, so its multiples modulo 2⁶⁴
/// run through all 64-bit numbers.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The reservoirs of all units.
///
/// What is kept of a unit is a function of its own records, in their order, and of one secret, so
/// no draw for one unit changes the draws for another. Privacy does not depend on the secret. It is
/// needed so that every record is kept equally often.
pub(super) struct Units {
    most: NonZeroU32,
    secret: [u8; 32],
    reservoirs: HashMap<Box<str>, Reservoir>,
}

/// A uniform sample of the records seen so far (Vitter's Algorithm R, 1985).
#[derive(Default)]
struct Reservoir {
    seen: u64,
    /// The seed of this unit's draws; it is set once there are more records than are kept.
    start: u64,
    kept: Vec<u32>,
}

impl Reservoir {
    /// Adds a record. The first `most` records are kept. Each later one, the n-th of all, takes the
    /// place of a random one of them with probability `most / n`. So by induction each of the first
    /// n records is kept with probability `most / n`.
    fn add(&mut self, item: u32, most: usize, start: impl FnOnce() -> u64) {
        self.seen += 1;
        if self.kept.len() < most {
            self.kept.push(item);
            return;
        }
        if self.seen == most as u64 + 1 {
            self.start = start();
        }
        let place =
            below(self.seen, mixed(self.start.wrapping_add(self.seen.wrapping_mul(GOLDEN))));
        if let Some(kept) = usize::try_from(place).ok().and_then(|place| self.kept.get_mut(place)) {
            *kept = item;
        }
    }
}

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014). It turns successive multiples of `GOLDEN`
/// into numbers that pass for random, in a nanosecond each.
fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// Maps a random 64-bit number to one below `bound`. All results are equally likely, up to a
/// relative difference of at most 2⁻⁶⁴ times the bound.
fn below(bound: u64, random: u64) -> u64 {
    ((u128::from(random) * u128::from(bound)) >> 64) as u64
}

impl Units {
    pub(super) fn new(most: NonZeroU32, rng: &mut dyn Rng) -> Self {
        let mut secret = [0; 32];
        rng.fill_bytes(&mut secret);
        Self { most, secret, reservoirs: HashMap::new() }
    }

    /// Adds a record of the unit of this normalized name.
    pub(super) fn add(&mut self, unit: &str, item: u32) {
        let most = self.most.get() as usize;
        let start = || start(&self.secret, unit);
        match self.reservoirs.get_mut(unit) {
            Some(reservoir) => reservoir.add(item, most, start),
            None => {
                let mut reservoir = Reservoir::default();
                reservoir.add(item, most, start);
                self.reservoirs.insert(unit.into(), reservoir);
            }
        }
    }

    pub(super) fn len(&self) -> u64 {
        self.reservoirs.len() as u64
    }

    /// The items of all records that were kept.
    pub(super) fn kept(&self) -> impl Iterator<Item = u32> {
        self.reservoirs.values().flat_map(|reservoir| reservoir.kept.iter().copied())
    }
}

/// The seed of a unit's draws: a hash of the secret and the unit's name.
fn start(secret: &[u8; 32], unit: &str) -> u64 {
    let digest = Sha256::new().chain_update(secret).chain_update(unit).finalize();
    digest.iter().take(8).fold(0, |number, &byte| (number << 8) | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{SeedableRng, rngs::ChaCha20Rng};

    #[test]
    fn every_record_is_kept_equally_often() {
        let mut rng = ChaCha20Rng::seed_from_u64(7);
        let mut kept = [0u32; 10];
        for _ in 0..40_000 {
            let mut units = Units::new(NonZeroU32::new(3).unwrap(), &mut rng);
            (0..10).for_each(|item| units.add("ann", item));
            assert_eq!(units.kept().count(), 3);
            units.kept().for_each(|item| kept[item as usize] += 1);
        }
        // 12,000 each, with a standard deviation of 92.
        assert!(kept.iter().all(|&times| times.abs_diff(12_000) < 500), "{kept:?}");
    }

    /// With one secret, units draw as independently of each other as with a secret each.
    #[test]
    fn units_draw_for_themselves() {
        let mut rng = ChaCha20Rng::seed_from_u64(7);
        let mut units = Units::new(NonZeroU32::MIN, &mut rng);
        for unit in 0..40_000 {
            (0..8).for_each(|item| units.add(&unit.to_string(), item));
        }
        let mut pairs = [0u32; 64];
        let kept: Vec<u32> =
            (0..40_000).map(|unit| units.reservoirs[&*unit.to_string()].kept[0]).collect();
        kept.windows(2).for_each(|pair| pairs[(8 * pair[0] + pair[1]) as usize] += 1);
        // 625 each, with a standard deviation of 25.
        assert!(pairs.iter().all(|&times| times.abs_diff(625) < 130), "{pairs:?}");
    }
}
