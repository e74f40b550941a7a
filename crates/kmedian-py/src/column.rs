//! Columns that Python passes on and cannot read.
//!
//! No code of a cell's own class runs here: text, bytes and numbers are read as the interpreter, or
//! the buffer of a column, stores them, even if their classes redefine comparison, hashing or
//! printing. All other objects go to one function that knows a few classes; an object of any other
//! class counts as missing.

use std::sync::Arc;

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyFloat, PyInt, PyIterator, PyList, PyString};

use crate::cells::{Cells, Numbers, Texts, whole_float};

/// A column of cells, which Python can pass on but not read.
#[pyclass(frozen, module = "kmedian._core")]
pub(crate) struct Column {
    cells: Arc<Cells>,
}

/// A part of a column of texts: where each begins and the last one ends in the bytes, the bytes,
/// and which of the texts are missing.
type Part<'py> =
    (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, u8>, Option<PyReadonlyArray1<'py, bool>>);

#[pymethods]
impl Column {
    /// A column of signed integers. Those that are `missing` count as missing.
    #[staticmethod]
    #[pyo3(signature = (numbers, missing=None))]
    fn whole(
        numbers: PyReadonlyArray1<'_, i64>,
        missing: Option<PyReadonlyArray1<'_, bool>>,
    ) -> PyResult<Self> {
        let missing = missing.as_ref().map(|missing| missing.as_slice()).transpose()?;
        Ok(Self::of(Cells::Numbers(Numbers::new(numbers.as_slice()?, missing, Some, |_| false))))
    }

    /// A column of unsigned integers.
    #[staticmethod]
    #[pyo3(signature = (numbers, missing=None))]
    fn unsigned(
        numbers: PyReadonlyArray1<'_, u64>,
        missing: Option<PyReadonlyArray1<'_, bool>>,
    ) -> PyResult<Self> {
        let missing = missing.as_ref().map(|missing| missing.as_slice()).transpose()?;
        let whole = |number| i64::try_from(number).ok();
        Ok(Self::of(Cells::Numbers(Numbers::new(numbers.as_slice()?, missing, whole, |_| false))))
    }

    /// A column of floats. Whole numbers are written without a point, and NaN is a missing cell.
    #[staticmethod]
    #[pyo3(signature = (numbers, missing=None))]
    fn floats(
        numbers: PyReadonlyArray1<'_, f64>,
        missing: Option<PyReadonlyArray1<'_, bool>>,
    ) -> PyResult<Self> {
        let missing = missing.as_ref().map(|missing| missing.as_slice()).transpose()?;
        Ok(Self::of(Cells::Numbers(Numbers::new(
            numbers.as_slice()?,
            missing,
            whole_float,
            f64::is_nan,
        ))))
    }

    /// A column of texts in UTF-8, part after part, as Arrow lays them out. A text that is not
    /// UTF-8, or is not within the bytes, counts as missing.
    #[staticmethod]
    fn texts(parts: &Bound<'_, PyIterator>) -> PyResult<Self> {
        let mut texts = Texts::default();
        for part in parts {
            let (ends, bytes, missing): Part<'_> = part?.extract()?;
            let missing = missing.as_ref().map(|missing| missing.as_slice()).transpose()?;
            add_part(&mut texts, ends.as_slice()?, bytes.as_slice()?, missing);
        }
        Ok(Self::of(Cells::Texts(texts)))
    }

    /// A column of texts of equally many characters each, as NumPy lays them out: filled up with
    /// zeros. A text with a code that is no character counts as missing.
    #[staticmethod]
    fn characters(rows: PyReadonlyArray2<'_, u32>) -> PyResult<Self> {
        Self::of_rows(rows.as_slice()?, rows.as_array().dim(), Texts::add_characters)
    }

    /// A column of texts of equally many bytes each, as NumPy lays them out: filled up with zeros.
    /// A text that is not UTF-8 counts as missing.
    #[staticmethod]
    fn bytes(rows: PyReadonlyArray2<'_, u8>) -> PyResult<Self> {
        Self::of_rows(rows.as_slice()?, rows.as_array().dim(), Texts::add_bytes)
    }

    /// A column of cells of another one, by their places in it. A place that is not there is a
    /// missing cell.
    #[staticmethod]
    fn taken(places: PyReadonlyArray1<'_, i64>, of: &Self) -> PyResult<Self> {
        let places = places.as_slice()?.iter();
        let places = places.map(|&place| u32::try_from(place).unwrap_or(u32::MAX)).collect();
        Ok(Self::of(Cells::Taken(places, of.share())))
    }

    /// A column of objects. An object that is neither text nor bytes nor a number is given to
    /// `plain`, which returns one of these in its place, or `None`.
    #[staticmethod]
    fn cells(cells: &Bound<'_, PyList>, plain: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut texts = Texts::default();
        cells.iter().try_for_each(|cell| add(&mut texts, &cell, plain))?;
        Ok(Self::of(Cells::Texts(texts)))
    }

    /// The number of cells.
    fn __len__(&self) -> usize {
        self.cells.len()
    }
}

impl Column {
    /// The cells, shared with work on another thread.
    pub(crate) fn share(&self) -> Arc<Cells> {
        Arc::clone(&self.cells)
    }

    fn of(cells: Cells) -> Self {
        Self { cells: Arc::new(cells) }
    }

    /// Texts of a table of `dim` rows and columns, without the zeros at their ends.
    fn of_rows<T: Copy + Default + PartialEq>(
        table: &[T],
        (rows, columns): (usize, usize),
        add: impl Fn(&mut Texts, &[T]),
    ) -> PyResult<Self> {
        let mut texts = Texts::default();
        texts.reserve(rows);
        for row in 0..rows {
            let row = &table[row * columns..(row + 1) * columns];
            let filled = row.iter().rposition(|&code| code != T::default());
            add(&mut texts, &row[..filled.map_or(0, |last| last + 1)]);
            texts.end_cell();
        }
        Ok(Self::of(Cells::Texts(texts)))
    }
}

fn add_part(texts: &mut Texts, ends: &[i64], bytes: &[u8], missing: Option<&[bool]>) {
    texts.reserve(ends.len().saturating_sub(1));
    for (at, pair) in ends.windows(2).enumerate() {
        let range = usize::try_from(pair[0]).ok().zip(usize::try_from(pair[1]).ok());
        let masked = missing.is_some_and(|missing| missing.get(at) != Some(&false));
        let text = range.filter(|_| !masked).and_then(|(begin, end)| bytes.get(begin..end));
        text.iter().for_each(|text| texts.add_bytes(text));
        texts.end_cell();
    }
}

/// Adds a cell of any class; `plain` is called for classes that are not read directly. Only Ctrl-C
/// is an error.
fn add(texts: &mut Texts, cell: &Bound<'_, PyAny>, plain: &Bound<'_, PyAny>) -> PyResult<()> {
    if !add_plain(texts, cell) {
        match plain.call1((cell,)) {
            Ok(known) => {
                add_plain(texts, &known);
            }
            Err(error) if error.is_instance_of::<PyKeyboardInterrupt>(cell.py()) => {
                return Err(error);
            }
            Err(_) => {}
        }
    }
    texts.end_cell();
    Ok(())
}

/// Adds the text of a cell that is text, bytes, a number or `None`; false if it is none of these.
fn add_plain(texts: &mut Texts, cell: &Bound<'_, PyAny>) -> bool {
    if let Ok(text) = cell.cast::<PyString>() {
        // Text with lone surrogates cannot be encoded, and counts as missing.
        text.to_cow().iter().for_each(|text| texts.add_text(text));
    } else if let Ok(bytes) = cell.cast::<PyBytes>() {
        texts.add_bytes(bytes.as_bytes());
    } else if let Ok(bytes) = cell.cast::<PyByteArray>() {
        texts.add_bytes(&bytes.to_vec());
    } else if let Ok(flag) = cell.cast::<PyBool>() {
        texts.add_text(if flag.is_true() { "True" } else { "False" });
    } else if let Ok(number) = cell.cast::<PyFloat>() {
        let number = number.value();
        if !number.is_nan() {
            texts.add_number(number);
        }
    } else if let Some(number) = cell.cast::<PyInt>().ok().and_then(|n| n.extract::<i64>().ok()) {
        texts.add_number(number);
    } else {
        return cell.is_none();
    }
    true
}
