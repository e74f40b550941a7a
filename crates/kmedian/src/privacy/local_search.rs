use super::grid::Grid;
use super::init::InitTask;
use super::swap_costs::SwapCosts;
use super::{Entropy, Epsilon, Method, PrivateInit, Protection, Rate, SearchBudget, Selection};
use crate::{Error, ErrorKind, Goal, Problem, Run, Seed, Sites, Space, Step};

/// The most swaps that are done by default, whatever n, k and ε are: every swap takes its part of ε
/// and judges all swaps.
const MOST_ITERATIONS: f64 = 100.0;

/// The paper's Algorithm 7: private initial centers, then swaps that are selected privately.
///
/// Every iteration computes what all swaps would cost and selects one at random, the cheaper the
/// likelier. In the end one of the sets of centers on the way is selected in the same manner. The
/// search suits demand of many thousands of records; with a few hundred it is a random walk, and a
/// [`PrivateTree`](super::PrivateTree) is far better.
///
/// The defaults waste less of ε than the paper's choices, and the paper's proof holds for them too:
/// see each field. [`PrivateSearch::paper`] has the paper's choices.
#[derive(Debug, Clone, PartialEq)]
pub struct PrivateSearch {
    /// The privacy loss that initial centers and all selections may have together.
    pub epsilon: Epsilon,
    /// The initial centers: by default from a private tree, which spends half of ε.
    pub init: PrivateInit,
    /// How many swaps to do. By default k · ln ln n (times ε, if ε is below 1), at least 1 and at
    /// most 100; none if all candidates are centers, or all centers are fixed.
    pub iterations: Option<usize>,
    /// How a swap is selected by its cost; by default permute-and-flip.
    pub selection: Selection,
    /// By how much one record can change the cost of centers: what noise is scaled to.
    pub sensitivity: Sensitivity,
    /// What is protected as a whole (a record, or all records of an owner), and which tables are
    /// neighbors.
    pub protection: Protection,
    /// The seed of the randomness that does not depend on the demand, such as that of the public
    /// tree which initial centers come from. It may be known: the noise does not depend on it.
    pub seed: Seed,
}

/// A function that is given the costs of candidates and the rate of a selection, and returns the
/// position of the candidate that it chose.
pub(super) type Choose<'a> = &'a mut dyn FnMut(&[u64], Rate) -> Result<usize, Error>;

/// By how much one record can change the cost of centers: an upper bound, to which noise is scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Sensitivity {
    /// The most that a record at any public item could cost after any one swap of the current
    /// centers. The current centers count as released, so this is public. No factor of 2 is needed,
    /// because one more record lowers no cost.
    #[default]
    Adaptive,
    /// Twice the cost of the largest distance, as in the paper. It is always valid, and means more
    /// noise than [`Adaptive`](Self::Adaptive).
    TwiceDiameter,
}

/// The centers that [`PrivateSearch::run`] selected, and those on the way to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivateSearchResult {
    /// The centers: distinct items.
    pub centers: Vec<usize>,
    /// The centers before each swap and after the last. They may be published too: ε has paid for
    /// all of them.
    pub history: Vec<Vec<usize>>,
    /// The position in `history` of the centers that were selected.
    pub selected: usize,
    /// Whether the noise protects anybody: there is some, and nobody can repeat it.
    pub is_private: bool,
}

impl PrivateSearch {
    /// A search with the defaults, which did best in our measurements.
    pub fn new(epsilon: Epsilon) -> Self {
        Self {
            epsilon,
            init: PrivateInit::Tree(Method::Refined),
            iterations: None,
            selection: Selection::default(),
            sensitivity: Sensitivity::default(),
            protection: Protection::default(),
            seed: Seed::default(),
        }
    }

    /// DP-HST as the paper runs it: a tree of 8 levels (its L), 20 swaps (its T), and the
    /// exponential mechanism at the rate ε / (4Δ(T + 1)), where Δ is the cost of the largest
    /// distance. Only the noise of the tree differs: it is scaled to spend no more than its ε,
    /// because as the paper prints it, it spends almost twice that.
    pub fn paper(epsilon: Epsilon) -> Self {
        Self {
            init: PrivateInit::PaperTree { levels: 8 },
            iterations: Some(20),
            selection: Selection::Exponential,
            sensitivity: Sensitivity::TwiceDiameter,
            ..Self::new(epsilon)
        }
    }

    /// Checks k, and that ε suffices for every selection, before anything is spent. Whether a tree
    /// for the initial centers can be built, only [`run`](Self::run) finds out.
    ///
    /// # Errors
    /// If k is not from 1 to the number of candidates, or less than the number of fixed centers; if
    /// these do not fit the space; or if ε is too small for the number of selections.
    pub fn check(&self, space: &dyn Space, k: usize, goal: impl Into<Goal>) -> Result<(), Error> {
        let goal = goal.into();
        check_k(space, k, &goal)?;
        // No sensitivity is larger than the cost of the diameter.
        let grid = Grid::new(space, goal.objective);
        let largest = self.sensitivity(grid, grid.largest());
        self.budget(space, k, &goal.sites).selection(largest, self.protection).map(|_| ())
    }

    pub(super) fn budget(&self, space: &dyn Space, k: usize, sites: &Sites) -> SearchBudget {
        let selections = self.rounds(space.len(), k, sites) as u64 + 1;
        SearchBudget::new(self.epsilon, self.init.is_private(), selections)
    }

    /// Finds `k` centers for demand given as the number of records at each item. The goal is an
    /// objective, or a [`Goal`] with candidates and fixed centers, which are public. This spends ε.
    ///
    /// # Errors
    /// If k, the candidates or ε is out of its range, if the tree for the initial centers cannot be
    /// built, if there are counts for another number of items, if the operating system has no
    /// random bits, or if the run is ended.
    pub fn run(
        &self,
        space: &dyn Space,
        counts: &[u64],
        k: usize,
        goal: impl Into<Goal>,
        entropy: &mut Entropy,
        run: &mut Run<'_>,
    ) -> Result<PrivateSearchResult, Error> {
        let goal = &goal.into();
        check(space, counts, k, goal)?;
        let (protection, seed) = (self.protection, self.seed);
        let task = InitTask { space, private_counts: counts, k, goal, protection, seed };
        let budget = self.budget(space, k, &goal.sites);
        let start = task.centers(self.init, budget.init(), entropy, run)?;
        let mut choose = |costs: &[u64], rate| self.selection.choose(costs, rate, entropy);
        let (history, selected) = self.walk(&task, start, &mut choose, run)?;
        let is_private = self.epsilon.is_finite() && !entropy.is_seeded();
        Ok(PrivateSearchResult {
            centers: history[selected].clone(),
            history,
            selected,
            is_private,
        })
    }

    /// All sets of centers on the way from a start, and the position of the set that is selected in
    /// the end. `choose` sees the costs of candidates, which are private, and a rate, which is
    /// public.
    pub(super) fn walk(
        &self,
        task: &InitTask<'_>,
        start: Vec<usize>,
        choose: Choose<'_>,
        run: &mut Run<'_>,
    ) -> Result<(Vec<Vec<usize>>, usize), Error> {
        let &InitTask { space, private_counts, k, goal, protection, .. } = task;
        let sites = &goal.sites;
        let (rounds, budget) = (self.rounds(space.len(), k, sites), self.budget(space, k, sites));
        let grid = Grid::new(space, goal.objective);
        let mut current = SwapCosts::new(space, grid, private_counts, sites, &start);
        let mut history = vec![start];
        let mut private_costs = vec![current.private_cost()];
        let mut largest = current.largest_cost();
        for round in 1..=rounds {
            let sensitivity = self.sensitivity(grid, current.largest_cost_after_swap());
            let rate = budget.selection(sensitivity, protection)?;
            let (swaps, costs) = current.private_swaps();
            current.apply(swaps[choose(&costs, rate)?]);
            history.push(current.centers().to_vec());
            private_costs.push(current.private_cost());
            largest = largest.max(current.largest_cost());
            run.step(&Step::Selected { swaps: round, of: rounds })?;
        }
        let rate = budget.selection(self.sensitivity(grid, largest), protection)?;
        Ok((history, choose(&private_costs, rate)?))
    }

    /// The number of swaps to do, of n items and k centers. The paper's analysis asks for about
    /// k log log n swaps from good centers, where k counts those that may leave; an ε below one
    /// does not suffice for that many.
    fn rounds(&self, n: usize, k: usize, sites: &Sites) -> usize {
        let free = k - sites.fixed().len();
        if free == 0 || k >= sites.listed().map_or(n, <[u32]>::len) {
            return 0;
        }
        let wanted = free as f64 * libm::log(libm::log(n as f64).max(1.0)).max(1.0);
        let afforded = wanted * self.epsilon.approximate().min(1.0);
        self.iterations.unwrap_or(afforded.clamp(1.0, MOST_ITERATIONS) as usize)
    }

    fn sensitivity(&self, grid: Grid, adaptive: u64) -> u64 {
        match self.sensitivity {
            Sensitivity::Adaptive => adaptive,
            Sensitivity::TwiceDiameter => 2 * grid.largest(),
        }
    }
}

fn check(space: &dyn Space, counts: &[u64], k: usize, goal: &Goal) -> Result<(), Error> {
    let n = space.len();
    if counts.len() != n {
        let message = format!(
            "there are {n} items, but counts for {}; count every item, with zero for none",
            counts.len()
        );
        return Err(Error::new(ErrorKind::Shape, message));
    }
    check_k(space, k, goal)
}

fn check_k(space: &dyn Space, k: usize, goal: &Goal) -> Result<(), Error> {
    Problem::of(space).goal(goal).build()?.check_k(k)
}
