//! Apache Parquet.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Fields, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::decode::explain;
use super::parquet_column::{
    BadColumn, Numbers, is_list, is_numeric, is_readable_id, numbers, texts,
};
use crate::columns::{Names, Selection, Want};
use crate::error::{Error, ErrorKind, list, one_line, quote};
use crate::number::{check_weight, narrow};
use crate::points::Points;

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
    let names: Vec<String> = schema
        .fields()
        .iter()
        .map(|field| field.name().clone())
        .collect();
    let by_default = |column: usize| {
        is_numeric(schema.field(column).data_type()) && !is_pandas_index(&names[column])
    };
    let selection = want.resolve(
        &Names {
            path,
            names: &names,
            given: true,
        },
        by_default,
    )?;
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
    let mut used: Vec<usize> = selection
        .features
        .iter()
        .copied()
        .chain(selection.id)
        .chain(selection.weight)
        .collect();
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
            return refuse(
                column,
                "not of numbers; choose other columns with --columns",
            );
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
        return refuse(
            column,
            "neither text nor a number; choose another column with --id",
        );
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

/// The rows read so far.
struct Rows<'a> {
    path: &'a Path,
    names: &'a [String],
    selection: Selection,
    /// The columns of every batch, by their position in the file.
    used: Vec<usize>,
    /// How many coordinates each feature gives, known from the first batch on.
    widths: Vec<usize>,
    /// Whether each feature is a list, known likewise.
    lists: Vec<bool>,
    rows: usize,
    values: Vec<f32>,
    ids: Vec<String>,
    weights: Vec<f64>,
}

impl<'a> Rows<'a> {
    fn new(path: &'a Path, names: &'a [String], selection: Selection, used: Vec<usize>) -> Self {
        Self {
            path,
            names,
            selection,
            used,
            widths: Vec::new(),
            lists: Vec::new(),
            rows: 0,
            values: Vec::new(),
            ids: Vec::new(),
            weights: Vec::new(),
        }
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        self.push_features(batch)?;
        if let Some(column) = self.selection.id {
            let ids = texts(self.column(batch, column)).map_err(|bad| self.bad(column, &bad))?;
            self.ids.extend(ids);
        }
        if let Some(column) = self.selection.weight {
            let weights =
                numbers(self.column(batch, column)).map_err(|bad| self.bad(column, &bad))?;
            for (row, &weight) in weights.values.iter().enumerate() {
                match check_weight(weight) {
                    Ok(weight) => self.weights.push(weight),
                    Err(what) => {
                        let what = format!(
                            "the weight `{weight}` {what}; weights are finite numbers from 0 up"
                        );
                        return Err(self.at(row, column, &what));
                    }
                }
            }
        }
        self.rows += batch.num_rows();
        Ok(())
    }

    fn push_features(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let mut features: Vec<Numbers> = Vec::new();
        for (place, &column) in self.selection.features.iter().enumerate() {
            let feature =
                numbers(self.column(batch, column)).map_err(|bad| self.bad(column, &bad))?;
            match self.widths.get(place) {
                Some(&expected) if expected != feature.width => {
                    let bad = BadColumn::Length {
                        row: 0,
                        found: feature.width,
                        expected,
                    };
                    return Err(self.bad(column, &bad));
                }
                _ => features.push(feature),
            }
        }
        if self.widths.is_empty() {
            self.widths = features.iter().map(|feature| feature.width).collect();
            self.lists = features.iter().map(|feature| feature.list).collect();
        }
        for row in 0..batch.num_rows() {
            for (place, feature) in features.iter().enumerate() {
                for &value in feature.row(row) {
                    match narrow(value) {
                        Ok(value) => self.values.push(value),
                        Err(bad) => {
                            let column = self.selection.features[place];
                            return Err(self.at(row, column, &explain(bad, value)));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn column<'b>(&self, batch: &'b RecordBatch, column: usize) -> &'b ArrayRef {
        let place = self.used.partition_point(|&used| used < column);
        batch.column(place)
    }

    fn at(&self, row: usize, column: usize, what: &str) -> Error {
        let name = quote(self.names[column].as_bytes());
        let message = format!("row {}, column {name}: {what}", self.rows + row + 1);
        Error::new(ErrorKind::Value, self.path, message)
    }

    fn bad(&self, column: usize, bad: &BadColumn) -> Error {
        let name = quote(self.names[column].as_bytes());
        match *bad {
            BadColumn::Null { row } => self.at(
                row,
                column,
                "the value is missing (null); fill it in or remove the row",
            ),
            BadColumn::Length {
                row,
                found,
                expected,
            } => Error::new(
                ErrorKind::Shape,
                self.path,
                format!(
                    "row {}, column {name}: the list has {found} values, but the first has \
                     {expected}; make all lists equally long",
                    self.rows + row + 1
                ),
            ),
            BadColumn::Type => Error::new(
                ErrorKind::Column,
                self.path,
                format!("column {name} is of a type that is not read; choose other columns"),
            ),
        }
    }

    fn finish(self) -> Result<Points, Error> {
        if self.rows == 0 {
            return Err(Error::new(
                ErrorKind::Empty,
                self.path,
                "has columns but no rows",
            ));
        }
        let dims = self.widths.iter().sum();
        if dims == 0 && !self.selection.features.is_empty() {
            return Err(Error::new(
                ErrorKind::Empty,
                self.path,
                "its lists are empty",
            ));
        }
        let columns = self.coordinate_names();
        Ok(Points {
            rows: self.rows,
            dims,
            values: self.values,
            columns,
            ids: self.selection.id.map(|_| self.ids),
            weights: self.selection.weight.map(|_| self.weights),
            format: "Parquet",
            notes: Vec::new(),
        })
    }

    fn coordinate_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for (place, &column) in self.selection.features.iter().enumerate() {
            let (name, width) = (&self.names[column], self.widths[place]);
            if self.lists[place] {
                names.extend((0..width).map(|i| format!("{name}[{i}]")));
            } else {
                names.push(name.clone());
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::builder::{FixedSizeListBuilder, Float32Builder};
    use arrow_array::types::{Float32Type, Int32Type};
    use arrow_array::{
        ArrayRef, BooleanArray, Decimal128Array, DictionaryArray, Float64Array, Int64Array,
        LargeListArray, ListArray, RecordBatch, StringArray, UInt8Array,
    };
    use parquet::arrow::ArrowWriter;
    use parquet::basic::{Compression, ZstdLevel};
    use parquet::file::properties::WriterProperties;

    use crate::input::testing::{gzip, sample};
    use crate::{Error, ErrorKind, Points, PointsOptions, read_points};

    fn encode(columns: Vec<(&str, ArrayRef)>, compression: Compression) -> Vec<u8> {
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let properties = WriterProperties::builder()
            .set_compression(compression)
            .build();
        let mut bytes = Vec::new();
        let mut writer =
            ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        bytes
    }

    fn read(columns: Vec<(&str, ArrayRef)>, options: &PointsOptions) -> Result<Points, Error> {
        let bytes = encode(columns, Compression::SNAPPY);
        read_points(&sample("a.parquet", bytes).path, options)
    }

    fn floats(values: &[f64]) -> ArrayRef {
        Arc::new(Float64Array::from(values.to_vec()))
    }

    fn names(values: &[&str]) -> ArrayRef {
        Arc::new(StringArray::from(values.to_vec()))
    }

    #[test]
    fn numeric_columns_are_read_and_others_noted() {
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("name", names(&["a", "b"])),
            ("x", floats(&[0.5, 1.5])),
            ("n", Arc::new(UInt8Array::from(vec![7, 255]))),
            ("yes", Arc::new(BooleanArray::from(vec![true, false]))),
            ("__index_level_0__", Arc::new(Int64Array::from(vec![5, 6]))),
            (
                "price",
                Arc::new(
                    Decimal128Array::from(vec![150, -25])
                        .with_precision_and_scale(9, 2)
                        .unwrap(),
                ),
            ),
        ];
        let points = read(columns, &PointsOptions::default()).unwrap();
        assert_eq!((points.rows, points.dims, points.format), (2, 4, "Parquet"));
        assert_eq!(points.columns, ["x", "n", "yes", "price"]);
        assert_eq!(points.values, [0.5, 7.0, 1.0, 1.5, 1.5, 255.0, 0.0, -0.25]);
        assert!(
            points.notes[0].ends_with(": `name`, `__index_level_0__`"),
            "{:?}",
            points.notes
        );
    }

    #[test]
    fn codecs_are_read() {
        let zstd = Compression::ZSTD(ZstdLevel::default());
        let gzip = Compression::GZIP(Default::default());
        for codec in [Compression::UNCOMPRESSED, zstd, gzip, Compression::LZ4_RAW] {
            let bytes = encode(vec![("x", floats(&[1.0, 2.0]))], codec);
            let file = sample("a.parquet", bytes);
            let points = read_points(&file.path, &PointsOptions::default()).unwrap();
            assert_eq!(points.values, [1.0, 2.0]);
        }
    }

    #[test]
    fn columns_are_chosen_in_any_order_with_ids_and_weights() {
        let dictionary: DictionaryArray<Int32Type> = vec!["p", "q"].into_iter().collect();
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("x", floats(&[1.0, 2.0])),
            ("key", Arc::new(dictionary)),
            ("y", floats(&[3.0, 4.0])),
            (
                "big",
                Arc::new(Int64Array::from(vec![9_007_199_254_740_993, 2])),
            ),
        ];
        let mut options = PointsOptions {
            columns: Some(vec!["y".into(), 0.into()]),
            id: Some("key".into()),
            weight: Some("x".into()),
            ..PointsOptions::default()
        };
        let points = read(columns.clone(), &options).unwrap();
        assert_eq!(points.values, [3.0, 1.0, 4.0, 2.0]);
        assert_eq!(points.ids.unwrap(), ["p", "q"]);
        assert_eq!(points.weights.unwrap(), [1.0, 2.0]);
        options.id = Some("big".into());
        assert_eq!(
            read(columns, &options).unwrap().ids.unwrap()[0],
            "9007199254740993"
        );
    }

    #[test]
    fn lists_become_several_coordinates() {
        let rows = vec![
            Some(vec![Some(1.0), Some(2.0)]),
            Some(vec![Some(3.0), Some(4.0)]),
        ];
        let mut fixed = FixedSizeListBuilder::new(Float32Builder::new(), 2);
        for row in &rows {
            fixed
                .values()
                .append_slice(&row.iter().flatten().map(|v| v.unwrap()).collect::<Vec<_>>());
            fixed.append(true);
        }
        let lists: [ArrayRef; 3] = [
            Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>(
                rows.clone(),
            )),
            Arc::new(LargeListArray::from_iter_primitive::<Float32Type, _, _>(
                rows,
            )),
            Arc::new(fixed.finish()),
        ];
        for list in lists {
            let columns = vec![("x", floats(&[9.0, 8.0])), ("e", list)];
            let points = read(columns, &PointsOptions::default()).unwrap();
            assert_eq!(points.columns, ["x", "e[0]", "e[1]"]);
            assert_eq!(points.values, [9.0, 1.0, 2.0, 8.0, 3.0, 4.0]);
        }
    }

    #[test]
    fn many_batches_make_one_table() {
        let values: Vec<f64> = (0..100_000).map(f64::from).collect();
        let points = read(vec![("x", floats(&values))], &PointsOptions::default()).unwrap();
        assert_eq!(points.rows, 100_000);
        assert!(
            points
                .values
                .iter()
                .zip(&values)
                .all(|(a, b)| f64::from(*a) == *b)
        );
        let mut values = values;
        values[70_000] = f64::NAN;
        let error = read(vec![("x", floats(&values))], &PointsOptions::default()).unwrap_err();
        assert!(
            error.to_string().contains("row 70001, column `x`: `NaN`"),
            "{error}"
        );
    }

    #[test]
    fn errors_say_what_and_where() {
        let gap: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.0), None]));
        let uneven = vec![Some(vec![Some(1.0), Some(2.0)]), Some(vec![Some(3.0)])];
        let holey = vec![
            Some(vec![Some(1.0), Some(2.0)]),
            Some(vec![Some(3.0), None]),
        ];
        let list = |rows| -> ArrayRef {
            Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>(rows))
        };
        for (column, kind, what) in [
            (
                gap,
                ErrorKind::Value,
                "row 2, column `c`: the value is missing (null)",
            ),
            (
                list(uneven),
                ErrorKind::Shape,
                "row 2, column `c`: the list has 1 values",
            ),
            (
                list(holey),
                ErrorKind::Value,
                "row 2, column `c`: the value is missing",
            ),
            (
                floats(&[1.0, f64::INFINITY]),
                ErrorKind::Value,
                "`inf` is not a finite number",
            ),
            (floats(&[1e300]), ErrorKind::Value, "`1e300` is too large"),
            (floats(&[]), ErrorKind::Empty, "no rows"),
            (
                names(&["a"]),
                ErrorKind::Column,
                "no numeric column is left",
            ),
        ] {
            let error = read(vec![("c", column)], &PointsOptions::default()).unwrap_err();
            assert_eq!(error.kind(), kind, "{error}");
            assert!(error.to_string().contains(what), "{error}");
        }
    }

    #[test]
    fn a_column_must_suit_its_part() {
        let columns = || vec![("x", floats(&[1.0])), ("name", names(&["a"]))];
        let name = || Some("name".into());
        for options in [
            PointsOptions {
                columns: Some(vec!["name".into()]),
                ..PointsOptions::default()
            },
            PointsOptions {
                weight: name(),
                ..PointsOptions::default()
            },
        ] {
            let error = read(columns(), &options).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Column);
            assert!(
                error.to_string().contains("column `name` is of type Utf8"),
                "{error}"
            );
        }
    }

    #[test]
    fn damaged_files_are_refused() {
        let whole = encode(vec![("x", floats(&[1.0]))], Compression::SNAPPY);
        let options = PointsOptions::default();
        let cut = sample("a.parquet", &whole[..whole.len() - 3]);
        assert_eq!(
            read_points(&cut.path, &options).unwrap_err().kind(),
            ErrorKind::Truncated
        );
        let zipped = sample("a.parquet.gz", gzip(&whole));
        let error = read_points(&zipped.path, &options).unwrap_err();
        assert!(error.to_string().contains("Parquet inside gzip"));
        let mut broken = whole;
        let end = broken.len();
        broken[end - 40..end - 20].fill(0xff);
        let broken = sample("a.parquet", broken);
        assert_eq!(
            read_points(&broken.path, &options).unwrap_err().kind(),
            ErrorKind::Format
        );
    }
}
