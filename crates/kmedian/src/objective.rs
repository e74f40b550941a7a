//! What a distance costs.

/// What is summed over the demand: the distance to the nearest center, or its square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Objective {
    /// k-median: the sum of distances.
    #[default]
    Median,
    /// k-means over items: the sum of squared distances, with centers that are items.
    Means,
}

impl Objective {
    /// What a distance to the nearest center costs, for a weight of one.
    #[inline]
    pub fn of(self, distance: f32) -> f64 {
        let distance = f64::from(distance);
        match self {
            Objective::Median => distance,
            Objective::Means => distance * distance,
        }
    }

    /// How fast the cost of a distance grows with it: the derivative.
    #[inline]
    pub(crate) fn growth(self, distance: f32) -> f64 {
        match self {
            Objective::Median => 1.0,
            Objective::Means => 2.0 * f64::from(distance),
        }
    }

    /// The distance that costs the given amount: the inverse of [`Objective::of`].
    pub(crate) fn distance(self, cost: f64) -> f64 {
        match self {
            Objective::Median => cost,
            Objective::Means => cost.sqrt(),
        }
    }
}
