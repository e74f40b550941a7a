//! Private demand: how often each item of a public universe occurs in a table that is private.

mod ids;
mod keys;
mod names;
mod options;
mod records;
mod schema;
mod tally;
#[cfg(test)]
mod tests;
mod text;
mod units;

use std::num::NonZeroU32;
use std::path::Path;

use rand::Rng;

use crate::error::Error;
use crate::table::count_table;
pub use keys::ItemKeys;
pub use names::normalized;
pub(crate) use options::DemandColumns;
pub use options::{DemandOptions, UnitBound};
pub use schema::DemandFormat;
pub(crate) use schema::Schema;
pub(crate) use tally::Tally;
pub(crate) use text::count as count_text;

/// Demand as it is, without noise. Neither the counts nor anything computed from them may be
/// published as they are, so this cannot even be printed with `{:?}`.
#[derive(Clone, PartialEq, Eq)]
pub struct PrivateDemand {
    /// How many records each item has.
    pub counts: Vec<u64>,
    /// What was read and dropped, for the operator's eyes alone.
    pub nonprivate: NonPrivateFacts,
}

/// What the operator may want to know about the demand, and no other person may. Kept apart from
/// the counts, so that whoever publishes something cannot pick it up in passing.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct NonPrivateFacts {
    /// The records of the table.
    pub records: u64,
    /// Records that were dropped because their key is missing, unreadable or not in the universe,
    /// or because the record has too many or too few cells, or is too long.
    pub unknown: u64,
    /// Further records that were dropped because they name no unit: the cell is blank, null, not
    /// UTF-8, or a marker such as `NA` or `NaN` (see [`normalized`]).
    pub without_unit: u64,
    /// Further records that were dropped because their unit has more than the bound.
    pub over_bound: u64,
    /// How many units have records that could be counted, where units are bounded.
    pub units: Option<u64>,
}

/// How a table of demand is laid out. All of it is public.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DemandLayout {
    /// The format of the table.
    pub format: DemandFormat,
    /// Whether the table is gzipped.
    pub gzip: bool,
    /// Whether the first record names the columns.
    pub header: bool,
    /// How many columns there are, if the file tells.
    pub columns: Option<usize>,
    /// The column of the keys, from 0.
    pub key: usize,
    /// The column of the units, from 0, if there is one.
    pub unit: Option<usize>,
}

/// Checks that the layout of a table is such that its records could be counted: that it can be
/// opened, is a table, and has the columns. The layout is public (see [`read_demand`]), so this may
/// be done before any privacy budget is spent, and a slip of the finger costs none.
///
/// # Errors
///
/// If [`read_demand`] could not but fail.
pub fn check_demand(path: &Path, options: &DemandOptions) -> Result<DemandLayout, Error> {
    let (schema, columns) = count_table(path, options, None)?;
    let Schema { format, gzip, header, .. } = schema;
    let DemandColumns { key, unit, of } = columns;
    Ok(DemandLayout { format, gzip, header, columns: of, key, unit })
}

/// Counts the records of a table by the items that they name.
///
/// The table is read as a stream: memory holds a few thousand rows, a count for every item and,
/// where units are bounded, at most `m` records of every unit, however many rows there are.
///
/// # What is an error
///
/// Whether a run fails can be seen by everybody, so it must not depend on what a record says. How a
/// table is read is decided by `options` and by the name of the file, never by its content: format,
/// compression, separator, and whether there is a header. A record that cannot be counted is
/// dropped, and a table without records is no demand, not an error. What is wrong with the file as
/// a whole is an error: it is missing, cut short, not of its format, or has no such column. Its
/// layout is thus taken to be public: the number and the names of the columns on the header of a
/// text file, the schema of a Parquet file, the shape of an array but for the number of rows. Text
/// without a header shows no layout: a record counts if it has the cells that are asked for.
///
/// # Privacy
///
/// Without a unit column the counts differ by one, in one item, or not at all, for two tables that
/// differ by a record. [`DemandFormat`] says what a record is in each format.
///
/// With one, at most `m` records of each unit are counted: a uniform sample of those whose item is
/// known, drawn by a reservoir. Two tables that differ by all records of a unit then lead to counts
/// that differ by at most `m` in total. For what is kept of a unit is a function of its own
/// records, in their order, and of a secret that is drawn once. So for each secret the counts are
/// equal but for the at most `m` records of the one unit. A mechanism that is private for demands
/// that differ by `m` records is so for each secret, and hence for the mixture of them. Which
/// records are kept, and whether uniformly, does not matter for this; it matters for the counts
/// being typical.
///
/// Whose a record is depends on that record alone: see [`normalized`]. If records without a unit
/// shared a reservoir, a unit among them would push records of others out of it, and change up to
/// `2m`; so they are dropped. If the rows were rewritten because of others (say, sorted by
/// popularity), that must have happened before.
///
/// # Errors
///
/// If the file cannot be read, is not a table, or has no such columns.
///
/// # Example
///
/// ```
/// use kmedian_data::{DemandOptions, ItemKeys, read_demand};
/// use rand::{SeedableRng, rngs::ChaCha20Rng};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("visits.csv");
/// std::fs::write(&path, "user,stop\nann,north\nbob,south\nann,north\neve,atlantis\n")?;
///
/// let stops = ["north".to_owned(), "south".to_owned()];
/// let keys = ItemKeys::named(&path, &stops)?;
/// let options = DemandOptions { key: Some("stop".into()), ..DemandOptions::default() };
/// // In production the generator is fed by the operating system.
/// let demand = read_demand(&path, &keys, &options, &mut ChaCha20Rng::seed_from_u64(1))?;
/// assert_eq!(demand.counts, [2, 1]);
/// assert_eq!(demand.nonprivate.unknown, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_demand(
    path: &Path,
    keys: &ItemKeys<'_>,
    options: &DemandOptions,
    rng: &mut dyn Rng,
) -> Result<PrivateDemand, Error> {
    let mut tally = Tally::new(keys, options.unit.as_ref().map(|unit| unit.most), rng);
    count_table(path, options, Some(&mut tally))?;
    Ok(tally.finish())
}

/// Counts records that are in memory already: for each the text of its key and the text that names
/// its owner, as they are in the data, or `None` where there is none. Where units are bounded, at
/// most `most` records of each owner are counted.
///
/// Keys and owners mean what they mean in a file: see [`normalized`] and [`ItemKeys`]. What
/// [`read_demand`] says of privacy holds here too: a record that cannot be counted is dropped.
///
/// ```
/// use std::num::NonZeroU32;
/// use kmedian_data::{ItemKeys, count_named};
/// use rand::{SeedableRng, rngs::ChaCha20Rng};
///
/// let visits = [
///     (Some("1"), Some("7")),
///     (Some("1.0"), Some("07")), // The same item, and the same owner.
///     (Some("1"), Some("NaN")),  // Without an owner.
///     (None, Some("8")),
/// ];
/// let (keys, rng) = (ItemKeys::positions(2), &mut ChaCha20Rng::seed_from_u64(1));
/// assert_eq!(count_named(&keys, visits, None, rng).counts, [0, 3]);
/// assert_eq!(count_named(&keys, visits, NonZeroU32::new(1), rng).counts, [0, 1]);
/// ```
pub fn count_named<'r>(
    keys: &ItemKeys<'_>,
    records: impl IntoIterator<Item = (Option<&'r str>, Option<&'r str>)>,
    most: Option<NonZeroU32>,
    rng: &mut dyn Rng,
) -> PrivateDemand {
    let mut tally = Tally::new(keys, most, rng);
    for (key, unit) in records {
        tally.add_key(key, unit);
    }
    tally.finish()
}

/// Counts records that are in memory already: for each its item, if its key is one of the `items`,
/// and whom it belongs to, if that is known. Where units are bounded, at most `most` records of
/// each are counted.
///
/// What [`read_demand`] says of privacy holds here too: a record that cannot be counted is dropped.
///
/// ```
/// use std::num::NonZeroU32;
/// use kmedian_data::count_records;
/// use rand::{SeedableRng, rngs::ChaCha20Rng};
///
/// let visits = [(Some(1), Some("ann")), (Some(1), Some("ann")), (None, Some("bob")), (Some(9), None)];
/// let rng = &mut ChaCha20Rng::seed_from_u64(1);
/// assert_eq!(count_records(2, visits, None, rng).counts, [0, 2]);
/// assert_eq!(count_records(2, visits, NonZeroU32::new(1), rng).counts, [0, 1]);
/// ```
pub fn count_records<'r>(
    items: usize,
    records: impl IntoIterator<Item = (Option<u32>, Option<&'r str>)>,
    most: Option<NonZeroU32>,
    rng: &mut dyn Rng,
) -> PrivateDemand {
    let keys = ItemKeys::positions(items);
    let mut tally = Tally::new(&keys, most, rng);
    for (item, unit) in records {
        tally.add(item.filter(|&item| (item as usize) < items), unit);
    }
    tally.finish()
}
