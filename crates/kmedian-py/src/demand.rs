//! Private demand as Python gives it: records, in memory or part after part, or the number of
//! records of each item.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;

use kmedian_data::{
    Cell, ItemKeys, NonPrivateFacts, PrivateDemand, Tally, UnitSample, count_named, normalized,
};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rand::rngs::ChaCha20Rng;
use rand::{Rng, SeedableRng};

use crate::cells::Cells;
use crate::column::Column;
use crate::door::{Door, Watch};
use crate::failure::Failure;
use crate::snap::Snapping;
use crate::stream;

/// The largest count of an item: 2⁵³. Larger whole numbers are not all exact as 64-bit floats.
const LARGEST_COUNT: u64 = 1 << 53;

/// How records name the public items: by ids, by positions, or by coordinates near to them.
#[pyclass(frozen, module = "kmedian._core")]
pub(crate) struct ItemNames {
    names: Arc<Names>,
}

pub(crate) struct Names {
    items: usize,
    pub(crate) by: By,
}

/// What a record names its item by.
pub(crate) enum By {
    Position,
    Id(Vec<String>),
    Coordinates(Snapping),
}

impl Names {
    /// The items by their names, ready to be looked up.
    pub(crate) fn keys(&self) -> Result<ItemKeys<'_>, Failure> {
        match &self.by {
            By::Position => Ok(ItemKeys::positions(self.items)),
            By::Id(ids) => Ok(ItemKeys::named(Path::new("ids"), ids)?),
            By::Coordinates(snap) => Ok(ItemKeys::snapped(self.items, snap)),
        }
    }
}

#[pymethods]
impl ItemNames {
    /// The names of `items` items: their ids, or their positions if there are none. Raises if an id
    /// is missing, or if two are the same.
    #[new]
    fn new(items: usize, ids: Option<PyRef<'_, Column>>) -> PyResult<Self> {
        let given = |ids: PyRef<'_, Column>| -> Result<Vec<String>, Failure> {
            let missing = |at: usize| {
                Failure::Value(format!(
                    "the item {at}, counted from 0, has no id that is text or a number; give every item an id of its own"
                ))
            };
            let cells = ids.share();
            let text = |(at, cell)| match cell {
                Cell::Text(text) => Ok(text.to_owned()),
                Cell::Whole(number) => Ok(number.to_string()),
                Cell::Missing => Err(missing(at)),
            };
            cells.iter().enumerate().map(text).collect()
        };
        let by = ids.map(given).transpose()?.map_or(By::Position, By::Id);
        let names = Names { items, by };
        names.keys()?;
        Ok(Self { names: Arc::new(names) })
    }

    /// The names of items that records have coordinates for: each goes to the item whose row of
    /// `places` is nearest, unless that is farther away than `within`.
    #[staticmethod]
    #[pyo3(signature = (places, metric, within=None))]
    fn snapped(
        places: PyReadonlyArray2<'_, f64>,
        metric: &str,
        within: Option<f64>,
    ) -> PyResult<Self> {
        let (items, dims) = places.as_array().dim();
        let by = By::Coordinates(Snapping::new(dims, places.as_slice()?, metric, within)?);
        Ok(Self { names: Arc::new(Names { items, by }) })
    }
}

impl ItemNames {
    /// The names, shared with work on another thread.
    pub(crate) fn share(&self) -> Arc<Names> {
        Arc::clone(&self.names)
    }
}

/// Private demand that has been copied out of Python, and is not counted yet. Python cannot read
/// it.
#[pyclass(frozen, module = "kmedian._core")]
pub(crate) struct Demand {
    names: Arc<Names>,
    private: Arc<Private>,
}

enum Private {
    Records {
        keys: Arc<Cells>,
        units: Option<Arc<Cells>>,
    },
    Counts {
        labels: Option<Arc<Cells>>,
        counts: Arc<Cells>,
    },
    /// Rows, each of which stands for as many records as its count says.
    Rows {
        keys: Arc<Cells>,
        units: Option<Arc<Cells>>,
        counts: Arc<Cells>,
    },
    /// Records part after part, as a Python iterator hands them out; it can be read once.
    Parts(Py<PyAny>),
}

#[pymethods]
impl Demand {
    /// Demand as records: the key of each and, where owners are protected, its owner.
    #[staticmethod]
    fn records(names: &ItemNames, keys: &Column, units: Option<PyRef<'_, Column>>) -> Self {
        let units = units.map(|units| units.share());
        Self::of(names, Private::Records { keys: keys.share(), units })
    }

    /// Demand as counts: the number of records of each label or, without labels, of each item in
    /// the order of the items.
    #[staticmethod]
    fn counts(names: &ItemNames, labels: Option<PyRef<'_, Column>>, counts: &Column) -> Self {
        let labels = labels.map(|labels| labels.share());
        Self::of(names, Private::Counts { labels, counts: counts.share() })
    }

    /// Demand as rows that stand for several records each: the key of each, where owners are
    /// protected its owner, and how many records it stands for.
    #[staticmethod]
    fn rows(
        names: &ItemNames,
        keys: &Column,
        units: Option<PyRef<'_, Column>>,
        counts: &Column,
    ) -> Self {
        let units = units.map(|units| units.share());
        Self::of(names, Private::Rows { keys: keys.share(), units, counts: counts.share() })
    }

    /// Demand as records that come part after part, and are never held together: `parts` is an
    /// iterator of pairs, the column of keys and that of owners, or `None`. If records are snapped,
    /// a table of coordinates is in place of the keys. The demand can be counted once.
    #[staticmethod]
    fn parts(names: &ItemNames, parts: Py<PyAny>) -> Self {
        Self::of(names, Private::Parts(parts))
    }

    /// The true counts, and how many records were read and dropped. None of it is private: it is
    /// for the operator alone.
    #[pyo3(signature = (max_per_unit=None, seed=0))]
    fn reveal_not_private<'py>(
        &self,
        py: Python<'py>,
        max_per_unit: Option<NonZeroU32>,
        seed: u64,
    ) -> PyResult<(Bound<'py, PyArray1<u64>>, Bound<'py, PyDict>)> {
        let counter = self.counter();
        let counted = Door { py, threads: None, progress: None }.pass(move |watch| {
            counter.count(max_per_unit, &mut ChaCha20Rng::seed_from_u64(seed), watch)
        })?;
        let facts = PyDict::new(py);
        let NonPrivateFacts { records, unknown, too_far, without_unit, over_bound, units } =
            counted.nonprivate;
        facts.set_item("records", records)?;
        facts.set_item("unknown", unknown)?;
        facts.set_item("too_far", too_far)?;
        facts.set_item("without_unit", without_unit)?;
        facts.set_item("over_bound", over_bound)?;
        facts.set_item("units", units)?;
        Ok((counted.counts.into_pyarray(py), facts))
    }
}

impl Demand {
    fn of(names: &ItemNames, private: Private) -> Self {
        Self { names: names.share(), private: Arc::new(private) }
    }

    /// A counter of this demand that can be moved to another thread.
    pub(crate) fn counter(&self) -> Counter {
        Counter { names: Arc::clone(&self.names), private: Arc::clone(&self.private) }
    }
}

/// Private demand that is ready to be counted on any thread.
pub(crate) struct Counter {
    names: Arc<Names>,
    private: Arc<Private>,
}

impl Counter {
    /// Counts the demand: at most `most` records of each owner, or all if `most` is `None`.
    pub(crate) fn count(
        &self,
        most: Option<NonZeroU32>,
        sampler: &mut dyn Rng,
        watch: &Watch,
    ) -> Result<PrivateDemand, Failure> {
        let keys = self.names.keys()?;
        Ok(match &*self.private {
            Private::Parts(parts) => {
                let snapped = matches!(self.names.by, By::Coordinates(_));
                stream::count(parts, snapped, Tally::new(&keys, most, sampler), watch)?
            }
            Private::Records { keys: named, units } => {
                let unit = |at| units.as_deref().map_or(Cell::Missing, |units| units.get(at));
                let records = named.iter().enumerate().map(|(at, key)| (key, unit(at)));
                count_named(&keys, records, most, sampler)
            }
            Private::Rows { keys: named, units, counts } => {
                let unit = |at| units.as_deref().map_or(Cell::Missing, |units| units.get(at));
                let rows = named.iter().zip(counts.iter()).enumerate();
                let rows = rows.map(|(at, (key, count))| (keys.find_cell(key), unit(at), count));
                counted_rows(self.names.items, rows, most, sampler)
            }
            Private::Counts { labels, counts } => {
                let counts = counts.iter().map(number_of_records);
                let items = (0..self.names.items).map(|item| u32::try_from(item).ok());
                match labels {
                    None => summed(self.names.items, items.zip(counts)),
                    Some(labels) => {
                        let found = labels.iter().map(|label| keys.find_cell(label));
                        summed(self.names.items, found.zip(counts))
                    }
                }
            }
        })
    }
}

/// Counts rows of an item, an owner and a number of records. The item is `None` if the key of a row
/// names none. A row whose number is not a whole one, from zero on, is dropped as a single record
/// of no item. At most `most` records of each owner are counted, or all if `most` is `None`.
fn counted_rows<'a>(
    items: usize,
    rows: impl Iterator<Item = (Option<u32>, Cell<'a>, Cell<'a>)>,
    most: Option<NonZeroU32>,
    sampler: &mut dyn Rng,
) -> PrivateDemand {
    let mut counts = vec![0u64; items];
    let mut add = |item: u32, records: u64| {
        if let Some(sum) = counts.get_mut(item as usize) {
            *sum = sum.saturating_add(records).min(LARGEST_COUNT);
        }
    };
    let mut facts = NonPrivateFacts::default();
    let mut owned: HashMap<String, Vec<(u32, u64)>> = HashMap::new();
    for (item, unit, count) in rows {
        let records = whole_number(count);
        let all = records.unwrap_or(1);
        facts.records = facts.records.saturating_add(all);
        let (Some(item), Some(_)) = (item, records) else {
            facts.unknown = facts.unknown.saturating_add(all);
            continue;
        };
        match (most, owner(unit)) {
            (None, _) => add(item, all),
            (Some(_), None) => facts.without_unit = facts.without_unit.saturating_add(all),
            (Some(_), Some(_)) if all == 0 => {}
            (Some(_), Some(owner)) => owned.entry(owner).or_default().push((item, all)),
        }
    }
    if let Some(most) = most {
        let mut secret = [0; 32];
        sampler.fill_bytes(&mut secret);
        let sample = UnitSample::new(secret, most);
        facts.units = Some(owned.len() as u64);
        for (owner, mut records) in owned {
            let sum = |records: &[(u32, u64)]| {
                records.iter().fold(0u64, |sum, &(_, records)| sum.saturating_add(records))
            };
            let all = sum(&records);
            sample.keep(owner.as_bytes(), &mut records);
            facts.over_bound = facts.over_bound.saturating_add(all - sum(&records));
            records.iter().for_each(|&(item, records)| add(item, records));
        }
    }
    PrivateDemand { counts, nonprivate: facts }
}

/// The normalized name of the owner that a cell names; `None` if it names nobody.
fn owner(cell: Cell<'_>) -> Option<String> {
    match cell {
        Cell::Missing => None,
        Cell::Whole(number) => Some(number.to_string()),
        Cell::Text(text) => normalized(text).map(std::borrow::Cow::into_owned),
    }
}

/// A cell as a whole number from 0 to 2⁵³; `None` if it is anything else.
fn whole_number(cell: Cell<'_>) -> Option<u64> {
    let number = match cell {
        Cell::Missing => None,
        Cell::Whole(number) => u64::try_from(number).ok(),
        Cell::Text(text) => normalized(text).and_then(|digits| digits.parse().ok()),
    };
    number.filter(|&number| number <= LARGEST_COUNT)
}

/// Adds up the counts of items. The item is `None` for a label that names no item.
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

/// A cell as a number of records. It is zero if the cell is negative or no number; a fraction is
/// cut off, and the result is at most 2⁵³.
fn number_of_records(cell: Cell<'_>) -> u64 {
    let text = match cell {
        Cell::Missing => return 0,
        Cell::Whole(number) => return u64::try_from(number).unwrap_or(0).min(LARGEST_COUNT),
        Cell::Text(text) => text.trim(),
    };
    let whole = text.parse().ok();
    // The cast turns NaN and negative floats into zero.
    let number = whole.unwrap_or_else(|| text.parse::<f64>().unwrap_or_default() as u64);
    number.min(LARGEST_COUNT)
}
