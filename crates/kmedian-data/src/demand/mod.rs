//! Private demand: how often each item of a public universe occurs in a table that nobody may see.

mod keys;
mod names;
mod options;
mod tally;
#[cfg(test)]
mod tests;
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
pub(crate) use tally::Tally;

/// Demand as it is, without noise. Neither the counts nor anything computed from them may be published
/// as they are, so this cannot even be printed with `{:?}`.
#[derive(Clone, PartialEq, Eq)]
pub struct PrivateDemand {
    /// How many records each item has.
    pub counts: Vec<u64>,
    /// For the operator's eyes.
    pub nonprivate: NonPrivateFacts,
}

/// What the operator may want to know about the demand, and nobody else may. Kept apart from the
/// counts, so that whoever publishes something cannot pick it up in passing.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct NonPrivateFacts {
    /// The records of the table.
    pub records: u64,
    /// Records that were dropped because their key is missing, unreadable or not in the universe, or
    /// because the row has too many or too few cells.
    pub unknown: u64,
    /// Further records that were dropped because they name no unit: the cell is blank, null, not UTF-8,
    /// or a marker such as `NA` or `NaN`.
    pub without_unit: u64,
    /// Further records that were dropped because their unit has more than the bound.
    pub over_bound: u64,
    /// How many units have records that could be counted, where units are bounded.
    pub units: Option<u64>,
    /// What is odd about the file.
    pub notes: Vec<String>,
}

/// Checks that the layout of a table is such that its records could be counted: that it can be opened, is a table,
/// and has the columns. The layout is public (see [`read_demand`]), so this may be done before any privacy
/// budget is spent, and a slip of the finger costs none.
///
/// # Errors
///
/// If [`read_demand`] could not but fail.
pub fn check_demand(path: &Path, options: &DemandOptions) -> Result<(), Error> {
    count_table(path, options, None).map(|_| ())
}

/// Counts the records of a table by the items that they name.
///
/// The table is read as a stream: memory holds a few thousand rows, a count for every item and, where
/// units are bounded, at most `m` records of every unit, however many rows there are.
///
/// # What is an error
///
/// Whether a run fails can be seen by everybody, so it must not depend on what a record says. A record
/// that cannot be counted is dropped, and a table without records is no demand, not an error. What is
/// wrong with the file as a whole is an error: it is missing, cut short, not a table, or has no such
/// column. Its layout is thus taken to be public: the format, the number and the names of the columns,
/// and, in a text file, the separator. They are read off the header of a text file. Without a header no line tells
/// them: the separator is that of the format, a comma in a `.csv`; a record counts if it has the cells that are asked
/// for; and if no column is asked for, the first line must have one cell. A quote that is not closed on its line
/// makes a record unreadable, not the lines after it.
///
/// # Privacy
///
/// Without a unit column the counts differ by one, in one item, for two tables that differ by a record.
///
/// With one, at most `m` records of each unit are counted: a uniform sample of those whose item is
/// known, drawn by a reservoir. Two tables that differ by all records of a unit then lead to counts that
/// differ by at most `m` in total. For what is kept of a unit is a function of its own records, in their
/// order, and of random bits that nothing else uses. So fix what is kept of all the others, which has
/// the same distribution in both tables: the counts are then equal but for the at most `m` records of
/// the one unit. A mechanism that is private for demands that differ by `m` records is so for each such
/// pair, and hence for the mixture of them. Which records are kept, and whether uniformly, does not
/// matter for this; it matters for the counts being typical.
///
/// Two things would break the argument. If records without a unit shared a reservoir, a unit among them
/// would push records of others out of it, and change up to `2m`; so they are dropped. And if the rows
/// were rewritten because of others (say, sorted by popularity), that must have happened before.
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
    let notes = count_table(path, options, Some(&mut tally))?;
    let mut demand = tally.finish();
    demand.nonprivate.notes = notes;
    Ok(demand)
}

/// Counts records that are in memory already: for each the text of its key and the text that names its owner, as
/// they are in the data, or `None` where there is none. Where units are bounded, at most `most` records of each owner
/// are counted.
///
/// Keys and owners mean what they mean in a file: see [`normalized`] and [`ItemKeys`]. What [`read_demand`] says of
/// privacy holds here too: a record that cannot be counted is dropped.
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
        tally.add(key.and_then(|key| tally.find(key)), unit);
    }
    tally.finish()
}

/// Counts records that are in memory already: for each its item, if its key is one of the `items`, and whom it
/// belongs to, if that is known. Where units are bounded, at most `most` records of each are counted.
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
