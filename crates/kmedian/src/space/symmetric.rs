//! A symmetric matrix of bytes, of which only one half is computed.

use rayon::prelude::*;

/// So many rows are computed together.
pub(super) const SIDE: usize = 64;

/// Bytes are mirrored in square blocks with so many to a side.
const BLOCK: usize = 8;

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

    /// One row of the matrix, in two parts.
    pub(super) fn row(&self, at: usize) -> [&[u8]; 2] {
        [&self.before[at], &self.behind[at]]
    }
}

/// The rows of one row of tiles up to the diagonal, from the columns of the rows above.
fn mirrored(behind: &[Vec<u8>], tile: usize) -> Vec<Vec<u8>> {
    let above = tile * SIDE;
    let mut rows = vec![vec![0; above]; SIDE];
    for left in (0..above).step_by(BLOCK) {
        let start = above - left / SIDE * SIDE;
        for top in (0..SIDE).step_by(BLOCK) {
            let block = std::array::from_fn(|at| {
                let bytes = &behind[left + at][start + top..];
                bytes.first_chunk().map_or(0, |&bytes| u64::from_le_bytes(bytes))
            });
            for (row, bytes) in rows[top..].iter_mut().zip(transposed(block)) {
                row[left..left + BLOCK].copy_from_slice(&bytes.to_le_bytes());
            }
        }
    }
    rows
}

/// Transposes a block of bytes, a row to a number, first byte lowest: pairs of bytes change places, then
/// pairs of pairs, then pairs of those.
fn transposed(mut rows: [u64; BLOCK]) -> [u64; BLOCK] {
    for (width, kept) in
        [(1, 0x00ff_00ff_00ff_00ff), (2, 0x0000_ffff_0000_ffff), (4, 0x0000_0000_ffff_ffff_u64)]
    {
        for row in (0..BLOCK).filter(|row| row & width == 0) {
            let (a, b) = (rows[row], rows[row + width]);
            rows[row] = a & kept | (b & kept) << (8 * width);
            rows[row + width] = (a & !kept) >> (8 * width) | b & !kept;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_before_the_diagonal_mirrors_what_is_behind() {
        let tiles = 5;
        let byte = |a: usize, b: usize| (a.min(b) * 7 + a.max(b) * 13) as u8;
        let behind = |tile: usize| -> Vec<Vec<u8>> {
            let row = |at: usize| (tile * SIDE..tiles * SIDE).map(|b| byte(at, b)).collect();
            (tile * SIDE..(tile + 1) * SIDE).map(row).collect()
        };
        let matrix = Symmetric::new(tiles, behind);
        for at in 0..tiles * SIDE {
            let expected: Vec<u8> = (0..tiles * SIDE).map(|other| byte(at, other)).collect();
            assert_eq!(matrix.row(at).concat(), expected);
        }
    }
}
