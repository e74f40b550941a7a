//! How a record names its item.

use std::collections::HashMap;
use std::path::Path;

use crate::error::{Error, ErrorKind, quote};

/// Stands for a number that is no item's.
const NOBODY: u32 = u32::MAX;

/// The public items, by the keys that records name them with.
pub struct ItemKeys<'a> {
    items: usize,
    lookup: Lookup<'a>,
}

enum Lookup<'a> {
    Names(HashMap<&'a str, u32>),
    /// The item at each number.
    Numbers(Vec<u32>),
}

impl<'a> ItemKeys<'a> {
    /// Items with ids, in their order.
    ///
    /// # Errors
    ///
    /// If two items have the same id: nobody could say whose a record is. The error names the file of
    /// the universe, which is `path`.
    pub fn named(path: &Path, ids: &'a [String]) -> Result<Self, Error> {
        let mut names = HashMap::with_capacity(ids.len());
        for (item, id) in ids.iter().enumerate() {
            if let Some(first) = names.insert(id.as_str(), number(item)) {
                let what = format!(
                    "the items {first} and {item}, counted from 0, are both named {}; give every \
                     item an id of its own",
                    quote(id.as_bytes())
                );
                return Err(Error::new(ErrorKind::Value, path, what));
            }
        }
        Ok(Self { items: ids.len(), lookup: Lookup::Names(names) })
    }

    /// Items without ids: each is named by its position, from 0.
    #[must_use]
    pub fn positions(items: usize) -> Self {
        Self { items, lookup: Lookup::Numbers((0..items).map(number).collect()) }
    }

    /// Items that are named by these numbers, in their order: the nodes of a graph's component keep
    /// the numbers that they have in the file. Of two items with the same number the last one has it.
    #[must_use]
    pub fn numbered(numbers: &[usize]) -> Self {
        let mut lookup = vec![NOBODY; numbers.iter().max().map_or(0, |&largest| largest + 1)];
        for (item, &place) in numbers.iter().enumerate() {
            lookup[place] = number(item);
        }
        Self { items: numbers.len(), lookup: Lookup::Numbers(lookup) }
    }

    /// The number of items.
    pub(crate) fn len(&self) -> usize {
        self.items
    }

    /// The item of this key. A number may be written as a decimal, as tables with gaps do (`12.0`).
    pub(crate) fn find(&self, key: &str) -> Option<u32> {
        match &self.lookup {
            Lookup::Names(names) => names.get(key).copied().or_else(|| {
                let number = whole(key).filter(|_| key.contains('.'))?;
                names.get(number.to_string().as_str()).copied()
            }),
            Lookup::Numbers(numbers) => {
                let place = key.parse().ok().or_else(|| whole(key))?;
                numbers.get::<usize>(place).copied().filter(|&item| item != NOBODY)
            }
        }
    }
}

fn whole(text: &str) -> Option<usize> {
    let value: f64 = text.trim().parse().ok()?;
    (value.fract() == 0.0 && (0.0..9e15).contains(&value)).then_some(value as usize)
}

/// The algorithms count items by 32 bits; an item beyond them is nobody's.
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
    fn names_are_unique() {
        let ids = ["a", "b", "07"].map(String::from);
        let keys = ItemKeys::named(Path::new("u.csv"), &ids).ok().unwrap();
        assert_eq!((keys.find("07"), keys.find("7"), keys.find("A")), (Some(2), None, None));
        let ids = ["12", "a.0"].map(String::from);
        let keys = ItemKeys::named(Path::new("u.csv"), &ids).ok().unwrap();
        assert_eq!(
            (keys.find("12.0"), keys.find("a.0"), keys.find("12.5")),
            (Some(0), Some(1), None)
        );
        let ids = ["a", "b", "a"].map(String::from);
        let error = ItemKeys::named(Path::new("u.csv"), &ids).err().unwrap().to_string();
        assert!(error.starts_with("u.csv: the items 0 and 2, counted from 0, are both named `a`"));
    }
}
