//! A symmetric matrix of bytes, of which only one half is computed.

use rayon::prelude::*;

/// So many rows are computed together.
pub(super) const SIDE: usize = 32;

/// The matrix, row by row, cut at the tiles on the diagonal.
pub(super) struct Symmetric {
    /// What comes before the tile on the diagonal.
    before: Vec<Vec<u8>>,
    /// That tile and what follows.
    behind: Vec<Vec<u8>>,
}

impl Symmetric {
    /// `behind` computes the rows of one row of tiles, from the diagonal on.
    pub(super) fn new(tiles: usize, behind: impl Fn(usize) -> Vec<Vec<u8>> + Send + Sync) -> Self {
        let behind: Vec<Vec<u8>> = (0..tiles).into_par_iter().flat_map(behind).collect();
        let before = (0..tiles).into_par_iter().flat_map(|tile| mirrored(&behind, tile)).collect();
        Self { before, behind }
    }

    /// One row of the matrix.
    pub(super) fn row(&self, at: usize) -> Vec<u8> {
        [self.before[at].as_slice(), &self.behind[at]].concat()
    }
}

/// The rows of one row of tiles up to the diagonal, from the columns of the rows above.
fn mirrored(behind: &[Vec<u8>], tile: usize) -> Vec<Vec<u8>> {
    let above = tile * SIDE;
    let mut rows = vec![vec![0; above]; SIDE];
    for (column, bytes) in behind[..above].iter().enumerate() {
        let start = above - column / SIDE * SIDE;
        for (row, &byte) in rows.iter_mut().zip(&bytes[start..start + SIDE]) {
            row[column] = byte;
        }
    }
    rows
}
