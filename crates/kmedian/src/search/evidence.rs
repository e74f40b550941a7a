//! What judged candidates prove about their neighbors, so that most candidates need no search.
//!
//! *Round a judged candidate.* No item is nearer to a candidate c' than to c by more than their
//! distance δ. So a swap of c' cannot save much more than one of c: see [`Judgment`], which holds
//! until a swap touches an item that it is a sum over.
//!
//! *Between two judged candidates.* Where there is a chain (a path without a branch) from c to e,
//! and c' is on it, t along of a length L, everything outside is min(d(c, x) + t, d(e, x) + L − t)
//! away: for k-median, a concave function of t, and so is its minimum with what x would cost
//! otherwise, and the sum over all items. Hence what a swap of c' changes is at least what lies
//! between the changes for c and for e, on a straight line. The items on the way itself make an
//! exception: |t − t'| is convex, but not by more than L / 2 below its own straight line, so as
//! much is taken off for their demand. Squares are not concave: for k-means this is not used.

mod judgment;

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::Swap;
use super::pairs::Pairs;
use crate::space::{Answering, AskerPool, Chain, Hit};
use crate::{Halt, Objective, Problem};
use judgment::{Judgment, JudgmentSums};

/// How far from a judged candidate its judgment is used, as a share of the mean distance of items
/// to their nearest center: about as far as it dismisses others. Farther, each search would take
/// longer and dismiss no more.
const REACH: f64 = 0.2;

/// The number of candidates that are judged, in parallel, before what was learned from them is
/// used. Fixed, so that the number of threads does not change the answer.
const TOGETHER: usize = 32;

/// The most slots that a judgment may speak of to be kept: with this limit, judgments take O(n)
/// memory in all.
const MOST_SLOTS: usize = 32;

/// The share of the cost that is left to rounding, in units of the relative error of a distance.
const ROUNDINGS: f64 = 16.0;

/// The judgments of candidates that still hold, and for every item the nearest of them.
pub(crate) struct Evidence {
    /// The distance from a candidate up to which its judgment speaks of others.
    reach: f32,
    /// By candidate, its judgment, if it was judged and no swap has changed it since. Empty before
    /// the first is judged.
    judgments: Vec<Option<Box<Judgment>>>,
    /// For every item, a judged candidate nearby, and how far it is away.
    nearest_judged: Vec<NearestJudged>,
    /// The demand on each chain (path without a branch), by the number of the chain.
    on_chain: Vec<f64>,
    /// The share of the cost that may be rounding.
    rounding: f64,
    sums: Mutex<Vec<JudgmentSums>>,
}

/// A judged candidate near an item, and how far it is away.
#[derive(Clone, Copy)]
struct NearestJudged {
    candidate: u32,
    away: f32,
}

/// The current centers, against which a judgment is evaluated.
pub(crate) struct CurrentCenters<'a, 's> {
    pub(crate) problem: &'a Problem<'s>,
    pub(crate) halt: &'a Halt,
    pub(crate) pairs: &'a Pairs,
    /// The largest distance of an item to its second-nearest center.
    pub(crate) largest_cap: f32,
    pub(crate) pool: &'a AskerPool<'s>,
    pub(crate) cost: f64,
    /// What it costs to lose the center in each slot; zero if there is no other.
    pub(crate) losses: &'a [f64],
    /// The slots by what it costs to lose their center, cheapest first.
    pub(crate) by_loss: &'a [u32],
    /// Only swaps that change the cost by less than this are wanted.
    pub(crate) below: f64,
}

/// A candidate that was judged.
struct Judged {
    /// The best swap that makes the candidate a center.
    swap: Swap,
    judgment: Judgment,
    /// The candidates that its judgment dismisses as well, and how far they are from it.
    nearby: Vec<Hit>,
}

impl Evidence {
    /// Evidence without any judgment yet. How far judgments are used follows from the cost of the
    /// centers that the search begins with.
    pub(crate) fn new(problem: &Problem<'_>, cost: f64) -> Self {
        let Problem { space, demand, objective, .. } = problem;
        Self {
            reach: (REACH * objective.distance(cost / demand.total())) as f32,
            judgments: Vec::new(),
            nearest_judged: Vec::new(),
            on_chain: Vec::new(),
            rounding: ROUNDINGS * f64::from(space.relative_error()),
            sums: Mutex::default(),
        }
    }

    /// Makes room for judgments of all items, before the first is made.
    fn make_room(&mut self, problem: &Problem<'_>) {
        let Problem { space, demand, objective, .. } = problem;
        let unjudged = |item| NearestJudged { candidate: item, away: 0.0 };
        self.judgments = (0..space.len()).map(|_| None).collect();
        self.nearest_judged = (0..space.len() as u32).map(unjudged).collect();
        for item in (0..space.len()).filter(|_| *objective == Objective::Median) {
            if let Some(Chain { number, .. }) = space.own().chain(item) {
                if self.on_chain.len() <= number {
                    self.on_chain.resize(number + 1, 0.0);
                }
                self.on_chain[number] += demand.of(item);
            }
        }
    }

    /// The best swap for each of some candidates, if it is wanted. May come with swaps of other
    /// candidates, that were judged to dismiss these.
    pub(crate) fn improving(
        &mut self,
        current: &CurrentCenters<'_, '_>,
        candidates: &[u32],
    ) -> Vec<Swap> {
        if self.judgments.is_empty() {
            self.make_room(current.problem);
        }
        let mut swaps = Vec::new();
        // The ends of a chain first, if they are candidates: they may dismiss all between them.
        let sites = current.problem.sites();
        let ends = candidates.iter().flat_map(|&item| {
            let chain = self.chain(item, current);
            let ends = chain.into_iter().flat_map(|chain| chain.ends);
            ends.filter(|&end| sites.is_candidate(end as usize)).map(move |end| (end, item))
        });
        let ends: Vec<(u32, u32)> = ends.collect();
        self.judge_all(current, &mut swaps, &ends, |known, &(end, item)| {
            let unknown = known.judgments[end as usize].is_none()
                && !current.pairs.is_center(end as usize)
                && !known.dismisses(item, current);
            unknown.then_some(end)
        });
        self.judge_all(current, &mut swaps, candidates, |known, &item| {
            (!known.dismisses(item, current)).then_some(item)
        });
        swaps
    }

    /// Judges the candidates that `unknown` finds in a list, given what is known by then. Appends
    /// the swaps that are wanted to `swaps`, and keeps the judgments.
    fn judge_all<T>(
        &mut self,
        current: &CurrentCenters<'_, '_>,
        swaps: &mut Vec<Swap>,
        list: &[T],
        unknown: impl Fn(&Self, &T) -> Option<u32>,
    ) {
        let mut rest = list.iter();
        loop {
            let known = &*self;
            let batch = rest.by_ref().filter_map(|entry| unknown(known, entry)).take(TOGETHER);
            let mut batch: Vec<u32> = batch.collect();
            if batch.is_empty() || current.halt.is_stopped() {
                return;
            }
            batch.sort_unstable();
            batch.dedup();
            let judged: Vec<Judged> =
                batch.par_iter().map(|&item| known.judge(item, current)).collect();
            for judged in judged {
                if judged.swap.change < current.below {
                    swaps.push(judged.swap);
                }
                self.keep(judged);
            }
        }
    }

    /// Whether a candidate is a center, or its swaps are known not to be wanted.
    fn dismisses(&self, item: u32, current: &CurrentCenters<'_, '_>) -> bool {
        if current.pairs.is_center(item as usize) {
            return true;
        }
        if let Some(own) = &self.judgments[item as usize] {
            return own.change(current, 0.0, 0.0).1 >= current.below;
        }
        self.bound(item, current) >= current.below
            || self.chain(item, current).is_some_and(|chain| {
                let share = chain.along / chain.length;
                let [first, second] = chain.ends.map(|end| self.bound(end, current));
                let convex = self.on_chain[chain.number] * chain.length / 2.0;
                (1.0 - share) * first + share * second - convex >= current.below
            })
    }

    /// A lower bound of what a swap of a candidate changes, from its own judgment or that of the
    /// nearest judged candidate; −∞ if neither holds.
    fn bound(&self, item: u32, current: &CurrentCenters<'_, '_>) -> f64 {
        if current.pairs.is_center(item as usize) {
            return 0.0;
        }
        let NearestJudged { candidate, away } = self.nearest_judged[item as usize];
        let own = self.judgments[item as usize].as_ref().map(|own| (own, 0.0));
        let nearest = self.judgments[candidate as usize].as_ref().map(|nearest| (nearest, away));
        own.or(nearest).map_or(f64::NEG_INFINITY, |(judgment, away)| {
            judgment.change(current, f64::from(away), self.rounding).1
        })
    }

    /// The chain that a candidate is on, if what a swap changes is concave along it: for k-median
    /// alone.
    fn chain(&self, item: u32, current: &CurrentCenters<'_, '_>) -> Option<Chain> {
        let Problem { space, objective, .. } = current.problem;
        (*objective == Objective::Median).then(|| space.own().chain(item as usize)).flatten()
    }

    /// Judges a candidate, and finds those near it that are dismissed with it.
    fn judge(&self, item: u32, current: &CurrentCenters<'_, '_>) -> Judged {
        let sums = || self.sums.lock().unwrap_or_else(PoisonError::into_inner);
        current.pool.lend(|asker| {
            asker.ask(
                item as usize,
                &current.pairs.question_beyond(self.reach, current.largest_cap),
            );
            let mut buffer = sums().pop().unwrap_or_default();
            let judgment = buffer.write(current, self.reach, &asker.hits);
            sums().push(buffer);
            let (slot, change) = judgment.change(current, 0.0, 0.0);
            let far = judgment.dismisses_up_to(current).min(f64::from(self.reach));
            let nearby = asker.hits.iter().take_while(|hit| f64::from(hit.distance) <= far);
            Judged {
                swap: Swap { newcomer: item as usize, slot, change },
                nearby: nearby.copied().collect(),
                judgment,
            }
        })
    }

    /// Keeps a judgment, for its candidate and for those near it that have no nearer one.
    fn keep(&mut self, judged: Judged) {
        if judged.judgment.slots() > MOST_SLOTS {
            return;
        }
        let candidate = judged.swap.newcomer as u32;
        for Hit { item: other, distance: away } in judged.nearby {
            let nearest = self.nearest_judged[other as usize];
            if self.judgments[nearest.candidate as usize].is_none() || away < nearest.away {
                self.nearest_judged[other as usize] = NearestJudged { candidate, away };
            }
        }
        self.judgments[candidate as usize] = Some(Box::new(judged.judgment));
    }

    /// Drops the judgments that a swap has changed: those with a touched item in their sums. Each
    /// touched item comes with its cap, the larger of the distances to its second-nearest center
    /// before and after.
    pub(crate) fn drop_near(&mut self, touched: &[Hit], asker: &mut Answering<'_>) {
        if self.judgments.is_empty() {
            return;
        }
        let reach = |hit: &Hit| Hit { item: hit.item, distance: hit.distance + self.reach };
        let touched: Vec<Hit> = touched.iter().map(reach).collect();
        asker.asker.ask_around(&touched, &mut asker.hits);
        for hit in &asker.hits {
            self.judgments[hit.item as usize] = None;
        }
    }
}
