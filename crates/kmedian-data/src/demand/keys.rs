//! Finds the item that a cell of a private record names.

use std::collections::HashMap;
use std::path::Path;

use super::cell::{Cell, Digits};
use super::ids::{Ids, Short};
use super::names::{normalized, trimmed};
use super::snap::Snap;
use crate::error::{Error, ErrorKind, quote};

/// The number that stands for no item: the largest 32-bit number, which no item has.
const NOBODY: u32 = u32::MAX;

/// The keys by which records name the public items: ids, or numbers.
pub struct ItemKeys<'a> {
    items: usize,
    lookup: Lookup<'a>,
}

enum Lookup<'a> {
    Names {
        exact: Ids<'a>,
        /// The normalized forms of ids that differ from their form. A form that stands for several
        /// items has the number [`NOBODY`].
        normal: HashMap<String, u32>,
    },
    /// For each number, the item that it names, or [`NOBODY`].
    Numbers(Vec<u32>),
    /// Records have no keys, but coordinates.
    Places(&'a dyn Snap),
}

impl<'a> ItemKeys<'a> {
    /// Items that are named by ids, in their order.
    ///
    /// # Errors
    ///
    /// If two items have the same id: the item of a record would be ambiguous. The error names the
    /// file of the universe, which is `path`.
    pub fn named(path: &Path, ids: &'a [String]) -> Result<Self, Error> {
        let mut exact = Ids::with_capacity(ids.len());
        for (item, id) in ids.iter().map(|id| without_mark(id)).enumerate() {
            if let Some(first) = exact.insert(id, number(item)) {
                let what = format!(
                    "the items {first} and {item}, counted from 0, are both named {}; give every \
                     item an id of its own",
                    quote(id.as_bytes())
                );
                return Err(Error::new(ErrorKind::Value, path, what));
            }
        }
        let mut normal = HashMap::new();
        for (item, id) in ids.iter().map(|id| without_mark(id)).enumerate() {
            let Some(form) = normalized(id).filter(|form| form != id) else { continue };
            let shared = exact.get(&form).is_some() || normal.contains_key(&*form);
            normal.insert(form.into_owned(), if shared { NOBODY } else { number(item) });
        }
        Ok(Self { items: ids.len(), lookup: Lookup::Names { exact, normal } })
    }

    /// Items without ids: each is named by its position, from 0.
    #[must_use]
    pub fn positions(items: usize) -> Self {
        Self { items, lookup: Lookup::Numbers((0..items).map(number).collect()) }
    }

    /// Items that are named by these numbers, in their order. So the nodes of a component of a
    /// graph keep the numbers that they have in the file. If two items have the same number, it
    /// names the last one.
    #[must_use]
    pub fn numbered(numbers: &[usize]) -> Self {
        let mut lookup = vec![NOBODY; numbers.iter().max().map_or(0, |&largest| largest + 1)];
        for (item, &place) in numbers.iter().enumerate() {
            lookup[place] = number(item);
        }
        Self { items: numbers.len(), lookup: Lookup::Numbers(lookup) }
    }

    /// Items that records do not name: each record has coordinates, and goes to one of `items`
    /// items, which `snap` finds. The columns are those of
    /// [`DemandOptions::places`](super::DemandOptions::places).
    #[must_use]
    pub fn snapped(items: usize, snap: &'a dyn Snap) -> Self {
        Self { items, lookup: Lookup::Places(snap) }
    }

    /// What finds the items of coordinates, if records have these.
    pub(crate) fn snap(&self) -> Option<&'a dyn Snap> {
        match self.lookup {
            Lookup::Places(snap) => Some(snap),
            _ => None,
        }
    }

    /// The number of items.
    pub(crate) fn len(&self) -> usize {
        self.items
    }

    /// The item that a key names: the one with this id or, if there is none, the only one whose id
    /// has the same [`normalized`] form. So a number may be written as a decimal (`12.0`), as
    /// programs do in columns with missing values, and white space around it does not matter. The
    /// answer depends on the public items and on the key alone.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<u32> {
        let found = match &self.lookup {
            Lookup::Names { exact, normal } => exact.get(key).or_else(|| {
                let key = without_mark(key);
                exact.get(key).or_else(|| exact.get(trimmed(key))).or_else(|| {
                    let form = normalized(key)?;
                    normal.get(&*form).copied().or_else(|| exact.get(&form))
                })
            }),
            Lookup::Numbers(numbers) => {
                let place = key.parse().ok().or_else(|| normalized(key)?.parse().ok())?;
                numbers.get::<usize>(place).copied()
            }
            Lookup::Places(_) => None,
        };
        found.filter(|&item| item != NOBODY)
    }

    /// The item that a cell names. A whole number names what its digits name.
    ///
    /// ```
    /// use kmedian_data::{Cell, ItemKeys};
    ///
    /// let keys = ItemKeys::positions(9);
    /// assert_eq!(keys.find_cell(Cell::Whole(7)), keys.find("7"));
    /// assert_eq!(keys.find_cell(Cell::Missing), None);
    /// ```
    #[must_use]
    pub fn find_cell(&self, cell: Cell<'_>) -> Option<u32> {
        match (cell, &self.lookup) {
            (Cell::Missing, _) => None,
            (Cell::Text(key), _) => self.find(key),
            (Cell::Whole(number), Lookup::Numbers(numbers)) => {
                let item = numbers.get(usize::try_from(number).ok()?).copied();
                item.filter(|&item| item != NOBODY)
            }
            (Cell::Whole(number), Lookup::Names { .. }) => self.find(Digits::of(number).text()),
            (Cell::Whole(_), Lookup::Places(_)) => None,
        }
    }

    /// The text under which the item of a cell can be looked up later by
    /// [`find_short`](Self::find_short), together with others; `None` if it is too long for that,
    /// or if the item can be had at once.
    pub(super) fn short(&self, cell: Cell<'_>) -> Option<Short> {
        match (cell, &self.lookup) {
            (Cell::Text(key), _) => Short::of(key),
            (Cell::Whole(number), Lookup::Names { .. }) => Short::of(Digits::of(number).text()),
            (Cell::Whole(_), Lookup::Numbers(_) | Lookup::Places(_)) | (Cell::Missing, _) => None,
        }
    }

    /// The item that a short key names, as [`find`](Self::find) would find it.
    pub(super) fn find_short(&self, key: Short) -> Option<u32> {
        let known = match &self.lookup {
            Lookup::Names { exact, .. } => exact.get_short(key).filter(|&item| item != NOBODY),
            Lookup::Numbers(_) | Lookup::Places(_) => None,
        };
        known.or_else(|| self.find(key.text(&mut [0; 16])))
    }
}

/// The text without byte order marks in front of it. Neither ids nor keys have any: a table may
/// begin with one, and its first record must name the same item as if it were elsewhere.
fn without_mark(text: &str) -> &str {
    text.trim_start_matches('\u{feff}')
}

/// The number of an item in 32 bits; [`NOBODY`] if it does not fit.
fn number(item: usize) -> u32 {
    u32::try_from(item).unwrap_or(NOBODY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_whole_and_in_range() {
        let keys = ItemKeys::positions(13);
        for (key, item) in [("0", Some(0)), ("12", Some(12)), ("12.0", Some(12)), ("1e1", Some(10))]
        {
            assert_eq!(keys.find(key), item, "{key}");
        }
        for key in ["13", "-1", "1.5", "", "nan", "inf", "1e300", "99999999999999999999", "x"] {
            assert_eq!(keys.find(key), None, "{key}");
        }
        let keys = ItemKeys::numbered(&[2, 5, 3]);
        let found: Vec<_> = (0..7).map(|place| keys.find(&place.to_string())).collect();
        assert_eq!(found, [None, None, Some(0), Some(2), None, Some(1), None]);
        assert_eq!(ItemKeys::numbered(&[]).find("0"), None);
    }

    #[test]
    fn an_id_comes_before_its_normalized_form() {
        let ids = ["12", "a.0", "NA", " x", "7", "07", "1.0", "+1", "5e0"].map(String::from);
        let keys = ItemKeys::named(Path::new("u.csv"), &ids).ok().unwrap();
        for (key, item) in [
            ("12.0", Some(0)),
            ("a.0", Some(1)),
            ("NA", Some(2)),
            (" NA ", Some(2)),
            ("x", Some(3)),
            (" x", Some(3)),
            ("7", Some(4)),
            ("07", Some(5)),
            ("1.0", Some(6)),
            ("5", Some(8)),
            ("05.0", Some(8)),
        ] {
            assert_eq!(keys.find(key), item, "{key}");
        }
        // Two items have these forms, or none.
        for key in ["7.0", "007", "1", "01", "na", "n/a", "", "12.5", "a"] {
            assert_eq!(keys.find(key), None, "{key}");
        }
    }

    #[test]
    fn a_byte_order_mark_in_front_names_nothing() {
        let ids = ["a", "\u{feff}b", "\u{feff}07"].map(String::from);
        let keys = ItemKeys::named(Path::new("u.csv"), &ids).ok().unwrap();
        for (key, item) in [("a", 0), ("b", 1), ("07", 2), ("7", 2)] {
            for marks in ["", "\u{feff}", "\u{feff}\u{feff}"] {
                assert_eq!(keys.find(&format!("{marks}{key}")), Some(item), "{marks:?}{key}");
            }
        }
        let ids = ["a", "\u{feff}a"].map(String::from);
        assert!(ItemKeys::named(Path::new("u.csv"), &ids).is_err());
    }

    #[test]
    fn names_are_unique() {
        let ids = ["a", "b", "07"].map(String::from);
        let keys = ItemKeys::named(Path::new("u.csv"), &ids).ok().unwrap();
        assert_eq!((keys.find("07"), keys.find(" b\n"), keys.find("A")), (Some(2), Some(1), None));
        let ids = ["a", "b", "a"].map(String::from);
        let error = ItemKeys::named(Path::new("u.csv"), &ids).err().unwrap().to_string();
        assert!(error.starts_with("u.csv: the items 0 and 2, counted from 0, are both named `a`"));
    }
}
