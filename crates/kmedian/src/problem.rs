//! What is to be clustered: a space, the demand at its items, and what distances cost.

use crate::{Assignment, Demand, Error, ErrorKind, LentVectors, Objective, Space};

/// What is to be clustered: a space, the demand at its items, and what distances cost.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// The items and their distances.
    pub space: &'a dyn Space,
    /// The demand at each item.
    pub demand: &'a Demand,
    /// What a distance costs.
    pub objective: Objective,
}

impl<'a> Problem<'a> {
    /// Puts the parts together.
    ///
    /// # Errors
    /// If the demand is for another number of items, or if these are too close together for 32-bit numbers.
    pub fn new(
        space: &'a dyn Space,
        demand: &'a Demand,
        objective: Objective,
    ) -> Result<Self, Error> {
        if space.len() != demand.len() {
            let message =
                format!("there are {} items, but weights for {}", space.len(), demand.len());
            return Err(Error::new(ErrorKind::Shape, message));
        }
        space.own().as_vectors().map_or(Ok(()), LentVectors::check_scale)?;
        Ok(Self { space, demand, objective })
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.space.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.space.is_empty()
    }

    /// This problem over a table of all distances, where keeping one saves time.
    pub(crate) fn tabulated(&self) -> Self {
        match self.space.own().as_vectors().and_then(LentVectors::table) {
            Some(table) => Self { space: table, ..*self },
            None => *self,
        }
    }

    /// The items whose distances to the centers must be known: those with demand, or all of them in a
    /// space that explores and needs valid caps everywhere.
    pub(crate) fn tracked(&self) -> Vec<u32> {
        if self.space.abilities().explores {
            (0..self.len() as u32).collect()
        } else {
            self.demand.items().to_vec()
        }
    }

    /// Checks a number of centers.
    pub(crate) fn check_k(&self, k: usize) -> Result<(), Error> {
        if k == 0 || k > self.len() {
            let n = self.len();
            let message =
                format!("k = {k} centers cannot be chosen from {n} items; k must be 1 to {n}");
            return Err(Error::new(ErrorKind::Parameter, message));
        }
        Ok(())
    }

    /// The cost of a set of centers.
    pub fn cost(&self, centers: &[usize]) -> f64 {
        Assignment::new(self.space, centers).cost(self.demand, self.objective)
    }
}
