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

/// An error about a graph of so many nodes. If it falls apart because numbers of nodes have no
/// edge, it adds how the nodes are probably called.
pub(super) fn in_graph(
    source: Source<'_>,
    edges: &[(u32, u32, f32)],
    nodes: usize,
    error: kmedian::Error,
) -> Failure {
    let hint = match error.kind() {
        kmedian::ErrorKind::Disconnected => unused_numbers(source, edges, nodes),
        _ => "",
    };
    Failure::new(format!("{}{hint}", in_file(source, error).message()))
}

/// Refuses a directed graph with nodes that no street leads to, because their numbers are probably
/// none. A graph whose streets are open both ways is known to fall apart without this.
pub(super) fn check_numbers(
    source: Source<'_>,
    edges: &[(u32, u32, f32)],
    nodes: usize,
) -> Result<(), Failure> {
    match unused_numbers(source, edges, nodes) {
        "" => Ok(()),
        hint => Err(Failure::new(format!(
            "{}: there are numbers from 0 to {} that no street leads to{hint}",
            source.path.display(),
            nodes - 1
        ))),
    }
}

/// How the nodes of a graph are probably called, if some of the numbers from 0 up have no edge.
fn unused_numbers(source: Source<'_>, edges: &[(u32, u32, f32)], nodes: usize) -> &'static str {
    let mut is_used = vec![false; nodes];
    edges.iter().for_each(|edge| {
        is_used[edge.0 as usize] = true;
        is_used[edge.1 as usize] = true;
    });
    let unused = is_used.iter().filter(|&&is_used| !is_used).count();
    match (source.how.nodes_from, is_used.first()) {
        (Some(_), _) => "",
        _ if unused * 2 > nodes => {
            "; nodes count from 0, and most numbers have no edge: if they are names, give --nodes-from names"
        }
        (None, Some(false)) => {
            "; nodes count from 0, and no edge is at node 0: if the file counts from 1, give --nodes-from 1"
        }
        _ => "",
    }
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
