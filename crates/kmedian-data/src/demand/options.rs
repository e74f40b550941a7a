//! How a private table is to be read: its options, and which columns have the key, the owner and
//! the coordinates of a record.

use std::num::NonZeroU32;

use super::schema::DemandFormat;
use crate::advice::Advice;
use crate::columns::{ColumnRef, Given, Names};
use crate::error::{Error, ErrorKind, list};

/// What to count in a private table, and how to read it. None of this may be chosen by looking at a
/// record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DemandOptions {
    /// The column that names the item of each record; by default the only column that is not the
    /// unit's. It must be given for text without a header, which does not tell its columns.
    pub key: Option<ColumnRef>,
    /// The columns of raw coordinates, if records say where they are, not which item they are of;
    /// then there is no key. Each record goes to the item that [`Snap`](super::Snap) finds.
    pub places: Vec<ColumnRef>,
    /// The column that names the owner of each record, and how many records of an owner are
    /// counted; by default all records count.
    pub unit: Option<UnitBound>,
    /// Whether the first record of a text file names the columns; by default it does in CSV and
    /// TSV, and does not in text that is separated by blanks. It is not detected: that would let
    /// one record decide whether others are counted.
    pub header: Option<bool>,
    /// The format; by default the one that the name of the file tells
    /// ([`DemandFormat::of_name`]).
    pub format: Option<DemandFormat>,
    /// The byte that separates the cells of CSV and TSV; by default a comma and a tab.
    pub separator: Option<u8>,
}

/// Protects all records of an owner (a *unit*) as a whole, not single records: only a few records
/// of each owner are counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitBound {
    /// The column that names the unit, such as a person, of each record.
    pub column: ColumnRef,
    /// How many records of a unit are counted at most.
    pub most: NonZeroU32,
}

/// The positions of the columns of a private table, from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DemandColumns {
    /// What says the item of a record: the column of keys, or those of the coordinates.
    pub(crate) items: Vec<usize>,
    /// What these columns are called, by the header or the schema of the file; none if it has
    /// neither.
    pub(crate) names: Vec<String>,
    /// Whether these columns are coordinates.
    pub(crate) snapped: bool,
    pub(crate) unit: Option<usize>,
    /// The number of columns, if the file tells.
    pub(crate) of: Option<usize>,
}

impl DemandColumns {
    /// The column of keys; that of the first coordinate if there are no keys.
    pub(crate) fn key(&self) -> usize {
        self.items.first().copied().unwrap_or(0)
    }

    /// The columns that are read, ascending.
    pub(crate) fn used(&self) -> Vec<usize> {
        let mut used: Vec<usize> = self.items.iter().copied().chain(self.unit).collect();
        used.sort_unstable();
        used.dedup();
        used
    }
}

impl DemandOptions {
    /// The columns that are asked for explicitly.
    pub(super) fn references(&self) -> impl Iterator<Item = &ColumnRef> {
        self.item_columns().iter().chain(self.unit.iter().map(|unit| &unit.column))
    }

    /// The columns that say the item of a record, as far as they were given.
    pub(super) fn item_columns(&self) -> &[ColumnRef] {
        if self.places.is_empty() { self.key.as_slice() } else { &self.places }
    }

    /// The columns of text without a header, where positions are all there is.
    pub(super) fn positions(&self) -> DemandColumns {
        let items = self.item_columns().iter().map(|column| column.position().unwrap_or(0));
        DemandColumns {
            items: items.collect(),
            names: Vec::new(),
            snapped: !self.places.is_empty(),
            unit: self.unit.as_ref().and_then(|unit| unit.column.position()),
            of: None,
        }
    }

    /// The positions of the columns of keys and owners.
    pub(crate) fn resolve(&self, names: &Names<'_>) -> Result<DemandColumns, Error> {
        let unit = self.unit.as_ref().map(|unit| unit.column.resolve(names)).transpose()?;
        let of = Some(names.names.len());
        let snapped = !self.places.is_empty();
        let called = |items: &[usize]| match names.given {
            Given::Positions => Vec::new(),
            Given::Public | Given::Private => {
                items.iter().map(|&column| names.names[column].clone()).collect()
            }
        };
        if snapped || self.key.is_some() {
            let items = self.item_columns().iter().map(|column| column.resolve(names));
            let items = items.collect::<Result<Vec<usize>, _>>()?;
            return Ok(DemandColumns { names: called(&items), items, snapped, unit, of });
        }
        let mut others = (0..names.names.len()).filter(|&column| Some(column) != unit);
        match (others.next(), others.next()) {
            (Some(key), None) => {
                let items = vec![key];
                Ok(DemandColumns { names: called(&items), items, snapped, unit, of })
            }
            _ => {
                let shown = if names.given == Given::Public {
                    format!(": {}", list(names.names))
                } else {
                    String::new()
                };
                let what = format!(
                    "has {} columns, and nothing tells which of them holds the keys of the items{shown}",
                    names.names.len()
                );
                Err(Error::new(ErrorKind::Column, names.path, what).advise(Advice::NameKey))
            }
        }
    }
}
