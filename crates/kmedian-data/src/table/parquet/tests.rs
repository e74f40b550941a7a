//! Files of every column type and codec, and broken ones.

use std::sync::Arc;

use arrow_array::builder::{FixedSizeListBuilder, Float32Builder, ListBuilder, StringBuilder};
use arrow_array::types::{Float32Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Decimal128Array, DictionaryArray, Float64Array, Int64Array,
    LargeListArray, ListArray, RecordBatch, StringArray, UInt8Array,
};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use crate::input::testing::{gzip, sample};
use crate::{CellValues, Error, ErrorKind, Points, PointsOptions, read_cells, read_points};

pub(super) fn encode(columns: Vec<(&str, ArrayRef)>, compression: Compression) -> Vec<u8> {
    let nullable = columns.into_iter().map(|(name, column)| {
        let null = column.logical_null_count() > 0;
        (name, column, null)
    });
    let batch = RecordBatch::try_from_iter_with_nullable(nullable).unwrap();
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
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
            Arc::new(Decimal128Array::from(vec![150, -25]).with_precision_and_scale(9, 2).unwrap()),
        ),
    ];
    let points = read(columns, &PointsOptions::default()).unwrap();
    assert_eq!((points.rows, points.dims, points.format), (2, 4, "Parquet"));
    assert_eq!(points.columns, ["x", "n", "yes", "price"]);
    assert_eq!(points.values, [0.5, 7.0, 1.0, 1.5, 1.5, 255.0, 0.0, -0.25]);
    assert!(points.notes[0].ends_with(": `name`, `__index_level_0__`"), "{:?}", points.notes);
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
        ("big", Arc::new(Int64Array::from(vec![9_007_199_254_740_993, 2]))),
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
    assert_eq!(read(columns, &options).unwrap().ids.unwrap()[0], "9007199254740993");
}

#[test]
fn lists_become_several_coordinates() {
    let rows = vec![Some(vec![Some(1.0), Some(2.0)]), Some(vec![Some(3.0), Some(4.0)])];
    let mut fixed = FixedSizeListBuilder::new(Float32Builder::new(), 2);
    for row in &rows {
        fixed.values().append_slice(&row.iter().flatten().map(|v| v.unwrap()).collect::<Vec<_>>());
        fixed.append(true);
    }
    let lists: [ArrayRef; 3] = [
        Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>(rows.clone())),
        Arc::new(LargeListArray::from_iter_primitive::<Float32Type, _, _>(rows)),
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
    assert!(points.values.iter().zip(&values).all(|(a, b)| f64::from(*a) == *b));
    let mut values = values;
    values[70_000] = f64::NAN;
    let error = read(vec![("x", floats(&values))], &PointsOptions::default()).unwrap_err();
    assert!(error.to_string().contains("row 70001, column `x`: `NaN`"), "{error}");
}

#[test]
fn errors_say_what_and_where() {
    let gap: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.0), None]));
    let uneven = vec![Some(vec![Some(1.0), Some(2.0)]), Some(vec![Some(3.0)])];
    let holey = vec![Some(vec![Some(1.0), Some(2.0)]), Some(vec![Some(3.0), None])];
    let list =
        |rows| -> ArrayRef { Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>(rows)) };
    for (column, kind, what) in [
        (gap, ErrorKind::Value, "row 2, column `c`: the value is missing (null)"),
        (list(uneven), ErrorKind::Shape, "row 2, column `c`: the list has 1 values"),
        (list(holey), ErrorKind::Value, "row 2, column `c`: the value is missing"),
        (floats(&[1.0, f64::INFINITY]), ErrorKind::Value, "`inf` is not a finite number"),
        (floats(&[1e300]), ErrorKind::Value, "`1e300` is too large"),
        (floats(&[]), ErrorKind::Empty, "no rows"),
        (names(&["a"]), ErrorKind::Column, "no numeric column is left"),
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
        PointsOptions { columns: Some(vec!["name".into()]), ..PointsOptions::default() },
        PointsOptions { weight: name(), ..PointsOptions::default() },
    ] {
        let error = read(columns(), &options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Column);
        assert!(error.to_string().contains("column `name` is of type Utf8"), "{error}");
    }
}

#[test]
fn damaged_files_are_refused() {
    let whole = encode(vec![("x", floats(&[1.0]))], Compression::SNAPPY);
    let options = PointsOptions::default();
    let cut = sample("a.parquet", &whole[..whole.len() - 3]);
    assert_eq!(read_points(&cut.path, &options).unwrap_err().kind(), ErrorKind::Truncated);
    let zipped = sample("a.parquet.gz", gzip(&whole));
    let error = read_points(&zipped.path, &options).unwrap_err();
    assert!(error.to_string().contains("Parquet inside gzip"));
    let mut broken = whole;
    let end = broken.len();
    broken[end - 40..end - 20].fill(0xff);
    let broken = sample("a.parquet", broken);
    assert_eq!(read_points(&broken.path, &options).unwrap_err().kind(), ErrorKind::Format);
}

#[test]
fn columns_as_they_are() {
    let words = |lists: &[Option<&[&str]>]| -> ArrayRef {
        let mut builder = ListBuilder::new(StringBuilder::new());
        for list in lists {
            let elements = list.iter().copied().flatten();
            elements.for_each(|element| builder.values().append_value(element));
            builder.append(list.is_some());
        }
        Arc::new(builder.finish())
    };
    let columns = |tags: ArrayRef| -> Vec<(&str, ArrayRef)> {
        vec![
            ("tags", tags),
            ("name", names(&["a", ""])),
            ("age", floats(&[20.0, 30.5])),
            ("yes", Arc::new(BooleanArray::from(vec![true, false]))),
            (
                "ids",
                Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>([
                    Some(vec![Some(1), Some(7)]),
                    Some(vec![]),
                ])),
            ),
        ]
    };
    let cells = |columns| {
        let bytes = encode(columns, Compression::SNAPPY);
        read_cells(&sample("a.parquet", bytes).path, &PointsOptions::default())
    };
    let texts = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect();
    let read = cells(columns(words(&[Some(&["x", "y"]), Some(&[])]))).unwrap();
    assert_eq!(read.rows, 2);
    let values: Vec<CellValues> = read.columns.into_iter().map(|column| column.values).collect();
    assert_eq!(
        values,
        [
            CellValues::Lists(vec![texts(&["x", "y"]), vec![]]),
            CellValues::Texts(texts(&["a", ""])),
            CellValues::Numbers(vec![20.0, 30.5]),
            CellValues::Texts(texts(&["true", "false"])),
            CellValues::Lists(vec![texts(&["1", "7"]), vec![]]),
        ]
    );
    let error = cells(columns(words(&[Some(&["x"]), None]))).unwrap_err().to_string();
    assert!(error.contains("row 2, column `tags`: the value is missing (null)"), "{error}");
}
