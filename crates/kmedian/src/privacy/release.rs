use super::budget::LevelBudget;
use super::consistency::Consistent;
use super::fingerprint::{Seen, Universe};
use super::hierarchy::Hierarchy;
use super::{Entropy, Interval, PublicTree, Recipe, TreeChoice};
use crate::{
    Demand, Error, ErrorKind, Goal, Hst, Init, KMedian, LocalSearch, Objective, Run, Service,
    Space, Stop, TreeKind,
};

/// The release: noisy counts of a public tree, and all that is needed to understand them.
///
/// It may be published if [`PrivateTree::is_private`] says so. Whatever is computed from it is as
/// private as it is itself, and costs no further ε: centers for every k and both objectives
/// ([`PrivateTree::centers`]), estimates for any centers ([`PrivateTree::estimates`]), and the
/// comparison with centers that know nothing of the demand ([`PrivateTree::data_free`]), which
/// tells whether ε was worth spending. Keep it as JSON ([`PrivateTree::to_json`]); it holds the
/// shape of its tree, so later versions read it too.
///
/// Choose it over a [`PrivateSearch`](super::PrivateSearch), which releases centers for one k
/// alone, unless you compare with the paper. A release takes one pass over the counts, and as many
/// numbers as the tree has cells; centers from it take as long as a non-private fit of the items.
///
/// ```
/// use kmedian::privacy::{Entropy, Epsilon, Method, PrivateTree, Recipe};
/// use kmedian::{LocalSearch, Metric, Objective, Run, Vectors};
///
/// let stops: Vec<f32> = (0..200).map(|stop| stop as f32).collect();
/// let stops = Vectors::new(1, &stops, Metric::L1)?;
/// let visits: Vec<u64> = (0..200).map(|stop| if stop < 20 { 500 } else { 1 }).collect();
///
/// let (recipe, run) = (Recipe::new("1".parse::<Epsilon>()?), &mut Run::default());
/// let release = PrivateTree::release(&stops, &visits, &recipe, &mut Entropy::system(), run)?;
/// // All that follows costs no ε, and may be published.
/// let plan = release.plan(Method::Refined);
/// let private = release.centers(&stops, &[5], Objective::Median, &plan, run)?;
/// let search = (&LocalSearch::default(), 0);
/// let without_data = release.data_free(&stops, &[5], Objective::Median, search, run)?;
/// assert!(private[0].estimated_cost < without_data[0].estimated_cost);
/// # Ok::<(), kmedian::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PrivateTree {
    pub(super) recipe: Recipe,
    pub(super) universe: Universe,
    pub(super) shape: Hierarchy,
    pub(super) budget: LevelBudget,
    /// The noisy count of every node. Where the number of all records was not counted, that of the
    /// root means nothing.
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

    pub(super) fn new(
        universe: Universe,
        chosen: TreeChoice,
        noisy: Vec<i64>,
        seeded: bool,
    ) -> Self {
        let software = concat!("kmedian ", env!("CARGO_PKG_VERSION")).to_string();
        let TreeChoice { recipe, shape, budget, .. } = chosen;
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

    /// The noisy counts of the tree's nodes, level by level. The first, of the root, means nothing
    /// if the number of all records was not counted: see [`LevelBudget::total_share`].
    pub fn noisy_counts(&self) -> &[i64] {
        &self.noisy
    }

    /// Estimated counts of the tree's nodes, level by level: the children of every node add up to
    /// it. An estimate may be negative.
    ///
    /// # Errors
    /// If ε is too small for the split that the release claims.
    pub fn estimated_counts(&self) -> Result<Vec<f64>, Error> {
        Ok(Consistent::new(&self.shape, &self.noisy, &self.variances()?).estimates)
    }

    /// The estimated demand of every item: what the noisy counts say, shrunk towards the same for
    /// all items as far as they say little. It is the same for all items if the release shows no
    /// difference above the noise, and scaled to one record an item if it shows no records at all.
    ///
    /// # Errors
    /// If the space is not the one that the release is for, if ε is too small for the split that
    /// the release claims, or if the run is ended.
    pub fn weights(&self, space: &dyn Space, run: &mut Run<'_>) -> Result<Demand, Error> {
        Ok(self.estimator(space, run)?.weights())
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
            restarts: Some(0),
            ..KMedian::default()
        }
    }

    /// Centers for each k of a list, from the estimated demand. What serves every k is prepared
    /// once. The goal is an objective, or a [`Goal`] with candidates and fixed centers, which are
    /// public. This costs no ε.
    ///
    /// With a finite ε there are two searches, one from where the plan says and, if that ends by
    /// itself, one from centers without data; the better centers for the estimated demand count.
    /// The limits of the plan hold for both searches together, for each k.
    ///
    /// # Errors
    /// If the space is not the one that the release is for, if k, the plan or the candidates are
    /// out of range, or if the run is ended.
    pub fn centers(
        &self,
        space: &dyn Space,
        ks: &[usize],
        goal: impl Into<Goal>,
        plan: &KMedian,
        run: &mut Run<'_>,
    ) -> Result<Vec<PrivateCenters>, Error> {
        self.estimator(space, run)?.centers(ks, goal, plan, run)
    }

    /// What given sets of centers, such as those of
    /// [`data_free_centers`](super::data_free_centers), cost and serve on the estimated demand.
    /// This costs no ε.
    ///
    /// # Errors
    /// If the space is not the one that the release is for, if a center is none of its items, or if
    /// the run is ended.
    pub fn estimates(
        &self,
        space: &dyn Space,
        sets: &[Vec<usize>],
        objective: Objective,
        run: &mut Run<'_>,
    ) -> Result<Vec<PrivateCenters>, Error> {
        self.estimator(space, run)?.estimates(sets, objective)
    }

    /// By how much less than others some centers cost on the true demand: for each pair of sets of
    /// centers, the cost of the second less that of the first, as a range that holds the true
    /// difference in about 90 % of releases. Where the range includes zero, the release cannot tell
    /// which of the two is better. This costs no ε.
    ///
    /// # Errors
    /// If the space is not the one that the release is for, if a center is none of its items, or if
    /// the run is ended.
    pub fn advantages(
        &self,
        space: &dyn Space,
        pairs: &[[&[usize]; 2]],
        objective: Objective,
        run: &mut Run<'_>,
    ) -> Result<Vec<Interval>, Error> {
        self.estimator(space, run)?.advantages(pairs, objective)
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
        goal: impl Into<Goal>,
        search: (&LocalSearch, usize),
        run: &mut Run<'_>,
    ) -> Result<Vec<PrivateCenters>, Error> {
        self.estimator(space, run)?.data_free(ks, goal, search, run)
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

/// Centers, and what they cost and serve on the demand that a release estimates. All of it is as
/// private as the release.
#[derive(Debug, Clone, PartialEq)]
pub struct PrivateCenters {
    /// The centers: distinct items.
    pub centers: Vec<usize>,
    /// The cost of the centers on the estimated demand. It is noisy, not the true cost; zero if the
    /// release shows no demand.
    pub estimated_cost: f64,
    /// Where the cost on the true demand is, with a probability of about 90 %.
    pub cost_interval: Interval,
    /// How many records each center serves, by the estimated demand.
    pub estimated_sizes: Vec<f64>,
    /// Where the true number of records that each center serves is, with a probability of about
    /// 90 % each.
    pub size_intervals: Vec<Interval>,
    /// How far the estimated demand is from the centers; `None` if the release shows no demand. It
    /// knows the public items and the estimates alone.
    pub estimated_service: Option<Service>,
    /// Why the search for better centers ended; [`Stop::MaxSwaps`] for centers that were given.
    pub stop: Stop,
}

/// How centers are derived from the noisy counts of a release. Neither method costs any ε.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Method {
    /// The best centers on a tree of the estimated demand, then local search. Its centers
    /// cost least in our measurements.
    #[default]
    Refined,
    /// The best centers on a tree of the estimated demand, without local search after it. The
    /// centers for k are the first k of those for k + 1, so centers stay when k grows.
    Exact,
}
