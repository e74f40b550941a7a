//! Graphs: edges with positive lengths, open both ways or one way.

mod dimacs;
mod edge_list;
mod lines;
mod merge;
mod nodes;
mod or_library;

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::error::{Error, ErrorKind};
use crate::input::{Input, inner_extension};
use lines::Line;
use merge::Streets;
pub use nodes::{NodeNames, Nodes};

/// An edge: undirected, or an arc from `a` to `b`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// The smaller end, counted from 0; of an arc the tail.
    pub a: u32,
    /// The larger end, counted from 0; of an arc the head.
    pub b: u32,
    /// The length: positive and finite.
    pub length: f32,
}

/// A graph without loops and with at most one edge for each pair of nodes (at most one arc for each
/// ordered pair), in ascending order of `(a, b)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Edges {
    /// The number of nodes; some may have no edge.
    pub nodes: usize,
    /// The edges, in ascending order of `(a, b)`.
    pub edges: Vec<Edge>,
    /// The number of centers to find, if the file states it (only OR-Library does).
    pub k: Option<usize>,
    /// The format for people to read, for example `edge list (gzip)`.
    pub format: &'static str,
    /// What the user should know about the way the file was read.
    pub notes: Vec<String>,
    /// What the nodes are called in the file.
    pub names: NodeNames,
}

/// A format of graph files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GraphFormat {
    /// Lines `u v` or `u v length`, nodes counted from 0, separated by blanks, tabs, commas or
    /// semicolons.
    ///
    /// Either all lines have a length or none; without one it is 1. Lines that begin with `#` or
    /// `%` are comments, and a first line of words (`source,target`) is skipped. A first line `n m`
    /// states the numbers of nodes and edges. A line counts as such if it has two fields while the
    /// others have three. Where all lines have two, it does if its second number is exactly the
    /// number of lines that follow, and all nodes on them are below its first number. Without such
    /// a line, the number of nodes is the largest node plus 1. A pair of nodes that is listed
    /// repeatedly keeps its smallest length.
    EdgeList,
    /// DIMACS: `p sp n m` and arcs `a u v length`, or `p edge n m` and edges `e u v` of length 1;
    /// nodes counted from 1. An edge that is listed in both directions keeps the smaller length.
    Dimacs,
    /// OR-Library's p-median files: a line `n m p`, then `m` lines `u v length`, nodes counted from
    /// 1. A pair listed repeatedly takes its last length, as the published optima do.
    OrLibrary,
}

impl GraphFormat {
    const ALL: [(Self, &'static str); 3] =
        [(Self::EdgeList, "edge-list"), (Self::Dimacs, "dimacs"), (Self::OrLibrary, "or-library")];
}

impl fmt::Display for GraphFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, name) = Self::ALL[*self as usize];
        f.write_str(name)
    }
}

impl FromStr for GraphFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        crate::error::by_name(&Self::ALL, "graph format", text)
    }
}

/// Reads a graph, gzipped or not. Without a `format`, it is detected:
///
/// - DIMACS by the extension `.gr`, or by a first line that begins with the word `c` or `p`;
/// - OR-Library by a file name like `pmed1.txt`, or by a first line `n m p` that is followed by
///   exactly `m` lines of three fields with nodes from 1 to `n`, where `p ≤ n`;
/// - an edge list otherwise.
///
/// Loops from a node to itself are dropped with a note.
///
/// # Errors
///
/// If the file cannot be read or has no edges; if a line does not parse, a node is out of range, or
/// a length is not positive and finite. The message names the line.
pub fn read_edges(path: &Path, format: Option<GraphFormat>, nodes: Nodes) -> Result<Edges, Error> {
    read(path, format, nodes, Streets::TwoWay)
}

/// Reads a directed graph: as [`read_edges`], but every line is an arc from its first node to its
/// second.
///
/// # Errors
///
/// As [`read_edges`].
pub fn read_arcs(path: &Path, format: Option<GraphFormat>, nodes: Nodes) -> Result<Edges, Error> {
    read(path, format, nodes, Streets::OneWay)
}

fn read(
    path: &Path,
    format: Option<GraphFormat>,
    nodes: Nodes,
    streets: Streets,
) -> Result<Edges, Error> {
    let input = Input::open(path)?;
    if input.head.contains(&0) {
        let what = "is no text: graphs are read from edge lists, DIMACS and OR-Library files";
        return Err(Error::new(ErrorKind::Format, path, what));
    }
    let (gzip, notes) = (input.gzip, input.notes);
    let format = match format {
        None if is_dimacs(path, &input.head) => Some(GraphFormat::Dimacs),
        other => other,
    };
    let mut edges = match format {
        Some(GraphFormat::Dimacs) => {
            count_from_one(path, nodes, "DIMACS")?;
            dimacs::read(path, input.reader, gzip, streets)?
        }
        Some(GraphFormat::OrLibrary) => {
            count_from_one(path, nodes, "OR-Library")?;
            let (lines, _) = lines::read(path, input.reader, Nodes::From(0))?;
            or_library::read(path, &lines, gzip, streets)?
        }
        other => {
            let (lines, names) = lines::read(path, input.reader, nodes)?;
            let is_or_library = nodes == Nodes::Auto
                && other.is_none()
                && names.is_none()
                && (is_named_pmed(path, &lines) || or_library::looks_like(&lines));
            if is_or_library {
                or_library::read(path, &lines, gzip, streets)?
            } else {
                edge_list::read(path, lines, (nodes, names), gzip, streets)?
            }
        }
    };
    edges.notes.splice(0..0, notes);
    if edges.edges.is_empty() {
        return Err(Error::new(ErrorKind::Empty, path, "has no edges"));
    }
    Ok(edges)
}

/// Refuses another count of nodes than that of the format.
fn count_from_one(path: &Path, nodes: Nodes, format: &str) -> Result<(), Error> {
    if matches!(nodes, Nodes::Auto | Nodes::From(1)) {
        return Ok(());
    }
    let what = format!("is of the format {format}, whose nodes count from 1");
    Err(Error::new(ErrorKind::Format, path, what))
}

fn is_dimacs(path: &Path, head: &[u8]) -> bool {
    let first = head.trim_ascii_start();
    inner_extension(path).is_some_and(|extension| extension == "gr")
        || [&b"c "[..], b"c\n", b"c\r", b"c\t", b"p ", b"p\t"]
            .iter()
            .any(|start| first.starts_with(start))
}

/// Whether a file has a name such as `pmed17.txt`, and three fields on its first line.
fn is_named_pmed(path: &Path, lines: &[Line]) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase());
    let number = name.as_deref().and_then(|name| name.strip_prefix("pmed")?.split('.').next());
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_digit()))
        && lines.first().is_some_and(|line| line.length.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::testing::{gzip, sample};

    #[test]
    fn formats_are_detected() {
        for (name, content, format, nodes, k) in [
            ("a.txt", "0 1 2\n1 2 3\n", "edge list", 3, None),
            ("a.gr", "p sp 2 1\na 1 2 5\n", "DIMACS", 2, None),
            ("a.txt", "c hello\np sp 2 1\na 1 2 5\n", "DIMACS", 2, None),
            ("a.txt", "4 2 1\n1 2 5\n3 4 1\n", "OR-Library", 4, Some(1)),
            ("pmed1.txt", " 4 2 1 \n 1 2 5\n 3 4 1\n", "OR-Library", 4, Some(1)),
            // Three lines follow, not two; a node 0; a p above n.
            ("a.txt", "4 2 1\n1 2 5\n3 4 1\n0 1 1\n", "edge list", 5, None),
            ("a.txt", "4 2 1\n0 2 5\n3 4 1\n", "edge list", 5, None),
            ("a.txt", "4 2 9\n1 2 5\n3 4 1\n", "edge list", 5, None),
        ] {
            let edges = read_edges(&sample(name, content).path, None, Nodes::Auto).unwrap();
            assert_eq!((edges.format, edges.nodes, edges.k), (format, nodes, k), "{content}");
        }
    }

    #[test]
    fn format_names_round_trip() {
        for (format, name) in GraphFormat::ALL {
            assert_eq!(name.parse(), Ok(format));
            assert_eq!(format.to_string(), name);
        }
        let error = "metis".parse::<GraphFormat>().unwrap_err();
        assert_eq!(error, "`metis` is no graph format; choose edge-list, dimacs or or-library");
    }

    #[test]
    fn arcs_are_kept_as_they_are() {
        for (name, content) in [
            ("a.txt", "1 0 2\n0 1 3\n1 0 5\n2 1 4\n"),
            ("a.gr", "p sp 3 4\na 2 1 2\na 1 2 3\na 2 1 5\na 3 2 4\n"),
        ] {
            let file = sample(name, content);
            let arcs = read_arcs(&file.path, None, Nodes::Auto).unwrap().edges;
            let arc = |a, b, length| Edge { a, b, length };
            assert_eq!(arcs, [arc(0, 1, 3.0), arc(1, 0, 2.0), arc(2, 1, 4.0)], "{name}");
            let edges = read_edges(&file.path, None, Nodes::Auto).unwrap().edges;
            assert_eq!(edges, [arc(0, 1, 2.0), arc(1, 2, 4.0)], "{name}");
        }
    }

    #[test]
    fn an_explicit_format_wins() {
        let file = sample("pmed1.txt", "4 2 1\n1 2 5\n3 4 1\n");
        let edges = read_edges(&file.path, Some(GraphFormat::EdgeList), Nodes::Auto).unwrap();
        assert_eq!((edges.nodes, edges.edges.len()), (5, 3));
    }

    #[test]
    fn gzip_binary_and_empty() {
        let file = sample("a.txt.gz", gzip("0 1\n"));
        assert_eq!(read_edges(&file.path, None, Nodes::Auto).unwrap().format, "edge list (gzip)");
        let error = read_edges(&sample("a.txt", "\0\0").path, None, Nodes::Auto).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Format);
        for content in ["# nothing\n", "3 3\n"] {
            let error = read_edges(&sample("a.txt", content).path, None, Nodes::Auto).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Empty, "{error}");
        }
    }
}
