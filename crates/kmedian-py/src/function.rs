//! A metric that is a Python function.

use std::sync::atomic::{AtomicUsize, Ordering};

use kmedian::{Custom, Seed, Space};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use rand::RngExt;

use crate::door::Watch;
use crate::failure::Failure;
use crate::leaving::attached;
use crate::told::Told;

/// How many triangles are tried when a function is taken for a metric.
const TRIED_TRIANGLES: usize = 500;

/// Of so many pairs one is asked about the other way round as well.
const ONE_BOTH_WAYS: usize = 8;

/// How much the sides of a triangle, or both ways, may differ by rounding, relative to them.
const TOLERANCE: f32 = 1e-4;

/// The core's numbers have to hold sums of some distances.
const LARGEST: f64 = (f32::MAX / 8.0) as f64;

/// Rows, and the function that measures two of them.
///
/// Calling it is slow, so it is asked about two rows once, and never about a row and itself.
pub(crate) struct Function {
    rows: Vec<Py<PyAny>>,
    metric: Py<PyAny>,
    told: Told,
    asked: AtomicUsize,
}

impl Function {
    pub(crate) fn new(py: Python<'_>, rows: &Py<PyList>, metric: &Py<PyAny>) -> Self {
        let rows: Vec<_> = rows.bind(py).iter().map(Bound::unbind).collect();
        let told = Told::new(rows.len());
        Self { rows, metric: metric.clone_ref(py), told, asked: AtomicUsize::new(0) }
    }

    /// The space of the rows. An exception of the function ends the work; so does Ctrl-C, at once, because a
    /// function that is slow is asked no more.
    pub(crate) fn space<'a>(self, watch: &'a Watch) -> Result<impl Space + 'a, Failure> {
        let len = self.rows.len();
        let measure = move |a: usize, b: usize| {
            // What is found after an exception is thrown away.
            if a == b || watch.failed() {
                return 0.0;
            }
            let (a, b) = (a.min(b), a.max(b));
            self.told.get(a, b).unwrap_or_else(|| self.ask(a, b, watch))
        };
        let space = Custom::new(len, measure)?;
        check_triangles(&space)?;
        Ok(space)
    }

    /// The distance of two rows by the function; an exception goes to the watch.
    fn ask(&self, a: usize, b: usize, watch: &Watch) -> f32 {
        match attached(|py| self.measure(py, a, b)) {
            Some(Ok(distance)) => {
                self.told.keep(a, b, distance);
                distance
            }
            Some(Err(error)) => {
                watch.fail(error);
                0.0
            }
            // The program is about to end.
            None => 0.0,
        }
    }

    /// The distance of two rows, now and then measured both ways.
    fn measure(&self, py: Python<'_>, a: usize, b: usize) -> PyResult<f32> {
        let there = self.call(py, a, b)?;
        if self.asked.fetch_add(1, Ordering::Relaxed).is_multiple_of(ONE_BOTH_WAYS) {
            let back = self.call(py, b, a)?;
            if (there - back).abs() > TOLERANCE * there.max(back) {
                return Err(PyValueError::new_err(format!(
                    "the metric gave {there} for rows {a} and {b}, but {back} the other way round; a metric is \
                     symmetric: give a function that does not care which row comes first"
                )));
            }
        }
        Ok(there)
    }

    fn call(&self, py: Python<'_>, a: usize, b: usize) -> PyResult<f32> {
        let distance = self.metric.call1(py, (&self.rows[a], &self.rows[b]))?;
        let number = distance.extract::<f64>(py).map_err(|_| {
            let kind = distance.bind(py).get_type();
            PyTypeError::new_err(format!(
                "the metric returned {kind} for rows {a} and {b}, which is no number; a metric takes two rows and \
                 returns their distance"
            ))
        })?;
        if (0.0..=LARGEST).contains(&number) {
            return Ok(number as f32);
        }
        Err(PyValueError::new_err(format!(
            "the metric gave {number} for rows {a} and {b}; a distance must be a number from 0 to {LARGEST:.1e}"
        )))
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
