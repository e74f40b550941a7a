//! Comparing distances that are known with caps.

use super::unit::{LANES, Task, Unit};
use crate::space::{Caps, Hit};

/// The number of items that are compared before the hits among them are written: as many as a
/// 64-bit number has bits. The processor cannot predict where a run of hits ends, so there should
/// be few runs.
const BLOCK: usize = 4 * LANES;

/// The task to compare the known distances of consecutive items with their caps.
pub(super) struct Lookup<'a> {
    /// The item that the first distance belongs to.
    pub(super) first: usize,
    pub(super) distances: &'a [f32],
    pub(super) caps: Caps<'a>,
    pub(super) hits: &'a mut Vec<Hit>,
}

impl Task for Lookup<'_> {
    type Output = ();

    #[inline(always)]
    fn run<U: Unit>(self, unit: U) {
        let Self { first, distances, caps, hits } = self;
        for (block, distances) in distances.chunks(BLOCK).enumerate() {
            let start = first + block * BLOCK;
            let (parts, rest) = distances.as_chunks::<LANES>();
            let mut closer = 0;
            for (part, distances) in parts.iter().enumerate() {
                let start = start + part * LANES;
                let caps = match caps {
                    Caps::Uniform(cap) => unit.load(&[cap; LANES]),
                    Caps::PerItem(caps) => unit.load(some(caps, start)),
                    Caps::Raised(caps, by) => {
                        unit.add(unit.load(some(caps, start)), unit.load(&[by; LANES]))
                    }
                };
                closer |= u64::from(unit.below(unit.load(distances), caps)) << (part * LANES);
            }
            for (at, &distance) in (parts.len() * LANES..).zip(rest) {
                closer |= u64::from(distance < caps.of(start + at)) << at;
            }
            while closer != 0 {
                let at = closer.trailing_zeros() as usize;
                closer &= closer - 1;
                hits.push(Hit { item: (start + at) as u32, distance: distances[at] });
            }
        }
    }
}

/// The caps of [`LANES`] items from `start` on.
#[inline(always)]
fn some(caps: &[f32], start: usize) -> &[f32; LANES] {
    const NONE: &[f32; LANES] = &[0.0; LANES];
    caps.get(start..).and_then(<[f32]>::first_chunk).unwrap_or(NONE)
}
