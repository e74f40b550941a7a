//! Finds centers for Python.

use kmedian::{
    Assignment, Clustering, Demand, Effort, Goal, Init, KMedian, LocalSearch, Problem, Proof, Seed,
    Service, Sites, Tried, Ways, choice,
};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::door::{Door, Watch};
use crate::failure::Failure;
use crate::items::Items;
use crate::names::chosen;

/// Centers for one k, and how they were found.
#[pyclass(frozen, get_all, module = "kmedian._core")]
pub(crate) struct Fit {
    /// The positions of the centers among the items.
    centers: Py<PyArray1<i64>>,
    /// For every item, the position of its center among the centers.
    labels: Py<PyArray1<i32>>,
    /// What the centers cost.
    cost: f64,
    /// How clearly the centers are apart; nothing for a single one.
    silhouette: Option<f64>,
    /// What no centers cost less than, if that was asked for.
    bound: Option<f64>,
    /// The share of the cost by which it exceeds the bound at most.
    gap: Option<f64>,
    /// What the initial centers cost.
    init_cost: f64,
    /// How many swaps were done.
    swaps: usize,
    /// How many candidates were judged, in multiples of their number.
    passes: usize,
    /// Why the search ended, as a word such as `local-optimum`.
    stop: String,
    /// How far it is to the centers.
    service: Served,
    /// What the user should know about the distances.
    notes: Vec<String>,
}

/// Distances to the center: mean, median, 95th percentile, maximum, and the item that is farthest.
type Distances = (f64, f32, f32, f32, usize);

/// Distances to the centers: overall, and for each center that serves any demand.
pub(crate) type Served = (Distances, Vec<Option<Distances>>);

/// How far it is to the centers, as tuples for Python.
pub(crate) fn served(service: &Service) -> Served {
    let tuple = |ways: &Ways| (ways.mean, ways.median, ways.p95, ways.largest, ways.farthest);
    let centers = service.centers.iter().map(|center| center.as_ref().map(tuple));
    (tuple(&service.overall), centers.collect())
}

/// Which items may be centers, and which always are, by their positions, as a dict from Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Places {
    candidates: Option<Vec<usize>>,
    fixed: Vec<usize>,
}

impl Places {
    /// The places among `items` items, checked.
    pub(crate) fn sites(&self, items: usize) -> Result<Sites, Failure> {
        Ok(Sites::new(items, self.candidates.as_deref(), &self.fixed)?)
    }
}

/// What to find, as a dict from Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Plan {
    objective: String,
    init: Start,
    /// `true` for a bound of what is possible, a number for the gap that is to be proven, as a
    /// share or as text such as `0.1%`, or nothing.
    gap: Option<Gap>,
    seed: u64,
    places: Places,
}

/// What is to be proven of the centers: a bound, or a gap.
#[derive(FromPyObject)]
enum Gap {
    Bound(bool),
    Share(f64),
    Text(String),
}

impl Gap {
    fn proof(self) -> Result<Proof, Failure> {
        let gap = match self {
            Gap::Bound(wanted) => return Ok(if wanted { Proof::Bound } else { Proof::None }),
            Gap::Share(share) => share,
            Gap::Text(text) => kmedian::gap(&text)?,
        };
        let proof = Proof::Gap(gap);
        proof.check()?;
        Ok(proof)
    }
}

/// How to search, as a dict from Python: shared by all functions that search.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Search {
    swap: String,
    effort: String,
    alpha: f64,
    max_swaps: Option<usize>,
    time_limit: Option<f64>,
    memory: Option<String>,
    n_restarts: Option<usize>,
}

/// Where the search begins: the word for an initialization, or the positions of items.
#[derive(FromPyObject)]
enum Start {
    Named(String),
    Given(Vec<usize>),
}

/// Finds centers for each k, all of them from one tree.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python's, one by one")]
#[pyo3(signature = (items, ks, plan, search, weights=None, threads=None, progress=None))]
pub(crate) fn fit<'py>(
    py: Python<'py>,
    items: &Bound<'py, Items>,
    ks: Vec<usize>,
    plan: Plan,
    search: Search,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    threads: Option<usize>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Vec<Fit>> {
    let objective = chosen(&choice::OBJECTIVE, &plan.objective)?;
    let (plan, places) = plan.checked(search)?;
    let weights = weights.map(|weights| weights.as_slice().map(<[f64]>::to_vec)).transpose()?;
    let threads = threads.or_else(|| items.get().are_few(py).then_some(1));
    let brief = items.get().are_very_few(py)
        && ks.len() == 1
        && plan.restarts.unwrap_or(0) == 0
        && is_quick(&plan);
    let items = items.clone().unbind();
    let work = move |watch: &Watch| {
        Items::work_on(&items, watch, |space| {
            let of = items.get().dissimilarity();
            let objective = of.objective(objective)?;
            let goal = Goal { objective, sites: places.sites(space.len())? };
            let problem = Problem::of(space).goal(&goal);
            let problem = match weights {
                Some(weights) => problem.demand(&Demand::new(weights)?).build()?,
                None => problem.build()?,
            };
            ks.iter().try_for_each(|&k| problem.check_k(k))?;
            watch.run(|run| {
                let prepared = plan.prepare(&problem, run)?;
                let served = |found: Clustering| {
                    let found = of.restate(found);
                    let service = found.assignment.service(found.centers.len(), problem.demand());
                    (found, service)
                };
                Ok(prepared.fit_each(&ks, run)?.into_iter().map(served).collect::<Vec<_>>())
            })
        })
        .map(|found| (found, watch.notes()))
    };
    let door = Door { py, threads, progress };
    let (found, notes) = if brief { door.pass_briefly(work) } else { door.pass(work) }?;
    let fit = |(found, service)| Fit::new(py, found, &service, notes.clone());
    Ok(found.into_iter().map(fit).collect())
}

/// Whether nothing is to be proven, so that the work is surely short on a few items.
fn is_quick(plan: &KMedian) -> bool {
    plan.proof == Proof::None && plan.search.effort != Effort::Optimal
}

impl Fit {
    fn new(py: Python<'_>, found: Clustering, service: &Service, notes: Vec<String>) -> Self {
        Self {
            centers: indices(py, &found.centers),
            labels: labels(py, &found.assignment),
            cost: found.cost,
            silhouette: found.silhouette,
            bound: found.bound,
            gap: found.gap(),
            init_cost: found.init_cost,
            swaps: found.swaps,
            passes: found.passes,
            stop: found.stop.to_string(),
            service: served(service),
            notes,
        }
    }
}

impl Plan {
    fn checked(self, search: Search) -> Result<(KMedian, Places), Failure> {
        let init = match self.init {
            Start::Named(name) => chosen(&choice::INIT, &name)?,
            Start::Given(centers) => Init::Given(centers),
        };
        let (search, restarts) = search.checked()?;
        let proof = self.gap.map_or(Ok(Proof::None), Gap::proof)?;
        Ok((KMedian { init, search, restarts, proof, seed: Seed(self.seed) }, self.places))
    }
}

impl Search {
    /// The local search, checked, and the number of restarts; `None` is a few where they take next
    /// to no time.
    pub(crate) fn checked(self) -> Result<(LocalSearch, Option<usize>), Failure> {
        let search = LocalSearch {
            swap: chosen(&choice::SWAP, &self.swap)?,
            effort: chosen(&choice::EFFORT, &self.effort)?,
            max_swaps: self.max_swaps,
            time_limit: self.time_limit.map(LocalSearch::seconds).transpose()?.flatten(),
            memory: self.memory.as_deref().map(kmedian::memory_size).transpose()?,
            alpha: self.alpha,
        };
        search.check()?;
        Ok((search, self.n_restarts))
    }

    /// The local search in what is released, checked, and the number of restarts, by default none.
    pub(crate) fn checked_for_release(self) -> Result<(LocalSearch, usize), Failure> {
        self.checked().map(|(search, restarts)| (search, restarts.unwrap_or(0)))
    }
}

/// Raises if an option of a search is out of its range.
#[pyfunction]
pub(crate) fn check_search(search: Search) -> PyResult<()> {
    search.checked()?;
    Ok(())
}

/// Which k to take for so many items, by the costs and silhouettes of the centers for each, and
/// why, in words; nothing if there is too little to tell.
#[pyfunction]
pub(crate) fn suggest_k(
    items: usize,
    tried: Vec<(usize, f64, Option<f64>)>,
) -> Option<(usize, String)> {
    let tried = tried.into_iter();
    let tried = tried.map(|(k, cost, silhouette)| Tried { k, items, cost, silhouette });
    let suggestion = kmedian::suggest_k(&tried.collect::<Vec<_>>())?;
    Some((suggestion.k, suggestion.to_string()))
}

/// Positions of items as an array.
pub(crate) fn indices(py: Python<'_>, items: &[usize]) -> Py<PyArray1<i64>> {
    items.iter().map(|&item| item as i64).collect::<Vec<_>>().into_pyarray(py).unbind()
}

/// The labels of an assignment as an array: for every item, the position of its center.
pub(crate) fn labels(py: Python<'_>, assignment: &Assignment) -> Py<PyArray1<i32>> {
    let labels = assignment.labels.iter().map(|&label| label as i32);
    labels.collect::<Vec<_>>().into_pyarray(py).unbind()
}
