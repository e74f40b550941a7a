//! Tables of numbers and categories under Gower's dissimilarity.

use std::collections::HashMap;

use super::{Abilities, Asker, Own, Space, SparseMetric, SparseVectors, Vectors};
use crate::{Assignment, Error, ErrorKind, Metric};

/// A column of a table, with a value for each row.
#[derive(Debug, Clone, PartialEq)]
pub enum Feature {
    /// Finite numbers.
    Numbers(Vec<f64>),
    /// Categories, which are equal or not.
    Categories(Vec<String>),
}

impl Feature {
    fn len(&self) -> usize {
        match self {
            Feature::Numbers(values) => values.len(),
            Feature::Categories(values) => values.len(),
        }
    }
}

/// Gower's dissimilarity, fitted to a table: the mean over its columns of how far two rows are
/// apart there. In a column of numbers that is their difference as a share of the column's range;
/// in a column of categories it is 1, or 0 if they are equal.
///
/// It is a metric, the l1 distance of encoded rows: numbers are divided by their range, each
/// category has a column of its own, which is ½ where it is present, and all is divided by the
/// number of columns. New rows are measured with the ranges of the fitted table, so they may be
/// more than 1 away; a category that was not in the table differs from all that were.
///
/// Gower (1971), A general coefficient of similarity and some of its properties.
///
/// ```
/// use kmedian::{Feature, Gower, KMedian, Problem};
///
/// let table = [
///     Feature::Numbers(vec![20.0, 30.0, 60.0]),
///     Feature::Categories(["red", "red", "blue"].map(String::from).to_vec()),
/// ];
/// let rows = Gower::of(&table)?.rows(&table)?;
/// let found = KMedian::default().fit(&Problem::of(&rows).build()?, 1)?;
/// assert_eq!(found.centers, [1]);
/// assert!((found.cost - (0.25 / 2.0 + (0.75 + 1.0) / 2.0)).abs() < 1e-6);
/// # Ok::<(), kmedian::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Gower {
    codes: Vec<Code>,
    dims: usize,
}

/// How the values of a column are encoded.
#[derive(Debug, Clone)]
enum Code {
    /// A number less the smallest, times the reciprocal of the range, at this column of the encoded
    /// rows. The reciprocal is zero if all numbers are equal.
    Number { column: u32, smallest: f64, scale: f64 },
    /// The column of each category. The last column is for those that were not in the table.
    Category { columns: HashMap<String, u32>, unknown: u32 },
}

/// Rows of numbers and categories under [`Gower`]'s dissimilarity: a space.
pub struct GowerRows(Kind);

enum Kind {
    Dense(Vectors),
    Sparse(SparseVectors),
}

/// The most columns of encoded rows that are kept dense however many of them are zero: as many as
/// the kernels compare at once.
const DENSE: usize = 64;

/// From this many encoded columns for each column of the table on, most entries are zero, and rows
/// are kept sparse.
const MOSTLY_ZERO: usize = 10;

impl Gower {
    /// Finds the ranges and categories of a table.
    ///
    /// # Errors
    /// If there are no columns or no rows, if columns differ in length, or if a number is not
    /// finite.
    pub fn of(table: &[Feature]) -> Result<Self, Error> {
        if len(table)? == 0 {
            return Err(Error::new(ErrorKind::Empty, "there are no items to cluster"));
        }
        let mut dims = 0u32;
        let mut next = || {
            dims += 1;
            dims - 1
        };
        let code = |feature: &Feature| match feature {
            Feature::Numbers(values) => {
                let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
                let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                // Half of each, as the range itself may be too large for a number.
                let half = largest / 2.0 - smallest / 2.0;
                let scale = if half > 0.0 { 0.5 / half } else { 0.0 };
                Code::Number { column: next(), smallest, scale }
            }
            Feature::Categories(values) => {
                let mut columns = HashMap::new();
                for value in values {
                    if !columns.contains_key(value) {
                        columns.insert(value.clone(), next());
                    }
                }
                Code::Category { columns, unknown: next() }
            }
        };
        let codes = table.iter().map(code).collect();
        Ok(Self { codes, dims: dims as usize })
    }

    /// Rows under the dissimilarity: those of the fitted table, or new ones.
    ///
    /// # Errors
    /// If the columns are not as many as those of the fitted table, or of other kinds, and as
    /// [`Gower::of`].
    pub fn rows(&self, table: &[Feature]) -> Result<GowerRows, Error> {
        let rows = len(table)?;
        if table.len() != self.codes.len() {
            let message = format!(
                "there are {} columns, but the fitted table had {}; give the same",
                table.len(),
                self.codes.len()
            );
            return Err(Error::new(ErrorKind::Shape, message));
        }
        let mut starts = vec![0];
        let (mut columns, mut values) = (Vec::new(), Vec::new());
        for row in 0..rows {
            for (at, (code, feature)) in self.codes.iter().zip(table).enumerate() {
                let (column, value) = code.entry(feature, row).ok_or_else(|| mixed_up(at))?;
                columns.push(column);
                values.push((value / self.codes.len() as f64) as f32);
            }
            starts.push(columns.len());
        }
        let kind = if self.dims <= DENSE.max(MOSTLY_ZERO * self.codes.len()) {
            let mut dense = vec![0.0; rows * self.dims];
            for (row, bounds) in starts.windows(2).enumerate() {
                for entry in bounds[0]..bounds[1] {
                    dense[row * self.dims + columns[entry] as usize] = values[entry];
                }
            }
            Kind::Dense(Vectors::new(self.dims, &dense, Metric::L1)?)
        } else {
            let metric = SparseMetric::L1;
            Kind::Sparse(SparseVectors::new(self.dims, &starts, &columns, &values, metric)?)
        };
        Ok(GowerRows(kind))
    }
}

impl Code {
    /// The column and the value of a row's entry; `None` if the feature is of another kind.
    fn entry(&self, feature: &Feature, row: usize) -> Option<(u32, f64)> {
        match (self, feature) {
            (Code::Number { column, smallest, scale }, Feature::Numbers(values)) => {
                // Scaled first, as the difference may be too large for a number.
                Some((*column, values[row] * scale - smallest * scale))
            }
            (Code::Category { columns, unknown }, Feature::Categories(values)) => {
                Some((*columns.get(&values[row]).unwrap_or(unknown), 0.5))
            }
            _ => None,
        }
    }
}

fn mixed_up(at: usize) -> Error {
    let message = format!(
        "column {at} is not of the kind that it had in the fitted table; give numbers for numbers and categories for \
         categories"
    );
    Error::new(ErrorKind::Value, message)
}

/// The number of rows of a table whose columns are checked.
fn len(table: &[Feature]) -> Result<usize, Error> {
    let Some(first) = table.first() else {
        return Err(Error::new(ErrorKind::Empty, "there are no columns; give at least one"));
    };
    for (at, feature) in table.iter().enumerate() {
        if feature.len() != first.len() {
            let (found, wanted) = (feature.len(), first.len());
            let message = format!("column {at} has {found} rows, but column 0 has {wanted}");
            return Err(Error::new(ErrorKind::Shape, message));
        }
        if let Feature::Numbers(values) = feature
            && let Some(row) = values.iter().position(|value| !value.is_finite())
        {
            let message = format!(
                "row {row}, column {at}: {} is not a finite number; drop or fill such rows",
                values[row]
            );
            return Err(Error::new(ErrorKind::Value, message));
        }
    }
    Ok(first.len())
}

impl GowerRows {
    /// The distances of every row to each of the centers, row by row.
    ///
    /// # Errors
    /// If the centers were made by another [`Gower`].
    pub fn distances_to(&self, centers: &GowerRows) -> Result<Vec<f32>, Error> {
        match (&self.0, &centers.0) {
            (Kind::Dense(rows), Kind::Dense(centers)) => rows.distances_to(centers),
            (Kind::Sparse(rows), Kind::Sparse(centers)) => rows.distances_to(centers),
            _ => Err(of_another()),
        }
    }

    /// Assigns every row to the nearest of the centers; of equally near ones to the first.
    ///
    /// # Errors
    /// If the centers were made by another [`Gower`].
    pub fn nearest_of(&self, centers: &GowerRows) -> Result<Assignment, Error> {
        match (&self.0, &centers.0) {
            (Kind::Dense(rows), Kind::Dense(centers)) => rows.nearest_of(centers),
            (Kind::Sparse(rows), Kind::Sparse(centers)) => rows.nearest_of(centers),
            _ => Err(of_another()),
        }
    }

    /// The space of the encoded rows, under l1.
    fn encoded(&self) -> &dyn Space {
        match &self.0 {
            Kind::Dense(rows) => rows,
            Kind::Sparse(rows) => rows,
        }
    }
}

fn of_another() -> Error {
    let message = "rows and centers were encoded in different ways; encode both by one `Gower`";
    Error::new(ErrorKind::Parameter, message)
}

impl Space for GowerRows {
    fn len(&self) -> usize {
        self.encoded().len()
    }

    fn asker(&self) -> Box<dyn Asker + '_> {
        self.encoded().asker()
    }

    fn diameter_bound(&self) -> f32 {
        self.encoded().diameter_bound()
    }

    fn smallest_distance(&self) -> Option<f32> {
        self.encoded().smallest_distance()
    }

    fn relative_error(&self) -> f32 {
        self.encoded().relative_error()
    }

    fn abilities(&self) -> Abilities {
        self.encoded().abilities()
    }

    fn content(&self, sink: &mut dyn FnMut(&[u8])) -> bool {
        sink(b"gower");
        self.encoded().content(sink)
    }

    fn own(&self) -> Own<'_> {
        self.encoded().own()
    }
}
