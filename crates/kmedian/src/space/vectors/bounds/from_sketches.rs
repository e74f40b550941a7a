//! Bounds from sketches, which are far cheaper to compare than vectors.

use super::super::panels::{Panels, Tile, Visitor, WIDTH};
use super::{Sketches, byte};

/// The sketches of some items, ready to be compared with those of many others at once.
pub(super) struct FromSketches<'a> {
    pub(super) sketches: &'a Sketches,
    panels: Panels,
    /// The squares of the lengths of the items' sketches, as many as a row has bounds.
    norms: Vec<f32>,
}

impl<'a> FromSketches<'a> {
    pub(super) fn new(sketches: &'a Sketches, items: &[u32], width: usize) -> Self {
        let mut norms: Vec<f32> = items.iter().map(|&item| sketches.norm(item)).collect();
        norms.resize(width, 0.0);
        let panels = Panels::new(sketches.dims, items.iter().map(|&item| sketches.row(item)));
        Self { sketches, panels, norms }
    }

    /// For each source, lower bounds of its distances to the items from a position on.
    pub(super) fn compare(
        &self,
        sources: &[u32],
        start: usize,
        scale: f32,
        bounds: &mut [&mut [u8]],
    ) {
        let rows: Vec<&[f32]> = sources.iter().map(|&source| self.sketches.row(source)).collect();
        let row_norms: Vec<f32> =
            sources.iter().map(|&source| self.sketches.norm(source)).collect();
        let rounding = Rounding { row_norms: &row_norms, norms: &self.norms, scale, start, bounds };
        self.panels.multiply(&rows, start / WIDTH, rounding);
    }
}

/// Turns inner products into bounds.
struct Rounding<'a, 'b> {
    row_norms: &'a [f32],
    norms: &'a [f32],
    scale: f32,
    /// Where the bounds begin.
    start: usize,
    bounds: &'a mut [&'b mut [u8]],
}

impl Visitor for Rounding<'_, '_> {
    #[inline(always)]
    fn visit(&mut self, row: usize, at: usize, tile: &Tile) {
        let norms = &self.norms[at..at + WIDTH];
        let rows = self.bounds[row..].iter_mut().zip(&self.row_norms[row..]);
        for ((bounds, row_norm), products) in rows.zip(tile) {
            let bounds = &mut bounds[at - self.start..][..WIDTH];
            for ((bound, norm), product) in bounds.iter_mut().zip(norms).zip(products) {
                let square = row_norm + norm - 2.0 * product;
                *bound = byte(square * self.scale);
            }
        }
    }
}
