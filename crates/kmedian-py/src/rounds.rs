//! Centers of more items than memory holds: what is decided between two passes over all of them, and
//! a pass over one chunk. Passes and what they find are bytes to Python, which carries them between
//! the driver and the tasks.

use std::sync::{Mutex, PoisonError};

use kmedian::rounds::{Chunk, Found, InRounds, Pass, Rounds as Plan, RoundsFit};
use kmedian::{Run, Seed, choice};
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::door::Door;
use crate::failure::Failure;
use crate::items::slice;
use crate::names;

/// A fit in rounds, between two passes.
#[pyclass(frozen, module = "kmedian._core")]
pub(crate) struct Rounds {
    /// How many rows a chunk has at most.
    #[pyo3(get)]
    rows_of_chunk: usize,
    /// `None` while work goes on, and after it was interrupted.
    fit: Mutex<Option<InRounds>>,
}

/// The number of rows of a chunk of items, if they fit into the memory.
#[pyfunction]
#[pyo3(signature = (plan, dims, items))]
pub(crate) fn rows_of_chunk(plan: &Bound<'_, PyDict>, dims: usize, items: u64) -> PyResult<usize> {
    Ok(read(plan)?.rows_of_chunk(dims, items).map_err(Failure::from)?)
}

fn read(plan: &Bound<'_, PyDict>) -> PyResult<Plan> {
    let text = |name: &str| plan.as_any().get_item(name)?.extract::<String>();
    let given = |name: &str| plan.as_any().get_item(name);
    Ok(Plan {
        metric: names::metric(&text("metric")?)?,
        objective: names::chosen(&choice::OBJECTIVE, &text("objective")?)?,
        seed: Seed(given("seed")?.extract()?),
        memory: given("memory")?.extract()?,
        tolerance: given("tolerance")?.extract()?,
        most_rounds: given("most_rounds")?.extract()?,
        ..Plan::new(given("k")?.extract()?)
    })
}

#[pymethods]
impl Rounds {
    /// Begins to fit so many items in so many chunks.
    #[new]
    fn new(plan: &Bound<'_, PyDict>, dims: usize, items: u64, chunks: u64) -> PyResult<Self> {
        let plan = read(plan)?;
        let rows_of_chunk = plan.rows_of_chunk(dims, items).map_err(Failure::from)?;
        let fit = plan.begin(dims, items, chunks).map_err(Failure::from)?;
        Ok(Self { rows_of_chunk, fit: Mutex::new(Some(fit)) })
    }

    /// What to ask of every chunk next; `None` at the end.
    fn pass_bytes<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let fit = self.fit.lock().unwrap_or_else(PoisonError::into_inner);
        let fit = fit.as_ref().ok_or_else(interrupted)?;
        Ok(fit.pass().map(|pass| PyBytes::new(py, &pass.to_bytes())))
    }

    /// Takes what was found of every chunk.
    #[pyo3(signature = (found, threads=None, progress=None))]
    fn take(
        &self,
        py: Python<'_>,
        found: Vec<Vec<u8>>,
        threads: Option<usize>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let mut fit = self.taken()?;
        let fit = Door { py, threads, progress }.pass(move |watch| {
            let found = found.iter().map(|bytes| Found::from_bytes(bytes));
            let found = found.collect::<Result<Vec<Found>, _>>()?;
            watch.run(|run| fit.take(found, run))?;
            Ok(fit)
        })?;
        *self.fit.lock().unwrap_or_else(PoisonError::into_inner) = Some(fit);
        Ok(())
    }

    /// The centers, their places, and how the fit went.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Finished<'py>> {
        let found = self.taken()?.finish().map_err(Failure::from)?;
        let RoundsFit { centers, cost, sizes, costs, items, chunks, .. } = found;
        let told = PyDict::new(py);
        told.set_item("cost", cost)?;
        told.set_item("sizes", sizes.into_pyarray(py))?;
        told.set_item("rounds", costs.len())?;
        told.set_item("costs", costs)?;
        told.set_item("items", items)?;
        told.set_item("chunks", chunks)?;
        told.set_item("coreset_size", found.coreset_size)?;
        told.set_item("coreset_cost", found.coreset_cost)?;
        told.set_item("stop", found.stop)?;
        let places = centers.places.iter().map(|&place| place as i64);
        let shape = [centers.len(), centers.dims];
        let places = places.collect::<Vec<i64>>().into_pyarray(py);
        Ok((centers.rows.into_pyarray(py).reshape(shape)?, places, told))
    }
}

/// The rows of the centers, their places (-1 where they are not known), and a summary.
type Finished<'py> = (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyDict>);

impl Rounds {
    fn taken(&self) -> PyResult<InRounds> {
        let mut fit = self.fit.lock().unwrap_or_else(PoisonError::into_inner);
        fit.take().ok_or_else(interrupted)
    }
}

fn interrupted() -> PyErr {
    Failure::Runtime("this fit was interrupted; begin another one".into()).into()
}

/// Does a pass over the items of a chunk, and returns what it found.
#[pyfunction]
#[pyo3(signature = (asked, rows, weights, places, threads=None))]
pub(crate) fn go_over<'py>(
    py: Python<'py>,
    asked: &[u8],
    rows: PyReadonlyArray2<'py, f32>,
    weights: PyReadonlyArray1<'py, f64>,
    places: PyReadonlyArray1<'py, i64>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyBytes>> {
    let pass = Pass::from_bytes(asked).map_err(Failure::from)?;
    let chunk = Chunk {
        dims: rows.shape()[1],
        rows: slice(&rows)?.to_vec(),
        weights: weights.as_slice()?.to_vec(),
        places: places.as_slice()?.iter().map(|&place| place as u64).collect(),
    };
    let found = Door { py, threads, progress: None }.pass(move |watch| {
        let over = |run: &mut Run<'_>| pass.over(chunk, run);
        Ok(watch.run(over)?.to_bytes())
    })?;
    Ok(PyBytes::new(py, &found))
}
