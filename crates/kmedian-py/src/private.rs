//! What looks at private demand, once.
//!
//! Everything public comes first: a [`PublicTree`], where all that can be wrong is found. Python then spends ε in the
//! ledger, and only after that gives out records, to [`PublicTree::release`].

use std::num::NonZeroU32;
use std::sync::Mutex;

use kmedian::Seed;
use kmedian::privacy::{self, Entropy, Epsilon, Protection, Recipe, Split, Unit};
use kmedian_data::{NonPrivateFacts, PrivateDemand, count_records};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use rand::SeedableRng;
use rand::rngs::ChaCha20Rng;

use crate::door::Door;
use crate::failure::Failure;
use crate::items::Items;
use crate::release::Release;

/// A tree over public items, ready to count demand.
#[pyclass(frozen, module = "kmedian._core")]
pub(crate) struct PublicTree {
    /// Gone once it was released: counting again spends ε again.
    tree: Mutex<Option<privacy::PublicTree>>,
    items: usize,
    most: Option<NonZeroU32>,
}

#[pymethods]
impl PublicTree {
    /// Builds the tree. ε is a decimal number as text.
    #[new]
    #[pyo3(signature = (universe, epsilon, split, max_per_unit, demand_size, seed, threads=None, progress=None))]
    #[allow(clippy::too_many_arguments)] // They are Python's.
    fn new<'py>(
        py: Python<'py>,
        universe: &Bound<'py, Items>,
        epsilon: &str,
        split: &str,
        max_per_unit: Option<u32>,
        demand_size: Option<u64>,
        seed: u64,
        threads: Option<usize>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let most = max_per_unit.map(at_least_one).transpose()?;
        let unit = most.map_or(Unit::Record, |at_most| Unit::Owner { at_most });
        let recipe = Recipe {
            split: split.parse::<Split>().map_err(Failure::from)?,
            protection: Protection { unit, ..Protection::default() },
            records: demand_size,
            seed: Seed(seed),
            ..Recipe::new(epsilon.parse::<Epsilon>().map_err(Failure::from)?)
        };
        let universe = universe.clone().unbind();
        let (tree, items) = Door { py, threads, progress }.pass(move |watch| {
            Items::work_on(&universe, watch, |space| {
                let tree = privacy::PublicTree::build(space, &recipe, &mut watch.observer())?;
                Ok((tree, space.len()))
            })
        })?;
        Ok(Self { tree: Mutex::new(Some(tree)), items, most })
    }

    /// Counts records, once, and adds noise: for each record the position of its item, and a number for whom it
    /// belongs to; negative numbers stand for none. This spends ε.
    #[pyo3(signature = (items, units, noise_seed, nonprivate_check))]
    fn release(
        &self,
        py: Python<'_>,
        items: PyReadonlyArray1<'_, i64>,
        units: Option<PyReadonlyArray1<'_, i64>>,
        noise_seed: Option<u64>,
        nonprivate_check: bool,
    ) -> PyResult<Release> {
        let private_records = items.as_slice()?.to_vec();
        let private_units = units.map(|units| units.as_slice().map(<[i64]>::to_vec)).transpose()?;
        let (items, most) = (self.items, self.most);
        self.released(py, noise_seed, nonprivate_check, move |sampler| {
            count(items, &private_records, private_units.as_deref(), most, sampler)
        })
    }

    /// Takes the number of records of each item, and adds noise. This spends ε.
    #[pyo3(signature = (counts, noise_seed, nonprivate_check))]
    fn release_counts(
        &self,
        py: Python<'_>,
        counts: PyReadonlyArray1<'_, u64>,
        noise_seed: Option<u64>,
        nonprivate_check: bool,
    ) -> PyResult<Release> {
        let counts = counts.as_slice()?.to_vec();
        let records = counts.iter().fold(0u64, |sum, &count| sum.saturating_add(count));
        let nonprivate = NonPrivateFacts { records, ..NonPrivateFacts::default() };
        let private_demand = PrivateDemand { counts, nonprivate };
        self.released(py, noise_seed, nonprivate_check, move |_| private_demand)
    }
}

impl PublicTree {
    fn released(
        &self,
        py: Python<'_>,
        noise_seed: Option<u64>,
        nonprivate_check: bool,
        count: impl FnOnce(&mut ChaCha20Rng) -> PrivateDemand + Send + 'static,
    ) -> PyResult<Release> {
        let tree = self.tree.lock().ok().and_then(|mut tree| tree.take()).ok_or_else(|| {
            let message = "this tree was released already; build it again, which spends ε again";
            Failure::Value(message.into())
        })?;
        let released = Door { py, threads: None, progress: None }.pass(move |_| {
            let mut entropy = match noise_seed {
                None => Entropy::system(),
                Some(seed) => Entropy::seeded_not_private(Seed(seed)),
            };
            let private_demand = count(&mut sampler(&mut entropy)?);
            if nonprivate_check {
                check_demand(&private_demand.nonprivate)?;
            }
            Ok(tree.release(&private_demand.counts, &mut entropy)?)
        })?;
        Ok(Release::new(released))
    }
}

/// Counts records: for each the position of its item, and a number for whom it belongs to.
fn count(
    items: usize,
    records: &[i64],
    units: Option<&[i64]>,
    most: Option<NonZeroU32>,
    sampler: &mut ChaCha20Rng,
) -> PrivateDemand {
    let names: Vec<Option<String>> = units.map_or_else(Vec::new, |units| {
        units.iter().map(|&unit| (unit >= 0).then(|| unit.to_string())).collect()
    });
    let unit = |record: usize| names.get(record).and_then(|name| name.as_deref());
    let records = records.iter().enumerate();
    let records = records.map(|(record, &item)| (u32::try_from(item).ok(), unit(record)));
    count_records(items, records, most, sampler)
}

/// What an operator who asked for it is told, instead of a release.
fn check_demand(facts: &NonPrivateFacts) -> Result<(), Failure> {
    let wrong = if facts.unknown > 0 {
        format!("{} of {} records name no item of the universe", facts.unknown, facts.records)
    } else if facts.without_unit > 0 {
        format!("{} of {} records name no unit", facts.without_unit, facts.records)
    } else if facts.records == 0 {
        "there is no demand".to_owned()
    } else {
        return Ok(());
    };
    Err(Failure::Value(format!(
        "{wrong}; correct the demand, or leave out check_demand_not_private: such records are then dropped. This \
         message is not private"
    )))
}

/// The generator that chooses which records of a unit are kept, from the same source as the noise.
fn sampler(entropy: &mut Entropy) -> Result<ChaCha20Rng, Failure> {
    let mut seed = [0; 32];
    for bytes in seed.as_chunks_mut::<8>().0 {
        *bytes = entropy.bits(u64::BITS)?.to_le_bytes();
    }
    Ok(ChaCha20Rng::from_seed(seed))
}

fn at_least_one(most: u32) -> Result<NonZeroU32, Failure> {
    NonZeroU32::new(most).ok_or_else(|| Failure::Value("max_per_unit must be 1 or more".into()))
}
