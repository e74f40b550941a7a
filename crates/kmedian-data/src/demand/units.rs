//! At most m records of each unit, drawn uniformly.

use std::collections::HashMap;
use std::num::NonZeroU32;

use rand::{Rng, RngExt};

/// The reservoirs of all units.
pub(super) struct Units<'a> {
    most: NonZeroU32,
    rng: &'a mut dyn Rng,
    reservoirs: HashMap<Box<str>, Reservoir>,
}

/// A uniform sample of the records seen so far (Vitter's Algorithm R, 1985).
#[derive(Default)]
struct Reservoir {
    seen: u64,
    kept: Vec<u32>,
}

impl Reservoir {
    /// The first `most` records are kept. The n-th after that takes the place of one of them with
    /// probability `most / n`, each with the same; so by induction every record is among those kept
    /// with probability `most / n`.
    fn add(&mut self, item: u32, most: usize, rng: &mut dyn Rng) {
        self.seen += 1;
        if self.kept.len() < most {
            self.kept.push(item);
            return;
        }
        let place = rng.random_range(0..self.seen);
        if let Some(kept) = usize::try_from(place).ok().and_then(|place| self.kept.get_mut(place)) {
            *kept = item;
        }
    }
}

impl<'a> Units<'a> {
    pub(super) fn new(most: NonZeroU32, rng: &'a mut dyn Rng) -> Self {
        Self { most, rng, reservoirs: HashMap::new() }
    }

    pub(super) fn add(&mut self, unit: &str, item: u32) {
        let most = self.most.get() as usize;
        match self.reservoirs.get_mut(unit) {
            Some(reservoir) => reservoir.add(item, most, self.rng),
            None => {
                let mut reservoir = Reservoir::default();
                reservoir.add(item, most, self.rng);
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

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{SeedableRng, rngs::ChaCha20Rng};

    #[test]
    fn every_record_is_kept_equally_often() {
        let mut rng = ChaCha20Rng::seed_from_u64(7);
        let mut kept = [0u32; 10];
        for _ in 0..40_000 {
            let mut reservoir = Reservoir::default();
            (0..10).for_each(|item| reservoir.add(item, 3, &mut rng));
            assert_eq!(reservoir.kept.len(), 3);
            reservoir.kept.iter().for_each(|&item| kept[item as usize] += 1);
        }
        // 12,000 each, with a standard deviation of 92.
        assert!(kept.iter().all(|&times| times.abs_diff(12_000) < 500), "{kept:?}");
    }
}
