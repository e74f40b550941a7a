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
    pub(super) fn total(&self, of_items: impl Fn(usize) -> f64) -> Estimate {
        let mut leaves = vec![Values::default(); self.shape.len()];
        for (item, &leaf) in self.shape.leaves().iter().enumerate() {
            leaves[leaf as usize].add(of_items(item));
        }
        self.sum(leaves.into_iter().enumerate().filter(|(leaf, _)| self.sizes[*leaf] > 0))
    }

    /// How many records each of some classes of items has, given the class of every item.
    pub(super) fn sizes(&self, classes: &[u32], number: usize) -> Vec<Estimate> {
        let mut of_class = vec![BTreeMap::<usize, Values>::new(); number];
        for (&class, &leaf) in classes.iter().zip(self.shape.leaves()) {
            of_class[class as usize].entry(leaf as usize).or_default().add(1.0);
        }
        of_class.into_iter().map(|leaves| self.sum(leaves)).collect()
    }

    /// What a sum over all records is, given the sums over items of some leaves.
    fn sum(&self, leaves: impl IntoIterator<Item = (usize, Values)>) -> Estimate {
        let mut means = vec![0.0; self.shape.len()];
        // Where the records of a leaf are among its items is not known. If they are drawn from all
        // of them, as many values as there are records vary by what the items' values vary by.
        let mut within = 0.0;
        for (leaf, Values { sum, squares }) in leaves {
            let size = self.sizes[leaf] as f64;
            means[leaf] = sum / size;
            within += self.masses[leaf] * (squares / size - means[leaf].powi(2)).max(0.0);
        }
        let (value, noise) = self.counts.sum(means);
        Estimate { value, deviation: (noise + within).sqrt() }
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
