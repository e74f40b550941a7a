//! Which items may be centers, as files and columns say; and sites from a file of their own.

use std::collections::HashSet;
use std::path::Path;

use kmedian::Sites;
use kmedian_data::{ColumnRef, ErrorKind, ItemKeys, Points, PointsOptions};

use super::table::{in_order, table_options};
use super::weights::is_file_or_pipe;
use super::{Universe, lists};
use crate::args::Source;
use crate::console::note;
use crate::failure::{Failure, plain};

/// The columns of the items that --candidates and --fixed name: those values that are no files.
pub(super) fn columns(source: Source<'_>) -> Vec<ColumnRef> {
    // With sites apart, the columns are theirs.
    if source.how.graph || source.sites.is_some() || source.rectangular {
        return Vec::new();
    }
    columns_of(source)
}

fn columns_of(source: Source<'_>) -> Vec<ColumnRef> {
    let named = source.choices().into_iter().filter_map(|(_, given)| given);
    named.filter(|given| !is_file_or_pipe(Path::new(given))).map(ColumnRef::from).collect()
}

/// Appends the sites of a file of their own to the clients: their rows, and their names.
pub(super) fn append(points: &mut Points, file: &Path, source: Source<'_>) -> Result<(), Failure> {
    let others = columns_of(source);
    let center = source.how.vector_metric().is_translation_invariant();
    let mut options = PointsOptions { others, center, ..table_options(source, None)? };
    options.id = source.site_id.or(source.how.id.as_ref()).cloned();
    let sites = kmedian_data::read_points(file, &options).map_err(|error| {
        let lacks_id = error.kind() == ErrorKind::Column && source.site_id.is_none();
        let failure = Failure::from(error);
        if lacks_id && source.how.id.is_some() {
            return failure
                .and("name the column of the sites' names with --site-id, if it is another");
        }
        failure
    })?;
    let sites = in_order(sites, source.how.vector_metric(), source.how.columns.is_some())
        .map_err(|what| Failure::new(format!("{}: {what}", file.display())))?;
    if sites.dims != points.dims || sites.columns != points.columns {
        return Err(Failure::new(format!(
            "{}: has the columns {}, but {} has {}; both tables must have the same: choose with --columns",
            file.display(),
            plain(&sites.columns.join(", ")),
            source.path.display(),
            plain(&points.columns.join(", "))
        )));
    }
    points.values.extend(less_offsets(&sites, &points.offsets));
    if let (Some(ids), Some(more)) = (&mut points.ids, sites.ids) {
        ids.extend(more);
    }
    Ok(())
}

/// The coordinates of points, row by row, less the given offsets of the columns in place of their
/// own, which may differ between two tables.
pub(crate) fn less_offsets(points: &Points, offsets: &[f64]) -> Vec<f32> {
    let more: Vec<f64> =
        points.offsets.iter().zip(offsets).map(|(own, other)| own - other).collect();
    let moved = |(at, &value): (usize, &f32)| match more[at % points.dims] {
        0.0 => value,
        more => (f64::from(value) + more) as f32,
    };
    points.values.iter().enumerate().map(moved).collect()
}

/// The candidates and fixed centers that the options name.
pub(super) fn read(universe: &Universe, source: Source<'_>) -> Result<Sites, Failure> {
    let [candidates, fixed] = source.choices();
    let items = |(option, given): (&str, Option<&str>)| {
        given.map(|given| listed(universe, source, option, given)).transpose()
    };
    let (mut among, kept) = (items(candidates)?, items(fixed)?.unwrap_or_default());
    if among.is_none() && universe.clients.is_some() {
        among = Some((universe.served()..universe.len()).collect());
    }
    if let Some(among) = &among {
        let known: HashSet<usize> = among.iter().copied().collect();
        if let Some(&lost) = kept.iter().find(|item| !known.contains(item)) {
            return Err(Failure::new(format!(
                "--fixed {}: item {} is not among the candidates; add it to them, or do not fix it",
                fixed.1.unwrap_or_default(),
                plain(&universe.name(lost))
            )));
        }
    }
    let given = candidates.1.unwrap_or_default();
    Sites::new(universe.len(), among.as_deref(), &kept)
        .map_err(|error| Failure::new(format!("--candidates {given}: {error}")))
}

/// The items that a file lists, or of which a column says yes.
fn listed(
    universe: &Universe,
    source: Source<'_>,
    option: &str,
    given: &str,
) -> Result<Vec<usize>, Failure> {
    if is_file_or_pipe(Path::new(given)) {
        note_column(source, option, given)?;
        return lists::read(universe, source, option, Path::new(given));
    }
    if source.how.graph || source.rectangular {
        return Err(Failure::new(format!(
            "{option} {given}: there is no such file; list the items in one, a line each"
        )));
    }
    let (file, first) = match source.sites {
        Some(file) => (file, universe.served()),
        None => (source.path, 0),
    };
    let options = table_options(source, None)?;
    let cells = kmedian_data::read_texts(file, &ColumnRef::from(given), &options)
        .map_err(|error| Failure::from(error).and(&format!("and there is no file `{given}`")))?;
    let mut items = Vec::new();
    for item in first..universe.len() {
        // Rows with gaps may have been left out.
        let row = universe.position(item);
        let cell = cells.get(row).map(String::as_str).unwrap_or_default();
        match yes(cell) {
            Some(true) => items.push(item),
            Some(false) => {}
            None => {
                return Err(Failure::new(format!(
                    "{}: row {row}, counted from 0, of the column `{}` is `{}`; {option} wants yes or no, 1 or 0, \
                     true or false",
                    file.display(),
                    plain(given),
                    plain(cell)
                )));
            }
        }
    }
    Ok(items)
}

/// Says so if a file was taken though the items have a column of the same name. Only a name without
/// an ending is looked for, as hardly any column has one.
fn note_column(source: Source<'_>, option: &str, given: &str) -> Result<(), Failure> {
    let path = source.sites.unwrap_or(source.path);
    let is_table = !(source.how.graph || source.rectangular || path.as_os_str() == "-");
    if !is_table || given == "-" || Path::new(given).extension().is_some() {
        return Ok(());
    }
    let options = table_options(source, None)?;
    if kmedian_data::read_texts(path, &ColumnRef::from(given), &options).is_ok() {
        note(&format!(
            "{option} {given}: the file of this name is taken, not the column; rename it if the column is meant"
        ));
    }
    Ok(())
}

/// Whether a cell says yes; `None` if it says neither yes nor no.
fn yes(cell: &str) -> Option<bool> {
    match cell.trim().to_ascii_lowercase().as_str() {
        "1" | "1.0" | "true" | "t" | "yes" | "y" => Some(true),
        "" | "0" | "0.0" | "false" | "f" | "no" | "n" => Some(false),
        _ => None,
    }
}

impl Universe {
    /// The keys by which files name places for centers: those of the sites, if they are apart from
    /// the clients.
    pub(super) fn site_keys(&self, file: &Path) -> Result<ItemKeys<'_>, Failure> {
        let Some(clients) = self.clients else { return self.keys(file) };
        match &self.ids {
            Some(ids) => Ok(ItemKeys::named(file, &ids[clients..])?),
            None => Ok(ItemKeys::positions(self.len() - clients)),
        }
    }
}
