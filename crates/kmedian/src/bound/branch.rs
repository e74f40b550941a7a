//! Branch and bound over the sites that are left: what is not settled by one set of prices is
//! settled by opening or closing a site, and by better prices for either case.

use std::time::Instant;

use super::dual::Dual;
use crate::{Halt, Problem};

/// The passes in a round on a branch, after which its bound is proven and its sites are dismissed.
/// A proof costs about one pass, so that twenty of them leave it a twentieth of the time.
const PASSES: usize = 20;

/// The most rounds on a branch: 240 passes, a limit for branches whose bound keeps rising and still
/// does not reach the cost.
const ROUNDS: usize = 12;

/// The least share of the way to the cost that the bound of a branch must rise in a round for
/// another one: 2 %. At that pace fifty rounds would be needed, and two branches do more.
const WORTH_IT: f64 = 0.02;

/// The share of a cost up to which centers count as optimal where costs are not whole numbers: a
/// billionth, far more than the rounding of sums in 64 bits, and nothing to any user.
const ROUNDING: f64 = 1e-9;

/// What whole costs must differ by at least to count as different, however large they are: less
/// than one.
const LESS_THAN_ONE: f64 = 0.5;

/// The difference of cost and bound up to which centers count as optimal; `whole` says whether all
/// costs are whole numbers.
pub(super) fn slack(cost: f64, whole: bool) -> f64 {
    let share = cost * ROUNDING;
    if whole { share.min(LESS_THAN_ONE) } else { share }
}

/// Solutions with some sites open and others closed.
struct Branch {
    fixed: Vec<u32>,
    sites: Vec<u32>,
    prices: Vec<f64>,
    bound: f64,
}

/// The best centers known, and what no centers can beat.
pub(super) struct Best {
    pub(super) centers: Vec<usize>,
    pub(super) cost: f64,
    pub(super) bound: f64,
    /// Prices to begin with, and the best ones in the end; none at first.
    pub(super) prices: Option<Vec<f64>>,
    /// Whether all costs are whole numbers.
    pub(super) whole: bool,
}

impl Best {
    /// The bound from which on a branch has no better solution.
    fn enough(&self) -> f64 {
        self.cost - slack(self.cost, self.whole)
    }
}

/// Searches all branches, until none is left or the work is to end. The bound of `best` rises by
/// what was proven.
pub(super) fn search(
    root: &mut Dual<'_>,
    best: &mut Best,
    deadline: Option<Instant>,
    halt: &Halt,
    mut tell: impl FnMut(&Best) -> bool,
) -> Option<()> {
    root.dismiss(best.cost);
    if !root.list_all(halt)? {
        return Some(());
    }
    let mut open = vec![Branch {
        fixed: root.ground.fixed.clone(),
        sites: root.ground.sites.clone(),
        prices: root.best.prices.clone(),
        bound: root.best.bound,
    }];
    while let Some(branch) = open.pop() {
        let ends = halt.is_stopped() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if ends || !tell(best) {
            open.push(branch);
            break;
        }
        if branch.bound < best.enough() {
            open.extend(divide(root, branch, best, halt)?);
        }
    }
    let least = open.iter().map(|branch| branch.bound).fold(best.cost, f64::min);
    best.bound = best.bound.max(least);
    Some(())
}

/// Proves a better bound for a branch, and divides it in two if that does not settle it.
fn divide(root: &Dual<'_>, branch: Branch, best: &mut Best, halt: &Halt) -> Option<Vec<Branch>> {
    let Branch { fixed, sites, prices, bound } = branch;
    let free = best.centers.len() - fixed.len();
    if free == 0 || sites.len() <= free {
        let all = free > 0;
        let open: Vec<u32> = fixed.iter().chain(sites.iter().filter(|_| all)).copied().collect();
        consider(&root.ground.problem, &open, best);
        return Some(Vec::new());
    }
    let mut dual = root.with_sites(fixed, sites, prices, best.cost, halt)?;
    let mut last = dual.best.bound;
    for _ in 0..ROUNDS {
        dual.advance(PASSES, best.cost, None, halt)?;
        consider(&root.ground.problem, &dual.open_at_best(), best);
        dual.dismiss(best.cost);
        if dual.best.bound >= best.enough() {
            return Some(Vec::new());
        }
        if dual.best.value - last < WORTH_IT * (best.cost - dual.best.value) {
            break;
        }
        last = dual.best.value;
    }
    let Dual { ground, best: proven, .. } = &dual;
    if ground.sites.len() <= ground.free {
        let open: Vec<u32> = ground.fixed.iter().chain(&ground.sites).copied().collect();
        consider(&root.ground.problem, &open, best);
        return Some(Vec::new());
    }
    let Some(site) = dual.undecided() else { return Some(Vec::new()) };
    let bound = proven.bound.max(bound);
    let sites: Vec<u32> = ground.sites.iter().copied().filter(|&other| other != site).collect();
    let opened = ground.fixed.iter().copied().chain([site]).collect();
    let prices = &proven.prices;
    Some(vec![
        Branch { fixed: ground.fixed.clone(), sites: sites.clone(), prices: prices.clone(), bound },
        Branch { fixed: opened, sites, prices: prices.clone(), bound },
    ])
}

/// Takes sites for the best centers if they cost less.
fn consider(problem: &Problem<'_>, open: &[u32], best: &mut Best) {
    if open.len() != best.centers.len() {
        return;
    }
    let centers: Vec<usize> = open.iter().map(|&site| site as usize).collect();
    let cost = problem.cost(&centers);
    if cost < best.cost {
        (best.cost, best.centers) = (cost, centers);
    }
}
