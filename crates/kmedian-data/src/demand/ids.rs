//! A hash map from ids to items that causes few cache misses.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// The length in bytes of the longest id that is kept inside the map itself. With its length it
/// takes 16 bytes, and most keys of tables are no longer.
const MOST_INSIDE: usize = 15;

/// A text of at most 15 bytes, without an allocation: its bytes, then zeros, and its length in the
/// last byte. Different texts are different values.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Short(u64, u64);

impl Short {
    pub(super) fn of(text: &str) -> Option<Self> {
        if text.len() > MOST_INSIDE {
            return None;
        }
        let mut bytes = [0; MOST_INSIDE + 1];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        bytes[MOST_INSIDE] = text.len() as u8;
        let (low, high) = bytes.split_at(8);
        Some(Self(
            u64::from_le_bytes(low.try_into().ok()?),
            u64::from_le_bytes(high.try_into().ok()?),
        ))
    }

    /// The text. It is written to `bytes`, which it borrows.
    pub(super) fn text(self, bytes: &mut [u8; MOST_INSIDE + 1]) -> &str {
        bytes[..8].copy_from_slice(&self.0.to_le_bytes());
        bytes[8..].copy_from_slice(&self.1.to_le_bytes());
        let length = usize::from(bytes[MOST_INSIDE]);
        std::str::from_utf8(&bytes[..length]).unwrap_or_default()
    }
}

/// A map from the ids of items to their numbers.
///
/// It is asked once for every record, in random order. A map from strings has two cache misses, one
/// for its entry and one for the string; here the entry of a short id holds its bytes.
pub(super) struct Ids<'a> {
    short: HashMap<Short, u32, RandomState>,
    long: HashMap<&'a str, u32, RandomState>,
}

impl<'a> Ids<'a> {
    pub(super) fn with_capacity(ids: usize) -> Self {
        Self {
            short: HashMap::with_capacity_and_hasher(ids, RandomState::default()),
            long: HashMap::default(),
        }
    }

    /// Sets the number of an id, and returns the one that it had before.
    pub(super) fn insert(&mut self, id: &'a str, number: u32) -> Option<u32> {
        match Short::of(id) {
            Some(short) => self.short.insert(short, number),
            None => self.long.insert(id, number),
        }
    }

    pub(super) fn get(&self, id: &str) -> Option<u32> {
        match Short::of(id) {
            Some(short) => self.get_short(short),
            None => self.long.get(id).copied(),
        }
    }

    pub(super) fn get_short(&self, id: Short) -> Option<u32> {
        self.short.get(&id).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_every_length_are_told_apart() {
        // Bytes of zero are where a shorter id has none.
        let texts: Vec<String> =
            (0..40).flat_map(|length| ["a", "\0"].map(|letter| letter.repeat(length))).collect();
        for text in &texts {
            let short = Short::of(text);
            assert_eq!(short.is_some(), text.len() <= 15);
            assert!(short.is_none_or(|short| short.text(&mut [0; 16]) == text));
        }
        let mut ids = Ids::with_capacity(texts.len());
        let mut seen = 0;
        for text in &texts {
            if ids.get(text).is_none() {
                assert_eq!(ids.insert(text, seen), None);
                seen += 1;
            }
        }
        // The empty text is there twice.
        assert_eq!(seen, 79);
        assert_eq!((ids.get(""), ids.get("aa"), ids.get("\0\0")), (Some(0), Some(3), Some(4)));
        assert_eq!((ids.get(&"a".repeat(39)), ids.get(&"a".repeat(40))), (Some(77), None));
        assert_eq!(ids.insert("aa", 9), Some(3));
    }
}
