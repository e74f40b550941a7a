//! Apache Parquet.

mod column;
mod rows;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use arrow_schema::{Fields, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::columns::{Names, Selection, Want};
use crate::error::{Error, ErrorKind, list, one_line, quote};
use crate::points::Points;
use column::{is_list, is_numeric, is_readable_id};
use rows::Rows;

const BATCH: usize = 1 << 15;

/// Reads the wanted columns, and no others.
pub(crate) fn read(path: &Path, want: Want<'_>) -> Result<Points, Error> {
    let damaged = |error: &dyn std::fmt::Display| {
        let why = one_line(&error.to_string(), 200);
        let what = format!("cannot be read as Parquet ({why}); write it again, or as CSV");
        Error::new(ErrorKind::Format, path, what)
    };
    let builder = ParquetRecordBatchReaderBuilder::try_new(open_whole(path)?)
        .map_err(|error| damaged(&error))?;
    let schema = builder.schema().clone();
    let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    let by_default = |column: usize| {
        is_numeric(schema.field(column).data_type()) && !is_pandas_index(&names[column])
    };
    let selection = want.resolve(&Names { path, names: &names, given: true }, by_default)?;
    check_types(path, &schema, &selection)?;

    let used = used_columns(&selection);
    let mask = ProjectionMask::roots(builder.parquet_schema(), used.iter().copied());
    let reader = builder
        .with_projection(mask)
        .with_batch_size(BATCH)
        .build()
        .map_err(|error| damaged(&error))?;
    let mut rows = Rows::new(path, &names, selection, used);
    for batch in reader {
        rows.push(&batch.map_err(|error| damaged(&error))?)?;
    }
    let left_out = left_out(want, schema.fields(), by_default, &rows.selection);
    let mut points = rows.finish()?;
    points.notes.extend(left_out);
    Ok(points)
}

/// Opens the file and makes sure that its end is there: Parquet keeps its index at the end, so a
/// partial download fails in obscure ways.
fn open_whole(path: &Path) -> Result<File, Error> {
    let reading = |error| Error::reading(path, &error);
    let mut file = File::open(path).map_err(reading)?;
    let length = file.metadata().map_err(reading)?.len();
    let mut end = [0; 4];
    if length >= 12 {
        file.seek(SeekFrom::Start(length - 4)).map_err(reading)?;
        file.read_exact(&mut end).map_err(reading)?;
    }
    if &end != b"PAR1" {
        let what = "begins as Parquet but its end is missing; copy or download it again";
        return Err(Error::new(ErrorKind::Truncated, path, what));
    }
    Ok(file)
}

/// pandas stores the index of a frame as a column of this name; it is never a coordinate.
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
    let refuse = |column: usize, why: &str| {
        let field = schema.field(column);
        let name = quote(field.name().as_bytes());
        let what = format!("column {name} is of type {}, {why}", field.data_type());
        Err(Error::new(ErrorKind::Column, path, what))
    };
    for &column in &selection.features {
        if !is_numeric(schema.field(column).data_type()) {
            return refuse(column, "not of numbers; choose other columns with --columns");
        }
    }
    if let Some(column) = selection.weight {
        let data_type = schema.field(column).data_type();
        if !is_numeric(data_type) || is_list(data_type) {
            return refuse(column, "not a number; choose another column of weights");
        }
    }
    if let Some(column) = selection.id
        && !is_readable_id(schema.field(column).data_type())
    {
        return refuse(column, "neither text nor a number; choose another column with --id");
    }
    Ok(())
}

/// The note about columns that were not chosen because of their type.
fn left_out(
    want: Want<'_>,
    fields: &Fields,
    by_default: impl Fn(usize) -> bool,
    selection: &Selection,
) -> Option<String> {
    if selection.chosen || matches!(want, Want::Weights(_)) {
        return None;
    }
    let names: Vec<String> = (0..fields.len())
        .filter(|&column| !by_default(column))
        .filter(|&column| selection.id != Some(column) && selection.weight != Some(column))
        .map(|column| fields[column].name().clone())
        .collect();
    (!names.is_empty()).then(|| format!("left out, as they are no coordinates: {}", list(&names)))
}
