//! Which columns of a table of demand play which part.

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DemandColumns {
    pub(crate) key: usize,
    pub(crate) unit: Option<usize>,
    /// The number of columns, if the file tells.
    pub(crate) of: Option<usize>,
}

impl DemandOptions {
    /// The columns that are asked for explicitly.
    pub(super) fn references(&self) -> impl Iterator<Item = &ColumnRef> {
        self.key.iter().chain(self.unit.iter().map(|unit| &unit.column))
    }

    /// The columns of text without a header, where positions are all there is.
    pub(super) fn positions(&self) -> DemandColumns {
        DemandColumns {
            key: self.key.as_ref().and_then(ColumnRef::position).unwrap_or(0),
            unit: self.unit.as_ref().and_then(|unit| unit.column.position()),
            of: None,
        }
    }

    /// The positions of the columns of keys and owners.
    pub(crate) fn resolve(&self, names: &Names<'_>) -> Result<DemandColumns, Error> {
        let unit = self.unit.as_ref().map(|unit| unit.column.resolve(names)).transpose()?;
        let of = Some(names.names.len());
        if let Some(key) = &self.key {
            return Ok(DemandColumns { key: key.resolve(names)?, unit, of });
        }
        let mut others = (0..names.names.len()).filter(|&column| Some(column) != unit);
        match (others.next(), others.next()) {
            (Some(key), None) => Ok(DemandColumns { key, unit, of }),
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
