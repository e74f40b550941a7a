use std::fmt;

use crate::{Assignment, Demand, Error, Objective, Problem, Space};

/// A value that would give the private demand away. It prints as `NonPrivate(hidden)`, and has to
/// be asked for by name.
///
/// ```
/// use kmedian::privacy::NonPrivate;
///
/// let cost = NonPrivate::new(17.5);
/// assert_eq!(format!("{cost:?}"), "NonPrivate(hidden)");
/// assert_eq!(cost.reveal_what_is_not_private(), 17.5);
/// ```
#[derive(Clone)]
pub struct NonPrivate<T>(T);

impl<T> NonPrivate<T> {
    /// Hides a value.
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// The value itself. No noise protects it: whatever is computed from it or printed of it is not
    /// private.
    pub fn reveal_what_is_not_private(self) -> T {
        self.0
    }
}

impl<T> fmt::Debug for NonPrivate<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NonPrivate(hidden)")
    }
}

/// What centers are worth on the true demand. It is not private: it is for the operator alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostics {
    /// The number of records.
    pub records: u64,
    /// The cost of the centers on the true demand.
    pub cost: f64,
    /// How many records each center serves, in the order of the centers.
    pub served: Vec<u64>,
    /// For each item, the position of its nearest center in the list of centers.
    pub labels: Vec<u32>,
}

/// Measures centers by the true demand, given as the number of records at each item.
///
/// # Errors
/// If there are no records, or counts for another number of items.
pub fn diagnose(
    space: &dyn Space,
    counts: &[u64],
    centers: &[usize],
    objective: Objective,
) -> Result<NonPrivate<Diagnostics>, Error> {
    let demand = Demand::new(counts.iter().map(|&count| count as f64).collect())?;
    Problem::of(space).demand(&demand).objective(objective).build()?;
    let assignment = Assignment::new(space, centers);
    let mut served = vec![0; centers.len()];
    for (&label, &count) in assignment.labels.iter().zip(counts) {
        served[label as usize] += count;
    }
    let cost = assignment.cost(&demand, objective);
    let records = counts.iter().sum();
    Ok(NonPrivate::new(Diagnostics { records, cost, served, labels: assignment.labels }))
}
