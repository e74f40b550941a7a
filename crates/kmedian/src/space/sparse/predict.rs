//! Distances of new sparse rows to rows that were clustered before.

use rayon::prelude::*;

use super::LentSparseVectors;
use super::asker::between;
use crate::space::Space;
use crate::{Assignment, Error, ErrorKind};

impl LentSparseVectors<'_> {
    /// The distances of every item to each of the centers, item by item: that of item i to center c
    /// is at i · k + c, for k centers. A distance is the same to the last bit as between two items
    /// of one space.
    ///
    /// # Errors
    /// If the centers have another metric or another number of columns.
    pub fn distances_to(&self, centers: &LentSparseVectors<'_>) -> Result<Vec<f32>, Error> {
        self.check_like(centers)?;
        Ok((0..self.len())
            .into_par_iter()
            .flat_map_iter(|item| self.to_each(item, centers))
            .collect())
    }

    /// Assigns every item to the nearest of the centers; of equally near ones to the first.
    ///
    /// # Errors
    /// If the centers have another metric or another number of columns.
    pub fn nearest_of(&self, centers: &LentSparseVectors<'_>) -> Result<Assignment, Error> {
        self.check_like(centers)?;
        let nearest = |item: usize| {
            let distances = (0..).zip(self.to_each(item, centers));
            distances.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, f32::INFINITY))
        };
        let (labels, distances) = (0..self.len()).into_par_iter().map(nearest).unzip();
        Ok(Assignment { labels, distances })
    }

    fn to_each<'a>(
        &'a self,
        item: usize,
        centers: &'a LentSparseVectors<'_>,
    ) -> impl Iterator<Item = f32> + 'a {
        let row = self.rows.row(item);
        (0..centers.len()).map(move |center| between(self.metric, row, centers.rows.row(center)))
    }

    fn check_like(&self, centers: &LentSparseVectors<'_>) -> Result<(), Error> {
        if self.metric == centers.metric && self.dims() == centers.dims() {
            return Ok(());
        }
        let message = format!(
            "the items have {} columns under {}, but the centers {} under {}; give rows like those that were clustered",
            self.dims(),
            self.metric,
            centers.dims(),
            centers.metric
        );
        Err(Error::new(ErrorKind::Parameter, message))
    }
}
