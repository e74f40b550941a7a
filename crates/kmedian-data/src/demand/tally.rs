//! Counts private records one at a time: each is dropped, or adds one to the count of its item.

use std::hint::black_box;
use std::num::NonZeroU32;

use rand::Rng;

use super::cell::{Cell, Digits};
use super::ids::Short;
use super::snap::{Places, Snapped};
use super::units::Units;
use super::{ItemKeys, NonPrivateFacts, PrivateDemand, normalized};

/// The number of records that are looked up together, so that their cache misses overlap. With
/// 100,000 items that halves the time of a table; more than 64 gain nothing.
const AT_A_TIME: usize = 64;

/// Counts records as they come, part after part, and never keeps them: a count for every item and,
/// where owners are bounded, at most `m` records of every owner. What
/// [`read_demand`](super::read_demand) says of privacy holds here too: a record that cannot be
/// counted is dropped.
///
/// ```
/// use kmedian_data::{Cell, ItemKeys, Tally};
/// use rand::{SeedableRng, rngs::ChaCha20Rng};
///
/// let keys = ItemKeys::positions(3);
/// let mut tally = Tally::new(&keys, None, &mut ChaCha20Rng::seed_from_u64(1));
/// for part in [&[0, 2][..], &[2], &[7]] {
///     part.iter().for_each(|&key| tally.add_cells(Cell::Whole(key), Cell::Missing));
/// }
/// assert_eq!(tally.finish().counts, [1, 0, 2]);
/// ```
pub struct Tally<'a> {
    keys: &'a ItemKeys<'a>,
    counts: Vec<u64>,
    units: Option<Units>,
    /// Records that are not counted yet, in their order.
    waiting: Vec<Waiting>,
    /// Coordinates of records that are not counted yet.
    places: Places,
    facts: NonPrivateFacts,
}

/// The key of a record: its item, or the text that names it.
#[derive(Clone, Copy)]
pub(crate) enum Key {
    /// The item, `None` if the key names none.
    Item(Option<u32>),
    /// The item is looked up later, together with others.
    Short(Short),
}

/// A record whose item and owner are to be looked up.
#[derive(Clone, Copy)]
struct Waiting {
    key: Key,
    /// The normalized name of its owner; `None` if it has no owner, or if owners are not bounded.
    owner: Option<Short>,
}

impl<'a> Tally<'a> {
    /// Counts nothing so far. At most `most` records of each owner will be counted, all of them if
    /// it is `None`; which ones follows from a secret that is drawn here.
    #[must_use]
    pub fn new(keys: &'a ItemKeys<'a>, most: Option<NonZeroU32>, rng: &mut dyn Rng) -> Self {
        Self {
            keys,
            counts: vec![0; keys.len()],
            units: most.map(|most| Units::new(most, rng)),
            waiting: Vec::with_capacity(AT_A_TIME),
            places: Places::default(),
            facts: NonPrivateFacts::default(),
        }
    }

    /// The key that a cell is.
    pub(crate) fn key(&self, cell: Cell<'_>) -> Key {
        self.keys.short(cell).map_or_else(|| Key::Item(self.keys.find_cell(cell)), Key::Short)
    }

    /// Counts a record by its item, `None` if its key names no item. `unit` is the cell that names
    /// its owner; it matters only where owners are bounded.
    pub(crate) fn add(&mut self, item: Option<u32>, unit: Cell<'_>) {
        self.add_by(Key::Item(item), unit);
    }

    /// Counts a record by the cell that names its item and the cell that names its owner, which
    /// matters only where owners are bounded.
    pub fn add_cells(&mut self, key: Cell<'_>, unit: Cell<'_>) {
        self.add_by(self.key(key), unit);
    }

    /// Counts a record by its key and the cell that names its owner.
    pub(crate) fn add_by(&mut self, key: Key, unit: Cell<'_>) {
        if self.units.is_none() {
            return self.wait(Waiting { key, owner: None });
        }
        match unit {
            Cell::Missing => self.wait(Waiting { key, owner: None }),
            Cell::Whole(number) => self.add_owned(key, Digits::of(number).text()),
            Cell::Text(text) => match normalized(text) {
                Some(owner) => self.add_owned(key, &owner),
                None => self.wait(Waiting { key, owner: None }),
            },
        }
    }

    /// Counts a record of the owner of this normalized name.
    fn add_owned(&mut self, key: Key, owner: &str) {
        if let Some(owner) = Short::of(owner) {
            return self.wait(Waiting { key, owner: Some(owner) });
        }
        // Which records of an owner are kept depends on their order.
        self.count_waiting();
        self.facts.records += 1;
        match (self.item(key), &mut self.units) {
            (Some(item), Some(units)) => units.add(owner, item),
            _ => self.facts.unknown += 1,
        }
    }

    fn wait(&mut self, record: Waiting) {
        self.waiting.push(record);
        if self.waiting.len() == AT_A_TIME {
            self.count_waiting();
        }
    }

    fn item(&self, key: Key) -> Option<u32> {
        match key {
            Key::Item(item) => item,
            Key::Short(key) => self.keys.find_short(key),
        }
    }

    /// Counts a record by its coordinates, NaN where there is no number, and by the cell that names
    /// its owner. The items must be [snapped](ItemKeys::snapped) to, and a place must have as many
    /// coordinates as [`Snap::dims`](super::Snap::dims) says.
    pub fn add_place(&mut self, place: impl Iterator<Item = f64>, unit: Cell<'_>) {
        let unit = if self.units.is_some() { unit } else { Cell::Missing };
        if self.places.push(place, unit) {
            self.count_places();
        }
    }

    /// Snaps the records that wait, and counts them in their order.
    fn count_places(&mut self) {
        let Some(snap) = self.keys.snap() else { return };
        let mut places = std::mem::take(&mut self.places);
        places.snap(snap, |found, unit| {
            let item = match found {
                Snapped::Item(item) => {
                    Some(item).filter(|&item| (item as usize) < self.counts.len())
                }
                Snapped::TooFar => {
                    self.facts.too_far += 1;
                    None
                }
                Snapped::Nowhere => None,
            };
            self.add(item, unit.into());
        });
        self.places = places;
    }

    fn count_waiting(&mut self) {
        let records = self.waiting.len();
        let (mut items, mut places) = ([None; AT_A_TIME], [None; AT_A_TIME]);
        for (item, record) in items.iter_mut().zip(&self.waiting) {
            *item = self.item(record.key);
        }
        if let Some(units) = &self.units {
            for (place, record) in places.iter_mut().zip(&self.waiting) {
                *place = record.owner.and_then(|owner| units.place(owner));
            }
            // Their cache misses overlap, too.
            black_box(places.iter().flatten().map(|&place| units.seen(place)).max());
        }
        self.facts.records += records as u64;
        for ((item, place), record) in items.iter().zip(&places).zip(&self.waiting) {
            match (*item, &mut self.units, record.owner) {
                (None, _, _) => self.facts.unknown += 1,
                (Some(item), None, _) => self.counts[item as usize] += 1,
                (Some(item), Some(units), Some(owner)) => units.add_short(*place, owner, item),
                (Some(_), Some(_), None) => self.facts.without_unit += 1,
            }
        }
        self.waiting.clear();
    }

    /// The counts of all records that were added.
    #[must_use]
    pub fn finish(mut self) -> PrivateDemand {
        self.count_places();
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
