//! Vectors from the arrays of `ndarray`.

use ndarray::ArrayView2;

use super::{LentVectors, Metric, Vectors};
use crate::Error;

impl<'a> LentVectors<'a> {
    /// The rows of an array as vectors. They are borrowed where that is possible, as
    /// [`LentVectors::borrowing`] says, and the array is in row-major order; else they are copied.
    ///
    /// ```
    /// use kmedian::{LentVectors, Metric, Space};
    /// use ndarray::array;
    ///
    /// let square = array![[0.0, 0.0], [3.0, 0.0], [3.0, 4.0], [0.0, 4.0]];
    /// let square = LentVectors::of_array(square.view(), Metric::L2)?;
    /// assert_eq!(square.asker().distance(0, 2), 5.0);
    /// # Ok::<(), kmedian::Error>(())
    /// ```
    ///
    /// # Errors
    /// Like [`Vectors::new`].
    pub fn of_array(rows: ArrayView2<'a, f32>, metric: Metric) -> Result<Self, Error> {
        let dims = rows.ncols();
        match rows.to_slice() {
            Some(values) => Self::borrowing(dims, values, metric),
            None => {
                let values: Vec<f32> = rows.iter().copied().collect();
                Vectors::new(dims, &values, metric)
            }
        }
    }
}
