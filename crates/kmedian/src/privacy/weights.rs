//! What a release says of the demand: weights of the public items, and estimates with their errors.

use std::collections::BTreeMap;

use super::consistency::Consistent;
use super::hierarchy::Hierarchy;
use super::interval::Estimate;
use super::posterior::{Halves, posterior};
use super::tree::rates;
use super::{PrivateTree, Rate};
use crate::{Demand, Error, Halt, Space};

/// The estimates of a release. All of them follow from it and from public things.
pub(super) struct Estimates<'a> {
    shape: &'a Hierarchy,
    /// Estimates that are not biased.
    counts: Consistent<'a>,
    /// The posterior mean of every cell; all zero if the release shows no records.
    masses: Vec<f64>,
    shows_differences: bool,
    /// The number of items of every cell.
    sizes: Vec<u64>,
}

impl PrivateTree {
    /// The variance of the noise of every cell, and infinity for one that was not measured.
    ///
    /// # Errors
    /// If ε is too small for the split that the release claims.
    pub(super) fn variances(&self) -> Result<Vec<f64>, Error> {
        let rates = rates(&self.shape, &self.budget, self.recipe.protection)?;
        let mut variances: Vec<f64> = rates.into_iter().map(Rate::variance).collect();
        if self.budget.total_share() == 0 {
            variances[0] = f64::INFINITY;
        }
        Ok(variances)
    }

    pub(super) fn estimated(&self, space: &dyn Space, halt: &Halt) -> Result<Estimates<'_>, Error> {
        let (shape, variances) = (&self.shape, self.variances()?);
        let halves = Halves::new(shape, space, halt)?;
        let found = posterior(&halves, &self.noisy, &variances);
        let shows_differences = found.as_ref().is_some_and(|found| found.shows_differences);
        let masses = match found {
            Some(found) => halves.of_cells(&found.masses),
            None => vec![0.0; shape.len()],
        };
        let counts = Consistent::new(shape, &self.noisy, &variances);
        Ok(Estimates { shape, counts, masses, shows_differences, sizes: shape.sizes() })
    }
}

impl Estimates<'_> {
    /// Whether the release shows that items differ in demand. If not, all weigh alike, and no
    /// centers are chosen by its counts.
    pub(super) fn shows_differences(&self) -> bool {
        self.shows_differences
    }

    /// The estimated demand of every item: the items of a leaf have equal parts of it, since
    /// nothing tells them apart. `None` if the release shows no records.
    ///
    /// # Errors
    /// If the estimates are no weights, which no release of this software leads to.
    pub(super) fn demand(&self) -> Result<Option<Demand>, Error> {
        let share = |&leaf: &u32| self.masses[leaf as usize] / self.sizes[leaf as usize] as f64;
        let weights: Vec<f64> = self.shape.leaves().iter().map(share).collect();
        if weights.iter().any(|&weight| weight > 0.0) {
            Demand::new(weights).map(Some)
        } else {
            Ok(None)
        }
    }

    /// What a sum over all records is, given what an item adds to it for each record.
    pub(super) fn total(&self, of_items: impl Fn(usize) -> f64) -> Sum {
        self.total_if(variance_at_one_item, of_items)
    }

    /// [`Estimates::total`], given the variance of what a leaf adds, from about how many records
    /// are in it and from what its items' values vary by.
    pub(super) fn total_if(
        &self,
        of_leaf: fn(f64, f64) -> f64,
        of_items: impl Fn(usize) -> f64,
    ) -> Sum {
        let mut leaves = vec![Values::default(); self.shape.len()];
        for (item, &leaf) in self.shape.leaves().iter().enumerate() {
            leaves[leaf as usize].add(of_items(item));
        }
        let leaves = leaves.into_iter().enumerate().filter(|(leaf, _)| self.sizes[*leaf] > 0);
        self.sum(of_leaf, leaves)
    }

    /// How many records each of some classes of items has, given the class of every item.
    pub(super) fn sizes(&self, classes: &[u32], number: usize) -> Vec<Sum> {
        let mut of_class = vec![BTreeMap::<usize, Values>::new(); number];
        for (&class, &leaf) in classes.iter().zip(self.shape.leaves()) {
            of_class[class as usize].entry(leaf as usize).or_default().add(1.0);
        }
        of_class.into_iter().map(|leaves| self.sum(variance_at_one_item, leaves)).collect()
    }

    /// What a sum over all records is, given the variance of what a leaf adds, and the sums over
    /// items of some leaves.
    fn sum(
        &self,
        of_leaf: fn(f64, f64) -> f64,
        leaves: impl IntoIterator<Item = (usize, Values)>,
    ) -> Sum {
        let mut means = vec![0.0; self.shape.len()];
        let (mut believed, mut within) = (0.0, 0.0);
        for (leaf, Values { sum, squares }) in leaves {
            let size = self.sizes[leaf] as f64;
            means[leaf] = sum / size;
            believed += self.masses[leaf] * means[leaf];
            let variance = (squares / size - means[leaf].powi(2)).max(0.0);
            within += of_leaf(self.masses[leaf], variance);
        }
        let (unbiased, noise) = self.counts.sum(means);
        Sum { believed, unbiased, deviation: (noise + within).sqrt() }
    }
}

/// The variance that a leaf of about so many records gives to a sum over records, if they are all
/// at one of its items, by what its items' values vary by. Their number is whole, so that its
/// square is at least itself; for records at an item each, their number would take its place.
pub(super) fn variance_at_one_item(records: f64, of_items: f64) -> f64 {
    records * records.max(1.0) * of_items
}

/// What is known of a sum over all records.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sum {
    /// The sum for the estimated demand, which is shrunk towards the same for all items.
    believed: f64,
    /// The sum by the counts alone, which is not biased unless they chose what is summed.
    unbiased: f64,
    deviation: f64,
}

impl Sum {
    pub(super) fn believed(self) -> Estimate {
        Estimate { value: self.believed, deviation: self.deviation }
    }

    pub(super) fn unbiased(self) -> Estimate {
        Estimate { value: self.unbiased, deviation: self.deviation }
    }

    /// The sum where the counts chose what is summed. By the counts alone, centers look better
    /// than they are; for the estimated demand, mostly worse. The truth is between the two: see
    /// docs/PRIVATE-ACCURACY.md.
    pub(super) fn of_chosen(self) -> Estimate {
        let value = f64::midpoint(self.believed, self.unbiased);
        Estimate { value, deviation: self.deviation }
    }
}

/// What the items of a leaf add to a sum for each record.
#[derive(Clone, Default)]
struct Values {
    sum: f64,
    squares: f64,
}

impl Values {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.squares += value * value;
    }
}
