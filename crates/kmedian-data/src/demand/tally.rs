//! Counting records one at a time.

use std::num::NonZeroU32;

use rand::Rng;

use super::units::Units;
use super::{ItemKeys, NonPrivateFacts, PrivateDemand, normalized};

/// The counts so far.
pub(crate) struct Tally<'a> {
    keys: &'a ItemKeys<'a>,
    counts: Vec<u64>,
    units: Option<Units>,
    facts: NonPrivateFacts,
}

impl<'a> Tally<'a> {
    pub(super) fn new(keys: &'a ItemKeys<'a>, most: Option<NonZeroU32>, rng: &mut dyn Rng) -> Self {
        Self {
            keys,
            counts: vec![0; keys.len()],
            units: most.map(|most| Units::new(most, rng)),
            facts: NonPrivateFacts::default(),
        }
    }

    /// The item of this key.
    pub(crate) fn find(&self, key: &str) -> Option<u32> {
        self.keys.find(key)
    }

    /// Counts a record: its item, if its key is an item's, and the cell that names its unit, if
    /// there is one; that matters only where units are bounded.
    pub(crate) fn add(&mut self, item: Option<u32>, unit: Option<&str>) {
        self.facts.records += 1;
        let Some(item) = item else {
            self.facts.unknown += 1;
            return;
        };
        match (&mut self.units, unit.and_then(normalized)) {
            (None, _) => self.counts[item as usize] += 1,
            (Some(units), Some(unit)) => units.add(&unit, item),
            (Some(_), None) => self.facts.without_unit += 1,
        }
    }

    pub(super) fn finish(mut self) -> PrivateDemand {
        if let Some(units) = &self.units {
            let mut kept = 0;
            for item in units.kept() {
                self.counts[item as usize] += 1;
                kept += 1;
            }
            let facts = &mut self.facts;
            facts.units = Some(units.len());
            facts.over_bound = facts.records - facts.unknown - facts.without_unit - kept;
        }
        PrivateDemand { counts: self.counts, nonprivate: self.facts }
    }
}
