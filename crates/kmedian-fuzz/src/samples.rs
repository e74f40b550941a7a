//! Valid files of every format, small and different each time.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;

use arrow_array::types::{Float32Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, DictionaryArray, Float64Array, Int64Array, ListArray, NullArray,
    RecordBatch, StringArray,
};
use flate2::{Compression, write::GzEncoder};
use kmedian::privacy::{Entropy, PrivateTree, Recipe};
use kmedian::{Metric, Run, Seed, Vectors};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression as Codec;
use parquet::file::properties::{WriterProperties, WriterVersion};
use rand::{Rng, RngExt};

/// How many items the universe of demand has: they are named `s0` to `s7`.
pub(crate) const ITEMS: usize = 8;

/// A table of coordinates with ids, separated by this.
pub(crate) fn table(rng: &mut dyn Rng, separator: char) -> Vec<u8> {
    let mut text = format!("name{separator}x{separator}y\n");
    for row in 0..rng.random_range(1..40u32) {
        let far = if rng.random() { 1e12 } else { 0.0 };
        let (x, y): (f64, f64) = (rng.random(), rng.random());
        let quote = if separator == ' ' || rng.random() { "" } else { "\"" };
        let _ = writeln!(text, "{quote}r{row}{quote}{separator}{}{separator}{y:.4}", far + x);
    }
    text.into_bytes()
}

/// Numbers alone, separated by blanks.
pub(crate) fn numbers(rng: &mut dyn Rng, width: usize) -> Vec<u8> {
    let mut text = String::new();
    for _ in 0..rng.random_range(1..40u32) {
        let row: Vec<String> =
            (0..width).map(|_| rng.random_range(0..1000u32).to_string()).collect();
        let _ = writeln!(text, "{}", row.join(" "));
    }
    text.into_bytes()
}

/// A square matrix of distances.
pub(crate) fn matrix(rng: &mut dyn Rng) -> Vec<u8> {
    let n = rng.random_range(1..12usize);
    let mut text = String::new();
    for a in 0..n {
        let row: Vec<String> = (0..n).map(|b| a.abs_diff(b).to_string()).collect();
        let _ = writeln!(text, "{}", row.join(","));
    }
    text.into_bytes()
}

/// Private records: who was where.
pub(crate) fn visits(rng: &mut dyn Rng, separator: char) -> Vec<u8> {
    let mut text = format!("user{separator}stop\n");
    for _ in 0..rng.random_range(0..40u32) {
        let (user, stop) = (rng.random_range(0..9u32), rng.random_range(0..10u32));
        let _ = writeln!(text, "u{user}{separator}s{stop}");
    }
    text.into_bytes()
}

/// The gzip form of some bytes.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// An array of NumPy.
pub(crate) fn npy(rng: &mut dyn Rng) -> Vec<u8> {
    let (rows, width) = (rng.random_range(1..20usize), rng.random_range(1..6usize));
    let (kind, size) =
        [("|u1", 1), ("<f8", 8), (">f4", 4), ("<i2", 2)][rng.random_range(0..4usize)];
    let order = if rng.random() { "True" } else { "False" };
    let shape = match rng.random_range(0..3u32) {
        0 => format!("({},)", rows * width),
        1 => format!("({rows}, {width})"),
        _ => format!("({rows}, 1, {width})"),
    };
    let header = format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    // Small bytes are finite numbers in every type.
    bytes.extend((0..rows * width * size).map(|_| rng.random_range(0..64u8)));
    bytes
}

/// Images of MNIST's format.
pub(crate) fn idx(rng: &mut dyn Rng) -> Vec<u8> {
    let shape: Vec<u32> =
        (0..rng.random_range(1..4u32)).map(|_| rng.random_range(1..7u32)).collect();
    let (code, size) = [(8, 1), (0x0b, 2), (0x0d, 4), (0x0e, 8)][rng.random_range(0..4usize)];
    let mut bytes = vec![0, 0, code, shape.len() as u8];
    bytes.extend(shape.iter().flat_map(|n| n.to_be_bytes()));
    let cells = shape.iter().product::<u32>() * size;
    bytes.extend((0..cells).map(|_| rng.random_range(0..64u8)));
    bytes
}

/// A Parquet file with columns of every kind that is read, of any codec.
pub(crate) fn parquet(rng: &mut dyn Rng) -> Vec<u8> {
    let rows = rng.random_range(1..200usize);
    let numbers = |rng: &mut dyn Rng| -> Vec<f64> { (0..rows).map(|_| rng.random()).collect() };
    let stops: Vec<String> = (0..rows).map(|_| format!("s{}", rng.random_range(0..9u32))).collect();
    let lists = (0..rows).map(|row| Some(vec![Some(row as f32), Some(1.0)]));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("stop", Arc::new(StringArray::from(stops.clone()))),
        ("user", Arc::new(Int64Array::from_iter_values((0..rows as i64).map(|row| row % 7)))),
        ("x", Arc::new(Float64Array::from(numbers(rng)))),
        ("list", Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>(lists))),
        (
            "kind",
            Arc::new(stops.iter().map(String::as_str).collect::<DictionaryArray<Int32Type>>()),
        ),
        ("bytes", Arc::new(BinaryArray::from_iter_values(&stops))),
        ("none", Arc::new(NullArray::new(rows))),
    ];
    let codecs = [
        Codec::UNCOMPRESSED,
        Codec::SNAPPY,
        Codec::GZIP(Default::default()),
        Codec::ZSTD(Default::default()),
        Codec::LZ4_RAW,
    ];
    let version = [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0];
    let properties = WriterProperties::builder()
        .set_compression(codecs[rng.random_range(0..codecs.len())])
        .set_writer_version(version[rng.random_range(0..2usize)])
        .set_dictionary_enabled(rng.random())
        .set_data_page_row_count_limit(50)
        .set_max_row_group_row_count(Some(128))
        .build();
    let mut bytes = Vec::new();
    let nullable = columns.into_iter().map(|(name, column)| {
        let null = column.logical_null_count() > 0;
        (name, column, null)
    });
    let written = RecordBatch::try_from_iter_with_nullable(nullable).ok().and_then(|batch| {
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).ok()?;
        writer.write(&batch).ok()?;
        writer.close().ok()
    });
    if written.is_some() { bytes } else { Vec::new() }
}

/// Edges of a path, counted from `first`, after this head and with this word before each.
pub(crate) fn graph(rng: &mut dyn Rng, first: usize, word: &str, head: &str) -> Vec<u8> {
    let nodes = rng.random_range(2..30usize);
    let head = head.replace('n', &nodes.to_string()).replace('m', &(nodes - 1).to_string());
    let mut text = head;
    for node in 1..nodes {
        let length = rng.random_range(1..100u32);
        let _ = writeln!(text, "{word}{} {} {length}", node - 1 + first, node + first);
    }
    text.into_bytes()
}

/// A private release of a few places.
pub(crate) fn release(rng: &mut dyn Rng) -> Vec<u8> {
    let places: Vec<f32> = (0..40).map(|_| rng.random()).collect();
    let counts: Vec<u64> = (0..20).map(|_| rng.random_range(0..5)).collect();
    let made = Vectors::new(2, &places, Metric::L2).ok().and_then(|space| {
        let recipe = Recipe { seed: Seed(rng.random()), ..Recipe::new("1".parse().ok()?) };
        let mut entropy = Entropy::seeded_not_private(Seed(rng.random()));
        PrivateTree::release(&space, &counts, &recipe, &mut entropy, &mut Run::default()).ok()
    });
    made.map_or_else(Vec::new, |tree| tree.to_json().into_bytes())
}
