//! A metric that is a Python function.

use std::sync::atomic::{AtomicUsize, Ordering};

use kmedian::{Custom, Matrix, Seed, Space};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use rand::RngExt;

use crate::distance_cache::{DistanceCache, MOST_ITEMS};
use crate::door::Watch;
use crate::failure::Failure;
use crate::shutdown::attached;

/// The number of random triangles for which the triangle inequality is checked. More would find
/// rarer violations, but each takes three calls of a Python function. What the check does not find
/// matters only with more than [`MOST_ITEMS`] rows.
const TRIED_TRIANGLES: usize = 500;

/// One in this many pairs is also measured the other way round, to check that the function is
/// symmetric.
const ONE_BOTH_WAYS: usize = 8;

/// The relative rounding error that is allowed between the two sides of the triangle inequality,
/// and between a distance and the one the other way round.
const TOLERANCE: f32 = 1e-4;

/// The absolute rounding error that is allowed for the distance of a row to itself, and for the
/// triangle inequality, relative to the largest distance: about ten times the precision of a 32-bit
/// float.
const NOISE: f32 = 1e-6;

/// The largest distance that a function may return: an eighth of the largest 32-bit float, so that
/// sums of a few distances do not overflow.
const LARGEST: f64 = (f32::MAX / 8.0) as f64;

/// Rows, and the Python function that measures the distance of two of them.
///
/// Calling the function is slow, so it is called once for each pair. It is called for a row and
/// itself only to check that it returns zero; the core takes that distance to be zero.
pub(crate) struct Function {
    rows: Vec<Py<PyAny>>,
    metric: Py<PyAny>,
    cache: DistanceCache,
    /// The number of pairs that were measured.
    asked: AtomicUsize,
}

impl Function {
    pub(crate) fn new(py: Python<'_>, rows: &Py<PyList>, metric: &Py<PyAny>) -> Self {
        let rows: Vec<_> = rows.bind(py).iter().map(Bound::unbind).collect();
        let cache = DistanceCache::new(rows.len());
        Self { rows, metric: metric.clone_ref(py), cache, asked: AtomicUsize::new(0) }
    }

    /// The space of the rows. An exception of the function ends the work. So does Ctrl-C, soon,
    /// even if the function is slow: it is not called again.
    ///
    /// Where the rows are so few that distances are cached, the search does not rely on the
    /// triangle inequality: no sample of triangles shows that all of them obey it. If one is found
    /// that does not, the distances are measured at once, as trees would rely on it, and the watch
    /// is told.
    pub(crate) fn space<'a>(self, watch: &'a Watch) -> Result<Box<dyn Space + 'a>, Failure> {
        let len = self.rows.len();
        let itself = self.farthest_from_itself(watch);
        let measure = move |a: usize, b: usize| {
            // After an exception, any number will do: the result is thrown away.
            if a == b || watch.failed() {
                return 0.0;
            }
            let (a, b) = (a.min(b), a.max(b));
            self.cache.get(a, b).unwrap_or_else(|| self.ask(a, b, watch))
        };
        let space = Custom::new(len, measure)?;
        let (largest, worst) = worst_triangle(&space);
        check_itself(itself, largest)?;
        let Some(worst) = worst else {
            let space = if len <= MOST_ITEMS { space.without_triangles() } else { space };
            return Ok(Box::new(space));
        };
        if len > MOST_ITEMS {
            return Err(Failure::Value(format!(
                "{}. Give a function that obeys the triangle inequality (of a squared distance, take the root), or at most \
                 {MOST_ITEMS} items, or its matrix with metric=\"precomputed\", where it is not relied on",
                worst.broken()
            )));
        }
        watch.note(format!(
            "{}. So all distances are measured first, and the centers carry no guarantee beyond that no swap improves \
             them",
            worst.broken()
        ));
        let mut asker = space.asker();
        let pairs = (0..len).flat_map(|a| (0..len).map(move |b| (a, b)));
        let entries: Vec<f32> = pairs.map(|(a, b)| asker.distance(a, b)).collect();
        Ok(Box::new(Matrix::new(len, entries)?))
    }

    /// The row with the largest distance to itself, and that distance.
    fn farthest_from_itself(&self, watch: &Watch) -> (usize, f32) {
        let rows = (0..self.rows.len()).take_while(|_| !watch.failed());
        let distances = rows.map(|row| (row, answer(watch, |py| self.call(py, row, row))));
        let farther = |a: (usize, f32), b: (usize, f32)| if b.1.abs() > a.1.abs() { b } else { a };
        distances
            .fold((0, 0.0), |farthest, (row, own)| farther(farthest, (row, own.unwrap_or(0.0))))
    }

    /// The distance of two rows by the function, which is then cached; zero after an exception.
    fn ask(&self, a: usize, b: usize, watch: &Watch) -> f32 {
        let distance = answer(watch, |py| self.measure(py, a, b));
        distance.inspect(|&distance| self.cache.keep(a, b, distance)).unwrap_or(0.0)
    }

    /// The distance of two rows by the function. For some pairs it is measured both ways and
    /// compared.
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
        // How far a row may be from itself is checked later, relative to the largest distance.
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

/// The number that a call into Python returns. `None` if it raises, which the watch is told, or if
/// the interpreter is about to end.
fn answer(watch: &Watch, ask: impl FnOnce(Python<'_>) -> PyResult<f32>) -> Option<f32> {
    attached(ask)?.map_err(|error| watch.fail(error)).ok()
}

/// A pair of rows, or a row and itself, in words for an error.
fn pair(a: usize, b: usize) -> String {
    if a == b { format!("row {a} and itself") } else { format!("rows {a} and {b}") }
}

/// What to do about a number that is no distance: most often rounding has caused it.
fn advice(number: f64) -> &'static str {
    if number.is_nan() {
        ": look for a root of what rounding made negative, for a zero divisor and for missing values"
    } else if number < 0.0 {
        ": return max(distance, 0.0) if rounding made it negative"
    } else {
        ": rescale it, and give a large number where there is no way"
    }
}

/// Refuses a function that gives a row a distance to itself: then a fit and a prediction would
/// disagree about the distance of a center.
fn check_itself((row, own): (usize, f32), largest: f32) -> Result<(), Failure> {
    if own.abs() <= NOISE * largest {
        return Ok(());
    }
    Err(Failure::Value(format!(
        "the metric gave {own} for row {row} and itself; give a function that returns 0.0 for equal rows"
    )))
}

/// The largest distance that was seen in random triangles, and the triangle that breaks the
/// triangle inequality most, if any does: bounds that rely on it would miss better centers.
fn worst_triangle(space: &dyn Space) -> (f32, Option<Triangle>) {
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
    let broken = worst.excess() > NOISE * largest;
    (largest, broken.then_some(worst))
}

/// Three rows, to check the triangle inequality.
#[derive(Default)]
struct Triangle {
    rows: [usize; 3],
    /// The distance from the first row to the last.
    direct: f32,
    /// The sum of the distances from the first to the second and from the second to the last.
    detour: f32,
}

impl Triangle {
    /// How the triangle inequality is broken, in words.
    fn broken(&self) -> String {
        let Self { rows: [a, b, c], direct, detour } = self;
        format!(
            "the function is not a metric: rows {a} and {c} are {direct} apart, but only {detour} by way of row {b}"
        )
    }

    /// By how much the direct distance is larger than the detour, beyond the relative rounding
    /// error.
    fn excess(&self) -> f32 {
        self.direct - self.detour * (1.0 + TOLERANCE)
    }
}
