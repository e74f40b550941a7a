//! Private demand: how often each item of a public universe occurs in a table that is private.

mod cell;
mod files;
mod ids;
mod keys;
mod names;
mod options;
mod records;
mod sample;
mod schema;
mod snap;
mod tally;
#[cfg(test)]
#[cfg(feature = "parquet")]
mod tests;
mod text;
mod units;

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use rand::Rng;

use crate::error::{Error, ErrorKind};
use crate::table::count_table;
pub use cell::Cell;
pub use files::demand_files;
pub use keys::ItemKeys;
pub use names::normalized;
pub(crate) use options::DemandColumns;
pub use options::{DemandOptions, UnitBound};
#[cfg(feature = "parquet")]
pub(crate) use records::number_of;
pub use sample::UnitSample;
pub use schema::DemandFormat;
pub(crate) use schema::Schema;
pub use snap::{Snap, Snapped};
#[cfg(feature = "parquet")]
pub(crate) use tally::Key;
pub use tally::Tally;
pub(crate) use text::count as count_text;

/// The true demand, without noise. Neither the counts nor anything computed from them may be
/// published without a private mechanism, so this cannot even be printed with `{:?}`.
#[derive(Clone, PartialEq, Eq)]
pub struct PrivateDemand {
    /// The number of records that were counted for each item.
    pub counts: Vec<u64>,
    /// How many records were read and dropped. This is not private either: for the operator alone.
    pub nonprivate: NonPrivateFacts,
}

/// Exact numbers about a private table, for its operator alone: nobody else may see them. They are
/// kept apart from the counts, so that nobody publishes them by accident.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct NonPrivateFacts {
    /// The number of records of the table.
    pub records: u64,
    /// The number of records that were dropped because their key is missing, unreadable or not in
    /// the universe, or their coordinates are, because the record has too many or too few cells, or
    /// because it is too long.
    pub unknown: u64,
    /// How many of the unknown records have coordinates that are too far from every item.
    pub too_far: u64,
    /// The number of further records that were dropped because they name no owner: the cell is
    /// blank, null, not UTF-8, or a marker such as `NA` or `NaN` (see [`normalized`]).
    pub without_unit: u64,
    /// The number of further records that were dropped because their owner has more than the bound.
    pub over_bound: u64,
    /// The number of owners with records that could be counted; `None` if owners are not bounded.
    pub units: Option<u64>,
}

/// How a table of demand is laid out. All of it is public.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemandLayout {
    /// The format of the table.
    pub format: DemandFormat,
    /// Whether the table is gzipped.
    pub gzip: bool,
    /// Whether the first record names the columns.
    pub header: bool,
    /// The number of columns; `None` for text without a header, which does not tell.
    pub columns: Option<usize>,
    /// The position of the column of keys, from 0; those of the coordinates, if records are
    /// snapped.
    pub items: Vec<usize>,
    /// What these columns are called, by the header or the schema of the table; empty if it has
    /// neither. A message must not repeat them: without a header after all, they are a record.
    pub item_names: Vec<String>,
    /// Whether records have coordinates, not keys.
    pub snapped: bool,
    /// The position of the column of owners, from 0; `None` if owners are not bounded.
    pub unit: Option<usize>,
}

/// Checks that the records of a table could be counted: that it can be opened, is of its format,
/// and has the columns. Only the layout is looked at, which is public (see [`read_demand`]). So
/// this may be done before any privacy budget is spent, and a mistyped option costs none.
///
/// # Errors
///
/// If [`read_demand`] would certainly fail.
pub fn check_demand(path: &Path, options: &DemandOptions) -> Result<DemandLayout, Error> {
    let (schema, columns) = count_table(path, options, None)?;
    let Schema { format, gzip, header, .. } = schema;
    let DemandColumns { items, names: item_names, snapped, unit, of } = columns;
    Ok(DemandLayout { format, gzip, header, columns: of, items, item_names, snapped, unit })
}

/// Counts the records of a table by the items that they name.
///
/// The table is read as a stream. However many rows it has, memory holds a few thousand of them, a
/// count for every item and, where owners are bounded, at most `m` records of every owner. (In this
/// crate, a *unit* is an owner of records, such as a person.)
///
/// # What is an error
///
/// Everybody can see whether a run fails, so that must not depend on what a record says. Format,
/// compression, separator, and whether there is a header are decided by `options` and by the name
/// of the file, never by its content. A record that cannot be counted is dropped, and a table
/// without records has zero counts. Only what is wrong with the file as a whole is an error: it is
/// missing, cut short, not of its format, or has no such column. Its layout is thus taken to be
/// public: the number and the names of the columns in the header of a text file, the schema of a
/// Parquet file, the shape of an array except for the number of rows. Text without a header shows
/// no layout: a record counts if it has the cells that are asked for.
///
/// # Privacy
///
/// Without a column of units, two tables that differ by one record lead to counts that differ by
/// one in one item, or not at all. [`DemandFormat`] says what a record is in each format. The item
/// of a record is a function of its key or, with [`ItemKeys::snapped`], of its coordinates.
///
/// With a column of units, at most `m` records of each unit are counted: a uniform sample of those
/// whose item is known, drawn by a reservoir. Two tables that differ by all records of a unit then
/// lead to counts that differ by at most `m` in total. The reason: what is kept of a unit is a
/// function of its own records, in their order, and of a secret that is drawn once. So for each
/// secret the counts are equal except for at most `m` records of that one unit. A mechanism that is
/// private for demands that differ by `m` records is private for each secret, and hence for the
/// mixture of all secrets. Which records are kept, and whether uniformly, does not matter for
/// privacy; it matters for the counts being typical.
///
/// To whom a record belongs depends on that record alone: see [`normalized`]. If records without a
/// unit shared a reservoir, one unit among them could push records of others out of it, and change
/// the counts by up to `2m`. So records without a unit are dropped. The argument begins with the
/// rows of the table: if they were rewritten because of each other before that (say, sorted by
/// popularity), it does not cover that step.
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
    read_demand_files(&[path.to_path_buf()], keys, options, rng)
}

/// [`read_demand`] of a table that is spread over several files, such as [`demand_files`] finds:
/// all of them are one table, and the records of an owner may be in any of them. Neighboring tables
/// are in as many files of the same names.
///
/// # Errors
///
/// If one of the files cannot be read, is not a table, has no such columns, or is there twice.
pub fn read_demand_files(
    paths: &[PathBuf],
    keys: &ItemKeys<'_>,
    options: &DemandOptions,
    rng: &mut dyn Rng,
) -> Result<PrivateDemand, Error> {
    files::refuse_same(paths)?;
    let width = keys.snap().map_or(0, Snap::dims);
    let mut tally = Tally::new(keys, options.unit.as_ref().map(|unit| unit.most), rng);
    for path in paths {
        if options.places.len() != width {
            let given = options.places.len();
            let what = format!("{given} columns of coordinates for places of {width}");
            return Err(Error::new(ErrorKind::Column, path, what));
        }
        count_table(path, options, Some(&mut tally))?;
    }
    Ok(tally.finish())
}

/// Counts records in memory: for each record, the cell of its key and the cell that names its
/// owner, as they are in the data, each a [`Cell`] or an `Option<&str>`. At most `most` records of
/// each owner are counted, all of them if `most` is `None`.
///
/// Keys and owners mean what they mean in a file: see [`normalized`] and [`ItemKeys`]. What
/// [`read_demand`] says of privacy holds here too: a record that cannot be counted is dropped.
///
/// ```
/// use std::num::NonZeroU32;
/// use kmedian_data::{Cell, ItemKeys, count_named};
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
/// let numbers = [(Cell::Whole(1), Cell::Whole(7)), (Cell::Whole(1), Cell::Text("07"))];
/// assert_eq!(count_named(&keys, numbers, NonZeroU32::new(1), rng).counts, [0, 1]);
/// ```
pub fn count_named<'r, K: Into<Cell<'r>>, U: Into<Cell<'r>>>(
    keys: &ItemKeys<'_>,
    records: impl IntoIterator<Item = (K, U)>,
    most: Option<NonZeroU32>,
    rng: &mut dyn Rng,
) -> PrivateDemand {
    let mut tally = Tally::new(keys, most, rng);
    for (key, unit) in records {
        tally.add_cells(key.into(), unit.into());
    }
    tally.finish()
}

/// Counts records in memory that name their items by number: for each record, its item from 0 on,
/// and the name of its owner, or `None`. There are `items` items. At most `most` records of each
/// owner are counted, all of them if `most` is `None`.
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
        tally.add(item.filter(|&item| (item as usize) < items), unit.into());
    }
    tally.finish()
}
