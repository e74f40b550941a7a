//! Edge lists, whose nodes count from 0.

use std::path::Path;

use super::lines::{Line, at, check_length};
use super::merge::{RawEdges, Repeated, Streets};
use super::nodes::Naming;
use super::{Edges, NodeNames, Nodes};
use crate::error::{Error, ErrorKind};

/// Builds the graph from the lines of the file.
pub(crate) fn read(
    path: &Path,
    mut lines: Vec<Line>,
    (numbering, mut names): (Nodes, Option<Vec<String>>),
    gzip: bool,
    streets: Streets,
) -> Result<Edges, Error> {
    let mut notes = Vec::new();
    if names.is_none() && numbering == Nodes::Auto && has_gaps(&lines) {
        names = Some(renumbered(&mut lines));
        notes.push(
            "the numbers of the nodes have large gaps, so they were taken for names".to_owned(),
        );
    }
    let Some((&first, rest)) = lines.split_first() else {
        return Err(Error::new(ErrorKind::Empty, path, "has no edges"));
    };
    let (nodes, lines) = if names.is_none() && states_sizes(first, rest) {
        check_count(path, first.v, rest.len())?;
        (Some(first.u), rest)
    } else {
        (None, &lines[..])
    };
    let limit = nodes.unwrap_or(u64::from(u32::MAX)).min(u64::from(u32::MAX));
    let weighted = lines.first().is_some_and(|line| line.length.is_some());
    let mut raw = RawEdges::with_room(lines.len(), streets);
    let mut largest = 0;
    for line in lines {
        let fail = |kind, what: &str| Err(at(path, line.number, kind, what));
        if line.length.is_some() != weighted {
            let (has, others) = if weighted { (2, 3) } else { (3, 2) };
            let what = format!("has {has} fields, but the lines before have {others}");
            return fail(ErrorKind::Shape, &what);
        }
        let node = line.u.max(line.v);
        if node >= limit {
            let what = format!(
                "node {node} is out of range; nodes count from 0 to {}",
                limit.saturating_sub(1)
            );
            return fail(ErrorKind::Value, &what);
        }
        let length = check_length(line.length.unwrap_or(1.0))
            .map_err(|what| at(path, line.number, ErrorKind::Value, &what))?;
        largest = largest.max(node);
        raw.push(line.u as u32, line.v as u32, length);
    }
    let merged = raw.merge(Repeated::Smallest);
    notes.extend(merged.notes(Repeated::Smallest, true));
    if let (Some(nodes), false) = (nodes, weighted) {
        let edges = lines.len();
        notes.push(format!(
            "line 1 was taken as `n m`: {nodes} nodes, {edges} edges; it is no edge"
        ));
    }
    if let ([only], false, None) = (lines, weighted, nodes) {
        let Line { u, v, .. } = *only;
        notes.push(format!("the only line was taken as the edge {u} – {v}, not as `n m`"));
    }
    let nodes = nodes.unwrap_or(largest + 1);
    check_nodes(path, nodes, lines.len())?;
    let nodes = nodes as usize;
    notes.extend(isolated(nodes, &merged.edges));
    let format = if gzip { "edge list (gzip)" } else { "edge list" };
    let first = if let Nodes::From(first) = numbering { first } else { 0 };
    let names = names.map_or(NodeNames::CountFrom(first), NodeNames::Names);
    Ok(Edges { nodes, edges: merged.edges, k: None, format, notes, names })
}

/// Whether the first line states the numbers of nodes and edges, by the rule that
/// [`GraphFormat::EdgeList`](super::GraphFormat::EdgeList) documents.
fn states_sizes(first: Line, rest: &[Line]) -> bool {
    if first.length.is_some() || rest.is_empty() {
        return false;
    }
    if rest.iter().all(|line| line.length.is_some()) {
        return true;
    }
    first.v == rest.len() as u64
        && rest.iter().all(|line| line.length.is_none() && line.u.max(line.v) < first.u)
}

/// The number of nodes that any file may claim, however few edges it has. Each takes a few dozen
/// bytes of memory.
const NODES_FOR_ALL: u64 = 1 << 20;

/// How many nodes a file may claim for each of its edges, if they are more than [`NODES_FOR_ALL`].
/// With more, most nodes would have no edge.
const NODES_AN_EDGE: u64 = 8;

/// Whether numbers of nodes have such gaps that most nodes would have no edge.
fn has_gaps(lines: &[Line]) -> bool {
    let sized = lines.split_first().is_some_and(|(&first, rest)| states_sizes(first, rest));
    let largest = lines.iter().map(|line| line.u.max(line.v)).max().unwrap_or(0);
    !sized && largest >= NODES_FOR_ALL && largest / NODES_AN_EDGE > lines.len() as u64
}

/// Takes the numbers of nodes for names, and counts these instead.
fn renumbered(lines: &mut [Line]) -> Vec<String> {
    let mut naming = Naming::default();
    for line in lines {
        line.u = naming.number(line.u.to_string().as_bytes());
        line.v = naming.number(line.v.to_string().as_bytes());
    }
    naming.names()
}

/// Refuses a number of nodes that is far too large for the number of edges.
pub(crate) fn check_nodes(path: &Path, nodes: u64, edges: usize) -> Result<(), Error> {
    if nodes <= NODES_FOR_ALL || nodes / NODES_AN_EDGE <= edges as u64 {
        return Ok(());
    }
    let what = format!(
        "has {nodes} nodes, but only {edges} edges; number the nodes one after the other, without \
         gaps"
    );
    Err(Error::new(ErrorKind::Value, path, what))
}

/// Compares the stated with the actual number of edges.
pub(crate) fn check_count(path: &Path, stated: u64, found: usize) -> Result<(), Error> {
    let (kind, advice) = match stated.cmp(&(found as u64)) {
        std::cmp::Ordering::Equal => return Ok(()),
        std::cmp::Ordering::Greater => (ErrorKind::Truncated, "copy or download it again"),
        std::cmp::Ordering::Less => (ErrorKind::Format, "correct its first line"),
    };
    let what = format!("states {stated} edges but lists {found}; {advice}");
    Err(Error::new(kind, path, what))
}

/// A note about nodes without an edge, if there are any. Gaps in the numbering are legal, but often
/// mean that the ids are not indices.
fn isolated(nodes: usize, edges: &[super::Edge]) -> Option<String> {
    let mut ends: Vec<u32> = edges.iter().flat_map(|edge| [edge.a, edge.b]).collect();
    ends.sort_unstable();
    ends.dedup();
    let isolated = nodes - ends.len();
    (isolated > 0).then(|| format!("{isolated} of {nodes} nodes have no edge"))
}

#[cfg(test)]
mod tests {
    use super::super::{Edge, GraphFormat, NodeNames, Nodes, read_edges};
    use crate::input::testing::sample;
    use crate::{Edges, Error, ErrorKind};

    fn read(content: &str) -> Result<Edges, Error> {
        read_edges(&sample("g.txt", content).path, Some(GraphFormat::EdgeList), Nodes::Auto)
    }

    #[test]
    fn separators_comments_and_headers_of_words() {
        for content in [
            "# c\n% c\n0 1 2.5\n1\t2\t1\n",
            "0,1,2.5\r\n\r\n1,2,1\r\n",
            "source,target,km\n0,1,2.5\n1,2,1\n",
            "3 2\n0 1 2.5\n1 2 1\n",
        ] {
            let edges = read(content).unwrap();
            assert_eq!(edges.nodes, 3, "{content}");
            assert_eq!(edges.edges[0], Edge { a: 0, b: 1, length: 2.5 });
            assert_eq!(edges.edges[1], Edge { a: 1, b: 2, length: 1.0 });
            assert!(edges.notes.is_empty());
        }
    }

    #[test]
    fn two_fields_are_sizes_only_if_all_agrees() {
        // n = 5 and two lines follow.
        let edges = read("5 2\n0 1\n1 2\n").unwrap();
        assert_eq!((edges.nodes, edges.edges.len()), (5, 2));
        assert!(edges.notes[0].contains("line 1 was taken as `n m`"), "{:?}", edges.notes);
        assert_eq!(edges.notes[1..], ["2 of 5 nodes have no edge"]);
        // A single line is an edge, and that is said.
        let edges = read("1 0\n").unwrap();
        assert_eq!((edges.nodes, edges.edges.len()), (2, 1));
        assert!(edges.notes[0].contains("taken as the edge 1 – 0"), "{:?}", edges.notes);
        // Three lines follow, or node 5 is on one of them: an edge like the others.
        assert_eq!(read("5 2\n0 1\n1 2\n2 3\n").unwrap().edges.len(), 4);
        assert_eq!(read("5 2\n0 1\n1 5\n").unwrap().edges.len(), 3);
    }

    #[test]
    fn repeated_pairs_and_loops_are_noted() {
        let edges = read("0 1 3\n1 0 2\n1 1 9\n").unwrap();
        assert_eq!(edges.edges, [Edge { a: 0, b: 1, length: 2.0 }]);
        assert_eq!(edges.notes.len(), 2);
    }

    #[test]
    fn nodes_may_have_names() {
        let names = |content: &str, nodes: Nodes| {
            let file = sample("g.txt", content);
            read_edges(&file.path, Some(GraphFormat::EdgeList), nodes)
                .map(|edges| (edges.nodes, edges.edges.len(), edges.names))
                .map_err(|error| error.to_string())
        };
        let named =
            |names: &[&str]| NodeNames::Names(names.iter().map(|&name| name.to_owned()).collect());
        for (content, nodes, expected) in [
            ("a b 2\nb c 1\n", Nodes::Auto, (3, 2, named(&["a", "b", "c"]))),
            ("a b\nb c\n", Nodes::Auto, (3, 2, named(&["a", "b", "c"]))),
            ("source,target\na,b\n", Nodes::Auto, (2, 1, named(&["a", "b"]))),
            ("from to km\nb a 3\n", Nodes::Auto, (2, 1, named(&["b", "a"]))),
            // Ids of OpenStreetMap, by their length and by their gaps.
            ("8345678901 17 2\n", Nodes::Auto, (2, 1, named(&["8345678901", "17"]))),
            ("30000000 7 2\n7 9 1\n", Nodes::Auto, (3, 2, named(&["30000000", "7", "9"]))),
            ("007 1 2\n", Nodes::Auto, (2, 1, named(&["007", "1"]))),
            ("7 5\n5 6\n", Nodes::Names, (3, 2, named(&["7", "5", "6"]))),
            ("1 2\n2 3\n", Nodes::From(1), (3, 2, NodeNames::CountFrom(1))),
            ("0 2\n2 1\n", Nodes::From(0), (3, 2, NodeNames::CountFrom(0))),
        ] {
            assert_eq!(names(content, nodes), Ok(expected), "{content}");
        }
        let error = names("1 2\n0 1\n", Nodes::From(1)).unwrap_err();
        assert!(error.contains("line 2: `0` is no node: they count from 1"), "{error}");
        assert!(names("a b\n", Nodes::From(0)).is_err());
    }

    #[test]
    fn errors_name_the_line() {
        for (content, kind, what) in [
            ("0 1 -1\n", ErrorKind::Value, "line 1: the length `-1` is negative"),
            ("# c\n0 1 0\n", ErrorKind::Value, "line 2: the length `0` is zero"),
            ("0 1 1\n\n0 1 nan\n", ErrorKind::Value, "line 3: `nan` is not a finite number"),
            ("0 1 inf\n", ErrorKind::Value, "line 1: `inf` is not a finite number"),
            ("0 1 1e39\n", ErrorKind::Value, "line 1: `1e39` is too large"),
            ("0 1 1e-60\n", ErrorKind::Value, "line 1: the length `1e-60` is too small"),
            ("0 1\n0 x\n", ErrorKind::Value, "line 2: `x` is not a whole number"),
            ("0 1\n-1 0\n", ErrorKind::Value, "line 2: `-1` is not a whole number"),
            ("0 1\n0 1 2\n0 2\n", ErrorKind::Shape, "line 2: has 3 fields"),
            ("0 1 2\n0 2\n", ErrorKind::Shape, "line 2: has 2 fields"),
            ("0 1 2 3\n", ErrorKind::Shape, "line 1: has 4 fields"),
            ("2 1\n0 2 1\n", ErrorKind::Value, "line 2: node 2 is out of range"),
            ("3 9\n0 2 1\n", ErrorKind::Truncated, "states 9 edges but lists 1"),
            ("3 1\n0 2 1\n1 2 1\n", ErrorKind::Format, "states 1 edges but lists 2"),
        ] {
            let error = read(content).unwrap_err();
            assert_eq!(error.kind(), kind, "{error}");
            assert!(error.to_string().contains(what), "{error}");
        }
    }
}
