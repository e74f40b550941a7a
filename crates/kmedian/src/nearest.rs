//! The nearest and second-nearest center of every item, kept up to date over swaps.

use crate::space::Answering;
use crate::space::Groups;
use crate::{Problem, Question};

/// No center yet.
const NONE: u32 = u32::MAX;

/// For every tracked item, its two nearest centers by their slot, and the distances.
pub(crate) struct Nearest {
    /// The item in each slot.
    centers: Vec<usize>,
    is_center: Vec<bool>,
    tracked: Vec<u32>,
    pub(crate) first: Vec<u32>,
    second: Vec<u32>,
    pub(crate) first_distance: Vec<f32>,
    /// The caps for judging a swap: an item that is not closer to a newcomer than this does not change.
    pub(crate) second_distance: Vec<f32>,
    /// The largest of them.
    largest: f32,
    /// The tracked items by their nearest center, where parts of them may be skipped.
    groups: Option<Groups>,
    /// How much a distance may differ by rounding, relative to it.
    relative_error: f32,
}

impl Nearest {
    pub(crate) fn new(problem: &Problem<'_>, centers: &[usize], asker: &mut Answering<'_>) -> Self {
        let n = problem.len();
        let mut nearest = Self {
            centers: centers.to_vec(),
            is_center: vec![false; n],
            tracked: problem.tracked(),
            first: vec![NONE; n],
            second: vec![NONE; n],
            first_distance: vec![f32::INFINITY; n],
            second_distance: vec![f32::INFINITY; n],
            largest: f32::INFINITY,
            groups: (problem.space.obeys_triangles() && !problem.space.explores())
                .then(Groups::default),
            relative_error: problem.space.relative_error(),
        };
        for (slot, &center) in centers.iter().enumerate() {
            nearest.is_center[center] = true;
            nearest.welcome(slot, asker);
        }
        nearest.sum_up();
        nearest
    }

    pub(crate) fn centers(&self) -> &[usize] {
        &self.centers
    }

    pub(crate) fn is_center(&self, item: usize) -> bool {
        self.is_center[item]
    }

    /// The question that judges a newcomer: whom would it serve first or second?
    pub(crate) fn question(&self) -> Question<'_> {
        let caps = &self.second_distance;
        match &self.groups {
            Some(groups) => Question::grouped(groups, caps),
            None => Question::listed(&self.tracked, caps).with_largest(self.largest),
        }
    }

    /// Puts another center into a slot.
    pub(crate) fn replace(&mut self, slot: usize, newcomer: usize, asker: &mut Answering<'_>) {
        self.is_center[self.centers[slot]] = false;
        self.is_center[newcomer] = true;
        self.centers[slot] = newcomer;
        let bereft = self.forget(slot as u32);
        self.welcome(slot, asker);
        self.find_second(slot, &bereft, asker);
        self.sum_up();
    }

    /// Brings what speeds up the next questions up to date.
    fn sum_up(&mut self) {
        let distances = self.tracked.iter().map(|&item| self.second_distance[item as usize]);
        self.largest = distances.fold(0.0, f32::max);
        if self.groups.is_some() {
            let anchors = self.centers.iter().map(|&center| center as u32).collect();
            self.groups =
                Some(Groups::new(anchors, &self.tracked, |item| self.group_of(item as usize)));
        }
    }

    /// An item's center, and how far from it a newcomer may be to matter to the item.
    fn group_of(&self, item: usize) -> (usize, f32) {
        let reach = self.first_distance[item] + self.second_distance[item];
        (self.first[item] as usize, reach * (1.0 + 4.0 * self.relative_error))
    }

    /// Forgets a center; returns the items for which it was one of the two nearest.
    fn forget(&mut self, slot: u32) -> Vec<u32> {
        let mut bereft = Vec::new();
        for &item in &self.tracked {
            let at = item as usize;
            if self.first[at] == slot {
                self.first[at] = self.second[at];
                self.first_distance[at] = self.second_distance[at];
            } else if self.second[at] != slot {
                continue;
            }
            self.second[at] = NONE;
            self.second_distance[at] = f32::INFINITY;
            bereft.push(item);
        }
        bereft
    }

    /// Tells all items of the center in a slot.
    fn welcome(&mut self, slot: usize, asker: &mut Answering<'_>) {
        let question = Question::listed(&self.tracked, &self.second_distance);
        asker.ask(self.centers[slot], &question);
        for hit in &asker.hits {
            self.offer(hit.item as usize, slot as u32, hit.distance);
        }
    }

    /// Finds the second-nearest center of items that lost one of their two, among all but the center
    /// that was just welcomed.
    ///
    /// The caps are not Lipschitz between bereft items and the others, but that does no harm: on the
    /// way from a center to an item whose second-nearest it is, it is one of the two nearest of every
    /// item, and so closer than its cap or just as close.
    fn find_second(&mut self, welcomed: usize, bereft: &[u32], asker: &mut Answering<'_>) {
        for slot in (0..self.centers.len()).filter(|&slot| slot != welcomed) {
            asker.ask(self.centers[slot], &Question::listed(bereft, &self.second_distance));
            for hit in &asker.hits {
                self.offer(hit.item as usize, slot as u32, hit.distance);
            }
        }
    }

    /// Takes a center for an item's nearest or second-nearest, if it is.
    fn offer(&mut self, item: usize, slot: u32, distance: f32) {
        if self.first[item] == slot {
            return;
        }
        if distance < self.first_distance[item] {
            self.second[item] = self.first[item];
            self.second_distance[item] = self.first_distance[item];
            self.first[item] = slot;
            self.first_distance[item] = distance;
        } else if distance < self.second_distance[item] {
            self.second[item] = slot;
            self.second_distance[item] = distance;
        }
    }

    /// The cost of the centers.
    pub(crate) fn cost(&self, problem: &Problem<'_>) -> f64 {
        let cost = |&item: &u32| {
            problem.demand.of(item as usize)
                * problem.objective.of(self.first_distance[item as usize])
        };
        problem.demand.items().iter().map(cost).sum()
    }

    /// What it would cost to lose each center: its items go to their second-nearest. Infinite if there
    /// is no other.
    pub(crate) fn losses(&self, problem: &Problem<'_>) -> Vec<f64> {
        let mut losses = vec![0.0; self.centers.len()];
        for &item in problem.demand.items() {
            let at = item as usize;
            let (near, far) = (self.first_distance[at], self.second_distance[at]);
            let more = problem.objective.of(far) - problem.objective.of(near);
            losses[self.first[at] as usize] += problem.demand.of(at) * more;
        }
        losses
    }
}
