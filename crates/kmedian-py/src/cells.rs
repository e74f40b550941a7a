//! Copies the cells of a column out of Python as text.
//!
//! No code of a cell's own class runs here: text, bytes and numbers are read as the interpreter
//! stores them, even if their classes redefine comparison, hashing or printing. All other objects
//! go to one function that knows a few classes; an object of any other class counts as missing.

use std::fmt::Write;
use std::sync::Arc;

use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyFloat, PyInt, PyList, PyString};

/// The length in bytes of the longest cell that is kept: 64 KiB. Keys and owners are shorter, and
/// one cell cannot fill the memory. A longer cell counts as missing.
const LONGEST: usize = 1 << 16;

/// The cells of a column as text, one after the other in one buffer.
#[derive(Default)]
pub(crate) struct Cells {
    text: String,
    /// For each cell, the position in the text where it ends and the next one begins.
    ends: Vec<usize>,
}

impl Cells {
    /// The number of cells.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The text of a cell, or `None` if it is missing, empty or unreadable, or if there is no such
    /// cell.
    pub(crate) fn get(&self, at: usize) -> Option<&str> {
        let end = *self.ends.get(at)?;
        let begin = at.checked_sub(1).map_or(0, |last| self.ends[last]);
        self.text.get(begin..end).filter(|text| !text.is_empty())
    }

    /// All cells, in their order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Option<&str>> {
        (0..self.len()).map(|at| self.get(at))
    }

    fn end_cell(&mut self) {
        self.ends.push(self.text.len());
    }

    fn add_text(&mut self, text: &str) {
        if text.len() <= LONGEST {
            self.text.push_str(text);
        }
    }

    fn add_number(&mut self, number: impl std::fmt::Display) {
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{number}");
    }

    fn add_float(&mut self, number: f64) {
        if !number.is_nan() {
            self.add_number(number);
        }
    }

    /// Adds the text of a cell that is text, bytes, a number or `None`; false if it is none of
    /// these.
    fn add_plain(&mut self, cell: &Bound<'_, PyAny>) -> bool {
        if let Ok(text) = cell.cast::<PyString>() {
            // Text with lone surrogates cannot be encoded, and counts as missing.
            text.to_cow().iter().for_each(|text| self.add_text(text));
        } else if let Ok(bytes) = cell.cast::<PyBytes>() {
            self.add_bytes(bytes.as_bytes());
        } else if let Ok(bytes) = cell.cast::<PyByteArray>() {
            self.add_bytes(&bytes.to_vec());
        } else if let Ok(flag) = cell.cast::<PyBool>() {
            self.add_text(if flag.is_true() { "True" } else { "False" });
        } else if let Ok(number) = cell.cast::<PyFloat>() {
            self.add_float(number.value());
        } else if let Some(number) = cell.cast::<PyInt>().ok().and_then(|n| n.extract::<i64>().ok())
        {
            self.add_number(number);
        } else {
            return cell.is_none();
        }
        true
    }

    fn add_bytes(&mut self, bytes: &[u8]) {
        std::str::from_utf8(bytes).iter().for_each(|text| self.add_text(text));
    }

    /// Adds a cell of any class; `plain` is called for classes that are not read directly. Only
    /// Ctrl-C is an error.
    fn add(&mut self, cell: &Bound<'_, PyAny>, plain: &Bound<'_, PyAny>) -> PyResult<()> {
        if !self.add_plain(cell) {
            match plain.call1((cell,)) {
                Ok(known) => {
                    self.add_plain(&known);
                }
                Err(error) if error.is_instance_of::<PyKeyboardInterrupt>(cell.py()) => {
                    return Err(error);
                }
                Err(_) => {}
            }
        }
        self.end_cell();
        Ok(())
    }
}

/// A column of cells, which Python can pass on but not read.
#[pyclass(frozen, module = "kmedian._core")]
pub(crate) struct Column {
    cells: Arc<Cells>,
}

#[pymethods]
impl Column {
    /// A column of signed integers.
    #[staticmethod]
    fn whole(numbers: PyReadonlyArray1<'_, i64>) -> PyResult<Self> {
        Ok(Self::of(numbers.as_slice()?, |cells, &number| cells.add_number(number)))
    }

    /// A column of unsigned integers.
    #[staticmethod]
    fn unsigned(numbers: PyReadonlyArray1<'_, u64>) -> PyResult<Self> {
        Ok(Self::of(numbers.as_slice()?, |cells, &number| cells.add_number(number)))
    }

    /// A column of floats. Whole numbers are written without a point, and NaN is a missing cell.
    #[staticmethod]
    fn floats(numbers: PyReadonlyArray1<'_, f64>) -> PyResult<Self> {
        Ok(Self::of(numbers.as_slice()?, |cells, &number| cells.add_float(number)))
    }

    /// A column of objects. An object that is neither text nor bytes nor a number is given to
    /// `plain`, which returns one of these in its place, or `None`.
    #[staticmethod]
    fn cells(cells: &Bound<'_, PyList>, plain: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut column = Cells::default();
        cells.iter().try_for_each(|cell| column.add(&cell, plain))?;
        Ok(Self { cells: Arc::new(column) })
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

    fn of<T>(numbers: &[T], add: impl Fn(&mut Cells, &T)) -> Self {
        let mut cells = Cells::default();
        for number in numbers {
            add(&mut cells, number);
            cells.end_cell();
        }
        Self { cells: Arc::new(cells) }
    }
}
