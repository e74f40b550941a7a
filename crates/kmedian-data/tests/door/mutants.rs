//! Readers that let a record decide more than its own count. Each is the library's reader, told by
//! the records how to read, as a reader that guesses would tell itself.

use kmedian_data::{DemandFormat, DemandOptions, normalized};
use rand::rngs::ChaCha20Rng;

use super::cases::{Case, Door, IDS, Row, Snapping, put_somewhere};
use super::files::{Folder, file, options};

/// What a reader does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mutant {
    /// Every line of a CSV file is a record.
    LinesAreRecords,
    /// The separator is the more frequent one of the first record.
    SeparatorGuessed,
    /// A first record that holds the name of the column is the header.
    HeaderGuessed,
    /// A first record without all columns is an error.
    FirstWidthChecked,
    /// A file that begins like another format is an error.
    MagicBytes,
    /// A NUL byte is an error.
    Nul,
    /// Owners without a name share a reservoir.
    SharedReservoir,
    /// Owners are told apart by how they are written.
    RawOwners,
    /// Places are snapped after their mean is subtracted.
    LessTheMean,
    /// A missing coordinate is that of the record before.
    FilledForward,
    /// A byte order mark is a part of the first record.
    MarkKept,
    /// The records of an owner are bounded in each file for itself.
    BoundedByFile,
}

impl Mutant {
    pub const ALL: [Self; 12] = [
        Self::LinesAreRecords,
        Self::SeparatorGuessed,
        Self::HeaderGuessed,
        Self::FirstWidthChecked,
        Self::MagicBytes,
        Self::Nul,
        Self::SharedReservoir,
        Self::RawOwners,
        Self::LessTheMean,
        Self::FilledForward,
        Self::MarkKept,
        Self::BoundedByFile,
    ];

    /// A case in which it could show: a table without a header, if the first record is to decide.
    pub fn case(self, rng: &mut ChaCha20Rng) -> Case {
        let door = if self == Self::BoundedByFile { Door::CsvFolder } else { Door::Csv };
        let mut case = Case::draw(door, rng);
        case.snapping = match self {
            Self::LessTheMean => Some(Snapping::LessTheMean),
            Self::FilledForward => Some(Snapping::FilledForward),
            _ => None,
        };
        if case.snapping.is_some() {
            let Case { rows, extra, .. } = &mut case;
            rows.iter_mut().chain([extra]).for_each(|row| put_somewhere(row, rng));
        }
        let mark = case.mark || self == Self::MarkKept;
        Case { header: self == Self::LinesAreRecords, mark, ..case }
    }

    pub fn read(self, folder: &Folder, case: &Case, rows: &[Row]) -> Result<Vec<u64>, String> {
        let rows = self.seen(rows);
        let (name, bytes) = file(case, &rows);
        let first = rows.first().map(Vec::as_slice).unwrap_or_default();
        let magic = [&b"PAR1"[..], b"PARE", b"BZh", b"ARROW1", b"PK\x03\x04"];
        let wrong = match self {
            Self::FirstWidthChecked => !rows.is_empty() && first.len() != 3,
            Self::MagicBytes => magic.iter().any(|magic| bytes.starts_with(magic)),
            Self::Nul => bytes.contains(&0),
            _ => false,
        };
        if wrong {
            return Err("refused for what a record says".to_owned());
        }
        let plain = options(case);
        let options = match self {
            Self::LinesAreRecords => {
                DemandOptions { format: Some(DemandFormat::CsvLines), ..plain }
            }
            Self::SeparatorGuessed => {
                let of = |byte: u8| first.concat().iter().filter(|&&other| other == byte).count();
                let commas = of(b',') + first.len().saturating_sub(1);
                DemandOptions { separator: (of(b';') > commas).then_some(b';'), ..plain }
            }
            Self::HeaderGuessed => {
                let named = first.iter().any(|cell| cell == b"stop");
                let bytes = if named { file(case, &rows[1..]).1 } else { bytes };
                return folder.read_file(case, name, &bytes, &plain);
            }
            Self::MarkKept => {
                // After a blank line a mark is no longer at the beginning.
                let bytes = [b"\n", bytes.as_slice()].concat();
                return folder.read_file(case, name, &bytes, &plain);
            }
            Self::BoundedByFile => {
                let mut sum = vec![0; IDS.len()];
                for part in folder.write_parts(case, &rows) {
                    let counts = folder.read_files(case, &part, &plain)?;
                    sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
                }
                return Ok(sum);
            }
            _ => plain,
        };
        folder.read_file(case, name, &bytes, &options)
    }

    /// The records as the reader takes them.
    fn seen(self, rows: &[Row]) -> Vec<Row> {
        let changed = |cell: &[u8]| {
            let name = String::from_utf8_lossy(cell);
            match self {
                Self::SharedReservoir if normalized(&name).is_none() => b"nobody".to_vec(),
                Self::RawOwners if normalized(&name).is_some() => [b"as written: ", cell].concat(),
                _ => cell.to_vec(),
            }
        };
        let owner_changed = |row: &Row| {
            let cells = row.iter().enumerate();
            cells
                .map(|(place, cell)| if place == 1 { changed(cell) } else { cell.clone() })
                .collect()
        };
        rows.iter().map(owner_changed).collect()
    }
}
