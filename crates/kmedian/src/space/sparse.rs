//! Rows of many columns, most of which are zero: term weights of texts, tags, purchases.

mod asker;
mod predict;
mod rows;

use std::f32::consts::SQRT_2;
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use super::{Abilities, Asker, Space, diameter, smallest};
use crate::{Error, ErrorKind};
use asker::SparseAsker;
use rows::{Postings, Rows};

/// How far apart two sparse rows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum SparseMetric {
    /// The sum of the differences of all columns.
    L1,
    /// The Euclidean distance.
    L2,
    /// The angle between two rows, in half turns, as of
    /// [`Metric::Angular`](crate::Metric::Angular); a row of zeros has none.
    Angular,
    /// The root of 1 − cos of the angle between two rows, as of
    /// [`Metric::RootCosine`](crate::Metric::RootCosine): its squares are the cosine dissimilarity;
    /// a row of zeros has none.
    RootCosine,
    /// The Jaccard distance of sets: which share of the columns that are not zero in one of two
    /// rows is zero in the other. Two rows of zeros are no distance apart. What the numbers are
    /// does not matter.
    Jaccard,
}

impl SparseMetric {
    /// All metrics of sparse rows.
    pub const ALL: [SparseMetric; 5] = [
        SparseMetric::L1,
        SparseMetric::L2,
        SparseMetric::Angular,
        SparseMetric::RootCosine,
        SparseMetric::Jaccard,
    ];

    /// The word for the metric, in the command and in Python.
    pub fn name(self) -> &'static str {
        match self {
            SparseMetric::L1 => "l1",
            SparseMetric::L2 => "l2",
            SparseMetric::Angular => "angular",
            SparseMetric::RootCosine => "root-cosine",
            SparseMetric::Jaccard => "jaccard",
        }
    }
}

impl fmt::Display for SparseMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SparseMetric {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|metric| metric.name() == word).ok_or_else(|| {
            let words = Self::ALL.map(SparseMetric::name).join(", ");
            let message = format!("`{word}` is no metric of sparse rows; give one of {words}");
            Error::new(ErrorKind::Parameter, message)
        })
    }
}

/// Sparse rows under a [`SparseMetric`], with memory of their own.
pub type SparseVectors = LentSparseVectors<'static>;

/// A space of sparse rows: of each row only the columns that are not zero are kept, twice, by row
/// and by column. By row they may be borrowed: [`LentSparseVectors::borrowing`].
///
/// A question is answered from the rows that share a column with the source, which few do where
/// rows are sparse, so it costs as many steps as the columns of the source have entries, and one
/// for each item. Where a question is about few items, these are compared with the source instead,
/// which is spread out by column; all other rows stay sparse. Take
/// [`Vectors`](crate::Vectors) where more than about a tenth of all entries is not zero.
///
/// ```
/// use kmedian::{KMedian, Problem, SparseMetric, SparseVectors};
///
/// // Tags of four posts: {rust, simd}, {rust, simd, csv}, {bread, salt}, {bread}.
/// let (starts, columns) = ([0, 2, 5, 7, 8], [0, 1, 0, 1, 2, 3, 4, 3]);
/// let posts = SparseVectors::new(5, &starts, &columns, &[1.0; 8], SparseMetric::Jaccard)?;
/// let found = KMedian::default().fit(&Problem::of(&posts).build()?, 2)?;
/// assert_eq!(found.assignment.labels[0], found.assignment.labels[1]);
/// assert_eq!(found.assignment.labels[2], found.assignment.labels[3]);
/// # Ok::<(), kmedian::Error>(())
/// ```
#[derive(Debug)]
pub struct LentSparseVectors<'a> {
    metric: SparseMetric,
    rows: Rows<'a>,
    postings: Postings,
    diameter: OnceLock<f32>,
}

impl SparseVectors {
    /// Rows in compressed form (CSR): the entries of row i are those from `starts[i]` up to
    /// `starts[i + 1]` in `columns`, where their columns are, and in `values`. The columns of a row
    /// may come in any order, but none twice. Entries that are zero are left out.
    ///
    /// # Errors
    /// If there are no rows, if the three lists do not fit together, if a column is not below
    /// `dims` or comes twice in a row, if a value is NaN or infinite, if a row of zeros is to have
    /// an angle, or if distances are too large for 32 bits.
    pub fn new(
        dims: usize,
        starts: &[usize],
        columns: &[u32],
        values: &[f32],
        metric: SparseMetric,
    ) -> Result<Self, Error> {
        let rows = Rows::borrowing(dims, starts, columns, values, metric)?;
        Self::of_rows(rows.into_owned(), metric)
    }

    /// The rows of a dense table, in which most entries should be zero.
    ///
    /// # Errors
    /// If the values do not fill rows of `dims`, and as [`SparseVectors::new`].
    pub fn of_dense(dims: usize, values: &[f32], metric: SparseMetric) -> Result<Self, Error> {
        if dims == 0 || !values.len().is_multiple_of(dims) {
            let message = format!("{} values do not fill rows of {dims}", values.len());
            return Err(Error::new(ErrorKind::Shape, message));
        }
        let (mut starts, mut columns, mut entries) = (vec![0], Vec::new(), Vec::new());
        for row in values.chunks_exact(dims) {
            for (column, &value) in (0..).zip(row).filter(|(_, value)| **value != 0.0) {
                columns.push(column);
                entries.push(value);
            }
            starts.push(columns.len());
        }
        Self::new(dims, &starts, &columns, &entries, metric)
    }
}

impl<'a> LentSparseVectors<'a> {
    /// [`SparseVectors::new`] without a copy by row, where rows can be used as they are: where
    /// their columns are ascending, and none of their values is zero.
    ///
    /// # Errors
    /// Like [`SparseVectors::new`].
    pub fn borrowing(
        dims: usize,
        starts: &'a [usize],
        columns: &'a [u32],
        values: &'a [f32],
        metric: SparseMetric,
    ) -> Result<Self, Error> {
        Self::of_rows(Rows::borrowing(dims, starts, columns, values, metric)?, metric)
    }

    fn of_rows(rows: Rows<'a>, metric: SparseMetric) -> Result<Self, Error> {
        if rows.len() == 0 {
            return Err(Error::new(ErrorKind::Empty, "there are no items to cluster"));
        }
        if 2.0 * rows.largest_size(metric) > f64::from(diameter::LARGEST_DISTANCE) {
            return Err(diameter::too_large());
        }
        let postings = Postings::of(&rows);
        Ok(Self { metric, rows, postings, diameter: OnceLock::new() })
    }

    /// A space of the given rows alone, by their numbers from 0, in this order.
    ///
    /// # Panics
    /// If there is no row of such a number.
    pub fn select(&self, items: &[usize]) -> SparseVectors {
        let rows = self.rows.select(items);
        let postings = Postings::of(&rows);
        LentSparseVectors { metric: self.metric, rows, postings, diameter: OnceLock::new() }
    }

    /// How far apart rows are taken to be.
    pub fn metric(&self) -> SparseMetric {
        self.metric
    }

    /// The number of columns.
    pub fn dims(&self) -> usize {
        self.rows.dims()
    }

    /// The number of entries that are not zero.
    pub fn entries(&self) -> usize {
        self.rows.entries()
    }
}

impl Space for LentSparseVectors<'_> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn asker(&self) -> Box<dyn Asker + '_> {
        Box::new(SparseAsker::new(self))
    }

    fn abilities(&self) -> Abilities {
        // What triangles save is dearer here than what they cost: the distances of a row to a few
        // others take as long as those to all, and rows that share no column are equally far apart.
        Abilities { obeys_triangles: false, ..Abilities::default() }
    }

    fn diameter_bound(&self) -> f32 {
        let bound = || {
            let largest = match self.metric {
                SparseMetric::Jaccard | SparseMetric::Angular => 1.0,
                SparseMetric::RootCosine => SQRT_2.next_up(),
                _ => f32::INFINITY,
            };
            diameter::diameter_bound(self).min(largest)
        };
        *self.diameter.get_or_init(bound)
    }

    fn smallest_distance(&self) -> Option<f32> {
        let items: Vec<u32> = (0..self.len() as u32).collect();
        smallest::smallest_distance(self, &items)
    }

    fn relative_error(&self) -> f32 {
        // Sums are in 64 bits, and those that cancel are computed another way; what is left is
        // rounding to 32 bits.
        1e-6
    }

    fn content(&self, sink: &mut dyn FnMut(&[u8])) -> bool {
        sink(b"sparse");
        sink(self.metric.name().as_bytes());
        self.rows.content(sink);
        true
    }
}
