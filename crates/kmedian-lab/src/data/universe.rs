//! A universe: items, their metric and their clusters.

use kmedian::{Seed, Space};

use super::{CLUSTERS, Distances};
use crate::Failure;

/// Public items, ready for all methods.
pub struct Universe {
    space: Box<dyn Space>,
    distances: Distances,
    labels: Vec<usize>,
    two: Option<[usize; 2]>,
}

impl Universe {
    /// Measures all distances of a space, on all threads of the current pool. `labels` are the
    /// clusters of the items, where there are any; `two` is the pair of clusters for imbalanced
    /// demand, or `None` if it is another for each seed.
    ///
    /// # Errors
    /// If the space has no distances.
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

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.space.is_empty()
    }

    /// The items as users have them.
    pub fn space(&self) -> &dyn Space {
        &*self.space
    }

    /// The items with all their distances, for methods that need them all, and for costs.
    pub fn distances(&self) -> &Distances {
        &self.distances
    }

    /// The cluster of each item; empty where items have none.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// The two clusters of imbalanced demand.
    pub fn pair(&self, seed: Seed) -> [usize; 2] {
        let another = || [seed.0 as usize % CLUSTERS, (seed.0 as usize + 3) % CLUSTERS];
        self.two.unwrap_or_else(another)
    }
}
