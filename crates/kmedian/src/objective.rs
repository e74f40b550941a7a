use std::fmt;

use crate::nearest::nearest_pairs;
use crate::space::{AskerPool, Pair};
use crate::{Demand, Error, ErrorKind, LentVectors, Question, Space};

/// What is summed over the demand: the distance to the nearest center, or its square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Objective {
    /// k-median: the sum of distances.
    #[default]
    Median,
    /// k-means over items: the sum of squared distances, with centers that are items.
    Means,
}

impl Objective {
    /// What a distance costs.
    #[inline]
    pub fn of(self, distance: f32) -> f64 {
        let distance = f64::from(distance);
        match self {
            Objective::Median => distance,
            Objective::Means => distance * distance,
        }
    }

    /// How fast the cost of a distance changes with it.
    #[inline]
    pub(crate) fn growth(self, distance: f32) -> f64 {
        match self {
            Objective::Median => 1.0,
            Objective::Means => 2.0 * f64::from(distance),
        }
    }

    /// The distance that costs so much.
    pub(crate) fn distance(self, cost: f64) -> f64 {
        match self {
            Objective::Median => cost,
            Objective::Means => cost.sqrt(),
        }
    }
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Objective::Median => "median",
            Objective::Means => "means",
        })
    }
}

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
        space.as_vectors().map_or(Ok(()), LentVectors::check_scale)?;
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

    /// The same with all distances at hand, where that saves time.
    pub(crate) fn at_hand(&self) -> Self {
        match self.space.as_vectors().and_then(LentVectors::table) {
            Some(table) => Self { space: table, ..*self },
            None => *self,
        }
    }

    /// The items whose distances to the centers must be known: those with demand, or all of them in a
    /// space that explores and needs valid caps everywhere.
    pub(crate) fn tracked(&self) -> Vec<u32> {
        if self.space.explores() {
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

/// Every item with its nearest center.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// For each item, the position of its center in the list of centers; the first of equally near ones.
    pub labels: Vec<u32>,
    /// For each item, the distance to that center.
    pub distances: Vec<f32>,
}

impl Assignment {
    /// Assigns all items of the space, with or without demand.
    pub fn new(space: &dyn Space, centers: &[usize]) -> Self {
        let pool = AskerPool::new(space);
        if !space.explores() {
            let everyone: Vec<u32> = (0..space.len() as u32).collect();
            let pairs = nearest_pairs(centers, &everyone, &pool).into_iter();
            let nearest = pairs.map(|Pair { slots, distances }| (slots[0], distances[0]));
            let (labels, distances) = nearest.unzip();
            return Self { labels, distances };
        }
        let mut labels = vec![0; space.len()];
        let mut distances = vec![f32::INFINITY; space.len()];
        pool.lend(|asker| {
            for (label, &center) in centers.iter().enumerate() {
                for hit in asker.ask(center, &Question::all(&distances)).iter() {
                    labels[hit.item as usize] = label as u32;
                    distances[hit.item as usize] = hit.distance;
                }
            }
        });
        Self { labels, distances }
    }

    /// What the assignment costs.
    pub fn cost(&self, demand: &Demand, objective: Objective) -> f64 {
        let cost =
            |&item: &u32| demand.of(item as usize) * objective.of(self.distances[item as usize]);
        demand.items().iter().map(cost).sum()
    }

    /// How many items each of the `k` centers has.
    pub fn sizes(&self, k: usize) -> Vec<usize> {
        let mut sizes = vec![0; k];
        for &label in &self.labels {
            sizes[label as usize] += 1;
        }
        sizes
    }

    /// How much demand each of the `k` centers serves.
    pub fn served(&self, k: usize, demand: &Demand) -> Vec<f64> {
        let mut served = vec![0.0; k];
        for &item in demand.items() {
            served[self.labels[item as usize] as usize] += demand.of(item as usize);
        }
        served
    }
}
