//! Keeps at most m records of each unit (owner of records), drawn uniformly.

use std::collections::HashMap;
use std::num::NonZeroU32;

use foldhash::fast::RandomState;
use rand::Rng;
use sha2::{Digest, Sha256};

use super::ids::Short;

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
    /// The place of each unit's reservoir, by its normalized name. A short name lies in the map
    /// itself, which is asked once for every record.
    short: HashMap<Short, usize, RandomState>,
    long: HashMap<Box<str>, usize, RandomState>,
    reservoirs: Vec<Reservoir>,
}

/// A uniform sample of the records seen so far (Vitter's Algorithm R, 1985).
struct Reservoir {
    seen: u64,
    /// The seed of this unit's draws; it is set once there are more records than are kept.
    start: u64,
    kept: Kept,
}

/// The most items that lie in a reservoir itself: with them it has 48 bytes, less than a cache
/// line, and a record of a unit with a small bound mostly costs one cache miss.
const FEW: usize = 6;

/// The items of the records that are kept, as many as are allowed or seen.
enum Kept {
    Few([u32; FEW]),
    Many(Vec<u32>),
}

impl Reservoir {
    fn new(most: usize) -> Self {
        let kept = if most <= FEW { Kept::Few([0; FEW]) } else { Kept::Many(Vec::new()) };
        Self { seen: 0, start: 0, kept }
    }

    /// The items of the records that are kept, of at most `most`.
    fn items(&self, most: usize) -> &[u32] {
        let kept = usize::try_from(self.seen).map_or(most, |seen| seen.min(most));
        match &self.kept {
            Kept::Few(items) => &items[..kept],
            Kept::Many(items) => items,
        }
    }

    fn set(&mut self, place: usize, item: u32) {
        match &mut self.kept {
            Kept::Few(items) => items[place] = item,
            Kept::Many(items) if place == items.len() => items.push(item),
            Kept::Many(items) => items[place] = item,
        }
    }

    /// Adds a record. The first `most` records are kept. Each later one, the n-th of all, takes the
    /// place of a random one of them with probability `most / n`. So by induction each of the first
    /// n records is kept with probability `most / n`.
    fn add(&mut self, item: u32, most: usize, start: impl FnOnce() -> u64) {
        self.seen += 1;
        if self.seen <= most as u64 {
            return self.set(self.seen as usize - 1, item);
        }
        if self.seen == most as u64 + 1 {
            self.start = start();
        }
        let place =
            below(self.seen, mixed(self.start.wrapping_add(self.seen.wrapping_mul(GOLDEN))));
        if place < most as u64 {
            self.set(place as usize, item);
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
        let (short, long) = (HashMap::default(), HashMap::default());
        Self { most, secret, short, long, reservoirs: Vec::new() }
    }

    /// The place of the unit of this short normalized name; `None` if it has no record yet.
    pub(super) fn place(&self, unit: Short) -> Option<usize> {
        self.short.get(&unit).copied()
    }

    /// The number of records of the unit at this place. To ask brings its reservoir into the cache.
    pub(super) fn seen(&self, place: usize) -> u64 {
        self.reservoirs[place].seen
    }

    /// Adds a record of the unit of this short normalized name. `place` is where it was found
    /// before, if it was; it may have come since.
    pub(super) fn add_short(&mut self, place: Option<usize>, unit: Short, item: u32) {
        let place =
            place.unwrap_or_else(|| *self.short.entry(unit).or_insert(self.reservoirs.len()));
        self.add_at(place, unit.text(&mut [0; 16]), item);
    }

    /// Adds a record of the unit of this normalized name.
    pub(super) fn add(&mut self, unit: &str, item: u32) {
        if let Some(short) = Short::of(unit) {
            return self.add_short(None, short, item);
        }
        let place = self.long.get(unit).copied().unwrap_or(self.reservoirs.len());
        if place == self.reservoirs.len() {
            self.long.insert(unit.into(), place);
        }
        self.add_at(place, unit, item);
    }

    fn add_at(&mut self, place: usize, unit: &str, item: u32) {
        let most = self.most.get() as usize;
        if place == self.reservoirs.len() {
            self.reservoirs.push(Reservoir::new(most));
        }
        self.reservoirs[place].add(item, most, || start(&self.secret, unit));
    }

    pub(super) fn len(&self) -> u64 {
        self.reservoirs.len() as u64
    }

    /// The items of all records that were kept.
    pub(super) fn kept(&self) -> impl Iterator<Item = u32> {
        let most = self.most.get() as usize;
        self.reservoirs.iter().flat_map(move |reservoir| reservoir.items(most).iter().copied())
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
        let kept: Vec<u32> = units.kept().collect();
        kept.windows(2).for_each(|pair| pairs[(8 * pair[0] + pair[1]) as usize] += 1);
        // 625 each, with a standard deviation of 25.
        assert!(pairs.iter().all(|&times| times.abs_diff(625) < 130), "{pairs:?}");
    }
}
