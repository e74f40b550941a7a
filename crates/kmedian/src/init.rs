//! Where local search begins.

mod hst;

pub use hst::{Hst, TreeSearch};

use std::sync::OnceLock;
use std::time::Instant;

use rand::Rng;
use rand::seq::index;

use crate::memory::Means;
use crate::search::checked_centers;
use crate::seeding::Seeding;
use crate::space::LowerBounds;
use crate::tactics;
use crate::tree::{ExactSearch, Tree, paper_search_among};
use crate::{Error, ErrorKind, LentVectors, Problem, Run, Seed, Space, Step};

/// How the initial centers are chosen, from which a local search begins.
///
/// | | cost of the centers | distances measured, for n items and k centers |
/// |---|---|---|
/// | [`Random`](Init::Random) | anything | none |
/// | [`PlusPlus`](Init::PlusPlus) | O(log k) times the best, in expectation | n · k |
/// | [`Greedy`](Init::Greedy) | better in practice | n · k · (2 + ln k) |
/// | [`Hst`](Init::Hst) | best in practice | n · branching · levels, for all k at once |
///
/// All of them begin with the fixed centers of the problem, and choose the others among its
/// candidates. A good start saves the local search swaps; what each start costs is measured in
/// docs/INITIALIZATION.md. Keep [`Auto`](Init::Auto) unless you compare methods, or have centers to
/// begin with ([`Given`](Init::Given)).
///
/// ```
/// use kmedian::{Init, KMedian, Metric, Problem, Vectors};
///
/// let places = Vectors::new(1, &[0.0, 1.0, 2.0, 10.0, 11.0, 12.0], Metric::L1)?;
/// let problem = Problem::of(&places).build()?;
/// let yesterday = Init::Given(vec![2, 3]);
/// let found = KMedian { init: yesterday, ..KMedian::default() }.fit(&problem, 2)?;
/// assert_eq!((found.init_cost, found.cost), (6.0, 4.0));
/// # Ok::<(), kmedian::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Init {
    /// [`Hst`](Init::Hst), which saves distances. Where they cost little, it is
    /// [`Greedy`](Init::Greedy), as the swaps that a tree would save take less time than the tree:
    /// on a matrix, for at most 64 centers of 256 to 2,048 vectors, and under l2, cosine, angles
    /// and great circles for up to some ten thousand vectors, by lower bounds of their distances
    /// from inner products.
    #[default]
    Auto,
    /// Items drawn at random, each with the same probability however large its demand is. Items
    /// without demand are drawn only if there are too few others.
    Random,
    /// k-median++ (or k-means++): each center is drawn among the items with demand, in proportion
    /// to what they cost with the centers before it. An item that is no candidate gives way to the
    /// nearest one.
    #[cfg_attr(feature = "serde", serde(rename = "plusplus"))]
    PlusPlus,
    /// Greedy k-median++: for each center, 2 + ln k items (rounded down) are drawn as for
    /// [`PlusPlus`](Init::PlusPlus), and the one that lowers the cost most is taken.
    Greedy,
    /// The paper's initialization: the centers that a search finds on a tree of cells
    /// (hierarchically separated tree, HST).
    Hst(Hst),
    /// The given centers: k distinct candidates, by their numbers, and the fixed centers among
    /// them.
    Given(Vec<usize>),
}

impl Init {
    /// Does the work that serves every k: builds the tree, where there is one.
    ///
    /// # Errors
    /// If the tree cannot be built, or if the run is ended.
    pub fn prepare<'a>(
        &'a self,
        problem: &Problem<'a>,
        seed: Seed,
        run: &mut Run<'_>,
    ) -> Result<Start<'a>, Error> {
        self.prepare_on(problem, problem, seed, run)
    }

    /// [`Init::prepare`] where there may be a table of all distances: `tabulated` is the problem
    /// over that table, or `problem` itself.
    pub(crate) fn prepare_on<'a>(
        &'a self,
        problem: &Problem<'a>,
        tabulated: &Problem<'a>,
        seed: Seed,
        run: &mut Run<'_>,
    ) -> Result<Start<'a>, Error> {
        let source = match self {
            Init::Auto if may_start_greedily(problem) => Source::Auto(OnceLock::new()),
            Init::Auto => Hst::default().prepare(tabulated, seed, run)?,
            Init::Random => Source::Random,
            Init::PlusPlus => Source::Seeding { greedy: false },
            Init::Greedy => Source::Seeding { greedy: true },
            Init::Given(centers) => Source::Given(centers),
            Init::Hst(hst) if hst.of_coordinates() => hst.prepare(problem, seed, run)?,
            Init::Hst(hst) => hst.prepare(tabulated, seed, run)?,
        };
        Ok(Start { problem: tabulated.clone(), seed, source })
    }

    /// [`Init::prepare_on`] up to a deadline: if that passes first, the centers will be random.
    pub(crate) fn prepare_within<'a>(
        &'a self,
        problem: &Problem<'a>,
        tabulated: &Problem<'a>,
        seed: Seed,
        deadline: Option<Instant>,
        run: &mut Run<'_>,
    ) -> Result<Start<'a>, Error> {
        let prepared = self.prepare_on(problem, tabulated, seed, &mut run.until(deadline));
        if !was_late(&prepared, deadline, run) {
            return prepared;
        }
        Ok(Start { problem: tabulated.clone(), seed, source: Source::Random })
    }
}

/// Whether [`Init::Auto`] may begin with greedy seeding.
fn may_start_greedily(problem: &Problem<'_>) -> bool {
    let vectors = problem.space.own().as_vectors();
    let bounded = |vectors: &&LentVectors<'_>| {
        vectors.has_products()
            && tactics::seeds_by_bounds(vectors.len(), vectors.priced_dims(), usize::MAX)
    };
    vectors.is_some_and(|vectors| bounded(&vectors))
        || tactics::may_start_greedily(problem.space.abilities(), vectors.map(Space::len))
}

/// Whether work failed because its deadline passed, not because the run was ended.
fn was_late<T>(result: &Result<T, Error>, deadline: Option<Instant>, run: &Run<'_>) -> bool {
    let cancelled = matches!(result, Err(error) if error.kind() == ErrorKind::Cancelled);
    let late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
    cancelled && late && !run.halt().is_stopped()
}

/// An initialization that was prepared for a problem by [`Init::prepare`]: gives initial centers
/// for any k.
pub struct Start<'a> {
    problem: Problem<'a>,
    seed: Seed,
    source: Source<'a>,
}

enum Source<'a> {
    Random,
    Seeding {
        greedy: bool,
    },
    Given(&'a [usize]),
    Paper(Tree),
    Exact(ExactSearch),
    /// Greedy seeding, or a tree, built when it is first needed.
    Auto(OnceLock<Box<Source<'a>>>),
}

/// Initial centers, and lower bounds of all distances if the centers were chosen by those and they
/// are kept, for a search to go on with.
pub(crate) struct Begin<'a> {
    pub(crate) centers: Vec<usize>,
    pub(crate) lower_bounds: Option<LowerBounds<'a>>,
}

impl<'a> Start<'a> {
    /// [`Start::centers`] up to a deadline: if that passes first, the centers are random. Lower
    /// bounds of distances are kept if `memory` has room for them.
    pub(crate) fn begin(
        &self,
        k: usize,
        deadline: Option<Instant>,
        memory: usize,
        run: &mut Run<'_>,
    ) -> Result<Begin<'a>, Error> {
        let begin = self.begin_from(&self.source, k, memory, &mut run.until(deadline));
        if !was_late(&begin, deadline, run) {
            return begin;
        }
        self.begin_from(&Source::Random, k, memory, run)
    }

    /// Initial centers: `k` distinct candidates, the fixed centers first.
    ///
    /// # Errors
    /// If k is out of its range, if centers were given that are not `k` distinct candidates with
    /// all fixed ones among them, or if the run is ended.
    pub fn centers(&self, k: usize, run: &mut Run<'_>) -> Result<Vec<usize>, Error> {
        Ok(self.begin_from(&self.source, k, 0, run)?.centers)
    }

    fn begin_from(
        &self,
        source: &Source<'a>,
        k: usize,
        memory: usize,
        run: &mut Run<'_>,
    ) -> Result<Begin<'a>, Error> {
        self.problem.check_k(k)?;
        if let (Source::Auto(_), Some(vectors)) = (source, self.seeded_by_bounds(k)) {
            let kept = tactics::bounds_first(vectors.len(), k, Seeding::trials(k));
            let memory = if kept { memory } else { 0 };
            let means = Means { halt: run.halt().clone(), memory };
            let mut lower_bounds = LowerBounds::before_centers(vectors, k, &means);
            let seeding = Seeding::by_bounds(&self.problem, &mut lower_bounds);
            let centers = self.seed(seeding, Seeding::trials(k), k, run)?;
            let lower_bounds = Some(lower_bounds).filter(LowerBounds::are_kept);
            return Ok(Begin { centers, lower_bounds });
        }
        Ok(Begin { centers: self.centers_from(source, k, run)?, lower_bounds: None })
    }

    /// The vectors of the problem, if k initial centers are chosen by lower bounds of distances.
    fn seeded_by_bounds(&self, k: usize) -> Option<&'a LentVectors<'a>> {
        let Problem { space, demand, sites, .. } = &self.problem;
        let vectors = space.own().as_vectors().filter(|vectors| vectors.has_products())?;
        let all = sites.is_default() && demand.items().len() == vectors.len();
        (all && tactics::seeds_by_bounds(vectors.len(), vectors.priced_dims(), k))
            .then_some(vectors)
    }

    /// Adds centers, each the best of so many draws, until there are k.
    fn seed(
        &self,
        mut seeding: Seeding<'_, '_>,
        trials: usize,
        k: usize,
        run: &mut Run<'_>,
    ) -> Result<Vec<usize>, Error> {
        let mut rng = self.generator(k);
        while seeding.centers().len() < k {
            seeding.add_best_of(trials, &mut rng);
            run.step(&Step::Seeded { centers: seeding.centers().len(), of: k })?;
        }
        Ok(seeding.centers().to_vec())
    }

    fn generator(&self, k: usize) -> impl Rng {
        self.seed.named("init").numbered(k as u64).generator()
    }

    fn centers_from(
        &self,
        source: &Source<'a>,
        k: usize,
        run: &mut Run<'_>,
    ) -> Result<Vec<usize>, Error> {
        let (sites, fixed) = (&self.problem.sites, self.problem.fixed());
        match source {
            Source::Given(centers) if centers.len() != k => {
                let message =
                    format!("{} centers were given, but k = {k}; give as many as k", centers.len());
                Err(Error::new(ErrorKind::Parameter, message))
            }
            Source::Given(centers) => checked_centers(&self.problem, centers),
            _ if k == fixed.len() => Ok(fixed.to_vec()),
            Source::Random => {
                let free = |&item: &usize| sites.is_free(item);
                let free = self.problem.candidates().map(|item| item as usize).filter(free);
                let (wanted, others): (Vec<usize>, Vec<usize>) =
                    free.partition(|&item| self.problem.demand.of(item) > 0.0);
                let (mut centers, mut rng) = (fixed.to_vec(), self.generator(k));
                for items in [wanted, others] {
                    let draws = items.len().min(k - centers.len());
                    let drawn = index::sample(&mut rng, items.len(), draws);
                    centers.extend(drawn.iter().map(|at| items[at]));
                }
                Ok(centers)
            }
            Source::Seeding { greedy } => {
                let trials = if *greedy { Seeding::trials(k) } else { 1 };
                self.seed(Seeding::new(&self.problem), trials, k, run)
            }
            Source::Paper(tree) => Ok(paper_search_among(sites, tree, &self.problem.demand, k)),
            Source::Exact(search) => Ok(search.centers(k)),
            Source::Auto(tree) => {
                if tactics::starts_greedily(self.problem.space.abilities(), k) {
                    return self.centers_from(&Source::Seeding { greedy: true }, k, run);
                }
                let tree = match tree.get() {
                    Some(tree) => tree,
                    None => {
                        let built = Hst::default().prepare(&self.problem, self.seed, run)?;
                        tree.get_or_init(|| Box::new(built))
                    }
                };
                self.centers_from(tree, k, run)
            }
        }
    }
}
