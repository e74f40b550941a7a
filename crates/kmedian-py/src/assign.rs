//! Distances from items, fitted or new, to centers.

use kmedian::space::Asker;
use kmedian::{Assignment, Dissimilarity, LentVectors, Question, Space, Vectors};
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::door::Door;
use crate::failure::Failure;
use crate::fit::labels;
use crate::items::{Items, owner, slice};
use crate::names;

/// For each item, the position of its nearest center, and the distance to it.
type Assigned<'py> = (Py<PyArray1<i32>>, Bound<'py, PyArray1<f32>>);

/// The nearest center of every item, and its distance. The centers are given as positions of items.
#[pyfunction]
#[pyo3(signature = (items, centers, threads=None))]
pub(crate) fn assign<'py>(
    py: Python<'py>,
    items: &Bound<'py, Items>,
    centers: Vec<usize>,
    threads: Option<usize>,
) -> PyResult<Assigned<'py>> {
    let items = items.clone().unbind();
    let assignment = Door { py, threads, progress: None }.pass(move |watch| {
        Items::work_on(&items, watch, |space| {
            check(&centers, space)?;
            let of = items.get().dissimilarity();
            Ok(of.restate_assignment(Assignment::new(space, &centers)))
        })
    })?;
    Ok(as_arrays(py, assignment))
}

/// The distance of every item to each center. The centers are given as positions of items.
#[pyfunction]
#[pyo3(signature = (items, centers, threads=None))]
pub(crate) fn distances<'py>(
    py: Python<'py>,
    items: &Bound<'py, Items>,
    centers: Vec<usize>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let items = items.clone().unbind();
    let columns = Door { py, threads, progress: None }.pass(move |watch| {
        Items::work_on(&items, watch, |space| {
            check(&centers, space)?;
            let of = items.get().dissimilarity();
            let column = |&center: &usize| column(&mut *space.asker(), center, space.len(), of);
            Ok(centers.par_iter().map(column).collect::<Vec<_>>())
        })
    })?;
    let len = columns.first().map_or(0, Vec::len);
    let rows = (0..len).flat_map(|item| columns.iter().map(move |column| column[item]));
    as_table(rows.collect::<Vec<_>>().into_pyarray(py), columns.len())
}

/// For every row, the nearest of some center rows, and its distance.
#[pyfunction]
#[pyo3(signature = (rows, centers, metric, threads=None))]
pub(crate) fn nearest<'py>(
    py: Python<'py>,
    rows: PyReadonlyArray2<'py, f32>,
    centers: PyReadonlyArray2<'py, f32>,
    metric: &str,
    threads: Option<usize>,
) -> PyResult<Assigned<'py>> {
    let of = names::dissimilarity(metric)?;
    let found = between(py, &rows, &centers, metric, threads, move |rows, centers| {
        Ok(of.restate_assignment(rows.nearest_of(centers)?))
    })?;
    Ok(as_arrays(py, found))
}

/// The distance of every row to each of some center rows.
#[pyfunction]
#[pyo3(signature = (rows, centers, metric, threads=None))]
pub(crate) fn distances_between<'py>(
    py: Python<'py>,
    rows: PyReadonlyArray2<'py, f32>,
    centers: PyReadonlyArray2<'py, f32>,
    metric: &str,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let of = names::dissimilarity(metric)?;
    let found = between(py, &rows, &centers, metric, threads, move |rows, centers| {
        Ok(rows.distances_to(centers)?.into_iter().map(|distance| of.of(distance)).collect())
    })?;
    let found: Vec<f32> = found;
    as_table(found.into_pyarray(py), centers.shape()[0])
}

/// Runs a comparison of rows with center rows on a worker thread, through the [`Door`].
fn between<T: Send + 'static>(
    py: Python<'_>,
    rows: &PyReadonlyArray2<'_, f32>,
    centers: &PyReadonlyArray2<'_, f32>,
    metric: &str,
    threads: Option<usize>,
    compare: impl FnOnce(&LentVectors<'_>, &LentVectors<'_>) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    let metric = names::metric(metric)?;
    let centers =
        Vectors::new(centers.shape()[1], slice(centers)?, metric).map_err(Failure::from)?;
    let rows = owner(rows);
    Door { py, threads, progress: None }.pass(move |_| {
        Python::attach(|py| {
            let rows = rows.bind(py).readonly();
            let (dims, values) = (rows.shape()[1], slice(&rows)?);
            py.detach(|| compare(&LentVectors::borrowing(dims, values, metric)?, &centers))
        })
    })
}

/// The distances of all items from a center, as dissimilarities.
fn column(asker: &mut dyn Asker, center: usize, len: usize, of: Dissimilarity) -> Vec<f32> {
    let mut hits = Vec::new();
    asker.ask(center, &Question::everything(), &mut hits);
    let mut distances = vec![f32::INFINITY; len];
    for hit in hits {
        distances[hit.item as usize] = of.of(hit.distance);
    }
    distances
}

fn check(centers: &[usize], space: &dyn Space) -> Result<(), Failure> {
    let Some(center) = centers.iter().find(|&&center| center >= space.len()) else {
        return Ok(());
    };
    let n = space.len();
    Err(Failure::Value(format!(
        "center {center} is none of the {n} items; give the items that the centers were found among"
    )))
}

fn as_arrays(py: Python<'_>, assignment: Assignment) -> Assigned<'_> {
    (labels(py, &assignment), assignment.distances.into_pyarray(py))
}

/// A flat array as a table with this number of columns.
fn as_table(
    values: Bound<'_, PyArray1<f32>>,
    columns: usize,
) -> PyResult<Bound<'_, PyArray2<f32>>> {
    let rows = values.len().checked_div(columns).unwrap_or(0);
    values.reshape([rows, columns])
}
