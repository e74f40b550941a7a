//! All distances between a few vectors, each measured once.

use std::ops::Range;

use rayon::prelude::*;

use super::kernels::{Columns, LANES};
use super::{LentVectors, Matrix, Space};
use crate::{Halt, tactics};

/// The rows of the table that are measured together: each panel of other items is read from memory
/// once for all of them.
const SIDE: usize = 64;

/// The table of all distances between vectors; `None` if there are too many, or if the work is
/// ended meanwhile.
pub(super) fn measured(vectors: &LentVectors<'_>, halt: &Halt) -> Option<Matrix> {
    let keeps = tactics::keeps_table(vectors.len(), vectors.priced_dims(), vectors.has_products());
    keeps.then(|| measure(vectors, halt)).flatten()
}

/// The table of all distances between vectors, however many; `None` if the work is ended meanwhile.
pub(super) fn measure(vectors: &LentVectors<'_>, halt: &Halt) -> Option<Matrix> {
    let n = vectors.len();
    let columns = Columns::new(vectors.dims(), n, |item| vectors.coordinates(item));
    let mut values = vec![0.0; n * n];
    let bands = values.par_chunks_mut(SIDE * n).enumerate();
    bands.for_each(|(band, rows)| measure_behind(vectors, &columns, band * SIDE, rows, halt));
    mirror(n, &mut values);
    halt.check().ok()?;
    Some(Matrix::trusted(n, values))
}

/// Fills the rows of consecutive items, from the column of the first of them on; stops once the
/// work is to end.
fn measure_behind(
    vectors: &LentVectors<'_>,
    columns: &Columns,
    first: usize,
    rows: &mut [f32],
    halt: &Halt,
) {
    if halt.is_stopped() {
        return;
    }
    let n = vectors.len();
    let items = (first..n).take(SIDE).map(|item| vectors.coordinates(item));
    let panels = first / LANES..n.div_ceil(LANES);
    columns.measure(vectors.metric(), items, panels, |row, panel, distances| {
        let start = panel * LANES;
        let row = &mut rows[row * n..(row + 1) * n][start..];
        for (place, distance) in row.iter_mut().zip(distances) {
            *place = *distance;
        }
    });
}

/// Fills what is left of each row, up to the first item of its band, from the columns of the rows
/// above.
fn mirror(n: usize, values: &mut [f32]) {
    for first in (SIDE..n).step_by(SIDE) {
        let (above, here) = values.split_at_mut(first * n);
        for others in blocks(0..first, SIDE) {
            for (item, row) in (first..).zip(here.chunks_mut(n).take(SIDE)) {
                others.clone().for_each(|other| row[other] = above[other * n + item]);
            }
        }
    }
}

/// A range in parts of `size`.
fn blocks(items: Range<usize>, size: usize) -> impl Iterator<Item = Range<usize>> {
    let end = items.end;
    items.step_by(size).map(move |start| start..end.min(start + size))
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::{Metric, Seed, Vectors};

    fn random(n: usize, dims: usize, metric: Metric) -> Vectors {
        let mut rng = Seed(1).stream("table");
        let values: Vec<f32> = (0..n * dims).map(|_| rng.random_range(0.1..1.0)).collect();
        Vectors::new(dims, &values, metric).unwrap()
    }

    fn has_the_distances_of(vectors: &LentVectors<'_>) {
        let (n, dims, metric) = (vectors.len(), vectors.dims(), vectors.metric());
        let table = measure(vectors, &Halt::default()).unwrap();
        let (mut ours, mut theirs) = (table.asker(), vectors.asker());
        for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))) {
            let (ours, theirs) = (ours.distance(a, b), theirs.distance(a, b));
            assert_eq!(ours, theirs, "{metric} of {a} and {b} in {dims} dimensions");
        }
    }

    #[test]
    fn the_table_has_the_distances() {
        for (n, dims) in [(1, 3), (64, 3), (150, 2), (300, 500)] {
            for metric in Metric::ALL.into_iter().filter(|&m| m != Metric::Haversine || dims == 2) {
                has_the_distances_of(&random(n, dims, metric));
            }
        }
        let lent: Vec<f32> = (0..16 * 100 + 1).map(|at| (at * at % 1009) as f32).collect();
        for start in [0, 1] {
            let vectors = LentVectors::borrowing(16, &lent[start..][..1600], Metric::L2).unwrap();
            has_the_distances_of(&vectors);
        }
    }

    #[test]
    fn there_is_none_of_many_or_if_the_work_is_to_end() {
        let halt = Halt::default();
        assert!(measured(&random(tactics::TABLE_ITEMS, 2, Metric::L1), &halt).is_some());
        assert!(measured(&random(tactics::TABLE_ITEMS + 1, 2, Metric::L1), &halt).is_none());
        halt.stop();
        assert!(measured(&random(10, 2, Metric::L1), &halt).is_none());
    }
}
