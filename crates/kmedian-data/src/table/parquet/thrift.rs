//! Walks over Thrift's compact protocol, in which Parquet writes its index and the headers of its
//! pages.
//!
//! A list in a file may claim any length. A reader that allocates memory for all elements before it
//! has seen one can be made to ask for any amount of memory. This walk allocates nothing; what it
//! has walked over does have all the elements that it claims.

/// The deepest nesting of structs and lists that is walked over. Parquet itself needs six levels.
const DEEPEST: u32 = 32;

/// Thrift's number for the type of a list.
pub(super) const LIST: u8 = 9;
/// Thrift's number for the type of a struct.
pub(super) const STRUCT: u8 = 12;

/// Bytes that have not been walked over yet.
#[derive(Clone, Copy)]
pub(super) struct Walk<'a> {
    rest: &'a [u8],
}

impl<'a> Walk<'a> {
    pub(super) fn over(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The number of bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    /// Reads an unsigned number of at most 64 bits, of which each byte holds seven.
    pub(super) fn unsigned(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// Reads a signed number, as fields of 16, 32 and 64 bits encode it.
    pub(super) fn number(&mut self) -> Option<i64> {
        let zigzag = self.unsigned()?;
        Some((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
    }

    /// Reads the length of a list and the type of its elements. `None` if the list claims more
    /// elements than there are bytes left.
    pub(super) fn list(&mut self) -> Option<(usize, u8)> {
        let head = self.byte()?;
        let length = match head >> 4 {
            15 => usize::try_from(self.unsigned()?).ok()?,
            short => usize::from(short),
        };
        (length <= self.left()).then_some((length, head & 15))
    }

    /// Walks over the fields of a struct. `visit` gets the number and the type of each field, and
    /// returns whether it has walked over the value itself. `None` if the bytes are not a struct.
    pub(super) fn fields(
        &mut self,
        mut visit: impl FnMut(i64, u8, &mut Self) -> Option<bool>,
    ) -> Option<()> {
        let mut number = 0i64;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Some(());
            }
            number = match head >> 4 {
                0 => self.number()?,
                step => number.checked_add(i64::from(step))?,
            };
            if !visit(number, head & 15, self)? {
                self.pass(head & 15, DEEPEST, false)?;
            }
        }
    }

    /// Walks over an element of a list that has this type. `None` if it is damaged or cut short.
    pub(super) fn skip(&mut self, kind: u8) -> Option<()> {
        self.pass(kind, DEEPEST, true)
    }

    /// Walks over a value. As an `element` of a list a Boolean is a byte; as a field it is a part
    /// of the field's header.
    fn pass(&mut self, kind: u8, depth: u32, element: bool) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            1 | 2 if element => self.byte().map(|_| ()),
            1 | 2 => Some(()),
            3 => self.byte().map(|_| ()),
            4..=6 => self.unsigned().map(|_| ()),
            7 => self.jump(8),
            8 => {
                let length = self.unsigned()?;
                self.jump(usize::try_from(length).ok()?)
            }
            LIST | 10 => {
                let (length, kind) = self.list()?;
                (0..length).try_for_each(|_| self.pass(kind, depth, true))
            }
            11 => self.pass_map(depth),
            STRUCT => loop {
                let head = self.byte()?;
                if head == 0 {
                    return Some(());
                }
                if head >> 4 == 0 {
                    self.number()?;
                }
                self.pass(head & 15, depth, false)?;
            },
            _ => None,
        }
    }

    fn pass_map(&mut self, depth: u32) -> Option<()> {
        let length = usize::try_from(self.unsigned()?).ok()?;
        if length == 0 {
            return Some(());
        }
        let kinds = self.byte()?;
        if length > self.left() {
            return None;
        }
        (0..length).try_for_each(|_| {
            self.pass(kinds >> 4, depth, true)?;
            self.pass(kinds & 15, depth, true)
        })
    }

    pub(super) fn jump(&mut self, length: usize) -> Option<()> {
        self.take(length).map(drop)
    }

    /// The next bytes.
    pub(super) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_numbers_are_found() {
        // Field 1: the number -3; field 3: the text "ab"; field 20: the list [1, 2].
        let bytes = [0x15, 5, 0x28, 2, b'a', b'b', 0x09, 40, 0x25, 2, 4, 0];
        let mut seen = Vec::new();
        let walked = Walk::over(&bytes).fields(|number, kind, walk| {
            seen.push((number, kind));
            if number == 1 {
                assert_eq!(walk.number(), Some(-3));
            }
            Some(number == 1)
        });
        assert_eq!(walked, Some(()));
        assert_eq!(seen, [(1, 5), (3, 8), (20, LIST)]);
    }

    #[test]
    fn what_is_claimed_must_be_there() {
        let passes = |kind: u8, bytes: &[u8]| Walk::over(bytes).skip(kind).is_some();
        assert!(passes(8, &[2, b'a', b'b']));
        assert!(!passes(8, &[3, b'a', b'b']));
        assert!(!passes(LIST, &[0xf5, 0xff, 0xff, 0xff, 0x7f, 0]));
        assert!(!passes(11, &[0xff, 0xff, 0x7f, 0x55, 0]));
        assert!(!passes(6, &[0xff; 11]));
        assert!(!passes(13, &[0; 20]));
        // A struct in a struct in a struct … without an end.
        assert!(!passes(STRUCT, &[0x1c; 4096]));
    }
}
