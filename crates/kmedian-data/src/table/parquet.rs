//! Reads Apache Parquet.

mod cells;
mod column;
#[cfg(test)]
mod damage_tests;
mod delta;
mod footer;
mod guard;
mod pages;
mod rows;
mod table;
#[cfg(test)]
mod tests;
mod thrift;

use std::path::Path;

use arrow_array::RecordBatch;
use arrow_schema::{Fields, Schema};

use crate::advice::{Advice, Part};
use crate::cells::Cells;
use crate::columns::{Given, Names, Selection, Want};
use crate::demand::{Cell, DemandColumns, DemandOptions, Key, Tally};
use crate::error::{Error, ErrorKind, quote};
use crate::parts::Parts;
use crate::points::Points;
use column::{BadColumn, for_each_cell, is_list, is_numeric, is_readable_id, numbers_or_nan};
use guard::guarded;
use rows::Rows;
use table::{Plan, Table};

/// Reads the wanted columns of a Parquet file, and no others.
pub(crate) fn read(
    path: &Path,
    want: Want<'_>,
    parts: Option<&mut Parts<'_>>,
) -> Result<Points, Error> {
    guarded(path, || read_columns(path, want, parts))
}

/// The number of rows of a Parquet file, as it says itself.
pub(crate) fn count_rows(path: &Path) -> Result<u64, Error> {
    guarded(path, || Ok(Table::open(path)?.rows()))
}

/// Reads the wanted columns of a Parquet file, whatever they hold.
pub(crate) fn read_cells(path: &Path, want: Want<'_>) -> Result<Cells, Error> {
    guarded(path, || cells::read_cells(path, want))
}

fn read_columns(
    path: &Path,
    want: Want<'_>,
    mut parts: Option<&mut Parts<'_>>,
) -> Result<Points, Error> {
    let table = Table::open(path)?;
    let (schema, names) = (table.schema().clone(), table.names());
    let by_default = |column: usize| {
        is_numeric(schema.field(column).data_type()) && !is_pandas_index(&names[column])
    };
    let selection =
        want.resolve(&Names { path, names: &names, given: Given::Public }, by_default)?;
    check_types(path, &schema, &selection)?;

    let used = used_columns(&selection);
    let texts: Vec<usize> = selection.id.into_iter().collect();
    let (batches, length) = table.batches(Plan { columns: &used, texts: &texts, public: true })?;
    let mut rows = Rows::new(path, &names, want, selection, used, length);
    for batch in batches {
        rows.push_all(&batch?)?;
        if let Some(parts) = &mut parts {
            parts.take(path, rows.part())?;
        }
    }
    let passed_over = passed_over(want, schema.fields(), by_default, &rows.selection);
    let mut points = rows.finish()?;
    points.pass_over(passed_over);
    Ok(points)
}

/// Counts the records of a private Parquet file. Text is read as bytes, so that a value that is not
/// UTF-8 drops its own record and no other.
pub(crate) fn count(
    path: &Path,
    options: &DemandOptions,
    tally: Option<&mut Tally<'_>>,
) -> Result<DemandColumns, Error> {
    guarded(path, || count_records(path, options, tally))
}

fn count_records(
    path: &Path,
    options: &DemandOptions,
    tally: Option<&mut Tally<'_>>,
) -> Result<DemandColumns, Error> {
    let table = Table::open(path)?;
    let names = Names { path, names: &table.names(), given: Given::Public };
    let columns = options.resolve(&names)?;
    let part = if columns.snapped { Part::Coordinate } else { Part::Key };
    let items = columns.items.iter().map(|&column| (column, part));
    for (column, part) in items.chain(columns.unit.map(|column| (column, Part::Unit))) {
        check_readable(path, table.schema(), column, part)?;
    }
    let used = columns.used();
    let (batches, _) = table.batches(Plan { columns: &used, texts: &used, public: false })?;
    let Some(tally) = tally else { return Ok(columns) };
    let place = |column: usize| used.partition_point(|&used| used < column);
    let unread = |_| {
        let what = "the keys are of a type that is not read; write them as text or numbers";
        Error::new(ErrorKind::Column, path, what)
    };
    let mut keys: Vec<Key> = Vec::new();
    for batch in batches {
        let batch = batch?;
        if columns.snapped {
            count_places(&batch, &columns, place, tally).map_err(unread)?;
            continue;
        }
        keys.clear();
        let push = &mut |key: Cell<'_>| keys.push(tally.key(key));
        for_each_cell(batch.column(place(columns.key())), push).map_err(unread)?;
        let mut keys = keys.iter().copied();
        match columns.unit {
            None => keys.for_each(|key| tally.add_by(key, Cell::Missing)),
            Some(unit) => {
                let add = &mut |unit: Cell<'_>| {
                    // Both columns have as many rows as the batch.
                    if let Some(key) = keys.next() {
                        tally.add_by(key, unit);
                    }
                };
                for_each_cell(batch.column(place(unit)), add).map_err(unread)?;
            }
        }
    }
    Ok(columns)
}

/// Counts the records of a batch by their coordinates. `place` is where a column is in the batch.
fn count_places(
    batch: &RecordBatch,
    columns: &DemandColumns,
    place: impl Fn(usize) -> usize,
    tally: &mut Tally<'_>,
) -> Result<(), BadColumn> {
    let coordinates =
        columns.items.iter().map(|&column| numbers_or_nan(batch.column(place(column))));
    let coordinates = coordinates.collect::<Result<Vec<_>, _>>()?;
    let mut row = 0;
    let mut add = |unit: Cell<'_>| {
        tally.add_place(coordinates.iter().map(|values| values[row]), unit);
        row += 1;
    };
    match columns.unit {
        Some(unit) => for_each_cell(batch.column(place(unit)), &mut add),
        None => {
            (0..batch.num_rows()).for_each(|_| add(Cell::Missing));
            Ok(())
        }
    }
}

/// Whether a column has a name under which pandas stores the index of a frame. Such a column is
/// never a coordinate.
fn is_pandas_index(name: &str) -> bool {
    name.starts_with("__index_level_") && name.ends_with("__")
}

fn used_columns(selection: &Selection) -> Vec<usize> {
    let mut used: Vec<usize> =
        selection.features.iter().copied().chain(selection.id).chain(selection.weight).collect();
    used.sort_unstable();
    used.dedup();
    used
}

fn check_types(path: &Path, schema: &Schema, selection: &Selection) -> Result<(), Error> {
    for &column in &selection.features {
        if !is_numeric(schema.field(column).data_type()) {
            let wrong = wrong_type(path, schema, column, "not of numbers");
            return Err(wrong.advise(Advice::OtherColumns));
        }
    }
    if let Some(column) = selection.weight {
        let data_type = schema.field(column).data_type();
        if !is_numeric(data_type) || is_list(data_type) {
            let why = "not a number; choose another column of weights";
            return Err(wrong_type(path, schema, column, why));
        }
    }
    selection.id.map_or(Ok(()), |column| check_readable(path, schema, column, Part::Id))
}

/// Checks that a column that names items, owners or rows holds text or numbers.
fn check_readable(path: &Path, schema: &Schema, column: usize, part: Part) -> Result<(), Error> {
    if is_readable_id(schema.field(column).data_type()) {
        return Ok(());
    }
    let wrong = wrong_type(path, schema, column, "neither text nor a number");
    Err(wrong.advise(Advice::OtherColumn(part)))
}

fn wrong_type(path: &Path, schema: &Schema, column: usize, why: &str) -> Error {
    let field = schema.field(column);
    let name = quote(field.name().as_bytes());
    let what = format!("column {name} is of type {}, {why}", field.data_type());
    Error::new(ErrorKind::Column, path, what)
}

/// The columns that are left out because they are no coordinates.
fn passed_over(
    want: Want<'_>,
    fields: &Fields,
    by_default: impl Fn(usize) -> bool,
    selection: &Selection,
) -> Vec<String> {
    if selection.chosen || !matches!(want, Want::Points(_)) {
        return Vec::new();
    }
    (0..fields.len())
        .filter(|&column| !by_default(column))
        .filter(|&column| selection.is_unnamed(column))
        .map(|column| fields[column].name().clone())
        .collect()
}
