//! Prices where centers are many: each is raised until a site near the item has earned its keep.
//!
//! With a rent of θ for every open site, the relaxation asks for the highest prices at which no
//! site saves more than θ: bound = Σ w λ − f · θ. Dual ascent (Bilde and Krarup 1977, Erlenkotter
//! 1978) raises one price after the other, each to the cost of the next site that could serve the
//! item, until one of those that could serve it already saves θ. Where a site serves a handful of
//! items, that comes within a percent of the relaxation at once, which passes over all sites take
//! hundreds of steps to.

use super::ground::{Ground, largest};
use super::near::Near;
use super::passes::pass;

/// The most pairs of a site and an item in lists for which prices are raised one by one: a tenth of
/// a second for each rent that is tried.
const MOST_PAIRS: usize = 1 << 22;

/// The most sites near an item, on average, for which that pays: with more, ascent ends farther
/// from the relaxation, and takes as long as dozens of passes.
const MOST_SITES: usize = 64;

/// The steps in which a price rises to its limit at most: where an item has more sites near it than
/// that, a step goes past several of them.
const STEPS: usize = 16;

/// The rents that are tried lie within this factor of what the last open site saves at first.
const FACTOR: f64 = 2.0;

/// How often the range of rents is narrowed, to 0.62 of what it was: to 3 % of the rent.
const NARROWED: usize = 8;

/// The share of a range of rents at which golden-section search looks.
const GOLDEN: f64 = 0.381_966_011_250_105_1;

/// For each item, the sites near it, cheapest first.
struct Round {
    /// By item, where its sites begin; one more for the end.
    starts: Vec<usize>,
    /// What the item costs at a site, and the number of the site; fixed ones come first.
    sites: Vec<(f64, u32)>,
    /// By item, its weight and the highest price for which its sites are complete.
    items: Vec<(f64, f64)>,
    /// How many of the sites are fixed.
    fixed: usize,
    /// How many sites there are.
    count: usize,
}

/// Prices that say more than the given ones of the sites with lists, by dual ascent; the given
/// ones if there are none or if lists are too long.
pub(super) fn raised(ground: &Ground<'_>, near: &Near, core: &[u32], given: Vec<f64>) -> Vec<f64> {
    if near.pairs() > MOST_PAIRS.min(MOST_SITES * ground.items().len()) {
        return given;
    }
    let value = |prices: &[f64]| pass(ground, near, prices, core).value;
    let round = Round::new(ground, near, core);
    let savings = near.savings(core, &super::passes::priced(ground, &given));
    let last = largest(&savings, ground.free).into_iter().map(|at| savings[at]);
    let rent = last.fold(f64::INFINITY, f64::min);
    if !(rent.is_finite() && rent > 0.0) {
        return given;
    }
    // Golden-section search: what is proven is nearly concave in the rent.
    let (mut low, mut high) = ((rent / FACTOR).ln(), (rent * FACTOR).ln());
    let at = |rent: f64| round.value(&round.ascend(rent.exp()), rent.exp(), ground.free);
    let mut first = low + GOLDEN * (high - low);
    let mut second = high - GOLDEN * (high - low);
    let (mut below, mut above) = (at(first), at(second));
    for _ in 0..NARROWED {
        if below < above {
            (low, first, below) = (first, second, above);
            second = high - GOLDEN * (high - low);
            above = at(second);
        } else {
            (high, second, above) = (second, first, below);
            first = low + GOLDEN * (high - low);
            below = at(first);
        }
    }
    let prices = round.ascend(if below < above { second } else { first }.exp());
    if value(&prices) > value(&given) { prices } else { given }
}

impl Round {
    fn new(ground: &Ground<'_>, near: &Near, core: &[u32]) -> Self {
        let objective = ground.problem.objective;
        let all = || ground.fixed.iter().chain(core).copied();
        let mut starts = vec![0; ground.problem.len() + 1];
        for hit in all().flat_map(|site| near.of(site)) {
            starts[hit.item as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut sites = vec![(0.0, 0); near.pairs()];
        for (number, site) in (0..).zip(all()) {
            for hit in near.of(site) {
                let place = &mut next[hit.item as usize];
                sites[*place] = (objective.of(hit.distance), number);
                *place += 1;
            }
        }
        for pair in starts.windows(2) {
            sites[pair[0]..pair[1]]
                .sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        }
        let items =
            ground.problem.demand.weights().iter().copied().zip(near.limits.iter().copied());
        let (fixed, count) = (ground.fixed.len(), ground.fixed.len() + core.len());
        Self { starts, sites, items: items.collect(), fixed, count }
    }

    /// Prices that cannot be raised one by one, at which no site saves more than the rent and fixed
    /// ones save nothing.
    fn ascend(&self, rent: f64) -> Vec<f64> {
        let mut prices = vec![0.0; self.items.len()];
        let mut left = vec![rent; self.count];
        left[..self.fixed].fill(0.0);
        let demanded = |&item: &u32| self.items[item as usize].0 > 0.0;
        let mut rising: Vec<u32> = (0..self.items.len() as u32).filter(demanded).collect();
        while !rising.is_empty() {
            rising.retain(|&item| self.rises(item as usize, &mut prices[item as usize], &mut left));
        }
        prices
    }

    /// Raises the price of an item by a step, or as far as is left of what sites may save. Returns
    /// whether it may rise on.
    fn rises(&self, item: usize, price: &mut f64, left: &mut [f64]) -> bool {
        let ((weight, limit), low) = (self.items[item], *price);
        let sites = &self.sites[self.starts[item]..self.starts[item + 1]];
        let reached = sites.partition_point(|site| site.0 <= low);
        let step = sites.len().div_ceil(STEPS).max(1);
        let aim = sites.get(reached + step - 1).map_or(limit, |site| site.0.min(limit));
        let mut high = aim;
        for &(cost, site) in sites {
            if cost >= high {
                break;
            }
            high = high.min(cost.max(low) + left[site as usize] / weight);
        }
        for &(cost, site) in sites.iter().take_while(|site| site.0 < high) {
            let left = &mut left[site as usize];
            *left = (*left - weight * (high - cost.max(low))).max(0.0);
        }
        *price = high.max(low);
        high == aim && aim < limit
    }

    /// What prices prove, but for rounding, if no site saves more than the rent.
    fn value(&self, prices: &[f64], rent: f64, free: usize) -> f64 {
        let paid = prices.iter().zip(&self.items).map(|(price, item)| price * item.0);
        paid.sum::<f64>() - free as f64 * rent
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::{Demand, Halt, Metric, Objective, Problem, Seed, Vectors};

    /// No site saves more than the rent, fixed ones save nothing, no price can be raised alone, and
    /// the ascent says more than prices half way between centers.
    ///
    /// Seen to fail where the crate was changed: prices that rise to the next site whatever is
    /// left; room that does not look at the weight of the item; fixed sites that may save.
    #[test]
    fn prices_rise_until_a_site_has_earned_its_rent() {
        for seed in 0..20 {
            let mut rng = Seed(seed).stream("ascent");
            let n = 120;
            let values: Vec<f32> = (0..2 * n).map(|_| rng.random_range(0.0..100.0)).collect();
            let weights =
                (0..n).map(|item| if item % 7 == 3 { 0.0 } else { rng.random_range(0.5..3.0) });
            let demand = Demand::new(weights.collect()).unwrap();
            let space = Vectors::new(2, &values, Metric::L2).unwrap();
            let objective = if seed % 2 == 0 { Objective::Median } else { Objective::Means };
            let fixed: Vec<usize> = (0..seed as usize % 3).collect();
            let problem = Problem::of(&space)
                .demand(&demand)
                .objective(objective)
                .fixed(fixed.iter().copied())
                .build()
                .unwrap();
            let centers: Vec<usize> = (0..40).collect();
            let ground = Ground::new(&problem, &centers);
            let pairs = ground.two_nearest(&centers, &Halt::default()).unwrap();
            let half_way = |item: usize| match demand.of(item) {
                0.0 => 0.0,
                _ => pairs[item].iter().map(|&d| objective.of(d)).sum::<f64>() / 2.0,
            };
            let given: Vec<f64> = (0..n).map(half_way).collect();
            let limits: Vec<f64> = given.iter().map(|price| 3.0 * price + 1.0).collect();
            let halt = Halt::default();
            let near =
                Near::new(&ground, limits.clone(), &ground.sites, 1 << 20, None, &halt).unwrap();
            let round = Round::new(&ground, &near, &ground.sites);
            let rent = rng.random_range(5.0..200.0);
            let prices = round.ascend(rent);
            let savings = |prices: &[f64], sites: &[u32]| {
                near.savings(sites, &super::super::passes::priced(&ground, prices))
            };
            let most = savings(&prices, &ground.sites).into_iter().fold(0.0, f64::max);
            assert!(most <= rent * (1.0 + 1e-9), "seed {seed}: {most} of {rent}");
            let of_fixed: f64 = savings(&prices, &ground.fixed).iter().sum();
            assert!(of_fixed <= 1e-9, "seed {seed}: fixed sites save {of_fixed}");
            for item in (0..n).filter(|&item| demand.of(item) > 0.0 && prices[item] < limits[item])
            {
                let mut higher = prices.clone();
                higher[item] += 1e-3;
                let over = savings(&higher, &ground.sites).into_iter().fold(0.0, f64::max) > rent;
                let taken = savings(&higher, &ground.fixed).iter().sum::<f64>() > 1e-9;
                assert!(over || taken, "seed {seed}: the price of {item} could be higher");
            }
            let value = |prices: &[f64]| pass(&ground, &near, prices, &ground.sites).value;
            let better = raised(&ground, &near, &ground.sites, given.clone());
            let (better, given) = (value(&better), value(&given));
            assert!(better >= given, "seed {seed}: {better} in place of {given}");
        }
    }
}
