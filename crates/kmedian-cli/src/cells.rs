//! Makes columns of the tables that are written.

use kmedian_data::{Column, Values};

/// A column of whole numbers.
pub(crate) fn integers(name: &str, values: impl Iterator<Item = usize>) -> Column {
    Column {
        name: name.into(),
        values: Values::Integers(values.map(|value| value as i64).collect()),
    }
}

/// A column of floats.
pub(crate) fn numbers(name: &str, values: impl Iterator<Item = f64>) -> Column {
    Column { name: name.into(), values: Values::Numbers(values.collect()) }
}

/// A column of text.
pub(crate) fn texts(name: &str, values: impl Iterator<Item = String>) -> Column {
    Column { name: name.into(), values: Values::Text(values.collect()) }
}
