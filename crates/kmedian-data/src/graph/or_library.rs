//! OR-Library's p-median files, whose nodes count from 1.

use std::path::Path;

use super::edge_list::{check_count, check_nodes};
use super::lines::{Line, at, check_length};
use super::merge::{RawEdges, Repeated, Streets};
use super::{Edges, NodeNames};
use crate::error::{Error, ErrorKind};

/// Whether the lines fit OR-Library in everything: a first line `n m p`, and m edges among nodes
/// from 1 to n, where p is a whole number from 1 to n.
pub(crate) fn looks_like(lines: &[Line]) -> bool {
    let Some((first, rest)) = lines.split_first() else {
        return false;
    };
    let Some(k) = first.length else {
        return false;
    };
    !rest.is_empty()
        && first.v == rest.len() as u64
        && k.fract() == 0.0
        && k >= 1.0
        && f64::from(k) <= first.u as f64
        && rest.iter().all(|line| {
            line.length.is_some() && line.u.min(line.v) >= 1 && line.u.max(line.v) <= first.u
        })
}

/// Builds the graph from the lines of the file.
pub(crate) fn read(
    path: &Path,
    lines: &[Line],
    gzip: bool,
    streets: Streets,
) -> Result<Edges, Error> {
    let Some((first, rest)) = lines.split_first() else {
        return Err(Error::new(ErrorKind::Empty, path, "has no edges"));
    };
    let nodes = first.u;
    let k = first
        .length
        .filter(|&k| k.fract() == 0.0 && k >= 1.0 && f64::from(k) <= nodes as f64)
        .filter(|_| nodes < u64::from(u32::MAX))
        .ok_or_else(|| {
            let what = "is not `n m p`, as OR-Library begins, with p from 1 to n";
            at(path, first.number, ErrorKind::Format, what)
        })?;
    check_count(path, first.v, rest.len())?;
    check_nodes(path, nodes, rest.len())?;
    let mut raw = RawEdges::with_room(rest.len(), streets);
    for line in rest {
        let fail = |kind, what: &str| Err(at(path, line.number, kind, what));
        let Some(length) = line.length else {
            return fail(ErrorKind::Shape, "has 2 fields, not `u v length`");
        };
        for node in [line.u, line.v] {
            if node < 1 || node > nodes {
                let what = format!("node {node} is out of range; nodes count from 1 to {nodes}");
                return fail(ErrorKind::Value, &what);
            }
        }
        let length =
            check_length(length).map_err(|what| at(path, line.number, ErrorKind::Value, &what))?;
        raw.push((line.u - 1) as u32, (line.v - 1) as u32, length);
    }
    let merged = raw.merge(Repeated::Last);
    let notes = merged.notes(Repeated::Last, false);
    let format = if gzip { "OR-Library (gzip)" } else { "OR-Library" };
    let (nodes, k, names) = (nodes as usize, Some(k as usize), NodeNames::CountFrom(1));
    Ok(Edges { nodes, edges: merged.edges, k, format, notes, names })
}

#[cfg(test)]
mod tests {
    use super::super::{Edge, GraphFormat, Nodes, read_edges};
    use crate::input::testing::sample;
    use crate::{Edges, Error, ErrorKind};

    fn read(content: &str) -> Result<Edges, Error> {
        read_edges(&sample("g.txt", content).path, Some(GraphFormat::OrLibrary), Nodes::Auto)
    }

    #[test]
    fn a_repeated_pair_takes_its_last_length() {
        let edges = read(" 3 3 2\n 1 2 30\n 2 3 46\n 2 1 31\n").unwrap();
        assert_eq!((edges.nodes, edges.k), (3, Some(2)));
        assert_eq!(edges.edges[0], Edge { a: 0, b: 1, length: 31.0 });
        assert_eq!(edges.edges[1], Edge { a: 1, b: 2, length: 46.0 });
        assert_eq!(edges.notes.len(), 1);
    }

    #[test]
    fn errors_name_the_line() {
        for (content, kind, what) in [
            ("3 1\n1 2 3\n", ErrorKind::Format, "line 1: is not `n m p`"),
            ("3 1 4\n1 2 3\n", ErrorKind::Format, "line 1: is not `n m p`"),
            ("3 2 1\n1 2 3\n", ErrorKind::Truncated, "states 2 edges but lists 1"),
            ("3 1 1\n0 2 3\n", ErrorKind::Value, "line 2: node 0 is out of range"),
            ("3 1 1\n1 4 3\n", ErrorKind::Value, "line 2: node 4 is out of range"),
            ("3 1 1\n1 2 0\n", ErrorKind::Value, "line 2: the length `0` is zero"),
            ("3 1 1\n1 2\n", ErrorKind::Shape, "line 2: has 2 fields"),
        ] {
            let error = read(content).unwrap_err();
            assert_eq!(error.kind(), kind, "{error}");
            assert!(error.to_string().contains(what), "{error}");
        }
    }
}
