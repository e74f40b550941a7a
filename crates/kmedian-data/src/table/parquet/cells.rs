//! Columns of a Parquet file as they are: numbers, texts and lists of them.

use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Schema};

use super::column::{BadColumn, is_numeric, is_readable_id, numbers, texts};
use super::rows::Rows;
use super::table::{Plan, Table};
use super::{check_types, is_pandas_index, wrong_type};
use crate::advice::Advice;
use crate::cells::{CellColumn, CellValues, Cells};
use crate::columns::{Given, Names, Want};
use crate::error::Error;

/// Reads the wanted columns of a Parquet file, whatever they hold.
pub(super) fn read_cells(path: &Path, want: Want<'_>) -> Result<Cells, Error> {
    let table = Table::open(path)?;
    let (schema, names) = (table.schema().clone(), table.names());
    let by_default = |column: usize| !is_pandas_index(&names[column]);
    let mut selection =
        want.resolve(&Names { path, names: &names, given: Given::Public }, by_default)?;
    let chosen = std::mem::take(&mut selection.features);
    check_types(path, &schema, &selection)?;
    let mut columns = chosen
        .iter()
        .map(|&column| empty(path, &schema, column))
        .collect::<Result<Vec<CellColumn>, Error>>()?;
    let mut used: Vec<usize> =
        chosen.iter().copied().chain(selection.id).chain(selection.weight).collect();
    used.sort_unstable();
    used.dedup();
    let as_bytes: Vec<usize> = used
        .iter()
        .copied()
        .filter(|&column| is_readable_id(schema.field(column).data_type()))
        .collect();
    let plan = Plan { columns: &used, texts: &as_bytes, public: true };
    let (batches, length) = table.batches(plan)?;
    let mut rows = Rows::new(path, &names, want, selection, used, length);
    for batch in batches {
        let batch = batch?;
        for (values, &column) in columns.iter_mut().zip(&chosen) {
            let pushed = push(&mut values.values, rows.column(&batch, column));
            pushed.map_err(|bad| rows.bad(column, &bad))?;
        }
        rows.push_all(&batch)?;
    }
    let points = rows.finish()?;
    let (rows, ids, weights) = (points.rows, points.ids, points.weights);
    Ok(Cells { rows, columns, ids, weights, format: points.format, notes: points.notes })
}

/// A column without rows, of the kind that its type tells.
fn empty(path: &Path, schema: &Schema, column: usize) -> Result<CellColumn, Error> {
    let data_type = schema.field(column).data_type();
    let values = match element(data_type) {
        Some(inner) if is_readable_id(inner.data_type()) => CellValues::Lists(Vec::new()),
        None if is_numeric(data_type) && *data_type != DataType::Boolean => {
            CellValues::Numbers(Vec::new())
        }
        None if is_readable_id(data_type) => CellValues::Texts(Vec::new()),
        _ => {
            let wrong = wrong_type(path, schema, column, "neither text, numbers nor lists of them");
            return Err(wrong.advise(Advice::OtherColumns));
        }
    };
    Ok(CellColumn { name: schema.field(column).name().clone(), values })
}

/// What the lists of a column are of; `None` if it is no column of lists.
fn element(data_type: &DataType) -> Option<&arrow_schema::FieldRef> {
    match data_type {
        DataType::List(inner) | DataType::LargeList(inner) | DataType::FixedSizeList(inner, _) => {
            Some(inner)
        }
        _ => None,
    }
}

fn push(values: &mut CellValues, array: &ArrayRef) -> Result<(), BadColumn> {
    match values {
        CellValues::Numbers(all) => {
            let numbers = numbers(array)?.values;
            if let Some(row) = numbers.iter().position(|number| !number.is_finite()) {
                return Err(BadColumn::Null { row });
            }
            all.extend(numbers);
            Ok(())
        }
        CellValues::Texts(all) => texts(array, &mut |text| all.push(text.to_owned())),
        CellValues::Lists(all) => {
            for row in 0..array.len() {
                if array.is_null(row) {
                    return Err(BadColumn::Null { row });
                }
                let list = match array.data_type() {
                    DataType::List(_) => array.as_list::<i32>().value(row),
                    DataType::LargeList(_) => array.as_list::<i64>().value(row),
                    _ => array.as_fixed_size_list().value(row),
                };
                let mut elements = Vec::new();
                texts(&list, &mut |text| elements.push(text.to_owned())).map_err(
                    |bad| match bad {
                        BadColumn::Null { .. } => BadColumn::Null { row },
                        BadColumn::NotUtf8 { .. } => BadColumn::NotUtf8 { row },
                        other => other,
                    },
                )?;
                all.push(elements);
            }
            Ok(())
        }
    }
}
