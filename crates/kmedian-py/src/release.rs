//! What may be published, and the centers that follow from it.

use std::path::PathBuf;
use std::sync::Arc;

use kmedian::privacy::{self, PrivateTree, Unit};
use kmedian::{LocalSearch, choice};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::door::Door;
use crate::failure::Failure;
use crate::fit::indices;
use crate::items::Items;
use crate::names::chosen;

/// Noisy counts of a public tree.
#[pyclass(frozen, module = "kmedian._core")]
pub(crate) struct Release {
    tree: Arc<PrivateTree>,
}

/// Centers for one k, and what the noisy counts make of them.
#[pyclass(frozen, get_all, module = "kmedian._core")]
pub(crate) struct PrivateCenters {
    /// The positions of the centers among the items.
    centers: Py<PyArray1<i64>>,
    /// Their cost on the estimated demand.
    estimated_cost: f64,
    /// How many records each serves, as estimated.
    estimated_sizes: Py<PyArray1<f64>>,
    /// Why the search for better ones ended.
    stop: String,
}

impl Release {
    pub(crate) fn new(tree: PrivateTree) -> Self {
        Self { tree: Arc::new(tree) }
    }
}

#[pymethods]
impl Release {
    /// Reads what [`Release::to_json`] wrote.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        Ok(Self::new(PrivateTree::from_json(text).map_err(Failure::from)?))
    }

    /// The document to publish.
    fn to_json(&self) -> String {
        self.tree.document()
    }

    /// Writes the document, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let document = self.tree.document();
        Door { py, threads: None, progress: None }.pass(move |_| {
            Ok(kmedian_data::write_atomically(&path, |out| out.write_all(document.as_bytes()))?)
        })
    }

    /// The SHA-256 of the document.
    #[getter]
    fn hash(&self) -> String {
        privacy::sha256(&self.tree.document())
    }

    /// Whether the noise protects anybody.
    #[getter]
    fn is_private(&self) -> bool {
        self.tree.is_private()
    }

    /// What was spent.
    #[getter]
    fn epsilon(&self) -> f64 {
        self.tree.recipe().epsilon.approximate()
    }

    /// How neighbouring tables differ.
    #[getter]
    fn neighbours(&self) -> String {
        self.tree.recipe().protection.neighbours.to_string()
    }

    /// The most records of a unit, if units are protected; none if single records are.
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

    /// Refuses items that are not those it is for.
    fn check_universe(&self, py: Python<'_>, universe: &Bound<'_, Items>) -> PyResult<()> {
        let (universe, tree) = (universe.clone().unbind(), Arc::clone(&self.tree));
        Door { py, threads: None, progress: None }.pass(move |watch| {
            Items::work_on(&universe, watch, |space| Ok(tree.check_universe(space)?))
        })
    }

    /// Estimated counts of the nodes of its tree.
    fn estimated_counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(self.tree.estimated_counts().map_err(Failure::from)?.into_pyarray(py))
    }

    /// Centers for each k.
    #[pyo3(signature = (universe, ks, objective, method, threads=None, progress=None))]
    #[allow(clippy::too_many_arguments)] // They are Python's.
    fn centers<'py>(
        &self,
        py: Python<'py>,
        universe: &Bound<'py, Items>,
        ks: Vec<usize>,
        objective: &str,
        method: &str,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Vec<PrivateCenters>> {
        let objective = chosen(&choice::OBJECTIVE, objective)?;
        let method = chosen(&choice::METHOD, method)?;
        let (universe, tree) = (universe.clone().unbind(), Arc::clone(&self.tree));
        let found = Door { py, threads, progress }.pass(move |watch| {
            Items::work_on(&universe, watch, |space| {
                let plan = tree.plan(method);
                Ok(watch.run(|run| tree.centers(space, &ks, objective, &plan, run))?)
            })
        })?;
        Ok(found.into_iter().map(|found| PrivateCenters::new(py, found)).collect())
    }

    /// What centers that know nothing of the demand would cost, for each k, as estimated.
    #[pyo3(signature = (universe, ks, objective, threads=None, progress=None))]
    fn data_free_costs<'py>(
        &self,
        py: Python<'py>,
        universe: &Bound<'py, Items>,
        ks: Vec<usize>,
        objective: &str,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Vec<f64>> {
        let objective = chosen(&choice::OBJECTIVE, objective)?;
        let (universe, tree) = (universe.clone().unbind(), Arc::clone(&self.tree));
        Door { py, threads, progress }.pass(move |watch| {
            Items::work_on(&universe, watch, |space| {
                let search = (&LocalSearch::default(), 0);
                let found = watch.run(|run| tree.data_free(space, &ks, objective, search, run))?;
                Ok(found.into_iter().map(|found| found.estimated_cost).collect())
            })
        })
    }
}

impl PrivateCenters {
    fn new(py: Python<'_>, found: privacy::PrivateCenters) -> Self {
        Self {
            centers: indices(py, &found.centers),
            estimated_cost: found.estimated_cost,
            estimated_sizes: found.estimated_sizes.into_pyarray(py).unbind(),
            stop: found.stop.to_string(),
        }
    }
}
