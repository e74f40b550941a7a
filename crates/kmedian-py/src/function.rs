//! A metric that is a Python function.

use kmedian::{Custom, Seed, Space};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use rand::RngExt;

use crate::door::Watch;
use crate::failure::Failure;

/// How many triangles are tried when a function is taken for a metric.
const TRIED_TRIANGLES: usize = 500;

/// How much the sides of a triangle may differ by rounding, relative to them.
const TOLERANCE: f32 = 1e-4;

/// Rows, and the function that measures two of them.
pub(crate) struct Function {
    rows: Vec<Py<PyAny>>,
    metric: Py<PyAny>,
}

impl Function {
    pub(crate) fn new(py: Python<'_>, rows: &Py<PyList>, metric: &Py<PyAny>) -> Self {
        let rows = rows.bind(py).iter().map(Bound::unbind).collect();
        Self { rows, metric: metric.clone_ref(py) }
    }

    /// The space of the rows. An exception of the function ends the work; so does Ctrl-C, at once, because a
    /// function that is slow is asked no more.
    pub(crate) fn space<'a>(self, watch: &'a Watch) -> Result<impl Space + 'a, Failure> {
        let len = self.rows.len();
        let measure = move |a: usize, b: usize| {
            if watch.stopped() {
                return 0.0;
            }
            Python::attach(|py| self.measure(py, a, b)).unwrap_or_else(|error| {
                watch.fail(error);
                0.0
            })
        };
        let space = Custom::new(len, measure)?;
        check_triangles(&space)?;
        Ok(space)
    }

    fn measure(&self, py: Python<'_>, a: usize, b: usize) -> PyResult<f32> {
        let distance = self.metric.call1(py, (&self.rows[a], &self.rows[b]))?;
        distance.extract::<f64>(py).map(|distance| distance as f32).map_err(|_| {
            let kind = distance.bind(py).get_type();
            PyTypeError::new_err(format!(
                "the metric returned {kind}, which is no number; a metric takes two rows and returns their distance"
            ))
        })
    }
}

/// Refuses a function for which the way round is shorter than the direct one. Bounds that rely on triangles would
/// pass over better centers.
fn check_triangles(space: &dyn Space) -> Result<(), Failure> {
    let mut rng = Seed::default().stream("triangle check");
    let mut asker = space.asker();
    for _ in 0..TRIED_TRIANGLES {
        let [a, b, c] = [(); 3].map(|()| rng.random_range(0..space.len()));
        let direct = asker.distance(a, c);
        let detour = asker.distance(a, b) + asker.distance(b, c);
        if direct > detour * (1.0 + TOLERANCE) {
            return Err(Failure::Value(format!(
                "the metric is none: rows {a} and {c} are {direct} apart, but only {detour} by way of row {b}. Give a \
                 function that obeys the triangle inequality (of a squared distance, take the root), or its matrix \
                 with metric=\"precomputed\", where it is not relied on"
            )));
        }
    }
    Ok(())
}
