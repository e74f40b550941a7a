//! Exact samplers: only integers and random bits, so that a probability is what the proof says it
//! is.
//!
//! Floating-point noise leaks through its low-order bits (Mironov 2012). These samplers are those
//! of Canonne, Kamath and Steinke (*The Discrete Gaussian for Differential Privacy*, 2020), with
//! all denominators a power of two.

use super::{Entropy, Rate};
use crate::Error;

/// The number one in units of 2⁻⁴⁸, in which a [`Rate`] is counted.
const ONE: u64 = 1 << Rate::BITS;

/// Draws a whole number whose probability is proportional to e^(−rate · |number|): the noise of the
/// geometric mechanism. Always zero at [`Rate::Unlimited`].
///
/// # Errors
/// If the operating system has no random bits to give.
pub fn discrete_laplace(rate: Rate, entropy: &mut Entropy) -> Result<i64, Error> {
    let Rate::Finite(rate) = rate else { return Ok(0) };
    loop {
        // X is geometric with the ratio e^(−1/ONE): first its remainder, then its multiple of ONE.
        let remainder = entropy.bits(Rate::BITS)?;
        if !bernoulli_exp_of_at_most_one(remainder, entropy)? {
            continue;
        }
        let mut multiple = 0u64;
        while bernoulli_exp_of_at_most_one(ONE, entropy)? {
            multiple += 1;
        }
        // X / rate, rounded down, is geometric with the ratio e^(−rate/ONE).
        let x = u128::from(multiple) * u128::from(ONE) + u128::from(remainder);
        let size = i64::try_from(divided(x, rate.get())).unwrap_or(i64::MAX);
        // A sign for zero would make it twice as likely.
        match (entropy.bits(1)? == 1, size) {
            (true, 0) => {}
            (true, _) => return Ok(-size),
            (false, _) => return Ok(size),
        }
    }
}

/// `x / by`, rounded down. Most `x` fit into 64 bits, where a division is far faster.
fn divided(x: u128, by: u64) -> u128 {
    u64::try_from(x).map_or_else(|_| x / u128::from(by), |x| u128::from(x / by))
}

/// True with the probability e^(−rate · steps). At [`Rate::Unlimited`], true only for zero steps.
///
/// # Errors
/// If the operating system has no random bits to give.
pub fn bernoulli_exp(rate: Rate, steps: u64, entropy: &mut Entropy) -> Result<bool, Error> {
    let Rate::Finite(rate) = rate else { return Ok(steps == 0) };
    // Cannot overflow: both are below 2⁶⁴.
    let exponent = u128::from(rate.get()) * u128::from(steps);
    for _ in 0..exponent >> Rate::BITS {
        if !bernoulli_exp_of_at_most_one(ONE, entropy)? {
            return Ok(false);
        }
    }
    bernoulli_exp_of_at_most_one((exponent % u128::from(ONE)) as u64, entropy)
}

/// True with the probability e^(−γ) for γ = `exponent` · 2⁻⁴⁸, which is at most 1.
///
/// Trials succeed with the probability γ, γ/2, γ/3, …; the first failure is at an odd place with
/// the probability 1 − γ + γ²/2! − … = e^(−γ).
#[inline]
fn bernoulli_exp_of_at_most_one(exponent: u64, entropy: &mut Entropy) -> Result<bool, Error> {
    let mut place = 1;
    loop {
        // True with the probability γ / place: 1 / place, and then γ.
        let succeeds =
            entropy.below(place)? == 0 && (exponent == ONE || entropy.bits(Rate::BITS)? < exponent);
        if !succeeds {
            return Ok(place % 2 == 1);
        }
        place += 1;
    }
}
