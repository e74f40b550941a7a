//! What a newcomer takes off the losses of the centers.

use std::sync::{Mutex, PoisonError};

/// The number of centers up to which all of them are compared once reliefs are added up: that takes
/// less time than to note which have a relief.
const FEW: usize = 64;

/// A buffer for the relief of each slot: what a newcomer takes off the cost of losing its center.
/// All reliefs are zero before and after use.
#[derive(Default)]
pub(super) struct Reliefs {
    relief: Vec<f64>,
    touched: Vec<u32>,
    /// By slot, the relief in parts that are added up at the end.
    by_lane: Vec<[f64; LANES]>,
}

/// The number of parts in which a relief may be added up, so that an addition need not wait for the
/// one before it: an addition in memory takes as long as four in registers.
pub(super) const LANES: usize = 4;

/// The number of centers up to which reliefs are added up in lanes: with more, summing the lanes of
/// all centers takes longer than it saves.
const FEW_IN_LANES: usize = 256;

/// Whether the reliefs of so many centers are added up in lanes.
pub(super) fn add_up_in_lanes(centers: usize) -> bool {
    (2..=FEW_IN_LANES).contains(&centers)
}

impl Reliefs {
    /// The slot whose loss, less its relief, is smallest, and that difference; of equal ones the
    /// first slot.
    ///
    /// `losses` is what it costs to lose the center in each slot, `by_loss` are the slots by
    /// increasing loss, and `reliefs` come as slots and amounts, which are added up.
    #[inline]
    pub(super) fn cheapest(
        &mut self,
        losses: &[f64],
        by_loss: &[u32],
        reliefs: impl Iterator<Item = (u32, f64)>,
    ) -> (usize, f64) {
        let many = losses.len() > FEW;
        self.add_up(losses.len(), many, reliefs);
        if many { self.cheapest_of_touched(losses, by_loss) } else { self.cheapest_of_all(losses) }
    }

    /// Adds up reliefs, and notes which slots they touch, if `note` asks for that.
    #[inline]
    fn add_up(&mut self, slots: usize, note: bool, reliefs: impl Iterator<Item = (u32, f64)>) {
        let Self { relief, touched, .. } = self;
        relief.resize(slots, 0.0);
        reliefs.for_each(|(slot, by)| {
            let relief = &mut relief[slot as usize];
            if note && *relief == 0.0 && by > 0.0 {
                touched.push(slot);
            }
            *relief += by;
        });
    }

    /// For each of so many slots, its relief in parts, all zero, to be added to.
    pub(super) fn by_lane(&mut self, slots: usize) -> &mut [[f64; LANES]] {
        self.by_lane.resize(slots, [0.0; LANES]);
        &mut self.by_lane
    }

    /// The slot whose loss, less its relief by lane, is smallest, and that difference; of equal ones
    /// the first slot.
    pub(super) fn cheapest_by_lane(&mut self, losses: &[f64]) -> (usize, f64) {
        self.relief.resize(losses.len(), 0.0);
        for (relief, lanes) in self.relief.iter_mut().zip(&mut self.by_lane) {
            *relief = std::mem::take(lanes).iter().sum();
        }
        self.cheapest_of_all(losses)
    }

    fn cheapest_of_all(&mut self, losses: &[f64]) -> (usize, f64) {
        let mut best = (0, f64::INFINITY);
        for (slot, (loss, relief)) in losses.iter().zip(&mut self.relief).enumerate() {
            let left = loss - std::mem::take(relief);
            if left < best.1 {
                best = (slot, left);
            }
        }
        best
    }

    /// The cheapest of the slots with a relief and of the first slot, by increasing loss, without
    /// one: no slot behind that one is cheaper, unless it has a relief.
    fn cheapest_of_touched(&mut self, losses: &[f64], by_loss: &[u32]) -> (usize, f64) {
        let Self { relief, touched, .. } = self;
        let left = |&slot: &u32| (slot as usize, losses[slot as usize] - relief[slot as usize]);
        let untouched = by_loss.iter().find(|&&slot| relief[slot as usize] == 0.0);
        let cheaper = |a: &(usize, f64), b: &(usize, f64)| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0));
        let best = touched.iter().chain(untouched).map(left).min_by(cheaper).unwrap_or((0, 0.0));
        for slot in touched.drain(..) {
            relief[slot as usize] = 0.0;
        }
        best
    }
}

/// Buffers of reliefs, each lent to a thread for one call and reused by the next.
#[derive(Default)]
pub(super) struct ReliefsPool {
    idle: Mutex<Vec<Reliefs>>,
}

impl ReliefsPool {
    /// Lends a buffer of reliefs for the time of one call.
    pub(super) fn lend<T>(&self, work: impl FnOnce(&mut Reliefs) -> T) -> T {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut buffer = idle.unwrap_or_default();
        let result = work(&mut buffer);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_find_the_same_slot() {
        let losses = [4.0, 1.0, 1.0, 3.0, 2.0];
        let by_loss = [1, 2, 4, 3, 0];
        let cases = [
            (vec![], (1, 1.0)),
            (vec![(0, 1.5), (3, 0.5), (0, 2.0)], (0, 0.5)),
            (vec![(2, 0.0), (4, 1.0)], (1, 1.0)),
            (vec![(3, 2.5), (0, 3.5)], (0, 0.5)),
        ];
        let mut buffer = Reliefs::default();
        for (reliefs, best) in cases {
            buffer.add_up(losses.len(), false, reliefs.iter().copied());
            assert_eq!(buffer.cheapest_of_all(&losses), best);
            buffer.add_up(losses.len(), true, reliefs.iter().copied());
            assert_eq!(buffer.cheapest_of_touched(&losses, &by_loss), best);
            assert_eq!(buffer.relief, [0.0; 5]);
        }
    }
}
