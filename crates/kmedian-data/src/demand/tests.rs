//! Demand in every format, records that cannot be counted, and units.

use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, Decimal128Array, DictionaryArray, Float64Array, Int64Array, ListArray, RecordBatch,
    StringArray,
};
use parquet::arrow::ArrowWriter;
use rand::{SeedableRng, rngs::ChaCha20Rng};

use super::*;
use crate::ErrorKind;
use crate::input::testing::{gzip, sample};

fn by_key(key: &str) -> DemandOptions {
    DemandOptions { key: Some(key.into()), ..DemandOptions::default() }
}

fn by_unit(key: &str, unit: &str, most: u32) -> DemandOptions {
    let most = NonZeroU32::new(most).unwrap();
    DemandOptions { unit: Some(UnitBound { column: unit.into(), most }), ..by_key(key) }
}

/// Records without a header, of which this column has the keys.
fn bare(key: usize) -> DemandOptions {
    DemandOptions { key: Some(key.into()), header: Some(false), ..DemandOptions::default() }
}

/// Reads demand for the items `a`, `b` and `c`.
fn named(
    file: &str,
    content: impl AsRef<[u8]>,
    options: &DemandOptions,
) -> Result<PrivateDemand, Error> {
    let ids = ["a", "b", "c"].map(String::from);
    let keys = ItemKeys::named(Path::new("u.csv"), &ids).ok().unwrap();
    let file = sample(file, content);
    read_demand(&file.path, &keys, options, &mut ChaCha20Rng::seed_from_u64(1))
}

/// Reads demand for the items 0, 1 and 2.
fn numbered(
    file: &str,
    content: impl AsRef<[u8]>,
    options: &DemandOptions,
) -> Result<PrivateDemand, Error> {
    let file = sample(file, content);
    let rng = &mut ChaCha20Rng::seed_from_u64(1);
    read_demand(&file.path, &ItemKeys::positions(3), options, rng)
}

/// The counts, and how many records were dropped for their key.
fn counted(demand: Result<PrivateDemand, Error>) -> (Vec<u64>, u64) {
    let demand = demand.unwrap_or_else(|error| panic!("{error}"));
    let facts = &demand.nonprivate;
    let dropped = facts.unknown + facts.without_unit + facts.over_bound;
    assert_eq!(demand.counts.iter().sum::<u64>() + dropped, facts.records);
    (demand.counts, facts.unknown)
}

fn refused(demand: Result<PrivateDemand, Error>, kind: ErrorKind, part: &str) {
    let error = demand.err().expect("an error");
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.to_string().contains(part), "`{part}` is not in: {error}");
}

fn parquet(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    )
    .unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn npy(descr: &str, fortran: &str, shape: &str, numbers: &[i64]) -> Vec<u8> {
    let header =
        format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
    bytes
}

#[test]
fn text_in_every_form() {
    let key = by_key("stop");
    let semicolons = DemandOptions { separator: Some(b';'), ..key.clone() };
    let blanks = DemandOptions { header: Some(true), ..key.clone() };
    let lines = DemandOptions { format: Some(DemandFormat::CsvLines), ..key.clone() };
    let tabs = DemandOptions { format: Some(DemandFormat::TsvLines), ..key.clone() };
    for (name, content, options) in [
        ("d.csv", "user,stop\n1,a\n2,b\n3, a \n\n4,x\n".as_bytes().to_vec(), &key),
        ("d.csv", "\u{feff}\"user\",\"stop\"\r\n1,a\r\n2,b\r\n\r\n3,\"a\"\r\n4,x".into(), &key),
        ("d.csv", "#stop,user\na,1\nb,2\na,3\nx,4\n".into(), &key),
        ("d.tsv", "stop\tuser\na\t1\nb\t2\na\t3\nx\t4\n".into(), &key),
        ("d.txt", "# user stop\n1 a\n# 9 a\n2 b\n\n3 a\n4 x".into(), &blanks),
        ("d.dat.gz", gzip("user stop\n1 a\n2 b\n3 a\n4 x"), &blanks),
        ("d.csv.gz", gzip("user;stop\n1;a\n2;b\n3;\"a\"\n4;x\n"), &semicolons),
        ("d", "user,stop\n\"1,a\n\"1\",a\n2,b\n\"3\",a".into(), &lines),
        ("d", "user\tstop\n1\ta\n2\tb\n3\ta\n4\tx".into(), &tabs),
    ] {
        assert_eq!(counted(named(name, content, options)), (vec![2, 1, 0], 1), "{name}");
    }
}

#[test]
fn parquet_of_every_type() {
    let texts: ArrayRef =
        Arc::new(StringArray::from(vec![Some("a"), None, Some("c"), Some("a"), Some("?")]));
    let dictionary: DictionaryArray<Int32Type> =
        vec![Some("a"), None, Some("c"), Some("a"), Some("?")].into_iter().collect();
    for keys in [texts.clone(), Arc::new(dictionary)] {
        let file = parquet(vec![("n", Arc::new(Int64Array::from(vec![1; 5]))), ("stop", keys)]);
        assert_eq!(counted(named("d.parquet", file, &by_key("stop"))), (vec![2, 0, 1], 2));
    }
    let whole: ArrayRef =
        Arc::new(Int64Array::from(vec![Some(2), None, Some(0), Some(3), Some(-1)]));
    let gaps: ArrayRef =
        Arc::new(Float64Array::from(vec![Some(2.0), None, Some(0.0), Some(0.5), Some(f64::NAN)]));
    for keys in [whole, gaps] {
        let file = parquet(vec![("stop", keys)]);
        let options = DemandOptions::default();
        assert_eq!(counted(numbered("d.parquet", file, &options)), (vec![1, 0, 1], 3));
    }
    let nobody: DictionaryArray<Int32Type> = vec![None::<&str>, None].into_iter().collect();
    let file = parquet(vec![("stop", Arc::new(nobody))]);
    assert_eq!(counted(named("d.parquet", file, &by_key("stop"))), (vec![0, 0, 0], 2));
}

/// As floats all of these owners would be one, and the records of one would push out another's.
#[test]
fn decimals_name_by_all_of_their_digits() {
    let owners = [9_007_199_254_740_993i128, 9_007_199_254_740_992, 9_007_199_254_740_992];
    for scale in [0, 3, 20] {
        let decimals = |numbers: Vec<i128>| -> ArrayRef {
            Arc::new(Decimal128Array::from(numbers).with_precision_and_scale(38, scale).unwrap())
        };
        let keys: ArrayRef = Arc::new(Int64Array::from(vec![0, 1, 1]));
        let file = parquet(vec![("stop", keys), ("owner", decimals(owners.to_vec()))]);
        let (counts, _) = counted(numbered("d.parquet", file, &by_unit("stop", "owner", 1)));
        assert_eq!(counts, [1, 1, 0], "{scale}");
    }
    for (number, scale, item) in [(12, 1, "1.2"), (120, 2, "1.2"), (-5, 2, "-0.05"), (0, 3, "0")] {
        let keys = Decimal128Array::from(vec![number]).with_precision_and_scale(9, scale).unwrap();
        let ids = [item.to_owned()];
        let file = sample("d.parquet", parquet(vec![("stop", Arc::new(keys))]));
        let keys = ItemKeys::named(Path::new("u.csv"), &ids).ok().unwrap();
        let mut rng = ChaCha20Rng::seed_from_u64(1);
        let demand = read_demand(&file.path, &keys, &by_key("stop"), &mut rng);
        assert_eq!(counted(demand), (vec![1], 0), "{item}");
    }
}

/// The header would be all of the table, and ε spent for nothing.
#[test]
fn lines_that_end_in_carriage_returns_are_refused() {
    for (name, content) in [("d.csv", "stop,who\ra,u\rb,v\r"), ("d.tsv", "stop\twho\ra\tu\r")] {
        let read = named(name, content, &by_key("stop"));
        refused(read, ErrorKind::Format, "a carriage return without a line feed");
    }
    let text = DemandOptions { header: Some(true), ..by_key("stop") };
    refused(named("d.txt", "stop who\ra u\r", &text), ErrorKind::Format, "a carriage return");
    // As many records or none.
    refused(named("d.txt", "stop who\r", &text), ErrorKind::Format, "a carriage return");
    assert_eq!(counted(named("d.csv", "stop,who\r\na,u\r\n", &by_key("stop"))).0, [1, 0, 0]);
}

/// A record that holds a quote would decide where the header ends, and so which others are counted.
#[test]
fn a_header_is_one_line() {
    for records in ["", "\n", "\na,u\n", "\na,\"\nb,v\n", "\"\nb,v\n"] {
        let read = named("d.csv", format!("stop,\"who{records}"), &by_key("stop"));
        if records == "\"\nb,v\n" {
            assert_eq!(counted(read).0, [0, 1, 0], "a quote that is closed on its line");
        } else {
            refused(read, ErrorKind::Format, "a quote is open at the end of its first line");
        }
    }
    let lines = DemandOptions { format: Some(DemandFormat::CsvLines), ..by_key("stop") };
    assert_eq!(counted(named("d.csv", "stop,\"who\na,u\n", &lines)).0, [1, 0, 0]);
    // How long the line is depends on the records if all of them are on it.
    let long = named("d.csv", "stop,who\r".to_owned() + &"a,u\r".repeat(300_000), &by_key("stop"));
    let short = named("d.csv", "stop,who\ra,u\r", &by_key("stop"));
    assert_eq!(long.err().unwrap().kind(), short.err().unwrap().kind());
}

/// A name may be empty. A line of two quotes is not blank, so no record is taken for the header.
#[test]
fn a_header_may_be_an_empty_name() {
    for format in [DemandFormat::Csv, DemandFormat::CsvLines] {
        let options =
            DemandOptions { key: Some(0.into()), format: Some(format), ..DemandOptions::default() };
        for records in ["", "a;b\n", "b\na;b\n"] {
            let (counts, _) = counted(named("d.csv", format!("\n \n\"\"\na\n{records}"), &options));
            assert_eq!(counts, [1, u64::from(records.starts_with("b")), 0]);
        }
        assert_eq!(counted(named("d.csv", "\"\"\n", &options)), (vec![0, 0, 0], 0));
    }
}

/// Else the lines of the first cell of the first record would be records.
#[test]
fn a_byte_order_mark_is_no_part_of_the_first_record() {
    let mark = "\u{feff}";
    let first = "\"x\nb,v\nb,w\",u\n";
    let (counts, unknown) = counted(named("d.csv", format!("{mark}{first}a,u\n"), &bare(0)));
    assert_eq!((counts, unknown), (vec![1, 0, 0], 1));
    assert_eq!(counted(named("d.csv", format!("{mark}a,u\n"), &bare(0))).0, [1, 0, 0]);
    let lines = DemandOptions { format: Some(DemandFormat::CsvLines), ..bare(1) };
    for marks in ["", mark, "\u{feff}\u{feff}"] {
        // In blanks a comment stays one, in lines a quoted separator, with a record before it or
        // not.
        for before in ["", "x,x\n"] {
            let text = named("d.txt", format!("{marks}{before}{mark}# a\n"), &bare(1));
            assert_eq!(counted(text).0, [0, 0, 0]);
            let line = named("d.log", format!("{marks}{before}{mark}\"x,y\",b\n"), &lines);
            assert_eq!(counted(line).0, [0, 1, 0]);
        }
    }
}

/// No error says how many records there are, or asks for it.
#[test]
fn an_array_that_ends_early_does_not_say_how_many_records_it_has() {
    for (name, file) in [
        ("d.npy", npy("<i8", "False", "(4711, 2)", &[7])),
        ("d.npy", npy("<i8", "True", "(4711, 2)", &[7])),
        ("d.npy", npy("<i8", "False", "(4711, 0)", &[])),
    ] {
        let error = check_demand(&sample(name, file).path, &by_key("0")).unwrap_err().to_string();
        assert!(!error.contains("4711"), "{error}");
    }
}

#[test]
fn arrays_in_both_orders() {
    let options = DemandOptions::default();
    for (name, file) in [
        ("d.npy", npy("<i8", "False", "(4,)", &[2, 0, 2, 9])),
        ("d.npy.gz", gzip(npy("<i8", "True", "(4,)", &[0, 2, 2, -5]))),
    ] {
        assert_eq!(counted(numbered(name, file, &options)), (vec![1, 0, 2], 1));
    }
    let rows = [7, 0, 8, 1, 7, 0, 9, 5];
    let columns = [7, 8, 7, 9, 0, 1, 0, 5];
    for (fortran, numbers) in [("False", rows), ("True", columns)] {
        let file = npy("<i8", fortran, "(4, 2)", &numbers);
        for (name, file) in [("d.npy", file.clone()), ("d.npy.gz", gzip(file))] {
            let demand = numbered(name, &file, &by_key("1"));
            assert_eq!(counted(demand), (vec![2, 1, 0], 1), "{fortran}");
            let bounded = numbered(name, &file, &by_unit("1", "0", 1)).ok().unwrap();
            assert_eq!(bounded.counts, [1, 1, 0]);
            assert_eq!((bounded.nonprivate.units, bounded.nonprivate.over_bound), (Some(2), 1));
        }
    }
    let idx = [0, 0, 8, 1, 0, 0, 0, 3, 1, 1, 200];
    assert_eq!(counted(numbered("d-idx1-ubyte", idx, &options)), (vec![0, 2, 0], 1));
}

#[test]
fn large_integers_are_exact() {
    let ids = ["9007199254740993".to_owned()];
    let keys = ItemKeys::named(Path::new("u.csv"), &ids).ok().unwrap();
    let file = sample("d.npy", npy("<i8", "False", "(2,)", &[(1 << 53) + 1, 1 << 53]));
    let rng = &mut ChaCha20Rng::seed_from_u64(1);
    let demand = read_demand(&file.path, &keys, &DemandOptions::default(), rng);
    assert_eq!(counted(demand), (vec![1], 1));
}

#[test]
fn records_that_cannot_be_counted_are_dropped() {
    let content = b"stop,user\na,1\n,2\nA,3\n\xff,4\na\nb,5,6\nc,7\n";
    let demand = named("d.csv", content, &by_key("stop"));
    assert_eq!(counted(demand), (vec![1, 0, 1], 5));
}

#[test]
fn no_records_are_no_error() {
    let options = DemandOptions::default();
    for (name, content, options) in [
        ("d.csv", Vec::new(), &bare(0)),
        ("d.csv", b"\n\r\n".to_vec(), &bare(0)),
        ("d.csv.gz", gzip(""), &bare(0)),
        ("d.txt", b"# nothing\n".to_vec(), &bare(0)),
        ("d.npy", npy("<i8", "False", "(0,)", &[]), &options),
        (
            "d.parquet",
            parquet(vec![("stop", Arc::new(Int64Array::from(Vec::<i64>::new())))]),
            &options,
        ),
    ] {
        assert_eq!(counted(numbered(name, content, options)), (vec![0, 0, 0], 0), "{name}");
    }
    assert_eq!(counted(named("d.csv", "stop\n", &by_key("stop"))), (vec![0, 0, 0], 0));
    assert_eq!(counted(named("d.csv", "stop\nz\n", &by_key("stop"))), (vec![0, 0, 0], 1));
}

#[test]
fn the_header_follows_from_options_alone() {
    // CSV has one, whatever its columns are chosen by, and whatever it looks like.
    let plain = DemandOptions::default();
    assert_eq!(counted(numbered("d.csv", "stop\n1\n", &plain)), (vec![0, 1, 0], 0));
    assert_eq!(counted(numbered("d.csv", "x,stop\n9,1\n", &by_key("1"))), (vec![0, 1, 0], 0));
    assert_eq!(counted(numbered("d.csv", "2020,2\n1,0\n", &by_key("2020"))), (vec![0, 1, 0], 0));
    assert_eq!(counted(numbered("d.csv", "2\n1\n", &by_key("0"))), (vec![0, 1, 0], 0));
    // Without one, text above numbers is a record like any other.
    assert_eq!(counted(named("d.csv", "a,n\nb,1\n", &bare(0))), (vec![1, 1, 0], 0));
    assert_eq!(counted(named("d.txt", "a n\nb 1\n", &bare(0))), (vec![1, 1, 0], 0));
    let named_column = DemandOptions { header: Some(false), ..by_key("stop") };
    let error = named("d.csv", "stop\na\n", &named_column);
    refused(
        error,
        ErrorKind::Column,
        "the column of keys, `stop`, is a name, but csv is read without a header",
    );
}

/// A quote, a line break, a magic number or a strange width in one record changes no other record.
#[test]
fn a_record_says_nothing_about_others() {
    let rest = "\"a\"\nb\nc\n";
    let long = format!("\"{}\"\n", "a\n".repeat(1 << 20));
    for odd in [
        "\"a\nb\nb\"\n",
        "\"a\rb\"\n",
        "a\rb\rc\n",
        "x;y\n",
        "x,y\n",
        "a,,,\n",
        "\0\n",
        "PAR1\n",
        "PARE,a\n",
        "BZh\n",
        "ARROW1\n",
        "PK\u{3}\u{4}\n",
        "\"\u{feff}\"\"a\"\n",
        "\u{feff}x\n",
        "\u{fffd}\n",
        "#\n",
        &long,
    ] {
        let single = !odd.contains("a,,,");
        for (content, options) in [
            (format!("{odd}{rest}"), bare(0)),
            (format!("{rest}{odd}"), bare(0)),
            (format!("stop\n{odd}{rest}"), by_key("stop")),
        ] {
            let (counts, unknown) = counted(named("d.csv", content, &options));
            let more = u64::from(!single && options.header == Some(false));
            let shown = &odd[..odd.len().min(20)];
            assert_eq!((counts, unknown), (vec![1 + more, 1, 1], 1 - more), "{shown:?}");
        }
    }
}

/// A reader that splits at every line break counts the comment as five visits.
#[test]
fn a_comment_with_line_breaks_is_one_record() {
    let content = "stop,user,comment\na,u1,fine\nb,u2,\"nice\na,u3,x\na,u4,x\na,u5,x\"\n";
    let demand = named("d.csv", content, &by_unit("stop", "user", 1)).ok().unwrap();
    assert_eq!((demand.counts, demand.nonprivate.records), (vec![1, 1, 0], 2));
}

/// However long a line or a cell is, the run goes on, in bounded memory.
#[test]
fn what_is_too_long_is_dropped_alone() {
    let filler = "y".repeat(3 << 20);
    for (name, options, odd) in [
        ("d.csv", by_key("stop"), format!("a,\"{filler}\n\"\n")),
        ("d.csv", by_key("stop"), format!("a,{filler}\n")),
        ("d.csv", bare(0), format!("a{}\n", ",".repeat(3 << 20))),
        (
            "d.csv",
            DemandOptions { format: Some(DemandFormat::CsvLines), ..bare(0) },
            filler.clone() + "\n",
        ),
        ("d.txt", bare(0), format!("a {filler}\n")),
    ] {
        let header = if options.header == Some(false) { "" } else { "stop,n\n" };
        let blank = if name == "d.txt" { " " } else { "," };
        let content = format!("{header}b{blank}1\n{odd}c{blank}2\n");
        assert_eq!(counted(named(name, content, &options)), (vec![0, 1, 1], 1), "{name}");
    }
}

#[test]
fn owners_are_known_by_their_normalized_names() {
    let content = "stop,user\na,1\na,1.0\nb,01\nb,+1\nc,nan\nc,None\nc,NA\nc,<NA>\nc, \n";
    let demand = named("d.csv", content, &by_unit("stop", "user", 1)).ok().unwrap();
    assert_eq!((demand.nonprivate.units, demand.nonprivate.without_unit), (Some(1), 5));
    assert_eq!(demand.counts.iter().sum::<u64>(), 1);
}

/// What is kept of one owner does not depend on the records of others.
#[test]
fn owners_are_drawn_for_themselves() {
    let ann: String = (0..50).map(|i| format!("{},ann\n", ["a", "b", "c"][i % 3])).collect();
    let others: String = (0..50).map(|i| format!("a,u{}\n", i % 7)).collect();
    let options = by_unit("stop", "user", 9);
    let counts = |rows: &str| {
        let content = format!("stop,user\n{rows}");
        named("d.csv", content, &options).ok().unwrap().counts
    };
    let (alone, together, rest) = (counts(&ann), counts(&(others.clone() + &ann)), counts(&others));
    assert_eq!(rest, [50, 0, 0]);
    assert_eq!(together, [alone[0] + 50, alone[1], alone[2]]);
}

#[test]
fn the_key_is_the_only_column_that_is_left() {
    let unit = by_unit("0", "user", 5).unit;
    let options = DemandOptions { unit, ..DemandOptions::default() };
    assert_eq!(counted(numbered("d.csv", "user,stop\nx,1\ny,1\n", &options)), (vec![0, 2, 0], 0));
    let several = numbered("d.csv", "user,stop,day\nx,1,2\n", &options);
    refused(
        several,
        ErrorKind::Column,
        "has 3 columns, and nothing tells which of them holds the keys",
    );
    let one: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let file = parquet(vec![("x", one.clone()), ("y", one)]);
    let several = numbered("d.parquet", file, &DemandOptions::default());
    refused(several, ErrorKind::Column, "holds the keys of the items: `x`, `y`");
}

#[test]
fn what_is_wrong_with_the_file_is_an_error_that_shows_no_record() {
    let rows: String =
        (0..50_000u32).map(|i| format!("{}\n", i.wrapping_mul(2_654_435_761))).collect();
    let mut half = gzip(rows);
    half.truncate(half.len() / 2);
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1)])]);
    let mut cut = parquet(vec![("stop", Arc::new(Int64Array::from(vec![1])))]);
    cut.truncate(cut.len() - 3);
    let key = by_key("stop");
    for (name, content, options, kind, part) in [
        ("d.csv.gz", half, &bare(0), ErrorKind::Truncated, "ends in the middle"),
        ("d.csv", b"place\na\n".to_vec(), &key, ErrorKind::Column, "no column `stop` on the first"),
        ("d.csv", Vec::new(), &key, ErrorKind::Empty, "its first record should name the columns"),
        (
            "d.csv",
            b"user;stop\n".to_vec(),
            &key,
            ErrorKind::Column,
            "it is there with the separator semicolon",
        ),
        (
            "d.csv",
            b"user;stop\n".to_vec(),
            &DemandOptions::default(),
            ErrorKind::Format,
            "give the separator semicolon if that separates columns",
        ),
        (
            "d.csv",
            b"user stop\n".to_vec(),
            &key,
            ErrorKind::Column,
            "it is there if the file is text with a header",
        ),
        ("d.csv", gzip("stop\na\n"), &key, ErrorKind::Column, "let its name end in .gz"),
        (
            "d.csv.gz",
            b"stop\naaaaaaa\n".to_vec(),
            &key,
            ErrorKind::Format,
            "compressed data is damaged",
        ),
        ("d.parquet", Vec::new(), &key, ErrorKind::Truncated, "its end is missing"),
        ("d.npy", b"stop\na\n".to_vec(), &key, ErrorKind::Format, "does not begin as npy does"),
        ("d.parquet", cut, &key, ErrorKind::Truncated, "its end is missing"),
        (
            "d.parquet",
            parquet(vec![("stop", Arc::new(list))]),
            &key,
            ErrorKind::Column,
            "neither text nor a number; choose another column of keys",
        ),
        (
            "d.npy",
            npy("<i8", "False", "(3,)", &[1]),
            &by_key("0"),
            ErrorKind::Truncated,
            "before its last",
        ),
        (
            "d.npy",
            npy("<i8", "True", "(3, 2)", &[1]),
            &by_key("1"),
            ErrorKind::Truncated,
            "before its",
        ),
        (
            "d.npy",
            npy("<i8", "False", "(3,)", &[1; 3]),
            &key,
            ErrorKind::Column,
            "no column `stop`",
        ),
    ] {
        refused(named(name, content, options), kind, part);
    }
    let unit = named("d.csv", "stop,secret\na,b\n", &by_unit("stop", "user", 1));
    let error = unit.err().unwrap().to_string();
    assert!(error.contains("no column `user`") && !error.contains("secret"), "{error}");
    let missing = read_demand(
        Path::new("none.csv"),
        &ItemKeys::positions(1),
        &key,
        &mut ChaCha20Rng::seed_from_u64(1),
    );
    refused(missing, ErrorKind::Io, "none.csv: no such file");
}

#[test]
fn a_unit_has_at_most_its_bound_and_records_without_one_are_dropped() {
    let content = "user,stop\nu,a\nu,a\nu,a\nu,z\nv,b\n,c\nw,c\nNaN,c\nw,c\n";
    for (most, counts, over) in [(1, [1, 1, 1], 3), (2, [2, 1, 2], 1), (9, [3, 1, 2], 0)] {
        let demand = named("d.csv", content, &by_unit("stop", "user", most)).ok().unwrap();
        assert_eq!(demand.counts, counts);
        let facts = demand.nonprivate;
        assert_eq!((facts.records, facts.unknown, facts.without_unit), (9, 1, 2));
        assert_eq!((facts.over_bound, facts.units), (over, Some(3)));
    }
    let column = |texts: Vec<Option<&str>>| -> ArrayRef { Arc::new(StringArray::from(texts)) };
    let users = column(vec![Some("u"), Some("u"), None, Some("")]);
    let stops = column(vec![Some("a"), Some("a"), Some("b"), Some("c")]);
    let file = parquet(vec![("user", users), ("stop", stops.clone())]);
    let demand = named("d.parquet", file, &by_unit("stop", "user", 1)).ok().unwrap();
    assert_eq!((demand.counts, demand.nonprivate.without_unit), (vec![1, 0, 0], 2));
    let users: ArrayRef = Arc::new(Float64Array::from(vec![1.0, f64::NAN, f64::NAN, 1.0]));
    let file = parquet(vec![("stop", stops), ("user", users)]);
    let demand = named("d.parquet", file, &by_unit("stop", "user", 2)).ok().unwrap();
    assert_eq!((demand.counts, demand.nonprivate.without_unit), (vec![1, 0, 1], 2));
}

#[test]
fn what_a_unit_keeps_is_drawn_uniformly() {
    let file = sample("d.csv", "user,stop\nu,0\nu,1\nu,1\nu,2\n");
    let keys = ItemKeys::positions(3);
    let mut rng = ChaCha20Rng::seed_from_u64(3);
    let mut kept = [0u64; 3];
    for _ in 0..4_000 {
        let demand = read_demand(&file.path, &keys, &by_unit("stop", "user", 1), &mut rng);
        let counts = demand.ok().unwrap().counts;
        assert_eq!(counts.iter().sum::<u64>(), 1);
        kept.iter_mut().zip(counts).for_each(|(kept, count)| *kept += count);
    }
    // A quarter, a half, a quarter, with a standard deviation of at most 32.
    for (kept, expected) in kept.into_iter().zip([1_000, 2_000, 1_000]) {
        assert!(kept.abs_diff(expected) < 180, "{kept} instead of {expected}");
    }
}

#[test]
fn a_layout_is_checked_without_counting() {
    let check = |name: &str, content: &[u8], options: &DemandOptions| {
        check_demand(&sample(name, content).path, options)
            .map(|layout| (layout.items[0], layout.columns))
            .map_err(|error| error.kind())
    };
    let key = by_key("stop");
    // What is wrong below the first lines is not looked at.
    assert_eq!(check("d.csv", b"n,stop\na\nb\n\"c", &key), Ok((1, Some(2))));
    assert_eq!(check("d.csv", b"user\na\n", &key), Err(ErrorKind::Column));
    assert_eq!(check("d.csv", b"stop\na\n", &by_unit("stop", "user", 1)), Err(ErrorKind::Column));
    assert_eq!(check("d.csv", b"", &key), Err(ErrorKind::Empty));
    let array = npy("<i8", "False", "(3,)", &[1; 3]);
    assert_eq!(check("d.npy", &array, &by_key("0")), Ok((0, Some(1))));
    assert_eq!(check("d.npy", &array, &key), Err(ErrorKind::Column));
    // What the length of the file shows is found before anything is counted.
    let cut = npy("<i8", "False", "(3,)", &[1]);
    assert_eq!(check("d.npy", &cut, &by_key("0")), Err(ErrorKind::Truncated));
    let file = parquet(vec![("stop", Arc::new(Int64Array::from(vec![1])))]);
    assert_eq!(check("d.parquet", &file, &key), Ok((0, Some(1))));
    assert_eq!(check("d.parquet", &file, &by_key("halt")), Err(ErrorKind::Column));
    // Without a header not even the first record is looked at.
    assert_eq!(check("d.csv", b"x\n", &bare(7)), Ok((7, None)));
    // An array without rows has columns all the same.
    assert_eq!(check("d.npy", &npy("<i8", "False", "(0,)", &[]), &key), Err(ErrorKind::Column));
    let missing = check_demand(Path::new("none.csv"), &key).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::Io);
}

/// The number of records shows in the length of the file, which thus decides nothing about columns.
#[test]
fn a_wide_array_is_refused_however_many_records_it_has() {
    let wide = |rows: usize| {
        let shape = format!("({rows}, 300000)");
        let mut file = npy("|u1", "False", &shape, &[]);
        file.resize(file.len() + rows * 300_000, 0);
        numbered("d.npy", file, &by_key("0")).map(|_| ()).map_err(|error| error.to_string())
    };
    let few = wide(15);
    assert!(few.as_ref().is_err_and(|error| error.contains("262144 are read at most")), "{few:?}");
    assert_eq!(few.map_err(|error| error.len()), wide(16).map_err(|error| error.len()));
}
