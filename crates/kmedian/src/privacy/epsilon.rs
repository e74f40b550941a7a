use std::fmt;
use std::str::FromStr;

use crate::{Error, ErrorKind};

/// The most decimal digits after the point that an ε may have: an ε of a billionth is too small to
/// be of use.
const DECIMALS: i64 = 9;

/// The largest finite ε. Beyond it there is next to no noise, hence next to no protection.
const LARGEST: u64 = 100;

/// The number of decimal digits before the point of the largest ε, 100.
const LARGEST_DIGITS: i64 = 3;

/// The number of characters of a wrong ε that its error message repeats: more would hide the advice
/// that follows.
const LONGEST_SHOWN: usize = 40;

/// The number of binary digits after the point that are kept of an ε given as a float: up to 100, a
/// multiple of 2⁻³² is a fraction of two 64-bit integers.
const FLOAT_BITS: u32 = 32;

/// The privacy loss that is allowed: any answer is at most e^ε times as likely with the records of
/// a unit as without them. A unit is a single record, or all records of an owner:
/// [`Protection`](super::Protection).
///
/// It is greater than zero and at most 100, or infinite. It is an exact fraction, because what is
/// spent on the parts must add up to it and not to a little more.
///
/// ```
/// use kmedian::privacy::Epsilon;
///
/// let epsilon: Epsilon = "0.1".parse()?;
/// assert_eq!(epsilon.fraction(), Some((1, 10)));
/// assert!("0".parse::<Epsilon>().is_err());
/// assert!(Epsilon::try_from(f64::NAN).is_err());
/// # Ok::<(), kmedian::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Epsilon {
    /// Numerator and denominator without a common divisor; `None` if there is no limit.
    fraction: Option<(u64, u64)>,
}

impl Epsilon {
    /// An ε without a limit, hence no noise and no privacy: for comparisons of the private pipeline
    /// with the non-private one.
    pub fn infinite() -> Self {
        Self { fraction: None }
    }

    /// The numerator and the denominator, in lowest terms; `None` if there is no limit.
    pub fn fraction(self) -> Option<(u64, u64)> {
        self.fraction
    }

    /// Whether the privacy loss has a limit.
    pub fn is_finite(self) -> bool {
        self.fraction.is_some()
    }

    /// The nearest float, for display and for choices that do not bear on privacy.
    pub fn approximate(self) -> f64 {
        self.fraction.map_or(f64::INFINITY, |(above, below)| above as f64 / below as f64)
    }

    pub(super) fn from_fraction(above: u64, below: u64) -> Result<Self, Error> {
        if above == 0 || below == 0 {
            return Err(wrong("ε must be positive"));
        }
        if u128::from(above) > u128::from(LARGEST) * u128::from(below) {
            return Err(too_large());
        }
        let divisor = common_divisor(above, below);
        Ok(Self { fraction: Some((above / divisor, below / divisor)) })
    }
}

/// Reads a decimal number exactly, with or without an exponent (`0.001`, `1e-3`): at most nine
/// decimals once it is written out.
impl FromStr for Epsilon {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let none = || {
            let text: String =
                text.chars().take(LONGEST_SHOWN).flat_map(char::escape_debug).collect();
            wrong(&format!("`{text}` is no ε; give a positive decimal number such as 0.5"))
        };
        let trimmed = text.trim();
        let unsigned = trimmed.strip_prefix('+').unwrap_or(trimmed);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i16>().map_err(|_| none())?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(none());
        }
        // The number is `significant` times ten to `power`, without zeros at either end.
        let significant = digits.trim_matches('0');
        let zeros = digits.len() - digits.trim_end_matches('0').len();
        let power = i64::from(exponent) - fraction.len() as i64 + zeros as i64;
        if significant.is_empty() {
            return Err(wrong("ε must be positive"));
        }
        if significant.len() as i64 + power > LARGEST_DIGITS {
            return Err(too_large());
        }
        if power < -DECIMALS {
            let message = format!("ε has too many digits; give at most {DECIMALS} decimals");
            return Err(wrong(&message));
        }
        // At most three digits before the point and nine after: all of it fits.
        let number: u64 = significant.parse().map_err(|_| none())?;
        let ten_to = |power: i64| 10u64.pow(power.max(0) as u32);
        Self::from_fraction(number * ten_to(power), ten_to(-power))
    }
}

/// Rounds down to a multiple of 2⁻³²: never more than was asked for.
impl TryFrom<f64> for Epsilon {
    type Error = Error;

    fn try_from(value: f64) -> Result<Self, Error> {
        if value.is_nan() || value <= 0.0 {
            return Err(wrong(&format!("ε = {value} is not possible; it must be positive")));
        }
        if value > LARGEST as f64 {
            return Err(too_large());
        }
        let scaled = (value * (1u64 << FLOAT_BITS) as f64).floor() as u64;
        if scaled == 0 {
            return Err(wrong(&format!("ε = {value} is too small; it must be at least 2^-32")));
        }
        Self::from_fraction(scaled, 1 << FLOAT_BITS)
    }
}

impl fmt::Display for Epsilon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.fraction {
            Some(_) => write!(f, "{}", self.approximate()),
            None => f.write_str("infinity"),
        }
    }
}

fn too_large() -> Error {
    wrong(&format!("ε must be at most {LARGEST}: more protects nobody"))
}

fn wrong(message: &str) -> Error {
    Error::new(ErrorKind::Parameter, message)
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}
