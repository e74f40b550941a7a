//! A metric that is a Python function.

use std::sync::atomic::{AtomicUsize, Ordering};

use kmedian::{Custom, Seed, Space};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use rand::RngExt;

use crate::distance_cache::DistanceCache;
use crate::door::Watch;
use crate::failure::Failure;
use crate::shutdown::attached;

/// How many triangles are tried when a function is taken for a metric.
const TRIED_TRIANGLES: usize = 500;

/// Of so many pairs one is asked about the other way round as well.
const ONE_BOTH_WAYS: usize = 8;

/// How much the sides of a triangle, or both ways, may differ by rounding, relative to them.
const TOLERANCE: f32 = 1e-4;

/// What a row may be away from itself, or a way round be shorter, by rounding, relative to the
/// largest distance: less than the core can tell.
const NOISE: f32 = 1e-6;

/// The core's numbers have to hold sums of some distances.
const LARGEST: f64 = (f32::MAX / 8.0) as f64;

/// Rows, and the function that measures two of them.
///
/// Calling it is slow, so it is asked about two rows once. About a row and itself it is asked only
/// to see that it gives zero, which is what distances are computed with.
pub(crate) struct Function {
    rows: Vec<Py<PyAny>>,
    metric: Py<PyAny>,
    cache: DistanceCache,
    asked: AtomicUsize,
}

impl Function {
    pub(crate) fn new(py: Python<'_>, rows: &Py<PyList>, metric: &Py<PyAny>) -> Self {
        let rows: Vec<_> = rows.bind(py).iter().map(Bound::unbind).collect();
        let cache = DistanceCache::new(rows.len());
        Self { rows, metric: metric.clone_ref(py), cache, asked: AtomicUsize::new(0) }
    }

    /// The space of the rows. An exception of the function ends the work; so does Ctrl-C, at once,
    /// because a function that is slow is asked no more.
    pub(crate) fn space<'a>(self, watch: &'a Watch) -> Result<impl Space + 'a, Failure> {
        let len = self.rows.len();
        let itself = self.farthest_from_itself(watch);
        let measure = move |a: usize, b: usize| {
            // What is found after an exception is thrown away.
            if a == b || watch.failed() {
                return 0.0;
            }
            let (a, b) = (a.min(b), a.max(b));
            self.cache.get(a, b).unwrap_or_else(|| self.ask(a, b, watch))
        };
        let space = Custom::new(len, measure)?;
        let largest = check_triangles(&space)?;
        check_itself(itself, largest)?;
        Ok(space)
    }

    /// The row that is farthest from itself, and how far it is.
    fn farthest_from_itself(&self, watch: &Watch) -> (usize, f32) {
        let rows = (0..self.rows.len()).take_while(|_| !watch.failed());
        let distances = rows.map(|row| (row, answer(watch, |py| self.call(py, row, row))));
        let farther = |a: (usize, f32), b: (usize, f32)| if b.1.abs() > a.1.abs() { b } else { a };
        distances
            .fold((0, 0.0), |farthest, (row, own)| farther(farthest, (row, own.unwrap_or(0.0))))
    }

    /// The distance of two rows by the function.
    fn ask(&self, a: usize, b: usize, watch: &Watch) -> f32 {
        let distance = answer(watch, |py| self.measure(py, a, b));
        distance.inspect(|&distance| self.cache.keep(a, b, distance)).unwrap_or(0.0)
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
            let pair = pair(a, b);
            PyTypeError::new_err(format!(
                "the metric returned {kind} for {pair}, which is no number; a metric takes two rows and returns their \
                 distance"
            ))
        })?;
        // How far a row may be from itself is judged once distances are known.
        let least = if a == b { -LARGEST } else { 0.0 };
        if (least..=LARGEST).contains(&number) {
            return Ok(number as f32);
        }
        let (pair, advice) = (pair(a, b), advice(number));
        Err(PyValueError::new_err(format!(
            "the metric gave {number} for {pair}; a distance must be a number from 0 to {LARGEST:.1e}{advice}"
        )))
    }
}

/// What Python answers; an exception goes to the watch, and there is no answer if the program is
/// about to end.
fn answer(watch: &Watch, ask: impl FnOnce(Python<'_>) -> PyResult<f32>) -> Option<f32> {
    attached(ask)?.map_err(|error| watch.fail(error)).ok()
}

/// Two rows, or one, as errors name them.
fn pair(a: usize, b: usize) -> String {
    if a == b { format!("row {a} and itself") } else { format!("rows {a} and {b}") }
}

/// What to do about a number that is no distance. Rounding is behind most of them.
fn advice(number: f64) -> &'static str {
    if number.is_nan() {
        ": look for a root of what rounding made negative, for a zero divisor and for missing values"
    } else if number < 0.0 {
        ": return max(distance, 0.0) if rounding made it negative"
    } else {
        ": rescale it, and give a large number where there is no way"
    }
}

/// Refuses a function that finds a row away from itself: a fit and a prediction would differ in
/// what a center is near to.
fn check_itself((row, own): (usize, f32), largest: f32) -> Result<(), Failure> {
    if own.abs() <= NOISE * largest {
        return Ok(());
    }
    Err(Failure::Value(format!(
        "the metric gave {own} for row {row} and itself; give a function that returns 0.0 for equal rows"
    )))
}

/// Refuses a function for which the way round is shorter than the direct one. Bounds that rely on
/// triangles would pass over better centers. Returns the largest distance that was seen.
fn check_triangles(space: &dyn Space) -> Result<f32, Failure> {
    let mut rng = Seed::default().stream("triangle check");
    let mut asker = space.asker();
    let (mut largest, mut worst) = (0.0f32, Triangle::default());
    for _ in 0..TRIED_TRIANGLES {
        let [a, b, c] = [(); 3].map(|()| rng.random_range(0..space.len()));
        let direct = asker.distance(a, c);
        let (first, second) = (asker.distance(a, b), asker.distance(b, c));
        largest = largest.max(direct).max(first).max(second);
        let triangle = Triangle { rows: [a, b, c], direct, detour: first + second };
        worst = if triangle.excess() > worst.excess() { triangle } else { worst };
    }
    if worst.excess() <= NOISE * largest {
        return Ok(largest);
    }
    let Triangle { rows: [a, b, c], direct, detour } = worst;
    Err(Failure::Value(format!(
        "the metric is none: rows {a} and {c} are {direct} apart, but only {detour} by way of row {b}. Give a function \
         that obeys the triangle inequality (of a squared distance, take the root), or its matrix with \
         metric=\"precomputed\", where it is not relied on"
    )))
}

/// A way from the first row to the last, and one round by the row between them.
#[derive(Default)]
struct Triangle {
    rows: [usize; 3],
    direct: f32,
    detour: f32,
}

impl Triangle {
    /// By how much the direct way is the longer one, beyond what rounding does to long ways.
    fn excess(&self) -> f32 {
        self.direct - self.detour * (1.0 + TOLERANCE)
    }
}
