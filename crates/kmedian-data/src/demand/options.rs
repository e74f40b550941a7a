//! Which columns of a table of demand play which part.

use std::num::NonZeroU32;
use std::path::Path;

use crate::columns::{ColumnRef, Given, Names};
use crate::error::{Error, ErrorKind, list};
use crate::table::{Header, TableFormat};

/// What to count in a table, and how to read it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DemandOptions {
    /// The column that names the item; by default the only one that is not the unit.
    pub key: Option<ColumnRef>,
    /// The column that names whom a record belongs to, and how many records each may have.
    pub unit: Option<UnitBound>,
    /// Whether the first line of a text file names the columns.
    ///
    /// To guess it from the first two lines, as [`read_points`](crate::read_points) does, would let one
    /// record decide whether another is counted. So [`Header::Auto`] asks what the columns are chosen
    /// by: if one is chosen by name, the first line is the header; if all are chosen by position, or by
    /// default, it is a record, and is dropped like any other whose key is unknown should it be a header
    /// after all.
    pub header: Header,
    /// The format, where the file's name and content mislead.
    pub format: Option<TableFormat>,
}

/// Whom privacy protects, if not a single record: all records of a unit, of which few are counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitBound {
    /// The column that names the unit, such as a person, of each record.
    pub column: ColumnRef,
    /// How many records of a unit are counted at most.
    pub most: NonZeroU32,
}

/// The same by position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DemandColumns {
    pub(crate) key: usize,
    pub(crate) unit: Option<usize>,
}

impl DemandColumns {
    /// The last of them.
    pub(crate) fn last(&self) -> usize {
        self.unit.map_or(self.key, |unit| unit.max(self.key))
    }
}

impl DemandOptions {
    fn references(&self) -> impl Iterator<Item = &ColumnRef> {
        self.key.iter().chain(self.unit.iter().map(|unit| &unit.column))
    }

    /// Whether the first line of a text table is its header.
    pub(crate) fn has_header(&self) -> bool {
        match self.header {
            Header::Yes => true,
            Header::No => false,
            Header::Auto => self.references().any(|column| column.position().is_none()),
        }
    }

    /// How many columns a text table without a header has: as many as its first line has cells. If that line cannot
    /// be read, what is asked for is taken to be there.
    pub(crate) fn width(&self, cells: usize) -> usize {
        if cells > 0 {
            return cells;
        }
        let positions = self.references().filter_map(ColumnRef::position);
        positions.map(|place| place.saturating_add(1)).fold(1, usize::max)
    }

    /// A text file without a line is a table without records, unless a line should name the columns.
    pub(crate) fn check_empty(&self, path: &Path) -> Result<(), Error> {
        if self.has_header() {
            let what = "the file is empty; its first line should name the columns";
            return Err(Error::new(ErrorKind::Empty, path, what));
        }
        Ok(())
    }

    /// Positions for all parts.
    pub(crate) fn resolve(&self, names: &Names<'_>) -> Result<DemandColumns, Error> {
        let unit = self.unit.as_ref().map(|unit| unit.column.resolve(names)).transpose()?;
        if let Some(key) = &self.key {
            return Ok(DemandColumns { key: key.resolve(names)?, unit });
        }
        let mut others = (0..names.names.len()).filter(|&column| Some(column) != unit);
        match (others.next(), others.next()) {
            (Some(key), None) => Ok(DemandColumns { key, unit }),
            _ => {
                let shown = if names.given == Given::Public {
                    format!(": {}", list(names.names))
                } else {
                    String::new()
                };
                let what = format!(
                    "has {} columns, so name the one that holds the keys of the items with --key\
                     {shown}",
                    names.names.len()
                );
                Err(Error::new(ErrorKind::Column, names.path, what))
            }
        }
    }
}
