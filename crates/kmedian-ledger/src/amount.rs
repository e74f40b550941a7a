//! Amounts of ε, exactly.

use std::fmt;

use crate::error::{Error, ErrorKind, quote};

/// The number of decimal digits after the point that an amount keeps. With twelve, the largest
/// amount, a million, still fits into an `i64`.
const DIGITS: usize = 12;

/// ε = 1 in trillionths, the unit of an [`Amount`].
const ONE: i64 = 10_i64.pow(DIGITS as u32);

/// The largest amount, ε = a million, in trillionths. Nothing is private long before that, and the
/// sum of two such amounts still fits into an `i64`.
const MOST: i64 = 1_000_000 * ONE;

/// An amount of ε: a whole number of trillionths, from 0 to a million.
///
/// Binary fractions do not add up: 0.1, added ten times, is not 1. Whoever compares such a sum with
/// a budget refuses the last run, or lets one too many through. So amounts are read from decimal
/// text and kept as integers. Text with more than twelve digits after the point is rounded in the
/// safe direction: up for what is spent, down for what is allowed. Hence there are two
/// constructors.
///
/// ```
/// use kmedian_ledger::Amount;
///
/// assert_eq!(Amount::to_spend("0.10")?, Amount::to_spend("1e-1")?);
/// assert_eq!(Amount::to_spend("0.3333333333333")?.to_string(), "0.333333333334");
/// assert_eq!(Amount::to_allow("0.3333333333333")?.to_string(), "0.333333333333");
/// # Ok::<(), kmedian_ledger::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Amount(i64);

impl Amount {
    /// What a run spends: the decimal number, rounded up.
    ///
    /// # Errors
    ///
    /// If the text is not a positive decimal number, or more than a million.
    pub fn to_spend(text: &str) -> Result<Self, Error> {
        let parsed = Parsed::of(text)?;
        Self::positive(text, parsed.trillionths + u64::from(parsed.more))
    }

    /// What a dataset allows: the decimal number, rounded down.
    ///
    /// # Errors
    ///
    /// If the text is not a positive decimal number, is more than a million, or nothing is left
    /// after rounding.
    pub fn to_allow(text: &str) -> Result<Self, Error> {
        Self::positive(text, Parsed::of(text)?.trillionths)
    }

    fn positive(text: &str, trillionths: u64) -> Result<Self, Error> {
        match i64::try_from(trillionths) {
            Ok(0) => Err(unusable(text, "is zero; give a positive decimal number such as 0.1")),
            Ok(amount @ 1..=MOST) => Ok(Self(amount)),
            _ => Err(unusable(text, TOO_LARGE)),
        }
    }

    /// The amount in trillionths, as the ledger keeps it.
    pub(crate) fn trillionths(self) -> i64 {
        self.0
    }

    /// The amount of this number of trillionths; zero if the number is negative.
    pub(crate) fn from_trillionths(trillionths: i64) -> Self {
        Self(trillionths.max(0))
    }

    /// What is left after subtracting `other`; zero if `other` is larger.
    #[must_use]
    pub fn saturating_sub(self, other: Self) -> Self {
        Self::from_trillionths(self.0 - other.0)
    }
}

/// The shortest decimal text that reads back as the same amount.
impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / ONE, self.0 % ONE);
        if rest == 0 {
            return f.pad(&whole.to_string());
        }
        let digits = format!("{whole}.{rest:0DIGITS$}");
        f.pad(digits.trim_end_matches('0'))
    }
}

/// A decimal number, cut after the twelfth digit behind the point.
struct Parsed {
    /// The number in trillionths, rounded down.
    trillionths: u64,
    /// Whether anything but zeros was cut.
    more: bool,
}

impl Parsed {
    /// Reads digits, a point and an exponent, without going through a binary float.
    ///
    /// # Errors
    /// If the text is negative, too large for 64 bits, or no decimal number.
    fn of(text: &str) -> Result<Self, Error> {
        let trimmed = text.trim();
        if trimmed.starts_with('-') {
            return Err(unusable(text, "is negative; give a positive decimal number such as 0.1"));
        }
        let fail = || unusable(text, "is not a decimal number; write it as 0.1 or 1e-1");
        let unsigned = trimmed.strip_prefix('+').unwrap_or(trimmed);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i16>().map_err(|_| fail())?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        if digits.is_empty() || digits.bytes().any(|byte| !byte.is_ascii_digit()) {
            return Err(fail());
        }
        // The number of digits, from the left, that belong to the number in trillionths.
        let point = whole.len() as i64 + i64::from(exponent) + DIGITS as i64;
        let significant = digits.trim_start_matches('0');
        let zeros = digits.len() - significant.len();
        let kept = (point - zeros as i64).max(0) as usize;
        if kept > 19 && !significant.is_empty() {
            return Err(unusable(text, TOO_LARGE));
        }
        let (before, after) = significant.split_at(kept.min(significant.len()));
        let padding = if significant.is_empty() { 0 } else { kept - before.len() };
        let number = format!("0{before}{}", "0".repeat(padding));
        Ok(Self {
            trillionths: number.parse().map_err(|_| fail())?,
            more: after.bytes().any(|byte| byte != b'0'),
        })
    }
}

/// What is wrong with an amount that is too large, and what to do about it.
const TOO_LARGE: &str = "is too large; give at most 1000000, far below which nothing is private";

fn unusable(text: &str, why: &str) -> Error {
    Error::new(ErrorKind::Amount, format!("{} {why}", quote(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spend(text: &str) -> i64 {
        Amount::to_spend(text).unwrap().0
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(spend("1"), ONE);
        assert_eq!(spend("0.1"), ONE / 10);
        assert_eq!(spend(".5"), ONE / 2);
        assert_eq!(spend(" +2.50 "), 5 * ONE / 2);
        assert_eq!(spend("1e-3"), ONE / 1000);
        assert_eq!(spend("0.0025E+2"), ONE / 4);
        assert_eq!(spend("0.000000000001"), 1);
        assert_eq!(spend("1000000"), MOST);
        assert_eq!(spend("1e6"), MOST);
        assert_eq!(spend("000123.4500"), 123 * ONE + 45 * ONE / 100);
        assert_eq!(10 * spend("0.1"), spend("1"));
    }

    #[test]
    fn spending_rounds_up_and_allowing_down() {
        for (text, up, down) in [
            ("0.1000000000001", ONE / 10 + 1, ONE / 10),
            ("0.10000000000000000000", ONE / 10, ONE / 10),
            ("1.9999999999999", 2 * ONE, 2 * ONE - 1),
            ("123456789012345678901e-20", 1_234_567_890_124, 1_234_567_890_123),
        ] {
            assert_eq!(spend(text), up, "{text}");
            assert_eq!(Amount::to_allow(text).unwrap().0, down, "{text}");
        }
        for text in ["1e-13", "1e-30000", "0.00000000000000000000001"] {
            assert_eq!(spend(text), 1, "{text}");
            assert!(Amount::to_allow(text).unwrap_err().to_string().contains("is zero"));
        }
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for (text, why) in [
            ("0", "`0` is zero; give a positive"),
            ("0.000", "is zero"),
            ("0e30000", "is zero"),
            ("-0.1", "is negative"),
            ("-inf", "is negative"),
            ("1000000.0000000000001", "is too large"),
            ("1e30", "is too large"),
            ("1e32767", "is too large"),
            ("99999999999999999999", "is too large"),
            ("", "`` is not a decimal number"),
            (".", "is not a decimal number"),
            ("inf", "is not a decimal number"),
            ("NaN", "is not a decimal number"),
            ("1,5", "is not a decimal number"),
            ("1e", "is not a decimal number"),
            ("1e40000", "is not a decimal number"),
            ("0x10", "is not a decimal number"),
            ("--1", "is negative"),
            ("1_000", "is not a decimal number"),
        ] {
            let error = Amount::to_spend(text).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Amount);
            assert!(error.to_string().contains(why), "{text}: {error}");
            assert!(Amount::to_allow(text).is_err() || text.starts_with("1000000."), "{text}");
        }
    }

    #[test]
    fn text_reads_back() {
        for text in ["1", "0.1", "0.000000000001", "123.45", "1000000"] {
            assert_eq!(Amount::to_spend(text).unwrap().to_string(), text);
        }
        assert_eq!(Amount::from_trillionths(-5).to_string(), "0");
        assert_eq!(format!("{:>5}", Amount::to_spend("0.5").unwrap()), "  0.5");
    }
}
