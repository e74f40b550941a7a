//! Most candidates are dismissed at a glance: by what they could change at most in the clusters round them.

use super::{Centers, Swap};
use crate::nearest::Bounds;
use crate::space::{Answering, Groups};
use crate::{Hit, Question};

/// A candidate is dismissed if it misses the mark by this share of the cost: far more than rounding.
const MARGIN: f64 = 1e-9;

/// A cluster within reach of a newcomer.
struct View {
    slot: usize,
    distance: f32,
    /// What the newcomer changes in it: at most, or exactly once the items have been looked at.
    bounds: Bounds,
    exact: bool,
}

impl Centers<'_> {
    /// A lower bound of what making an item a center changes, if that alone shows that it does not change
    /// the cost by less than `below`.
    ///
    /// The clusters that promise most are looked at, until what all the others promise is too little.
    pub(super) fn glance(&self, newcomer: usize, below: f64) -> Option<Swap> {
        let groups = self.nearest.groups().filter(|_| self.losses.len() > 1)?;
        let enough = below + MARGIN * self.cost;
        self.pool.lend(|asker| {
            let anchors = asker.ask(newcomer, &Question::ball(groups.anchors(), f32::INFINITY));
            let unreached = self
                .by_loss
                .iter()
                .map(|&slot| slot as usize)
                .find(|&slot| anchors[slot].distance >= groups.farthest(slot));
            let mut views = self.views(groups, anchors);
            let nearest = (0..views.len())
                .min_by(|&a, &b| views[a].distance.total_cmp(&views[b].distance))?;
            self.look(newcomer, &mut views[nearest], groups, asker);
            loop {
                let mut saved = 0.0;
                let mut promising: Option<(usize, f64)> = None;
                let mut cheapest =
                    (None, unreached.map_or(f64::INFINITY, |slot| self.losses[slot]));
                for (at, view) in views.iter().enumerate() {
                    saved += view.bounds.saved;
                    if !view.exact && promising.is_none_or(|(_, most)| view.bounds.saved > most) {
                        promising = Some((at, view.bounds.saved));
                    }
                    let loss = self.losses[view.slot] - view.bounds.relief;
                    if loss < cheapest.1 {
                        cheapest = (Some(at), loss);
                    }
                }
                let change = cheapest.1 - saved;
                if change >= enough {
                    let slot = cheapest.0.map_or(unreached, |at| Some(views[at].slot))?;
                    return Some(Swap { newcomer, slot, change });
                }
                let open = cheapest.0.filter(|&at| !views[at].exact);
                let next = match (promising, open) {
                    (Some((at, most)), Some(other)) => {
                        if most > views[other].bounds.relief {
                            at
                        } else {
                            other
                        }
                    }
                    (Some((at, most)), None) if most > 0.0 => at,
                    (_, None) => return None,
                    (None, Some(other)) => other,
                };
                self.look(newcomer, &mut views[next], groups, asker);
            }
        })
    }

    /// The clusters within reach, given the distances to all centers.
    fn views(&self, groups: &Groups, anchors: &[Hit]) -> Vec<View> {
        let view = |(slot, hit): (usize, &Hit)| {
            let distance = hit.distance;
            (distance < groups.farthest(slot)).then(|| {
                let mut bounds = self.nearest.outlook(slot, distance);
                bounds.relief = bounds.relief.min(self.losses[slot]);
                View { slot, distance, bounds, exact: false }
            })
        };
        anchors.iter().enumerate().filter_map(view).collect()
    }

    /// Looks at the items of a cluster within reach.
    fn look(&self, newcomer: usize, view: &mut View, groups: &Groups, asker: &mut Answering<'_>) {
        let items = groups.reached(view.slot, view.distance);
        let question = Question::listed(items, &self.nearest.caps);
        let mut bounds = Bounds::default();
        for hit in asker.ask(newcomer, &question) {
            let (saved, relief) = self.changes(hit);
            bounds.saved += saved;
            bounds.relief += relief;
        }
        *view = View { bounds, exact: true, ..*view };
    }

    /// What a newcomer changes for an item: what it saves, and what it takes off the loss of its center.
    fn changes(&self, hit: &Hit) -> (f64, f64) {
        let item = hit.item as usize;
        let weight = self.problem.demand.of(item);
        let objective = self.problem.objective;
        let here = objective.of(hit.distance);
        let [first, second] = self.nearest.pair(item).distances.map(|d| objective.of(d));
        (weight * (first - here).max(0.0), weight * (second - here.max(first)))
    }
}
