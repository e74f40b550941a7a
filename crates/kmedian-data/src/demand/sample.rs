//! Draws at most m records of a unit from the number of its records at each item.

use std::collections::HashSet;
use std::num::NonZeroU32;

use foldhash::fast::RandomState;
use rand::rngs::ChaCha20Rng;
use rand::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

/// Draws which records of each unit (owner of records) are counted, where a unit's records are
/// known by their number at each item, as a cluster of machines groups them.
///
/// A sample is uniform among all of that size, so the numbers that are kept of the items follow the
/// multivariate hypergeometric distribution, as if a reservoir had seen the records one by one. It
/// is a function of the unit's own numbers, of its name and of one secret. So a task that is run
/// again draws the same, and nothing depends on other units, on the order of records, or on how
/// they were distributed over machines.
///
/// ```
/// use kmedian_data::UnitSample;
/// use std::num::NonZeroU32;
///
/// let sample = UnitSample::new([7; 32], NonZeroU32::new(3).unwrap());
/// let (mut visits, mut again) = (vec![(4, 10), (2, 5)], vec![(2, 5), (4, 6), (4, 4)]);
/// sample.keep(b"ann", &mut visits);
/// sample.keep(b"ann", &mut again);
/// assert_eq!(visits, again);
/// assert_eq!(visits.iter().map(|&(_, records)| records).sum::<u64>(), 3);
/// ```
pub struct UnitSample {
    secret: [u8; 32],
    most: NonZeroU32,
}

impl UnitSample {
    /// At most `most` records of each unit will be kept; which ones follows from the secret.
    #[must_use]
    pub fn new(secret: [u8; 32], most: NonZeroU32) -> Self {
        Self { secret, most }
    }

    /// Keeps at most as many records of a unit as are allowed. `records` are pairs of an item and a
    /// number of records, in any order, where an item may come more than once; afterwards they are
    /// in the order of the items, each of which comes once.
    pub fn keep(&self, unit: &[u8], records: &mut Vec<(u32, u64)>) {
        merge(records);
        let all = records.iter().fold(0u64, |sum, &(_, records)| sum.saturating_add(records));
        let most = u64::from(self.most.get());
        if all <= most {
            return;
        }
        // It is as good to draw those that are dropped, if these are fewer.
        let keeps = most <= all - most;
        let drawn = places(all, if keeps { most } else { all - most }, &mut self.generator(unit));
        let mut drawn = drawn.into_iter().peekable();
        let mut end = 0u64;
        for (_, records) in records.iter_mut() {
            end = end.saturating_add(*records);
            let mut here = 0;
            while drawn.next_if(|&place| place < end).is_some() {
                here += 1;
            }
            *records = if keeps { here } else { *records - here };
        }
        records.retain(|&(_, records)| records > 0);
    }

    /// The generator of a unit's draws, from a hash of the secret and its name.
    fn generator(&self, unit: &[u8]) -> ChaCha20Rng {
        let digest = Sha256::new().chain_update(self.secret).chain_update(unit).finalize();
        ChaCha20Rng::from_seed(digest.into())
    }
}

/// Sorts pairs by their items, and adds up those of the same item.
fn merge(records: &mut Vec<(u32, u64)>) {
    records.sort_unstable_by_key(|&(item, _)| item);
    records.dedup_by(|later, first| {
        let same = later.0 == first.0;
        if same {
            first.1 = first.1.saturating_add(later.1);
        }
        same
    });
}

/// A uniform sample of `wanted` of the numbers below `of`, in ascending order (Floyd's algorithm:
/// Bentley and Floyd 1987).
fn places(of: u64, wanted: u64, rng: &mut impl Rng) -> Vec<u64> {
    let mut chosen: HashSet<u64, RandomState> = HashSet::default();
    for last in of - wanted..of {
        let place = at_most(last, rng);
        if !chosen.insert(place) {
            chosen.insert(last);
        }
    }
    let mut chosen: Vec<u64> = chosen.into_iter().collect();
    chosen.sort_unstable();
    chosen
}

/// A number from 0 to `last`, all equally likely: random bits, drawn again while they are too
/// large.
fn at_most(last: u64, rng: &mut impl Rng) -> u64 {
    let mask = u64::MAX.checked_shr(last.leading_zeros()).unwrap_or(0);
    loop {
        let number = rng.next_u64() & mask;
        if number <= last {
            return number;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn sampler(secret: u32, most: u32) -> UnitSample {
        let mut bytes = [0; 32];
        bytes[..4].copy_from_slice(&secret.to_le_bytes());
        UnitSample::new(bytes, NonZeroU32::new(most).unwrap())
    }

    /// Binomial coefficients of small numbers.
    fn choose(n: u64, k: u64) -> f64 {
        (0..k).map(|at| (n - at) as f64 / (at + 1) as f64).product()
    }

    /// Chi-square against the multivariate hypergeometric distribution, where few and where most of
    /// the records are kept.
    #[test]
    fn what_is_kept_is_hypergeometric() {
        const RUNS: u32 = 40_000;
        for most in [2, 6] {
            let mut seen: BTreeMap<[u64; 3], f64> = BTreeMap::new();
            for secret in 0..RUNS {
                let mut records = vec![(2, 1), (0, 4), (1, 3)];
                sampler(secret, most).keep(b"ann", &mut records);
                let mut kept = [0; 3];
                records.iter().for_each(|&(item, records)| kept[item as usize] = records);
                assert_eq!(kept.iter().sum::<u64>(), u64::from(most));
                *seen.entry(kept).or_default() += 1.0;
            }
            let mut square = 0.0;
            let mut cells = 0;
            for (a, b, c) in
                (0..=4).flat_map(|a| (0..=3).flat_map(move |b| (0..=1).map(move |c| (a, b, c))))
            {
                if a + b + c == u64::from(most) {
                    let share = choose(4, a) * choose(3, b) * choose(1, c) / choose(8, most.into());
                    let expected = share * f64::from(RUNS);
                    square += (seen.get(&[a, b, c]).copied().unwrap_or(0.0) - expected).powi(2)
                        / expected;
                    cells += 1;
                }
            }
            assert_eq!(cells, seen.len());
            // The chi-square distribution of five degrees of freedom exceeds 36 once in a million.
            assert!(cells <= 6 && square < 36.0, "{square}");
        }
    }

    #[test]
    fn few_records_are_all_kept_and_many_as_many_as_allowed() {
        let mut records = vec![(5, 2), (1, 0), (5, 1)];
        sampler(1, 3).keep(b"ann", &mut records);
        assert_eq!(records, [(1, 0), (5, 3)]);
        for most in [1, 7, 1000, 1999, 2000] {
            let mut records = vec![(1, 1000), (0, 1), (2, 999)];
            sampler(1, most).keep(b"ann", &mut records);
            let kept: u64 = records.iter().map(|&(_, records)| records).sum();
            assert_eq!(kept, u64::from(most));
            assert!(records.iter().all(|&(item, kept)| kept <= [1, 1000, 999][item as usize]));
        }
        let mut huge = vec![(0, u64::MAX), (1, u64::MAX)];
        sampler(1, 2).keep(b"ann", &mut huge);
        assert_eq!(huge.iter().map(|&(_, records)| records).sum::<u64>(), 2);
    }

    /// The order of pairs, and how the records of an item are split, change nothing; another name
    /// and another secret do.
    #[test]
    fn a_sample_is_a_function_of_numbers_name_and_secret() {
        let kept = |secret, unit: &[u8], mut records: Vec<(u32, u64)>| {
            sampler(secret, 50).keep(unit, &mut records);
            records
        };
        let whole = kept(3, b"ann", vec![(1, 70), (2, 80), (9, 90)]);
        assert_eq!(whole, kept(3, b"ann", vec![(9, 1), (2, 80), (1, 70), (9, 89)]));
        assert_ne!(whole, kept(3, b"bob", vec![(1, 70), (2, 80), (9, 90)]));
        assert_ne!(whole, kept(4, b"ann", vec![(1, 70), (2, 80), (9, 90)]));
    }
}
