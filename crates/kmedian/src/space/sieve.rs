//! Which items may be closer than their cap, for many sources at once, from sketches alone.

use std::sync::OnceLock;

use pulp::{Arch, Simd, WithSimd};

use super::Hit;
use super::panels::{Panels, Tile, Visitor, WIDTH};
use super::sketch::Sketches;

/// Bounds are kept for later questions if they all fit into this many bytes.
const KEPT_BYTES: usize = 256 << 20;

/// So many bounds are compared at once.
const BLOCK: usize = 64;

/// The sketches of some items, ready to be compared with those of many others at once.
///
/// Bounds are rounded down to a byte each. Where there is room for all of them they are kept, so that only
/// the first question about a source compares sketches.
pub(crate) struct Sieve<'a> {
    sketches: &'a Sketches,
    items: Vec<u32>,
    /// Where each item of the space is among these.
    positions: Vec<u32>,
    panels: Panels,
    /// The squares of the lengths of the items' sketches, up to the end of the last panel.
    norms: Vec<f32>,
    /// What a byte is worth.
    step: f32,
    /// The bounds for each source that has been asked about, if they are kept.
    kept: Vec<OnceLock<Box<[u8]>>>,
}

impl<'a> Sieve<'a> {
    /// Bounds beyond `farthest` are not told from each other.
    pub(crate) fn new(sketches: &'a Sketches, items: &[u32], farthest: f32) -> Self {
        let sources = sketches.len();
        let mut norms: Vec<f32> = items.iter().map(|&item| sketches.norm(item)).collect();
        norms.resize(items.len().next_multiple_of(BLOCK), 0.0);
        let affordable = sources.saturating_mul(items.len()) <= KEPT_BYTES;
        let mut positions = vec![0; sources];
        for (position, &item) in items.iter().enumerate() {
            positions[item as usize] = position as u32;
        }
        Self {
            sketches,
            items: items.to_vec(),
            positions,
            norms,
            panels: Panels::new(sketches.dims, items.iter().map(|&item| sketches.row(item))),
            step: (farthest / f32::from(u8::MAX)).max(f32::MIN_POSITIVE),
            kept: vec![OnceLock::new(); if affordable { sources } else { 0 }],
        }
    }

    /// Caps, given for all items of the space, as [`Sieve::sift`] wants them.
    pub(crate) fn thresholds(&self, caps: &[f32]) -> Vec<u8> {
        let mut thresholds: Vec<u8> =
            self.items.iter().map(|&item| self.threshold(caps[item as usize])).collect();
        thresholds.resize(self.norms.len(), 0);
        thresholds
    }

    /// The largest byte below a cap, or a larger one: what is up to it may be closer than the cap. Caps
    /// beyond the largest byte are reached by every bound.
    fn threshold(&self, cap: f32) -> u8 {
        ((cap / self.step).ceil() - 1.0) as u8
    }

    /// For each source, the items that may be closer to it than their cap, in order, with distances that
    /// are never above the true ones.
    pub(crate) fn sift(&self, sources: &[u32], thresholds: &[u8]) -> Vec<Vec<Hit>> {
        if self.kept.is_empty() {
            let bounds = self.bounds(sources);
            return bounds.iter().map(|bounds| self.close(bounds, thresholds)).collect();
        }
        let kept = |source: u32| &self.kept[source as usize];
        let new: Vec<u32> =
            sources.iter().copied().filter(|&source| kept(source).get().is_none()).collect();
        for (&source, bounds) in new.iter().zip(self.bounds(&new)) {
            kept(source).get_or_init(|| bounds);
        }
        let bounds = sources.iter().filter_map(|&source| kept(source).get());
        bounds.map(|bounds| self.close(bounds, thresholds)).collect()
    }

    /// Those of some items, which are among the sieve's, that may be closer to a source than their cap. All
    /// of them, if bounds are not kept.
    pub(crate) fn pick(&self, source: u32, items: &[u32], caps: &[f32]) -> Vec<u32> {
        let Some(kept) = self.kept.get(source as usize) else { return items.to_vec() };
        let bounds = kept.get_or_init(|| self.bounds(&[source]).remove(0));
        let close = |&item: &u32| {
            let bound = bounds[self.positions[item as usize] as usize];
            bound <= self.threshold(caps[item as usize])
        };
        items.iter().copied().filter(close).collect()
    }

    /// For each source, lower bounds of its distances to the items.
    fn bounds(&self, sources: &[u32]) -> Vec<Box<[u8]>> {
        let rows: Vec<&[f32]> = sources.iter().map(|&source| self.sketches.row(source)).collect();
        let row_norms: Vec<f32> =
            sources.iter().map(|&source| self.sketches.norm(source)).collect();
        let len = self.norms.len();
        let mut bounds = vec![0; sources.len() * len];
        let rounding = Rounding {
            row_norms: &row_norms,
            norms: &self.norms,
            scale: 1.0 / self.step,
            bounds: &mut bounds,
        };
        self.panels.multiply(&rows, rounding);
        // Beyond the items, nothing is up to the threshold of zero.
        for bounds in bounds.chunks_exact_mut(len) {
            bounds[self.items.len()..].fill(u8::MAX);
        }
        bounds.chunks_exact(len).map(Box::from).collect()
    }

    /// The items whose bound is up to their threshold.
    fn close(&self, bounds: &[u8], thresholds: &[u8]) -> Vec<Hit> {
        let mut hits = Vec::with_capacity(self.items.len() / 8);
        Arch::new().dispatch(Closest { sieve: self, bounds, thresholds, hits: &mut hits });
        hits
    }
}

/// Turns inner products into bounds.
struct Rounding<'a> {
    row_norms: &'a [f32],
    norms: &'a [f32],
    scale: f32,
    bounds: &'a mut [u8],
}

impl Visitor for Rounding<'_> {
    #[inline(always)]
    fn visit(&mut self, row: usize, at: usize, tile: &Tile) {
        let len = self.norms.len();
        let norms = &self.norms[at..at + WIDTH];
        let rows = self.row_norms[row..].iter().zip(self.bounds[row * len..].chunks_exact_mut(len));
        for ((row_norm, bounds), products) in rows.zip(tile) {
            for ((bound, norm), product) in
                bounds[at..at + WIDTH].iter_mut().zip(norms).zip(products)
            {
                let square = row_norm + norm - 2.0 * product;
                *bound = (square.max(0.0).sqrt() * self.scale).min(255.0) as i32 as u8;
            }
        }
    }
}

/// Picks the bounds that are up to their thresholds.
struct Closest<'a> {
    sieve: &'a Sieve<'a>,
    bounds: &'a [u8],
    thresholds: &'a [u8],
    hits: &'a mut Vec<Hit>,
}

impl WithSimd for Closest<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Sieve { items, step, .. } = self.sieve;
        let (bounds, _) = self.bounds.as_chunks::<BLOCK>();
        let (thresholds, _) = self.thresholds.as_chunks::<BLOCK>();
        for (block, (bounds, thresholds)) in bounds.iter().zip(thresholds).enumerate() {
            let mut close = up_to(bounds, thresholds);
            while close != 0 {
                let lane = close.trailing_zeros() as usize;
                close &= close - 1;
                let distance = f32::from(bounds[lane]) * step;
                self.hits.push(Hit { item: items[block * BLOCK + lane], distance });
            }
        }
    }
}

/// A bit for each bound that is up to its threshold.
#[inline(always)]
fn up_to(bounds: &[u8; BLOCK], thresholds: &[u8; BLOCK]) -> u64 {
    let mut close = [0_u8; BLOCK];
    for ((close, bound), threshold) in close.iter_mut().zip(bounds).zip(thresholds) {
        *close = u8::from(bound <= threshold);
    }
    // The product moves the lowest bit of each of eight bytes to the highest byte.
    let bits =
        |bytes: &[u8; 8]| u64::from_le_bytes(*bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    let bytes = close.as_chunks::<8>().0.iter().enumerate();
    bytes.fold(0, |all, (at, bytes)| all | bits(bytes) << (8 * at))
}
