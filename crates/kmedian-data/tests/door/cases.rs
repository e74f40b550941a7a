//! Random tables, and one record more.

use std::num::NonZeroU32;

use kmedian_data::normalized;
use rand::rngs::ChaCha20Rng;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

/// The cells of a record: key, owner, comment, and whatever else there is.
pub type Row = Vec<Vec<u8>>;

/// The ids of the items; some are written like others, like numbers or like nothing.
pub const IDS: [&str; 9] = ["a", "b", "stop", "1", "07", "x y", "é", "12", "NA"];

/// A way into the counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    Csv,
    CsvGz,
    CsvFolder,
    Tsv,
    TsvGz,
    Semicolons,
    CsvLines,
    CsvLinesGz,
    TsvLines,
    Text,
    TextGz,
    Parquet,
    ParquetFolder,
    ParquetNumbers,
    Npy,
    Idx,
    Numbered,
    Named,
}

impl Door {
    pub const ALL: [Self; 18] = [
        Self::Csv,
        Self::CsvGz,
        Self::CsvFolder,
        Self::Tsv,
        Self::TsvGz,
        Self::Semicolons,
        Self::CsvLines,
        Self::CsvLinesGz,
        Self::TsvLines,
        Self::Text,
        Self::TextGz,
        Self::Parquet,
        Self::ParquetFolder,
        Self::ParquetNumbers,
        Self::Npy,
        Self::Idx,
        Self::Numbered,
        Self::Named,
    ];

    /// Whether a record is written as cells that can be read back, rather than as a line of any
    /// bytes.
    pub fn has_cells(self) -> bool {
        !matches!(
            self,
            Self::CsvLines | Self::CsvLinesGz | Self::TsvLines | Self::Text | Self::TextGz
        )
    }

    /// Whether every record has as many cells as all others.
    pub fn is_rectangular(self) -> bool {
        use Door::{Idx, Named, Npy, Numbered, Parquet, ParquetFolder, ParquetNumbers};
        matches!(self, Parquet | ParquetFolder | ParquetNumbers | Npy | Idx | Numbered | Named)
    }

    /// Whether the table is in several files of a folder.
    pub fn is_folder(self) -> bool {
        matches!(self, Self::CsvFolder | Self::ParquetFolder)
    }

    /// Whether keys and owners are numbers.
    pub fn is_numeric(self) -> bool {
        matches!(self, Self::ParquetNumbers | Self::Npy | Self::Idx)
    }
}

/// How places are snapped to items: as they should be, or as no reader may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Snapping {
    /// To the nearest item.
    Nearest,
    /// To the nearest item, after the mean of all places is subtracted.
    LessTheMean,
    /// To the nearest item; a coordinate that is missing is that of the record before.
    FilledForward,
}

/// A table, and a record that may be in it.
#[derive(Debug, Clone)]
pub struct Case {
    pub door: Door,
    pub header: bool,
    /// How the cells 0 and 2 are snapped as coordinates; `None` if cell 0 is a key.
    pub snapping: Option<Snapping>,
    /// At most so many records of an owner count, if owners are protected.
    pub most: Option<NonZeroU32>,
    /// Whether a text begins with a byte order mark.
    pub mark: bool,
    /// Whether lines end as on Windows, and whether the last one ends at all.
    pub carriage_returns: bool,
    pub ended: bool,
    /// Whether cells are quoted that need not be.
    pub all_quoted: bool,
    pub rows: Vec<Row>,
    pub extra: Row,
    pub place: usize,
}

impl Case {
    pub fn draw(door: Door, rng: &mut ChaCha20Rng) -> Self {
        let mut rows: Vec<Row> = (0..rng.random_range(0..12)).map(|_| row(door, rng)).collect();
        let mut extra = row(door, rng);
        // Now and then all of them belong to a few, so that the bound is reached.
        if rng.random_bool(0.5) {
            for row in rows.iter_mut().chain([&mut extra]).filter(|row| row.len() > 1) {
                row[1] = one_of(&["7", "7.0", "07", "+7", "8"], rng);
            }
        }
        let in_a_file = !matches!(door, Door::Numbered | Door::Named);
        let snapping = (in_a_file && rng.random_bool(0.4)).then_some(Snapping::Nearest);
        if snapping.is_some() {
            rows.iter_mut().chain([&mut extra]).for_each(|row| put_somewhere(row, rng));
        }
        Self {
            door,
            snapping,
            header: rng.random_bool(0.5),
            most: NonZeroU32::new(rng.random_range(0..4)),
            mark: rng.random_bool(0.2),
            carriage_returns: rng.random_bool(0.3),
            ended: rng.random_bool(0.7),
            all_quoted: rng.random_bool(0.2),
            place: rng.random_range(0..=rows.len()),
            rows,
            extra,
        }
    }

    pub fn with_one_more(&self) -> Vec<Row> {
        let mut rows = self.rows.clone();
        rows.insert(self.place, self.extra.clone());
        rows
    }

    /// Whose a record is, by the definition in PRIVACY.md.
    pub fn owner(&self, row: &Row) -> Option<String> {
        let cell = row.get(1)?;
        let written = match self.door {
            Door::Idx => (number(cell) as f32).to_string(),
            door if door.is_numeric() => number(cell).to_string(),
            _ => str::from_utf8(cell).ok()?.to_owned(),
        };
        normalized(&written).map(std::borrow::Cow::into_owned)
    }
}

/// Writes coordinates into most of the cells 0 and 2.
pub fn put_somewhere(row: &mut Row, rng: &mut ChaCha20Rng) {
    const COORDINATES: [&str; 14] =
        ["0", "1", "1.5", " 2 ", "3", "-1e0", "+2.5", ".5", "nan", "inf", "1e400", "", "x", "1,5"];
    for place in [0, 2] {
        if let Some(cell) = row.get_mut(place).filter(|_| rng.random_bool(0.8)) {
            *cell = one_of(&COORDINATES, rng);
        }
    }
}

/// A number of a cell: often an item's, sometimes none.
pub fn number(cell: &[u8]) -> f64 {
    let text = str::from_utf8(cell).ok().and_then(|text| text.trim().parse().ok());
    text.unwrap_or_else(|| cell.iter().fold(-1.0, |sum, &byte| sum + f64::from(byte % 4)))
}

fn row(door: Door, rng: &mut ChaCha20Rng) -> Row {
    let width = match rng.random_range(0..10) {
        _ if door.is_rectangular() => 3,
        0 => rng.random_range(1..6),
        _ => 3,
    };
    (0..width).map(|column| cell(column, rng)).collect()
}

fn cell(column: usize, rng: &mut ChaCha20Rng) -> Vec<u8> {
    match (column, rng.random_range(0..10)) {
        (0, 0..5) => one_of(&IDS, rng),
        (0, 5..7) => one_of(&["0", "2", "3", "1.0", "01", "7", " a ", "a\r", "nan", "9"], rng),
        (1, 0..6) => one_of(&["u1", "u2", "1", "1.0", "01", " 1", "1e0", "2"], rng),
        (1, 6..7) => one_of(&["", "nan", "None", "NA", "<NA>", "null", " "], rng),
        (_, 0..2) => b"fine".to_vec(),
        (_, 2..9) => nasty(rng),
        _ => {
            let mut bytes = vec![0; rng.random_range(0..12)];
            rng.fill_bytes(&mut bytes);
            bytes
        }
    }
}

/// What has once been mistaken for more than a cell.
fn nasty(rng: &mut ChaCha20Rng) -> Vec<u8> {
    const PARTS: [&[u8]; 30] = [
        b"\n",
        b"\r",
        b"\r\n",
        b"\"",
        b"\"\"",
        b",",
        b";",
        b"\t",
        b" ",
        b"|",
        b"#",
        b"\0",
        b"PAR1",
        b"PARE",
        b"BZh",
        b"ARROW1",
        b"PK\x03\x04",
        b"\x1f\x8b",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"a",
        b"stop",
        b"1",
        b"\na,u1,x\n",
        b"\nb;u2;x\n",
        b"\nstop\tu1\tx\n",
        b";;;",
        b",,,",
        b"\\",
        b"'",
    ];
    if rng.random_range(0..2000) == 0 {
        return b"a\n".repeat(1 << rng.random_range(18..21));
    }
    let parts = rng.random_range(1..5);
    (0..parts).flat_map(|_| PARTS.choose(rng).copied().unwrap_or_default()).copied().collect()
}

fn one_of(texts: &[&str], rng: &mut ChaCha20Rng) -> Vec<u8> {
    texts.choose(rng).map(|text| text.as_bytes().to_vec()).unwrap_or_default()
}
