//! Private demand as Python gives it: records, or how many there are of each item.

use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;

use kmedian_data::{ItemKeys, NonPrivateFacts, PrivateDemand, count_named};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rand::rngs::ChaCha20Rng;
use rand::{Rng, SeedableRng};

use crate::cells::{Cells, Column};
use crate::door::Door;
use crate::failure::Failure;

/// The largest count of an item: whole numbers beyond 2⁵³ are not exact as 64-bit floats.
const LARGEST_COUNT: u64 = 1 << 53;

/// What the public items are called: ids, or their positions.
#[pyclass(frozen, module = "kmedian._core")]
pub(crate) struct ItemNames {
    names: Arc<Names>,
}

struct Names {
    items: usize,
    ids: Option<Vec<String>>,
}

impl Names {
    fn keys(&self) -> Result<ItemKeys<'_>, Failure> {
        match &self.ids {
            None => Ok(ItemKeys::positions(self.items)),
            Some(ids) => Ok(ItemKeys::named(Path::new("ids"), ids)?),
        }
    }
}

#[pymethods]
impl ItemNames {
    /// Refuses ids that are missing, or the same.
    #[new]
    fn new(items: usize, ids: Option<PyRef<'_, Column>>) -> PyResult<Self> {
        let given = |ids: PyRef<'_, Column>| -> Result<Vec<String>, Failure> {
            let missing = |at: usize| {
                Failure::Value(format!(
                    "the item {at}, counted from 0, has no id that is text or a number; give every item an id of its own"
                ))
            };
            let cells = ids.share();
            let texts = cells.iter().enumerate();
            texts.map(|(at, text)| text.map(str::to_owned).ok_or_else(|| missing(at))).collect()
        };
        let names = Names { items, ids: ids.map(given).transpose()? };
        names.keys()?;
        Ok(Self { names: Arc::new(names) })
    }
}

/// Demand that has been read, and not been counted. It cannot be seen from Python.
#[pyclass(frozen, module = "kmedian._core")]
pub(crate) struct Demand {
    names: Arc<Names>,
    private: Arc<Private>,
}

enum Private {
    Records { keys: Arc<Cells>, units: Option<Arc<Cells>> },
    Counts { labels: Option<Arc<Cells>>, counts: Arc<Cells> },
}

#[pymethods]
impl Demand {
    /// A key and, where owners are protected, an owner for each record.
    #[staticmethod]
    fn records(names: &ItemNames, keys: &Column, units: Option<PyRef<'_, Column>>) -> Self {
        let units = units.map(|units| units.share());
        Self::of(names, Private::Records { keys: keys.share(), units })
    }

    /// How many records there are of each label; without labels, of each item in its order.
    #[staticmethod]
    fn counts(names: &ItemNames, labels: Option<PyRef<'_, Column>>, counts: &Column) -> Self {
        let labels = labels.map(|labels| labels.share());
        Self::of(names, Private::Counts { labels, counts: counts.share() })
    }

    /// The true counts, and what an operator may want to know about the demand. None of it is
    /// private.
    #[pyo3(signature = (max_per_unit=None, seed=0))]
    fn reveal_not_private<'py>(
        &self,
        py: Python<'py>,
        max_per_unit: Option<NonZeroU32>,
        seed: u64,
    ) -> PyResult<(Bound<'py, PyArray1<u64>>, Bound<'py, PyDict>)> {
        let counter = self.counter();
        let counted = Door { py, threads: None, progress: None }
            .pass(move |_| counter.count(max_per_unit, &mut ChaCha20Rng::seed_from_u64(seed)))?;
        let facts = PyDict::new(py);
        let NonPrivateFacts { records, unknown, without_unit, over_bound, units, .. } =
            counted.nonprivate;
        facts.set_item("records", records)?;
        facts.set_item("unknown", unknown)?;
        facts.set_item("without_unit", without_unit)?;
        facts.set_item("over_bound", over_bound)?;
        facts.set_item("units", units)?;
        Ok((counted.counts.into_pyarray(py), facts))
    }
}

impl Demand {
    fn of(names: &ItemNames, private: Private) -> Self {
        Self { names: Arc::clone(&names.names), private: Arc::new(private) }
    }

    /// What counts the demand, on whichever thread.
    pub(crate) fn counter(&self) -> Counter {
        Counter { names: Arc::clone(&self.names), private: Arc::clone(&self.private) }
    }
}

/// Private demand on its way to be counted.
pub(crate) struct Counter {
    names: Arc<Names>,
    private: Arc<Private>,
}

impl Counter {
    /// Counts at most `most` records of each unit, where units are bounded.
    pub(crate) fn count(
        &self,
        most: Option<NonZeroU32>,
        sampler: &mut dyn Rng,
    ) -> Result<PrivateDemand, Failure> {
        let keys = self.names.keys()?;
        Ok(match &*self.private {
            Private::Records { keys: named, units } => {
                let unit = |at| units.as_deref().and_then(|units| units.get(at));
                let records = named.iter().enumerate().map(|(at, key)| (key, unit(at)));
                count_named(&keys, records, most, sampler)
            }
            Private::Counts { labels, counts } => {
                let counts = counts.iter().map(number_of_records);
                let items = (0..self.names.items).map(|item| u32::try_from(item).ok());
                match labels {
                    None => summed(self.names.items, items.zip(counts)),
                    Some(labels) => {
                        let found = labels.iter().map(|label| keys.find(label?));
                        summed(self.names.items, found.zip(counts))
                    }
                }
            }
        })
    }
}

/// Adds up counts of items, some of which may be unknown.
fn summed(items: usize, counted: impl Iterator<Item = (Option<u32>, u64)>) -> PrivateDemand {
    let mut counts = vec![0u64; items];
    let mut facts = NonPrivateFacts::default();
    for (item, count) in counted {
        facts.records = facts.records.saturating_add(count);
        match item.and_then(|item| counts.get_mut(item as usize)) {
            Some(sum) => *sum = sum.saturating_add(count).min(LARGEST_COUNT),
            None => facts.unknown = facts.unknown.saturating_add(count),
        }
    }
    PrivateDemand { counts, nonprivate: facts }
}

/// A cell as a number of records: what is negative or no number counts as zero, and fractions are
/// cut off.
fn number_of_records(cell: Option<&str>) -> u64 {
    let text = cell.unwrap_or_default().trim();
    let whole = text.parse().ok();
    // A float that is no number, or negative, becomes zero.
    let number = whole.unwrap_or_else(|| text.parse::<f64>().unwrap_or_default() as u64);
    number.min(LARGEST_COUNT)
}
