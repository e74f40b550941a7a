//! DIMACS graphs, whose nodes count from 1: shortest-path files (`.gr`) and plain edge files.

use std::io::BufRead;
use std::path::Path;

use super::edge_list::{check_count, check_nodes};
use super::lines::{at, check_length, fields, for_each, parse_length, parse_node};
use super::merge::{RawEdges, Repeated, Streets};
use super::{Edges, NodeNames};
use crate::error::{Error, ErrorKind, quote};

/// The sizes that the problem line states.
#[derive(Clone, Copy)]
struct Sizes {
    nodes: u64,
    edges: u64,
}

/// Reads a DIMACS graph, line by line.
pub(crate) fn read(
    path: &Path,
    reader: Box<dyn BufRead>,
    gzip: bool,
    streets: Streets,
) -> Result<Edges, Error> {
    let mut sizes: Option<Sizes> = None;
    let mut raw = RawEdges::with_room(0, streets);
    let mut found = 0;
    for_each(path, reader, |number, text| {
        let fail = |kind, what: &str| Err(at(path, number, kind, what));
        let word = text.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        let rest = &text[word.len()..];
        match (word, sizes) {
            (b"c", _) => Ok(()),
            (b"p", None) => {
                let read = parse_sizes(rest);
                sizes = Some(read.map_err(|what| at(path, number, ErrorKind::Format, &what))?);
                Ok(())
            }
            (b"p", Some(_)) => fail(ErrorKind::Format, "a second `p` line"),
            (b"a" | b"e", None) => fail(ErrorKind::Format, "an edge before the `p` line"),
            (b"a" | b"e", Some(sizes)) => {
                let (u, v, length) = parse_edge(word == b"a", rest, sizes)
                    .map_err(|what| at(path, number, ErrorKind::Value, &what))?;
                found += 1;
                raw.push(u, v, length);
                Ok(())
            }
            _ => {
                let what = format!("begins with {}, not with c, p, a or e", quote(word));
                fail(ErrorKind::Format, &what)
            }
        }
    })?;
    let Some(sizes) = sizes else {
        let what = "has no `p` line, as DIMACS files have";
        return Err(Error::new(ErrorKind::Format, path, what));
    };
    let merged = raw.merge(Repeated::Smallest);
    let notes = merged.notes(Repeated::Smallest, false);
    // Some files state each edge once and list it in both directions.
    if sizes.edges.checked_mul(2) != Some(found as u64) {
        check_count(path, sizes.edges, found)?;
    }
    check_nodes(path, sizes.nodes, found)?;
    let format = if gzip { "DIMACS (gzip)" } else { "DIMACS" };
    let names = NodeNames::CountFrom(1);
    Ok(Edges { nodes: sizes.nodes as usize, edges: merged.edges, k: None, format, notes, names })
}

/// The sizes from `sp n m` or `edge n m`.
fn parse_sizes(text: &[u8]) -> Result<Sizes, String> {
    let wrong = || "is not `p sp n m` or `p edge n m`".to_owned();
    let ([kind, nodes, edges], 3) = fields(text) else {
        return Err(wrong());
    };
    if !matches!(kind, b"sp" | b"edge" | b"edges" | b"col") {
        return Err(wrong());
    }
    let nodes = parse_node(nodes)?;
    if nodes >= u64::from(u32::MAX) {
        return Err(format!("{nodes} nodes are too many"));
    }
    Ok(Sizes { nodes, edges: parse_node(edges)? })
}

fn parse_edge(weighted: bool, text: &[u8], sizes: Sizes) -> Result<(u32, u32, f32), String> {
    let (parts, count) = fields(text);
    let length = match (weighted, count) {
        (true, 3) | (false, 3) => check_length(parse_length(parts[2])?)?,
        (false, 2) => 1.0,
        _ => return Err("is not `a u v length` or `e u v`".to_owned()),
    };
    let node = |field| match parse_node(field)? {
        node if (1..=sizes.nodes).contains(&node) => Ok((node - 1) as u32),
        node => Err(format!("node {node} is out of range; nodes count from 1 to {}", sizes.nodes)),
    };
    Ok((node(parts[0])?, node(parts[1])?, length))
}

#[cfg(test)]
mod tests {
    use super::super::{Edge, Nodes, read_edges};
    use crate::input::testing::sample;
    use crate::{Edges, Error, ErrorKind};

    fn read(content: &str) -> Result<Edges, Error> {
        read_edges(&sample("g.gr", content).path, None, Nodes::Auto)
    }

    #[test]
    fn both_directions_are_one_edge() {
        let edges = read("c x\np sp 3 4\na 1 2 5\na 2 1 5\nc y\na 2 3 1\na 3 2 2\n").unwrap();
        assert_eq!(edges.nodes, 3);
        assert_eq!(edges.edges[0], Edge { a: 0, b: 1, length: 5.0 });
        assert_eq!(edges.edges[1], Edge { a: 1, b: 2, length: 1.0 });
        assert_eq!(edges.notes.len(), 1);
    }

    #[test]
    fn plain_edges_have_length_one() {
        let edges = read("p edge 3 2\ne 1 2\ne 2 3\n").unwrap();
        assert_eq!(edges.edges[1], Edge { a: 1, b: 2, length: 1.0 });
        assert!(edges.notes.is_empty());
    }

    #[test]
    fn errors_name_the_line() {
        for (content, kind, what) in [
            ("c only\n", ErrorKind::Format, "no `p` line"),
            ("a 1 2 3\n", ErrorKind::Format, "line 1: an edge before"),
            ("p sp 3\n", ErrorKind::Format, "line 1: is not `p sp n m`"),
            ("p max 3 1\n", ErrorKind::Format, "line 1: is not `p sp n m`"),
            ("p sp 3 1\nx 1 2\n", ErrorKind::Format, "line 2: begins with `x`"),
            ("p sp 3 1\na 1 2\n", ErrorKind::Value, "line 2: is not `a u v length`"),
            ("p sp 3 1\na 0 2 1\n", ErrorKind::Value, "line 2: node 0 is out of range"),
            ("p sp 3 1\na 4 2 1\n", ErrorKind::Value, "line 2: node 4 is out of range"),
            ("p sp 3 1\na 1 2 -5\n", ErrorKind::Value, "line 2: the length `-5` is negative"),
            ("p sp 3 2\na 1 2 5\n", ErrorKind::Truncated, "states 2 edges but lists 1"),
        ] {
            let error = read(content).unwrap_err();
            assert_eq!(error.kind(), kind, "{error}");
            assert!(error.to_string().contains(what), "{error}");
        }
    }
}
