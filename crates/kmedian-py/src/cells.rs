//! The cells of a column, copied out of Python.

use std::fmt::{Display, Write};
use std::sync::Arc;

use kmedian_data::Cell;

/// The length in bytes of the longest cell that is kept: 64 KiB. Keys and owners are shorter, and
/// one cell cannot fill the memory. A longer cell counts as missing.
pub(crate) const LONGEST: usize = 1 << 16;

/// The cells of a column, in the form that takes least work. What a cell says does not depend on
/// the form: a whole number says what its digits say.
pub(crate) enum Cells {
    /// Numbers.
    Numbers(Numbers),
    /// Text.
    Texts(Texts),
    /// Cells of another column, by their places in it; an impossible place is a missing cell.
    Taken(Vec<u32>, Arc<Cells>),
}

impl Cells {
    /// The number of cells.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.whole.len(),
            Self::Texts(texts) => texts.ends.len(),
            Self::Taken(places, _) => places.len(),
        }
    }

    /// What a cell says; missing if it is empty or unreadable, or if there is no such cell.
    pub(crate) fn get(&self, at: usize) -> Cell<'_> {
        match self {
            Self::Numbers(numbers) => numbers.get(at),
            Self::Texts(texts) => texts.get(at).into(),
            Self::Taken(places, of) => {
                places.get(at).map_or(Cell::Missing, |&place| of.get(place as usize))
            }
        }
    }

    /// All cells, in their order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Cell<'_>> {
        (0..self.len()).map(|at| self.get(at))
    }
}

/// Numbers, whole ones as they are and others as text. So one that is not whole does not change how
/// long the others take.
pub(crate) struct Numbers {
    /// The numbers; the place in `odd` for one that is kept there.
    whole: Vec<i64>,
    /// What each of `whole` is; `None` if all are numbers.
    marks: Option<Vec<Mark>>,
    odd: Texts,
}

/// What an entry of [`Numbers`] is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Whole,
    Missing,
    Odd,
}

impl Numbers {
    /// Numbers of which some are `missing`, or count as missing by `is_missing`. `whole` is a
    /// number as a whole number with the same digits, if there is one.
    pub(crate) fn new<T: Copy + Display>(
        numbers: &[T],
        missing: Option<&[bool]>,
        whole: impl Fn(T) -> Option<i64>,
        is_missing: impl Fn(T) -> bool,
    ) -> Self {
        let room = Vec::with_capacity(numbers.len());
        let mut found = Self { whole: room, marks: None, odd: Texts::default() };
        let masked = |at: usize| missing.is_some_and(|missing| missing.get(at) != Some(&false));
        for (at, &number) in numbers.iter().enumerate() {
            let (entry, mark) = if masked(at) || is_missing(number) {
                (0, Mark::Missing)
            } else if let Some(whole) = whole(number) {
                (whole, Mark::Whole)
            } else {
                found.odd.add_number(number);
                found.odd.end_cell();
                (found.odd.ends.len() as i64 - 1, Mark::Odd)
            };
            found.whole.push(entry);
            if mark != Mark::Whole {
                found.marks.get_or_insert_with(|| vec![Mark::Whole; numbers.len()])[at] = mark;
            }
        }
        found
    }

    fn get(&self, at: usize) -> Cell<'_> {
        let Some(&entry) = self.whole.get(at) else { return Cell::Missing };
        match self.marks.as_ref().map_or(Mark::Whole, |marks| marks[at]) {
            Mark::Whole => Cell::Whole(entry),
            Mark::Missing => Cell::Missing,
            Mark::Odd => self.odd.get(entry as usize).into(),
        }
    }
}

/// Texts, one after the other in one buffer.
#[derive(Default)]
pub(crate) struct Texts {
    text: String,
    /// For each cell, the position in the text where it ends and the next one begins.
    ends: Vec<usize>,
}

impl Texts {
    fn get(&self, at: usize) -> Option<&str> {
        let end = *self.ends.get(at)?;
        let begin = at.checked_sub(1).map_or(0, |last| self.ends[last]);
        self.text.get(begin..end).filter(|text| !text.is_empty())
    }

    /// Makes room for as many more cells.
    pub(crate) fn reserve(&mut self, cells: usize) {
        self.ends.reserve(cells);
    }

    /// Ends a cell: what was added since the last one is its text. Nothing is a missing cell.
    pub(crate) fn end_cell(&mut self) {
        self.ends.push(self.text.len());
    }

    /// Adds to a cell the text that it consists of, unless it is too long.
    pub(crate) fn add_text(&mut self, text: &str) {
        if text.len() <= LONGEST {
            self.text.push_str(text);
        }
    }

    /// Adds to a cell the bytes that it consists of, unless they are not UTF-8.
    pub(crate) fn add_bytes(&mut self, bytes: &[u8]) {
        std::str::from_utf8(bytes).iter().for_each(|text| self.add_text(text));
    }

    pub(crate) fn add_number(&mut self, number: impl Display) {
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{number}");
    }

    /// Adds to a cell the characters that it consists of, unless one of them is none.
    pub(crate) fn add_characters(&mut self, codes: &[u32]) {
        let start = self.text.len();
        for &code in codes {
            match char::from_u32(code) {
                Some(character) => self.text.push(character),
                None => return self.text.truncate(start),
            }
        }
        if self.text.len() - start > LONGEST {
            self.text.truncate(start);
        }
    }
}

/// A float as a whole number that is written with the same digits; `None` if there is none.
/// Negative zero is written with its sign, so it is none.
pub(crate) fn whole_float(number: f64) -> Option<i64> {
    // 2⁵³: up to there every whole number is a float, so no digit is made up.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let whole = number.fract() == 0.0 && number.abs() <= EXACT;
    let negative_zero = number == 0.0 && number.is_sign_negative();
    (whole && !negative_zero).then_some(number as i64)
}
