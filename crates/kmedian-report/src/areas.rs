//! Areas: the parts of a picture that a center's items fill, on a grid of cells.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// How many cells the longer side of the picture has: more make smoother borders of areas, and a
/// larger page.
const LONG_SIDE: usize = 192;
/// The fewest cells of the shorter side, so that the areas of a narrow picture still have a shape.
const SHORT_SIDE: usize = 24;
/// The most cells that an area reaches beyond its items. So areas of a few items can be seen, and
/// do not fill the picture.
const FARTHEST: f64 = 14.0;
/// How far areas reach beyond their items, in multiples of the mean distance of occupied cells if
/// these were spread evenly: areas of neighboring items just meet.
const REACH: f64 = 1.2;

/// What no center serves, as the label of a cell.
pub(crate) const NOBODY: u32 = u32::MAX;

/// The cells of a picture.
pub(crate) struct Grid {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// The cell of each item.
    of_item: Vec<usize>,
    /// For each cell, the nearest cell that has items; `None` if all are too far away.
    nearest: Vec<Option<u32>>,
}

impl Grid {
    /// The grid of a picture whose width and height have this ratio. `places` are from 0 to 1 in
    /// both directions, and the first row of cells is at 0.
    pub(crate) fn new(places: &[[f64; 2]], ratio: f64) -> Self {
        let side = |share: f64| ((LONG_SIDE as f64 * share).round() as usize).max(SHORT_SIDE);
        let (width, height) = (side(ratio.min(1.0)), side((1.0 / ratio).min(1.0)));
        let cell = |at: f64, cells: usize| ((at * cells as f64) as usize).min(cells - 1);
        let of_item: Vec<usize> =
            places.iter().map(|&[x, y]| cell(y, height) * width + cell(x, width)).collect();
        let mut occupied = of_item.clone();
        occupied.sort_unstable();
        occupied.dedup();
        let spread = ((width * height) as f64 / occupied.len().max(1) as f64).sqrt();
        let reach = (REACH * spread).clamp(2.0, FARTHEST);
        let nearest = nearest(width, height, &occupied, reach);
        Self { width, height, of_item, nearest }
    }

    /// Whom each cell belongs to: to the label that most items of the nearest occupied cell have,
    /// the smallest of several.
    pub(crate) fn cells(&self, labels: &[u32]) -> Vec<u32> {
        let mut counts: BTreeMap<(usize, u32), usize> = BTreeMap::new();
        for (&cell, &label) in self.of_item.iter().zip(labels) {
            *counts.entry((cell, label)).or_default() += 1;
        }
        let mut owner = vec![(0, NOBODY); self.nearest.len()];
        for ((cell, label), count) in counts {
            if count > owner[cell].0 {
                owner[cell] = (count, label);
            }
        }
        let of = |nearest: &Option<u32>| nearest.map_or(NOBODY, |cell| owner[cell as usize].1);
        self.nearest.iter().map(of).collect()
    }

    /// For each of `k` labels, those whose cells touch one of its cells, also at a corner.
    pub(crate) fn neighbors(&self, cells: &[u32], k: usize) -> Vec<Vec<usize>> {
        let mut neighbors = vec![Vec::new(); k];
        for (cell, &label) in cells.iter().enumerate() {
            let (x, y) = (cell % self.width, cell / self.width);
            // Of each pair of cells that touch, one of them looks at the other.
            let ahead = [(x + 1, y), (x + 1, y + 1), (x, y + 1), (x.wrapping_sub(1), y + 1)];
            for (x, y) in ahead.into_iter().filter(|&(x, y)| x < self.width && y < self.height) {
                let other = cells[y * self.width + x];
                if other != label && other != NOBODY && label != NOBODY {
                    neighbors[label as usize].push(other as usize);
                    neighbors[other as usize].push(label as usize);
                }
            }
        }
        for list in &mut neighbors {
            list.sort_unstable();
            list.dedup();
        }
        neighbors
    }
}

/// For each cell, the nearest of the occupied ones, up to `reach` cells away: outwards from all of
/// them at once, each cell handing on its own to the eight around it.
fn nearest(width: usize, height: usize, occupied: &[usize], reach: f64) -> Vec<Option<u32>> {
    let place = |cell: usize| [(cell % width) as i64, (cell / width) as i64];
    let apart = |a: usize, b: usize| {
        let ([ax, ay], [bx, by]) = (place(a), place(b));
        (ax - bx).pow(2) + (ay - by).pow(2)
    };
    let most = (reach * reach) as i64;
    let mut nearest: Vec<Option<u32>> = vec![None; width * height];
    let mut queue: BinaryHeap<Reverse<(i64, usize, usize)>> =
        occupied.iter().map(|&cell| Reverse((0, cell, cell))).collect();
    while let Some(Reverse((_, cell, source))) = queue.pop() {
        if nearest[cell].is_some() {
            continue;
        }
        nearest[cell] = Some(source as u32);
        let [x, y] = place(cell);
        for (dx, dy) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))) {
            let (x, y) = (x + dx, y + dy);
            if x < 0 || y < 0 || x >= width as i64 || y >= height as i64 {
                continue;
            }
            let next = y as usize * width + x as usize;
            let away = apart(next, source);
            if nearest[next].is_none() && away <= most {
                queue.push(Reverse((away, next, source)));
            }
        }
    }
    nearest
}

/// Runs of equal labels over all cells, row by row, as pairs of a label plus one (0 for nobody) and
/// a length.
pub(crate) fn runs(cells: &[u32]) -> Vec<u32> {
    let mut runs: Vec<u32> = Vec::new();
    for &label in cells {
        let label = label.wrapping_add(1);
        match runs.as_mut_slice() {
            [.., last, length] if *last == label => *length += 1,
            _ => runs.extend([label, 1]),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colors::colors;

    #[test]
    fn two_items_share_the_picture_and_touch() {
        let grid = Grid::new(&[[0.48, 0.5], [0.52, 0.5], [0.9, 0.9]], 1.5);
        assert_eq!((grid.width, grid.height), (192, 128));
        let cells = grid.cells(&[0, 1, 0]);
        let row = 64 * 192;
        assert_eq!((cells[row + 90], cells[row + 102]), (0, 1));
        assert_eq!(cells[row], NOBODY, "too far from any item");
        assert_eq!(grid.neighbors(&cells, 2), [vec![1], vec![0]]);
        assert_eq!(runs(&cells).chunks(2).map(|run| run[1] as usize).sum::<usize>(), 192 * 128);
    }

    #[test]
    fn every_cell_belongs_to_the_nearest_occupied_one() {
        let (width, height) = (40, 30);
        let occupied = [3, 70, 555, 556, 1111];
        let found = nearest(width, height, &occupied, 9.0);
        for (cell, found) in found.iter().enumerate() {
            let apart = |other: usize| {
                let d = |a: usize, b: usize| (a as f64 - b as f64).powi(2);
                d(cell % width, other % width) + d(cell / width, other / width)
            };
            let least = occupied.iter().map(|&other| apart(other)).fold(f64::INFINITY, f64::min);
            match found {
                // A cell at a time, sources are handed on almost exactly: never a whole cell off.
                Some(source) => assert!(apart(*source as usize).sqrt() < least.sqrt() + 1.0),
                None => assert!(least > 64.0, "{cell}: {least}"),
            }
        }
    }

    #[test]
    fn areas_that_touch_have_different_colors_whatever_k_is() {
        for k in [2, 7, 50, 900] {
            let n = 4000;
            let place = |item: usize| {
                let t = item as f64;
                [(t * 0.618_034).fract(), (t * 0.754_877).fract()]
            };
            let places: Vec<[f64; 2]> = (0..n).map(place).collect();
            let nearest = |at: [f64; 2]| {
                let apart = |c: &usize| {
                    let [x, y] = place(c * (n / k));
                    (x - at[0]).powi(2) + (y - at[1]).powi(2)
                };
                (0..k).min_by(|a, b| apart(a).total_cmp(&apart(b))).unwrap() as u32
            };
            let labels: Vec<u32> = places.iter().map(|&at| nearest(at)).collect();
            let grid = Grid::new(&places, 1.0);
            let cells = grid.cells(&labels);
            let neighbors = grid.neighbors(&cells, k);
            let colors = colors(&neighbors, &vec![None; k]);
            for y in 0..grid.height - 1 {
                for x in 0..grid.width - 1 {
                    let at = |dx, dy| cells[(y + dy) * grid.width + x + dx];
                    for (a, b) in [
                        (at(0, 0), at(1, 0)),
                        (at(0, 0), at(0, 1)),
                        (at(0, 0), at(1, 1)),
                        (at(1, 0), at(0, 1)),
                    ] {
                        if a != b && a != NOBODY && b != NOBODY {
                            assert_ne!(colors[a as usize], colors[b as usize]);
                        }
                    }
                }
            }
        }
    }
}
