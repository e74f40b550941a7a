//! The best prices: many passes over a core of sites, few over all of them.

use std::iter;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::ascent;
use super::bundle::Bundle;
use super::ground::{Ground, largest};
use super::near::Near;
use super::passes::{Proven, pass, prove};
use super::volume::Volume;
use crate::{Halt, Hit, Problem};

/// The room above a price, as a share of it, up to which lists of near items are complete: prices
/// move within it before lists are made again. More room makes all lists longer, which every pass
/// reads, in the plane by the square of it; with less, lists are made again more often.
const ROOM: f64 = 0.5;

/// The share of the items whose prices are at the end of their room for which lists are made again:
/// 2 in 1,000. So few prices that cannot rise take little off the bound.
const CRAMPED: f64 = 0.002;

/// The pairs of a site and an item up to which lists are kept of all sites, and of a core beyond: a
/// pass over them takes some hundredths of a second.
const CORE_PAIRS: usize = 1 << 24;

/// The passes over the core between two over all sites: where all sites have lists, and where most
/// must be asked, which takes far longer. A pass over all lists costs no more than a cheap one, so
/// that twenty of these leave it a twentieth of the time; where sites are asked, twice as many.
const CHEAP_PASSES: (usize, usize) = (20, 40);

/// Passes by which the bundle moves the prices, eight times as many as it has cuts: later, the
/// volume algorithm gets farther.
const BUNDLE_PASSES: usize = 120;

/// The sites that come into the core after a pass over all sites, for each center at most: ten
/// times as many as can be open. More would make the core, which every cheap pass reads, larger;
/// who is missed comes in after the next pass over all sites.
const NEWCOMERS: usize = 10;

/// The share of the time left that lists may take: a third, so that most is left for the passes
/// over them, and for a pass over all sites, without which nothing is proven.
const LISTING: f64 = 1.0 / 3.0;

/// How often the first prices are raised one by one, if they come to the end of their room.
const RAISED: usize = 3;

/// The least share of the value that is aimed at beyond it. Steps are as long as what they aim at,
/// so at a value that has reached its target they would have no length.
const LEAST_AIM: f64 = 1e-7;

/// The prices, and what is known at them.
pub(super) struct Dual<'a> {
    pub(super) ground: Ground<'a>,
    pub(super) near: Arc<Near>,
    /// The sites of the cheap passes, all of which have lists.
    core: Vec<u32>,
    /// The best prices found, and what they prove.
    pub(super) best: Proven,
    /// The present prices, and their value if there were no sites but the core.
    prices: Vec<f64>,
    value: f64,
    mover: Mover,
    /// How many passes there were over the core, and over all sites.
    pub(super) passes: usize,
    pub(super) full_passes: usize,
    /// How many pairs of a site and an item the passes over the core have looked at.
    pub(super) visited: u64,
    /// How long the last pass over all sites took, or the first is predicted to take.
    full_pass: Duration,
}

/// By what the prices are moved.
enum Mover {
    Bundle(Bundle),
    Volume(Volume),
}

impl<'a> Dual<'a> {
    /// Prices half way between the two nearest centers, or those that are given if they say more,
    /// of which nothing is proven yet; `None` if the work is to end.
    pub(super) fn new(
        problem: &Problem<'a>,
        centers: &[usize],
        target: f64,
        given: Option<&[f64]>,
        memory: usize,
        deadline: Option<Instant>,
        halt: &Halt,
    ) -> Option<Self> {
        let ground = Ground::new(problem, centers);
        let prices = between(problem, &ground.two_nearest(centers, halt)?);
        let core = ground.core(None);
        let most = (memory / size_of::<Hit>()).min(CORE_PAIRS);
        let began = Instant::now();
        let near = Near::new(&ground, limits(&prices), &core, most, share_of(deadline), halt)?;
        let each = began.elapsed().as_secs_f64() / near.lists().max(1) as f64;
        let others = ground.sites.len().saturating_sub(near.lists());
        let full_pass = Duration::from_secs_f64(each * others as f64);
        let prices = scaled(&ground, &near, &prices, given);
        let (near, prices) = raised(&ground, near, prices, deadline, halt)?;
        let best = Proven::nothing(prices);
        Some(Self { full_pass, ..Self::from(ground, Arc::new(near), best, target) })
    }

    /// This problem with other fixed sites and others to choose from, all of which have lists;
    /// `None` if the work is to end.
    pub(super) fn with_sites(
        &self,
        fixed: Vec<u32>,
        sites: Vec<u32>,
        prices: Vec<f64>,
        target: f64,
        halt: &Halt,
    ) -> Option<Self> {
        let ground = self.ground.with_sites(fixed, sites);
        let best = prove(&ground, Some(&self.near), prices, halt)?;
        Some(Self::from(ground, Arc::clone(&self.near), best, target))
    }

    fn from(ground: Ground<'a>, near: Arc<Near>, best: Proven, target: f64) -> Self {
        let core: Vec<u32> = ground.sites.iter().copied().filter(|&site| near.has(site)).collect();
        let prices = best.prices.clone();
        let first = pass(&ground, &near, &prices, &core);
        let demand = ground.problem.demand.weights();
        let mover = Mover::Bundle(Bundle::new(&first, target - first.value, demand));
        let value = first.value;
        let full_passes = usize::from(!best.savings.is_empty());
        let visited = near.pairs() as u64;
        Self {
            ground,
            near,
            core,
            best,
            prices,
            value,
            mover,
            passes: 1,
            full_passes,
            visited,
            full_pass: Duration::ZERO,
        }
    }

    /// Leaves out the sites that are open in no solution that costs less than `cost`.
    pub(super) fn dismiss(&mut self, cost: f64) {
        let Self { ground, best, core, .. } = self;
        let threshold = best.threshold(ground.free);
        let keeps: Vec<bool> =
            best.if_open(threshold).map(|bound| ground.rounded(bound) < cost).collect();
        if keeps.iter().filter(|keeps| **keeps).count() <= ground.free {
            return;
        }
        let mut kept = keeps.iter();
        ground.sites.retain(|_| kept.next().is_none_or(|keeps| *keeps));
        let mut kept = keeps.iter();
        best.savings.retain(|_| kept.next().is_none_or(|keeps| *keeps));
        core.retain(|site| ground.sites.binary_search(site).is_ok());
    }

    /// Makes lists for some sites that have none; `None` if the work is to end.
    pub(super) fn list(&mut self, sites: &[u32], halt: &Halt) -> Option<()> {
        let missing: Vec<u32> =
            sites.iter().copied().filter(|&site| !self.near.has(site)).collect();
        if let Some(near) = Arc::get_mut(&mut self.near).filter(|_| !missing.is_empty()) {
            near.extend(&self.ground, &missing, None, halt)?;
        }
        Some(())
    }

    /// Whether another pass over all sites would end after the deadline.
    pub(super) fn is_late(&self, deadline: Option<Instant>) -> bool {
        deadline.is_some_and(|deadline| Instant::now() + self.full_pass >= deadline)
    }

    /// The sites that save most at the best prices, with the fixed ones.
    pub(super) fn open_at_best(&self) -> Vec<u32> {
        let Self { ground, best, .. } = self;
        let open = largest(&best.savings, ground.free);
        ground.fixed.iter().copied().chain(open.iter().map(|&at| ground.sites[at])).collect()
    }

    /// The site that is nearest to being half open in the average of many answers, of those that
    /// may be open or not.
    pub(super) fn undecided(&self) -> Option<u32> {
        let sites = &self.ground.sites;
        let half = |share: f32| (share - 0.5).abs();
        let openings = self.openings();
        let open = openings.iter().filter(|(site, _)| sites.binary_search(site).is_ok());
        let most = open.min_by(|a, b| half(a.1).total_cmp(&half(b.1)).then(a.0.cmp(&b.0)));
        most.map(|&(site, _)| site).or_else(|| sites.first().copied())
    }

    /// Whether every site that is left has a list, or can be given one; `None` if the work is to
    /// end.
    pub(super) fn list_all(&mut self, halt: &Halt) -> Option<bool> {
        self.list(&self.ground.sites.clone(), halt)?;
        Some(self.ground.sites.iter().all(|&site| self.near.has(site)))
    }

    /// Moves the prices for a number of passes, aiming at the cost of known centers, and proves the
    /// bound of the last. `None` if the work is to end.
    pub(super) fn advance(
        &mut self,
        passes: usize,
        target: f64,
        deadline: Option<Instant>,
        halt: &Halt,
    ) -> Option<()> {
        for _ in 0..passes {
            if halt.is_stopped() || self.is_late(deadline) {
                break;
            }
            self.one_pass(target);
        }
        self.settle(deadline, halt)
    }

    fn one_pass(&mut self, target: f64) {
        let left = (target - self.value).max(LEAST_AIM * self.value);
        let mut step = match &mut self.mover {
            Mover::Bundle(bundle) => bundle.step(left),
            Mover::Volume(volume) => volume.step(left),
        };
        let mut next = self.prices.clone();
        for &item in self.ground.items() {
            let item = item as usize;
            next[item] = (next[item] + step[item]).clamp(0.0, self.near.limits[item]);
            step[item] = next[item] - self.prices[item];
        }
        let answer = pass(&self.ground, &self.near, &next, &self.core);
        self.passes += 1;
        self.visited += self.near.pairs() as u64;
        let rise = answer.value - self.value;
        let moves = match &mut self.mover {
            Mover::Bundle(bundle) => bundle.learn(&answer, &step, rise),
            Mover::Volume(volume) => volume.learn(&answer, rise, left),
        };
        if moves {
            self.prices = next;
            self.value = answer.value;
        }
        if let Mover::Bundle(bundle) = &self.mover
            && self.passes > BUNDLE_PASSES
        {
            let demand = self.ground.problem.demand.weights();
            let volume = Volume::new(bundle.coverage(), &bundle.openings(), demand);
            self.mover = Mover::Volume(volume);
        }
    }

    /// Proves the bound of the present prices, lets sites into the core that save more than some
    /// that are open, in place of those that save least, and makes room for prices.
    fn settle(&mut self, deadline: Option<Instant>, halt: &Halt) -> Option<()> {
        let began = Instant::now();
        let proven = prove(&self.ground, Some(&self.near), self.prices.clone(), halt)?;
        self.full_pass = began.elapsed();
        self.full_passes += 1;
        let savings = self.ground.sites.iter().copied().zip(proven.savings.iter().copied());
        let (listed, missing): (Vec<_>, Vec<_>) =
            savings.partition(|&(site, _)| self.near.has(site));
        let missing = missing.into_iter().filter(|&(_, saving)| saving >= proven.entry).collect();
        let mut missing = by_savings(missing);
        missing.truncate(NEWCOMERS * self.ground.free);
        let listed = by_savings(listed);
        if proven.bound > self.best.bound || self.best.savings.is_empty() {
            self.best = proven;
        }
        if is_cramped(&self.ground, &self.near, &self.prices) {
            let sites: Vec<u32> = missing.into_iter().chain(listed).collect();
            let (most, until, limits) = (self.near.most, share_of(deadline), limits(&self.prices));
            self.near = Arc::new(Near::new(&self.ground, limits, &sites, most, until, halt)?);
        } else if missing.is_empty() {
            return Some(());
        } else if let Some(near) = Arc::get_mut(&mut self.near) {
            // Enough sites keep their lists to choose the open ones from.
            let may_leave: Vec<u32> = listed.into_iter().skip(2 * self.ground.free).rev().collect();
            near.make_room(missing.len(), &may_leave);
            near.extend(&self.ground, &missing, None, halt)?;
        }
        self.core = self.ground.sites.iter().copied().filter(|&s| self.near.has(s)).collect();
        let answer = pass(&self.ground, &self.near, &self.prices, &self.core);
        self.passes += 1;
        if let Mover::Bundle(bundle) = &mut self.mover {
            bundle.lower(self.value - answer.value);
        }
        self.value = answer.value;
        Some(())
    }

    /// How many passes over the core should come before one over all sites.
    pub(super) fn cheap_passes(&self) -> usize {
        let all_listed = self.core.len() == self.ground.sites.len();
        if all_listed { CHEAP_PASSES.0 } else { CHEAP_PASSES.1 }
    }

    /// Whether more passes are of little use.
    pub(super) fn is_tired(&self) -> bool {
        matches!(&self.mover, Mover::Volume(volume) if volume.is_tired())
    }

    /// The sites that are open in the average of many answers, and to which share: near to an
    /// optimum of the relaxation.
    pub(super) fn openings(&self) -> Vec<(u32, f32)> {
        match &self.mover {
            Mover::Bundle(bundle) => bundle.openings(),
            Mover::Volume(volume) => volume.openings(),
        }
    }
}

/// Sites with their savings, in the order of these, largest first.
fn by_savings(mut sites: Vec<(u32, f64)>) -> Vec<u32> {
    sites.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    sites.into_iter().map(|(site, _)| site).collect()
}

/// The shares of the first prices that are tried, the largest first, until one proves less than the
/// one before: quarters are fine enough, as prices move from there on.
const SHARES: [f64; 4] = [1.0, 0.75, 0.5, 0.25];

/// Prices, or the share of them that says most of the sites with lists: prices from bad centers are
/// too high, and may prove nothing. Or a share of other prices that are given, if that says more:
/// the more centers there are, the lower are prices.
fn scaled(ground: &Ground<'_>, near: &Near, prices: &[f64], given: Option<&[f64]>) -> Vec<f64> {
    let core: Vec<u32> = ground.sites.iter().copied().filter(|&site| near.has(site)).collect();
    let mut best = (f64::NEG_INFINITY, Vec::new());
    for prices in iter::once(prices).chain(given) {
        let mut last = f64::NEG_INFINITY;
        for share in SHARES {
            let within = prices.iter().zip(&near.limits);
            let prices: Vec<f64> =
                within.map(|(price, limit)| (share * price).min(*limit)).collect();
            let value = pass(ground, near, &prices, &core).value;
            if value <= last {
                break;
            }
            last = value;
            if value > best.0 {
                best = (value, prices);
            }
        }
    }
    best.1
}

/// Prices that were raised one by one where that says more, and lists with room for them; `None` if
/// the work is to end.
fn raised(
    ground: &Ground<'_>,
    mut near: Near,
    mut prices: Vec<f64>,
    deadline: Option<Instant>,
    halt: &Halt,
) -> Option<(Near, Vec<f64>)> {
    for _ in 0..RAISED {
        let sites: Vec<u32> = ground.sites.iter().copied().filter(|&site| near.has(site)).collect();
        prices = ascent::raised(ground, &near, &sites, prices);
        if !is_cramped(ground, &near, &prices) {
            break;
        }
        let (most, until) = (near.most, share_of(deadline));
        near = Near::new(ground, limits(&prices), &sites, most, until, halt)?;
    }
    Some((near, prices))
}

/// Whether so many prices are at the end of their room that lists should be made again.
fn is_cramped(ground: &Ground<'_>, near: &Near, prices: &[f64]) -> bool {
    let at_limit = |&&item: &&u32| prices[item as usize] >= 0.999 * near.limits[item as usize];
    let cramped = ground.items().iter().filter(at_limit).count();
    cramped as f64 > CRAMPED * ground.items().len() as f64
}

/// When lists should be done, so that most of the time is left for what comes after.
fn share_of(deadline: Option<Instant>) -> Option<Instant> {
    let now = Instant::now();
    deadline.map(|deadline| now + deadline.saturating_duration_since(now).mul_f64(LISTING))
}

/// For every item with demand the price half way between what its two nearest centers cost.
fn between(problem: &Problem<'_>, nearest: &[[f32; 2]]) -> Vec<f64> {
    let objective = problem.objective;
    let mut prices = vec![0.0; problem.len()];
    for &item in problem.demand.items() {
        let [near, far] = nearest[item as usize];
        let far = if far.is_finite() { far } else { problem.space.diameter_bound().max(near) };
        prices[item as usize] = (objective.of(near) + objective.of(far)) / 2.0;
    }
    prices
}

/// The prices up to which lists of near items are complete.
fn limits(prices: &[f64]) -> Vec<f64> {
    prices.iter().map(|price| price * (1.0 + ROOM)).collect()
}
