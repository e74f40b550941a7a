//! Text tables of every kind, and every way to be wrong.

use crate::input::testing::{gzip, sample};
use crate::{Error, ErrorKind, Header, Points, PointsOptions, TableFormat, read_points};

fn read(name: &str, content: impl AsRef<[u8]>) -> Result<Points, Error> {
    read_with(name, content, &PointsOptions::default())
}

fn read_with(
    name: &str,
    content: impl AsRef<[u8]>,
    options: &PointsOptions,
) -> Result<Points, Error> {
    read_points(&sample(name, content).path, options)
}

#[test]
fn every_separator_with_and_without_header() {
    for (name, content, format) in [
        ("a.csv", "x,y\n1,2\n3,4.5\n", "CSV"),
        ("a.csv", "\u{feff}x,y\r\n1, 2\r\n\r\n\"3\",4.5", "CSV"),
        ("a.csv", "x;y\n1;2\n3;4.5\n", "CSV with semicolons"),
        ("a.tsv", "x\ty\n1\t2\n3\t4.5\n", "TSV"),
        ("a.txt", "x y\n 1  2 \n3 4.5\n", "text"),
        ("a.dat", "# about\nx y\n1 2\n# more\n3 4.5\n", "text"),
    ] {
        let points = read(name, content).unwrap();
        assert_eq!((points.rows, points.dims, points.format), (2, 2, format));
        assert_eq!(points.values, [1.0, 2.0, 3.0, 4.5]);
        assert_eq!(points.columns, ["x", "y"]);
    }
    let points = read("a.csv.gz", gzip("1,2\n3,4.5\n")).unwrap();
    assert_eq!(points.columns, ["0", "1"]);
    assert_eq!((points.rows, points.format), (2, "CSV (gzip)"));
}

#[test]
fn columns_ids_and_weights_are_chosen() {
    let content = "name,lat,lon,pop\n\"Oslo, N\",59.9,10.7,7\nRome,41.9,12.5,28\n";
    let options = PointsOptions {
        columns: Some(vec!["lon".into(), "1".into()]),
        id: Some("name".into()),
        weight: Some("pop".into()),
        ..PointsOptions::default()
    };
    let points = read_with("a.csv", content, &options).unwrap();
    assert_eq!(points.values, [10.7, 59.9, 12.5, 41.9]);
    assert_eq!(points.columns, ["lon", "lat"]);
    assert_eq!(points.ids.unwrap(), ["Oslo, N", "Rome"]);
    assert_eq!(points.weights.unwrap(), [7.0, 28.0]);
}

#[test]
fn an_index_without_a_name_is_left_out() {
    for content in [",x,y\n0,1,2\n1,3,4\n", ",0,1\n0,1,2\n1,3,4\n", "x,y,\n1,2,\n3,4,\n"] {
        let points = read("a.csv", content).unwrap();
        assert_eq!(points.values, [1.0, 2.0, 3.0, 4.0], "{content}");
        assert!(points.notes.iter().any(|note| note.contains("without a name")));
    }
}

#[test]
fn text_is_refused_with_the_way_out() {
    let content = "lat,city\n1,Oslo\n";
    let options = PointsOptions { columns: Some(vec!["city".into()]), ..PointsOptions::default() };
    let error = read_with("a.csv", content, &options).unwrap_err();
    assert!(error.to_string().ends_with("choose other columns"));
}

#[test]
fn errors_say_what_and_where() {
    for (content, kind, what) in [
        ("x,y\n1,2\n\n3,abc\n", ErrorKind::Value, "line 4, column `y`: `abc` is not a number"),
        ("x,y\n1,2\n3,\n", ErrorKind::Value, "line 3, column `y`: the cell is empty; fill"),
        ("1,nan\n", ErrorKind::Value, "line 1, column `1`: `nan` is not a finite number"),
        ("1,-inf\n", ErrorKind::Value, "`-inf` is not a finite number"),
        ("1,1e39\n", ErrorKind::Value, "`1e39` is too large for a 32-bit number; rescale"),
        ("x;y\n1,5;2\n", ErrorKind::Value, "`1,5` is not a number; write decimals with a"),
        ("1,2\n3\n", ErrorKind::Shape, "line 2 has 1 columns, but line 1 has 2"),
        ("x,y\n", ErrorKind::Empty, "has a header but no rows"),
        ("\n\n", ErrorKind::Empty, "has no rows"),
        ("1,2\n\"3,4\n", ErrorKind::Format, "line 2: a quote is opened and never closed"),
    ] {
        let error = read("a.csv", content).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(what), "{error}");
    }
}

#[test]
fn an_id_must_be_utf8() {
    let options = PointsOptions { id: Some(0.into()), ..PointsOptions::default() };
    let error = read_with("a.csv", b"name,x\nZ\xfcrich,1\n", &options).unwrap_err();
    assert!(error.to_string().contains("line 2, column `name`: the text is not UTF-8"));
}

#[test]
fn the_weight_is_checked() {
    let options = PointsOptions { weight: Some("w".into()), ..PointsOptions::default() };
    let error = read_with("a.csv", "x,w\n1,-2\n", &options).unwrap_err();
    assert!(error.to_string().contains("line 2, column `w`: the weight `-2` is negative"));
}

#[test]
fn header_and_format_can_be_forced() {
    let mut options = PointsOptions { header: Header::Yes, ..PointsOptions::default() };
    assert_eq!(read_with("a.csv", "1,2\n3,4\n", &options).unwrap().rows, 1);
    options.format = Some(TableFormat::Text);
    let points = read_with("a.csv", "1 2\n3 4\n", &options).unwrap();
    assert_eq!((points.rows, points.dims), (1, 2));
}

#[test]
fn a_cut_gzip_is_truncated_and_a_damaged_one_refused() {
    let rows: String =
        (0..50_000u32).map(|i| format!("{},{i}\n", i.wrapping_mul(2_654_435_761))).collect();
    let whole = gzip(&rows);
    let error = read("a.csv.gz", &whole[..whole.len() / 2]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Truncated, "{error}");
    let mut damaged = whole;
    let middle = damaged.len() / 2;
    damaged[middle..middle + 50].fill(0xff);
    let error = read("a.csv.gz", damaged).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Format | ErrorKind::Value | ErrorKind::Shape));
}
