//! Reads arrays of binary numbers, as `.npy` and IDX files hold them.

use std::io::{self, BufRead, Read};
use std::path::Path;

use super::element::Element;
use crate::columns::{Given, Names, Selection, Want};
use crate::coordinates::{Centered, Coordinates};
use crate::demand::{Cell, DemandColumns, DemandOptions, Tally};
use crate::error::{Error, ErrorKind, one_line};
use crate::input::{Input, check_private_width, check_width};
use crate::number::{BadNumber, check_weight, narrow};
use crate::parts::Parts;
use crate::points::{Points, left_out};

/// An array of a file, as the file's header describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Array {
    pub(crate) shape: Vec<usize>,
    pub(crate) element: Element,
    pub(crate) big_endian: bool,
    /// Whether the first index varies fastest, as in Fortran.
    pub(crate) fortran: bool,
    pub(crate) format: &'static str,
    /// The number of bytes of the file before the array.
    pub(crate) start: u64,
}

/// Memory for the cells of a private record, which is reused for all records.
#[derive(Default)]
struct Cells {
    key: String,
    unit: String,
    number: Vec<f64>,
    place: Vec<f64>,
}

impl Array {
    /// Reads the array as a table: the first index counts rows, and all others together columns.
    /// With `parts`, they are handed out some at a time, and the last ones are returned.
    pub(crate) fn read(
        &self,
        path: &Path,
        input: Input,
        want: Want<'_>,
        mut parts: Option<&mut Parts<'_>>,
    ) -> Result<Points, Error> {
        let (rows, width) = self.table_shape(path)?;
        if parts.is_some() && self.in_columns(rows, width) {
            let what = "is an array in Fortran order, which cannot be read some rows at a time; \
                        save it in C order (numpy.ascontiguousarray)";
            return Err(Error::new(ErrorKind::Format, path, what));
        }
        if rows == 0 || width == 0 {
            return Err(self.empty(path));
        }
        self.check_length(path, rows, width, input.size)?;
        check_width(path, width, input.size)?;
        let (size, mut reader) = (input.size, input.reader);
        let names = positions(width);
        let given = Given::Positions;
        let selection = want.resolve(&Names { path, names: &names, given }, |_| true)?;
        let mut points = Points {
            rows,
            dims: selection.features.len(),
            values: Vec::new(),
            offsets: Vec::new(),
            merged: 0,
            columns: selection.features.iter().map(|&column| names[column].clone()).collect(),
            ids: selection.id.map(|_| Vec::new()),
            weights: selection.weight.map(|_| Vec::new()),
            passed_over: Vec::new(),
            format: self.format,
            notes: Vec::new(),
            kept: None,
        };
        let mut coordinates = Coordinates::new(points.dims, want.center());
        if size.is_some() && parts.is_none() {
            coordinates.reserve(rows);
        }
        let mut first = 0;
        let mut values = Vec::with_capacity(width);
        let mut kept = Vec::new();
        let plain = selection.is_all(width) && !want.skip_missing();
        let mut exact = Vec::with_capacity(width);
        self.for_each_row(path, &mut reader, rows, width, |row, bytes| {
            let decoded = plain && self.element.decode_exactly(bytes, self.big_endian, &mut exact);
            if decoded && exact.iter().fold(true, |all, value| all & value.is_finite()) {
                coordinates.push_exact(&exact);
            } else {
                self.element.decode(bytes, self.big_endian, &mut values);
                if want.skip_missing() {
                    let mut used = selection.features.iter().chain(&selection.weight);
                    if used.any(|&column| !values[column].is_finite()) {
                        return Ok(());
                    }
                    kept.push(row);
                }
                push_row(path, row, &values, &selection, &mut coordinates, &mut points.weights)?;
            }
            if let (Some(column), Some(ids)) = (selection.id, &mut points.ids) {
                let mut id = String::new();
                self.write_cell(bytes, column, &mut id);
                ids.push(id);
            }
            match &mut parts {
                Some(parts) if row + 1 - first >= parts.rows(width) => {
                    let next = Coordinates::new(points.dims, want.center());
                    let read = std::mem::replace(&mut coordinates, next);
                    let part = handed_out(&mut points, row + 1 - first, read);
                    first = row + 1;
                    parts.take(path, part)
                }
                _ => Ok(()),
            }
        })?;
        points.rows = rows - first;
        if matches!(reader.read(&mut [0]), Ok(1)) {
            points.notes.push("bytes after the end of the array were ignored".to_owned());
        }
        if want.skip_missing() {
            if kept.is_empty() {
                return Err(Error::new(ErrorKind::Empty, path, "has gaps in every row"));
            }
            points.rows = kept.len();
            let (notes, kept) = left_out(rows, kept.len(), kept);
            points.notes.extend(notes);
            points.kept = kept;
        }
        let centered = coordinates.finish();
        (points.values, points.offsets) = (centered.values, centered.offsets);
        points.merged = centered.merged;
        Ok(points)
    }

    /// Counts the records of a private array. `reopen` returns another reader at the beginning of
    /// the array: in Fortran order the columns that are used are read side by side, each by its own
    /// reader, so that the array need not fit into memory.
    pub(crate) fn count(
        &self,
        path: &Path,
        input: Input,
        reopen: impl Fn() -> Result<Box<dyn BufRead>, Error>,
        options: &DemandOptions,
        tally: Option<&mut Tally<'_>>,
    ) -> Result<DemandColumns, Error> {
        let (rows, width) = self.table_shape(path)?;
        // No message says how many records there are.
        if width == 0 {
            let what = "holds no numbers: its records are empty";
            return Err(Error::new(ErrorKind::Empty, path, what));
        }
        self.check_length(path, rows, width, input.size).map_err(|error| {
            let what = "ends before its last record; copy or download it again";
            Error::new(error.kind(), path, what)
        })?;
        // The length of the file depends on the number of records, which is private, so it must not
        // decide anything about columns.
        check_private_width(path, width)?;
        let names = Names { path, names: &positions(width), given: Given::Positions };
        let columns = options.resolve(&names)?;
        let used = columns.used();
        // Whether there is more than one record does not matter here.
        if self.fortran && used.len() > 1 && !input.on_disk {
            let what = "is an array in Fortran order, which is read twice, through a pipe; save it \
                        first";
            return Err(Error::new(ErrorKind::Format, path, what));
        }
        let Some(tally) = tally else { return Ok(columns) };
        let mut cells = Cells::default();
        if self.in_columns(rows, width) {
            let first = Some(Ok(input.reader)).into_iter();
            let mut readers = first
                .chain(std::iter::repeat_with(reopen))
                .take(used.len())
                .collect::<Result<Vec<_>, _>>()?;
            for (reader, &column) in readers.iter_mut().zip(&used) {
                self.skip_to_column(path, reader, column, rows)?;
            }
            // The cells of a record side by side, in the order of the columns that are used.
            let place = |column: usize| used.partition_point(|&used| used < column);
            let together = DemandColumns {
                items: columns.items.iter().map(|&column| place(column)).collect(),
                names: Vec::new(),
                unit: columns.unit.map(place),
                ..columns
            };
            let mut bytes = vec![0; used.len() * self.element.size()];
            for row in 0..rows {
                let parts = bytes.chunks_exact_mut(self.element.size());
                for (reader, cell) in readers.iter_mut().zip(parts) {
                    let cut_short = |error| self.cut_short(path, row, rows, &error);
                    reader.read_exact(cell).map_err(cut_short)?;
                }
                self.count_row(&bytes, &together, &mut cells, tally);
            }
            return Ok(columns);
        }
        let mut reader = input.reader;
        self.for_each_row(path, &mut reader, rows, width, |_, bytes| {
            self.count_row(bytes, &columns, &mut cells, tally);
            Ok(())
        })?;
        Ok(columns)
    }

    /// Counts one record, with memory for its cells.
    fn count_row(
        &self,
        bytes: &[u8],
        columns: &DemandColumns,
        Cells { key, unit, number, place }: &mut Cells,
        tally: &mut Tally<'_>,
    ) {
        let unit = columns.unit.map(|column| {
            self.write_cell(bytes, column, unit);
            unit.as_str()
        });
        if !columns.snapped {
            self.write_cell(bytes, columns.key(), key);
            tally.add_cells(Cell::Text(key), unit.into());
            return;
        }
        let size = self.element.size();
        place.clear();
        for &column in &columns.items {
            let cell = &bytes[column * size..(column + 1) * size];
            self.element.decode(cell, self.big_endian, number);
            place.extend_from_slice(number);
        }
        tally.add_place(place.iter().copied(), unit.into());
    }

    /// Whether the columns lie one after the other in the file.
    fn in_columns(&self, rows: usize, width: usize) -> bool {
        self.fortran && rows > 1 && width > 1
    }

    /// Writes a cell of a row as text into `out`, which is cleared first.
    fn write_cell(&self, row: &[u8], column: usize, out: &mut String) {
        self.element.write_text(&row[column * self.element.size()..], self.big_endian, out);
    }

    /// Skips the columns that are stored before this one.
    fn skip_to_column(
        &self,
        path: &Path,
        reader: &mut impl Read,
        column: usize,
        rows: usize,
    ) -> Result<(), Error> {
        let shape = &self.shape[1..];
        let before = (0..).take_while(|&stored| row_major_column(stored, shape) != column).count();
        let bytes = (before * rows * self.element.size()) as u64;
        io::copy(&mut reader.take(bytes), &mut io::sink())
            .map_err(|error| Error::reading(path, &error))?;
        Ok(())
    }

    /// Calls `push` with the number and the bytes of each row. An array in Fortran order is first
    /// read into memory.
    fn for_each_row(
        &self,
        path: &Path,
        reader: &mut dyn Read,
        rows: usize,
        width: usize,
        mut push: impl FnMut(usize, &[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let length = width * self.element.size();
        if self.in_columns(rows, width) {
            let table = self.transposed(path, reader, rows, width)?;
            return table.chunks_exact(length).enumerate().try_for_each(|(row, b)| push(row, b));
        }
        let mut bytes = vec![0; length];
        for row in 0..rows {
            let cut_short = |error| self.cut_short(path, row, rows, &error);
            reader.read_exact(&mut bytes).map_err(cut_short)?;
            push(row, &bytes)?;
        }
        Ok(())
    }

    /// Checks that the file has the bytes that its header claims, as far as its length is known.
    fn check_length(
        &self,
        path: &Path,
        rows: usize,
        width: usize,
        size: Option<u64>,
    ) -> Result<(), Error> {
        if let Some(size) = size {
            let cells = size.saturating_sub(self.start) as usize / self.element.size();
            if cells < rows * width {
                let cut_short = if self.in_columns(rows, width) {
                    format!("ends after {} of {width} columns", cells / rows)
                } else {
                    format!("ends after {} of {rows} rows", cells / width)
                };
                let what = format!("{cut_short}; copy or download it again");
                return Err(Error::new(ErrorKind::Truncated, path, what));
            }
        }
        Ok(())
    }

    fn table_shape(&self, path: &Path) -> Result<(usize, usize), Error> {
        let Some((&rows, rest)) = self.shape.split_first() else {
            let what = "holds a single number, not an array";
            return Err(Error::new(ErrorKind::Shape, path, what));
        };
        // A damaged header can claim any shape. No row has 4 GiB.
        let plausible = |&width: &usize| {
            width.checked_mul(self.element.size()).is_some_and(|row| {
                row < 1 << 32 && rows.checked_mul(row).is_some_and(|bytes| bytes < 1 << 62)
            })
        };
        let width = rest.iter().try_fold(1usize, |product, &n| product.checked_mul(n));
        match width.filter(plausible) {
            None => {
                let shape = one_line(&format!("{:?}", self.shape), 100);
                let what = format!("claims the impossible shape {shape}");
                Err(Error::new(ErrorKind::Format, path, what))
            }
            Some(width) => Ok((rows, width)),
        }
    }

    /// Reads an array in Fortran order, and returns its bytes row after row.
    fn transposed(
        &self,
        path: &Path,
        reader: &mut dyn Read,
        rows: usize,
        width: usize,
    ) -> Result<Vec<u8>, Error> {
        // All bytes are read before room is made for the table, because the shape is only a claim.
        let size = self.element.size();
        let mut bytes = Vec::new();
        reader
            .take((rows * width * size) as u64)
            .read_to_end(&mut bytes)
            .map_err(|error| Error::reading(path, &error))?;
        if bytes.len() < rows * width * size {
            let columns = bytes.len() / (rows * size);
            let what =
                format!("ends after {columns} of {width} columns; copy or download it again");
            return Err(Error::new(ErrorKind::Truncated, path, what));
        }
        let mut table = vec![0; bytes.len()];
        for (stored, elements) in bytes.chunks_exact(rows * size).enumerate() {
            let column = row_major_column(stored, &self.shape[1..]);
            for (row, element) in elements.chunks_exact(size).enumerate() {
                let place = (row * width + column) * size;
                table[place..place + size].copy_from_slice(element);
            }
        }
        Ok(table)
    }

    fn empty(&self, path: &Path) -> Error {
        let shape = one_line(&format!("{:?}", self.shape), 100);
        let what = format!("holds no numbers: its shape is {shape}");
        Error::new(ErrorKind::Empty, path, what)
    }

    fn cut_short(&self, path: &Path, row: usize, rows: usize, error: &io::Error) -> Error {
        if error.kind() == io::ErrorKind::UnexpectedEof {
            let what = format!("ends after {row} of {rows} rows; copy or download it again");
            Error::new(ErrorKind::Truncated, path, what)
        } else {
            Error::reading(path, error)
        }
    }
}

/// Some rows as a table of their own. Ids and weights of a table begin anew.
fn handed_out(points: &mut Points, rows: usize, read: Coordinates) -> Points {
    let (ids, weights) = (points.ids.as_mut(), points.weights.as_mut());
    let (ids, weights) = (ids.map(std::mem::take), weights.map(std::mem::take));
    let Centered { values, offsets, merged } = read.finish();
    let kept = None;
    Points { rows, values, offsets, merged, ids, weights, kept, ..points.clone() }
}

fn positions(width: usize) -> Vec<String> {
    (0..width).map(|column| column.to_string()).collect()
}

/// The position, in a flattened row, of the column that is the `stored`-th in the file, for an
/// array in Fortran order. `shape` leaves out the first index, which counts rows.
fn row_major_column(mut stored: usize, shape: &[usize]) -> usize {
    let mut column = 0;
    let mut stride: usize = shape.iter().product();
    for &n in shape {
        stride /= n;
        column += stored % n * stride;
        stored /= n;
    }
    column
}

fn push_row(
    path: &Path,
    row: usize,
    values: &[f64],
    selection: &Selection,
    coordinates: &mut Coordinates,
    weights: &mut Option<Vec<f64>>,
) -> Result<(), Error> {
    let at = |column: usize, what: String| {
        let message = format!("row {}, column `{column}`: {what}", row + 1);
        Err(Error::new(ErrorKind::Value, path, message))
    };
    for &column in &selection.features {
        match narrow(values[column]) {
            Ok(narrow) => coordinates.push(values[column], narrow),
            Err(bad) => return at(column, explain(bad, values[column])),
        }
    }
    if let (Some(column), Some(weights)) = (selection.weight, weights) {
        match check_weight(values[column]) {
            Ok(weight) => weights.push(weight),
            Err(what) => {
                let weight = values[column];
                return at(
                    column,
                    format!("the weight `{weight}` {what}; weights are finite numbers from 0 up"),
                );
            }
        }
    }
    Ok(())
}

/// What is wrong with a number of a binary file, and what to do about it, in words.
pub(crate) fn explain(bad: BadNumber, value: f64) -> String {
    bad.explained(format!("{value:?}").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fortran_columns_are_put_in_their_place() {
        let order: Vec<usize> = (0..6).map(|stored| row_major_column(stored, &[2, 3])).collect();
        assert_eq!(order, [0, 3, 1, 4, 2, 5]);
    }
}
