//! Errors of readers and algorithms, with the file and the options that they are about.

use kmedian_data::ColumnRef;

use super::sites;
use crate::args::Source;
use crate::failure::Failure;

/// An error of a file's columns. If a column of weights, candidates or fixed centers is missing, it
/// adds that there is no such file either.
pub(super) fn in_columns(
    error: kmedian_data::Error,
    weight: Option<&ColumnRef>,
    source: Source<'_>,
) -> Failure {
    let missing = |column: &ColumnRef| match column {
        ColumnRef::Name(name) => error.to_string().contains(&format!("no column `{name}`")),
        ColumnRef::Index(_) => false,
    };
    let choices = sites::columns(source);
    let choice = choices.iter().find(|column| missing(column));
    match (weight.filter(|column| missing(column)), choice) {
        (Some(ColumnRef::Name(name)), _) => {
            Failure::from(error).and(&format!("and there is no file `{name}` of weights"))
        }
        (_, Some(ColumnRef::Name(name))) => {
            Failure::from(error).and(&format!("and there is no file `{name}`"))
        }
        _ => error.into(),
    }
}

/// An error about a graph. If it is disconnected and no edge is at node 0, it adds that the nodes
/// are probably counted from 1.
pub(super) fn in_graph(
    source: Source<'_>,
    edges: &[(u32, u32, f32)],
    error: kmedian::Error,
) -> Failure {
    let from_one = edges.iter().all(|edge| edge.0.min(edge.1) > 0);
    let hint = if from_one && error.kind() == kmedian::ErrorKind::Disconnected {
        "; nodes count from 0, and no edge is at node 0: if the file counts from 1, give --nodes-from 1"
    } else {
        ""
    };
    Failure::new(format!("{}{hint}", in_file(source, error).message()))
}

/// An error of the algorithms, with the file that it is about.
pub(super) fn in_file(source: Source<'_>, error: kmedian::Error) -> Failure {
    let file = source.path.display();
    match error.kind() {
        // Vectors have the wrong shape if they have too many or too few columns for their metric.
        kmedian::ErrorKind::Shape => Failure::new(format!("{file}: {error} with --columns")),
        _ => Failure::new(format!("{file}: {}", Failure::from(error).message())),
    }
}
