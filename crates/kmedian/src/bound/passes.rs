//! Passes over sites at given prices: over some of them to see where prices should go, over all of
//! them to prove a bound.

use std::iter;

use super::ground::{Ground, largest};
use super::levels;
use super::near::{Near, Priced};
use crate::Halt;

/// What a pass over some sites found at given prices.
pub(super) struct Answer {
    /// The bound if there were no other sites, but for rounding.
    pub(super) value: f64,
    /// The sites that save most, with the fixed ones.
    pub(super) open: Vec<u32>,
    /// By item, how many of the open sites serve it below its price.
    pub(super) served: Vec<f32>,
}

/// Prices, and what they prove.
pub(super) struct Proven {
    /// By item, its price.
    pub(super) prices: Vec<f64>,
    /// The bound: no centers cost less.
    pub(super) bound: f64,
    /// The bound before it is rounded up to a whole number.
    pub(super) value: f64,
    /// What all items pay at these prices.
    paid: f64,
    /// What each of the sites saves at most, in the order of the sites.
    pub(super) savings: Vec<f64>,
    /// The least that the `free` sites with lists that save most do: savings that are not below it
    /// are exact, but for rounding up.
    pub(super) entry: f64,
}

/// The share of what all items pay that is kept as a margin for the rounding of a few sums: some
/// thousands of the roundings of a 64-bit number.
const MARGIN: f64 = 1e-12;

impl Proven {
    /// Prices of which nothing is known but that no cost is negative.
    pub(super) fn nothing(prices: Vec<f64>) -> Self {
        let (savings, entry) = (Vec::new(), f64::NEG_INFINITY);
        Self { prices, bound: 0.0, value: 0.0, paid: 0.0, savings, entry }
    }

    /// The savings from which on sites are open: the least of the `free` largest.
    pub(super) fn threshold(&self, free: usize) -> f64 {
        let open = largest(&self.savings, free);
        open.iter().map(|&at| self.savings[at]).fold(f64::INFINITY, f64::min)
    }

    /// For each of the sites, a bound of the cost of all solutions in which it is open, given the
    /// least of the `free` largest savings: the site takes the place of that one.
    pub(super) fn if_open(&self, threshold: f64) -> impl Iterator<Item = f64> {
        let value = self.value - MARGIN * self.paid;
        self.savings.iter().map(move |saving| value + (threshold - saving).max(0.0))
    }
}

/// Prices with the weights of their items.
pub(super) fn priced(ground: &Ground<'_>, prices: &[f64]) -> Vec<Priced> {
    let weights = ground.problem.demand.weights();
    prices.iter().zip(weights).map(|(&price, &weight)| Priced { price, weight }).collect()
}

/// The bound that prices prove, from all sites; `None` if the work is to end.
pub(super) fn prove(
    ground: &Ground<'_>,
    near: Option<&Near>,
    prices: Vec<f64>,
    halt: &Halt,
) -> Option<Proven> {
    let has = |site: u32| near.is_some_and(|near| near.has(site));
    let (listed, other): (Vec<u32>, Vec<u32>) = ground.sites.iter().partition(|&&site| has(site));
    let of_list = |sites: &[u32]| {
        near.map_or_else(Vec::new, |near| near.savings(sites, &priced(ground, &prices)))
    };
    let listed_savings = of_list(&listed);
    let open = largest(&listed_savings, ground.free);
    let threshold = if open.len() == ground.free {
        open.iter().map(|&at| listed_savings[at]).fold(f64::INFINITY, f64::min)
    } else {
        f64::NEG_INFINITY
    };
    let known = listed.into_iter().zip(listed_savings.iter().copied());
    let asked = levels::savings(ground, &other, known, &prices, threshold, halt)?;
    let listed = listed_savings;
    let (mut listed, mut asked) = (listed.into_iter(), asked.into_iter());
    let each = ground.sites.iter().map(|&site| {
        let from = if has(site) { &mut listed } else { &mut asked };
        from.next().unwrap_or(f64::INFINITY)
    });
    let savings: Vec<f64> = each.collect();
    let fixed = if ground.fixed.iter().all(|&site| has(site)) {
        of_list(&ground.fixed)
    } else {
        levels::savings(ground, &ground.fixed, iter::empty(), &prices, f64::NEG_INFINITY, halt)?
    };
    let (paid, value) = ground.bound(&prices, &fixed, &savings);
    let (bound, entry) = (ground.rounded(value), threshold);
    Some(Proven { prices, bound, value, paid, savings, entry })
}

/// What sites with lists say of prices, if there were no others.
pub(super) fn pass(ground: &Ground<'_>, near: &Near, prices: &[f64], sites: &[u32]) -> Answer {
    let priced = priced(ground, prices);
    let savings = near.savings(sites, &priced);
    let fixed: f64 = near.savings(&ground.fixed, &priced).iter().sum();
    let chosen = largest(&savings, ground.free);
    let saved: f64 = chosen.iter().map(|&at| savings[at]).sum();
    let paid: f64 = priced.iter().map(|priced| priced.price * priced.weight).sum();
    let open: Vec<u32> =
        ground.fixed.iter().copied().chain(chosen.iter().map(|&at| sites[at])).collect();
    let mut served = vec![0.0; prices.len()];
    for &site in &open {
        near.serves(site, &priced, |item| served[item] += 1.0);
    }
    Answer { value: paid - fixed - saved, open, served }
}
