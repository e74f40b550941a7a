//! Tables written in every format, and read by the library.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use flate2::{Compression, write::GzEncoder};
use kmedian_data::{
    DemandFormat, DemandOptions, Error, ItemKeys, PrivateDemand, Snap, Snapped, UnitBound,
    check_demand, count_named, count_records, demand_files, read_demand_files,
};
use parquet::arrow::ArrowWriter;
use rand::{SeedableRng, rngs::ChaCha20Rng};
use tempfile::TempDir;

use super::cases::{Case, Door, IDS, Row, Snapping, number};

/// Items of tables whose keys are numbers.
const ITEMS: usize = 9;

/// The files of a table that is in a folder.
const PARTS: usize = 3;

/// Where the tables are.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Counts the rows as the door of the case does.
    pub fn read(&self, case: &Case, rows: &[Row]) -> Result<Vec<u64>, String> {
        match case.door {
            Door::Numbered => Ok(numbered(case, rows).counts),
            Door::Named => Ok(named(case, rows).counts),
            door if door.is_folder() => {
                self.write_parts(case, rows);
                self.read_files(case, &self.path("parts"), &options(case))
            }
            _ => {
                let (name, bytes) = file(case, rows);
                self.read_file(case, name, &bytes, &options(case))
            }
        }
    }

    /// Counts the records of a file, of which the layout is checked first.
    pub fn read_file(
        &self,
        case: &Case,
        name: &str,
        bytes: &[u8],
        options: &DemandOptions,
    ) -> Result<Vec<u64>, String> {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        self.read_files(case, &path, options)
    }

    /// Counts the records of a file, or of all files of a folder.
    pub fn read_files(
        &self,
        case: &Case,
        path: &Path,
        options: &DemandOptions,
    ) -> Result<Vec<u64>, String> {
        let files = demand_files(path).map_err(told)?;
        for file in &files {
            let layout = check_demand(file, options).map_err(told)?;
            // All that is known beforehand follows from the options.
            let columns = (case.header || case.door.is_rectangular()).then_some(3);
            let items = if case.snapping.is_some() { vec![0, 2] } else { vec![0] };
            assert_eq!((layout.columns, layout.items), (columns, items));
        }
        let ids = IDS.map(String::from);
        let keys = if let Some(how) = &case.snapping {
            ItemKeys::snapped(PLACES.len(), how)
        } else if case.door.is_numeric() {
            ItemKeys::positions(ITEMS)
        } else {
            ItemKeys::named(path, &ids).map_err(told)?
        };
        let demand = read_demand_files(&files, &keys, options, &mut rng()).map_err(told)?;
        Ok(demand.counts)
    }

    /// Writes the rows into the files of a folder, some of which may get none. Neighbours share
    /// their files, so which one a row is in depends on that row alone.
    pub fn write_parts(&self, case: &Case, rows: &[Row]) -> Vec<PathBuf> {
        let folder = self.path("parts");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).unwrap();
        let place = |row: &Row| row.concat().iter().map(|&byte| usize::from(byte)).sum::<usize>();
        let write = |part: usize| {
            let inside = |row: &&Row| place(row) % PARTS == part;
            let rows: Vec<Row> = rows.iter().filter(inside).cloned().collect();
            let (name, bytes) = file(case, &rows);
            let path = folder.join(format!("{part}-{name}"));
            fs::write(&path, bytes).unwrap();
            path
        };
        (0..PARTS).map(write).collect()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

/// Where the items are that places are snapped to.
const PLACES: [[f64; 2]; 5] = [[0.0, 0.0], [1.0, 2.0], [2.0, 0.5], [3.0, 3.0], [1.0, 2.0]];

impl Snap for Snapping {
    fn dims(&self) -> usize {
        2
    }

    fn snap(&self, places: &[f64], found: &mut [Snapped]) {
        let mut places = places.to_vec();
        match self {
            Self::Nearest => {}
            Self::LessTheMean => {
                let finite = places.iter().filter(|value| value.is_finite());
                let mean = finite.clone().sum::<f64>() / finite.count().max(1) as f64;
                places.iter_mut().for_each(|value| *value -= mean);
            }
            Self::FilledForward => {
                for at in 2..places.len() {
                    if places[at].is_nan() {
                        places[at] = places[at - 2];
                    }
                }
            }
        }
        for (found, place) in found.iter_mut().zip(places.chunks_exact(2)) {
            let distance = |item: &usize| {
                let [x, y] = PLACES[*item];
                (x - place[0]).abs() + (y - place[1]).abs()
            };
            let nearest = (0..PLACES.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
            *found = match nearest {
                Some(item) if distance(&item) <= 2.0 => Snapped::Item(item as u32),
                Some(item) if distance(&item).is_finite() => Snapped::TooFar,
                _ => Snapped::Nowhere,
            };
        }
    }
}

fn told(error: Error) -> String {
    error.to_string()
}

/// One secret for a table and its neighbour: what is drawn of an owner then depends on its records
/// alone.
fn rng() -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(5)
}

fn text(cell: Option<&Vec<u8>>) -> Option<&str> {
    cell.and_then(|cell| str::from_utf8(cell).ok())
}

fn named(case: &Case, rows: &[Row]) -> PrivateDemand {
    let ids = IDS.map(String::from);
    let keys =
        ItemKeys::named(Path::new("universe"), &ids).unwrap_or_else(|error| panic!("{error}"));
    let records = rows.iter().map(|row| (text(row.first()), text(row.get(1))));
    count_named(&keys, records, case.most, &mut rng())
}

fn numbered(case: &Case, rows: &[Row]) -> PrivateDemand {
    let item = |row: &Row| row.first()?.first().map(|&byte| u32::from(byte % 16));
    let records = rows.iter().map(|row| (item(row), text(row.get(1))));
    count_records(ITEMS, records, case.most, &mut rng())
}

pub fn options(case: &Case) -> DemandOptions {
    let (format, separator) = match case.door {
        Door::CsvLines | Door::CsvLinesGz => (Some(DemandFormat::CsvLines), None),
        Door::TsvLines => (Some(DemandFormat::TsvLines), None),
        Door::Semicolons => (None, Some(b';')),
        _ => (None, None),
    };
    let binary = case.door.is_rectangular();
    DemandOptions {
        key: case.snapping.is_none().then(|| 0.into()),
        places: if case.snapping.is_some() { vec![0.into(), 2.into()] } else { Vec::new() },
        unit: case.most.map(|most| UnitBound { column: 1.into(), most }),
        header: (!binary).then_some(case.header),
        format,
        separator,
    }
}

/// The name of a file, and the table in it.
pub fn file(case: &Case, rows: &[Row]) -> (&'static str, Vec<u8>) {
    match case.door {
        Door::Csv | Door::CsvFolder => ("d.csv", quoted(case, rows, b',')),
        Door::CsvGz => ("d.csv.gz", gzip(&quoted(case, rows, b','))),
        Door::Tsv => ("d.tsv", quoted(case, rows, b'\t')),
        Door::TsvGz => ("d.tsv.gz", gzip(&quoted(case, rows, b'\t'))),
        Door::Semicolons => ("d.csv", quoted(case, rows, b';')),
        Door::CsvLines => ("d.log", lines(case, rows, b',')),
        Door::CsvLinesGz => ("d.log.gz", gzip(&lines(case, rows, b','))),
        Door::TsvLines => ("d.log", lines(case, rows, b'\t')),
        Door::Text => ("d.txt", lines(case, rows, b' ')),
        Door::TextGz => ("d.txt.gz", gzip(&lines(case, rows, b' '))),
        Door::Parquet | Door::ParquetFolder => ("d.parquet", parquet(&texts(rows))),
        Door::ParquetNumbers => ("d.parquet", parquet(&numbers(rows))),
        Door::Npy => ("d.npy", npy(rows)),
        Door::Idx => ("d.idx", idx(rows)),
        Door::Numbered | Door::Named => ("", Vec::new()),
    }
}

/// The table as RFC 4180 has it.
pub fn quoted(case: &Case, rows: &[Row], separator: u8) -> Vec<u8> {
    let header = ["stop", "user", "comment"].map(|name| name.as_bytes().to_vec()).to_vec();
    let written = case.header.then_some(&header).into_iter().chain(rows).map(|row| {
        let cells: Vec<Vec<u8>> = row
            .iter()
            .map(|cell| quote(cell, separator, case.all_quoted, row.len() == 1))
            .collect();
        cells.join(&separator)
    });
    joined(case, written)
}

fn quote(cell: &[u8], separator: u8, always: bool, alone: bool) -> Vec<u8> {
    let special = |byte: &u8| [separator, b'"', b'\n', b'\r'].contains(byte);
    let bare = alone && cell.is_empty();
    if !(always || bare || cell.iter().any(special)) {
        return cell.to_vec();
    }
    let doubled: Vec<Vec<u8>> = cell.split(|&byte| byte == b'"').map(<[u8]>::to_vec).collect();
    [b"\"".as_slice(), &doubled.join(b"\"\"".as_slice()), b"\""].concat()
}

/// The table with any bytes on its lines but a line break.
fn lines(case: &Case, rows: &[Row], separator: u8) -> Vec<u8> {
    let header = ["stop", "user", "comment"].map(str::as_bytes).join(&separator);
    let written = rows.iter().map(|row| {
        let line = row.join(&separator);
        line.into_iter().filter(|&byte| byte != b'\n').collect()
    });
    joined(case, case.header.then_some(header).into_iter().chain(written))
}

fn joined(case: &Case, lines: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let end: &[u8] = if case.carriage_returns { b"\r\n" } else { b"\n" };
    let mut bytes = if case.mark { b"\xef\xbb\xbf".to_vec() } else { Vec::new() };
    bytes.extend(lines.collect::<Vec<_>>().join(end));
    if case.ended {
        bytes.extend(end);
    }
    bytes
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn texts(rows: &[Row]) -> Vec<ArrayRef> {
    let column = |column: usize| -> ArrayRef {
        Arc::new(StringArray::from_iter(rows.iter().map(|row| text(row.get(column)))))
    };
    (0..3).map(column).collect()
}

fn numbers(rows: &[Row]) -> Vec<ArrayRef> {
    let cells = |column: usize| rows.iter().map(move |row| number(&row[column]));
    let whole = |value: f64| value.is_finite().then_some(value as i64);
    vec![
        Arc::new(Int64Array::from_iter(cells(0).map(whole))),
        Arc::new(Float64Array::from_iter_values(cells(1))),
        Arc::new(Float64Array::from_iter_values(cells(2))),
    ]
}

fn parquet(columns: &[ArrayRef]) -> Vec<u8> {
    let named = ["stop", "user", "comment"].into_iter().zip(columns.iter().cloned());
    let batch =
        RecordBatch::try_from_iter_with_nullable(named.map(|(name, array)| (name, array, true)));
    let batch = batch.unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn npy(rows: &[Row]) -> Vec<u8> {
    let shape = format!("({}, 3)", rows.len());
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(rows.iter().flatten().flat_map(|cell| number(cell).to_le_bytes()));
    bytes
}

fn idx(rows: &[Row]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 0x0d, 2];
    bytes.extend((rows.len() as u32).to_be_bytes());
    bytes.extend(3u32.to_be_bytes());
    bytes.extend(rows.iter().flatten().flat_map(|cell| (number(cell) as f32).to_be_bytes()));
    bytes
}
