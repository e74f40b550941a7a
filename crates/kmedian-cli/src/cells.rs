//! Makes columns of the tables that are written.

use kmedian_data::{Column, Values};

use crate::universe::Universe;

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

/// Adds what is known of items to a table of them: their coordinates, and the columns of
/// --keep-columns. A name that the table has already gets an underscore before it.
pub(crate) fn add_items(
    table: &mut Vec<Column>,
    universe: &Universe,
    items: impl Iterator<Item = usize> + Clone,
) {
    let mut add = |column: Column| {
        let mut name = column.name;
        while table.iter().any(|other| other.name == name) {
            name.insert(0, '_');
        }
        table.push(Column { name, ..column });
    };
    if let Some(places) = universe.places() {
        for (axis, name) in places.names().iter().enumerate() {
            add(numbers(name, items.clone().map(|item| places.value(item, axis))));
        }
    }
    for (name, cells) in universe.kept_columns() {
        add(texts(name, items.clone().map(|item| cells[item].clone())));
    }
}
