"""How X is read under each kind of metric, and how far its items are from centers."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any, Callable, Sequence

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from . import _core, _objects, _scipy
from ._checks import threads_of
from ._given import Given, Metric, Space
from ._gower import Gower
from ._graph import Edges, edges_of, is_flag, is_graph, largest_component, positions_in, positions_of
from ._measured import NOISE, measured
from ._objects import Sets, Texts, are_objects
from ._sites import labels_of
from ._snap import check_latitude_first
from ._sparse import Sparse
from ._tables import as_array, column_names, of_rows, refuse_gaps, refuse_no_table, refuse_others, warn_of_lost_digits

# Up to this size, all whole numbers are 32-bit floats.
_WHOLE = 2**24
# A column is far from zero if its largest absolute value is at least this many times its range, as
# in the command.
_FAR = 4.0
# The largest latitude and longitude in radians.
_RADIANS = (np.pi / 2, np.pi)
# The parameters of metrics that have some, beside functions and SciPy's.
_PARAMETERS = {"graph": ("weight", "largest_component"), "gower": ("categories",)}
# The metrics of sparse rows.
_OF_SPARSE = ("l1", "manhattan", "cityblock", "l2", "euclidean", "sqeuclidean", "angular", "root-cosine", "cosine")

def space_of(metric: Metric, params: Any = None) -> Space:
    """The space that a metric stands for, with its parameters; raises if it is neither a name nor a
    function, or does not have these parameters."""
    given = _parameters(metric, params)
    if callable(metric):
        return _Function(partial(metric, **given) if given else metric)
    if metric in _scipy.NAMES:
        return _scipy.Measured(metric, given, _table)
    if metric == "graph":
        return _Graph(**given)
    if metric == "gower":
        return Gower(**given)
    if metric in ("levenshtein", "edit"):
        return Texts()
    if metric == "jaccard":
        return Sets()
    if metric == "precomputed":
        return _Matrix()
    _refuse_unknown(metric)
    return _Vectors(metric)


def _refuse_unknown(metric: str) -> None:
    """Raises if no metric of rows of numbers has this name."""
    try:
        _core.is_translation_invariant(metric)
    except ValueError:
        own = [word for word, _ in dict(_core.choices())["metric"]]
        known = ", ".join([*own, "graph", *_scipy.NAMES])
        such = f", such as scipy.spatial.distance.{metric}" if _scipy.has_function(metric) else ""
        raise ValueError(
            f"there is no metric {metric!r}; choose one of {known}, or give a function of two items{such}"
        ) from None


def _parameters(metric: Any, params: Any) -> dict[str, Any]:
    """The parameters of a metric, checked: whether it has parameters of these names."""
    if not (callable(metric) or isinstance(metric, str)):
        raise ValueError(
            f"metric={metric!r} is neither a name nor a function of two items; take metric='l2', for example"
        )
    given = {} if params is None else params
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise TypeError(f"metric_params={params!r} is no dict; give parameters by their names, such as {{'p': 3}}")
    known = _PARAMETERS.get(metric, ()) if isinstance(metric, str) else None
    unknown = [] if known is None or metric in _scipy.NAMES else [name for name in given if name not in known]
    if unknown:
        has = f"has only {', '.join(known)}" if known else "has no parameters"
        raise ValueError(f"metric_params: metric={metric!r} has no parameter {unknown[0]!r}; it {has}")
    return dict(given)


def takes_sparse(metric: Any) -> bool:
    """Whether X may be a sparse matrix under a metric: of rows, or of the edges of a graph."""
    return isinstance(metric, str) and metric in (*_OF_SPARSE, "jaccard", "graph")


def refuse_square(metric: Any) -> None:
    """Raises if a metric is the square of one, for what needs metrics, as private releases do."""
    roots = {"cosine": "root-cosine", "sqeuclidean": "l2"}
    if isinstance(metric, str) and metric in roots:
        raise ValueError(
            f"metric={metric!r} is the square of a metric; a private release needs a metric: take {roots[metric]!r} with "
            "objective='means', which finds the same centers"
        )


def reader(directed: Any = None) -> Any:
    """What X is read for if no estimator is fitted; ``directed`` is for graphs."""
    bare = BaseEstimator()
    bare.directed = directed
    return bare


def is_metric(metric: Any, name: str) -> bool:
    """Whether a metric has this name. It may be a value of any kind: ``space_of`` raises if it is
    no metric."""
    return isinstance(metric, str) and metric == name


class _Vectors:
    """Rows of numbers."""

    def __init__(self, metric: str) -> None:
        self.metric = metric

    def read(self, estimator: Any, X: Any, sites: Any = None) -> Given:
        if self._is_sparse(X):
            return Sparse(self.metric).read(estimator, X, sites)
        rows = _table(estimator, X, True)
        if self.metric == "haversine":
            check_latitude_first(column_names(X), "X")
            _warn_of_radians(rows)
        if sites is None:
            return Given("vectors", (*self._ready(rows), self.metric), len(rows), rows, False, labels_of(X))
        places = _places(estimator, sites)
        both = np.concatenate(self._ready(rows, places))
        return Given("vectors", (both, self.metric), len(rows), places, True, labels_of(sites))

    def nearest(self, estimator: Any, X: Any) -> tuple[np.ndarray, np.ndarray]:
        if self._is_sparse(X, estimator.cluster_centers_):
            return Sparse(self.metric).nearest(estimator, X)
        rows, centers = self._ready(_table(estimator, X, False), estimator.cluster_centers_)
        return _core.nearest(rows, centers, self.metric, threads_of(estimator.n_jobs))

    def distances(self, estimator: Any, X: Any) -> np.ndarray:
        if self._is_sparse(X, estimator.cluster_centers_):
            return Sparse(self.metric).distances(estimator, X)
        table = _table(estimator, X, False)
        rows, centers = self._ready(table, estimator.cluster_centers_)
        found = _core.distances_between(rows, centers, self.metric, threads_of(estimator.n_jobs))
        return found.astype(_kind(table), copy=False)

    def _is_sparse(self, *tables: Any) -> bool:
        """Whether rows are sparse and stay so."""
        return self.metric in _OF_SPARSE and any(map(scipy.sparse.issparse, tables))

    def _ready(self, *tables: np.ndarray) -> list[np.ndarray]:
        """Tables as the core takes them. Hamming only compares values, so those that 32-bit floats
        cannot tell apart are replaced by small numbers."""
        if self.metric == "hamming" and not all(map(_is_exact, tables)):
            return _encoded(tables)
        invariant = _core.is_translation_invariant(self.metric)
        return list(map(_narrow, _centered(tables) if invariant else tables))


class _Matrix:
    """A square matrix of distances, or one with a row for each client and a column for each site."""

    def read(self, estimator: Any, X: Any, sites: Any = None) -> Given:
        values = _bare(estimator, X) if _is_bare(X) else self._table(estimator, X, True)
        if sites is not None or values.shape[0] != values.shape[1]:
            return self._rectangle(values, sites)
        # The core checks every entry, so that is not done here.
        with np.errstate(over="ignore"):
            narrow = np.ascontiguousarray(values, dtype=np.float32)
        if narrow is not values and not narrow.any() and values.any():
            raise ValueError("the distances are too small for dtype('float32'), the core's numbers; rescale them")
        if narrow.diagonal().any():
            narrow = _without_noise(narrow, narrow.dtype == values.dtype)
        return Given("matrix", (narrow,), len(values), np.arange(len(values)), False, labels_of(X))

    def _rectangle(self, values: np.ndarray, sites: Any) -> Given:
        """A matrix of clients and sites; ``sites`` are what its columns are called, if given."""
        clients, columns = values.shape
        names = np.arange(columns) if sites is None else np.asarray(sites)
        if names.shape != (columns,):
            raise ValueError(
                f"with metric='precomputed', sites are what the columns of X are called: give {columns} names, or leave "
                "them out"
            )
        with np.errstate(over="ignore"):
            narrow = np.ascontiguousarray(values, dtype=np.float32)
        if not narrow.any() and values.any():
            raise ValueError("the distances are too small for dtype('float32'), the core's numbers; rescale them")
        return Given("rectangle", (narrow,), clients, names, True, None if sites is None else names)

    def nearest(self, estimator: Any, X: Any) -> tuple[np.ndarray, np.ndarray]:
        columns = self.distances(estimator, X)
        labels = columns.argmin(axis=1)
        return labels.astype(np.int32), columns[np.arange(len(columns)), labels]

    def distances(self, estimator: Any, X: Any) -> np.ndarray:
        values = self._table(estimator, X, False)
        found: np.ndarray = values[:, estimator.medoid_indices_].astype(_kind(values))
        # Rounding may make the distance of an item to itself a little less than zero.
        wrong = np.argwhere(found < -NOISE * values.max())
        if len(wrong):
            row, slot = wrong[0]
            raise ValueError(
                f"row {row}, column {estimator.medoid_indices_[slot]} of X is {found[row, slot]}: distances are not "
                "negative; give np.maximum(X, 0) if rounding made it so"
            )
        return found.clip(min=0)

    def _table(self, estimator: Any, X: Any, reset: bool) -> np.ndarray:
        if scipy.sparse.issparse(X):
            raise TypeError(
                "X is sparse, but metric='precomputed' needs every distance; if entries are lengths of edges take "
                "metric='graph', if they are all distances give X.toarray()"
            )
        if getattr(X, "ndim", 2) == 1:
            raise ValueError(
                "X has one dimension, but metric='precomputed' takes a square matrix. Reshape your data: of what scipy's "
                "pdist gives, scipy.spatial.distance.squareform(X) makes one"
            )
        if getattr(X, "ndim", 2) > 2:
            raise ValueError(
                f"X has {X.ndim} dimensions, but metric='precomputed' takes a square matrix; give all distances in one"
            )
        return _table(estimator, X, reset)


class _Graph:
    """The nodes of a graph, under the length of the shortest path. ``weight`` is the attribute of
    edges that is their length, and ``largest_component`` whether the nodes of all but the largest
    component are left out."""

    def __init__(self, weight: str = "weight", largest_component: bool = False) -> None:
        if not isinstance(weight, str):
            raise TypeError(f"metric_params: weight={weight!r} is no name of an attribute of edges, such as 'length'")
        if not is_flag(largest_component):
            raise TypeError(f"metric_params: largest_component={largest_component!r} is neither True nor False")
        self.weight = weight
        self.largest_component = bool(largest_component)

    def read(self, estimator: Any, X: Any, sites: Any = None) -> Given:
        if sites is not None:
            raise ValueError("on a graph, sites are some of its nodes; give them as candidates")
        graph = self._edges(estimator, X)
        if graph.nodes == 0:
            raise ValueError("the graph has no nodes; centers are nodes, so give a graph with some")
        estimator.node_names_in_ = graph.names
        estimator._graph = graph
        names = graph.names if graph.named else None
        return Given("graph", graph[:6], graph.nodes, graph.names, False, names)

    def nearest(self, estimator: Any, X: Any) -> tuple[np.ndarray, np.ndarray]:
        items, centers, nodes = self._again(estimator, X)
        labels, distances = _core.assign(items, centers, threads_of(estimator.n_jobs))
        return labels[nodes], distances[nodes]

    def distances(self, estimator: Any, X: Any) -> np.ndarray:
        items, centers, nodes = self._again(estimator, X)
        found: np.ndarray = _core.distances(items, centers, threads_of(estimator.n_jobs))[nodes]
        return found

    def _edges(self, estimator: Any, X: Any) -> Edges:
        graph = edges_of(X, getattr(estimator, "directed", None), self.weight)
        return largest_component(graph) if self.largest_component else graph

    def _again(self, estimator: Any, X: Any) -> tuple[_core.Items, list[int], Any]:
        """A graph of the fitted nodes, the positions of the centers among its nodes, and those of
        the nodes that are asked for. If X is no graph, it names nodes of the fitted one."""
        if not is_graph(X):
            graph: Edges = estimator._graph
            nodes = positions_of(graph, X)
            return _core.Items.graph(*graph[:6]), estimator.medoid_indices_.tolist(), nodes
        graph = self._edges(estimator, X)
        positions = positions_in(graph, estimator.node_names_in_)
        return _core.Items.graph(*graph[:6]), positions[estimator.medoid_indices_].tolist(), slice(None)


class _Function:
    """Rows of numbers or other objects, and a function that measures two of them."""

    def __init__(self, metric: Callable[[Any, Any], float]) -> None:
        self.metric = metric

    def read(self, estimator: Any, X: Any, sites: Any = None) -> Given:
        if are_objects(X):
            return _objects.Function(self.metric).read(estimator, X, sites)
        rows = _table(estimator, X, True)
        if sites is None:
            return Given("function", (list(rows), self.metric), len(rows), rows, False, labels_of(X))
        places = _places(estimator, sites)
        return Given("function", ([*rows, *places], self.metric), len(rows), places, True, labels_of(sites))

    def nearest(self, estimator: Any, X: Any) -> tuple[np.ndarray, np.ndarray]:
        columns = self.distances(estimator, X)
        labels = columns.argmin(axis=1)
        return labels.astype(np.int32), columns[np.arange(len(columns)), labels]

    def distances(self, estimator: Any, X: Any) -> np.ndarray:
        centers, medoids = estimator.cluster_centers_, estimator.medoid_indices_
        if centers.ndim == 1:
            return measured(self.metric, _objects.listed(X, "objects"), centers, medoids)
        rows = _table(estimator, X, False)
        found = measured(self.metric, rows, centers, medoids)
        return found.astype(_kind(rows), copy=False)


def _places(estimator: Any, sites: Any) -> np.ndarray:
    """The sites, as rows of the same columns as X."""
    try:
        return _table(estimator, sites, False)
    except ValueError as error:
        raise ValueError(f"sites: {error}") from error


def _is_bare(X: Any) -> bool:
    """Whether X is a plain square array of floats, which needs no conversion and has no column
    names."""
    fits = type(X) is np.ndarray and X.ndim == 2 and X.dtype in (np.float32, np.float64)
    return fits and 0 < X.shape[0] == X.shape[1]


def _bare(estimator: Any, X: np.ndarray) -> np.ndarray:
    """Does what scikit-learn's validation would do for a plain array; that takes longer than a
    small fit."""
    estimator.n_features_in_ = X.shape[1]
    if hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
    return X


def _without_noise(matrix: np.ndarray, shared: bool) -> np.ndarray:
    """The matrix with zeros on its diagonal, if only rounding has changed them, as in ``1 -
    np.corrcoef(X)``. Otherwise the matrix as it is, for which the core raises. A matrix that is
    ``shared`` with the caller is copied first."""
    if not np.abs(matrix.diagonal()).max() <= NOISE * matrix.max():
        return matrix
    matrix = matrix.copy() if shared else matrix
    np.fill_diagonal(matrix, 0)
    return matrix


def _table(estimator: Any, X: Any, reset: bool) -> np.ndarray:
    """X as an array of numbers, without a copy if it is one; raises if it cannot be one."""
    X = as_array(X)
    # scikit-learn itself raises for sparse matrices.
    if not scipy.sparse.issparse(X):
        if is_graph(X):
            raise TypeError(f"X is a graph ({type(X).__name__}); take metric='graph', or give rows of numbers")
        refuse_no_table(X)
        refuse_gaps(X)
        X = of_rows(X) if isinstance(X, (list, tuple)) else X
        refuse_others(X)
    table: np.ndarray = validate_data(estimator, X, reset=reset, dtype="numeric", order=None)
    return table


def _narrow(rows: np.ndarray) -> np.ndarray:
    """The rows in the core's layout: 32-bit floats in C order. An array that is so already is not
    copied."""
    with np.errstate(over="ignore"):
        narrow = np.ascontiguousarray(rows, dtype=np.float32)
    if narrow is not rows and not np.isfinite(narrow).all():
        raise ValueError("X has values that are too large for dtype('float32'), the core's numbers; rescale it")
    if narrow is not rows and not narrow.any() and rows.any():
        raise ValueError("the values of X are too small for dtype('float32'), the core's numbers; rescale it")
    if narrow is not rows and rows.dtype.kind in "iuf" and len(rows) > 1:
        largest, spread = np.abs(rows).max(axis=0), np.ptp(rows, axis=0)
        warn_of_lost_digits(np.arange(rows.shape[1]), largest, spread, stacklevel=5)
    return narrow


def _centered(tables: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
    """The tables, with the middle subtracted from each column that is far from zero and does not
    fit into 32-bit floats, such as times. Otherwise the seven digits of a float would be spent on
    what all values have in common."""
    if all(table.dtype == np.float32 for table in tables):
        return tables
    with np.errstate(over="ignore", invalid="ignore"):
        exact = np.all([(table.astype(np.float32) == table).all(axis=0) for table in tables], axis=0)
        low = np.min([table.min(axis=0) for table in tables], axis=0).astype(np.float64)
        high = np.max([table.max(axis=0) for table in tables], axis=0).astype(np.float64)
        far = np.maximum(np.abs(low), np.abs(high)) >= _FAR * (high - low)
        offsets = np.where(~exact & (low < high) & far, low + (high - low) / 2, 0.0)
    return [table - offsets for table in tables] if offsets.any() else tables


def _is_exact(rows: np.ndarray) -> bool:
    """Whether all values fit into 32-bit floats without rounding."""
    if rows.dtype.kind in "iu":
        return bool(rows.min() >= -_WHOLE and rows.max() <= _WHOLE)
    with np.errstate(over="ignore"):
        return rows.dtype == np.float32 or bool((rows.astype(np.float32) == rows).all())


def _encoded(tables: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The tables with small whole numbers in place of the values of each column, equal for equal
    values."""
    together = np.concatenate(tables)
    codes = np.empty(together.shape, dtype=np.float32)
    for column in range(together.shape[1]):
        codes[:, column] = np.unique(together[:, column], return_inverse=True)[1]
    return np.split(codes, np.cumsum([len(table) for table in tables])[:-1])


def _warn_of_radians(rows: np.ndarray) -> None:
    """Warns if all places are within a few degrees of latitude and longitude 0: they may be
    radians, which scikit-learn's haversine takes."""
    if rows.shape[1] == 2 and rows.any() and (np.abs(rows) <= _RADIANS).all():
        warnings.warn(
            "all of X is within 1.58 degrees of the equator and 3.15 of Greenwich; if these are radians, as scikit-learn's "
            "haversine takes them, give np.degrees(X)",
            UserWarning,
            stacklevel=4,
        )


def _kind(rows: np.ndarray) -> Any:
    """The type of the distances: 32-bit floats for rows of these, or else 64-bit floats."""
    return np.float32 if rows.dtype == np.float32 else np.float64
