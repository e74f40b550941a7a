use std::fmt;
use std::str::FromStr;

use crate::{Error, ErrorKind};

/// Decimals that an ε may have.
const DECIMALS: usize = 9;

/// The largest finite ε: beyond it the noise is next to nothing, and so is the protection.
const LARGEST: u64 = 100;

/// An ε given as a float is a multiple of 2⁻³².
const FLOAT_BITS: u32 = 32;

/// The privacy loss that is allowed: any answer is at most e^ε times as likely with somebody's records as
/// without them.
///
/// It is an exact fraction, because what is spent on the parts must add up to it and not to a little more.
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
    /// Numerator and denominator without a common divisor; none if there is no limit.
    fraction: Option<(u64, u64)>,
}

impl Epsilon {
    /// No limit, hence no noise and no privacy: to compare the private pipeline with the other one.
    pub fn infinite() -> Self {
        Self { fraction: None }
    }

    /// The numerator and the denominator, in lowest terms; none if there is no limit.
    pub fn fraction(self) -> Option<(u64, u64)> {
        self.fraction
    }

    /// Whether there is a limit.
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
            return Err(wrong(&format!("ε must be at most {LARGEST}: more protects nobody")));
        }
        let divisor = common_divisor(above, below);
        Ok(Self { fraction: Some((above / divisor, below / divisor)) })
    }
}

/// Reads a decimal number exactly: at most nine decimals, no exponent.
impl FromStr for Epsilon {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let digits = format!("{whole}{decimals}");
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            let message = format!("`{text}` is no ε; give a positive decimal number such as 0.5");
            return Err(wrong(&message));
        }
        if decimals.len() > DECIMALS {
            let message =
                format!("ε = {text} has too many digits; give at most {DECIMALS} decimals");
            return Err(wrong(&message));
        }
        let huge = |_| wrong(&format!("ε must be at most {LARGEST}: more protects nobody"));
        Self::from_fraction(digits.parse().map_err(huge)?, 10u64.pow(decimals.len() as u32))
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
            return Err(wrong(&format!("ε must be at most {LARGEST}: more protects nobody")));
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

fn wrong(message: &str) -> Error {
    Error::new(ErrorKind::Parameter, message)
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}
