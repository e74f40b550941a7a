//! Keeps rows on disk: a file of JSON lines for each experiment, written row by row.
//!
//! However the work ends, what was measured is kept. If the last line of a file has no line break,
//! it was being written then, and is dropped. A run that has a row is not repeated.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::row::Key;
use crate::{Failure, Row};

/// The name of the file that says which kind of rows a folder has.
const KIND: &str = "kind.txt";
/// What that file says for rows of the small sizes.
const QUICK: &str = "quick";
/// What that file says for rows of the full sizes.
const FULL: &str = "full";

/// A folder of rows, to which rows can be added.
pub struct Store {
    folder: PathBuf,
    kind: &'static str,
    /// The keys of all runs that have a row.
    known: HashSet<Key>,
}

impl Store {
    /// Opens the rows below an output folder, which is created if it does not exist.
    ///
    /// Rows of `--quick` have other sizes than full ones, and a table must not mix them, so a
    /// folder has rows of one kind.
    ///
    /// # Errors
    /// If the folder cannot be written, has rows of the other kind, or a line that is no row.
    pub fn open(out: &Path, quick: bool) -> Result<Self, Failure> {
        let folder = rows_folder(out);
        fs::create_dir_all(&folder).map_err(|error| {
            Failure::at(&folder, format!("cannot make this folder: {error}; choose another --out"))
        })?;
        let kind = if quick { QUICK } else { FULL };
        check_kind(&folder, kind)?;
        let mut known = HashSet::new();
        for path in files(&folder)? {
            drop_half_a_line(&path)?;
            known.extend(read_file(&path)?.iter().map(Row::key));
        }
        Ok(Self { folder, kind, known })
    }

    /// Whether the run of this row still has to be done.
    pub fn lacks(&self, row: &Row) -> bool {
        !self.known.contains(&row.key())
    }

    /// Appends a row to the file of its experiment, unless its run has a row already.
    ///
    /// # Errors
    /// If the row cannot be written.
    pub fn add(&mut self, row: &Row) -> Result<(), Failure> {
        if !self.known.insert(row.key()) {
            return Ok(());
        }
        let path = self.folder.join(format!("{}.jsonl", row.experiment));
        let line = serde_json::to_string(row).map_err(|error| Failure::at(&path, error))? + "\n";
        let append = || {
            // The kind of the folder is written with its first row.
            let kind = self.folder.join(KIND);
            if !kind.exists() {
                fs::write(kind, format!("{}\n", self.kind))?;
            }
            let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
            file.write_all(line.as_bytes())
        };
        append().map_err(|error| {
            Failure::at(&path, format!("cannot write a row: {error}; make room and run this again"))
        })
    }
}

/// All rows below an output folder, experiment by experiment in the order of their names.
///
/// # Errors
/// If there are no rows, or if a file has a line that is no row.
pub fn read_rows(out: &Path) -> Result<Vec<Row>, Failure> {
    let folder = rows_folder(out);
    let paths = files(&folder)?;
    let rows: Result<Vec<Vec<Row>>, Failure> = paths.iter().map(|path| read_file(path)).collect();
    let rows = rows?.concat();
    if rows.is_empty() {
        return Err(Failure::at(&folder, "has no rows; run the experiments first"));
    }
    Ok(rows)
}

/// Whether the rows below an output folder are those of `--quick`.
pub(crate) fn has_quick_rows(out: &Path) -> bool {
    kind(&rows_folder(out)).is_ok_and(|kind| kind == QUICK)
}

fn rows_folder(out: &Path) -> PathBuf {
    out.join("rows")
}

/// The files of rows in a folder, in the order of their names.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let list = || -> std::io::Result<Vec<PathBuf>> {
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
    };
    let mut paths = list().map_err(|error| {
        Failure::at(folder, format!("cannot be read: {error}; run the experiments first"))
    })?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    paths.sort();
    Ok(paths)
}

/// The rows of a file. A last line without a line break was not written completely, and is left
/// out.
fn read_file(path: &Path) -> Result<Vec<Row>, Failure> {
    let text = fs::read_to_string(path).map_err(|error| Failure::at(path, error))?;
    let complete = text.rfind('\n').map_or("", |end| &text[..end]);
    let read = |(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| {
            let what = format!("line {} is no row ({error}); delete that line", number + 1);
            Failure::at(path, what)
        })
    };
    complete.lines().enumerate().map(read).collect()
}

fn drop_half_a_line(path: &Path) -> Result<(), Failure> {
    let failed = |error| Failure::at(path, error);
    let bytes = fs::read(path).map_err(failed)?;
    let complete = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    if complete < bytes.len() {
        let file = File::options().write(true).open(path).map_err(failed)?;
        file.set_len(complete as u64).map_err(failed)?;
    }
    Ok(())
}

/// Refuses a folder that has rows of the other kind.
fn check_kind(folder: &Path, wanted: &str) -> Result<(), Failure> {
    match kind(folder) {
        Ok(found) if found == wanted => Ok(()),
        Ok(found) => {
            let what = format!("the rows here are {found}, not {wanted}; choose another --out");
            Err(Failure::at(folder, what))
        }
        Err(_) => Ok(()),
    }
}

fn kind(folder: &Path) -> std::io::Result<String> {
    Ok(fs::read_to_string(folder.join(KIND))?.trim().to_owned())
}
