use std::sync::Arc;

use rand::{Rng, RngExt};

use crate::{Error, ErrorKind};

/// The largest sum of weights: times the square of the largest distance in 32 bits, below 10⁷⁷, it
/// is still far from overflow in 64 bits.
const LARGEST_TOTAL: f64 = 1e200;

/// How much each item asks to be served: a weight per item, zero for those that only offer
/// themselves as centers.
///
/// ```
/// use kmedian::Demand;
///
/// let visits = Demand::new(vec![3.0, 0.0, 1.0])?;
/// assert_eq!(visits.total(), 4.0);
/// assert_eq!(visits.items(), [0, 2]);
/// # Ok::<(), kmedian::Error>(())
/// ```
///
/// Clones share their weights, so they cost nothing.
#[derive(Debug, Clone)]
pub struct Demand(Arc<Weights>);

#[derive(Debug)]
struct Weights {
    weights: Vec<f64>,
    items: Vec<u32>,
    total: f64,
}

impl Demand {
    /// A demand from one weight for each item.
    ///
    /// # Errors
    /// If there are no items, a weight is negative, NaN or infinite, all of them are zero, or their
    /// sum is too large for costs to be numbers.
    pub fn new(weights: Vec<f64>) -> Result<Self, Error> {
        if let Some(item) = weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
            let message = format!(
                "the weight of item {item} is {}; weights must be finite and not negative: give zero to an item \
                 that does not count",
                weights[item]
            );
            return Err(Error::new(ErrorKind::Value, message));
        }
        let demand = Self::trusted(weights);
        if demand.items().is_empty() {
            let message = "there is no demand: all weights are zero; give a positive one to the items that count";
            return Err(Error::new(ErrorKind::Empty, message));
        }
        if demand.total() > LARGEST_TOTAL {
            let message =
                "the sum of all weights is too large for costs; divide them by a large number";
            return Err(Error::new(ErrorKind::Value, message));
        }
        Ok(demand)
    }

    /// A demand of one at every item.
    pub fn uniform(len: usize) -> Self {
        let items = (0..len as u32).collect();
        Self(Arc::new(Weights { weights: vec![1.0; len], items, total: len as f64 }))
    }

    /// A demand that counts how often each of the items `0..len` occurs in a list.
    ///
    /// # Errors
    /// If the list is empty, or names an item that does not exist.
    pub fn counts(len: usize, list: impl IntoIterator<Item = usize>) -> Result<Self, Error> {
        let mut weights = vec![0.0; len];
        for item in list {
            let Some(weight) = weights.get_mut(item) else {
                let message = format!(
                    "there is no item {item}; the items are 0 to {}",
                    len.saturating_sub(1)
                );
                return Err(Error::new(ErrorKind::Value, message));
            };
            *weight += 1.0;
        }
        Self::new(weights)
    }

    /// The demand at some of the items, renumbered from 0.
    pub(crate) fn restricted(&self, items: &[u32]) -> Self {
        Self::trusted(items.iter().map(|&item| self.of(item as usize)).collect())
    }

    fn trusted(weights: Vec<f64>) -> Self {
        let total = weights.iter().sum();
        let items =
            (0..weights.len() as u32).filter(|&item| weights[item as usize] > 0.0).collect();
        Self(Arc::new(Weights { weights, items, total }))
    }

    /// The number of items, with or without demand.
    pub fn len(&self) -> usize {
        self.0.weights.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.0.weights.is_empty()
    }

    /// The weight of every item, indexed by item; zero where there is no demand.
    pub fn weights(&self) -> &[f64] {
        &self.0.weights
    }

    /// The weight of one item.
    #[inline]
    pub fn of(&self, item: usize) -> f64 {
        self.0.weights[item]
    }

    /// The items with a positive weight, ascending.
    pub fn items(&self) -> &[u32] {
        &self.0.items
    }

    /// The sum of all weights.
    pub fn total(&self) -> f64 {
        self.0.total
    }
}

/// Draws an index with a probability proportional to its weight; `None` if all weights are zero.
pub(crate) fn draw<R: Rng + ?Sized>(
    weights: impl Iterator<Item = f64> + Clone,
    rng: &mut R,
) -> Option<usize> {
    let total: f64 = weights.clone().sum();
    let target = rng.random::<f64>() * total;
    let mut sum = 0.0;
    let mut last = None;
    for (index, weight) in weights.enumerate().filter(|(_, weight)| *weight > 0.0) {
        sum += weight;
        last = Some(index);
        if sum > target {
            break;
        }
    }
    last
}

/// Draws indices with probabilities proportional to their weights, so often as `count` says. In
/// ascending order; what is drawn again is left out.
pub(crate) fn draw_some<R: Rng + ?Sized>(
    weights: impl Iterator<Item = f64>,
    count: usize,
    rng: &mut R,
) -> Vec<usize> {
    let mut total = 0.0;
    let up_to: Vec<f64> = weights
        .map(|weight| {
            total += weight;
            total
        })
        .collect();
    if total <= 0.0 {
        return Vec::new();
    }
    let mut drawn: Vec<usize> = (0..count)
        .map(|_| rng.random::<f64>() * total)
        .map(|at| up_to.partition_point(|&sum| sum <= at).min(up_to.len() - 1))
        .collect();
    drawn.sort_unstable();
    drawn.dedup();
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn some_are_drawn_in_proportion_to_their_weights() {
        let mut rng = Seed(1).stream("draws");
        let drawn =
            |weights: &[f64], count, rng: &mut _| draw_some(weights.iter().copied(), count, rng);
        assert!(drawn(&[], 5, &mut rng).is_empty() && drawn(&[0.0, 0.0], 5, &mut rng).is_empty());
        assert_eq!(drawn(&[0.0, 3.0, 0.0, 1.0, 0.0], 100, &mut rng), [1, 3]);
        // Of 1,000 single draws three in four are of what weighs three times as much.
        let heavy = (0..1000).filter(|_| drawn(&[3.0, 1.0], 1, &mut rng) == [0]).count();
        assert!((680..820).contains(&heavy), "{heavy}");
    }
}
