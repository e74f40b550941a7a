//! Lower bounds from the distances themselves: each is measured once, and kept as a level.

use super::super::LentVectors;
use super::super::kernels::{Columns, LANES};
use super::code::Code;
use super::level::Level;

/// Vectors whose distances to some items are measured and rounded down to lower bounds.
pub(super) struct FromDistances<'a> {
    vectors: &'a LentVectors<'a>,
    columns: Columns,
    items: usize,
}

impl<'a> FromDistances<'a> {
    pub(super) fn new(vectors: &'a LentVectors<'a>, items: &[u32]) -> Self {
        let row = |at: usize| vectors.coordinates(items[at] as usize);
        let columns = Columns::new(vectors.dims(), items.len(), row);
        Self { vectors, columns, items: items.len() }
    }

    /// For each source, its distances to the items from the position `start` on, which is a multiple
    /// of sixteen, rounded down.
    pub(super) fn compare<L: Level>(
        &self,
        sources: &[u32],
        start: usize,
        code: &Code<L>,
        bounds: &mut [&mut [L]],
    ) {
        let rows = sources.iter().map(|&source| self.vectors.coordinates(source as usize));
        let panels = start / LANES..self.items.div_ceil(LANES);
        self.columns.measure(self.vectors.metric(), rows, panels, |row, panel, distances| {
            let bounds = &mut bounds[row][panel * LANES - start..];
            for (bound, &distance) in bounds.iter_mut().zip(distances) {
                *bound = code.level(distance);
            }
        });
    }
}
