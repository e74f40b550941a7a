//! How much each item counts: weights in a column, in a file of their own, or one each.

use std::path::Path;

use kmedian::Demand;
use kmedian_data::{ColumnRef, ErrorKind};

use crate::args::Source;
use crate::failure::Failure;

/// Where the weights are: in a column of the input, or in a file of their own. If there is a file
/// of that name, it is taken.
pub(super) fn weight_source(source: Source<'_>) -> (Option<ColumnRef>, Option<&Path>) {
    match source.weights {
        None => (None, None),
        Some(name) if is_file_or_pipe(Path::new(name)) => (None, Some(Path::new(name))),
        Some(name) => (Some(ColumnRef::from(name)), None),
    }
}

/// Whether a path exists and is not a folder, so that it can hold weights.
pub(super) fn is_file_or_pipe(path: &Path) -> bool {
    path.as_os_str() == "-" || path.metadata().is_ok_and(|found| !found.is_dir())
}

/// The weights of a file that has nothing else, if there is one.
pub(super) fn read_weights(file: Option<&Path>) -> Result<Option<Vec<f64>>, Failure> {
    let Some(file) = file else { return Ok(None) };
    kmedian_data::read_weights(file, None).map(Some).map_err(|error| match error.kind() {
        ErrorKind::Column => Failure::new(format!(
            "{}: has several columns; a file of weights has one, so remove the others",
            file.display()
        )),
        _ => error.into(),
    })
}

/// Checks that there is a weight for each item.
pub(super) fn check_weights(
    source: Source<'_>,
    weights: &[f64],
    items: usize,
) -> Result<(), Failure> {
    if weights.len() == items {
        return Ok(());
    }
    Err(Failure::new(format!(
        "{}: has {} weights, but {} has {items} items; give one weight an item",
        source.weights.unwrap_or_default(),
        weights.len(),
        source.path.display()
    )))
}

/// The demand at `all` items, of which the first `served` have weights, or one each. The others,
/// which are sites, have none.
pub(super) fn demand(
    source: Source<'_>,
    weights: Option<Vec<f64>>,
    served: usize,
    all: usize,
) -> Result<Demand, Failure> {
    if weights.is_none() && served == all {
        return Ok(Demand::uniform(all));
    }
    let mut weights = weights.unwrap_or_else(|| vec![1.0; served]);
    check_weights(source, &weights, served)?;
    weights.resize(all, 0.0);
    let from = source.weights.unwrap_or_default();
    Demand::new(weights).map_err(|error| Failure::new(format!("--weights {from}: {error}")))
}
