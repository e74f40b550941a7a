//! Better centers by way of the bound: local search over the sites that good prices open.

use rand::Rng;

use super::core::{Core, Limits};
use super::dual::Dual;
use crate::Halt;

/// How much a site is worth trying that is not open in the average of the answers, in comparison
/// with one that always is: a fiftieth. The average speaks against it, but it may be wrong.
const LITTLE_HOPE: f64 = 0.02;

/// Sites that save most, beside those that are open in the average: this many for each center. Each
/// makes the core larger, and every visit of the search slower.
const MORE_SITES: usize = 2;

/// The sites that good prices open, ready to be searched.
pub(super) struct Improver {
    core: Core,
    /// For each site of the core, the item that it is.
    sites: Vec<u32>,
    /// The sites that are open most, as many as there are centers.
    rounded: Vec<u32>,
}

impl Improver {
    /// The sites that are open in the average of many answers, those that save most, and the given
    /// centers. `None` if the work is to end.
    pub(super) fn new(dual: &mut Dual<'_>, centers: &[usize], halt: &Halt) -> Option<Self> {
        let openings = dual.openings();
        let (free, fixed) = (dual.ground.free, dual.ground.fixed.clone());
        let mut hope = vec![0.0; dual.ground.problem.len()];
        for at in super::ground::largest(&dual.best.savings, (1 + MORE_SITES) * free) {
            hope[dual.ground.sites[at] as usize] = LITTLE_HOPE;
        }
        for &(site, share) in &openings {
            if dual.ground.sites.binary_search(&site).is_ok() {
                hope[site as usize] += f64::from(share);
            }
        }
        for &center in centers {
            hope[center] += LITTLE_HOPE;
        }
        for &site in &fixed {
            hope[site as usize] = 2.0;
        }
        let sites: Vec<u32> =
            (0..hope.len() as u32).filter(|&site| hope[site as usize] > 0.0).collect();
        dual.list(&sites, halt)?;
        let mut order: Vec<u32> = (0..sites.len() as u32).collect();
        order.sort_by(|&a, &b| {
            let hope = |at: u32| hope[sites[at as usize] as usize];
            hope(b).total_cmp(&hope(a)).then(a.cmp(&b))
        });
        order.truncate(centers.len());
        let problem = &dual.ground.problem;
        let mut number = vec![0; problem.len()];
        for (at, &item) in (0..).zip(problem.demand.items()) {
            number[item as usize] = at;
        }
        let near = |&site: &u32| {
            let hits = dual.near.of(site).iter();
            hits.map(|hit| (number[hit.item as usize], problem.objective.of(hit.distance)))
                .collect()
        };
        let items = problem.demand.items();
        let weights = items.iter().map(|&item| problem.demand.of(item as usize)).collect();
        let limits: Vec<f64> = items.iter().map(|&item| dual.near.limits[item as usize]).collect();
        let core = Core::new(
            sites.iter().map(near).collect(),
            weights,
            &limits,
            sites.iter().map(|&site| hope[site as usize]).collect(),
            sites.iter().map(|site| fixed.contains(site)).collect(),
        );
        Some(Self { core, sites, rounded: order })
    }

    /// Searches from the given centers and from the sites that are open most, up to the limits
    /// each. Returns the best centers, and their cost if it is known here.
    pub(super) fn improve(
        &mut self,
        centers: &[usize],
        limits: &Limits<'_>,
        rng: &mut impl Rng,
    ) -> (Vec<usize>, Option<f64>) {
        let given: Vec<u32> = centers
            .iter()
            .filter_map(|&center| self.sites.binary_search(&(center as u32)).ok())
            .map(|at| at as u32)
            .collect();
        let rounded = self.rounded.clone();
        let mut best: Option<(f64, Vec<u32>, bool)> = None;
        for start in [rounded, given] {
            self.core.set(&start);
            self.core.wander(limits, rng);
            if best.as_ref().is_none_or(|best| self.core.cost() < best.0) {
                best = Some((self.core.cost(), self.core.open().to_vec(), self.core.is_exact()));
            }
        }
        let (cost, open, exact) = best.unwrap_or_default();
        let centers = open.into_iter().map(|at| self.sites[at as usize] as usize).collect();
        (centers, exact.then_some(cost))
    }
}
