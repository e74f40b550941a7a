//! The labels of all items, in a pass of their own: every part is labeled and written before the
//! next one is read.

use std::path::Path;

use kmedian::rounds::{Rounds, RoundsFit};
use kmedian::{Assignment, Dissimilarity, Space, Vectors};
use kmedian_data::{Column, Points, PointsPart};

use super::files::Files;
use crate::cells::{integers, numbers, texts};
use crate::failure::Failure;

/// Writes the center of every item, and its distance, as a table that is complete or not there.
/// Returns the ids of the centers, if items have ids.
pub(super) fn write(
    file: &Path,
    files: &Files,
    of: Dissimilarity,
    plan: &Rounds,
    found: &RoundsFit,
) -> Result<Option<Vec<String>>, Failure> {
    // Center ids stand beside every label, so they must be known before the first is written.
    let ids = files.ids_of(&found.centers.places)?;
    let mut before = 0;
    let parts = files.parts().map(|part| {
        let PointsPart { mut points, .. } = part?;
        points.values.extend_from_slice(&found.centers.rows);
        let space = Vectors::new(points.dims, &points.values, plan.metric)?;
        let centers: Vec<usize> = (points.rows..space.len()).collect();
        let mut nearest = of.restate_assignment(Assignment::new(&space, &centers));
        nearest.labels.truncate(points.rows);
        nearest.distances.truncate(points.rows);
        let columns = table(&points, before, &nearest, found, ids.as_deref());
        before += points.rows as u64;
        Ok::<_, Failure>(columns)
    });
    kmedian_data::write_table_in_parts(file, parts)?;
    Ok(ids)
}

fn table(
    points: &Points,
    before: u64,
    nearest: &Assignment,
    found: &RoundsFit,
    center_ids: Option<&[String]>,
) -> Vec<Column> {
    let labels = || nearest.labels.iter().map(|&label| label as usize);
    let places = &found.centers.places;
    let mut columns = vec![
        integers("k", labels().map(|_| places.len())),
        integers("index", (0..points.rows).map(|row| before as usize + row)),
    ];
    if let Some(ids) = &points.ids {
        columns.push(texts("id", ids.iter().cloned()));
    }
    columns.push(integers("label", labels()));
    columns.push(integers("center_index", labels().map(|label| places[label] as usize)));
    if let Some(ids) = center_ids {
        columns.push(texts("center_id", labels().map(|label| ids[label].clone())));
    }
    columns.push(numbers("distance", nearest.distances.iter().map(|&way| f64::from(way))));
    columns
}
