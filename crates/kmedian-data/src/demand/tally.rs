//! Counting records one at a time.

use std::num::NonZeroU32;

use rand::Rng;

use super::ids::Short;
use super::units::Units;
use super::{ItemKeys, NonPrivateFacts, PrivateDemand, normalized};

/// The number of keys that are looked up together, so that their cache misses overlap. With 100,000
/// items that halves the time of a table; more than 64 gain nothing.
const AT_A_TIME: usize = 64;

/// The counts of records so far, and how many were dropped.
pub(crate) struct Tally<'a> {
    keys: &'a ItemKeys<'a>,
    counts: Vec<u64>,
    units: Option<Units>,
    /// Keys of records that are not counted yet.
    waiting: Vec<Short>,
    facts: NonPrivateFacts,
}

impl<'a> Tally<'a> {
    pub(super) fn new(keys: &'a ItemKeys<'a>, most: Option<NonZeroU32>, rng: &mut dyn Rng) -> Self {
        Self {
            keys,
            counts: vec![0; keys.len()],
            units: most.map(|most| Units::new(most, rng)),
            waiting: Vec::with_capacity(AT_A_TIME),
            facts: NonPrivateFacts::default(),
        }
    }

    /// The item that a key names.
    pub(crate) fn find(&self, key: &str) -> Option<u32> {
        self.keys.find(key)
    }

    /// Counts a record by its item, `None` if its key names no item. `unit` is the cell that names
    /// its owner, if there is one; it matters only where owners are bounded.
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

    /// Counts a record by the cell that names its item and the cell that names its owner, if there
    /// are such cells.
    pub(crate) fn add_key(&mut self, key: Option<&str>, unit: Option<&str>) {
        // Which records of an owner are kept depends on their order. So where owners are bounded,
        // no record waits.
        match key.and_then(Short::of) {
            Some(short) if self.units.is_none() => {
                self.waiting.push(short);
                if self.waiting.len() == AT_A_TIME {
                    self.count_waiting();
                }
            }
            _ => self.add(key.and_then(|key| self.find(key)), unit),
        }
    }

    fn count_waiting(&mut self) {
        let mut found = [None; AT_A_TIME];
        for (found, &key) in found.iter_mut().zip(&self.waiting) {
            *found = self.keys.find_short(key);
        }
        for item in &found[..self.waiting.len()] {
            self.add(*item, None);
        }
        self.waiting.clear();
    }

    pub(super) fn finish(mut self) -> PrivateDemand {
        self.count_waiting();
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
