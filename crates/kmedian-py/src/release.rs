//! Private releases, and centers that are derived from them, for Python.

use std::path::PathBuf;
use std::sync::Arc;

use kmedian::privacy::{self, PrivateTree, Unit};
use kmedian::{Goal, choice};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::door::Door;
use crate::failure::Failure;
use crate::fit::{Places, Search, Served, indices, served};
use crate::items::Items;
use crate::names::chosen;

/// A private release: noisy counts of a public tree.
#[pyclass(frozen, module = "kmedian._core")]
pub(crate) struct Release {
    tree: Arc<PrivateTree>,
}

/// Centers for one k, and what they cost and serve, estimated from noisy counts.
#[pyclass(frozen, get_all, module = "kmedian._core")]
pub(crate) struct PrivateCenters {
    /// The positions of the centers among the items.
    centers: Py<PyArray1<i64>>,
    /// The cost of the centers on the estimated demand.
    estimated_cost: f64,
    /// The ends of the range that holds the true cost with a probability of about 90 %.
    cost_interval: (f64, f64),
    /// The estimated number of records that each center serves.
    estimated_sizes: Py<PyArray1<f64>>,
    /// How far the estimated demand is from the centers; `None` if the release shows no demand.
    estimated_service: Option<Served>,
    /// For each center, the ends of the range of the true number of records that it serves.
    size_intervals: Vec<(f64, f64)>,
    /// Why the search for better centers ended, as a word.
    stop: String,
}

impl Release {
    pub(crate) fn new(tree: PrivateTree) -> Self {
        Self { tree: Arc::new(tree) }
    }
}

#[pymethods]
impl Release {
    /// Reads a document that [`Release::to_json`] wrote.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        Ok(Self::new(PrivateTree::from_json(text).map_err(Failure::from)?))
    }

    /// The document to publish: one line of JSON with a newline.
    fn to_json(&self) -> String {
        self.tree.document()
    }

    /// Writes the document to a file, completely or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let document = self.tree.document();
        Door { py, threads: None, progress: None }.pass(move |_| {
            Ok(kmedian_data::write_atomically(&path, |out| out.write_all(document.as_bytes()))?)
        })
    }

    /// The hash of the document: `sha256:`, and hexadecimal digits.
    #[getter]
    fn hash(&self) -> String {
        privacy::sha256(&self.tree.document())
    }

    /// Whether the noise protects anybody: there is some, and nobody can repeat it.
    #[getter]
    fn is_private(&self) -> bool {
        self.tree.is_private()
    }

    /// The ε of the release, as a float.
    #[getter]
    fn epsilon(&self) -> f64 {
        self.tree.recipe().epsilon.approximate()
    }

    /// How neighboring tables differ: `add-remove` or `replace-one`.
    #[getter]
    fn neighbours(&self) -> String {
        self.tree.recipe().protection.neighbours.to_string()
    }

    /// The most records of an owner that are counted; `None` if single records are protected.
    #[getter]
    fn max_per_unit(&self) -> Option<u32> {
        match self.tree.recipe().protection.unit {
            Unit::Record => None,
            Unit::Owner { at_most } => Some(at_most.get()),
        }
    }

    /// The number of items of the universe.
    #[getter]
    fn n_items(&self) -> usize {
        self.tree.universe().items
    }

    /// Raises if the items are not those that the release is for.
    fn check_universe(&self, py: Python<'_>, universe: &Bound<'_, Items>) -> PyResult<()> {
        let (universe, tree) = (universe.clone().unbind(), Arc::clone(&self.tree));
        Door { py, threads: None, progress: None }.pass(move |watch| {
            Items::work_on(&universe, watch, |space| Ok(tree.check_universe(space)?))
        })
    }

    /// The estimated counts of the tree's nodes, level by level.
    fn estimated_counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(self.tree.estimated_counts().map_err(Failure::from)?.into_pyarray(py))
    }

    /// Centers for each k, from the estimated demand.
    #[pyo3(signature = (universe, ks, objective, method, search, places, threads=None, progress=None))]
    #[allow(clippy::too_many_arguments)] // They are Python's.
    fn centers<'py>(
        &self,
        py: Python<'py>,
        universe: &Bound<'py, Items>,
        ks: Vec<usize>,
        objective: &str,
        method: &str,
        search: Search,
        places: Places,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Vec<PrivateCenters>> {
        let objective = chosen(&choice::OBJECTIVE, objective)?;
        let method = chosen(&choice::METHOD, method)?;
        let (search, restarts) = search.checked_for_release()?;
        let (universe, tree) = (universe.clone().unbind(), Arc::clone(&self.tree));
        let found = Door { py, threads, progress }.pass(move |watch| {
            Items::work_on(&universe, watch, |space| {
                let plan = tree.plan(method).searched_by(&search, Some(restarts));
                let goal = Goal { objective, sites: places.sites(space.len())? };
                Ok(watch.run(|run| tree.centers(space, &ks, goal, &plan, run))?)
            })
        })?;
        Ok(found.into_iter().map(|found| PrivateCenters::new(py, found)).collect())
    }

    /// For each k, the ends of the range of how much less centers of a release cost on the true
    /// demand than centers that know nothing of it, with a probability of about 90 %.
    #[pyo3(signature = (universe, ks, objective, method, search, places, threads=None, progress=None))]
    #[allow(clippy::too_many_arguments)] // They are Python's.
    fn advantages<'py>(
        &self,
        py: Python<'py>,
        universe: &Bound<'py, Items>,
        ks: Vec<usize>,
        objective: &str,
        method: &str,
        search: Search,
        places: Places,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Vec<(f64, f64)>> {
        let objective = chosen(&choice::OBJECTIVE, objective)?;
        let method = chosen(&choice::METHOD, method)?;
        let (search, restarts) = search.checked_for_release()?;
        let (universe, tree) = (universe.clone().unbind(), Arc::clone(&self.tree));
        let found = Door { py, threads, progress }.pass(move |watch| {
            Items::work_on(&universe, watch, |space| {
                let plan = tree.plan(method).searched_by(&search, Some(restarts));
                let search = (&search, restarts);
                let goal = Goal { objective, sites: places.sites(space.len())? };
                let ours = watch.run(|run| tree.centers(space, &ks, goal.clone(), &plan, run))?;
                let free = watch.run(|run| tree.data_free(space, &ks, goal, search, run))?;
                let pairs: Vec<[&[usize]; 2]> =
                    ours.iter().zip(&free).map(|(a, b)| [&*a.centers, &*b.centers]).collect();
                Ok(watch.run(|run| tree.advantages(space, &pairs, objective, run))?)
            })
        })?;
        Ok(found.into_iter().map(ends).collect())
    }

    /// For each k, the estimated cost of centers that know nothing of the demand.
    #[pyo3(signature = (universe, ks, objective, search, places, threads=None, progress=None))]
    #[allow(clippy::too_many_arguments)] // They are Python's.
    fn data_free_costs<'py>(
        &self,
        py: Python<'py>,
        universe: &Bound<'py, Items>,
        ks: Vec<usize>,
        objective: &str,
        search: Search,
        places: Places,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Vec<f64>> {
        let objective = chosen(&choice::OBJECTIVE, objective)?;
        let (search, restarts) = search.checked_for_release()?;
        let (universe, tree) = (universe.clone().unbind(), Arc::clone(&self.tree));
        Door { py, threads, progress }.pass(move |watch| {
            Items::work_on(&universe, watch, |space| {
                let search = (&search, restarts);
                let goal = Goal { objective, sites: places.sites(space.len())? };
                let found = watch.run(|run| tree.data_free(space, &ks, goal, search, run))?;
                Ok(found.into_iter().map(|found| found.estimated_cost).collect())
            })
        })
    }
}

fn ends(privacy::Interval { low, high }: privacy::Interval) -> (f64, f64) {
    (low, high)
}

impl PrivateCenters {
    fn new(py: Python<'_>, found: privacy::PrivateCenters) -> Self {
        Self {
            centers: indices(py, &found.centers),
            estimated_cost: found.estimated_cost,
            cost_interval: ends(found.cost_interval),
            size_intervals: found.size_intervals.into_iter().map(ends).collect(),
            estimated_sizes: found.estimated_sizes.into_pyarray(py).unbind(),
            estimated_service: found.estimated_service.as_ref().map(served),
            stop: found.stop.to_string(),
        }
    }
}
