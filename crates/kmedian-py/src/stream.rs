//! Counts records that a Python iterator hands out part after part. Memory holds one part at a
//! time.

use std::sync::Arc;

use kmedian_data::{Cell, PrivateDemand, Tally};
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use pyo3::types::PyIterator;

use crate::cells::Cells;
use crate::column::Column;
use crate::door::Watch;
use crate::failure::Failure;
use crate::shutdown::attached;

/// A part of the records, copied out of Python.
struct Part {
    items: ByItem,
    units: Option<Arc<Cells>>,
}

/// What the items of a part are found by.
enum ByItem {
    Keys(Arc<Cells>),
    /// Coordinates row by row, and how many a row has.
    Places(Vec<f64>, usize),
}

/// Counts all parts of an iterator. If `snapped`, its pairs begin with coordinates, else with keys.
pub(crate) fn count(
    parts: &Py<PyAny>,
    snapped: bool,
    mut tally: Tally<'_>,
    watch: &Watch,
) -> Result<PrivateDemand, Failure> {
    let parts = in_python(watch, |py| Ok(parts.bind(py).try_iter()?.unbind()))?;
    while let Some(part) = in_python(watch, |py| next_part(parts.bind(py), snapped))? {
        let unit = |at| part.units.as_deref().map_or(Cell::Missing, |units| units.get(at));
        match &part.items {
            ByItem::Keys(keys) => {
                keys.iter().enumerate().for_each(|(at, key)| tally.add_cells(key, unit(at)));
            }
            ByItem::Places(places, dims) => {
                let rows = places.chunks_exact(*dims).enumerate();
                rows.for_each(|(at, place)| tally.add_place(place.iter().copied(), unit(at)));
            }
        }
    }
    Ok(tally.finish())
}

/// The next part of an iterator; `None` at its end.
fn next_part(parts: &Bound<'_, PyIterator>, snapped: bool) -> PyResult<Option<Part>> {
    let Some(pair) = parts.clone().next().transpose()? else { return Ok(None) };
    let (items, units): (Bound<'_, PyAny>, Option<PyRef<'_, Column>>) = pair.extract()?;
    let items = if snapped {
        let table: PyReadonlyArray2<'_, f64> = items.extract()?;
        ByItem::Places(table.as_slice()?.to_vec(), table.as_array().ncols().max(1))
    } else {
        ByItem::Keys(items.extract::<PyRef<'_, Column>>()?.share())
    };
    Ok(Some(Part { items, units: units.map(|units| units.share()) }))
}

/// Does something in Python. What it raises ends the work, and so does Ctrl-C.
fn in_python<T>(watch: &Watch, work: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<T, Failure> {
    let ended = || Failure::Runtime("reading the records was interrupted".into());
    if watch.failed() {
        return Err(ended());
    }
    attached(work).ok_or_else(ended)?.map_err(|error| {
        watch.fail(error);
        ended()
    })
}
