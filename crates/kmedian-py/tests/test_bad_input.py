"""Whatever is wrong is a Python exception that says what to do."""

from __future__ import annotations

from collections import Counter

import networkx
import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest
import scipy.sparse

from kmedian import KMedian, PrivateKMedian

SQUARE = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]])
ROWS = np.arange(12.0).reshape(6, 2)
DAYS = pd.date_range("2026-01-01", periods=6)


def changed(matrix, place, value):
    matrix = np.array(matrix, dtype=float)
    matrix[place] = value
    return matrix


def ways(edges):
    return networkx.Graph(edges)


FITS = {
    "NaN": (dict(), changed(ROWS, (1, 0), np.nan), "contains NaN"),
    "infinite": (dict(), changed(ROWS, (1, 0), np.inf), "contains infinity"),
    "huge": (dict(), changed(ROWS, (1, 0), 1e300), "too large for dtype"),
    "too far apart": (dict(), changed(ROWS, (1, 0), 3e38).astype(np.float32), "rescale"),
    "too close together": (dict(), np.float32(1e-25) * np.float32(ROWS), "too small for 32-bit numbers; rescale"),
    "too small": (dict(), 1e-60 * np.array(ROWS), "too small for dtype.*; rescale"),
    "distances too small": (dict(metric="precomputed"), 1e-60 * SQUARE, "too small for dtype.*; rescale"),
    "one dimension": (dict(), ROWS[0], "Reshape your data"),
    "no rows": (dict(), np.empty((0, 2)), "0 sample"),
    "text": (dict(), [["a", "b"]], "metric='levenshtein'"),
    "text in objects": (dict(), np.array([["1", "2"]] * 6, dtype=object), "X holds text.*to_numeric"),
    "a column of text": (dict(), pd.DataFrame({"far": [1.0, 2], "who": ["a", "b"]}), "'who' of X holds text.*OneHotEncoder"),
    "categories": (dict(), pd.DataFrame({"who": pd.Categorical(["a", "b"])}), "'who' of X holds text"),
    "text of polars": (dict(), polars.DataFrame({"who": ["1", "2"]}), "'who' of X holds text"),
    "bytes of polars": (dict(), polars.DataFrame({"who": [b"1", b"2"]}), "'who' of X holds text"),
    "bytes of Arrow": (dict(), pyarrow.table({"who": [b"1", b"2"]}), "'who' of X holds text"),
    "text of Arrow": (dict(), pyarrow.table([["a", "b"], [1, 2]], names=["who", "who"]), "'who' of X holds text"),
    "lists of polars": (dict(), polars.DataFrame({"at": [[0, 1], [2, 3]]}), "'at' of X: cells of List.* have parts"),
    "lists of Arrow": (dict(), pyarrow.table({"at": [[0, 1], [2, 3]]}), "'at' of X: cells of list.* have parts"),
    "columns": (dict(), {"a": [1, 2], "b": [3, 4]}, r"X is a dict; .* pandas\.DataFrame\(X\)"),
    "a set": (dict(), {1, 2, 3}, "X is a set; give an array, a table, or a list of rows"),
    "nothing": (dict(), None, "X is a NoneType; give an array, a table, or a list of rows"),
    "images": (dict(), np.zeros((6, 4, 4)), r"X has 3 dimensions; give a row for each item, X\.reshape\(len\(X\), -1\)"),
    "no columns": (dict(), pd.DataFrame(index=range(3)), "X has no columns; give at least one"),
    "rows of other lengths": (dict(), [[1, 2], [3]], "the rows of X have different lengths; give the same"),
    "arrays of other lengths": (dict(), [np.ones(2), np.ones(3)], "the rows of X have different lengths; give the same"),
    "rows of dicts": (dict(), [{"a": 1}, {"a": 2}], r"the rows of X are dicts; .*pandas\.DataFrame\(X\)"),
    "a gap in a list": (dict(), [[1, None], [2, 3]], "contains NaN"),
    "lists of pandas": (dict(), pd.DataFrame({"at": [[0, 1], [2, 3]]}), r"'at' of X: cells of object have parts.*np\.vstack"),
    "graph without its metric": (dict(), networkx.path_graph(3), "X is a graph .*; take metric='graph'"),
    "intervals": (dict(), pd.DataFrame({"age": pd.interval_range(0, 6)}), "'age' of X holds Interval.*columns of numbers"),
    "objects": (dict(), np.array([[1], [2j]], dtype=object), "X holds complex .*columns of numbers"),
    "several matrices": (dict(metric="precomputed"), np.zeros((2, 6, 6)), "3 dimensions.* takes a square matrix"),
    "condensed": (dict(metric="precomputed"), np.ones(6), r"squareform\(X\)"),
    "similarities": (dict(metric="precomputed"), np.exp(-SQUARE), "of similarities take the largest minus each"),
    "sparse": (dict(metric="linf"), scipy.sparse.csr_array(ROWS), "Sparse data was passed"),
    "more centers than items": (dict(n_clusters=7), ROWS, "ask for at most 6"),
    "no centers": (dict(n_clusters=0), ROWS, "at least 1"),
    "a second of centers": (dict(n_clusters=np.timedelta64(2, "s")), ROWS, "whole number"),
    "a float of centers": (dict(n_clusters=3.0), ROWS, "n_clusters=3.0 is no whole number; give one such as 3"),
    "half a center": (dict(n_clusters=1.5), ROWS, "whole number"),
    "metric": (dict(metric="l3"), ROWS, "choose one of l2, l1"),
    "metric of no kind": (dict(metric=3), ROWS, "neither a name nor a function"),
    "an array as metric": (dict(metric=np.array(["l1", "l2"])), ROWS, "metric=.* is neither a name nor a function"),
    "columns as metric": (dict(metric=["a", "b"]), ROWS, "metric=.* is neither a name nor a function"),
    "sparse distances": (dict(metric="precomputed"), scipy.sparse.csr_array(SQUARE), "metric='graph'.*toarray"),
    "init": (dict(init="best"), ROWS, "choose one of auto, hst, greedy"),
    "init of nothing": (dict(init=None), ROWS, "init=None .* one of auto, hst, greedy.* or give positions"),
    "init of a number": (dict(init=3), ROWS, "init=3 .* one of auto, hst, greedy.* or give positions"),
    "init of rows": (dict(init=[[0, 1, 2]]), ROWS, "init has the shape .1, 3., but X has 2 features.*or positions"),
    "init of fractions": (dict(init=[0.5, 1]), ROWS, "init=0.5 is no whole number"),
    "huge init": (dict(init=[1, 2**70]), ROWS, f"init={2**70} is too large; it must be at most 5"),
    "centers by name": (dict(init=["a", "b"]), ROWS, "init holds names; give positions of items"),
    "centers given twice": (dict(init=[1, 1]), ROWS, "item 1 is given twice as a center; give positions that differ"),
    "init of a mask": (dict(init=[True] + [False] * 5), ROWS, r"np\.flatnonzero\(mask\)"),
    "centers that are not there": (dict(init=[1, 9]), ROWS, "init=9 is too large; it must be at most 5"),
    "swap": (dict(swap="lazy"), ROWS, "choose one of eager, best"),
    "no swap": (dict(swap=None), ROWS, "swap=None is not known; choose one of eager, best"),
    "no effort": (dict(effort=None), ROWS, "effort=None is not known; choose one of auto, certified"),
    "effort of no kind": (dict(effort=np.array(["fast", "fast"])), ROWS, "effort=array.* is not known"),
    "effort": (dict(effort="none"), ROWS, "choose one of auto, certified"),
    "effort of the best": (dict(swap="best", effort="fast"), ROWS, "certified"),
    "max_swaps": (dict(max_swaps=-1), ROWS, "at least 0"),
    "huge max_swaps": (dict(max_swaps=2**70), ROWS, f"max_swaps={2**70} is too large; it must be at most"),
    "time_limit": (dict(time_limit=-1), ROWS, "0 or more"),
    "time_limit of text": (dict(time_limit="5"), ROWS, "time_limit='5' is no number; give seconds"),
    "time_limit of NumPy": (dict(time_limit=np.timedelta64(5, "s")), ROWS, "time_limit=.* is no number; give seconds"),
    "time_limit of no kind": (dict(time_limit=True), ROWS, "time_limit=True is no number"),
    "n_restarts": (dict(n_restarts=-1), ROWS, "at least 0"),
    "huge n_restarts": (dict(n_restarts=2**70), ROWS, f"n_restarts={2**70} is too large; it must be at most"),
    "no number of restarts": (dict(n_restarts="few"), ROWS, "n_restarts='few' is no whole number"),
    "verbose": (dict(verbose="much"), ROWS, "verbose='much' is no whole number"),
    "callback": (dict(callback=3), ROWS, "callback=3 cannot be called; give a function"),
    "n_jobs": (dict(n_jobs=0), ROWS, "-1 takes all cores"),
    "n_jobs, many": (dict(n_jobs=100_000), ROWS, "n_jobs=100000 .* at most 4096"),
    "n_jobs, huge": (dict(n_jobs=2**70), ROWS, "n_jobs=.* at most 4096"),
    "random_state": (dict(random_state=-1), ROWS, "random_state=-1 .* at least 0"),
    "huge random_state": (dict(random_state=2**64), ROWS, f"random_state={2**64} .* at most {2**64 - 1}"),
    "random_state of no kind": (dict(random_state="x"), ROWS, "random_state='x' is no seed; give a whole number"),
    "dates": (dict(), pd.DataFrame({"when": DAYS}), "the column 'when' of X holds times"),
    "dates and numbers": (dict(), pd.DataFrame({"far": 1.0, "when": DAYS}), "the column 'when' of X holds times"),
    "durations": (dict(), pd.DataFrame({"long": DAYS - DAYS[0]}), "the column 'long' of X holds times"),
    "durations in objects": (dict(), np.array([[np.timedelta64(1, "s")]] * 6, dtype=object), "X holds times"),
    "durations in a list": (dict(), [[np.timedelta64(1, "s")]] * 6, "X holds times"),
    "a column of objects": (dict(), pd.DataFrame({"day": DAYS.date, "far": 1.0}), "the column 'day' of X holds times"),
    "masked": (dict(), np.ma.masked_less(ROWS, 3), r"X has masked values; fill them, X\.filled\(value\)"),
    "a file": (dict(), "rows.csv", "X='rows.csv' is the name of a file; give what is in it"),
    "dates of NumPy": (dict(), np.asarray(DAYS)[:, None], "X holds times"),
    "dates of polars": (dict(), polars.DataFrame({"when": DAYS.to_list(), "far": [1.0] * 6}), "'when' of X holds times"),
    "dates of Arrow": (dict(), pyarrow.table({"when": pyarrow.array(DAYS.to_list())}), "'when' of X holds times"),
    "zero vector": (dict(metric="angular"), changed(ROWS, (0, slice(None)), 0), "drop it or take a metric that needs none"),
    "three columns": (dict(metric="haversine"), np.ones((4, 3)), "two columns"),
    "latitude": (dict(metric="haversine"), ROWS * 100, "latitude first"),
    "not square, and negative": (dict(metric="precomputed", n_clusters=1), -ROWS, "row 0, column 1 of the matrix is -1"),
    "asymmetric": (dict(metric="precomputed"), changed(SQUARE, (0, 1), 5), r"\(D \+ D.T\) / 2"),
    "diagonal": (dict(metric="precomputed"), changed(SQUARE, (1, 1), 1), r"itself must be zero; .* np\.fill_diagonal\(D, 0\)"),
    "negative": (dict(metric="precomputed"), -SQUARE, "not negative; give zero where .* of similarities the largest minus"),
    "NaN in a matrix": (dict(metric="precomputed"), changed(SQUARE, (0, 1), np.nan), "row 0, column 1 .* must be finite"),
    "infinity in a matrix": (dict(metric="precomputed"), changed(SQUARE, (0, 2), np.inf), "finite; fill the gap with a large"),
    "huge in a matrix": (dict(metric="precomputed"), changed(SQUARE, (0, 1), 1e300), "must be finite"),
    "no matrix": (dict(metric="precomputed"), np.empty((0, 0)), "0 sample"),
    "function, one way": (dict(metric=lambda a, b: float(a[0] * 2 + b[0])), ROWS, "a metric is symmetric|itself"),
    "function, negative": (dict(metric=lambda a, b: -1.0), ROWS, "must be a number from 0"),
    "function, NaN": (dict(metric=lambda a, b: float("nan")), ROWS, "must be a number from 0"),
    "graph": (dict(metric="graph"), ROWS, "takes a scipy sparse matrix"),
    "one-way, and no way back": (dict(metric="graph"), networkx.DiGraph([("a", "b"), ("b", "c")]), "'b' does not reach .* 'a'"),
    "one-way street": (
        dict(metric="graph", directed=False), scipy.sparse.csr_array(np.array([[0, 1], [2, 0]])), "give directed=True, or else one length",
    ),  # fmt: skip
    "endless": (dict(metric="graph"), scipy.sparse.csr_array(np.array([[0, np.nan], [np.nan, 0]])), "0 - 1 is nan long"),
    "complex": (dict(metric="graph"), scipy.sparse.csr_array(np.array([[0, 1j], [1j, 0]])), "complex numbers"),
    "function, text": (dict(metric=lambda a, b: "1"), ROWS, "no number|str"),
    "in pieces": (dict(metric="graph"), ways([("a", "b"), ("b", "c"), ("d", "e")]), "largest_component.*'a' and 'd' are not"),
    "length zero": (
        dict(metric="graph"), ways([("a", "b", {"weight": 0}), ("b", "c")]), "'a' - 'b' is 0 long; .* make one node of two",
    ),
    "length below zero": (dict(metric="graph"), scipy.sparse.csr_array([[0, -1], [0, 0]]), "0 - 1 is -1.0 long; give a pos"),
    "length of digits": (dict(metric="graph"), ways([(0, 1, {"weight": "3"})]), "the weight of an edge is no number: it is"),
    "length of time": (
        dict(metric="graph"), ways([(0, 1, {"weight": np.timedelta64(3, "s")})]), "the weight of an edge is no number: it is",
    ),
    "huge length": (dict(metric="graph"), ways([(0, 1, {"weight": 1e300})]), "is 1e.300 long; .* 32-bit float"),
    "length of text": (dict(metric="graph"), ways([(0, 1, {"weight": "far"})]), "the weight of an edge is no number"),
    "no nodes": (dict(metric="graph"), networkx.Graph(), "no nodes; .* give a graph with some"),
    "no nodes of scipy": (dict(metric="graph"), scipy.sparse.csr_array((0, 0)), "no nodes; .* give a graph with some"),
    "adjacency": (dict(metric="graph"), scipy.sparse.csr_array(np.ones((2, 3))), "square"),
}


@pytest.mark.parametrize("name", FITS)
def test_fit(name):
    options, X, told = FITS[name]
    options = {"n_clusters": 2, "random_state": 0, **options}
    with np.errstate(over="ignore"), pytest.raises((ValueError, TypeError), match=told):
        KMedian(**options).fit(X)


@pytest.mark.parametrize(
    "weights, told",
    [
        ([1, 2], "one weight an item"), ([-1] + [1] * 5, "not negative"), ([0] * 6, "give a positive one to"), ([np.nan] * 6, "finite"),
        (["1"] * 6, "sample_weight is not made of numbers"), (DAYS, "sample_weight is not made of numbers"),
        ([[1, 2], [3]], "sample_weight is not made of numbers"),
        (np.array([np.timedelta64(1, "s")] * 6, dtype=object), "sample_weight is not made of numbers"),
        (np.ma.masked_less(np.arange(6.0), 1), r"sample_weight has masked values; fill them, sample_weight\.filled"),
    ],  # fmt: skip
)
def test_weights(weights, told):
    with pytest.raises(ValueError, match=told):
        KMedian(2, random_state=0).fit(ROWS, sample_weight=weights)
    if "positive" not in told:
        with pytest.raises(ValueError, match=told):
            KMedian(2, random_state=0).fit(ROWS).score(ROWS, sample_weight=weights)


def test_a_function_that_raises():
    def broken(a, b):
        raise ZeroDivisionError("on purpose")

    with pytest.raises(ZeroDivisionError, match="on purpose"):
        KMedian(2, metric=broken).fit(ROWS)
    with pytest.raises(TypeError, match="takes two rows and returns their distance"):
        KMedian(2, metric=lambda a, b: "far").fit(ROWS)


def test_a_callback_that_raises_or_says_no(points):
    def broken(step, numbers):
        raise KeyError(step)

    with pytest.raises(KeyError):
        KMedian(3, callback=broken).fit(points)
    slow = lambda a, b: float(np.abs(a - b).sum())  # noqa: E731
    ended = KMedian(20, metric=slow, init="random", random_state=0, callback=lambda step, numbers: step != "judged")
    assert ended.fit(points).stop_ in ("cancelled", "local-optimum")


def test_several_numbers_of_centers():
    with pytest.raises(TypeError, match=r"ks=3 is not several.*range\(1, 21\)"):
        KMedian(2).cost_curve(ROWS, 3)
    for ks, told in [([2, 2**70], "ask for at most 6"), ([], "ks is empty; give some"), ([0], "k=0 is too small")]:
        with pytest.raises(ValueError, match=told):
            KMedian(2).cost_curve(ROWS, ks)


def test_a_callback_that_says_no_before_there_are_centers():
    X = np.random.default_rng(0).random((200_000, 16), dtype=np.float32)
    with pytest.raises(RuntimeError, match='before there were any centers.*"started"'):
        KMedian(3, metric="l1", n_jobs=1, callback=lambda step, numbers: False).fit(X)


def test_other_rows_than_fitted(points):
    fitted = KMedian(3, random_state=0).fit(points)
    with pytest.raises(ValueError, match="expecting 3 features"):
        fitted.predict(points[:, :2])
    matrix = KMedian(3, metric="precomputed", random_state=0).fit(SQUARE)
    with pytest.raises(ValueError, match=r"row 1, column 2 of X is -1.0: .* np\.maximum\(X, 0\)"):
        matrix.predict(changed(SQUARE, (1, 2), -1))
    graph = KMedian(2, metric="graph", random_state=0).fit(networkx.path_graph(5))
    with pytest.raises(ValueError, match="give the same nodes"):
        graph.predict(networkx.path_graph(6))


PRIVATE = {
    "no epsilon": (dict(epsilon=None), dict(demand=[0]), "epsilon=1"),
    "epsilon zero": (dict(epsilon=0), dict(demand=[0]), "positive decimal number"),
    "epsilon negative": (dict(epsilon=-1), dict(demand=[0]), "positive decimal number"),
    "epsilon NaN": (dict(epsilon=float("nan")), dict(demand=[0]), "positive decimal number"),
    "epsilon infinite": (dict(epsilon=float("inf")), dict(demand=[0]), "positive decimal number"),
    "epsilon huge": (dict(epsilon=1000), dict(demand=[0]), "at most 100"),
    "epsilon text": (dict(epsilon="much"), dict(demand=[0]), "positive decimal number"),
    "epsilon true": (dict(epsilon=True), dict(demand=[0]), "epsilon=True is no number"),
    "epsilon of bytes": (dict(epsilon=b"1"), dict(demand=[0]), "epsilon=b'1' is no number"),
    "epsilon of many digits": (dict(epsilon="1e999999999"), dict(demand=[0]), "epsilon='1e999999999' is not possible"),
    "no demand": (dict(), dict(), "either as records"),
    "demand twice": (dict(), dict(demand=[0], counts=[1] * 6), "either as records"),
    "a path": (dict(), dict(demand="visits.csv"), "pandas.read_parquet"),
    "a tally": (dict(), dict(demand=Counter([3, 5, 5])), "^the demand is a dict, but its values are no columns"),
    "a tally of words": (dict(), dict(demand={3: "often"}), "^the demand is a dict, but its values are no columns"),
    "a number": (dict(), dict(demand=3), "give a list of keys or a table"),
    "two dimensions": (dict(), dict(demand=ROWS.copy()), "2 dimensions; give one key a record"),
    "counts": (dict(), dict(counts=[1, 2]), "count every item"),
    "counts of text": (dict(), dict(counts=np.array(["a"] * 6)), "not numbers"),
    "two columns of a name": (
        dict(), dict(demand=pd.DataFrame([[0, 1]], columns=["stop", "stop"]), key="stop"), "2 columns called 'stop'",
    ),
    "two of Arrow": (
        dict(), dict(demand=pyarrow.table([[0], [1]], names=["stop", "stop"]), key="stop"), "2 columns called 'stop'",
    ),
    "several keys": (dict(), dict(demand={"stop": [0]}, key=np.array(["stop", "stop"])), "no column array"),
    "a column that is none": (dict(), dict(demand={"stop": 3}), "its values are no columns"),
    "a column of text": (dict(), dict(demand={"stop": "abc"}), "its values are no columns"),
    "columns of other lengths": (
        dict(max_per_unit=1), dict(demand={"stop": [0, 1], "who": [1]}, key="stop", unit="who"), "whose each record is",
    ),
    "a column of lists": (dict(), dict(demand=polars.DataFrame({"stop": [[0]]})), "the column 'stop': cells of list"),
    "a column of structs": (
        dict(), dict(demand=pyarrow.table({"stop": [{"a": 0}]})), "cells of struct.* have parts; give a table",
    ),
    "rows with a key": (dict(), dict(demand=[{"stop": 0}], key="stop"), r"pandas\.DataFrame\(records\)"),
    "rows, where it is asked for": (
        dict(), dict(demand=[(0, 1)], check_demand_not_private=True), r"kind tuple.*pandas\.DataFrame\(records\)",
    ),
    "a mask": (dict(), dict(demand=np.array([True] * 6)), r"type bool, but without ids .*np\.flatnonzero"),
    "a column of dates": (dict(), dict(demand=pd.DataFrame({"when": DAYS})), "type datetime.*, but without ids"),
    "flags of Arrow": (dict(), dict(demand=pyarrow.table({"here": [True]})), "type bool, but without ids"),
    "a set": (dict(), dict(demand={0, 1}), "the demand: a set has no order, or each cell once; give a list"),
    "no columns": (dict(), dict(demand=pd.DataFrame()), "a table without columns"),
    "sparse counts": (dict(), dict(counts=scipy.sparse.csr_array(np.ones((1, 6)))), "counts are a csr_array; give a list"),
    "ids of a set": (dict(), dict(demand=["a"], ids=set("abcdef")), "ids: a set has no order.* one id an item"),
    "ids of a dict": (dict(), dict(demand=["a"], ids=dict.fromkeys("abcdef")), "ids: a dict has no order.* one id an item"),
    "ids of a table": (dict(), dict(demand=["a"], ids=pd.DataFrame({"id": list("abcdef")})), "ids: there are 2 dimensions; give one id an item"),
    "units of a set": (dict(max_per_unit=1), dict(demand=[0, 1], unit={1, 2}), "unit: a set has no order.*one unit a record"),
    "a check of no kind": (dict(), dict(demand=[0], check_demand_not_private="no"), "check_demand_not_private='no'"),
    "ids of text": (dict(), dict(demand=["a"], ids="abcdef"), "ids names a column, but the universe is no table"),
    "ids of no kind": (dict(), dict(demand=["a"], ids=3), "ids: int is no list"),
    "ids": (dict(), dict(demand=["a"], ids=["a", "b"]), "one for each"),
    "ids twice": (dict(), dict(demand=["a"], ids=["a"] * 6), "an id of its own"),
    "an id that is none": (dict(), dict(demand=["a"], ids=["a", "b", None, "d", "e", "f"]), "the item 2.*has no id"),
    "counts by unit": (dict(max_per_unit=1), dict(counts=[1] * 6, unit=[1] * 6), "key and unit are for records"),
    "unknown key column": (dict(), dict(demand={"stop": [0]}, key="place"), "no column 'place'"),
    "no key column": (dict(), dict(demand={"stop": [0], "hour": [1]}), "which column names the item"),
    "unknown unit column": (dict(max_per_unit=1), dict(demand={"stop": [0]}, key="stop", unit="who"), "no column 'who'"),
    "unit of other length": (dict(max_per_unit=1), dict(demand=[0, 1], unit=[1]), "whose each record is"),
    "unit without a bound": (dict(), dict(demand=[0], unit=[1]), "max_per_unit"),
    "bound without a unit": (dict(max_per_unit=2), dict(demand=[0]), "max_per_unit"),
    "unknown unit number": (dict(max_per_unit=1), dict(demand={"stop": [0]}, key="stop", unit=3), "no column 3"),
    "unit of a list by number": (dict(max_per_unit=1), dict(demand=[0], unit=3), "the demand is a list"),
    "huge bound": (dict(max_per_unit=2**40), dict(demand=[0], unit=[1]), f"max_per_unit={2**40} .* at most {2**32 - 1}"),
    "huge demand": (dict(demand_size=2**64), dict(demand=[0]), f"demand_size={2**64} .* at most {2**64 - 1}"),
    "huge noise seed": (
        dict(noise_seed_for_experiments=2**64), dict(demand=[0]), "noise_seed_for_experiments=.* at most",
    ),
    "dataset": (dict(ledger="ledger.db", dataset=3), dict(demand=[0]), "dataset=3 is no text"),
    "ledger": (dict(ledger=3, dataset="visits"), dict(demand=[0]), "ledger=3 is neither a Ledger nor"),
    "bound of zero": (dict(max_per_unit=0), dict(demand=[0], unit=[1]), "at least 1"),
    "key of a list": (dict(), dict(demand=[0], key="stop"), "the demand is a list"),
    "split": (dict(split="half"), dict(demand=[0]), "split='half' is not known; choose one of auto"),
    "no split": (dict(split=None), dict(demand=[0]), "split=None is not known; choose one of auto"),
    "method": (dict(method="paper"), dict(demand=[0]), "choose one of refined"),
    "objective": (dict(objective="mode"), dict(demand=[0]), "choose one of median"),
    "function": (dict(metric=lambda a, b: 0.0), dict(demand=[0]), "metric='precomputed'"),
    "more centers than items": (dict(n_clusters=9), dict(demand=[0]), "ask for at most 6"),
    "ledger without dataset": (dict(ledger="ledger.db"), dict(demand=[0]), "belong together"),
    "empty, where it is asked for": (dict(), dict(demand=[], check_demand_not_private=True), "there is no demand"),
    "unknown keys, where it is asked for": (
        dict(), dict(demand=[0, 9], check_demand_not_private=True), "1 of 2 records name no item",
    ),
}


@pytest.mark.parametrize("name", PRIVATE)
def test_private(name):
    options, demand, told = PRIVATE[name]
    with pytest.raises((ValueError, TypeError), match=told):
        PrivateKMedian(**{"n_clusters": 2, "epsilon": 1, **options}).fit(ROWS, **demand)


def test_a_release_is_asked_for_what_it_has():
    release = PrivateKMedian(2, epsilon=1).fit(ROWS, [0]).release_
    for wrong, told in [(dict(objective=None), "objective=None .* median"), (dict(method=["exact"]), "method=.* refined")]:
        with pytest.raises(ValueError, match=told):
            release.centers(2, **wrong)
    for k, told in [([2], "is no whole number"), (0, "^k=0 is too small; it must be at least 1"), (7, "k=7.*at most 6")]:
        with pytest.raises(ValueError, match=told):
            release.centers(k)
