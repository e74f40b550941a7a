//! What a candidate would change, and how much more candidates near it could.
//!
//! Let a(x) be what item x would cost after the center in slot s has left: the distance to its
//! second-nearest center if s served it, else to its nearest. A swap of a candidate c for s changes
//! the cost by the sum of w(x) · (min(d(c, x), a(x)) − d1(x)). Against that, the same sum for c',
//! at a distance δ, can only be less where d(c', x) < a(x), and so d(c, x) < a(x) + δ, and then by
//! no more than w(x) · δ (for k-means w(x) · 2 · min(d(c, x), a(x)) · δ). These slopes are added up
//! once, over the items with d(c, x) < a(x) + reach: they hold for all c' with δ ≤ reach.

use super::CurrentCenters;
use crate::Problem;
use crate::space::Hit;

/// What making a candidate a center would change, and bounds for candidates near it.
pub(super) struct Judgment {
    /// What the candidate saves if no center leaves, and how much more another one may save for
    /// each unit of distance between them.
    saved: Slope,
    /// What the candidate takes off the losses of the centers whose items it is close to, by
    /// ascending slot.
    reliefs: Box<[(u32, Slope)]>,
}

/// A value at a candidate, and a bound of how fast it grows with the distance from there.
#[derive(Clone, Copy, Default, PartialEq)]
struct Slope {
    value: f64,
    growth: f64,
}

/// A buffer for a judgment that is being written: what is taken off the loss of every slot, and
/// which slots have such a relief.
#[derive(Default)]
pub(super) struct JudgmentSums {
    reliefs: Vec<Slope>,
    touched: Vec<u32>,
}

impl Judgment {
    /// The best slot for a candidate at the distance `away` from the judged one, and a lower bound
    /// of the change; for the judged one itself, at zero, the change. The share `rounding` of the
    /// cost and of the loss is taken off.
    pub(super) fn change(
        &self,
        current: &CurrentCenters<'_, '_>,
        away: f64,
        rounding: f64,
    ) -> (usize, f64) {
        let saved = self.saved.at(away);
        let relieved = self.reliefs.iter().map(|&(slot, relief)| (slot as usize, relief.at(away)));
        relieved
            .chain(self.untouched(current).map(|slot| (slot, 0.0)))
            // A fixed center, whose loss is infinite, never leaves.
            .filter(|&(slot, _)| current.losses[slot].is_finite())
            .map(|(slot, relief)| {
                let loss = current.losses[slot];
                (slot, loss - relief - saved - rounding * (current.cost + loss))
            })
            .min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)))
            .unwrap_or((0, 0.0))
    }

    /// The number of slots that the judgment has a relief for.
    pub(super) fn slots(&self) -> usize {
        self.reliefs.len()
    }

    /// The distance from the judged candidate up to which others are dismissed, up to rounding.
    pub(super) fn dismisses_up_to(&self, current: &CurrentCenters<'_, '_>) -> f64 {
        let far = |slot: u32, relief: Slope| {
            let change = current.losses[slot as usize] - relief.value - self.saved.value;
            (change - current.below) / (relief.growth + self.saved.growth)
        };
        let untouched = self.untouched(current).map(|slot| (slot as u32, Slope::default()));
        self.reliefs
            .iter()
            .copied()
            .chain(untouched)
            .map(|(slot, relief)| far(slot, relief))
            .fold(f64::INFINITY, f64::min)
    }

    /// The slot without a relief whose center is cheapest to lose.
    fn untouched(&self, current: &CurrentCenters<'_, '_>) -> Option<usize> {
        let touched =
            |slot: &u32| self.reliefs.binary_search_by_key(slot, |relief| relief.0).is_ok();
        current.by_loss.iter().find(|slot| !touched(slot)).map(|&slot| slot as usize)
    }
}

impl Slope {
    fn at(self, away: f64) -> f64 {
        self.value + self.growth * away
    }

    fn add(&mut self, weight: f64, value: f64, growth: f64) {
        self.value += weight * value;
        self.growth += weight * growth;
    }
}

impl JudgmentSums {
    /// Adds up what a candidate changes for its hits: the items closer to it than their caps plus
    /// `reach`.
    pub(super) fn write(
        &mut self,
        current: &CurrentCenters<'_, '_>,
        reach: f32,
        hits: &[Hit],
    ) -> Judgment {
        let CurrentCenters { problem: Problem { demand, objective, .. }, pairs, .. } = current;
        self.reliefs.resize(pairs.centers().len(), Slope::default());
        let mut saved = Slope::default();
        for hit in hits {
            let (item, here) = (hit.item as usize, hit.distance);
            let weight = demand.of(item);
            if weight == 0.0 {
                continue;
            }
            let [near, far] = pairs.of(item).distances;
            // What is gained where an item would cost `cap` otherwise, and how fast that may grow.
            let gain = |cap: f32| {
                if here < cap + reach {
                    let now = here.min(cap);
                    (objective.of(cap) - objective.of(now), objective.growth(now))
                } else {
                    (0.0, 0.0)
                }
            };
            let anyhow = gain(near);
            // With a single center there is no second one to fall back to: whatever is left of the
            // item's cost is the candidate's to bear.
            let alone = || (objective.of(near) - objective.of(here), objective.growth(here));
            let if_left = if far.is_finite() { gain(far) } else { alone() };
            saved.add(weight, anyhow.0, anyhow.1);
            let slot = pairs.of(item).slots[0];
            let relief = &mut self.reliefs[slot as usize];
            if *relief == Slope::default() {
                self.touched.push(slot);
            }
            relief.add(weight, if_left.0 - anyhow.0, if_left.1 - anyhow.1);
        }
        self.touched.sort_unstable();
        self.touched.dedup();
        let take = |slot: u32| (slot, std::mem::take(&mut self.reliefs[slot as usize]));
        Judgment { saved, reliefs: self.touched.drain(..).map(take).collect() }
    }
}
