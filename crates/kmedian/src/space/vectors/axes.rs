//! The axes along which vectors vary most.

use rand::seq::index;
use rayon::prelude::*;

use super::kernels::arch;
use super::{LentVectors, Space};
use crate::{Halt, Seed, tactics};

/// The vectors of the sample that principal axes are found on: 64 for each of at most sixteen axes,
/// enough to find the axes of the data, not of the sample.
const SAMPLE: usize = 1024;

/// The rounds of orthogonal iteration that find principal axes: in each, weak axes fall behind
/// strong ones, and two suffice for rough distances.
const ROUNDS: usize = 2;

/// The rows of the sample whose sums are computed together, by one thread.
const BLOCK: usize = 64;

/// Orthonormal axes through the mean of the data.
pub(super) struct Axes {
    pub(super) mean: Vec<f32>,
    pub(super) axes: Vec<Vec<f32>>,
}

impl Axes {
    /// A few principal axes of a sample, up to a few rounds of orthogonal iteration.
    /// `None` if there are too few coordinates or vectors, if the axes see too little of the
    /// variance, or if the work is to end.
    pub(super) fn principal(vectors: &LentVectors<'_>, halt: &Halt) -> Option<Self> {
        let dims = vectors.dims();
        let count = tactics::axes(vectors.len(), dims)?;
        let mut rng = Seed::default().stream("axes");
        let size = SAMPLE.min(vectors.len());
        let mut sample = index::sample(&mut rng, vectors.len(), size).into_vec();
        sample.sort_unstable();
        let mean = mean(dims, sample.iter().map(|&item| vectors.coordinates(item)));
        let rows: Vec<Vec<f32>> =
            sample.iter().map(|&item| centered(vectors.coordinates(item), &mean)).collect();

        // The first axes are items: they already lean toward where the data is.
        let mut axes: Vec<Vec<f32>> = rows.iter().take(count).cloned().collect();
        orthonormalize(&mut axes, halt);
        for _ in 0..ROUNDS {
            axes = drawn(&rows, &axes, halt);
            orthonormalize(&mut axes, halt);
        }
        let seen = seen(&rows, &axes, halt);
        halt.check().ok()?;
        (seen >= tactics::VARIANCE_SEEN * squares(&rows)).then_some(Self { mean, axes })
    }
}

/// A row less the mean, coordinate by coordinate.
pub(super) fn centered(row: &[f32], mean: &[f32]) -> Vec<f32> {
    row.iter().zip(mean).map(|(x, mean)| x - mean).collect()
}

/// The mean of some rows, coordinate by coordinate.
pub(super) fn mean<'a>(dims: usize, rows: impl ExactSizeIterator<Item = &'a [f32]>) -> Vec<f32> {
    let count = rows.len() as f64;
    let mut sums = vec![0.0; dims];
    for row in rows {
        for (sum, &x) in sums.iter_mut().zip(row) {
            *sum += f64::from(x);
        }
    }
    sums.into_iter().map(|sum| (sum / count) as f32).collect()
}

fn squares(rows: &[Vec<f32>]) -> f64 {
    rows.iter().map(|row| f64::from(square(row))).sum()
}

/// The square of a vector's length.
pub(super) fn square(row: &[f32]) -> f32 {
    dot(row, row)
}

/// Each axis drawn towards where rows vary most: the sum of all rows, each times its inner product
/// with the axis. Arbitrary once the work is to end.
fn drawn(rows: &[Vec<f32>], axes: &[Vec<f32>], halt: &Halt) -> Vec<Vec<f32>> {
    let dims = axes[0].len();
    let none = || vec![vec![0.0; dims]; axes.len()];
    let of_block = |block: &[Vec<f32>]| {
        let mut sums = none();
        if halt.is_stopped() {
            return sums;
        }
        arch().dispatch(|| {
            for row in block {
                for (sum, axis) in sums.iter_mut().zip(axes) {
                    let share = dot(row, axis);
                    sum.iter_mut().zip(row).for_each(|(x, y)| *x += share * y);
                }
            }
        });
        sums
    };
    // Added up in order, so that the number of threads does not matter.
    let blocks: Vec<Vec<Vec<f32>>> = rows.par_chunks(BLOCK).map(of_block).collect();
    blocks.into_iter().fold(none(), |mut sums, block| {
        for (sum, more) in sums.iter_mut().zip(block) {
            sum.iter_mut().zip(more).for_each(|(x, y)| *x += y);
        }
        sums
    })
}

/// The sum of the squares of what axes see of rows; arbitrary once the work is to end.
fn seen(rows: &[Vec<f32>], axes: &[Vec<f32>], halt: &Halt) -> f64 {
    let of_row = |row: &Vec<f32>| -> f64 {
        if halt.is_stopped() {
            return 0.0;
        }
        arch().dispatch(|| axes.iter().map(|axis| f64::from(dot(row, axis).powi(2))).sum())
    };
    let of_rows: Vec<f64> = rows.par_iter().map(of_row).collect();
    of_rows.iter().sum()
}

/// Makes rows orthonormal, each against those before it, twice to be sure. A row that the others
/// span is replaced by a direction of rounding errors. Stops in the middle once the work is to end.
fn orthonormalize(rows: &mut [Vec<f32>], halt: &Halt) {
    // On the machine's vector unit, whatever that is: the lanes are the same on all of them.
    arch().dispatch(|| {
        for at in 0..rows.len() {
            if halt.is_stopped() {
                return;
            }
            let (before, rest) = rows.split_at_mut(at);
            let row = &mut rest[0];
            for _ in 0..2 {
                for other in before.iter() {
                    let share = dot(row, other);
                    row.iter_mut().zip(other).for_each(|(x, y)| *x -= share * y);
                }
                let length = dot(row, row).sqrt().max(f32::MIN_POSITIVE);
                row.iter_mut().for_each(|x| *x /= length);
            }
        }
    });
}

/// The square of the distance between two vectors.
#[inline(always)]
pub(super) fn square_between(a: &[f32], b: &[f32]) -> f32 {
    lanes(a, b, |x, y| (x - y) * (x - y))
}

/// The inner product of two vectors.
#[inline(always)]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    lanes(a, b, |x, y| x * y)
}

/// A sum over pairs of coordinates, in lanes that a compiler can keep in vector registers.
#[inline(always)]
pub(super) fn lanes(a: &[f32], b: &[f32], term: impl Fn(f32, f32) -> f32) -> f32 {
    let mut sums = [0.0; 16];
    let (a, a_rest) = a.as_chunks::<16>();
    let (b, b_rest) = b.as_chunks::<16>();
    for (a, b) in a.iter().zip(b) {
        for lane in 0..16 {
            sums[lane] += term(a[lane], b[lane]);
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(&x, &y)| term(x, y)).sum();
    sums.iter().sum::<f32>() + rest
}
