//! Universes: items, their distances and their clusters.

use kmedian::{Seed, Space};

use super::{CLUSTERS, Distances};
use crate::Failure;

/// Public items, with everything that the methods need.
pub struct Universe {
    space: Box<dyn Space>,
    distances: Distances,
    labels: Vec<usize>,
    /// The two clusters of imbalanced demand; `None` if they depend on the seed.
    two: Option<[usize; 2]>,
}

impl Universe {
    /// A universe of a space, all of whose distances are measured on all threads of the current
    /// pool. `labels` are the clusters of the items, empty if there are none. `two` is the pair of
    /// clusters of imbalanced demand, or `None` if each seed has another pair.
    ///
    /// # Errors
    /// If a distance is negative or not finite.
    pub fn new(
        name: &str,
        space: Box<dyn Space>,
        labels: Vec<usize>,
        two: Option<[usize; 2]>,
    ) -> Result<Self, Failure> {
        let distances = Distances::new(&*space, name)?;
        Ok(Self { space, distances, labels, two })
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.space.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.space.is_empty()
    }

    /// The space of the items, as a user would have it.
    pub fn space(&self) -> &dyn Space {
        &*self.space
    }

    /// The items with all distances in memory, for methods that need all of them, and for costs.
    pub fn distances(&self) -> &Distances {
        &self.distances
    }

    /// The cluster of each item; empty if items have no clusters.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// The two clusters of imbalanced demand in the repetition of this seed.
    pub fn pair(&self, seed: Seed) -> [usize; 2] {
        let another = || [seed.0 as usize % CLUSTERS, (seed.0 as usize + 3) % CLUSTERS];
        self.two.unwrap_or_else(another)
    }
}
