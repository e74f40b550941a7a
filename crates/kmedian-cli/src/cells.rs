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

/// The columns that tables of centers may have beside those of the items, whatever command writes
/// them. No column of the items keeps such a name there, so that `assign` knows which is which.
pub(crate) const CENTER_COLUMNS: [&str; 11] = [
    "k",
    "index",
    "id",
    "size",
    "served",
    "mean_distance",
    "median_distance",
    "p95_distance",
    "max_distance",
    "estimated_size",
    "private",
];

/// What a column is called in a table where some names are taken: as it is, with as many
/// underscores before it as it takes.
pub(crate) fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut name = name.to_owned();
    while is_taken(&name) {
        name.insert(0, '_');
    }
    name
}

/// Adds what is known of items to a table of centers, as [`add_items`] does.
pub(crate) fn add_centers(
    table: &mut Vec<Column>,
    universe: &Universe,
    items: impl Iterator<Item = usize> + Clone,
) {
    add_beside(&CENTER_COLUMNS, table, universe, items);
}

/// Adds what is known of items to a table of them: their coordinates, and the columns of
/// --keep-columns. A name that the table has already gets an underscore before it.
pub(crate) fn add_items(
    table: &mut Vec<Column>,
    universe: &Universe,
    items: impl Iterator<Item = usize> + Clone,
) {
    add_beside(&[], table, universe, items);
}

fn add_beside(
    reserved: &[&str],
    table: &mut Vec<Column>,
    universe: &Universe,
    items: impl Iterator<Item = usize> + Clone,
) {
    let mut add = |column: Column| {
        let is_taken =
            |name: &str| reserved.contains(&name) || table.iter().any(|other| other.name == name);
        let name = free_name(&column.name, is_taken);
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
