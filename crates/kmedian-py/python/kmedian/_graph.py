"""Reads graphs: scipy sparse matrices, networkx and igraph."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import connected_components

from ._tables import TEXT, TIMES, holds

# Attributes of edges that other packages use for lengths.
_OTHER_LENGTHS = ("length", "distance")


class Edges(NamedTuple):
    """The edges of a graph, by their ends and lengths, and the names of its nodes.

    ``streets`` is "both", or "from" or "towards" the center if edges are open one way only, from
    tail to head. If ``named`` is false, the nodes have no names, and ``names`` holds their
    positions.
    """

    nodes: int
    tails: np.ndarray
    heads: np.ndarray
    lengths: np.ndarray
    streets: str
    names: np.ndarray
    named: bool


def is_graph(X: Any) -> bool:
    """Whether something is a graph in one of the forms that are read."""
    return scipy.sparse.issparse(X) or _is_networkx(X) or _is_igraph(X)


def _is_networkx(X: Any) -> bool:
    return hasattr(X, "adj") and hasattr(X, "nodes")


def _is_igraph(X: Any) -> bool:
    return hasattr(X, "get_edgelist") and hasattr(X, "vs")


def edges_of(graph: Any, directed: Any = None, weight: str = "weight") -> Edges:
    """The edges of a scipy sparse adjacency matrix, a networkx graph or an igraph graph.

    Lengths are the entries of the matrix or the edges' attribute ``weight``, which is 1 where it is
    missing; if another name is given for it, no edge may be without it. ``directed`` is ``None`` for what the graph says, or whether edges are open one way
    only, or "towards" if the way from the item to the center counts.
    """
    if not (directed is None or is_flag(directed) or (isinstance(directed, str) and directed == "towards")):
        raise ValueError(f"directed={directed!r} is not known; give None, True, False or 'towards'")
    if scipy.sparse.issparse(graph):
        return _of_matrix(graph, directed)
    if _is_networkx(graph):
        return _of_networkx(graph, directed, weight)
    if _is_igraph(graph):
        return _of_igraph(graph, directed, weight)
    raise ValueError(
        f"metric='graph' takes a scipy sparse matrix, a networkx graph or an igraph graph, not {type(graph).__name__}; "
        "for a dense matrix of distances take metric='precomputed'"
    )


def positions_in(graph: Edges, names: np.ndarray) -> np.ndarray:
    """The position of each named node in a graph of the same nodes, which may be in another order.

    If the graph's nodes have no names, as those of a matrix, they are taken in their order.
    """
    if graph.nodes != len(names):
        raise ValueError(
            f"the graph has {graph.nodes} nodes, but the centers are among {len(names)}; give the same nodes"
        )
    wanted, there = names.tolist(), graph.names.tolist()
    if not graph.named or wanted == there:
        return np.arange(len(names))
    try:
        position = {name: at for at, name in enumerate(there)}
        unknown = [name for name in wanted if name not in position]
    except TypeError as error:
        raise ValueError("some names of nodes cannot be looked up; call nodes by text or numbers") from error
    if unknown:
        raise ValueError(f"the node {unknown[0]!r}, which was fitted, is not in the graph; give the same nodes")
    if len(position) != graph.nodes:
        raise ValueError("several nodes have the same name, and come in another order than fitted; name them apart")
    return np.array([position[name] for name in wanted])


def positions_of(graph: Edges, nodes: Any) -> np.ndarray:
    """The positions of nodes that are given by their names or, where they have none, by their
    positions."""
    if isinstance(nodes, (str, bytes)) or not hasattr(nodes, "__iter__"):
        raise TypeError(f"X is a {type(nodes).__name__}; give a graph of the same nodes, or a list of some of them")
    wanted = nodes.tolist() if hasattr(nodes, "tolist") else list(nodes)
    known = {name: at for at, name in enumerate(graph.names.tolist())}
    try:
        unknown = [node for node in wanted if node not in known]
    except TypeError as error:
        raise ValueError("some nodes of X cannot be looked up; give a graph, or names of nodes") from error
    if unknown:
        raise ValueError(f"there is no node {unknown[0]!r} in the graph that was fitted; give nodes of it")
    return np.array([known[node] for node in wanted], dtype=np.intp)


def largest_component(graph: Edges) -> Edges:
    """The graph without all nodes that are not in its largest component; if edges are open one way
    only, the largest strongly connected one."""
    ones = np.ones(len(graph.tails), dtype=np.int8)
    matrix = scipy.sparse.coo_array((ones, (graph.tails, graph.heads)), shape=(graph.nodes, graph.nodes))
    connection = "weak" if graph.streets == "both" else "strong"
    if graph.nodes == 0:
        return graph
    count, labels = connected_components(matrix.tocsr(), directed=True, connection=connection)
    if count == 1:
        return graph
    inside = labels == np.bincount(labels).argmax()
    position = np.cumsum(inside, dtype=np.uint32) - np.uint32(1)
    kept = inside[graph.tails] & inside[graph.heads]
    tails, heads = position[graph.tails[kept]], position[graph.heads[kept]]
    # Nodes that have no names are called by their positions in the whole graph.
    return Edges(int(inside.sum()), tails, heads, graph.lengths[kept], graph.streets, graph.names[inside], graph.named)


def is_flag(value: Any) -> bool:
    """Whether a value is a Boolean of Python or NumPy."""
    return isinstance(value, (bool, np.bool_))


def _streets(is_directed: bool, directed: Any) -> str:
    """Which ways count, given whether the graph itself is directed and what was asked for."""
    if isinstance(directed, str):
        return "towards"
    return "from" if (is_directed if directed is None else bool(directed)) else "both"


def _of_matrix(matrix: Any, directed: Any) -> Edges:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"an adjacency matrix is square, with a row and a column for each node; this one is {matrix.shape}"
        )
    # Duplicate entries add up, as everywhere in scipy.
    forth = _lengths(scipy.sparse.csr_array(matrix))
    back = scipy.sparse.csr_array(forth.T)
    both = (forth != 0).multiply(back != 0)
    differ = (forth.multiply(both) != back.multiply(both)).tocoo()
    # One entry of each edge is enough, as in an upper triangle. Where some edges have both, one that
    # has a single entry is a street in one direction.
    mixed = 0 < both.nnz < forth.nnz
    if directed is None and not both.nnz and scipy.sparse.triu(forth).nnz not in (0, forth.nnz):
        warnings.warn(
            "every edge of the matrix has one entry only, so edges are taken to be open both ways; give directed=True if "
            "they are not, or directed=False if they are",
            UserWarning,
            stacklevel=6,
        )
    streets = _streets(bool(differ.nnz) or mixed, directed)
    if differ.nnz and streets == "both":
        a, b = int(differ.row[0]), int(differ.col[0])
        raise ValueError(
            f"the edge {a} - {b} is {forth[a, b]} long, but {forth[b, a]} the other way; if streets are one-way, give "
            "directed=True, or else one length for both, for example with (A + A.T) / 2"
        )
    entries = forth.tocoo()
    names = np.arange(matrix.shape[0])
    return _edges(matrix.shape[0], entries.row, entries.col, entries.data, streets, names, False)


def _lengths(matrix: Any) -> Any:
    """The entries as 32-bit floats, as in the core, so that lengths that differ by less count as
    equal."""
    if matrix.dtype.kind == "c":
        raise TypeError("the entries of the adjacency matrix are complex numbers; give lengths, such as abs(A)")
    wrong = np.flatnonzero(~np.isfinite(matrix.data))
    if len(wrong):
        entries = matrix.tocoo()
        a, b, length = entries.row[wrong[0]], entries.col[wrong[0]], entries.data[wrong[0]]
        raise ValueError(f"the edge {a} - {b} is {length} long; give a finite length, or leave the entry out")
    with np.errstate(over="ignore"):
        return matrix.astype(np.float32)


def _of_networkx(graph: Any, directed: Any, weight: str) -> Edges:
    streets = _streets(graph.is_directed(), directed)
    if streets != "both" and not graph.is_directed():
        raise ValueError(f"directed={directed!r}, but the graph is not; give graph.to_directed(), or leave it out")
    nodes = list(graph.nodes)
    number = {node: at for at, node in enumerate(nodes)}
    edges = graph.edges(data=True)
    _check_lengths({name for _, _, attributes in edges for name in attributes}, weight)
    found = [(number[a], number[b], attributes.get(weight)) for a, b, attributes in edges]
    _refuse_without(weight, [length for _, _, length in found])
    return _edges(len(nodes), *_columns(found), streets, _names(nodes), True)


def _of_igraph(graph: Any, directed: Any, weight: str) -> Edges:
    streets = _streets(graph.is_directed(), directed)
    if streets != "both" and not graph.is_directed():
        raise ValueError(f"directed={directed!r}, but the graph is not; give graph.as_directed(), or leave it out")
    _check_lengths(set(graph.es.attributes()), weight)
    lengths = graph.es[weight] if weight in graph.es.attributes() else [1] * graph.ecount()
    _refuse_without(weight, lengths)
    found = [(a, b, length) for (a, b), length in zip(graph.get_edgelist(), lengths)]
    named = "name" in graph.vs.attributes()
    names = _names(graph.vs["name"]) if named else np.arange(graph.vcount())
    return _edges(graph.vcount(), *_columns(found), streets, names, named)


def _refuse_without(weight: str, lengths: list[Any]) -> None:
    """Raises if an edge has no length, though the name of lengths was given."""
    if weight != "weight" and None in lengths:
        raise ValueError(f"edge {lengths.index(None)} has no {weight!r}; give each edge one, or leave the edge out")


def _check_lengths(attributes: set[Any], weight: str) -> None:
    """Raises if no edge has the attribute that was asked for. Warns if edges have a length under
    another name than ``weight``, as those of OSMnx do: each would have length 1."""
    if weight != "weight":
        if attributes and weight not in attributes:
            known = ", ".join(sorted(map(str, attributes)))
            raise ValueError(f"weight={weight!r}: edges have no such attribute; they have {known}")
        return
    others = [name for name in _OTHER_LENGTHS if name in attributes]
    if others and "weight" not in attributes:
        warnings.warn(
            f"edges have a {others[0]!r}, but no 'weight', so each is 1 long; if that is their length, give "
            f"metric_params={{'weight': {others[0]!r}}}",
            UserWarning,
            stacklevel=7,
        )


def _columns(found: list[tuple[int, int, Any]]) -> tuple[Any, Any, Any]:
    tails, heads, lengths = zip(*found) if found else ((), (), ())
    return tails, heads, [1 if length is None else length for length in lengths]


def _names(nodes: list[Any]) -> np.ndarray:
    """The names of nodes as an array of one dimension, even if they are tuples, as in a lattice."""
    names = np.empty(len(nodes), dtype=object)
    names[:] = nodes
    kinds = {type(node) for node in nodes}
    return np.array(nodes) if kinds in ({int}, {str}) else names


def _edges(
    nodes: int, tails: Any, heads: Any, lengths: Any, streets: str, names: np.ndarray, named: bool
) -> Edges:
    try:
        if not isinstance(lengths, np.ndarray) and holds(lengths, (*TIMES, *TEXT)):
            raise TypeError("it is text or a time")
        with np.errstate(over="ignore"):
            long = np.ascontiguousarray(lengths, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise ValueError(f"the weight of an edge is no number: {error}; give the length of each edge") from error
    ends = np.array([tails, heads], dtype=np.uint32)
    # An edge from a node to itself is on no shortest path, so it is dropped.
    loops = ends[0] == ends[1]
    wrong = np.flatnonzero(~loops & ~((long > 0) & np.isfinite(long)))
    if len(wrong):
        a, b = names[ends[:, wrong[0]]].tolist()
        raise ValueError(
            f"the edge {a!r} - {b!r} is {lengths[wrong[0]]} long; give a positive, finite length (as a 32-bit float): make "
            "one node of two in the same place, and leave out an edge that leads nowhere"
        )
    tails, heads = np.ascontiguousarray(ends[:, ~loops])
    return Edges(nodes, tails, heads, long[~loops], streets, names, named)
