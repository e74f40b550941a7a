//! A problem as its bound sees it: sites, items with prices, and questions about both.

use rayon::prelude::*;

use super::rounding::{above, at_least, at_most};
use crate::search::Nearest;
use crate::space::{Among, AskerPool, Caps, Groups};
use crate::{Halt, Hit, Problem, Question};

/// By how many relative errors of a distance a reach is stretched, so that no item is skipped that
/// is closer than its cap: two distances are added and compared with a third.
const REACH_ERRORS: f32 = 4.0;

/// The most centers that items are grouped round where triangles tell which of them are out of
/// reach: a question measures the distance to each of these.
const MOST_ANCHORS: usize = 1 << 10;

/// The sites that one task of the thread pool asks about: a question takes microseconds at least,
/// so sixteen are worth a task, and few enough to keep all threads busy.
pub(super) const TOGETHER: usize = 16;

/// The sites between two looks at the halt, whose answers are held at once: 256 tasks of
/// [`TOGETHER`] sites keep many threads busy, and end within a fraction of a second.
pub(super) const BLOCK: usize = 1 << 12;

/// A problem with a number of centers, as its bound sees it.
pub(super) struct Ground<'a> {
    pub(super) problem: Problem<'a>,
    pub(super) pool: AskerPool<'a>,
    /// The sites that are centers whatever happens.
    pub(super) fixed: Vec<u32>,
    /// The other sites that may be centers, ascending.
    pub(super) sites: Vec<u32>,
    /// How many of the sites are to be chosen, beside the fixed ones.
    pub(super) free: usize,
    /// Whether all costs are whole numbers.
    pub(super) whole: bool,
    /// By item, the slot of its nearest anchor and the distances of the two nearest, from which
    /// triangles tell which items a site cannot reach.
    home: Vec<(u32, [f32; 2])>,
    /// The centers that items are grouped round.
    anchors: Vec<u32>,
}

/// The question that is asked from every site: which items are closer than their price allows?
pub(super) struct Caps32 {
    caps: Vec<f32>,
    largest: f32,
    groups: Option<Groups>,
}

impl Caps32 {
    /// The largest cap.
    pub(super) fn largest(&self) -> f32 {
        self.largest
    }
}

/// Whether what any centers cost is a whole number.
pub(super) fn costs_are_whole(problem: &Problem<'_>) -> bool {
    let weights = problem.demand.weights();
    weights.iter().all(|weight| weight.fract() == 0.0) && problem.space.own().is_whole()
}

impl<'a> Ground<'a> {
    /// A problem with as many centers as are given, of which some or all are what items are grouped
    /// round.
    pub(super) fn new(problem: &Problem<'a>, centers: &[usize]) -> Self {
        let each = if skips(problem) { centers.len().div_ceil(MOST_ANCHORS) } else { 1 };
        let anchors: Vec<usize> = centers.iter().copied().step_by(each).collect();
        let nearest = Nearest::new(problem, &anchors, None, &AskerPool::new(problem.space));
        let fixed: Vec<u32> = problem.fixed().iter().map(|&site| site as u32).collect();
        let is_free = |&site: &u32| problem.sites().is_free(site as usize);
        let sites: Vec<u32> = problem.candidates().filter(is_free).collect();
        Self {
            pool: AskerPool::new(problem.space),
            free: centers.len() - fixed.len(),
            fixed,
            sites,
            whole: costs_are_whole(problem),
            home: (0..problem.len())
                .map(|item| {
                    let pair = nearest.pair(item);
                    (pair.slots[0], pair.distances)
                })
                .collect(),
            anchors: anchors.iter().map(|&anchor| anchor as u32).collect(),
            problem: problem.clone(),
        }
    }

    /// For every item with demand the distances of its two nearest centers, given all of them;
    /// `None` if the work is to end.
    pub(super) fn two_nearest(&self, centers: &[usize], halt: &Halt) -> Option<Vec<[f32; 2]>> {
        let to_anchors = self.home.iter().map(|home| home.1);
        if self.anchors.len() == centers.len() {
            return Some(to_anchors.collect());
        }
        // The anchors are centers, so that nobody's second-nearest is farther than among them.
        let caps: Vec<f32> = to_anchors.map(|[_, second]| second.next_up()).collect();
        let largest = self.items().iter().map(|&item| caps[item as usize]).fold(0.0, f32::max);
        let groups = Some(self.groups(&caps));
        let caps = Caps32 { caps, largest, groups };
        let mut pairs = vec![[f32::INFINITY; 2]; self.problem.len()];
        let sites: Vec<u32> = centers.iter().map(|&center| center as u32).collect();
        for block in sites.chunks(BLOCK) {
            for hit in self.ask_each(block, &caps, halt, |_, hits| hits.to_vec())?.iter().flatten()
            {
                let [first, second] = &mut pairs[hit.item as usize];
                if hit.distance < *first {
                    (*first, *second) = (hit.distance, *first);
                } else if hit.distance < *second {
                    *second = hit.distance;
                }
            }
        }
        Some(pairs)
    }

    /// This problem with other fixed sites and others to choose from.
    pub(super) fn with_sites(&self, fixed: Vec<u32>, sites: Vec<u32>) -> Self {
        Self {
            problem: self.problem.clone(),
            pool: AskerPool::new(self.problem.space),
            free: (self.free + self.fixed.len()) - fixed.len(),
            fixed,
            sites,
            whole: self.whole,
            home: self.home.clone(),
            anchors: self.anchors.clone(),
        }
    }

    /// The sites in the order in which they should come into the core: in turn one of each cluster,
    /// by turns the one that saves most and one of any savings. All clusters have their share of it
    /// then, and no site is far from one of the core, which keeps its savings in check.
    /// Where savings are not known, sites near their centers are taken to save most.
    pub(super) fn core(&self, savings: Option<&[f64]>) -> Vec<u32> {
        let mut order: Vec<usize> = (0..self.sites.len()).collect();
        let away = |at: usize| f64::from(self.home[self.sites[at] as usize].1[0]);
        let worth = |at: usize| savings.map_or_else(|| -away(at), |savings| savings[at]);
        order.sort_by(|&a, &b| worth(b).total_cmp(&worth(a)).then(a.cmp(&b)));
        let slot =
            |at: usize| (self.home[self.sites[at] as usize].0 as usize).min(self.anchors.len());
        let mut sizes = vec![0; self.anchors.len() + 1];
        order.iter().for_each(|&at| sizes[slot(at)] += 1);
        let mut taken = vec![0; sizes.len()];
        let mut ranked: Vec<(usize, usize, usize)> = Vec::with_capacity(order.len());
        for (place, at) in order.into_iter().enumerate() {
            let slot = slot(at);
            let rank: usize = taken[slot];
            taken[slot] += 1;
            ranked.push(((2 * rank).min(2 * scattered(rank, sizes[slot]) + 1), place, at));
        }
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, _, at)| self.sites[at]).collect()
    }

    /// The items that have a price: those with demand.
    pub(super) fn items(&self) -> &[u32] {
        self.problem.demand.items()
    }

    /// The question whose answers have every item that is cheaper to serve than its price, with all
    /// caps raised by `raise`.
    pub(super) fn question(&self, prices: &[f64], raise: f32) -> Caps32 {
        let objective = self.problem.objective;
        let abilities = self.problem.space.abilities();
        let radius = |price: f64| (above(objective.distance(price)).next_up() + raise).next_up();
        let mut caps = vec![0.0; prices.len()];
        for &item in self.items() {
            caps[item as usize] = radius(prices[item as usize]);
        }
        let largest = caps.iter().copied().fold(0.0, f32::max);
        if abilities.explores {
            let own = self.problem.space.own();
            let caps = own.lipschitz_above(&caps).unwrap_or_else(|| vec![largest; caps.len()]);
            return Caps32 { caps, largest, groups: None };
        }
        let groups = skips(&self.problem).then(|| self.groups(&caps));
        Caps32 { caps, largest, groups }
    }

    /// The items round the centers, with the distance from which on a site cannot matter to them.
    fn groups(&self, caps: &[f32]) -> Groups {
        let mut members = vec![Vec::new(); self.anchors.len()];
        for &item in self.items() {
            members[self.home[item as usize].0 as usize].push(item);
        }
        let stretch = 1.0 + REACH_ERRORS * self.problem.space.relative_error();
        let reach =
            |item: u32| ((self.home[item as usize].1[0] + caps[item as usize]) * stretch).next_up();
        let mut groups = Groups::new(self.anchors.clone());
        for (slot, (&anchor, items)) in self.anchors.iter().zip(&members).enumerate() {
            groups.set(slot, anchor, items, reach);
        }
        groups
    }

    /// Asks the question from each of some sites, in parallel, and hands the answers on; `None` if
    /// the work is to end.
    pub(super) fn ask_each<T: Send>(
        &self,
        sites: &[u32],
        caps: &Caps32,
        halt: &Halt,
        answer: impl Fn(u32, &[Hit]) -> T + Sync,
    ) -> Option<Vec<T>> {
        let n = self.problem.len();
        let among = match &caps.groups {
            Some(groups) => Among::Grouped(groups),
            None if self.items().len() == n => Among::All,
            None => Among::Listed(self.items()),
        };
        let question = Question { among, caps: Caps::PerItem(&caps.caps), largest: caps.largest };
        let ask = |sites: &[u32]| {
            self.pool.lend(|asker| {
                let one = |&site: &u32| answer(site, asker.ask(site as usize, &question));
                sites.iter().map(one).collect::<Vec<T>>()
            })
        };
        let mut answers = Vec::with_capacity(sites.len());
        for block in sites.chunks(BLOCK) {
            halt.check().ok()?;
            answers.par_extend(block.par_chunks(TOGETHER).flat_map_iter(ask));
        }
        Some(answers)
    }

    /// What a site saves at given prices, rounded up: the sum over the items that it could serve
    /// for less than their price.
    pub(super) fn saving(&self, prices: &[f64], hits: &[Hit]) -> f64 {
        let Problem { demand, objective, .. } = &self.problem;
        let saved = |hit: &Hit| {
            let spare = prices[hit.item as usize] - objective.of(hit.distance);
            if spare > 0.0 { demand.of(hit.item as usize) * spare } else { 0.0 }
        };
        at_most(hits.iter().map(saved).sum(), hits.len())
    }

    /// What all items pay at given prices, and the bound, from what the fixed sites and all other
    /// sites save: no centers cost less.
    pub(super) fn bound(&self, prices: &[f64], fixed: &[f64], savings: &[f64]) -> (f64, f64) {
        let paid = self
            .items()
            .iter()
            .map(|&item| self.problem.demand.of(item as usize) * prices[item as usize]);
        let paid = at_least(paid.sum(), self.items().len());
        let largest = largest(savings, self.free);
        let saved: f64 =
            fixed.iter().sum::<f64>() + largest.iter().map(|&at| savings[at]).sum::<f64>();
        let saved = at_most(saved, fixed.len() + self.free);
        (paid, (paid - saved).next_down().max(0.0))
    }

    /// A bound, rounded up where all costs are whole numbers.
    pub(super) fn rounded(&self, bound: f64) -> f64 {
        if self.whole { bound.ceil() } else { bound }
    }
}

/// Whether triangles tell which items are out of reach of a site.
fn skips(problem: &Problem<'_>) -> bool {
    let abilities = problem.space.abilities();
    let metric = abilities.obeys_triangles && abilities.symmetric;
    metric && !abilities.has_table && !abilities.explores
}

/// When a rank of `0..size` is visited if ranks are visited evenly: its bits in reverse.
fn scattered(rank: usize, size: usize) -> usize {
    let bits = size.next_power_of_two().trailing_zeros();
    if bits == 0 { 0 } else { rank.reverse_bits() >> (usize::BITS - bits) }
}

/// The positions of the `count` largest numbers; of equal ones the first.
pub(super) fn largest(values: &[f64], count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    if count < order.len() {
        let larger = |&a: &usize, &b: &usize| values[b].total_cmp(&values[a]).then(a.cmp(&b));
        order.select_nth_unstable_by(count, larger);
        order.truncate(count);
    }
    order.sort_unstable();
    order
}
