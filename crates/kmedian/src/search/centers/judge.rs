//! What a swap would change: by evidence, by lower bounds of distances, or exactly.

use std::sync::atomic::Ordering;

use rayon::prelude::*;

use super::super::Swap;
use super::super::evidence::CurrentCenters;
use super::super::nearest::Gain;
use super::super::reliefs::Reliefs;
use super::super::way::Bounded;
use super::Centers;
use crate::space::{Answering, Row};
use crate::{Hit, LentVectors, Problem, Question, tactics};

/// Candidates that one task of the thread pool judges: enough work to be worth a task, few enough
/// to keep all threads busy.
const TOGETHER: usize = 32;

impl<'a> Centers<'a> {
    /// The best swap for each candidate that changes the cost by less than `below`, best first.
    pub(crate) fn improving(&mut self, candidates: &[u32], below: f64) -> Vec<Swap> {
        let mut swaps = if let Some((evidence, pairs, largest_cap)) = self.nearest.evidence() {
            let current = CurrentCenters {
                problem: &self.problem,
                halt: &self.means.halt,
                pairs,
                largest_cap,
                pool: &self.pool,
                cost: self.cost,
                losses: if self.losses.len() == 1 { &[0.0] } else { &self.losses },
                by_loss: &self.by_loss,
                below,
            };
            evidence.improving(&current, candidates)
        } else {
            self.reconsider(candidates.len());
            let judged = self.judge_all(candidates, below);
            judged.into_iter().filter(|swap| swap.change < below).collect()
        };
        swaps.sort_by(|a, b| a.change.total_cmp(&b.change));
        swaps
    }

    /// The best swap for each candidate that is not a center yet. The change is exact where it is
    /// less than `below`, and a lower bound elsewhere.
    fn judge_all(&self, candidates: &[u32], below: f64) -> Vec<Swap> {
        let candidates: Vec<u32> = candidates
            .iter()
            .copied()
            .filter(|&candidate| !self.nearest.pairs.is_center(candidate as usize))
            .collect();
        let Some(bounded) = self.nearest.way.bounded() else {
            return together(&candidates, |some| self.judge_some(some, below));
        };
        together(&candidates, |some| self.judge_by_bounds(some, bounded, below))
    }

    /// Judges candidates, one by one unless they are dismissed together.
    fn judge_some(&self, candidates: &[u32], below: f64) -> Vec<Swap> {
        if self.means.halt.is_stopped() {
            return Vec::new();
        }
        let dismissed = candidates.iter().zip(self.dismissed(candidates, below));
        let question = self.nearest.question();
        self.lend(|asker, reliefs| {
            let mut judge = |item| self.judge(item as usize, &question, asker, reliefs);
            let judge =
                |(&item, dismissed): (&u32, Option<Swap>)| dismissed.unwrap_or_else(|| judge(item));
            dismissed.map(judge).collect()
        })
    }

    /// Judges candidates by lower bounds of their distances, and exactly those that these do not
    /// dismiss.
    fn judge_by_bounds(&self, candidates: &[u32], bounded: &Bounded<'_>, below: f64) -> Vec<Swap> {
        if self.means.halt.is_stopped() {
            return Vec::new();
        }
        self.lend(|asker, reliefs| {
            let judge = |(&item, bounds): (&u32, Row<'_>)| {
                let newcomer = item as usize;
                let (slot, change) = self.best_leaving_at_best(&bounds, bounded, reliefs);
                if change >= below {
                    return Swap { newcomer, slot, change };
                }
                self.refine(newcomer, bounds.close(), below, asker, reliefs)
            };
            candidates.iter().zip(bounded.lower_bounds.rows(candidates)).map(judge).collect()
        })
    }

    /// Lends an asker and a buffer of reliefs for the time of one call.
    fn lend<T>(&self, work: impl FnOnce(&mut Answering<'a>, &mut Reliefs) -> T) -> T {
        self.pool.lend(|asker| self.reliefs_pool.lend(|reliefs| work(asker, reliefs)))
    }

    /// Judges a candidate from lower bounds of its distances, which make its swap look better than
    /// it is. As long as the swap looks good, a further part of the bounds is replaced by true
    /// distances.
    fn refine(
        &self,
        newcomer: usize,
        mut hits: Vec<Hit>,
        below: f64,
        asker: &mut Answering<'_>,
        reliefs: &mut Reliefs,
    ) -> Swap {
        let dims = self.problem.space.own().as_vectors().map_or(1, LentVectors::dims);
        let part = hits.len().div_ceil(tactics::refinements(dims)).max(1);
        let all = hits.len();
        let mut exact: Vec<Hit> = Vec::new();
        let mut items = Vec::new();
        loop {
            items.clear();
            items.extend(hits.drain(..part.min(hits.len())).map(|hit| hit.item));
            let question = Question::listed(&items, self.nearest.pairs.caps());
            exact.extend(asker.ask(newcomer, &question));
            let (slot, change) = self.best_leaving(exact.iter().chain(&hits).copied(), reliefs);
            if change >= below {
                self.measured_in_vain.fetch_add(all - hits.len(), Ordering::Relaxed);
            }
            if change >= below || hits.is_empty() {
                return Swap { newcomer, slot, change };
            }
        }
    }

    /// The best swap that makes an item a center.
    fn judge(
        &self,
        newcomer: usize,
        question: &Question<'_>,
        asker: &mut Answering<'_>,
        reliefs: &mut Reliefs,
    ) -> Swap {
        let hits = asker.ask(newcomer, question).iter().copied();
        let (slot, change) = self.best_leaving(hits, reliefs);
        Swap { newcomer, slot, change }
    }

    /// The slot whose center should leave for a newcomer with the given distances to items, and by
    /// how much that changes the cost.
    pub(super) fn best_leaving(
        &self,
        hits: impl Iterator<Item = Hit>,
        reliefs: &mut Reliefs,
    ) -> (usize, f64) {
        if self.losses.len() == 1 { self.judge_only(hits) } else { self.judge_any(hits, reliefs) }
    }

    /// The change with a single center: every item goes from it to the newcomer.
    fn judge_only(&self, hits: impl Iterator<Item = Hit>) -> (usize, f64) {
        let Problem { demand, objective, .. } = &self.problem;
        let cost: f64 =
            hits.map(|hit| demand.of(hit.item as usize) * objective.of(hit.distance)).sum();
        (0, cost - self.cost)
    }

    /// The change with several centers: the one leaves whose loss, less what the newcomer takes off
    /// it, is least (Schubert and Rousseeuw, "Fast and eager k-medoids clustering", 2021).
    fn judge_any(&self, hits: impl Iterator<Item = Hit>, reliefs: &mut Reliefs) -> (usize, f64) {
        let mut saved = 0.0;
        let relieved = hits.map(|hit| {
            let change = self.change(&hit);
            saved += change.saved;
            (self.nearest.pair(hit.item as usize).slots[0], change.relief)
        });
        let (slot, loss) = reliefs.cheapest(&self.losses, &self.by_loss, relieved);
        (slot, loss - saved)
    }

    /// What a newcomer changes for an item: the hit is the item and the newcomer's distance to it.
    #[inline(always)]
    pub(super) fn change(&self, hit: &Hit) -> Gain {
        let objective = self.problem.objective;
        let item = hit.item as usize;
        let weight = self.problem.demand.of(item);
        if weight == 0.0 {
            return Gain::default();
        }
        let here = objective.of(hit.distance);
        let [first, second] = self.nearest.pair(item).distances.map(|d| objective.of(d));
        Gain {
            saved: weight * larger(first - here, 0.0),
            relief: weight * larger(second - larger(here, first), 0.0),
        }
    }
}

/// Judges candidates in parallel, in parts; on the calling thread if they are few.
fn together(candidates: &[u32], judge: impl Fn(&[u32]) -> Vec<Swap> + Send + Sync) -> Vec<Swap> {
    if candidates.len() <= TOGETHER {
        return judge(candidates);
    }
    candidates.par_chunks(TOGETHER).flat_map_iter(judge).collect()
}

/// The larger of two numbers that are not NaN; `f64::max` takes longer, as it has to look for NaN.
#[inline(always)]
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}
