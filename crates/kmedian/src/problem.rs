//! What is to be clustered: a space, the demand at its items, and what distances cost.

use std::ops::Range;

use crate::space::Merged;
use crate::{Assignment, Demand, Error, ErrorKind, Halt, LentVectors, Objective, Space};

/// A clustering problem: a space of items, the demand at each of them, and what a distance costs.
///
/// [`Problem::of`] begins with a demand of one at every item and the k-median objective; what
/// differs is said before [`build`](ProblemBuilder::build), which checks that the parts fit
/// together. A problem is cheap to clone.
///
/// ```
/// use kmedian::{Demand, Metric, Objective, Problem, Vectors};
///
/// let places = Vectors::new(1, &[0.0, 1.0, 5.0], Metric::L1)?;
/// let problem = Problem::of(&places).build()?;
/// assert_eq!(problem.cost(&[1]), 5.0);
///
/// let people = Demand::new(vec![3.0, 0.0, 1.0])?;
/// let problem = Problem::of(&places).demand(&people).objective(Objective::Means).build()?;
/// assert_eq!(problem.cost(&[1]), 3.0 * 1.0 + 1.0 * 16.0);
/// # Ok::<(), kmedian::Error>(())
/// ```
#[derive(Clone)]
pub struct Problem<'a> {
    pub(crate) space: &'a dyn Space,
    pub(crate) demand: Demand,
    pub(crate) objective: Objective,
}

/// The parts of a [`Problem`], before it is known whether they fit together.
#[derive(Clone)]
#[must_use]
pub struct ProblemBuilder<'a> {
    space: &'a dyn Space,
    demand: Option<Demand>,
    objective: Objective,
}

impl<'a> Problem<'a> {
    /// Begins a problem with its items and their distances.
    pub fn of(space: &'a dyn Space) -> ProblemBuilder<'a> {
        ProblemBuilder { space, demand: None, objective: Objective::default() }
    }

    /// The items and their distances.
    pub fn space(&self) -> &'a dyn Space {
        self.space
    }

    /// The demand at each item.
    pub fn demand(&self) -> &Demand {
        &self.demand
    }

    /// The objective: what a distance to the nearest center costs.
    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.space.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.space.is_empty()
    }

    /// The cost of centers, given as items: the sum over all items of their weight times what the
    /// distance to the nearest center costs. Infinite without a center.
    pub fn cost(&self, centers: &[usize]) -> f64 {
        Assignment::new(self.space, centers).cost(&self.demand, self.objective)
    }

    /// This problem with other distances between its items, such as an approximation of them.
    ///
    /// # Errors
    /// If the other space has another number of items.
    pub fn in_space<'b>(&self, space: &'b dyn Space) -> Result<Problem<'b>, Error> {
        Problem::of(space).demand(&self.demand).objective(self.objective).build()
    }

    /// A k-median problem of parts that are known to fit together.
    pub(crate) fn trusted(space: &'a dyn Space, demand: Demand) -> Self {
        Self { space, demand, objective: Objective::Median }
    }

    /// This problem with another demand at its items.
    pub(crate) fn with_demand(&self, demand: &Demand) -> Self {
        Self { demand: demand.clone(), ..*self }
    }

    /// This problem over a table of all distances, where keeping one saves time.
    pub(crate) fn tabulated(&self, halt: &Halt) -> Self {
        let table = self.space.own().as_vectors().and_then(|vectors| vectors.table(halt));
        let space = table.map_or(self.space, |table| table);
        Self { space, demand: self.demand.clone(), objective: self.objective }
    }

    /// This problem with equal items merged into one and their demand added up, where the items are
    /// vectors of which many are equal; else `None`.
    pub(crate) fn merged(&self, halt: &Halt) -> Option<(&'a Merged, Self)> {
        let merged = self.space.own().as_vectors()?.merged(halt)?;
        let demand = merged.demand(&self.demand)?;
        let objective = self.objective;
        Some((merged, Self { space: &merged.vectors, demand, objective }))
    }

    /// The items that may be centers: all of them.
    pub(crate) fn candidates(&self) -> Range<u32> {
        0..self.len() as u32
    }

    /// The items whose distances to the centers must be known: those with demand, or all of them in
    /// a space that explores and needs valid caps everywhere.
    pub(crate) fn tracked(&self) -> Vec<u32> {
        if self.space.abilities().explores {
            (0..self.len() as u32).collect()
        } else {
            self.demand.items().to_vec()
        }
    }

    /// Checks that a number of centers is from 1 to the number of items.
    pub(crate) fn check_k(&self, k: usize) -> Result<(), Error> {
        let n = self.candidates().len();
        if k == 0 || k > n {
            let message =
                format!("k = {k} centers cannot be chosen from {n} items; k must be 1 to {n}");
            return Err(Error::new(ErrorKind::Parameter, message));
        }
        Ok(())
    }
}

impl<'a> ProblemBuilder<'a> {
    /// Sets the demand at each item. By default it is one at every item.
    pub fn demand(self, demand: &Demand) -> Self {
        Self { demand: Some(demand.clone()), ..self }
    }

    /// Sets what a distance costs: by default the distance itself, which is k-median.
    pub fn objective(self, objective: Objective) -> Self {
        Self { objective, ..self }
    }

    /// Puts the parts of a problem together, and checks that they fit.
    ///
    /// # Errors
    /// If the demand is for another number of items than the space has, or if items are too close
    /// together for distances in 32-bit numbers.
    pub fn build(self) -> Result<Problem<'a>, Error> {
        let Self { space, demand, objective } = self;
        let demand = demand.unwrap_or_else(|| Demand::uniform(space.len()));
        if space.len() != demand.len() {
            let message =
                format!("there are {} items, but weights for {}", space.len(), demand.len());
            return Err(Error::new(ErrorKind::Shape, message));
        }
        space.own().as_vectors().map_or(Ok(()), LentVectors::check_scale)?;
        Ok(Problem { space, demand, objective })
    }
}
