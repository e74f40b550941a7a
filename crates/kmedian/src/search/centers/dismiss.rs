//! Dismissing candidates by triangle bounds: by what they could change at most in the clusters
//! round them.

use super::super::Swap;
use super::super::nearest::Gain;
use super::Centers;
use crate::space::{Answering, Groups, PackedCenters};
use crate::{Hit, Question};

/// By how much a candidate must miss the wanted change of the cost to be dismissed, as a share of
/// the cost: far more than rounding errors add up to.
const MARGIN: f64 = 1e-9;

/// The number of candidates in one cluster from which on its items are compared with all of them
/// together, as their coordinates then stay in the cache.
const COMPANY: usize = 8;

/// A candidate that is to be dismissed, with bounds of what it changes in each cluster.
struct Candidate {
    newcomer: u32,
    /// The clusters within reach of the candidate, cheapest to lose first.
    reached: Vec<ReachedCluster>,
    /// The slot that is cheapest to lose of those whose clusters are out of reach of the candidate.
    unreached: Option<usize>,
    /// The position in `reached` of the cluster whose center is nearest.
    nearest: usize,
}

/// A cluster within reach of a candidate.
#[derive(Clone, Copy)]
struct ReachedCluster {
    slot: usize,
    distance: f32,
    /// What the candidate changes in the cluster: an upper bound, or exact once `exact` is set.
    gain: Gain,
    exact: bool,
}

impl Centers<'_> {
    /// For each candidate its best swap, with a lower bound of the change, if that alone shows that
    /// it does not change the cost by less than `below`; `None` if the candidate has to be judged.
    ///
    /// Three rounds, each dearer than the last: bounds for whole clusters; then the items of the
    /// cluster that a candidate is in, for all candidates of a cluster together; then, where that
    /// does not suffice, the items of further clusters.
    pub(super) fn dismissed(&self, candidates: &[u32], below: f64) -> Vec<Option<Swap>> {
        let Some(groups) = self.nearest.way.groups().filter(|_| self.losses.len() > 1) else {
            return vec![None; candidates.len()];
        };
        let enough = below + MARGIN * self.cost;
        self.pool.lend(|asker| {
            let mut all = self.bound_clusters(candidates, groups, asker);
            for same in all.chunk_by_mut(|a, b| a.slot() == b.slot()) {
                self.measure_nearest(same, groups, asker);
            }
            all.iter_mut().map(|candidate| self.dismiss(candidate, groups, enough, asker)).collect()
        })
    }

    /// Bounds of what candidates could change, for each cluster within reach.
    fn bound_clusters(
        &self,
        candidates: &[u32],
        groups: &Groups,
        asker: &mut Answering<'_>,
    ) -> Vec<Candidate> {
        if let Some(packed) = &self.nearest.packed {
            return self.bound_many_clusters(candidates, groups, packed, asker);
        }
        let mut all: Vec<Candidate> = candidates.iter().map(|&item| Candidate::new(item)).collect();
        for slot in self.by_loss.iter().map(|&slot| slot as usize) {
            let farthest = groups.farthest(slot);
            let question = Question::ball(candidates, f32::INFINITY);
            let hits = asker.ask(self.centers()[slot], &question);
            for (candidate, hit) in all.iter_mut().zip(hits) {
                if hit.distance < farthest {
                    candidate.add(self.reached(slot, hit.distance));
                } else {
                    candidate.unreached.get_or_insert(slot);
                }
            }
        }
        all
    }

    /// [`Centers::bound_clusters`] where centers are packed for inner products: these dismiss most
    /// clusters, and only the distances of the others are measured.
    fn bound_many_clusters(
        &self,
        candidates: &[u32],
        groups: &Groups,
        packed: &PackedCenters<'_>,
        asker: &mut Answering<'_>,
    ) -> Vec<Candidate> {
        let squares = self.reaches.get_or_init(|| {
            (0..self.losses.len()).map(|slot| packed.square(groups.farthest(slot))).collect()
        });
        let mut is_reached = vec![false; self.losses.len()];
        let bound = |(&newcomer, mut slots): (&u32, Vec<u32>)| {
            let mut candidate = Candidate::new(newcomer);
            slots.sort_unstable_by(|&a, &b| self.cheaper_to_lose(a, b));
            for &slot in &slots {
                let slot = slot as usize;
                let distance = asker.distance(self.centers()[slot], newcomer as usize);
                if distance < groups.farthest(slot) {
                    is_reached[slot] = true;
                    candidate.add(self.reached(slot, distance));
                }
            }
            let unreached = self.by_loss.iter().map(|&slot| slot as usize);
            candidate.unreached = unreached.into_iter().find(|&slot| !is_reached[slot]);
            slots.iter().for_each(|&slot| is_reached[slot as usize] = false);
            candidate
        };
        candidates.iter().zip(packed.slots_within(candidates, squares)).map(bound).collect()
    }

    /// A cluster within reach of a candidate at a distance from its center, with bounds of what the
    /// candidate could change.
    fn reached(&self, slot: usize, distance: f32) -> ReachedCluster {
        let cluster_bound = self.nearest.cluster_bound(slot);
        let mut gain = cluster_bound.map_or(Gain::default(), |bound| bound.at(distance));
        gain.relief = gain.relief.min(self.losses[slot]);
        ReachedCluster { slot, distance, gain, exact: false }
    }

    /// Measures what candidates with the same nearest cluster change in it.
    fn measure_nearest(&self, same: &mut [Candidate], groups: &Groups, asker: &mut Answering<'_>) {
        let Some(slot) = same[0].slot() else { return };
        if same.len() < COMPANY {
            for Candidate { newcomer, reached, nearest, .. } in same {
                self.measure(*newcomer as usize, &mut reached[*nearest], groups, asker);
            }
            return;
        }
        let distance = same.iter().map(|candidate| candidate.reached[candidate.nearest].distance);
        let items = groups.reached(slot, distance.fold(f32::INFINITY, f32::min));
        let newcomers: Vec<u32> = same.iter().map(|candidate| candidate.newcomer).collect();
        let mut sums = vec![Gain::default(); same.len()];
        for &item in items {
            let question = Question::ball(&newcomers, f32::INFINITY);
            let hits = asker.ask(item as usize, &question);
            for (sum, hit) in sums.iter_mut().zip(hits) {
                sum.add(self.change(&Hit { item, distance: hit.distance }));
            }
        }
        for (candidate, gain) in same.iter_mut().zip(sums) {
            let cluster = &mut candidate.reached[candidate.nearest];
            *cluster = ReachedCluster { gain, exact: true, ..*cluster };
        }
    }

    /// Dismisses a candidate if the bounds of its clusters suffice. If they do not, all items are
    /// measured that it may save something, and then the clusters whose loss it may lower too far.
    fn dismiss(
        &self,
        candidate: &mut Candidate,
        groups: &Groups,
        enough: f64,
        asker: &mut Answering<'_>,
    ) -> Option<Swap> {
        let newcomer = candidate.newcomer as usize;
        let promised = candidate.reached.iter().map(|cluster| cluster.gain.saved).sum();
        let swap = self.cheapest(candidate, promised)?;
        if swap.change >= enough {
            return Some(swap);
        }
        let saved = self.saved(candidate, asker);
        let blocks = |cluster: &ReachedCluster| {
            self.losses[cluster.slot] - cluster.gain.relief - saved < enough
        };
        let open = |cluster: &ReachedCluster| blocks(cluster) && !cluster.exact;
        if candidate.unreached.is_some_and(|slot| self.losses[slot] - saved < enough)
            || candidate.reached.iter().any(|cluster| blocks(cluster) && cluster.exact)
        {
            return None;
        }
        for cluster in candidate.reached.iter_mut().filter(|cluster| open(cluster)) {
            self.measure(newcomer, cluster, groups, asker);
            if blocks(cluster) {
                return None;
            }
        }
        self.cheapest(candidate, saved)
    }

    /// The best swap by the present bounds, given what is saved whichever center leaves.
    fn cheapest(&self, candidate: &Candidate, saved: f64) -> Option<Swap> {
        let reached = candidate
            .reached
            .iter()
            .map(|cluster| (cluster.slot, self.losses[cluster.slot] - cluster.gain.relief));
        let unreached = candidate.unreached.map(|slot| (slot, self.losses[slot]));
        let (slot, loss) = reached.chain(unreached).min_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(Swap { newcomer: candidate.newcomer as usize, slot, change: loss - saved })
    }

    /// What a candidate saves all items together if no center leaves.
    fn saved(&self, candidate: &Candidate, asker: &mut Answering<'_>) -> f64 {
        let (seen, open): (Vec<&ReachedCluster>, Vec<&ReachedCluster>) =
            candidate.reached.iter().partition(|cluster| cluster.exact);
        let bounds = open.iter().filter_map(|cluster| {
            self.nearest
                .cluster_bound(cluster.slot)
                .map(|cluster_bound| cluster_bound.savable(cluster.distance))
        });
        let items: Vec<u32> = bounds.flatten().collect();
        let question = Question::listed(&items, self.nearest.pairs.caps());
        let mut sum = Gain::default();
        for hit in asker.ask(candidate.newcomer as usize, &question) {
            sum.add(self.change(hit));
        }
        sum.saved + seen.iter().map(|cluster| cluster.gain.saved).sum::<f64>()
    }

    /// Measures what a candidate changes in a cluster within reach.
    fn measure(
        &self,
        newcomer: usize,
        cluster: &mut ReachedCluster,
        groups: &Groups,
        asker: &mut Answering<'_>,
    ) {
        let items = groups.reached(cluster.slot, cluster.distance);
        let mut gain = Gain::default();
        for hit in asker.ask(newcomer, &Question::listed(items, self.nearest.pairs.caps())) {
            gain.add(self.change(hit));
        }
        *cluster = ReachedCluster { gain, exact: true, ..*cluster };
    }
}

impl Candidate {
    fn new(newcomer: u32) -> Self {
        Self { newcomer, reached: Vec::new(), unreached: None, nearest: 0 }
    }

    fn add(&mut self, cluster: ReachedCluster) {
        if self.reached.get(self.nearest).is_some_and(|nearest| cluster.distance < nearest.distance)
        {
            self.nearest = self.reached.len();
        }
        self.reached.push(cluster);
    }

    /// The slot of the nearest cluster within reach.
    fn slot(&self) -> Option<usize> {
        self.reached.get(self.nearest).map(|cluster| cluster.slot)
    }
}
