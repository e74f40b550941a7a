//! Most candidates are dismissed at a glance: by what they could change at most in the clusters round them.

use super::{Centers, Swap};
use crate::nearest::Bounds;
use crate::space::{Answering, Groups};
use crate::{Hit, Question};

/// A candidate is dismissed if it misses the mark by this share of the cost: far more than rounding.
const MARGIN: f64 = 1e-9;

/// So many candidates look at a cluster together; fewer do so one by one.
const COMPANY: usize = 8;

/// What is known of a candidate.
struct Outlook {
    newcomer: u32,
    /// The clusters within its reach.
    views: Vec<View>,
    /// The slot that is cheapest to lose of those out of its reach.
    unreached: Option<usize>,
    /// Which of the clusters is the nearest.
    nearest: usize,
}

/// A cluster within reach of a newcomer.
#[derive(Clone, Copy)]
struct View {
    slot: usize,
    distance: f32,
    /// What the newcomer changes in it: at most, or exactly once the items have been looked at.
    bounds: Bounds,
    exact: bool,
}

impl Centers<'_> {
    /// For each candidate a lower bound of what making it a center changes, if that alone shows that it does
    /// not change the cost by less than `below`.
    ///
    /// All look at the clusters that they are in: together, as items that are close to each other mostly come
    /// together. Whoever is still promising then looks at more of the items.
    pub(super) fn glance(&self, candidates: &[u32], below: f64) -> Vec<Option<Swap>> {
        let Some(groups) = self.nearest.groups().filter(|_| self.losses.len() > 1) else {
            return vec![None; candidates.len()];
        };
        let enough = below + MARGIN * self.cost;
        self.pool.lend(|asker| {
            let mut outlooks = self.look_round(candidates, groups, asker);
            for same in outlooks.chunk_by_mut(|a, b| a.slot() == b.slot()) {
                self.look_inside(same, groups, asker);
            }
            outlooks
                .iter_mut()
                .map(|outlook| self.dismiss(outlook, groups, enough, asker))
                .collect()
        })
    }

    /// What candidates could change in the clusters within reach.
    fn look_round(
        &self,
        candidates: &[u32],
        groups: &Groups,
        asker: &mut Answering<'_>,
    ) -> Vec<Outlook> {
        let outlook =
            |&newcomer: &u32| Outlook { newcomer, views: Vec::new(), unreached: None, nearest: 0 };
        let mut outlooks: Vec<Outlook> = candidates.iter().map(outlook).collect();
        for slot in self.by_loss.iter().map(|&slot| slot as usize) {
            let farthest = groups.farthest(slot);
            let question = Question::ball(candidates, f32::INFINITY);
            let hits = asker.ask(self.centers()[slot], &question);
            for (outlook, hit) in outlooks.iter_mut().zip(hits) {
                if hit.distance < farthest {
                    let outline = self.nearest.outline(slot);
                    let mut bounds = outline.map_or(Bounds::default(), |o| o.at(hit.distance));
                    bounds.relief = bounds.relief.min(self.losses[slot]);
                    outlook.add(View { slot, distance: hit.distance, bounds, exact: false });
                } else {
                    outlook.unreached.get_or_insert(slot);
                }
            }
        }
        outlooks
    }

    /// Lets candidates with the same nearest cluster look at its items.
    fn look_inside(&self, same: &mut [Outlook], groups: &Groups, asker: &mut Answering<'_>) {
        let Some(slot) = same[0].slot() else { return };
        if same.len() < COMPANY {
            for Outlook { newcomer, views, nearest, .. } in same {
                self.look(*newcomer as usize, &mut views[*nearest], groups, asker);
            }
            return;
        }
        let distance = same.iter().map(|outlook| outlook.views[outlook.nearest].distance);
        let items = groups.reached(slot, distance.fold(f32::INFINITY, f32::min));
        let newcomers: Vec<u32> = same.iter().map(|outlook| outlook.newcomer).collect();
        let mut sums = vec![Bounds::default(); same.len()];
        for &item in items {
            let question = Question::ball(&newcomers, f32::INFINITY);
            let hits = asker.ask(item as usize, &question);
            for (sum, hit) in sums.iter_mut().zip(hits) {
                sum.add(self.change(&Hit { item, distance: hit.distance }));
            }
        }
        for (outlook, bounds) in same.iter_mut().zip(sums) {
            let view = &mut outlook.views[outlook.nearest];
            *view = View { bounds, exact: true, ..*view };
        }
    }

    /// Dismisses a candidate, if what is known of the clusters is enough; if not, it looks at all items that it
    /// may save something, and then at the clusters whose centers it may relieve of too much.
    fn dismiss(
        &self,
        outlook: &mut Outlook,
        groups: &Groups,
        enough: f64,
        asker: &mut Answering<'_>,
    ) -> Option<Swap> {
        let newcomer = outlook.newcomer as usize;
        let promised = outlook.views.iter().map(|view| view.bounds.saved).sum();
        let swap = self.cheapest(outlook, promised)?;
        if swap.change >= enough {
            return Some(swap);
        }
        let saved = self.saved(outlook, asker);
        let blocks = |view: &View| self.losses[view.slot] - view.bounds.relief - saved < enough;
        let open = |view: &View| blocks(view) && !view.exact;
        if outlook.unreached.is_some_and(|slot| self.losses[slot] - saved < enough)
            || outlook.views.iter().any(|view| blocks(view) && view.exact)
        {
            return None;
        }
        for view in outlook.views.iter_mut().filter(|view| open(view)) {
            self.look(newcomer, view, groups, asker);
            if blocks(view) {
                return None;
            }
        }
        self.cheapest(outlook, saved)
    }

    /// The best swap by what is known, if so much is saved whoever leaves.
    fn cheapest(&self, outlook: &Outlook, saved: f64) -> Option<Swap> {
        let reached = outlook
            .views
            .iter()
            .map(|view| (view.slot, self.losses[view.slot] - view.bounds.relief));
        let unreached = outlook.unreached.map(|slot| (slot, self.losses[slot]));
        let (slot, loss) = reached.chain(unreached).min_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(Swap { newcomer: outlook.newcomer as usize, slot, change: loss - saved })
    }

    /// What a candidate saves all items together, if nobody leaves.
    fn saved(&self, outlook: &Outlook, asker: &mut Answering<'_>) -> f64 {
        let (seen, open): (Vec<&View>, Vec<&View>) =
            outlook.views.iter().partition(|view| view.exact);
        let outlines = open.iter().filter_map(|view| {
            self.nearest.outline(view.slot).map(|outline| outline.savable(view.distance))
        });
        let items: Vec<u32> = outlines.flatten().collect();
        let question = Question::listed(&items, &self.nearest.caps);
        let mut sum = Bounds::default();
        for hit in asker.ask(outlook.newcomer as usize, &question) {
            sum.add(self.change(hit));
        }
        sum.saved + seen.iter().map(|view| view.bounds.saved).sum::<f64>()
    }

    /// Looks at the items of a cluster within reach.
    fn look(&self, newcomer: usize, view: &mut View, groups: &Groups, asker: &mut Answering<'_>) {
        let items = groups.reached(view.slot, view.distance);
        let mut bounds = Bounds::default();
        for hit in asker.ask(newcomer, &Question::listed(items, &self.nearest.caps)) {
            bounds.add(self.change(hit));
        }
        *view = View { bounds, exact: true, ..*view };
    }
}

impl Outlook {
    fn add(&mut self, view: View) {
        if self.views.get(self.nearest).is_some_and(|nearest| view.distance < nearest.distance) {
            self.nearest = self.views.len();
        }
        self.views.push(view);
    }

    /// The slot of the nearest cluster within reach.
    fn slot(&self) -> Option<usize> {
        self.views.get(self.nearest).map(|view| view.slot)
    }
}
