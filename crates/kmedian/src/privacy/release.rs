use super::budget::LevelBudget;
use super::consistency::consistent;
use super::fingerprint::{Seen, Universe};
use super::hierarchy::Hierarchy;
use super::tree::rates;
use super::weights::weights;
use super::{Entropy, PublicTree, Rate, Recipe};
use crate::{
    Assignment, Demand, Error, ErrorKind, Hst, Init, KMedian, LocalSearch, Objective, Problem, Run,
    Space, Stop, TreeKind,
};

/// The release: noisy counts of a public tree, and all that is needed to understand them.
///
/// It may be published if [`PrivateTree::is_private`] says so. Whatever is computed from it is as
/// private as it is itself, and costs no further ε: centers for every k and both objectives
/// ([`PrivateTree::centers`]), estimates for any centers ([`PrivateTree::estimates`]), and the
/// comparison with centers that know nothing of the demand ([`PrivateTree::data_free`]), which
/// tells whether ε was worth spending. Keep it as JSON ([`PrivateTree::to_json`]); it holds the
/// shape of its tree, so later versions read it too. The [module](super) shows the whole way.
#[derive(Debug, Clone, PartialEq)]
pub struct PrivateTree {
    pub(super) recipe: Recipe,
    pub(super) universe: Universe,
    pub(super) shape: Hierarchy,
    pub(super) budget: LevelBudget,
    /// The noisy count of every node; the root was not measured, and its number means nothing.
    pub(super) noisy: Vec<i64>,
    /// Whether the noise came from a seed, so that anybody can subtract it.
    pub(super) seeded: bool,
    /// Whether its document says that it is not private, although its noise looks as if it were.
    pub(super) disclaimed: bool,
    pub(super) software: String,
}

impl PrivateTree {
    /// Counts demand on a public tree, once, and adds noise. This spends ε.
    ///
    /// `counts` is the number of records at each item. To build the tree before the demand is read,
    /// see [`PublicTree`].
    ///
    /// # Errors
    /// If the recipe does not fit the space, or the counts; if the operating system has no random
    /// bits; or if the run is ended.
    pub fn release(
        space: &dyn Space,
        counts: &[u64],
        recipe: &Recipe,
        entropy: &mut Entropy,
        run: &mut Run<'_>,
    ) -> Result<Self, Error> {
        PublicTree::build(space, recipe, run)?.release(counts, entropy)
    }

    pub(super) fn new(public: PublicTree, noisy: Vec<i64>, seeded: bool) -> Self {
        let software = concat!("kmedian ", env!("CARGO_PKG_VERSION")).to_string();
        let PublicTree { recipe, universe, shape, budget, .. } = public;
        Self { recipe, universe, shape, budget, noisy, seeded, disclaimed: false, software }
    }

    /// Whether the noise protects anybody: there is some, nobody can repeat it, and whoever made
    /// the release does not say otherwise.
    pub fn is_private(&self) -> bool {
        !self.seeded && self.recipe.epsilon.is_finite() && !self.disclaimed
    }

    /// What was decided before the demand was read, with the kind of tree and the split that were
    /// chosen where the choice was left open.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// How ε was split over the levels of the tree.
    pub fn budget(&self) -> &LevelBudget {
        &self.budget
    }

    /// The universe that the release is for.
    pub fn universe(&self) -> &Universe {
        &self.universe
    }

    /// The noisy counts of the tree's nodes, level by level. The root, which comes first, was not
    /// measured.
    pub fn noisy_counts(&self) -> &[i64] {
        &self.noisy
    }

    /// Estimated counts of the tree's nodes, level by level: the children of every node add up to
    /// it. An estimate may be negative.
    ///
    /// # Errors
    /// If ε is too small for the split that the release claims.
    pub fn estimated_counts(&self) -> Result<Vec<f64>, Error> {
        let rates = rates(&self.shape, &self.budget, self.recipe.protection)?;
        let mut variances: Vec<f64> = rates.into_iter().map(Rate::variance).collect();
        variances[0] = f64::INFINITY;
        Ok(consistent(&self.shape, &self.noisy, &variances))
    }

    /// The estimated demand of every item; the same for all items, if the release shows no demand
    /// above the noise.
    ///
    /// # Errors
    /// If ε is too small for the split that the release claims.
    pub fn weights(&self) -> Result<Demand, Error> {
        Ok(self.estimated_demand()?.unwrap_or_else(|| Demand::uniform(self.universe.items)))
    }

    /// The estimated demand of every item; `None` if no estimate is positive.
    fn estimated_demand(&self) -> Result<Option<Demand>, Error> {
        weights(&self.shape, &self.estimated_counts()?).map(Demand::new).transpose()
    }

    /// The plan by which a method derives centers from this release, for [`PrivateTree::centers`].
    /// Change its search or its initialization to search longer, or from elsewhere.
    pub fn plan(&self, method: Method) -> KMedian {
        let tree = match self.recipe.tree {
            None | Some(TreeKind::Fitted { .. }) => TreeKind::default(),
            Some(other) => other,
        };
        let max_swaps = (method == Method::Exact).then_some(0);
        KMedian {
            init: Init::Hst(Hst { tree, ..Hst::default() }),
            search: LocalSearch { max_swaps, ..LocalSearch::default() },
            seed: self.recipe.seed,
            ..KMedian::default()
        }
    }

    /// Centers for each k of a list, from the estimated demand. What serves every k is prepared
    /// once. This costs no ε.
    ///
    /// # Errors
    /// If the space is not the one that the release is for, if k or the plan is out of range, or if
    /// the run is ended.
    pub fn centers(
        &self,
        space: &dyn Space,
        ks: &[usize],
        objective: Objective,
        plan: &KMedian,
        run: &mut Run<'_>,
    ) -> Result<Vec<PrivateCenters>, Error> {
        self.check_universe(space)?;
        let estimated = self.estimated_demand()?;
        let everyone = Demand::uniform(space.len());
        let demand = estimated.as_ref().unwrap_or(&everyone);
        let found = fit_all(space, demand, ks, objective, plan, run)?;
        let judge = |(centers, stop)| judge(space, estimated.as_ref(), objective, centers, stop);
        Ok(found.into_iter().map(judge).collect())
    }

    /// What given sets of centers, such as those of [`data_free_centers`], cost and serve on the
    /// estimated demand. This costs no ε.
    ///
    /// # Errors
    /// If the space is not the one that the release is for, or a center is none of its items.
    pub fn estimates(
        &self,
        space: &dyn Space,
        sets: &[Vec<usize>],
        objective: Objective,
    ) -> Result<Vec<PrivateCenters>, Error> {
        self.check_universe(space)?;
        let (estimated, everyone) = (self.estimated_demand()?, Demand::uniform(space.len()));
        let problem = Problem::of(space).demand(&everyone).objective(objective).build()?;
        let judge = |centers: &Vec<usize>| {
            crate::search::check_centers(&problem, centers)?;
            Ok(judge(space, estimated.as_ref(), objective, centers.clone(), Stop::MaxSwaps))
        };
        sets.iter().map(judge).collect()
    }

    /// Centers that know nothing of the demand, for each k of a list, and what they cost and serve
    /// on the estimated demand. Private centers are worth their ε if they cost less.
    ///
    /// Centers without data cost no ε, so the comparison takes the best of them: they are refined
    /// by the given local search and restarts, whatever [`Method`] the private ones came from.
    ///
    /// # Errors
    /// If the space is not the one that the release is for, if k or the search is out of range, or
    /// if the run is ended.
    pub fn data_free(
        &self,
        space: &dyn Space,
        ks: &[usize],
        objective: Objective,
        (search, restarts): (&LocalSearch, usize),
        run: &mut Run<'_>,
    ) -> Result<Vec<PrivateCenters>, Error> {
        let plan = self.plan(Method::Refined).searched_by(search, restarts);
        let centers = data_free_centers(space, ks, objective, &plan, run)?;
        self.estimates(space, &centers, objective)
    }

    /// Checks that a space is the one that the release is for.
    ///
    /// # Errors
    /// If the number of items or the fingerprint is another.
    pub fn check_universe(&self, space: &dyn Space) -> Result<(), Error> {
        let given = Universe::of(space);
        if given == self.universe {
            return Ok(());
        }
        let told = |universe: &Universe| {
            let probed = if universe.seen == Seen::Probes { ", from probes" } else { "" };
            format!("{} items, {:.12}{probed}", universe.items, universe.fingerprint)
        };
        let message = format!(
            "the release is for another universe ({}) than this one ({}); give the items, in their order, and \
             the metric that it was made with",
            told(&self.universe),
            told(&given)
        );
        Err(Error::new(ErrorKind::Release, message))
    }
}

/// Centers that know nothing of the demand, for each k of a list: all items count alike. Any
/// private result must be compared with them, as they cost no ε.
///
/// # Errors
/// If k or the plan is out of range, or if the run is ended.
pub fn data_free_centers(
    space: &dyn Space,
    ks: &[usize],
    objective: Objective,
    plan: &KMedian,
    run: &mut Run<'_>,
) -> Result<Vec<Vec<usize>>, Error> {
    let everyone = Demand::uniform(space.len());
    let found = fit_all(space, &everyone, ks, objective, plan, run)?;
    Ok(found.into_iter().map(|(centers, _)| centers).collect())
}

/// Centers and why their search ended, for each k of a list, by the non-private pipeline. The
/// demand is uniform or estimated, never the true one.
fn fit_all(
    space: &dyn Space,
    demand: &Demand,
    ks: &[usize],
    objective: Objective,
    plan: &KMedian,
    run: &mut Run<'_>,
) -> Result<Vec<(Vec<usize>, Stop)>, Error> {
    let problem = Problem::of(space).demand(demand).objective(objective).build()?;
    ks.iter().try_for_each(|&k| problem.check_k(k))?;
    let prepared = plan.prepare(&problem, run)?;
    let fit = |&k| prepared.fit(k, run).map(|found| (found.centers, found.stop));
    ks.iter().map(fit).collect()
}

/// What centers cost and serve on the estimated demand: nothing, if there is none.
fn judge(
    space: &dyn Space,
    demand: Option<&Demand>,
    objective: Objective,
    centers: Vec<usize>,
    stop: Stop,
) -> PrivateCenters {
    let assignment = Assignment::new(space, &centers);
    let estimated_cost = demand.map_or(0.0, |demand| assignment.cost(demand, objective));
    let estimated_sizes = match demand {
        Some(demand) => assignment.served(centers.len(), demand),
        None => vec![0.0; centers.len()],
    };
    PrivateCenters { centers, estimated_cost, estimated_sizes, stop }
}

/// Centers, and what they cost and serve on the demand that a release estimates. All of it is as
/// private as the release.
#[derive(Debug, Clone, PartialEq)]
pub struct PrivateCenters {
    /// The centers: distinct items.
    pub centers: Vec<usize>,
    /// The cost of the centers on the estimated demand. It is noisy, not the true cost; zero if the
    /// release shows no demand.
    pub estimated_cost: f64,
    /// How many records each center serves, by the estimated demand.
    pub estimated_sizes: Vec<f64>,
    /// Why the search for better centers ended; [`Stop::MaxSwaps`] for centers that were given.
    pub stop: Stop,
}

/// How centers are derived from the noisy counts of a release. Neither method costs any ε.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Method {
    /// The best centers on a tree of the estimated demand, then local search. It measures best.
    #[default]
    Refined,
    /// The best centers on a tree of the estimated demand, without local search after it. The
    /// centers for k are the first k of those for k + 1, so centers stay when k grows.
    Exact,
}
