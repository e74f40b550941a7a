//! Which columns of a table of demand play which part.

use std::num::NonZeroU32;

use super::schema::DemandFormat;
use crate::advice::Advice;
use crate::columns::{ColumnRef, Given, Names};
use crate::error::{Error, ErrorKind, list};

/// What to count in a table, and how to read it. Nothing of that follows from a record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DemandOptions {
    /// The column that names the item; by default the only one that is not the unit, if the file
    /// tells how many columns it has. Text without a header does not.
    pub key: Option<ColumnRef>,
    /// The column that names whom a record belongs to, and how many records each may have.
    pub unit: Option<UnitBound>,
    /// Whether the first record of a text file names the columns; by default it does in CSV and
    /// TSV, and does not in text that is separated by blanks. To tell it from what is there would
    /// let one record decide whether others are counted.
    pub header: Option<bool>,
    /// The format; by default what the name of the file tells, see [`DemandFormat::of_name`].
    pub format: Option<DemandFormat>,
    /// What separates the cells of CSV and TSV; by default a comma or a tab.
    pub separator: Option<u8>,
}

/// Whom privacy protects, if not a single record: all records of a unit, of which few are counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitBound {
    /// The column that names the unit, such as a person, of each record.
    pub column: ColumnRef,
    /// How many records of a unit are counted at most.
    pub most: NonZeroU32,
}

/// Where the columns are, by position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DemandColumns {
    pub(crate) key: usize,
    pub(crate) unit: Option<usize>,
    /// How many columns there are, if the file tells.
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

    /// Positions for all parts.
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
