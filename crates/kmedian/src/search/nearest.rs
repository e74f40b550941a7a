//! The nearest and second-nearest center of every item, kept up to date over swaps.
//!
//! A swap touches the items that lose one of their two nearest centers, and those that the newcomer
//! is close to. Everything else is left alone: what a swap costs depends on the clusters round it,
//! not on the number of items.

mod cluster_bound;
mod second;
mod touched;

use rayon::prelude::*;

use cluster_bound::Member;
pub(crate) use cluster_bound::{ClusterBound, Gain};
use touched::Touched;

use super::evidence::Evidence;
use super::pairs::Pairs;
use super::way::{Bounded, Way};
use crate::space::{
    Among, Answering, AskerPool, Caps, Group, Groups, Hit, LowerBounds, PackedCenters, Pair,
    nearest_pairs, packed,
};
use crate::{Problem, Pruning, Question, tactics};

/// The number of items in clusters that have changed from which on these are summed up in parallel:
/// fewer take less time than waking threads.
const MANY: usize = 2048;

/// For every tracked item, its two nearest centers, and for every center its cluster, in a way that
/// suits the space.
pub(crate) struct Nearest<'a> {
    pub(super) pairs: Pairs,
    /// For each slot, the items that its center serves, and their sums.
    clusters: Vec<Cluster>,
    /// The centers packed for inner products, where that finds those nearest to an item faster.
    pub(super) packed: Option<PackedCenters<'a>>,
    pub(super) way: Way<'a>,
}

/// The tracked items that a center serves, and their sums.
#[derive(Default)]
struct Cluster {
    items: Vec<u32>,
    cost: f64,
    /// What it would cost to lose the center: its items go to their second-nearest. Infinite if
    /// there is no other.
    loss: f64,
    /// The largest distance of one of its items to the second-nearest center.
    largest: f32,
    /// An upper bound of what a newcomer could change, where triangles give one.
    cluster_bound: Option<ClusterBound>,
}

impl<'a> Nearest<'a> {
    /// The two nearest of some centers for every tracked item, from lower bounds of all distances if
    /// there are any.
    pub(crate) fn new(
        problem: &Problem<'a>,
        centers: &[usize],
        bounds: Option<LowerBounds<'a>>,
        pool: &AskerPool<'_>,
    ) -> Self {
        let abilities = problem.space.abilities();
        let pruning = tactics::pruning(abilities);
        let way = if pruning == Pruning::Triangles && bounds.is_none() {
            Way::Triangles(Groups::new(centers.iter().map(|&center| center as u32).collect()))
        } else {
            Way::Plain
        };
        let clusters = centers.iter().map(|_| Cluster::default()).collect();
        let packed = packed(problem.space, centers);
        let mut nearest = Self { pairs: Pairs::new(problem, centers), clusters, packed, way };
        if let Some(lower_bounds) = &bounds {
            let tracked = nearest.pairs.tracked().to_vec();
            let pairs = nearest.pairs_by_bounds(&tracked, lower_bounds, pool);
            tracked
                .iter()
                .zip(pairs)
                .for_each(|(&item, pair)| nearest.pairs.set(item as usize, pair));
        }
        let territories = problem.space.own().territories(centers);
        match &territories {
            None if bounds.is_some() => {}
            Some(known) => {
                (0..problem.len()).for_each(|item| nearest.pairs.set(item, known.pair(item)));
            }
            None if abilities.explores => pool.lend(|asker| nearest.explore_all(asker)),
            None => nearest.scan_all(pool),
        }
        for &item in nearest.pairs.tracked() {
            nearest.clusters[nearest.pairs.first(item) as usize].items.push(item);
        }
        let slots: Vec<u32> = (0..centers.len() as u32).collect();
        nearest.sum_up(problem, &slots);
        if let Some(lower_bounds) = bounds {
            nearest.use_bounds(lower_bounds, problem);
        }
        if pruning == Pruning::Evidence {
            let evidence = Box::new(Evidence::new(problem, nearest.cost()));
            nearest.way = match territories {
                Some(territories) => Way::Graph(evidence, territories),
                None => Way::Evidence(evidence),
            };
        }
        nearest
    }

    /// Goes on by lower bounds of distances.
    pub(super) fn use_bounds(&mut self, lower_bounds: LowerBounds<'a>, problem: &Problem<'_>) {
        let bounded = Bounded::new(lower_bounds, problem.objective, self.pairs.caps());
        self.way = Way::Bounds(Box::new(bounded));
    }

    /// The two nearest centers of a tracked item.
    #[inline]
    pub(crate) fn pair(&self, item: usize) -> Pair {
        self.pairs.of(item)
    }

    /// The question that judges a newcomer: of which items would it be the nearest or
    /// second-nearest center?
    pub(crate) fn question(&self) -> Question<'_> {
        self.ask_with(Caps::PerItem(self.pairs.caps()))
    }

    fn ask_with<'q>(&'q self, caps: Caps<'q>) -> Question<'q> {
        let among = self.way.groups().map_or(self.pairs.among(), Among::Grouped);
        Question { among, caps, largest: largest_cap(&self.clusters) }
    }

    /// The items within reach of a newcomer, with their distances: those it would be compared with
    /// where there are no lower bounds.
    pub(crate) fn within_reach<'h>(
        &self,
        newcomer: usize,
        asker: &'h mut Answering<'_>,
    ) -> &'h [Hit] {
        asker.ask(newcomer, &self.ask_with(Caps::Uniform(f32::INFINITY)))
    }

    /// What is known of candidates from their neighbors, where that is used; the centers that it is
    /// about; and the largest distance of an item to its second-nearest center.
    pub(super) fn evidence(&mut self) -> Option<(&mut Evidence, &Pairs, f32)> {
        let Self { pairs, clusters, way, .. } = self;
        way.evidence().map(|evidence| (evidence, &*pairs, largest_cap(clusters)))
    }

    /// The tracked items that the center in a slot serves.
    pub(crate) fn items_of(&self, slot: usize) -> &[u32] {
        &self.clusters[slot].items
    }

    /// What the items of the center in a slot cost.
    pub(crate) fn cost_of(&self, slot: usize) -> f64 {
        self.clusters[slot].cost
    }

    /// Finds the items of which a newcomer would be the nearest or second-nearest center, and
    /// leaves them in the buffer of the asker.
    fn ask_for(&self, newcomer: usize, asker: &mut Answering<'_>) {
        let kept = self.way.bounded().filter(|bounded| bounded.lower_bounds.are_kept());
        let Some(Bounded { lower_bounds, .. }) = kept else {
            asker.ask(newcomer, &self.question());
            return;
        };
        let mut items = Vec::new();
        lower_bounds.rows(&[newcomer as u32])[0].visit_close(|item, _| items.push(item));
        asker.ask(newcomer, &Question::listed(&items, self.pairs.caps()));
    }

    /// Puts another center into a slot. Returns the items whose two nearest centers this may have
    /// changed, each with the larger of the distances to its second-nearest center before and
    /// after; some come twice.
    pub(crate) fn replace(
        &mut self,
        problem: &Problem<'_>,
        slot: usize,
        newcomer: usize,
        pool: &AskerPool<'_>,
    ) -> Vec<Hit> {
        if let Way::Graph(_, territories) = &mut self.way {
            let items = territories.replace(slot, newcomer);
            let mut touched = Touched::new(self.clusters.len());
            for &item in &items {
                touched.add(item, &self.pairs);
                self.pairs.set(item as usize, territories.pair(item as usize));
            }
            self.pairs.sit(slot, newcomer);
            return self.regroup(problem, slot, touched);
        }
        let mut touched = Touched::new(self.clusters.len());
        let orphans = pool.lend(|asker| {
            let orphans = self.orphans(slot, asker);
            self.ask_for(newcomer, asker);
            touched.items.reserve(orphans.len() + asker.hits.len());
            for &item in orphans.iter().chain(asker.hits.iter().map(|hit| &hit.item)) {
                touched.add(item, &self.pairs);
            }
            self.pairs.sit(slot, newcomer);
            if let Some(centers) = &mut self.packed {
                centers.replace(slot, newcomer);
            }
            for &item in &orphans {
                self.pairs.forget(item as usize, slot as u32);
            }
            for hit in &asker.hits {
                self.pairs.offer(hit.item as usize, slot as u32, hit.distance);
            }
            orphans
        });
        let orphans = self.find_second_around(orphans);
        if !self.find_second_by_bounds(&orphans, pool) && !self.find_second_by_products(&orphans) {
            pool.lend(|asker| self.find_second(slot, &orphans, asker));
        }
        self.regroup(problem, slot, touched)
    }

    /// The orphans of a center that leaves: the items for which it is one of the two nearest.
    fn orphans(&self, slot: usize, asker: &mut Answering<'_>) -> Vec<u32> {
        let loses = |item: &u32| self.pairs.of(*item as usize).slots.contains(&(slot as u32));
        if self.way.groups().is_none() {
            return self.pairs.tracked().iter().copied().filter(loses).collect();
        }
        // An item's reach is at least the distance between its two nearest centers.
        let question = self.ask_with(Caps::Uniform(f32::INFINITY));
        let hits = asker.ask(self.pairs.centers()[slot], &question);
        hits.iter().map(|hit| hit.item).filter(loses).collect()
    }

    /// Moves the touched items to the clusters that serve them now, and sums these up. Returns the
    /// items, each with the larger of the distances to its second-nearest center before and after.
    fn regroup(&mut self, problem: &Problem<'_>, slot: usize, mut touched: Touched) -> Vec<Hit> {
        let mut arrivals: Vec<(u32, u32)> = Vec::new();
        for (Hit { item, distance }, before) in &mut touched.items {
            *distance = distance.max(self.pairs.caps()[*item as usize]);
            let (item, before) = (*item, *before);
            let now = self.pairs.first(item);
            if now != before {
                arrivals.push((now, item));
            }
        }
        arrivals.iter().for_each(|&(now, _)| touched.mark(now));
        touched.mark(slot as u32);
        arrivals.sort_unstable();
        arrivals.dedup();
        for &slot in &touched.slots {
            let pairs = &self.pairs;
            let items = &mut self.clusters[slot as usize].items;
            items.retain(|&item| pairs.first(item) == slot);
        }
        for (slot, item) in arrivals {
            self.clusters[slot as usize].items.push(item);
        }
        self.sum_up(problem, &touched.slots);
        if let Way::Bounds(bounded) = &mut self.way {
            let items = touched.items.iter().map(|(hit, _)| hit.item);
            bounded.lower_bounds.update_caps(items, self.pairs.caps());
        }
        touched.items.into_iter().map(|(hit, _)| hit).collect()
    }

    /// Brings the sums, groups and bounds of the clusters of some slots up to date.
    fn sum_up(&mut self, problem: &Problem<'_>, slots: &[u32]) {
        let take = |&slot: &u32| std::mem::take(&mut self.clusters[slot as usize].items);
        let lists: Vec<Vec<u32>> = slots.iter().map(take).collect();
        let sum = |items: Vec<u32>| self.summed(problem, items);
        let summed: Vec<(Cluster, Option<Group>)> =
            if lists.iter().map(Vec::len).sum::<usize>() < MANY {
                lists.into_iter().map(sum).collect()
            } else {
                lists.into_par_iter().map(sum).collect()
            };
        for (&slot, (cluster, group)) in slots.iter().zip(summed) {
            let slot = slot as usize;
            if let (Way::Triangles(groups), Some(group)) = (&mut self.way, group) {
                groups.put(slot, self.pairs.centers()[slot] as u32, group);
            }
            self.clusters[slot] = cluster;
        }
    }

    /// The sums of a cluster of some items, and the items as a group, where groups are of use.
    fn summed(&self, problem: &Problem<'_>, mut items: Vec<u32>) -> (Cluster, Option<Group>) {
        let Problem { demand, objective, .. } = problem;
        // A few sorted items at the end of sorted ones: a stable sort puts them in their places.
        items.sort();
        let mut cluster = Cluster::default();
        for &item in &items {
            let at = item as usize;
            let [near, far] = self.pairs.of(at).distances;
            cluster.largest = cluster.largest.max(far);
            let weight = demand.of(at);
            if weight > 0.0 {
                cluster.cost += weight * objective.of(near);
                cluster.loss += weight * (objective.of(far) - objective.of(near));
            }
        }
        let group = self.way.groups().map(|_| Group::new(&items, |item| self.pairs.reach(item)));
        cluster.cluster_bound = group
            .as_ref()
            .map(Group::farthest)
            .filter(|farthest| farthest.is_finite())
            .map(|farthest| self.bound_of(problem, &items, farthest));
        (Cluster { items, ..cluster }, group)
    }

    fn bound_of(&self, problem: &Problem<'_>, items: &[u32], farthest: f32) -> ClusterBound {
        let members = items.iter().map(|&item| Member {
            item,
            weight: problem.demand.of(item as usize),
            distances: self.pairs.of(item as usize).distances,
        });
        ClusterBound::new(problem.objective, self.pairs.relative_error(), farthest, members)
    }

    /// An upper bound of what a newcomer could change in the cluster of a slot, where triangles
    /// give one.
    pub(crate) fn cluster_bound(&self, slot: usize) -> Option<&ClusterBound> {
        self.clusters[slot].cluster_bound.as_ref()
    }

    /// Finds the two nearest centers of all items in a space that explores, outward from each
    /// center.
    fn explore_all(&mut self, asker: &mut Answering<'_>) {
        let everyone = self.pairs.tracked().to_vec();
        for slot in 0..self.pairs.centers().len() {
            self.offer_center(slot, &Groups::default(), &everyone, asker);
        }
    }

    /// Finds the two nearest centers of all tracked items in a space that is scanned, block by
    /// block.
    fn scan_all(&mut self, pool: &AskerPool<'_>) {
        let tracked = self.pairs.tracked().to_vec();
        let pairs = match &self.packed {
            Some(centers) => centers.nearest_pairs(&tracked),
            None => nearest_pairs(self.pairs.centers(), &tracked, pool),
        };
        for (item, pair) in tracked.into_iter().zip(pairs) {
            self.pairs.set(item as usize, pair);
        }
    }

    /// The cost of the current centers: the sum over all clusters.
    pub(crate) fn cost(&self) -> f64 {
        self.clusters.iter().map(|cluster| cluster.cost).sum()
    }

    /// What it would cost to lose each center. Infinite if there is no other.
    pub(crate) fn losses(&self) -> impl Iterator<Item = f64> {
        self.clusters.iter().map(|cluster| cluster.loss)
    }
}

/// The largest distance of an item to its second-nearest center; infinite if there is only one
/// center.
fn largest_cap(clusters: &[Cluster]) -> f32 {
    clusters.iter().map(|cluster| cluster.largest).fold(0.0, f32::max)
}
