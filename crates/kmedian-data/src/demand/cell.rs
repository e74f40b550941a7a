//! A cell of a column in memory that names an item or an owner: missing, a text, or a number.

/// A cell that names an item or an owner, borrowed from a column in memory.
///
/// A whole number names what its digits name, so `Whole(7)` and `Text("7")` are one item and one
/// owner. It saves writing the digits of every record and reading them again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell<'a> {
    /// There is no value, or none that can be read.
    Missing,
    /// Text as it is in the data. It is not normalized.
    Text(&'a str),
    /// A whole number.
    Whole(i64),
}

impl<'a> From<Option<&'a str>> for Cell<'a> {
    fn from(text: Option<&'a str>) -> Self {
        text.map_or(Self::Missing, Self::Text)
    }
}

/// The most characters of an [`i64`]: 19 digits and a sign.
const LONGEST: usize = 20;

/// The digits of a whole number, with a minus sign if it is negative, without an allocation.
pub(super) struct Digits {
    bytes: [u8; LONGEST],
    start: usize,
}

impl Digits {
    pub(super) fn of(number: i64) -> Self {
        let mut digits = Self { bytes: [0; LONGEST], start: LONGEST };
        let mut rest = number.unsigned_abs();
        loop {
            digits.push(b'0' + (rest % 10) as u8);
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if number < 0 {
            digits.push(b'-');
        }
        digits
    }

    /// Puts a byte before the others.
    fn push(&mut self, byte: u8) {
        self.start -= 1;
        self.bytes[self.start] = byte;
    }

    pub(super) fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes[self.start..]).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalized;

    #[test]
    fn digits_are_what_printing_gives_and_normal() {
        let powers = (0..63).flat_map(|bit| [(1i64 << bit) - 1, 1 << bit, -(1 << bit)]);
        let tens = (0..19).flat_map(|digits| [10i64.pow(digits), 10i64.pow(digits) - 1]);
        for number in powers.chain(tens).chain([i64::MIN, i64::MAX]) {
            let digits = Digits::of(number);
            assert_eq!(digits.text(), number.to_string());
            assert_eq!(normalized(digits.text()).as_deref(), Some(digits.text()));
        }
    }
}
