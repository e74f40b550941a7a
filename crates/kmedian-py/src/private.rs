//! Counts private demand, once, for Python.
//!
//! Everything public comes first: building a [`PublicTree`] finds all that can be wrong. Then
//! Python spends ε in the ledger, and only after that passes the records to
//! [`PublicTree::release`].

use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};

use kmedian::privacy::{self, Entropy, Epsilon, Protection, Recipe, Unit};
use kmedian::{Seed, choice};
use pyo3::prelude::*;

use crate::demand::Demand;
use crate::door::Door;
use crate::failure::Failure;
use crate::items::Items;
use crate::names::chosen;
use crate::release::Release;

/// A tree over public items with ε divided over its nodes, ready to count demand once.
#[pyclass(frozen, module = "kmedian._core")]
pub(crate) struct PublicTree {
    /// The tree; `None` once it was released, as a second release would spend ε again.
    tree: Mutex<Option<privacy::PublicTree>>,
    /// The most records of an owner that are counted; `None` to count all.
    most: Option<NonZeroU32>,
}

#[pymethods]
impl PublicTree {
    /// Builds the tree. ε is a decimal number as text.
    #[new]
    #[pyo3(signature = (
        universe, epsilon, split, max_per_unit, neighbours, demand_size, seed, threads=None, progress=None
    ))]
    #[allow(clippy::too_many_arguments)] // They are Python's.
    fn new<'py>(
        py: Python<'py>,
        universe: &Bound<'py, Items>,
        epsilon: &str,
        split: &str,
        max_per_unit: Option<u32>,
        neighbours: &str,
        demand_size: Option<u64>,
        seed: u64,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let most = max_per_unit.map(at_least_one).transpose()?;
        let unit = most.map_or(Unit::Record, |at_most| Unit::Owner { at_most });
        let recipe = Recipe {
            split: chosen(&choice::SPLIT, split)?,
            protection: Protection { unit, neighbours: chosen(&choice::NEIGHBOURS, neighbours)? },
            records: demand_size,
            seed: Seed(seed),
            ..Recipe::new(epsilon.parse::<Epsilon>().map_err(Failure::from)?)
        };
        let universe = universe.clone().unbind();
        let tree = Door { py, threads, progress }.pass(move |watch| {
            Items::work_on(&universe, watch, |space| {
                Ok(watch.run(|run| privacy::PublicTree::build(space, &recipe, run))?)
            })
        })?;
        Ok(Self { tree: Mutex::new(Some(tree)), most })
    }

    /// Counts demand and adds noise. This spends ε, and raises if it is done a second time.
    /// `noise_seed` makes the noise repeatable, hence not private.
    #[pyo3(signature = (demand, noise_seed=None))]
    fn release(
        &self,
        py: Python<'_>,
        demand: &Demand,
        noise_seed: Option<u64>,
    ) -> PyResult<Release> {
        let tree = self.tree.lock().unwrap_or_else(PoisonError::into_inner).take();
        let tree = tree.ok_or_else(|| {
            Failure::Runtime(
                "this tree has been released; build another one, and spend ε for it".into(),
            )
        })?;
        let (counter, most) = (demand.counter(), self.most);
        let released = Door { py, threads: None, progress: None }.pass(move |watch| {
            let mut entropy = match noise_seed {
                None => Entropy::system(),
                Some(seed) => Entropy::seeded_not_private(Seed(seed)),
            };
            let private_demand = counter.count(most, &mut entropy.sampler()?, watch)?;
            Ok(tree.release(&private_demand.counts, &mut entropy)?)
        })?;
        Ok(Release::new(released))
    }
}

fn at_least_one(most: u32) -> Result<NonZeroU32, Failure> {
    NonZeroU32::new(most).ok_or_else(|| Failure::Value("max_per_unit must be 1 or more".into()))
}

/// Whether the environment variable `KMEDIAN_REQUIRE_LEDGER` forbids releases without a ledger.
#[pyfunction]
pub(crate) fn ledger_is_required() -> bool {
    kmedian_ledger::is_required()
}
