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

use crate::space::{
    Among, Answering, AskerPool, Caps, Group, Groups, Hit, LowerBounds, NOBODY, NONE, Pair,
    Territories, nearest_pairs,
};
use crate::{Problem, Pruning, Question, tactics};

/// The number of items in clusters that have changed from which on these are summed up in parallel:
/// fewer take less time than waking threads.
const MANY: usize = 2048;

/// For every tracked item, its two nearest centers by their slot, and the distances.
pub(crate) struct Nearest<'a> {
    /// The center in each slot, by its item.
    centers: Vec<usize>,
    is_center: Vec<bool>,
    tracked: Vec<u32>,
    pairs: Vec<Pair>,
    /// By item, the distance to its second-nearest center, as the cap for judging a swap: an item
    /// that is not closer to a newcomer than this does not change.
    pub(crate) caps: Vec<f32>,
    /// The two nearest centers as the space keeps them, where it does.
    territories: Option<Territories<'a>>,
    /// For each slot, the items that its center serves, and their sums.
    clusters: Vec<Cluster>,
    skips: Skips<'a>,
    /// By how much rounding may change a distance, relative to it.
    relative_error: f32,
}

/// How items are skipped that a newcomer is too far from to matter.
enum Skips<'a> {
    /// No item is skipped here: candidates are dismissed by evidence, which the search keeps, or
    /// not at all.
    Elsewhere(Pruning),
    /// The tracked items are grouped by their nearest center, and the triangle inequality skips
    /// parts of the groups.
    Groups(Groups),
    /// Lower bounds of distances dismiss most items at a fraction of the price.
    Bounds(Box<LowerBounds<'a>>, Pruning),
}

impl Skips<'_> {
    fn new(pruning: Pruning, centers: &[usize]) -> Self {
        match pruning {
            Pruning::Triangles => {
                Skips::Groups(Groups::new(centers.iter().map(|&center| center as u32).collect()))
            }
            other => Skips::Elsewhere(other),
        }
    }
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
    pub(crate) fn new(problem: &Problem<'a>, centers: &[usize], pool: &AskerPool<'_>) -> Self {
        let (n, abilities) = (problem.len(), problem.space.abilities());
        let mut nearest = Self {
            centers: centers.to_vec(),
            is_center: vec![false; n],
            tracked: problem.tracked(),
            pairs: vec![NOBODY; n],
            caps: vec![f32::INFINITY; n],
            territories: problem.space.own().territories(centers),
            clusters: centers.iter().map(|_| Cluster::default()).collect(),
            skips: Skips::new(tactics::pruning(abilities), centers),
            relative_error: problem.space.relative_error(),
        };
        for &center in centers {
            nearest.is_center[center] = true;
        }
        if nearest.territories.is_some() {
            (0..n).for_each(|item| nearest.look_up(item));
        } else if abilities.explores {
            pool.lend(|asker| nearest.explore_all(asker));
        } else {
            nearest.scan_all(pool);
        }
        for &item in &nearest.tracked {
            let slot = nearest.pairs[item as usize].slots[0];
            nearest.clusters[slot as usize].items.push(item);
        }
        let slots: Vec<u32> = (0..centers.len() as u32).collect();
        nearest.sum_up(problem, &slots);
        nearest
    }

    pub(crate) fn centers(&self) -> &[usize] {
        &self.centers
    }

    pub(crate) fn is_center(&self, item: usize) -> bool {
        self.is_center[item]
    }

    /// The two nearest centers of a tracked item.
    #[inline]
    pub(crate) fn pair(&self, item: usize) -> Pair {
        self.pairs[item]
    }

    /// The slot of the center that serves a tracked item.
    fn first(&self, item: u32) -> u32 {
        self.pairs[item as usize].slots[0]
    }

    /// The question that judges a newcomer: of which items would it be the nearest or
    /// second-nearest center?
    pub(crate) fn question(&self) -> Question<'_> {
        self.ask_with(Caps::PerItem(&self.caps))
    }

    /// [`Nearest::question`] with all caps raised by `spare`.
    pub(crate) fn question_beyond(&self, spare: f32) -> Question<'_> {
        let question = self.ask_with(Caps::Raised(&self.caps, spare));
        question.with_largest(question.largest + spare)
    }

    /// The largest distance of an item to its second-nearest center; infinite if there is only one
    /// center.
    pub(crate) fn largest(&self) -> f32 {
        self.clusters.iter().map(|cluster| cluster.largest).fold(0.0, f32::max)
    }

    fn ask_with<'q>(&'q self, caps: Caps<'q>) -> Question<'q> {
        let among = match self.groups() {
            Some(groups) => Among::Grouped(groups),
            None if self.tracked.len() == self.pairs.len() => Among::All,
            None => Among::Listed(&self.tracked),
        };
        Question { among, caps, largest: self.largest() }
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

    /// Uses lower bounds of distances from now on, and does without groups.
    pub(crate) fn set_lower_bounds(&mut self, lower_bounds: LowerBounds<'a>, pruning: Pruning) {
        self.skips = Skips::Bounds(Box::new(lower_bounds), pruning);
    }

    /// What keeps candidates from being compared with every item.
    pub(crate) fn pruning(&self) -> Pruning {
        match self.skips {
            Skips::Elsewhere(pruning) | Skips::Bounds(_, pruning) => pruning,
            Skips::Groups(_) => Pruning::Triangles,
        }
    }

    /// The tracked items that the center in a slot serves.
    pub(crate) fn items_of(&self, slot: usize) -> &[u32] {
        &self.clusters[slot].items
    }

    /// What the items of the center in a slot cost.
    pub(crate) fn cost_of(&self, slot: usize) -> f64 {
        self.clusters[slot].cost
    }

    /// The items whose nearest centers are known.
    pub(crate) fn tracked(&self) -> &[u32] {
        &self.tracked
    }

    pub(crate) fn lower_bounds(&self) -> Option<&LowerBounds<'a>> {
        if let Skips::Bounds(lower_bounds, _) = &self.skips { Some(lower_bounds) } else { None }
    }

    /// Finds the items of which a newcomer would be the nearest or second-nearest center, and
    /// leaves them in the buffer of the asker.
    fn ask_for(&self, newcomer: usize, asker: &mut Answering<'_>) {
        let Some(lower_bounds) = self.lower_bounds() else {
            asker.ask(newcomer, &self.question());
            return;
        };
        let caps = &self.caps;
        let items = lower_bounds.pick(newcomer as u32, &self.tracked, caps);
        asker.ask(newcomer, &Question::listed(&items, caps));
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
        if let Some(territories) = &mut self.territories {
            let items = territories.replace(slot, newcomer);
            return self.follow(problem, slot, newcomer, &items);
        }
        let mut touched = Touched::new(self.clusters.len());
        let orphans = pool.lend(|asker| {
            let orphans = self.orphans(slot, asker);
            self.ask_for(newcomer, asker);
            touched.items.reserve(orphans.len() + asker.hits.len());
            for &item in orphans.iter().chain(asker.hits.iter().map(|hit| &hit.item)) {
                touched.add(item, self);
            }
            self.sit(slot, newcomer);
            for &item in &orphans {
                self.forget(item as usize, slot as u32);
            }
            for hit in &asker.hits {
                self.offer(hit.item as usize, slot as u32, hit.distance);
            }
            orphans
        });
        if !self.find_second_by_bounds(&orphans, pool) {
            pool.lend(|asker| self.find_second(slot, &orphans, asker));
        }
        self.regroup(problem, slot, touched)
    }

    /// Takes over the two nearest centers of items after a swap from the space, which keeps them.
    fn follow(
        &mut self,
        problem: &Problem<'_>,
        slot: usize,
        newcomer: usize,
        items: &[u32],
    ) -> Vec<Hit> {
        let mut touched = Touched::new(self.clusters.len());
        for &item in items {
            touched.add(item, self);
            self.look_up(item as usize);
        }
        self.sit(slot, newcomer);
        self.regroup(problem, slot, touched)
    }

    /// Takes over the two nearest centers of an item from the space, if that keeps them.
    fn look_up(&mut self, item: usize) {
        if let Some(territories) = &self.territories {
            self.set(item, territories.pair(item));
        }
    }

    fn set(&mut self, item: usize, pair: Pair) {
        self.pairs[item] = pair;
        self.caps[item] = pair.distances[1];
    }

    fn sit(&mut self, slot: usize, newcomer: usize) {
        self.is_center[self.centers[slot]] = false;
        self.is_center[newcomer] = true;
        self.centers[slot] = newcomer;
    }

    /// The orphans of a center that leaves: the items for which it is one of the two nearest.
    fn orphans(&self, slot: usize, asker: &mut Answering<'_>) -> Vec<u32> {
        let loses = |item: &u32| self.pairs[*item as usize].slots.contains(&(slot as u32));
        if self.groups().is_none() {
            return self.tracked.iter().copied().filter(loses).collect();
        }
        // An item's reach is at least the distance between its two nearest centers.
        let question = self.ask_with(Caps::Uniform(f32::INFINITY));
        let hits = asker.ask(self.centers[slot], &question);
        hits.iter().map(|hit| hit.item).filter(loses).collect()
    }

    /// Removes a center that has left from the pair of an item.
    fn forget(&mut self, item: usize, slot: u32) {
        let Pair { slots, distances } = self.pairs[item];
        let left = usize::from(slots[0] == slot);
        let slots = [slots[left], NONE];
        self.set(item, Pair { slots, distances: [distances[left], f32::INFINITY] });
    }

    /// Makes the center in a slot the nearest or second-nearest of an item, if it is close enough.
    fn offer(&mut self, item: usize, slot: u32, distance: f32) {
        self.set(item, self.pairs[item].offered(slot, distance));
    }

    /// The reach of an item: a newcomer at least that far from its center does not matter to it.
    fn reach(&self, item: u32) -> f32 {
        let [first, second] = self.pairs[item as usize].distances;
        let reach = first + second;
        (reach * (1.0 + 4.0 * self.relative_error)).next_up()
    }

    /// Moves the touched items to the clusters that serve them now, and sums these up. Returns the
    /// items, each with the larger of the distances to its second-nearest center before and after.
    fn regroup(&mut self, problem: &Problem<'_>, slot: usize, mut touched: Touched) -> Vec<Hit> {
        let mut arrivals: Vec<(u32, u32)> = Vec::new();
        for (Hit { item, distance }, before) in &mut touched.items {
            *distance = distance.max(self.caps[*item as usize]);
            let (item, before) = (*item, *before);
            let now = self.first(item);
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
            items.retain(|&item| pairs[item as usize].slots[0] == slot);
        }
        for (slot, item) in arrivals {
            self.clusters[slot as usize].items.push(item);
        }
        self.sum_up(problem, &touched.slots);
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
            if let (Skips::Groups(groups), Some(group)) = (&mut self.skips, group) {
                groups.put(slot, self.centers[slot] as u32, group);
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
            let [near, far] = self.pairs[at].distances;
            cluster.largest = cluster.largest.max(far);
            let weight = demand.of(at);
            if weight > 0.0 {
                cluster.cost += weight * objective.of(near);
                cluster.loss += weight * (objective.of(far) - objective.of(near));
            }
        }
        let group = self.groups().map(|_| Group::new(&items, |item| self.reach(item)));
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
            distances: self.pairs[item as usize].distances,
        });
        ClusterBound::new(problem.objective, self.relative_error, farthest, members)
    }

    /// The tracked items by their nearest center, where triangles allow to skip some of them.
    pub(crate) fn groups(&self) -> Option<&Groups> {
        if let Skips::Groups(groups) = &self.skips { Some(groups) } else { None }
    }

    /// An upper bound of what a newcomer could change in the cluster of a slot, where triangles
    /// give one.
    pub(crate) fn cluster_bound(&self, slot: usize) -> Option<&ClusterBound> {
        self.clusters[slot].cluster_bound.as_ref()
    }

    /// Finds the two nearest centers of all items in a space that explores, outward from each
    /// center.
    fn explore_all(&mut self, asker: &mut Answering<'_>) {
        let everyone = self.tracked.clone();
        for slot in 0..self.centers.len() {
            self.offer_center(slot, &Groups::default(), &everyone, asker);
        }
    }

    /// Finds the two nearest centers of all tracked items in a space that is scanned, block by
    /// block.
    fn scan_all(&mut self, pool: &AskerPool<'_>) {
        let pairs = nearest_pairs(&self.centers, &self.tracked, pool);
        for (at, pair) in pairs.into_iter().enumerate() {
            self.set(self.tracked[at] as usize, pair);
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
