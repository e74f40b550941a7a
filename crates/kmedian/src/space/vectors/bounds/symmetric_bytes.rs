//! A symmetric matrix of bytes, of which only one half is computed.

use rayon::prelude::*;

use super::large_pages::LargePages;

/// The rows and columns of a tile, which is computed at once: a multiple of the 64 bytes that are
/// compared together and of the 12 rows that are multiplied together. From 192 rows on, bringing
/// what they are multiplied with from memory takes no time worth saving.
pub(super) const SIDE: usize = 192;

/// The rows and columns of a block of bytes that is mirrored at once: a row of 8 bytes fits into a
/// 64-bit register.
const BLOCK: usize = 8;

/// A symmetric matrix of bytes, in bands as high as a tile, cut at the tiles on the diagonal.
pub(super) struct SymmetricBytes {
    tiles: usize,
    /// The columns before the tile on the diagonal, band by band.
    before: Vec<Vec<u8>>,
    /// The tile on the diagonal and the columns behind it, band by band.
    behind: LargePages,
}

impl SymmetricBytes {
    /// A matrix of `tiles` by `tiles` tiles. `fill` is given the number of a band and computes its
    /// rows, from the tile on the diagonal on; the rest is mirrored.
    pub(super) fn new(tiles: usize, fill: impl Fn(usize, &mut [&mut [u8]]) + Sync) -> Self {
        let behind = LargePages::new(SIDE * SIDE * tiles * (tiles + 1) / 2);
        let mut matrix = Self { tiles, before: Vec::new(), behind };
        let widths = (0..tiles).map(|tile| (tiles - tile) * SIDE);
        let bands = bands(&mut matrix.behind, widths).into_par_iter().enumerate();
        bands.for_each(|(tile, mut rows)| fill(tile, &mut rows));
        matrix.before = (0..tiles).into_par_iter().map(|tile| matrix.mirrored(tile)).collect();
        matrix
    }

    /// One row of the matrix, in two parts: before the tile on the diagonal, and from it on.
    pub(super) fn row(&self, at: usize) -> [&[u8]; 2] {
        let (tile, row) = (at / SIDE, at % SIDE);
        let width = tile * SIDE;
        [&self.before[tile][row * width..][..width], self.behind(at)]
    }

    fn behind(&self, at: usize) -> &[u8] {
        let (tile, row) = (at / SIDE, at % SIDE);
        let band = tile * (2 * self.tiles + 1 - tile) / 2 * SIDE * SIDE;
        let width = (self.tiles - tile) * SIDE;
        &self.behind[band + row * width..][..width]
    }

    /// A band up to the diagonal, from the columns of the rows above.
    fn mirrored(&self, tile: usize) -> Vec<u8> {
        let above = tile * SIDE;
        let mut band = vec![0; SIDE * above];
        for left in (0..above).step_by(BLOCK) {
            let start = above - left / SIDE * SIDE;
            let columns: [&[u8]; BLOCK] =
                std::array::from_fn(|at| &self.behind(left + at)[start..][..SIDE]);
            for top in (0..SIDE).step_by(BLOCK) {
                let block = columns.map(|column| {
                    let bytes = column[top..].first_chunk();
                    bytes.map_or(0, |&bytes| u64::from_le_bytes(bytes))
                });
                for (row, bytes) in (top..).zip(transposed(block)) {
                    band[row * above + left..][..BLOCK].copy_from_slice(&bytes.to_le_bytes());
                }
            }
        }
        band
    }
}

/// Cuts a buffer into the rows of bands, given the width of each band.
fn bands(mut bytes: &mut [u8], widths: impl Iterator<Item = usize>) -> Vec<Vec<&mut [u8]>> {
    let mut cut = |width: usize| -> Vec<&mut [u8]> {
        let row = |_| bytes.split_off_mut(..width).unwrap_or_default();
        (0..SIDE).map(row).collect()
    };
    widths.map(&mut cut).collect()
}

/// Transposes a block of bytes, a row to a number, first byte lowest: pairs of bytes change places,
/// then pairs of pairs, then pairs of those.
#[inline(always)]
fn transposed(mut rows: [u64; BLOCK]) -> [u64; BLOCK] {
    exchange::<1>(&mut rows, 0x00ff_00ff_00ff_00ff);
    exchange::<2>(&mut rows, 0x0000_ffff_0000_ffff);
    exchange::<4>(&mut rows, 0x0000_0000_ffff_ffff);
    rows
}

/// Exchanges squares of `WIDTH` bytes: those of each row that are not `kept` for those of the row
/// `WIDTH` below that are. Inlined with its width known, so that its loop is unrolled and the rows
/// stay in registers.
#[inline(always)]
fn exchange<const WIDTH: usize>(rows: &mut [u64; BLOCK], kept: u64) {
    let shift = 8 * WIDTH as u32;
    for pair in 0..BLOCK / 2 {
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

    #[test]
    fn what_is_before_the_diagonal_mirrors_what_is_behind() {
        let tiles = 5;
        let byte = |a: usize, b: usize| (a.min(b) * 7 + a.max(b) * 13) as u8;
        let matrix = SymmetricBytes::new(tiles, |tile, rows| {
            for (at, row) in (tile * SIDE..).zip(rows) {
                row.iter_mut().zip(tile * SIDE..).for_each(|(value, b)| *value = byte(at, b));
            }
        });
        for at in 0..tiles * SIDE {
            let expected: Vec<u8> = (0..tiles * SIDE).map(|other| byte(at, other)).collect();
            assert_eq!(matrix.row(at).concat(), expected);
        }
    }
}
