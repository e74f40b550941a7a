//! What tasks of a cluster do with private records: find their items and owners, and draw which
//! records of an owner are counted.

use std::num::NonZeroU32;

use kmedian::Seed;
use kmedian::privacy::Entropy;
use kmedian_data::{Cell, Snap, Snapped, UnitSample, normalized};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rand::Rng;

use crate::column::Column;
use crate::demand::{By, ItemNames};
use crate::failure::Failure;

/// The records of a batch that have an item and an owner: their items; where the owners' names
/// begin and the last one ends in the bytes; the bytes; and how many records name no item, how many
/// of these are too far from every one, and how many further ones have no owner.
type Owned<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<u8>>,
    (u64, u64, u64),
);

/// Finds the items and the normalized names of the owners of a batch of records. `keys` is a column
/// or, if records are snapped, a table of coordinates.
#[pyfunction]
pub(crate) fn owned_records<'py>(
    py: Python<'py>,
    names: &ItemNames,
    keys: &Bound<'py, PyAny>,
    owners: &Column,
) -> PyResult<Owned<'py>> {
    let names = names.share();
    let found: Vec<Snapped> = match &names.by {
        By::Coordinates(snap) => {
            let table: PyReadonlyArray2<'_, f64> = keys.extract()?;
            let mut found = vec![Snapped::Nowhere; table.as_array().nrows()];
            snap.snap(table.as_slice()?, &mut found);
            found
        }
        By::Position | By::Id(_) => {
            let (keys, index) = (keys.extract::<PyRef<'_, Column>>()?.share(), names.keys()?);
            let found = |cell| index.find_cell(cell).map_or(Snapped::Nowhere, Snapped::Item);
            keys.iter().map(found).collect()
        }
    };
    let owners = owners.share();
    let (mut items, mut ends, mut bytes) = (Vec::new(), vec![0i32], Vec::new());
    let (mut unknown, mut too_far, mut without) = (0, 0, 0);
    for (at, found) in found.into_iter().enumerate() {
        let Snapped::Item(item) = found else {
            unknown += 1;
            too_far += u64::from(found == Snapped::TooFar);
            continue;
        };
        match owners.get(at) {
            Cell::Whole(number) => bytes.extend_from_slice(number.to_string().as_bytes()),
            Cell::Text(text) => match normalized(text) {
                Some(owner) => bytes.extend_from_slice(owner.as_bytes()),
                None => {
                    without += 1;
                    continue;
                }
            },
            Cell::Missing => {
                without += 1;
                continue;
            }
        }
        items.push(i64::from(item));
        ends.push(i32::try_from(bytes.len()).map_err(|_| too_long())?);
    }
    Ok((
        items.into_pyarray(py),
        ends.into_pyarray(py),
        bytes.into_pyarray(py),
        (unknown, too_far, without),
    ))
}

/// Draws at most `most` records of each owner. Owners are
/// given by their normalized names, as [`owned_records`] returns them, and each has a list of items
/// with their numbers of records. What is kept is added to `kept`, which has an entry for each
/// item; returns how many records were dropped.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the buffers of a batch, one by one")]
pub(crate) fn draw_records<'py>(
    secret: [u8; 32],
    most: NonZeroU32,
    name_ends: PyReadonlyArray1<'py, i64>,
    names: PyReadonlyArray1<'py, u8>,
    list_ends: PyReadonlyArray1<'py, i64>,
    items: PyReadonlyArray1<'py, i64>,
    records: PyReadonlyArray1<'py, i64>,
    mut kept: numpy::PyReadwriteArray1<'py, u64>,
) -> PyResult<u64> {
    let sample = UnitSample::new(secret, most);
    let (names, items, records) = (names.as_slice()?, items.as_slice()?, records.as_slice()?);
    let kept = kept.as_slice_mut()?;
    let (mut pairs, mut dropped) = (Vec::new(), 0u64);
    let lists = list_ends.as_slice()?.windows(2);
    for (name, list) in name_ends.as_slice()?.windows(2).zip(lists) {
        let name = part(names, name).ok_or_else(damaged)?;
        let owned = part(items, list)
            .ok_or_else(damaged)?
            .iter()
            .zip(part(records, list).ok_or_else(damaged)?);
        pairs.clear();
        for (&item, &number) in owned {
            let pair = u32::try_from(item).ok().zip(u64::try_from(number).ok());
            pairs.push(pair.filter(|&(item, _)| (item as usize) < kept.len()).ok_or_else(damaged)?);
        }
        dropped = pairs.iter().fold(dropped, |sum, pair| sum.saturating_add(pair.1));
        sample.keep(name, &mut pairs);
        for &(item, number) in &pairs {
            kept[item as usize] = kept[item as usize].saturating_add(number);
            dropped -= number;
        }
    }
    Ok(dropped)
}

/// What lies between two ends.
fn part<'a, T>(of: &'a [T], ends: &[i64]) -> Option<&'a [T]> {
    of.get(usize::try_from(ends[0]).ok()?..usize::try_from(ends[1]).ok()?)
}

fn damaged() -> Failure {
    Failure::Runtime("the groups of records of owners are damaged; please report this".into())
}

fn too_long() -> Failure {
    Failure::Runtime(
        "a batch has more than 2 GiB of names; let the engine make smaller ones".into(),
    )
}

/// 256 secret bits, drawn before any noise, that decide which records of an owner are counted. They
/// are the operating system's, or follow from the seed of noise that is not private.
#[pyfunction]
#[pyo3(signature = (noise_seed=None))]
pub(crate) fn sampling_secret(
    py: Python<'_>,
    noise_seed: Option<u64>,
) -> PyResult<Bound<'_, PyBytes>> {
    let mut entropy = match noise_seed {
        None => Entropy::system(),
        Some(seed) => Entropy::seeded_not_private(Seed(seed)),
    };
    let mut secret = [0; 32];
    entropy.sampler().map_err(Failure::from)?.fill_bytes(&mut secret);
    Ok(PyBytes::new(py, &secret))
}
