//! Items that are vectors of 32-bit floats.

#[cfg(feature = "ndarray")]
mod array;
mod axes;
mod bounds;
mod coordinates;
pub(super) mod kernels;
mod merged;
mod metric;
mod packed_centers;
mod panels;
mod predict;
mod projection;
mod snap;
mod table;
mod whole_panels;

pub(crate) use bounds::{LowerBounds, Range, Row};
pub use kernels::{vector_unit, vector_units};
pub(crate) use merged::Merged;
pub use metric::Metric;
pub(crate) use packed_centers::PackedCenters;
pub use snap::SnapIndex;

use std::borrow::Cow;
use std::sync::OnceLock;

use rayon::prelude::*;

use super::{Among, Asker, Caps, Groups, Hit, Matrix, Own, Question, Space, diameter, smallest};
use crate::{Error, ErrorKind, Halt, tactics};
use coordinates::check_values;
use kernels::{Items, Rows};
use projection::Projection;

/// The items in each part of a question that is spread over the threads: an eighth of the smallest
/// question that is.
const PART: usize = 1 << 12;

/// The 32-bit numbers in a cache line of 64 bytes.
const LINE: usize = 16;

/// Items that are vectors of 32-bit floats under a [`Metric`], with memory of their own.
pub type Vectors = LentVectors<'static>;

/// Items that are vectors of 32-bit floats under a [`Metric`], in memory that may be borrowed.
///
/// Rows are stored one after the other, padded with zeros so that vector units run full. Angles and
/// great circles are kept as points of the unit sphere. Rows that need neither can be lent:
/// [`LentVectors::borrowing`].
///
/// ```
/// use kmedian::{Metric, Space, Vectors};
///
/// let square = Vectors::new(2, &[0.0, 0.0, 3.0, 0.0, 3.0, 4.0, 0.0, 4.0], Metric::L2)?;
/// assert_eq!(square.len(), 4);
/// assert_eq!(square.asker().distance(0, 2), 5.0);
/// # Ok::<(), kmedian::Error>(())
/// ```
pub struct LentVectors<'a> {
    /// The rows one after the other, from `start` on.
    values: Cow<'a, [f32]>,
    /// The position of the first row in `values`, so that rows that fill cache lines begin where
    /// one does.
    start: usize,
    len: usize,
    dims: usize,
    stride: usize,
    metric: Metric,
    /// The largest distance from the first item; infinite until that is checked.
    radius: f32,
    diameter: OnceLock<f32>,
    table: OnceLock<Option<Matrix>>,
    merged: OnceLock<Option<Box<Merged>>>,
}

impl Vectors {
    /// Copies vectors from `values`, row by row, `dims` coordinates to a row.
    ///
    /// # Errors
    /// If there are no values or no coordinates, if they do not fill the rows, if one is NaN or
    /// infinite, if they are too large for distances to be 32-bit numbers, if haversine is given
    /// anything but two columns, latitudes in -90..=90 and longitudes in -360..=360 degrees, or
    /// angular a zero vector.
    pub fn new(dims: usize, values: &[f32], metric: Metric) -> Result<Self, Error> {
        check_values(dims, values)?;
        let (dims, values) = metric.stored(dims, values)?;
        Self::padded(dims, &values, metric).checked()
    }

    fn padded(dims: usize, values: &[f32], metric: Metric) -> Self {
        let stride = kernels::padded(dims);
        let len = values.len() / dims;
        let mut rows = vec![0.0; len * stride + LINE];
        let start = rows.as_ptr().align_offset(LINE * size_of::<f32>()).min(LINE);
        let places = rows[start..].chunks_exact_mut(stride);
        for (place, row) in places.zip(values.chunks_exact(dims)) {
            place[..dims].copy_from_slice(row);
        }
        Self::of_rows(rows.into(), start, len, dims, metric)
    }
}

impl<'a> LentVectors<'a> {
    /// [`Vectors::new`] without a copy, where the values can be used as they are: where rows need
    /// no padding (4 or 8 coordinates, or a multiple of 16), and the metric no other coordinates.
    ///
    /// # Errors
    /// Like [`Vectors::new`].
    pub fn borrowing(dims: usize, values: &'a [f32], metric: Metric) -> Result<Self, Error> {
        if !metric.stores_as_given() || dims != kernels::padded(dims) {
            return Vectors::new(dims, values, metric);
        }
        check_values(dims, values)?;
        Self::of_rows(values.into(), 0, values.len() / dims, dims, metric).checked()
    }

    fn of_rows(
        values: Cow<'a, [f32]>,
        start: usize,
        len: usize,
        dims: usize,
        metric: Metric,
    ) -> Self {
        Self {
            values,
            start,
            len,
            dims,
            stride: kernels::padded(dims),
            metric,
            radius: f32::INFINITY,
            diameter: OnceLock::new(),
            table: OnceLock::new(),
            merged: OnceLock::new(),
        }
    }

    /// Keeps searches from making a table of all distances, however few vectors there are.
    #[must_use]
    pub fn without_table(self) -> Self {
        Self { table: OnceLock::from(None), ..self }
    }

    /// Keeps searches from taking equal vectors for one item, however many there are.
    #[must_use]
    pub fn without_merging(self) -> Self {
        Self { merged: OnceLock::from(None), ..self }
    }

    /// The vectors, if their distances do not overflow 32-bit numbers.
    fn checked(self) -> Result<Self, Error> {
        let radius = diameter::check(&self, self.metric.largest_distance())?;
        Ok(Self { radius, ..self })
    }

    /// Checks that the vectors are not so close together that rounding makes their distances zero.
    /// A [`Problem`](crate::Problem) of vectors checks it, too.
    ///
    /// # Errors
    /// If vectors differ, but all of their distances are too small for 32-bit numbers.
    pub fn check_scale(&self) -> Result<(), Error> {
        if self.radius >= self.metric.smallest_distance() || !self.differ() {
            return Ok(());
        }
        let message = "its distances are too small for 32-bit numbers; rescale it, for example to smaller units";
        Err(Error::new(ErrorKind::Value, message))
    }

    /// Whether any item differs from the first in a coordinate.
    fn differ(&self) -> bool {
        self.rows().values.chunks_exact(self.stride).any(|row| row != self.row(0))
    }

    /// The metric of these vectors.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The number of coordinates of an item, as they are stored (three for haversine).
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// The coordinates of an item as they are stored: as given; scaled to length one under angular;
    /// a point of the unit sphere, (x, y, z), under haversine.
    pub fn coordinates(&self, item: usize) -> &[f32] {
        &self.row(item)[..self.dims]
    }

    /// Some of the vectors, in the order of a list.
    pub(crate) fn excerpt(&self, items: &[u32]) -> Vectors {
        let rows = items.iter().flat_map(|&item| self.coordinates(item as usize));
        let rows: Vec<f32> = rows.copied().collect();
        let vectors = Vectors::padded(self.dims, &rows, self.metric);
        Vectors { radius: self.radius, ..vectors }
    }

    /// The vectors without repetitions, if many are equal: found once, and kept.
    pub(crate) fn merged(&self, halt: &Halt) -> Option<&Merged> {
        kept(&self.merged, || Merged::new(self, halt).map(Box::new), halt).map(AsRef::as_ref)
    }

    /// Whether distances follow from inner products.
    pub(crate) fn has_products(&self) -> bool {
        self.metric.has_products()
    }

    /// How many coordinates a distance takes as long as: those it has, and more where its last step
    /// is slow.
    pub(crate) fn priced_dims(&self) -> usize {
        self.dims + self.metric.coordinates_of_last_step()
    }

    /// The table of all distances, if there are few vectors: measured once and kept, as a search
    /// looks at each distance several times.
    pub(crate) fn table(&self, halt: &Halt) -> Option<&Matrix> {
        kept(&self.table, || table::measured(self, halt), halt)
    }

    /// A table of all distances for many passes over all pairs, where that takes `memory` bytes at
    /// most and saves time; it is measured anew.
    pub(crate) fn table_for_passes(&self, memory: usize, halt: &Halt) -> Option<Matrix> {
        let pays = tactics::tabulates_for_passes(self.len, self.dims, memory);
        pays.then(|| table::measure(self, halt)).flatten()
    }

    /// A space of few coordinates whose distances approximate those of these vectors at a fraction
    /// of the price; `None` if a few axes see too little of the variance, or unless the metric is
    /// l2.
    pub(crate) fn projection(&self, halt: &Halt) -> Option<Projection> {
        (self.metric == Metric::L2).then(|| Projection::new(self, halt)).flatten()
    }

    fn rows(&self) -> Rows<'_> {
        let values = &self.values[self.start..][..self.len * self.stride];
        Rows { values, stride: self.stride }
    }

    #[inline]
    fn row(&self, item: usize) -> &[f32] {
        self.rows().of(item)
    }

    /// Appends the answer to a question, for some items only, to the hits.
    fn sweep(&self, source: usize, question: &Question<'_>, items: Items<'_>, hits: &mut Vec<Hit>) {
        let (rows, from) = (self.rows(), self.row(source));
        kernels::sweep(self.metric, rows, from, items, question.caps, hits);
    }

    /// Appends the answer to a question to the hits, for parts of the items that the threads share.
    fn sweep_parts<'i>(
        &self,
        source: usize,
        question: &Question<'_>,
        parts: impl IndexedParallelIterator<Item = Items<'i>>,
        hits: &mut Vec<Hit>,
    ) {
        let answer = |items| {
            let mut hits = Vec::new();
            self.sweep(source, question, items, &mut hits);
            hits
        };
        let answers: Vec<Vec<Hit>> = parts.map(answer).collect();
        hits.extend(answers.iter().flatten());
    }

    /// The distance between opposite corners of the smallest box round all items, in the stored
    /// coordinates.
    fn box_diameter(&self) -> f32 {
        let mut low = self.row(0).to_vec();
        let mut high = low.clone();
        for row in self.rows().values.chunks_exact(self.stride) {
            for (coordinate, &value) in row.iter().enumerate() {
                low[coordinate] = low[coordinate].min(value);
                high[coordinate] = high[coordinate].max(value);
            }
        }
        kernels::distance(self.metric, &low, &high)
    }

    /// The items without repetitions: of those with equal coordinates only one.
    fn distinct_items(&self) -> Vec<u32> {
        let bits = |item: u32| merged::bits(self.row(item as usize));
        let mut items: Vec<u32> = (0..self.len as u32).collect();
        items.par_sort_unstable_by(|&a, &b| bits(a).cmp(bits(b)));
        items.dedup_by(|a, b| bits(*a).eq(bits(*b)));
        items
    }
}

/// What a cell holds; if that is not decided yet, `make` decides it. If the work is to end
/// meanwhile, the result is `None` and nothing is kept, as what was made may be incomplete.
fn kept<'c, T>(
    cell: &'c OnceLock<Option<T>>,
    make: impl FnOnce() -> Option<T>,
    halt: &Halt,
) -> Option<&'c T> {
    if cell.get().is_none() {
        let made = make();
        halt.check().ok()?;
        cell.get_or_init(|| made);
    }
    cell.get()?.as_ref()
}

impl Space for LentVectors<'_> {
    fn len(&self) -> usize {
        self.len
    }

    fn asker(&self) -> Box<dyn Asker + '_> {
        Box::new(self)
    }

    fn diameter_bound(&self) -> f32 {
        *self.diameter.get_or_init(|| {
            let of_box = self.box_diameter() * (1.0 + self.relative_error());
            diameter::diameter_bound(self).min(of_box)
        })
    }

    fn smallest_distance(&self) -> Option<f32> {
        smallest::smallest_distance(self, &self.distinct_items())
    }

    fn relative_error(&self) -> f32 {
        self.metric.relative_error(self.stride)
    }

    fn own(&self) -> Own<'_> {
        Own::vectors(self)
    }

    fn content(&self, sink: &mut dyn FnMut(&[u8])) -> bool {
        sink(self.metric.name().as_bytes());
        sink(&(self.dims as u64).to_le_bytes());
        for item in 0..self.len {
            self.coordinates(item).iter().for_each(|value| sink(&value.to_bits().to_le_bytes()));
        }
        true
    }
}

impl Asker for &LentVectors<'_> {
    fn ask(&mut self, source: usize, question: &Question<'_>, hits: &mut Vec<Hit>) {
        hits.clear();
        let len = self.len as u32;
        match question.among {
            Among::All if tactics::spreads(self.len) => {
                let parts = (0..len.div_ceil(PART as u32)).into_par_iter().map(|part| {
                    let start = part * PART as u32;
                    Items::Range(start, len.min(start + PART as u32))
                });
                self.sweep_parts(source, question, parts, hits);
            }
            Among::Listed(items) if tactics::spreads(items.len()) => {
                let parts = items.par_chunks(PART).map(Items::Listed);
                self.sweep_parts(source, question, parts, hits);
            }
            Among::All => self.sweep(source, question, Items::Range(0, len), hits),
            Among::Listed(items) => self.sweep(source, question, Items::Listed(items), hits),
            Among::Grouped(groups) => self.sweep(source, question, Items::Grouped(groups), hits),
        }
    }

    fn distance(&mut self, a: usize, b: usize) -> f32 {
        kernels::distance(self.metric, self.row(a), self.row(b))
    }
}
