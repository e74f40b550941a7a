//! Points that are read some rows at a time, from one file or from several.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use crate::columns::Want;
use crate::error::{Error, ErrorKind, list, quote};
use crate::points::{Points, PointsOptions};
use crate::table::{count_rows, read_table};

/// The most rows of a part: 32,768.
const MOST_ROWS: usize = 1 << 15;

/// About how many values a part has at most. With very many columns, it has few rows.
const MOST_VALUES: usize = 1 << 22;

/// The parts that are read ahead while others are looked at. More would only take memory.
const AHEAD: usize = 2;

/// Where a reader puts the rows of a table, some at a time.
pub(crate) struct Parts<'a> {
    take: &'a mut dyn FnMut(Points) -> Result<(), Error>,
}

impl Parts<'_> {
    /// How many rows of so many columns a part has at most.
    pub(crate) fn rows(&self, width: usize) -> usize {
        (MOST_VALUES / width.max(1)).clamp(1, MOST_ROWS)
    }

    /// Hands out some rows.
    pub(crate) fn take(&mut self, path: &Path, part: Points) -> Result<(), Error> {
        if part.rows == 0 {
            return Ok(());
        }
        (self.take)(part).map_err(|_| Error::new(ErrorKind::Io, path, "was left unread"))
    }
}

/// Some rows of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct PointsPart {
    /// The position of the file among all files.
    pub file: usize,
    /// The rows, at least one.
    pub points: Points,
}

/// The rows of several tables of the same columns, part after part: see [`points_in_parts`].
pub struct PartsOfPoints {
    parts: Receiver<Result<PointsPart, Error>>,
}

impl Iterator for PartsOfPoints {
    type Item = Result<PointsPart, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.parts.recv().ok()
    }
}

/// Reads tables of points some rows at a time, file after file, on a thread of its own that is
/// never more than a few parts ahead. So the tables need not fit into memory. All files must have
/// the same columns of coordinates; `options.center` and `options.skip_missing` are not for parts,
/// and are left out. An array in Fortran order is an error.
///
/// ```
/// use kmedian_data::{PointsOptions, points_in_parts};
///
/// let folder = tempfile::tempdir()?;
/// let (a, b) = (folder.path().join("a.csv"), folder.path().join("b.csv"));
/// std::fs::write(&a, "x,y\n1,2\n3,4\n")?;
/// std::fs::write(&b, "x,y\n5,6\n")?;
///
/// let parts = points_in_parts(vec![a, b], &PointsOptions::default());
/// let parts = parts.collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(parts[1].file, 1);
/// assert_eq!(parts[1].points.values, [5.0, 6.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn points_in_parts(files: Vec<PathBuf>, options: &PointsOptions) -> PartsOfPoints {
    let options = PointsOptions { center: false, skip_missing: false, ..options.clone() };
    let (sender, parts) = sync_channel(AHEAD);
    thread::spawn(move || {
        if let Err(error) = read_files(&files, &options, &sender) {
            // Nobody listens any more if the iterator was dropped.
            let _ = sender.send(Err(error));
        }
    });
    PartsOfPoints { parts }
}

fn read_files(
    files: &[PathBuf],
    options: &PointsOptions,
    sender: &SyncSender<Result<PointsPart, Error>>,
) -> Result<(), Error> {
    let mut columns: Option<Vec<String>> = None;
    for (file, path) in files.iter().enumerate() {
        let mut wrong = None;
        let mut take = |points: Points| {
            let known = columns.get_or_insert_with(|| points.columns.clone());
            let sent = if *known == points.columns {
                sender.send(Ok(PointsPart { file, points })).map_err(|_| None)
            } else {
                Err(Some(other_columns(path, &points.columns, &files[0], known)))
            };
            sent.map_err(|error| {
                wrong = error;
                Error::new(ErrorKind::Io, path, "was left unread")
            })
        };
        let mut parts = Parts { take: &mut take };
        let (want, header) = (Want::Points(options), options.header);
        let last = read_table(path, want, header, options.format, Some(&mut parts));
        let done = last.and_then(|last| parts.take(path, last));
        match wrong {
            Some(wrong) => return Err(wrong),
            None => done?,
        }
    }
    Ok(())
}

fn other_columns(path: &Path, columns: &[String], first: &Path, known: &[String]) -> Error {
    let first = quote(first.to_string_lossy().as_bytes());
    let what = format!(
        "has the columns {}, but {first} has {}; give files of the same columns, or name them",
        list(columns),
        list(known)
    );
    Error::new(ErrorKind::Column, path, what)
}

/// The number of rows of tables of points. Parquet and NumPy files say it themselves; others are
/// read for it, and what is wrong with their rows is found out by that.
///
/// # Errors
///
/// If a file cannot be read.
pub fn count_points(files: &[PathBuf], options: &PointsOptions) -> Result<u64, Error> {
    let mut rows = 0u64;
    for path in files {
        rows += match count_rows(path, options.format)? {
            Some(rows) => rows,
            None => {
                let mut parts = points_in_parts(vec![path.clone()], options);
                parts.try_fold(0, |sum, part| Ok::<_, Error>(sum + part?.points.rows as u64))?
            }
        };
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::testing::{gzip, sample};
    use crate::read_points;
    use crate::write::{Column, Values, write_table};

    fn collected(files: &[&Path], options: &PointsOptions) -> Result<Vec<Points>, Error> {
        let files = files.iter().map(|path| path.to_path_buf()).collect();
        points_in_parts(files, options).map(|part| Ok(part?.points)).collect()
    }

    /// More rows than a part holds, in all formats: together the parts are the table.
    #[test]
    fn parts_are_the_table() {
        let rows = 2 * MOST_ROWS + 7;
        let folder = tempfile::tempdir().unwrap();
        let numbers = |by: f64| Values::Numbers((0..rows).map(|row| row as f64 * by).collect());
        let names = Values::Text((0..rows).map(|row| format!("n{row}")).collect());
        let column = |name: &str, values| Column { name: name.to_owned(), values };
        let columns = [column("id", names), column("x", numbers(0.5)), column("w", numbers(0.25))];
        let mut npy = b"\x93NUMPY\x01\x00".to_vec();
        let header =
            format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, 3), }}\n");
        npy.extend((header.len() as u16).to_le_bytes());
        npy.extend(header.as_bytes());
        (0..rows).flat_map(|row| [7.0, 0.5, 0.25].map(|by| row as f64 * by)).for_each(|number| {
            npy.extend(number.to_le_bytes());
        });
        for (name, id, weight) in [
            ("t.parquet", "id", "w"),
            ("t.csv", "id", "w"),
            ("t.npy", "0", "2"),
            ("t.npy.gz", "0", "2"),
        ] {
            let path = folder.path().join(name);
            match name {
                "t.npy" => std::fs::write(&path, &npy).unwrap(),
                "t.npy.gz" => std::fs::write(&path, gzip(npy.clone())).unwrap(),
                _ => write_table(&path, &columns).unwrap(),
            }
            let options = PointsOptions {
                id: Some(id.into()),
                weight: Some(weight.into()),
                ..PointsOptions::default()
            };
            let whole = read_points(&path, &options).unwrap();
            let parts = collected(&[&path], &options).unwrap();
            assert!(parts.len() >= 3 && parts.iter().all(|part| part.rows <= MOST_ROWS), "{name}");
            let values: Vec<f32> = parts.iter().flat_map(|part| part.values.clone()).collect();
            assert_eq!(values, whole.values, "{name}");
            let ids: Vec<String> =
                parts.iter().flat_map(|part| part.ids.clone().unwrap()).collect();
            assert_eq!(Some(ids), whole.ids, "{name}");
            let weights = parts.iter().flat_map(|part| part.weights.clone().unwrap());
            assert_eq!(Some(weights.collect()), whole.weights, "{name}");
            assert_eq!(count_points(&[path], &options), Ok(rows as u64));
        }
    }

    #[test]
    fn errors_name_the_file_and_the_row() {
        let good = sample("a.csv", "x,y\n1,2\n");
        let lines = "1,2\n".repeat(MOST_ROWS + 2);
        let bad = sample("b.csv", format!("x,y\n{lines}1,b\n"));
        let error = collected(&[&good.path, &bad.path], &PointsOptions::default()).unwrap_err();
        let line = MOST_ROWS + 4;
        let told = error.to_string();
        assert!(
            told.contains("b.csv") && told.contains(&format!("line {line}, column `y`")),
            "{told}"
        );
        let other = sample("c.csv", "x,z\n1,2\n");
        let error = collected(&[&good.path, &other.path], &PointsOptions::default()).unwrap_err();
        assert!(error.to_string().contains("has the columns `x`, `z`, but "), "{error}");
        let empty = sample("d.csv", "x,y\n");
        let error = collected(&[&good.path, &empty.path], &PointsOptions::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Empty);
        // A reader that nobody listens to ends.
        drop(points_in_parts(vec![bad.path.clone()], &PointsOptions::default()));
    }
}
