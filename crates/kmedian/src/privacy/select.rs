//! Private choices among candidates with integer costs.
//!
//! A choice is ε-private if no record changes a cost by more than the sensitivity, and the
//! [rate](super::Rate) is ε divided by the sensitivity. No factor of 2 is lost, because a record
//! more changes all costs in the same direction: none falls. Where neighboring tables replace a
//! record by another, costs may rise and fall;
//! [`Protection::records`](super::Protection::records) holds the factor for that.

use super::noise::bernoulli_exp;
use super::{Entropy, Rate};
use crate::{Error, ErrorKind};

/// How one of several candidates is chosen privately, by its cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Selection {
    /// McKenna and Sheldon 2020: candidates are visited in random order, and each is taken with the
    /// probability e^(−rate · (its cost − the least cost)). In expectation the chosen cost is never
    /// worse than that of the exponential mechanism.
    #[default]
    PermuteAndFlip,
    /// McSherry and Talwar 2007: a candidate's probability is proportional to e^(−rate · its cost).
    Exponential,
}

impl Selection {
    /// The name of the selection, as text for people and files.
    pub fn name(self) -> &'static str {
        match self {
            Selection::PermuteAndFlip => "permute-and-flip",
            Selection::Exponential => "exponential",
        }
    }

    /// Chooses one of the candidates by their costs, and returns its position.
    ///
    /// # Errors
    /// If there are no candidates, or if the operating system has no random bits to give.
    pub fn choose(self, costs: &[u64], rate: Rate, entropy: &mut Entropy) -> Result<usize, Error> {
        let Some(&least) = costs.iter().min() else {
            return Err(Error::new(ErrorKind::Empty, "there are no candidates to choose from"));
        };
        match self {
            Selection::PermuteAndFlip => permute_and_flip(costs, least, rate, entropy),
            Selection::Exponential => exponential(costs, least, rate, entropy),
        }
    }
}

/// Chooses by [`Selection::PermuteAndFlip`]: visits candidates in random order until one is taken.
/// A candidate of least cost is always taken, so this ends.
fn permute_and_flip(
    costs: &[u64],
    least: u64,
    rate: Rate,
    entropy: &mut Entropy,
) -> Result<usize, Error> {
    let mut order: Vec<usize> = (0..costs.len()).collect();
    loop {
        let drawn = entropy.below(order.len() as u64)? as usize;
        let candidate = order.swap_remove(drawn);
        if bernoulli_exp(rate, costs[candidate] - least, entropy)? {
            return Ok(candidate);
        }
    }
}

/// Chooses by the exponential mechanism: tries random candidates until one is taken, each with the
/// probability e^(−rate · (its cost − the least cost)). Candidates that were passed over may be
/// tried again, so each is chosen in proportion to that probability.
fn exponential(
    costs: &[u64],
    least: u64,
    rate: Rate,
    entropy: &mut Entropy,
) -> Result<usize, Error> {
    loop {
        let candidate = entropy.below(costs.len() as u64)? as usize;
        if bernoulli_exp(rate, costs[candidate] - least, entropy)? {
            return Ok(candidate);
        }
    }
}
