//! Where the items of a universe are: their coordinates as they were given.

use kmedian::Metric;

/// The most coordinates that are kept beside the space, which may hold them in another form. Items
/// with more are data, not places: nobody snaps to them or wants them in a table of centers.
const MOST_DIMS: usize = 16;

/// Rows of so many numbers that they are no places, as they were given: such as pictures.
pub(crate) struct Rows {
    dims: usize,
    /// Row by row, less the offsets.
    values: Vec<f32>,
    offsets: Vec<f64>,
}

impl Rows {
    /// Rows of `dims` numbers; `None` if these are few enough to be places.
    pub(crate) fn new(dims: usize, values: &[f32], offsets: &[f64]) -> Option<Self> {
        let mut offsets = offsets.to_vec();
        offsets.resize(dims, 0.0);
        (dims > MOST_DIMS).then(|| Self { dims, values: values.to_vec(), offsets })
    }

    pub(crate) fn dims(&self) -> usize {
        self.dims
    }

    /// The numbers in 32 bits, row by row, less a number of each column.
    pub(crate) fn centered(&self) -> &[f32] {
        &self.values
    }

    /// The numbers of a row as they were given.
    pub(crate) fn of(&self, item: usize) -> Vec<f32> {
        let row = &self.values[item * self.dims..(item + 1) * self.dims];
        row.iter().zip(&self.offsets).map(|(&x, offset)| (f64::from(x) + offset) as f32).collect()
    }
}

/// The coordinates of all items.
pub(crate) struct Places {
    metric: Metric,
    names: Vec<String>,
    /// Row by row, less the offsets.
    values: Vec<f32>,
    offsets: Vec<f64>,
}

impl Places {
    /// The coordinates of items, with the names of their columns; `None` if they are too many to be
    /// places.
    pub(crate) fn new(
        metric: Metric,
        names: &[String],
        values: Vec<f32>,
        mut offsets: Vec<f64>,
    ) -> Option<Self> {
        let dims = names.len();
        offsets.resize(dims, 0.0);
        (1..=MOST_DIMS).contains(&dims).then(|| Self {
            metric,
            names: names.to_vec(),
            values,
            offsets,
        })
    }

    /// The places of some of the items, in this order.
    pub(crate) fn of_items(self, items: &[usize]) -> Self {
        let dims = self.dims();
        let rows = items.iter().flat_map(|&item| &self.values[item * dims..(item + 1) * dims]);
        Self { values: rows.copied().collect(), ..self }
    }

    /// The coordinates in 32 bits, row by row, less a number of each column.
    pub(crate) fn centered(&self) -> &[f32] {
        &self.values
    }

    pub(crate) fn metric(&self) -> Metric {
        self.metric
    }

    pub(crate) fn dims(&self) -> usize {
        self.names.len()
    }

    /// The names of the coordinates.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// All coordinates in 64 bits, row by row.
    pub(crate) fn values(&self) -> Vec<f64> {
        let at =
            |(place, &value): (usize, &f32)| f64::from(value) + self.offsets[place % self.dims()];
        self.values.iter().enumerate().map(at).collect()
    }

    /// A coordinate as it would be held here, so that what was read from two files is equal.
    pub(crate) fn held(&self, axis: usize, value: f64) -> f64 {
        let offset = self.offsets[axis];
        f64::from((value - offset) as f32) + offset
    }

    /// A coordinate of an item: the shortest decimal number that is as near to what was read as 32
    /// bits tell, so that 52.37 is shown as it was written.
    pub(crate) fn value(&self, item: usize, axis: usize) -> f64 {
        let value = self.values[item * self.dims() + axis];
        let offset = self.offsets[axis];
        if offset == 0.0 {
            return value.to_string().parse().unwrap_or(f64::from(value));
        }
        let exact = offset + f64::from(value);
        let error = f64::from(value.abs().next_up() - value.abs()) / 2.0;
        (0..17)
            .filter_map(|digits| format!("{exact:.digits$e}").parse::<f64>().ok())
            .find(|shown| (shown - exact).abs() <= error)
            .unwrap_or(exact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_shown_as_they_were_written() {
        let names = ["a", "b"].map(String::from);
        let values = vec![52.37, 0.125, -4.9, 8_000_000.5 - 8_000_000.0];
        let places = Places::new(Metric::L1, &names, values, vec![0.0, 8_000_000.0]);
        let places = places.unwrap_or_else(|| panic!("two coordinates"));
        assert_eq!((places.value(0, 0), places.value(0, 1)), (52.37, 8_000_000.125));
        assert_eq!((places.value(1, 0), places.value(1, 1)), (-4.9, 8_000_000.5));
        assert_eq!(places.values()[1], 8_000_000.125);
        assert_eq!(places.of_items(&[1]).value(0, 0), -4.9);
        assert!(Places::new(Metric::L1, &vec![String::new(); 17], vec![0.0; 17], vec![]).is_none());
    }
}
