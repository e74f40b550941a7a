//! Records that have raw coordinates: each goes to an item that is found from its coordinates
//! alone.

use super::cell::{Cell, Digits};

/// The records that are snapped together: few enough for the cache, enough for several threads.
const AT_A_TIME: usize = 1 << 13;

/// The most bytes that the names of owners take whose records wait to be snapped: 1 MiB, as a
/// single name may be long.
const NAME_BYTES: usize = 1 << 20;

/// Finds the items of raw coordinates.
///
/// What is found for a place must depend on that place and on public things alone, never on other
/// places of the same call or of earlier ones: that is what makes snapped records private.
pub trait Snap {
    /// The number of coordinates of a place.
    fn dims(&self) -> usize;

    /// Finds the item of each place. The coordinates are given row by row, [`Snap::dims`] for each
    /// place; one that is missing or unreadable is NaN. `found` has an entry for each place, and
    /// all are [`Snapped::Nowhere`] at first.
    fn snap(&self, places: &[f64], found: &mut [Snapped]);
}

/// What was found for a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Snapped {
    /// The nearest item.
    Item(u32),
    /// No item is near enough.
    TooFar,
    /// The coordinates are no place: one is missing, not finite or out of range.
    Nowhere,
}

/// Places of records that wait to be snapped, and the names of their owners.
#[derive(Default)]
pub(super) struct Places {
    places: Vec<f64>,
    names: String,
    /// For each record, where the name of its owner ends; `None` if there is no name.
    ends: Vec<Option<usize>>,
    found: Vec<Snapped>,
}

impl Places {
    /// Adds a record; true if those that wait must be snapped now.
    pub(super) fn push(&mut self, place: impl Iterator<Item = f64>, unit: Cell<'_>) -> bool {
        self.places.extend(place);
        match unit {
            Cell::Missing => {}
            Cell::Text(text) => self.names.push_str(text),
            Cell::Whole(number) => self.names.push_str(Digits::of(number).text()),
        }
        self.ends.push((unit != Cell::Missing).then_some(self.names.len()));
        self.ends.len() == AT_A_TIME || self.names.len() > NAME_BYTES
    }

    /// Snaps all records, and hands them out in their order, each with the name of its owner.
    pub(super) fn snap(&mut self, snap: &dyn Snap, mut add: impl FnMut(Snapped, Option<&str>)) {
        self.found.clear();
        self.found.resize(self.ends.len(), Snapped::Nowhere);
        snap.snap(&self.places, &mut self.found);
        let mut start = 0;
        for (&found, &end) in self.found.iter().zip(&self.ends) {
            add(found, end.map(|end| &self.names[start..end]));
            start = end.unwrap_or(start);
        }
        self.places.clear();
        self.names.clear();
        self.ends.clear();
    }
}
