//! Selects rows, and what is measured of them.

use crate::row::Row;

use super::stats::{Summary, iterations_to_optimum, mean};

/// What is measured of a run; `None` if the run does not have it.
pub type Measure = fn(&Row) -> Option<f64>;

/// The private searches of the paper, by their names in rows. They are the only methods of which
/// every iteration counts as an output.
pub const PAPER_SEARCHES: [&str; 3] = ["dp-rand", "dp-plusplus", "dp-hst"];

/// The costs after each iteration of a private search of the paper; empty for other methods.
fn iteration_costs(row: &Row) -> &[f64] {
    if PAPER_SEARCHES.contains(&row.method.as_str()) { &row.costs } else { &[] }
}

/// The cost of the initial centers.
pub fn initial(row: &Row) -> Option<f64> {
    row.init_cost
}

/// The cost of the centers that the method ends with.
pub fn output(row: &Row) -> Option<f64> {
    row.final_cost
}

/// What the paper reports of private searches: the mean cost over their iterations. For methods
/// without iterations, the cost of their output.
pub fn mean_over_iterations(row: &Row) -> Option<f64> {
    mean(iteration_costs(row)).or(row.final_cost)
}

/// The least cost of all iterations, which a private search cannot know. For methods without
/// iterations, the cost of their output.
pub fn best_iteration(row: &Row) -> Option<f64> {
    iteration_costs(row).iter().copied().min_by(f64::total_cmp).or(row.final_cost)
}

/// The number of iterations to a local optimum, by the paper's measure.
pub fn iterations(row: &Row) -> Option<f64> {
    iterations_to_optimum(iteration_costs(row)).map(|count| count as f64)
}

/// The cost of the output divided by the number of records, to compare demands of different sizes.
pub fn output_per_record(row: &Row) -> Option<f64> {
    Some(row.final_cost? / row.records as f64).filter(|cost| cost.is_finite())
}

/// The time of the initialization in seconds; the time of the whole run if that is not known.
pub fn initial_seconds(row: &Row) -> Option<f64> {
    row.init_seconds.or(Some(row.seconds))
}

/// The number in a row that is no cost of its run: the mean distortion, or the proven optimum.
pub fn value(row: &Row) -> Option<f64> {
    row.value
}

/// By how many percent the output costs more than the proven optimum.
pub fn gap(row: &Row) -> Option<f64> {
    Some((row.final_cost? / row.value? - 1.0) * 100.0).filter(|gap| gap.is_finite())
}

/// A selection of rows.
#[derive(Debug, Clone)]
pub struct Rows<'a>(Vec<&'a Row>);

impl<'a> Rows<'a> {
    /// All rows.
    pub fn all(rows: &'a [Row]) -> Self {
        Self(rows.iter().collect())
    }

    /// The rows of an experiment.
    pub fn experiment(&self, name: &str) -> Self {
        self.that(|row| row.experiment == name)
    }

    /// The rows of a method.
    pub fn method(&self, name: &str) -> Self {
        self.that(|row| row.method == name)
    }

    /// The rows of this data with this demand.
    pub fn over(&self, data: &str, demand: &str) -> Self {
        self.that(|row| row.data == data && row.demand == demand)
    }

    /// The rows with `k` centers.
    pub fn centers(&self, k: usize) -> Self {
        self.that(|row| row.k == k)
    }

    /// The rows that fulfill a condition.
    pub fn that(&self, keep: impl Fn(&Row) -> bool) -> Self {
        Self(self.0.iter().copied().filter(|row| keep(row)).collect())
    }

    /// The rows one by one.
    pub fn iter(&self) -> impl Iterator<Item = &'a Row> + '_ {
        self.0.iter().copied()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The different values of a field, in ascending order.
    pub fn distinct<T: Ord>(&self, field: impl Fn(&'a Row) -> T) -> Vec<T> {
        let mut values: Vec<T> = self.iter().map(field).collect();
        values.sort();
        values.dedup();
        values
    }

    /// The different values of a number, in ascending order.
    pub fn distinct_numbers(&self, field: impl Fn(&Row) -> Option<f64>) -> Vec<f64> {
        let mut values: Vec<f64> = self.iter().filter_map(field).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    }

    /// The mean of a measure over the rows that have it; `None` if none has.
    pub fn summary(&self, measure: Measure) -> Option<Summary> {
        Summary::of(self.iter().filter_map(measure))
    }
}
