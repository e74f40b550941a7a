//! CSV, TSV and blank-separated text.

use std::io::BufRead;
use std::path::Path;

use super::Header;
use super::header::judge;
use super::records::{Delimiter, Record, RecordError, Records};
use crate::columns::{Names, Selection, Want};
use crate::error::{Error, ErrorKind, quote};
use crate::input::Input;
use crate::number::{self, BadNumber, check_weight};
use crate::points::Points;

/// Reads the wanted columns.
pub(crate) fn read(
    path: &Path,
    input: Input,
    delimiter: Delimiter,
    want: Want<'_>,
    header: Header,
) -> Result<Points, Error> {
    let format = format_name(delimiter, input.gzip);
    let mut source = Source {
        path,
        records: Records::new(input.reader, delimiter),
    };
    let Some(first) = source.next()? else {
        return Err(Error::new(ErrorKind::Empty, path, "has no rows"));
    };
    let second = source.next()?;
    let verdict = judge(&first, second.as_ref(), want, header);
    let names = column_names(&first, verdict.is_header);
    // A column without a name is the index that pandas writes, or the end of a trailing comma.
    let nameless = |column: usize| verdict.is_header && names[column].is_empty();
    let selection = want.resolve(
        &Names {
            path,
            names: &names,
            given: verdict.is_header,
        },
        |column| !nameless(column),
    )?;
    let left_out = !selection.chosen && (0..names.len()).any(nameless);

    let mut rows = Rows::new(path, &names, first.len(), first.line, selection);
    if !verdict.is_header {
        rows.push(&first)?;
    }
    if let Some(mut record) = second {
        rows.push(&record)?;
        while source.read(&mut record)? {
            rows.push(&record)?;
        }
    }
    let mut points = rows.finish(format)?;
    points.notes.extend(verdict.note);
    if left_out {
        points
            .notes
            .push("columns without a name were left out, as an index is".to_owned());
    }
    Ok(points)
}

fn format_name(delimiter: Delimiter, gzip: bool) -> &'static str {
    match (delimiter, gzip) {
        (Delimiter::Byte(b'\t'), false) => "TSV",
        (Delimiter::Byte(b'\t'), true) => "TSV (gzip)",
        (Delimiter::Byte(b';'), false) => "CSV with semicolons",
        (Delimiter::Byte(b';'), true) => "CSV with semicolons (gzip)",
        (Delimiter::Byte(_), false) => "CSV",
        (Delimiter::Byte(_), true) => "CSV (gzip)",
        (Delimiter::Whitespace, false) => "text",
        (Delimiter::Whitespace, true) => "text (gzip)",
    }
}

/// The names on the header or, without one, the positions.
fn column_names(first: &Record, is_header: bool) -> Vec<String> {
    if is_header {
        first
            .cells()
            .map(|cell| String::from_utf8_lossy(cell.trim_ascii()).into_owned())
            .collect()
    } else {
        (0..first.len()).map(|column| column.to_string()).collect()
    }
}

struct Source<'a, R> {
    path: &'a Path,
    records: Records<R>,
}

impl<R: BufRead> Source<'_, R> {
    fn read(&mut self, record: &mut Record) -> Result<bool, Error> {
        self.records.read(record).map_err(|error| match error {
            RecordError::Io(error) => Error::reading(self.path, &error),
            RecordError::OpenQuote(line) => Error::new(
                ErrorKind::Format,
                self.path,
                format!("line {line}: a quote is opened and never closed; add the closing one"),
            ),
        })
    }

    fn next(&mut self) -> Result<Option<Record>, Error> {
        let mut record = Record::default();
        Ok(self.read(&mut record)?.then_some(record))
    }
}

/// The rows read so far.
struct Rows<'a> {
    path: &'a Path,
    names: &'a [String],
    width: usize,
    first_line: usize,
    selection: Selection,
    rows: usize,
    values: Vec<f32>,
    ids: Vec<String>,
    weights: Vec<f64>,
}

impl<'a> Rows<'a> {
    fn new(
        path: &'a Path,
        names: &'a [String],
        width: usize,
        first_line: usize,
        selection: Selection,
    ) -> Self {
        Self {
            path,
            names,
            width,
            first_line,
            selection,
            rows: 0,
            values: Vec::new(),
            ids: Vec::new(),
            weights: Vec::new(),
        }
    }

    fn push(&mut self, record: &Record) -> Result<(), Error> {
        if record.len() != self.width {
            return Err(self.ragged(record));
        }
        for &column in &self.selection.features {
            match number::parse(record.cell(column)) {
                Ok(value) => self.values.push(value),
                Err(bad) => return Err(self.bad_value(record, column, bad)),
            }
        }
        if let Some(column) = self.selection.id {
            self.ids.push(self.id(record, column)?);
        }
        if let Some(column) = self.selection.weight {
            self.weights.push(self.weight(record, column)?);
        }
        self.rows += 1;
        Ok(())
    }

    fn id(&self, record: &Record, column: usize) -> Result<String, Error> {
        match std::str::from_utf8(record.cell(column)) {
            Ok(id) => Ok(id.trim().to_owned()),
            Err(_) => Err(self.at(
                record,
                column,
                ErrorKind::Value,
                "the text is not UTF-8; save the file as UTF-8".to_owned(),
            )),
        }
    }

    fn weight(&self, record: &Record, column: usize) -> Result<f64, Error> {
        let cell = record.cell(column);
        let problem = match number::parse::<f64>(cell) {
            Ok(weight) => match check_weight(weight) {
                Ok(weight) => return Ok(weight),
                Err(what) => format!("the weight {} {what}", quote(cell.trim_ascii())),
            },
            Err(bad) => bad.what(cell),
        };
        let message = format!("{problem}; weights are finite numbers from 0 up");
        Err(self.at(record, column, ErrorKind::Value, message))
    }

    fn bad_value(&self, record: &Record, column: usize, bad: BadNumber) -> Error {
        let cell = record.cell(column);
        let advice = bad.advice(cell, self.selection.text_advice());
        self.at(
            record,
            column,
            ErrorKind::Value,
            format!("{}; {advice}", bad.what(cell)),
        )
    }

    fn ragged(&self, record: &Record) -> Error {
        Error::new(
            ErrorKind::Shape,
            self.path,
            format!(
                "line {} has {} columns, but line {} has {}; give every row the same columns",
                record.line,
                record.len(),
                self.first_line,
                self.width
            ),
        )
    }

    fn at(&self, record: &Record, column: usize, kind: ErrorKind, message: String) -> Error {
        let name = quote(self.names[column].as_bytes());
        Error::new(
            kind,
            self.path,
            format!("line {}, column {name}: {message}", record.line),
        )
    }

    fn finish(self, format: &'static str) -> Result<Points, Error> {
        if self.rows == 0 {
            return Err(Error::new(
                ErrorKind::Empty,
                self.path,
                "has a header but no rows",
            ));
        }
        Ok(Points {
            rows: self.rows,
            dims: self.selection.features.len(),
            values: self.values,
            columns: self
                .selection
                .features
                .iter()
                .map(|&c| self.names[c].clone())
                .collect(),
            ids: self.selection.id.map(|_| self.ids),
            weights: self.selection.weight.map(|_| self.weights),
            format,
            notes: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
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
        for content in [
            ",x,y\n0,1,2\n1,3,4\n",
            ",0,1\n0,1,2\n1,3,4\n",
            "x,y,\n1,2,\n3,4,\n",
        ] {
            let points = read("a.csv", content).unwrap();
            assert_eq!(points.values, [1.0, 2.0, 3.0, 4.0], "{content}");
            assert!(
                points
                    .notes
                    .iter()
                    .any(|note| note.contains("without a name"))
            );
        }
    }

    #[test]
    fn text_is_refused_with_the_way_out() {
        let content = "lat,city\n1,Oslo\n";
        let error = read("a.csv", content).unwrap_err();
        assert!(error.to_string().ends_with(
            "a.csv: line 2, column `city`: `Oslo` is not a number; choose the numeric columns with \
             --columns, or name rows by this one with --id"
        ));
        let options = PointsOptions {
            columns: Some(vec!["city".into()]),
            ..PointsOptions::default()
        };
        let error = read_with("a.csv", content, &options).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("choose other columns with --columns")
        );
    }

    #[test]
    fn errors_say_what_and_where() {
        for (content, kind, what) in [
            (
                "x,y\n1,2\n\n3,abc\n",
                ErrorKind::Value,
                "line 4, column `y`: `abc` is not a number",
            ),
            (
                "x,y\n1,2\n3,\n",
                ErrorKind::Value,
                "line 3, column `y`: the cell is empty; fill",
            ),
            (
                "1,nan\n",
                ErrorKind::Value,
                "line 1, column `1`: `nan` is not a finite number",
            ),
            (
                "1,-inf\n",
                ErrorKind::Value,
                "`-inf` is not a finite number",
            ),
            (
                "1,1e39\n",
                ErrorKind::Value,
                "`1e39` is too large for a 32-bit number; rescale",
            ),
            (
                "x;y\n1,5;2\n",
                ErrorKind::Value,
                "`1,5` is not a number; write decimals with a",
            ),
            (
                "1,2\n3\n",
                ErrorKind::Shape,
                "line 2 has 1 columns, but line 1 has 2",
            ),
            ("x,y\n", ErrorKind::Empty, "has a header but no rows"),
            ("\n\n", ErrorKind::Empty, "has no rows"),
            (
                "1,2\n\"3,4\n",
                ErrorKind::Format,
                "line 2: a quote is opened and never closed",
            ),
        ] {
            let error = read("a.csv", content).unwrap_err();
            assert_eq!(error.kind(), kind, "{error}");
            assert!(error.to_string().contains(what), "{error}");
        }
    }

    #[test]
    fn an_id_must_be_utf8() {
        let options = PointsOptions {
            id: Some(0.into()),
            ..PointsOptions::default()
        };
        let error = read_with("a.csv", b"name,x\nZ\xfcrich,1\n", &options).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("line 2, column `name`: the text is not UTF-8")
        );
    }

    #[test]
    fn the_weight_is_checked() {
        let options = PointsOptions {
            weight: Some("w".into()),
            ..PointsOptions::default()
        };
        let error = read_with("a.csv", "x,w\n1,-2\n", &options).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("line 2, column `w`: the weight `-2` is negative")
        );
    }

    #[test]
    fn header_and_format_can_be_forced() {
        let mut options = PointsOptions {
            header: Header::Yes,
            ..PointsOptions::default()
        };
        assert_eq!(read_with("a.csv", "1,2\n3,4\n", &options).unwrap().rows, 1);
        options.format = Some(TableFormat::Text);
        let points = read_with("a.csv", "1 2\n3 4\n", &options).unwrap();
        assert_eq!((points.rows, points.dims), (1, 2));
    }

    #[test]
    fn a_cut_gzip_is_truncated_and_a_damaged_one_refused() {
        let rows: String = (0..50_000u32)
            .map(|i| format!("{},{i}\n", i.wrapping_mul(2_654_435_761)))
            .collect();
        let whole = gzip(&rows);
        let error = read("a.csv.gz", &whole[..whole.len() / 2]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Truncated, "{error}");
        let mut damaged = whole;
        let middle = damaged.len() / 2;
        damaged[middle..middle + 50].fill(0xff);
        let error = read("a.csv.gz", damaged).unwrap_err();
        assert!(matches!(
            error.kind(),
            ErrorKind::Format | ErrorKind::Value | ErrorKind::Shape
        ));
    }
}
