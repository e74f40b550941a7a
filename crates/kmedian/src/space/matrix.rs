use std::ops::Range;

use rand::RngExt;
use rayon::prelude::*;

use super::vectors::kernels;
use super::{Abilities, Among, Asker, Hit, Own, Question, Space, diameter, scan};
use crate::{Error, ErrorKind, Seed};

/// The number of items of a matrix up to which all triangles are checked: 256³ take a moment.
const ALL_TRIANGLES_UP_TO: usize = 256;

/// The number of random triangles that are checked in a matrix that is too large for all of them: a
/// quarter of those of 256 items, as reading at random takes longer.
const SAMPLED_TRIANGLES: usize = 4_000_000;

/// By how much two mirrored entries may differ, or a side of a triangle exceed the sum of the
/// others, relative to them: room for rounding in 32 bits.
const TOLERANCE: f32 = 1e-5;

/// The share of the largest distance up to which an entry on the diagonal is taken for a rounding
/// error: a millionth.
const NOISE: f32 = 1e-6;

/// The rows and columns of a tile of a matrix that is compared with its mirror image: each takes
/// 16 KiB, so that they fit into the cache together.
const TILE: usize = 64;

/// Items whose distances are given as a square matrix, which need not obey the triangle inequality.
///
/// The matrix is large, so it can be lent: whoever has the numbers as a slice gives that, and
/// nothing is copied.
pub struct Matrix<V = Vec<f32>> {
    len: usize,
    values: V,
}

/// Three items that break the triangle inequality: the detour by one of them is shorter than the
/// direct distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TriangleViolation {
    /// The three items; the direct way is from the first to the last.
    pub items: [usize; 3],
    /// The direct distance between the first and the last item.
    pub direct: f32,
    /// The length of the detour by the item in the middle, which is shorter than `direct`.
    pub detour: f32,
}

impl Matrix {
    /// [`Matrix::new`] for distances with rounding errors on the diagonal, which count as zero: up
    /// to a millionth of the largest distance, on either side.
    ///
    /// # Errors
    /// Like [`Matrix::new`].
    pub fn without_noise(len: usize, mut values: Vec<f32>) -> Result<Self, Error> {
        let noise = NOISE * values.iter().copied().fold(0.0, f32::max);
        for own in values.iter_mut().step_by(len + 1).filter(|own| own.abs() <= noise) {
            *own = 0.0;
        }
        Self::new(len, values)
    }
}

impl<V: AsRef<[f32]> + Send + Sync> Matrix<V> {
    /// Takes a matrix of distances between `len` items, row by row.
    ///
    /// # Errors
    /// If it is empty, not square, asymmetric, has a diagonal that is not zero, or an entry that is
    /// negative, NaN, infinite or too large for sums of distances in 32 bits.
    pub fn new(len: usize, values: V) -> Result<Self, Error> {
        let given = values.as_ref();
        if len == 0 {
            return Err(Error::new(ErrorKind::Empty, "there are no items to cluster"));
        }
        if given.len() != len * len {
            let message = format!("{} values are not a square matrix of {len} items", given.len());
            return Err(Error::new(ErrorKind::Shape, message));
        }
        if looks_right(len, given) {
            return Ok(Self::trusted(len, values));
        }
        let wrong = (0..len).into_par_iter().find_map_first(|row| wrong_entry(len, given, row));
        wrong.map_or_else(|| Ok(Self::trusted(len, values)), Err)
    }

    /// A matrix that is known to be one of distances, without checks.
    pub(crate) fn trusted(len: usize, values: V) -> Self {
        Self { len, values }
    }

    fn row(&self, item: usize) -> &[f32] {
        &self.values.as_ref()[item * self.len..(item + 1) * self.len]
    }

    /// Looks for three items that break the triangle inequality: among all of them in a small
    /// matrix, among a few million random ones in a large one. Returns the worst found.
    ///
    /// Searching such a matrix works, and ends at a local optimum; but that may be arbitrarily far
    /// from the best centers, and tree distances may be below the distances.
    pub fn triangle_violation(&self) -> Option<TriangleViolation> {
        let n = self.len;
        let check = |a: usize, b: usize, c: usize| {
            let (direct, detour) = (self.row(a)[c], self.row(a)[b] + self.row(b)[c]);
            let broken = direct > detour * (1.0 + TOLERANCE);
            broken.then_some(TriangleViolation { items: [a, b, c], direct, detour })
        };
        let excess = |v: &TriangleViolation| v.direct - v.detour;
        let worse = |v: &TriangleViolation, w: &TriangleViolation| {
            excess(v).total_cmp(&excess(w)).then(w.items.cmp(&v.items))
        };
        if n <= ALL_TRIANGLES_UP_TO {
            let triples = (0..n * n * n).into_par_iter();
            return triples.filter_map(|t| check(t / (n * n), t / n % n, t % n)).max_by(worse);
        }
        let mut rng = Seed::default().stream("triangles");
        let mut any = || rng.random_range(0..n);
        (0..SAMPLED_TRIANGLES).filter_map(|_| check(any(), any(), any())).max_by(worse)
    }
}

/// Whether a matrix surely has no wrong entry; if not, [`wrong_entry`] decides. Looks at a tile and
/// its mirror image at a time, which both fit the cache: column by column a large matrix takes far
/// longer.
fn looks_right(len: usize, values: &[f32]) -> bool {
    let tile = |start: usize| start..len.min(start + TILE);
    let starts: Vec<usize> = (0..len).step_by(TILE).collect();
    starts.par_iter().all(|&rows| {
        let mut mirrors = starts.iter().filter(|&&columns| columns <= rows);
        let mut mirrored = [[0.0; TILE]; TILE];
        tile(rows).all(|item| values[item * len + item] == 0.0)
            && mirrors.all(|&columns| {
                tile_looks_right(len, values, tile(rows), tile(columns), &mut mirrored)
            })
    })
}

/// Whether the entries in some rows and columns are distances, and the mirrored ones are the same;
/// `mirrored` is a buffer, whatever it holds.
fn tile_looks_right(
    len: usize,
    values: &[f32],
    rows: Range<usize>,
    columns: Range<usize>,
    mirrored: &mut [[f32; TILE]; TILE],
) -> bool {
    for (at, column) in columns.clone().enumerate() {
        let entries = &values[column * len..][rows.clone()];
        mirrored.iter_mut().zip(entries).for_each(|(row, &entry)| row[at] = entry);
    }
    rows.zip(&*mirrored).all(|(row, mirrored)| {
        let entries = values[row * len..][columns.clone()].iter().zip(mirrored);
        // Without a branch, so that many are compared at once. NaN fails every comparison.
        entries.fold(true, |right, (&entry, &mirrored)| {
            let larger = if entry > mirrored { entry } else { mirrored };
            right
                & (entry >= 0.0)
                & (larger <= diameter::LARGEST_DISTANCE)
                & ((entry - mirrored).abs() <= TOLERANCE * larger)
        })
    })
}

fn wrong_entry(len: usize, values: &[f32], row: usize) -> Option<Error> {
    (0..len).find_map(|column| {
        let (value, mirrored) = (values[row * len + column], values[column * len + row]);
        let (kind, wrong) = if value > diameter::LARGEST_DISTANCE && value.is_finite() {
            (ErrorKind::Value, "that is too large for a distance; rescale the matrix".to_string())
        } else if !value.is_finite() {
            let advice = "distances must be finite; fill the gap with a large distance, or drop one of the two items";
            (ErrorKind::Value, advice.to_string())
        } else if value < 0.0 {
            let advice = "distances are not negative; give zero where rounding made it so, and of similarities \
                          the largest minus each";
            (ErrorKind::Value, advice.to_string())
        } else if row == column && value != 0.0 {
            let advice = "an item's distance to itself must be zero; fill the diagonal with zeros, or of similarities \
                          take the largest minus each";
            (ErrorKind::NotAMetric, advice.to_string())
        } else if (value - mirrored).abs() > TOLERANCE * value.max(mirrored) {
            (
                ErrorKind::NotAMetric,
                format!(
                    "the mirrored entry is {mirrored}; distances must be symmetric: give the same both ways, \
                     for example the mean of the two"
                ),
            )
        } else {
            return None;
        };
        Some(Error::new(
            kind,
            format!("row {row}, column {column} of the matrix is {value}: {wrong}"),
        ))
    })
}

impl<V: AsRef<[f32]> + Send + Sync> Space for Matrix<V> {
    fn len(&self) -> usize {
        self.len
    }

    fn asker(&self) -> Box<dyn Asker + '_> {
        Box::new(self)
    }

    fn diameter_bound(&self) -> f32 {
        self.values.as_ref().par_iter().copied().reduce(|| 0.0, f32::max)
    }

    fn smallest_distance(&self) -> Option<f32> {
        let positive = self.values.as_ref().par_iter().copied().filter(|&value| value > 0.0);
        Some(positive.reduce(|| f32::INFINITY, f32::min)).filter(|least| least.is_finite())
    }

    fn relative_error(&self) -> f32 {
        TOLERANCE
    }

    fn content(&self, sink: &mut dyn FnMut(&[u8])) -> bool {
        sink(b"matrix");
        self.values.as_ref().iter().for_each(|value| sink(&value.to_bits().to_le_bytes()));
        true
    }

    /// All distances are in a table. They may have been measured, so the triangle inequality is not
    /// relied on.
    fn abilities(&self) -> Abilities {
        Abilities { has_table: true, obeys_triangles: false, ..Abilities::default() }
    }

    fn own(&self) -> Own<'_> {
        Own::matrix(self.values.as_ref())
    }
}

impl<V: AsRef<[f32]> + Send + Sync> Asker for &Matrix<V> {
    fn ask(&mut self, source: usize, question: &Question<'_>, hits: &mut Vec<Hit>) {
        let row = self.row(source);
        if let Some(items) = neighbours(question.among, self.len) {
            hits.clear();
            kernels::lookup(items.start, &row[items], question.caps, hits);
            return;
        }
        let distance = |item: u32| row[item as usize];
        scan(self.len, question, hits, distance, |item| question.caps.hit(item, distance(item)));
    }

    fn distance(&mut self, a: usize, b: usize) -> f32 {
        self.row(a)[b]
    }
}

/// The items of a question as a range, if they are consecutive: then their distances are
/// consecutive in a row of the matrix, too.
fn neighbours(among: Among<'_>, len: usize) -> Option<Range<usize>> {
    match among {
        Among::All => Some(0..len),
        Among::Listed(items) => {
            let (first, last) = (*items.first()?, *items.last()?);
            let may_run = last.checked_sub(first) == Some(items.len() as u32 - 1);
            // All are compared, which takes less time than to stop at the first that does not fit.
            let next = |run: bool, (&item, next): (&u32, u32)| run & (item == next);
            let run = may_run && items.iter().zip(first..).fold(true, next);
            run.then(|| first as usize..first as usize + items.len())
        }
        Among::Grouped(_) => None,
    }
}
