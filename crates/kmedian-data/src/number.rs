//! Numbers from cells, and the reasons why a cell is none.

use std::str::FromStr;

use crate::error::quote;

/// Why a cell holds no usable number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadNumber {
    /// The cell is empty, or has only white space.
    Blank,
    /// The cell marks a missing value, such as `NA`.
    Missing,
    /// The cell holds other text.
    Text,
    /// The number is infinite or NaN.
    NotFinite,
    /// The number is finite, but overflows.
    TooLarge,
}

/// The two types of floats that cells are parsed to: coordinates are `f32`, weights `f64`.
pub(crate) trait Number: FromStr + Copy {
    fn finite(self) -> bool;
}

impl Number for f32 {
    fn finite(self) -> bool {
        self.is_finite()
    }
}

impl Number for f64 {
    fn finite(self) -> bool {
        self.is_finite()
    }
}

/// Parses a cell to a finite number. White space around the number does not matter.
pub(crate) fn parse<T: Number>(cell: &[u8]) -> Result<T, BadNumber> {
    // A number is ASCII, so a cell that is not UTF-8 is text.
    let parsed =
        std::str::from_utf8(cell).ok().and_then(|text| text.trim_ascii().parse::<T>().ok());
    match parsed {
        Some(number) if number.finite() => Ok(number),
        Some(_) if cell.iter().any(|byte| matches!(byte, b'n' | b'N')) => Err(BadNumber::NotFinite),
        Some(_) => Err(BadNumber::TooLarge),
        None => Err(match cell.trim_ascii() {
            b"" => BadNumber::Blank,
            cell if is_missing_marker(cell) => BadNumber::Missing,
            _ => BadNumber::Text,
        }),
    }
}

/// Parses a cell to a finite number in 64 bits, and to the 32-bit number that is nearest to what is
/// written, rounded once.
pub(crate) fn parse_both(cell: &[u8]) -> Result<(f64, f32), BadNumber> {
    let wide: f64 = parse(cell)?;
    // Rounding to 64 and then to 32 bits may differ from rounding once where the 64-bit number is
    // halfway between two 32-bit numbers, or where the 32-bit number is subnormal.
    let halfway = wide.to_bits() & 0x1fff_ffff == 0x1000_0000;
    let tiny = wide != 0.0 && wide.abs() < f64::from(f32::MIN_POSITIVE);
    let narrow = if halfway || tiny { parse(cell)? } else { narrow(wide)? };
    Ok((wide, narrow))
}

/// Rounds a number of a binary file to the 32 bits of a coordinate.
pub(crate) fn narrow(number: f64) -> Result<f32, BadNumber> {
    let narrowed = number as f32;
    if narrowed.is_finite() {
        Ok(narrowed)
    } else if number.is_finite() {
        Err(BadNumber::TooLarge)
    } else {
        Err(BadNumber::NotFinite)
    }
}

fn is_missing_marker(cell: &[u8]) -> bool {
    [&b"na"[..], b"n/a", b"null", b"none", b"?", b"-"]
        .iter()
        .any(|marker| cell.eq_ignore_ascii_case(marker))
}

impl BadNumber {
    /// Whether the cell is a gap, not a mistake.
    pub(crate) fn is_gap(self) -> bool {
        matches!(self, Self::Blank | Self::Missing | Self::NotFinite)
    }

    /// What is wrong with `cell`, in words.
    pub(crate) fn what(self, cell: &[u8]) -> String {
        let cell = quote(cell.trim_ascii());
        match self {
            Self::Blank => "the cell is empty".to_owned(),
            Self::Missing => format!("{cell} marks a missing value"),
            Self::Text => format!("{cell} is not a number"),
            Self::NotFinite => format!("{cell} is not a finite number"),
            Self::TooLarge => format!("{cell} is too large for a 32-bit number"),
        }
    }

    /// What is wrong with `cell`, and what the user can do about it.
    pub(crate) fn explained(self, cell: &[u8]) -> String {
        let advice = self.advice(cell).unwrap_or("write a number");
        format!("{}; {advice}", self.what(cell))
    }

    /// What the user can do about the cell. `None` for text, where it depends on why the column is
    /// read.
    pub(crate) fn advice(self, cell: &[u8]) -> Option<&'static str> {
        match self {
            Self::Blank | Self::Missing | Self::NotFinite => Some("fill it in or remove the row"),
            Self::TooLarge => Some("rescale the column"),
            Self::Text if has_decimal_comma(cell) => Some("write decimals with a point"),
            Self::Text => None,
        }
    }
}

pub(crate) fn has_decimal_comma(cell: &[u8]) -> bool {
    let with_point: Vec<u8> = cell.iter().map(|&b| if b == b',' { b'.' } else { b }).collect();
    parse::<f64>(&with_point).is_ok()
}

/// Checks that a weight is finite and not below zero. The error says in words what it is instead.
pub(crate) fn check_weight(weight: f64) -> Result<f64, &'static str> {
    if weight.is_nan() {
        Err("is not a number")
    } else if weight.is_infinite() {
        Err("is infinite")
    } else if weight < 0.0 {
        Err("is negative")
    } else {
        Ok(weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_parse_or_say_why_not() {
        assert_eq!(parse::<f32>(b" 1.5e1 "), Ok(15.0));
        assert_eq!(parse::<f32>(b"-.5"), Ok(-0.5));
        assert_eq!(parse::<f32>(b""), Err(BadNumber::Blank));
        assert_eq!(parse::<f32>(b"N/A"), Err(BadNumber::Missing));
        assert_eq!(parse::<f32>(b"abc"), Err(BadNumber::Text));
        assert_eq!(parse::<f32>(b"\xff"), Err(BadNumber::Text));
        assert_eq!(parse::<f32>(b"NaN"), Err(BadNumber::NotFinite));
        assert_eq!(parse::<f32>(b"-inf"), Err(BadNumber::NotFinite));
        assert_eq!(parse::<f32>(b"1e39"), Err(BadNumber::TooLarge));
        assert_eq!(parse::<f64>(b"1e39"), Ok(1e39));
    }

    #[test]
    fn a_decimal_comma_gets_its_own_advice() {
        assert_eq!(BadNumber::Text.advice(b"1,5"), Some("write decimals with a point"));
        assert_eq!(BadNumber::Text.advice(b"abc"), None);
    }

    #[test]
    fn both_widths_are_rounded_once() {
        // A little above the middle of two 32-bit numbers, but not in 64 bits.
        let cell = b"1.00000005960464477540";
        assert_eq!(parse_both(cell), Ok((1.0 + f64::from(f32::EPSILON) / 2.0, 1.0f32.next_up())));
        for cell in ["0.1", "16777217", "3.4028235e38", "1e-40", "-7.0064923216240854e-46", "0"] {
            let (wide, narrow) = parse_both(cell.as_bytes()).unwrap();
            assert_eq!((wide, narrow), (cell.parse().unwrap(), cell.parse().unwrap()), "{cell}");
        }
        assert_eq!(parse_both(b"3.4028236e38"), Err(BadNumber::TooLarge));
        assert_eq!(parse_both(b"1e400"), Err(BadNumber::TooLarge));
        assert_eq!(parse_both(b"inf"), Err(BadNumber::NotFinite));
    }

    #[test]
    fn narrowing_tells_overflow_from_infinity() {
        assert_eq!(narrow(0.1), Ok(0.1_f32));
        assert_eq!(narrow(1e300), Err(BadNumber::TooLarge));
        assert_eq!(narrow(f64::NAN), Err(BadNumber::NotFinite));
    }
}
