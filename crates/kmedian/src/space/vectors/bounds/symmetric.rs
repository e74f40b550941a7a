//! A symmetric matrix of levels, of which only one half is computed.

use pulp::bytemuck::cast_slice;
use rayon::prelude::*;

use super::large_pages::LargePages;
use super::level::Level;

/// The rows and columns of a tile, which is computed at once: a multiple of the 64 levels that are
/// compared together and of the 12 rows that are multiplied together. From 192 rows on, bringing
/// what they are multiplied with from memory takes no time worth saving.
pub(super) const SIDE: usize = 192;

/// The most levels that fit into a 64-bit register: a block of so many rows and columns, or fewer,
/// is mirrored at once.
const LARGEST_BLOCK: usize = 8;

/// A symmetric matrix of levels, in bands as high as a tile, cut at the tiles on the diagonal.
pub(super) struct SymmetricMatrix<L> {
    /// The columns before the tile on the diagonal, band by band.
    before: LargePages<L>,
    behind: Behind<L>,
}

/// The tile on the diagonal and the columns behind it, band by band.
struct Behind<L> {
    tiles: usize,
    levels: LargePages<L>,
}

impl<L: Level> SymmetricMatrix<L> {
    /// A matrix of `tiles` by `tiles` tiles. `fill` is given the number of a band and computes its
    /// rows, from the tile on the diagonal on; the rest is mirrored.
    pub(super) fn new(tiles: usize, fill: impl Fn(usize, &mut [&mut [L]]) + Sync) -> Self {
        let mut levels = LargePages::new(SIDE * SIDE * tiles * (tiles + 1) / 2);
        let widths = (0..tiles).map(|tile| (tiles - tile) * SIDE);
        let bands = bands(&mut levels, widths).into_par_iter().enumerate();
        bands.for_each(|(tile, mut rows)| fill(tile, &mut rows));
        let behind = Behind { tiles, levels };
        let mut before = LargePages::new(SIDE * SIDE * tiles * tiles.saturating_sub(1) / 2);
        let bands = self::bands(&mut before, (0..tiles).map(|tile| tile * SIDE));
        let bands = bands.into_par_iter().enumerate();
        bands.for_each(|(tile, mut rows)| behind.mirror(tile, &mut rows));
        Self { before, behind }
    }

    /// One row of the matrix, in two parts: before the tile on the diagonal, and from it on.
    pub(super) fn row(&self, at: usize) -> [&[L]; 2] {
        let (tile, row) = (at / SIDE, at % SIDE);
        let band = tile * tile.saturating_sub(1) / 2 * SIDE * SIDE;
        let width = tile * SIDE;
        [&self.before[band + row * width..][..width], self.behind.row(at)]
    }
}

impl<L: Level> Behind<L> {
    /// The levels in a 64-bit register.
    const BLOCK: usize = size_of::<u64>() / size_of::<L>();

    fn row(&self, at: usize) -> &[L] {
        let (tile, row) = (at / SIDE, at % SIDE);
        let band = tile * (2 * self.tiles + 1 - tile) / 2 * SIDE * SIDE;
        let width = (self.tiles - tile) * SIDE;
        &self.levels[band + row * width..][..width]
    }

    /// Fills the rows of a band up to the diagonal, from the columns of the rows above.
    fn mirror(&self, tile: usize, rows: &mut [&mut [L]]) {
        let above = tile * SIDE;
        let mut block = [0; LARGEST_BLOCK];
        let block = &mut block[..Self::BLOCK];
        for left in (0..above).step_by(Self::BLOCK) {
            let start = above - left / SIDE * SIDE;
            for top in (0..SIDE).step_by(Self::BLOCK) {
                for (column, at) in block.iter_mut().zip(left..) {
                    let levels = &self.row(at)[start + top..][..Self::BLOCK];
                    *column = pulp::bytemuck::pod_read_unaligned(cast_slice(levels));
                }
                transpose(block);
                for (row, levels) in rows[top..].iter_mut().zip(&*block) {
                    let place = &mut row[left..left + Self::BLOCK];
                    place.copy_from_slice(cast_slice(std::slice::from_ref(levels)));
                }
            }
        }
    }
}

/// Cuts a buffer into the rows of bands, given the width of each band.
fn bands<L>(mut levels: &mut [L], widths: impl Iterator<Item = usize>) -> Vec<Vec<&mut [L]>> {
    let mut cut = |width: usize| -> Vec<&mut [L]> {
        let row = |_| levels.split_off_mut(..width).unwrap_or_default();
        (0..SIDE).map(row).collect()
    };
    widths.map(&mut cut).collect()
}

/// Transposes a block of as many rows as there are levels in a row, which is a number with the first
/// level in its lowest bits: pairs of levels change places, then pairs of pairs, then pairs of
/// those.
#[inline(always)]
fn transpose(rows: &mut [u64]) {
    if let Ok(rows) = <&mut [u64; 8]>::try_from(&mut *rows) {
        exchange::<8, 1>(rows);
        exchange::<8, 2>(rows);
        exchange::<8, 4>(rows);
    } else if let Ok(rows) = <&mut [u64; 4]>::try_from(rows) {
        exchange::<4, 1>(rows);
        exchange::<4, 2>(rows);
    }
}

/// Exchanges squares of `WIDTH` levels: those of each row that are not kept for those of the row
/// `WIDTH` below that are. Inlined with its width known, so that its loop is unrolled and the rows
/// stay in registers.
#[inline(always)]
fn exchange<const ROWS: usize, const WIDTH: usize>(rows: &mut [u64; ROWS]) {
    let shift = 64 / ROWS * WIDTH;
    // The lower half of every 2 · `shift` bits.
    let kept = u64::MAX / ((1 << shift) + 1);
    for pair in 0..ROWS / 2 {
        // The rows whose number has no bit `WIDTH`, in order.
        let row = pair / WIDTH * 2 * WIDTH + pair % WIDTH;
        let (a, b) = (rows[row], rows[row + WIDTH]);
        rows[row] = a & kept | (b & kept) << shift;
        rows[row + WIDTH] = (a & !kept) >> shift | b & !kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mirrors<L: Level + std::fmt::Debug>() {
        let tiles = 5;
        let level = |a: usize, b: usize| L::from_bits((a.min(b) * 7 + a.max(b) * 13) as u32);
        let matrix = SymmetricMatrix::new(tiles, |tile, rows| {
            for (at, row) in (tile * SIDE..).zip(rows) {
                row.iter_mut().zip(tile * SIDE..).for_each(|(value, b)| *value = level(at, b));
            }
        });
        for at in 0..tiles * SIDE {
            let expected: Vec<L> = (0..tiles * SIDE).map(|other| level(at, other)).collect();
            assert_eq!(matrix.row(at).concat(), expected);
        }
    }

    #[test]
    fn what_is_before_the_diagonal_mirrors_what_is_behind() {
        mirrors::<u8>();
        mirrors::<u16>();
    }
}
