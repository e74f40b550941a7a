//! Finds centers for Python.

use kmedian::{
    Assignment, Clustering, Demand, Init, KMedian, LocalSearch, Problem, Seed, Space, choice,
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
    /// What the initial centers cost.
    init_cost: f64,
    /// How many swaps were done.
    swaps: usize,
    /// How many candidates were judged, in multiples of the number of items.
    passes: usize,
    /// Why the search ended, as a word such as `local-optimum`.
    stop: String,
}

/// What to find, as a dict from Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Plan {
    objective: String,
    init: Start,
    seed: u64,
}

/// How to search, as a dict from Python: shared by all functions that search.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Search {
    swap: String,
    effort: String,
    max_swaps: Option<usize>,
    time_limit: Option<f64>,
    memory: Option<String>,
    restarts: usize,
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
    let plan = plan.checked(search)?;
    let weights = weights.map(|weights| weights.as_slice().map(<[f64]>::to_vec)).transpose()?;
    let threads = threads.or_else(|| items.get().are_few(py).then_some(1));
    let brief = items.get().are_very_few(py) && ks.len() == 1 && plan.restarts == 0;
    let items = items.clone().unbind();
    let work = move |watch: &Watch| {
        Items::work_on(&items, watch, |space| {
            let demand = demand(weights, space)?;
            let problem = Problem::of(space).demand(&demand).objective(objective).build()?;
            watch.run(|run| {
                let prepared = plan.prepare(&problem, run)?;
                ks.iter().map(|&k| Ok(prepared.fit(k, run)?)).collect::<Result<Vec<_>, Failure>>()
            })
        })
    };
    let door = Door { py, threads, progress };
    let found = if brief { door.pass_briefly(work) } else { door.pass(work) }?;
    Ok(found.into_iter().map(|found| Fit::new(py, found)).collect())
}

fn demand(weights: Option<Vec<f64>>, space: &dyn Space) -> Result<Demand, Failure> {
    Ok(weights.map_or_else(|| Ok(Demand::uniform(space.len())), Demand::new)?)
}

impl Fit {
    fn new(py: Python<'_>, found: Clustering) -> Self {
        Self {
            centers: indices(py, &found.centers),
            labels: labels(py, &found.assignment),
            cost: found.cost,
            init_cost: found.init_cost,
            swaps: found.swaps,
            passes: found.passes,
            stop: found.stop.to_string(),
        }
    }
}

impl Plan {
    fn checked(self, search: Search) -> Result<KMedian, Failure> {
        let init = match self.init {
            Start::Named(name) => chosen(&choice::INIT, &name)?,
            Start::Given(centers) => Init::Given(centers),
        };
        let (search, restarts) = search.checked()?;
        Ok(KMedian { init, search, restarts, seed: Seed(self.seed) })
    }
}

impl Search {
    /// The local search, checked, and the number of restarts.
    pub(crate) fn checked(self) -> Result<(LocalSearch, usize), Failure> {
        let search = LocalSearch {
            swap: chosen(&choice::SWAP, &self.swap)?,
            effort: chosen(&choice::EFFORT, &self.effort)?,
            max_swaps: self.max_swaps,
            time_limit: self.time_limit.map(LocalSearch::seconds).transpose()?.flatten(),
            memory: self.memory.as_deref().map(kmedian::memory_size).transpose()?,
            alpha: 0.0,
        };
        search.check()?;
        Ok((search, self.restarts))
    }
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
