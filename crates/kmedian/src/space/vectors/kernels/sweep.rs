//! The scan for the items that are close to a source.

use super::batches::{Batch, Batches, Reached};
use super::block::{Probe, Short, Together};
use super::metric::{Found, Kernel};
use super::row::Long;
use super::unit::{LANES, Task, Unit};
use super::writer::Writer;
use super::{Items, Rows};
use crate::space::{Caps, Hit};

/// A scan, from the row of the source to the hits.
pub(super) struct Sweep<'a, K> {
    pub(super) kernel: K,
    pub(super) rows: Rows<'a>,
    pub(super) from: &'a [f32],
    pub(super) items: Items<'a>,
    pub(super) caps: Caps<'a>,
    pub(super) hits: &'a mut Vec<Hit>,
}

impl<K: Kernel> Task for Sweep<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<U: Unit>(self, unit: U) {
        match self.rows.stride {
            4 => self.with(unit, Short::<4>),
            8 => self.with(unit, Short::<8>),
            16 => self.with(unit, Short::<16>),
            32 if U::WIDE => self.with(unit, Short::<32>),
            stride if stride <= middling::<U>() => self.with(unit, Together),
            _ => self.with(unit, Long),
        }
    }
}

/// The most coordinates of rows that are folded to the end, sixteen rows at once, although each may
/// reach its cap before: up to there, giving up costs more than it saves, unless a fold takes all
/// registers of the unit.
const fn middling<U: Unit>() -> usize {
    if U::WIDE { 1024 } else { 256 }
}

impl<K: Kernel> Sweep<'_, K> {
    #[inline(always)]
    fn with<U: Unit, P: Probe>(self, unit: U, probe: P) {
        let Self { kernel, rows, from, items, caps, hits } = self;
        let source = Source { unit, kernel, probe, rows, from };
        let batches = match items {
            Items::Range(start, end) => Batches::Range(start, end),
            Items::Listed(items) => Batches::Listed(items),
            Items::Grouped(groups) => Batches::Grouped(Reached::new(source, groups)),
        };
        source.sweep(batches, caps, hits);
    }
}

/// Where a question is asked from, and how it is answered.
#[derive(Clone, Copy)]
pub(super) struct Source<'a, U, K, P> {
    unit: U,
    kernel: K,
    probe: P,
    rows: Rows<'a>,
    from: &'a [f32],
}

impl<U: Unit, K: Kernel, P: Probe> Source<'_, U, K, P> {
    #[inline(always)]
    fn sweep(self, mut batches: Batches<'_, U, K, P>, caps: Caps<'_>, hits: &mut Vec<Hit>) {
        let mut writer = Writer::new(hits);
        let mut put_together = [0; LANES];
        loop {
            let (items, count) = batches.next(&mut put_together);
            if count == 0 {
                break;
            }
            let mut batch = Batch { items, caps: [0.0; LANES], count };
            match caps {
                Caps::Uniform(cap) => batch.caps = [cap; LANES],
                Caps::PerItem(caps) => {
                    for (cap, &item) in batch.caps.iter_mut().zip(items) {
                        *cap = caps[item as usize];
                    }
                }
                Caps::Raised(caps, by) => {
                    for (cap, &item) in batch.caps.iter_mut().zip(batch.items) {
                        *cap = caps[item as usize] + by;
                    }
                }
            }
            writer.write(items, &self.probe(&batch));
        }
        writer.flush();
    }

    /// Which items of a batch are closer than their caps.
    #[inline(always)]
    pub(super) fn probe(&self, batch: &Batch<'_>) -> Found {
        self.probe.probe(self.unit, self.kernel, self.rows, self.from, batch)
    }
}
