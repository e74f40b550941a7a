"""Named dissimilarities, sparse rows, texts, sets, mixed tables and functions over objects, against plain references."""

import itertools
import pickle
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest
import scipy.sparse
from scipy.spatial.distance import cdist, jensenshannon
from sklearn.base import clone
from sklearn.metrics import pairwise_distances

from kmedian import KMeansMedoids, KMedian
from kmedian._spaces import space_of

OPTIONS = {"effort": "optimal", "random_state": 0}


def best(distances, k, weights=None, power=1):
    """The least cost of any k of the items, by trying all."""
    weights = np.ones(len(distances)) if weights is None else weights
    costs = (
        (distances[:, list(chosen)].min(axis=1) ** power * weights).sum()
        for chosen in itertools.combinations(range(len(distances)), k)
    )
    return min(costs)


def check(X, distances, metric, k=3, params=None, squares=True, new=None):
    """Fits, and compares cost, labels, predictions and distances with a matrix of all dissimilarities."""
    rng = np.random.default_rng(len(distances))
    weights = rng.integers(0, 4, len(distances)) * 0.5
    weights[0] = 1.0
    for estimator, power in ((KMedian, 1), (KMeansMedoids, 2)):
        model = estimator(k, metric=metric, metric_params=params, **OPTIONS)
        if power == 2 and not squares:
            with pytest.raises(ValueError, match="is a square already"):
                model.fit(X)
            continue
        model.fit(X, sample_weight=weights)
        assert model.inertia_ == pytest.approx(best(distances, k, weights, power), rel=1e-4, abs=1e-5)
        assert model.lower_bound_ <= model.inertia_ * (1 + 1e-6)
        columns = distances[:, model.medoid_indices_]
        assert model.transform(X) == pytest.approx(columns, rel=1e-4, abs=1e-4)
        nearest = columns[np.arange(len(columns)), model.labels_]
        assert nearest == pytest.approx(columns.min(axis=1), abs=1e-4)
        predicted = model.predict(X)
        assert columns[np.arange(len(columns)), predicted] == pytest.approx(columns.min(axis=1), abs=1e-4)
        assert -model.score(X, sample_weight=weights) == pytest.approx(model.inertia_, rel=1e-4, abs=1e-5)
        again = pickle.loads(pickle.dumps(model))
        assert (again.predict(X) == predicted).all()
        assert (clone(model).fit_predict(X, sample_weight=weights) == model.labels_).all()
        overall = model.service_.overall
        assert overall.mean == pytest.approx(np.average(nearest, weights=weights), rel=1e-3, abs=1e-5)


def rows(seed, n=9, d=7):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.5)
    X[np.arange(n), rng.integers(0, d, n)] = 1.0
    return X


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("metric", ["cosine", "sqeuclidean", "l1", "l2"])
def test_rows_dense_and_sparse(metric, seed):
    X = rows(seed)
    name = {"l1": "cityblock", "l2": "euclidean"}.get(metric, metric)
    distances = cdist(X, X, name)
    squares = metric not in ("cosine", "sqeuclidean")
    for given in (X, scipy.sparse.csr_array(X), scipy.sparse.csr_matrix(X.astype(np.float32)), scipy.sparse.coo_array(X)):
        check(given, distances, metric, squares=squares)


@pytest.mark.parametrize("seed", range(4))
def test_angles(seed):
    X = rows(seed)
    cosine = 1 - cdist(X, X, "cosine")
    for given in (X, scipy.sparse.csc_array(X)):
        check(given, np.arccos(cosine.clip(-1, 1)) / np.pi, "angular")
        check(given, np.sqrt((1 - cosine).clip(0)), "root-cosine")


def test_sparse_and_dense_may_be_mixed_in_prediction():
    X = rows(1)
    sparse = KMedian(3, metric="cosine", random_state=0).fit(scipy.sparse.csr_array(X))
    dense = KMedian(3, metric="cosine", random_state=0).fit(X)
    assert scipy.sparse.issparse(sparse.cluster_centers_)
    assert (sparse.predict(X) == sparse.predict(scipy.sparse.csr_array(X))).all()
    assert dense.transform(scipy.sparse.csr_array(X)) == pytest.approx(dense.transform(X), abs=1e-6)


def test_bad_sparse_rows():
    X = scipy.sparse.csr_array(rows(1))
    with pytest.raises((TypeError, ValueError), match="(?i)sparse"):
        KMedian(2, metric="linf").fit(X)
    negative = X.copy()
    negative.indices[0] = -1
    with pytest.raises(ValueError, match="row 0 of X has the negative column -1"):
        KMedian(2).fit(negative)
    gap = X.copy()
    gap.data[0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        KMedian(2).fit(gap)
    with pytest.raises(ValueError, match="features"):
        KMedian(2).fit(X).predict(X[:, :3])
    zero = scipy.sparse.csr_array((3, 4))
    with pytest.raises(ValueError, match="item 0 is all zeros"):
        KMedian(2, metric="cosine").fit(zero)
    assert KMedian(1, metric="l1").fit(zero).inertia_ == 0
    twice = scipy.sparse.csr_array((np.ones(3), np.array([1, 1, 2]), np.array([0, 2, 3])), shape=(2, 4))
    once = scipy.sparse.csr_array(np.array([[0, 2.0, 0, 0], [0, 0, 1, 0]]))
    one = [KMedian(1).fit(given).inertia_ for given in (twice, once)]
    assert one[0] == one[1] and not twice.has_canonical_format


def test_rows_of_zeros_are_counted_from_the_first_that_is_given():
    X = scipy.sparse.csr_array(np.eye(3) + 1)
    zero = scipy.sparse.csr_array(np.array([[1.0, 2, 3], [0, 0, 0]]))
    model = KMedian(3, metric="cosine").fit(X)
    for ask in (model.predict, model.transform, model.score):
        with pytest.raises(ValueError, match="^row 1 of X is all zeros, which has no direction; drop it"):
            ask(zero)
    with pytest.raises(ValueError, match="^sites: row 1 of X is all zeros"):
        KMedian(1, metric="cosine").fit(X, sites=zero)
    assert KMedian(3, metric="l2").fit(X).predict(zero).shape == (2,)


def test_digits_that_sparse_rows_would_lose_are_told():
    far = 1_700_000_000 + np.arange(3)[:, None]
    for X, column in ((far, 0), (far.astype(float), 0), (np.hstack([np.eye(3), far]), 3)):
        with pytest.warns(UserWarning, match=f"column {column} varies by 2 round 1.7e.09.*seven digits") as told:
            KMedian(1, metric="l1").fit(scipy.sparse.csr_array(X))
        assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        somewhere_zero = np.vstack([far, [[0]]])
        KMedian(1, metric="l1").fit(scipy.sparse.csr_array(somewhere_zero))
        KMedian(1, metric="jaccard").fit(scipy.sparse.csr_array(far))
        KMedian(1, metric="l1").fit(scipy.sparse.csr_array(rows(1)))


def edits(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        corner, row[0] = row[0], i + 1
        for j, y in enumerate(b):
            corner, row[j + 1] = row[j + 1], min(corner + (x != y), row[j] + 1, row[j + 1] + 1)
    return row[-1]


@pytest.mark.parametrize("seed", range(8))
def test_texts(seed):
    rng = np.random.default_rng(seed)
    texts = ["".join(rng.choice(list("abé字"), rng.integers(0, 6))) for _ in range(9)]
    distances = np.array([[edits(a, b) for b in texts] for a in texts], dtype=float)
    for given in (
        *(texts, np.array(texts), pd.Series(texts), pd.DataFrame({"name": texts})),
        *(polars.Series(texts), polars.DataFrame({"name": texts})),
        *(pyarrow.array(texts), pyarrow.chunked_array([texts[:4], texts[4:]]), pyarrow.table({"name": texts})),
    ):
        check(given, distances, "levenshtein")
    by_function = KMedian(3, metric=edits, **OPTIONS).fit(texts)
    assert by_function.inertia_ == best(distances, 3)


def test_bad_texts():
    for given, error, match in (
        (["a", None], TypeError, "item 1 of X is None, which is no text"),
        (["a", b"b"], TypeError, "no text"),
        ([1, 2], TypeError, "no text"),
        (["\ud800", "a"], ValueError, "UTF-8"),
        ("text", TypeError, "give a list of texts"),
        ([], ValueError, "0 items"),
        (pd.DataFrame({"a": ["x"], "b": ["y"]}), ValueError, "2 columns"),
        (polars.DataFrame({"a": ["x"], "b": ["y"]}), ValueError, "2 columns; give the one that holds texts"),
        (pyarrow.table({"a": ["x"], "b": ["y"]}), ValueError, "2 columns; give the one that holds texts"),
        (pyarrow.array(["x", None]), TypeError, "item 1 of X is None"),
        ({"a": ["x"]}, TypeError, "X is a dict; give a list of texts"),
        ({"x", "y"}, TypeError, "X is a set; give a list of texts"),
    ):
        with pytest.raises(error, match=match):
            KMedian(1, metric="levenshtein").fit(given)


def jaccard(a, b):
    return 1 - len(a & b) / len(a | b) if a | b else 0.0


@pytest.mark.parametrize("seed", range(8))
def test_sets(seed):
    rng = np.random.default_rng(seed)
    member = rng.random((9, 8)) < 0.35
    sets = [frozenset(np.flatnonzero(row)) for row in member]
    distances = np.array([[jaccard(a, b) for b in sets] for a in sets])
    lists = [[f"tag {at}" for at in items] * 2 for items in sets]
    for given in (
        sets,
        pd.Series(lists),
        lists if len(set(map(len, lists))) > 1 else sets,
        member,
        member.astype(float),
        member.astype(int).tolist(),
        pd.DataFrame(member),
        polars.DataFrame(member),
        polars.DataFrame(member.astype(float)),
        pyarrow.table({str(at): member[:, at] for at in range(8)}),
        pd.DataFrame({"tags": lists}),
        pd.DataFrame({"tags": lists}).to_numpy(),
        polars.DataFrame({"tags": lists}),
        pyarrow.table({"tags": lists}),
        pyarrow.chunked_array([lists[:4], lists[4:]]),
        pd.Series(member.astype(int).tolist()),
        scipy.sparse.csr_array(member.astype(np.float64) * 3),
    ):
        check(given, distances, "jaccard")


def test_two_empty_sets_are_no_distance_apart():
    found = KMedian(2, metric="jaccard").fit([set(), {"a"}, set(), {"a", "b"}])
    assert found.labels_[0] == found.labels_[2] and found.inertia_ == 0.5
    assert found.transform([set()]).min() == 0


def test_empty_lists_are_empty_sets():
    for given in ([[], []], pd.Series([[], []]), [set(), set()]):
        found = KMedian(1, metric="jaccard").fit(given)
        assert found.inertia_ == 0 and found.labels_.tolist() == [0, 0] and found.cluster_centers_[0] == frozenset()


@pytest.mark.parametrize("form", [np.array, pd.DataFrame, polars.DataFrame, list])
def test_centers_of_dense_rows_are_dense(form):
    X = np.array([[0, 1, 1], [0, 1, 0], [1, 0, 0], [1, 0, 1]])
    found = KMedian(2, metric="jaccard", random_state=0).fit(form(X))
    assert isinstance(found.cluster_centers_, np.ndarray)
    assert np.array_equal(found.cluster_centers_, X[found.medoid_indices_])
    assert np.array_equal(found.predict(form(X)), found.labels_)
    begun = KMedian(metric="jaccard", init=X[[0, 2]], max_swaps=0).fit(form(X))
    assert begun.medoid_indices_.tolist() == [0, 2]


def test_rows_and_sets_are_not_mixed():
    rows_fitted = KMedian(1, metric="jaccard").fit(np.eye(3))
    sets_fitted = KMedian(1, metric="jaccard").fit([{1}, {2}])
    for model, new, match in (
        (rows_fitted, [{1}], r"item 0 of X is \{1\}, but rows of 0 and 1 were fitted"),
        (rows_fitted, [[0, 1, 0], [0, 1, 2]], "item 1 of X is .*, but rows of 0 and 1 were fitted"),
        (sets_fitted, np.eye(3), "X has 3 columns; give the one that holds sets"),
        (sets_fitted, scipy.sparse.csr_array(np.eye(3)), "X is a csr_array; give a list of sets"),
    ):
        with pytest.raises((TypeError, ValueError), match=match):
            model.predict(new)


def test_bad_sets():
    for given, error, match in (
        (np.array([[0.5, 1.0]]), ValueError, "row 0, column 0 of X is 0.5"),
        (["a;b", "c"], TypeError, "which is no set"),
        ([{1}, 7], TypeError, "item 1 of X is 7"),
        ([{1}, [[2]]], TypeError, "cannot be looked up"),
        ({"a": [0, 1]}, TypeError, r"X is a dict; .*pandas\.DataFrame\(X\)"),
        (polars.DataFrame({"a": [0, 1], "b": [0, 2]}), ValueError, "row 1, column 1 of X is 2"),
        (pd.DataFrame({"a": [[1], [2]], "b": [0, 1]}), ValueError, r"row 0, column 0 of X is \[1\], but sets are rows"),
        (pd.DataFrame({"a": ["x", "y"]}), ValueError, "row 0, column 0 of X is x, but sets are rows"),
    ):
        with pytest.raises(error, match=match):
            KMedian(1, metric="jaccard").fit(given)


def gower(table, categorical):
    n = len(table)
    total = np.zeros((n, n))
    for name in table:
        values = table[name].to_numpy()
        if name in categorical:
            total += values[:, None] != values[None, :]
        elif np.ptp(values):
            total += np.abs(values[:, None] - values[None, :]) / np.ptp(values)
    return total / table.shape[1]


def people(seed, n=9):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "height": rng.normal(170, 10, n).astype(np.float32).astype(float),
            "same": np.full(n, 3.5),
            "smokes": rng.random(n) < 0.5,
            "town": rng.choice(["A", "B", "C"], n),
            "zip": rng.integers(1, 4, n),
        }
    )


@pytest.mark.parametrize("seed", range(8))
def test_mixed_tables(seed):
    table = people(seed)
    check(table, gower(table, ("smokes", "town")), "gower")
    codes = gower(table, ("smokes", "town", "zip"))
    check(table, codes, "gower", params={"categories": ["zip"]})
    check(table.astype({"town": "category"}), codes, "gower", params={"categories": ["zip"]})
    check(table.to_numpy(dtype=object), gower(table, ("smokes", "town")), "gower")


def test_new_rows_of_mixed_tables():
    table = people(3, 30)
    model = KMedian(4, metric="gower", random_state=0).fit(table)
    assert isinstance(model.cluster_centers_, pd.DataFrame)
    new = people(4, 5)
    ranges = {name: np.ptp(table[name]) for name in ("age", "height", "zip")}
    centers = model.cluster_centers_
    expected = sum(np.abs(new[name].to_numpy()[:, None] - centers[name].to_numpy()) / ranges[name] for name in ranges)
    expected = expected + sum(new[name].to_numpy()[:, None] != centers[name].to_numpy() for name in ("smokes", "town"))
    assert model.transform(new) == pytest.approx(expected / 6, abs=1e-6)
    new.loc[0, "town"] = "somewhere else"
    assert model.transform(new).shape == (5, 4)
    with pytest.raises(ValueError, match="5 features"):
        model.predict(new.drop(columns="age"))


def to_centers(model, cells):
    """Which cells of the column "z" are equal to the category of which center."""
    return (model.transform(pd.DataFrame({"z": cells})) == 0).tolist()


def test_equal_numbers_are_one_category():
    model = KMedian(2, metric="gower", metric_params={"categories": ["z"]}).fit(pd.DataFrame({"z": [1, 2, 1]}))
    found = to_centers(model, [1, 2])
    assert sorted(found) == [[False, True], [True, False]]
    for cells in ([1.0, 2.0], np.array([1, 2], dtype=np.uint8), [Decimal(1), Decimal("2.0")], [Fraction(1), np.float32(2)]):
        assert to_centers(model, cells) == found
    for cells in (["1", "2"], [True, True], [1.5, 3.0]):
        assert to_centers(model, cells) == [[False, False]] * 2
    mixed = KMedian(3, metric="gower").fit(pd.DataFrame({"z": [1, "1", True]}, dtype=object))
    assert mixed.inertia_ == 0 and len(set(mixed.labels_)) == 3


def test_times_are_the_same_categories_in_any_unit():
    days = pd.to_datetime(["2020-01-01", "2021-01-01", "2020-01-01"])
    params = {"categories": ["z"]}
    model = KMedian(2, metric="gower", metric_params=params).fit(pd.DataFrame({"z": days.astype("datetime64[ns]")}))
    for unit in ("s", "us", "ns"):
        assert np.array_equal(model.predict(pd.DataFrame({"z": days.astype(f"datetime64[{unit}]")})), model.labels_)
    assert np.array_equal(model.predict(polars.DataFrame({"z": days.to_list()})), model.labels_)


def test_numbers_stay_numbers():
    model = KMedian(1, metric="gower").fit(pd.DataFrame({"z": [1, 2, 4]}))
    for cells, cell in ((["1", "2"], "'1'"), (np.array(["1"]), "'1'"), ([True], "True")):
        with pytest.raises(ValueError, match=f"row 0, column 'z' of X is {cell}, but the column held numbers"):
            model.predict(pd.DataFrame({"z": cells}))
    as_floats = KMedian(1, metric="gower").fit(pd.DataFrame({"z": [0.5, 2.0, 9.0]})).inertia_
    decimals = [Decimal("0.5"), Decimal(2), Decimal(9)]
    for table in (pd.DataFrame({"z": decimals}), pyarrow.table({"z": decimals}), polars.DataFrame({"z": decimals})):
        assert KMedian(1, metric="gower").fit(table).inertia_ == as_floats


@pytest.mark.parametrize("far", [2**60, -(2**60), 2**63, 2**70])
def test_large_whole_numbers_are_told_apart(far):
    """What all have in common is subtracted as whole numbers."""
    z = [far, far + 1, far + 4]
    model = KMedian(1, metric="gower").fit(pd.DataFrame({"z": z}))
    assert model.inertia_ == 1 and model.medoid_indices_ == [1]
    assert model.transform(pd.DataFrame({"z": [far - 1, far + 5]})).tolist() == [[0.5], [1.0]]
    apart = KMedian(1, metric="gower").fit(pd.DataFrame({"z": z}), sites=pd.DataFrame({"z": [far + 2, far - 4]}))
    assert apart.inertia_ == 0.625 and apart.medoid_indices_ == [0]


def test_floats_far_from_zero_are_told_apart():
    z = np.array([0.0, 0.125, 0.375])
    expected = KMedian(1, metric="gower").fit(z[:, None]).inertia_
    assert KMedian(1, metric="gower").fit(1e15 + z[:, None]).inertia_ == pytest.approx(expected)
    assert KMedian(1, metric="gower").fit([[-1e308], [0.0], [1e308]]).inertia_ == 1


def test_structured_arrays_are_mixed_tables():
    X = np.array([(1, "a"), (2, "a"), (9, "b")], dtype=[("n", int), ("t", "U3")])
    found = KMedian(2, metric="gower", random_state=0).fit(X)
    same = KMedian(2, metric="gower", random_state=0).fit(pd.DataFrame(X))
    assert found.inertia_ == same.inertia_ and np.array_equal(found.predict(X), same.labels_)


BAD_TABLES = {
    "lists": (pd.DataFrame({"a": [[1], [2]]}), None, r"row 0, column 'a' of X has parts \(list\)"),
    "lists of polars": (polars.DataFrame({"a": [[1], [2]]}), None, "row 0, column 'a' of X has parts"),
    "structs of polars": (polars.DataFrame({"a": [{"x": 1}, {"x": 2}]}), None, "column 'a' of X has cells with parts"),
    "lists as categories": (pd.DataFrame({"a": [[1], [2]]}), ["a"], "row 0, column 'a' of X has parts"),
    "complex": (pd.DataFrame({"a": [1j, 2j]}), None, "row 0, column 'a' of X is 1j, a complex number"),
    "complex objects": (pd.DataFrame({"a": [1, 2j]}, dtype=object), None, "row 1, column 'a' of X is 2j, a complex"),
    "no Decimal": (pd.DataFrame({"a": [1, Decimal("nan")]}), None, "row 1, column 'a' of X is missing"),
    "infinite Decimal": (pd.DataFrame({"a": [1, Decimal("inf")]}), None, "row 1, column 'a' of X is Infinity; give a finite"),
    "infinite": (np.array([[1.0], [np.inf]]), None, "row 1, column 0 of X is inf; give a finite number"),
    "infinite category": (np.array([[1.0], [np.inf]]), [0], "row 1, column 0 of X is inf; give a finite number"),
    "masked": (np.ma.masked_less(np.eye(2), 1), None, "X has masked values"),
    "sparse": (scipy.sparse.csr_array(np.eye(2)), None, r"X is sparse, but metric='gower' .*give X\.toarray\(\)"),
    "categories of a number": (np.eye(2), 5, r"categories=5 is no list; give the names or positions of columns, such as \[0\]"),
    "categories of a name": (pd.DataFrame({"zip": [1, 2]}), "zip", r"categories='zip' is no list; .* such as \['zip'\]"),
    "categories of a mask": (np.eye(2), [True, False], "there is no column True"),
}


@pytest.mark.parametrize("name", BAD_TABLES)
def test_bad_mixed_tables(name):
    table, categories, told = BAD_TABLES[name]
    with pytest.raises((TypeError, ValueError), match=told) as raised:
        KMedian(1, metric="gower", metric_params={"categories": categories}).fit(table)
    assert "\n" not in str(raised.value)


def test_gaps_in_mixed_tables():
    for name, gap in (("age", np.nan), ("town", None), ("town", np.nan)):
        table = people(1).astype({"age": float})
        table.loc[2, name] = gap
        with pytest.raises(ValueError, match=f"row 2, column '{name}' of X is missing"):
            KMedian(2, metric="gower").fit(table)
    with pytest.raises(ValueError, match="no column 'nowhere'"):
        KMedian(2, metric="gower", metric_params={"categories": ["nowhere"]}).fit(people(1))


def test_functions_over_objects():
    series = [np.arange(length, dtype=float) for length in (3, 4, 9, 10, 3)]
    found = KMedian(2, metric=lambda a, b: abs(len(a) - len(b)), **OPTIONS).fit(series)
    assert found.inertia_ == 2
    assert found.cluster_centers_.dtype == object and found.predict([np.zeros(8)])[0] == found.labels_[2]
    pairs = [("a", 1), ("b", 2), ("c", 9)]
    found = KMedian(2, metric=lambda a, b: abs(a[1] - b[1]), **OPTIONS).fit(pairs)
    assert found.inertia_ == 1 and found.cluster_centers_[0] in pairs
    scaled = KMedian(2, metric=lambda a, b, by: by * abs(a[1] - b[1]), metric_params={"by": 3}, **OPTIONS).fit(pairs)
    assert scaled.inertia_ == 3


def test_tuples_in_a_column_are_objects():
    """And rows of numbers in a list."""
    pairs = [(1, 2), (3, 4), (9, 9)]
    column = np.empty(3, dtype=object)
    column[:] = pairs
    for given in (column, pd.Series(pairs), polars.Series(pairs), pyarrow.array(pairs)):
        found = KMedian(2, metric=lambda a, b: abs(a[0] - b[0]), **OPTIONS).fit(given)
        assert found.inertia_ == 2 and found.cluster_centers_.ndim == 1
        assert tuple(found.cluster_centers_[0]) in pairs and isinstance(found.cluster_centers_[0], (tuple, list))
        assert np.array_equal(found.predict(given), found.labels_)
    assert KMedian(2, metric=lambda a, b: abs(a[0] - b[0]), **OPTIONS).fit(pairs).cluster_centers_.shape == (2, 2)


def dtw(a, b):
    """Dynamic time warping, which breaks the triangle inequality."""
    table = np.full((len(a) + 1, len(b) + 1), np.inf)
    table[0, 0] = 0
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1, j + 1] = abs(x - y) + min(table[i, j], table[i, j + 1], table[i + 1, j])
    return table[-1, -1]


@pytest.mark.parametrize("seed", range(4))
def test_functions_that_are_no_metrics(seed):
    rng = np.random.default_rng(seed)
    series = [np.round(rng.normal(size=rng.integers(1, 5)), 2) for _ in range(12)]
    distances = np.array([[dtw(a, b) for b in series] for a in series])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = KMedian(3, metric=dtw, **OPTIONS).fit(series)
    broken = (distances[:, :, None] > (distances[:, None, :] + distances[None, :, :]) * 1.001 + 1e-6).any()
    assert bool(told) == bool(broken)
    assert all("the function is not a metric" in str(warning.message) for warning in told)
    assert found.inertia_ == pytest.approx(best(distances, 3), rel=1e-5)
    assert (found.predict(series) == distances[:, found.medoid_indices_].argmin(axis=1)).all()


@pytest.mark.parametrize(
    ("metric", "params"),
    [
        ("minkowski", {"p": 3}),
        ("minkowski", {"p": 1.5, "w": np.arange(1.0, 8.0)}),
        ("seuclidean", None),
        ("seuclidean", {"V": np.arange(1.0, 8.0)}),
        ("canberra", None),
        ("braycurtis", None),
        ("correlation", None),
        ("mahalanobis", None),
        ("jensenshannon", None),
    ],
)
def test_other_metrics_of_scipy(metric, params):
    X = np.abs(rows(5, n=12))
    given = {"V": np.var(X, axis=0, ddof=1)} if metric == "seuclidean" and params is None else params or {}
    if metric == "mahalanobis":
        given = {"VI": np.linalg.pinv(np.cov(X.T))}
    check(X, cdist(X, X, metric, **given), metric, params=params)
    assert KMedian(3, metric=metric, metric_params=params, random_state=0).fit(X).predict(X[:2]).shape == (2,)


def test_proportional_rows_are_no_jensen_shannon_distance_apart():
    """SciPy takes the root of what rounding made negative."""
    X = np.array([[1.0, 2, 3]]) * np.arange(1, 60)[:, None] / 7
    assert np.isnan(cdist(X, X, "jensenshannon")).any()
    assert KMedian(1, metric="jensenshannon").fit(X).inertia_ == pytest.approx(0, abs=1e-6)
    for row in ([0.0, 0, 0], [-1.0, 2, 3]):
        with pytest.raises(ValueError, match="metric='jensenshannon' gave"):
            KMedian(1, metric="jensenshannon").fit(np.vstack([X, row]))


def test_the_base_of_jensen_shannon():
    X = np.random.default_rng(0).random((6, 3))
    found = KMedian(1, metric="jensenshannon", metric_params={"base": 2}).fit(X)
    assert found.transform(X)[:, 0] == pytest.approx([jensenshannon(row, found.cluster_centers_[0], 2) for row in X], abs=1e-6)


def test_metrics_that_are_not_there_are_told_what_is():
    for name in ("dice", "yule", "russellrao", "nonsense", "cdist"):
        with pytest.raises(ValueError, match=f"there is no metric '{name}'; choose one of l2, l1.*jensenshannon, or") as raised:
            KMedian(2, metric=name).fit(np.eye(3))
        told = str(raised.value)
        assert told.endswith(f"such as scipy.spatial.distance.{name}") == (name in ("dice", "yule", "russellrao"))
        named = told.split("choose one of ")[1].split(", or give")[0].split(", ")
        assert {"graph", "gower", "minkowski"} < set(named) and all(map(space_of, named))


def test_parameters_are_checked():
    X = rows(1)
    for metric, params, error, match in (
        ("l2", {"p": 3}, ValueError, "has no parameter 'p'; it has no parameters"),
        ("graph", {"length": 3}, ValueError, "it has only weight, largest_component"),
        ("minkowski", {"nonsense": 3}, ValueError, "no parameter 'nonsense' in metric_params; it has p, w$"),
        ("minkowski", {"p": -1}, ValueError, "p=-1 must be a positive number"),
        ("minkowski", {"p": "3"}, ValueError, "p='3' must be a positive number"),
        ("minkowski", {"w": [1.0]}, ValueError, "do not suit metric='minkowski': [^\\n]*$"),
        ("minkowski", 3, TypeError, "is no dict"),
        ("jensenshannon", {"base": 0.5}, ValueError, "base=0.5 of the logarithm must be a number above 1"),
        ("nonsense", None, ValueError, "there is no metric"),
        (3, None, ValueError, "neither a name nor a function"),
        ("braycurtis", None, ValueError, "gave nan for rows 0 and 0"),
    ):
        with pytest.raises(error, match=match):
            KMedian(2, metric=metric, metric_params=params).fit(X * (metric != "braycurtis"))


def test_squares_are_told_from_scikit_learn():
    X = rows(2, n=40)
    model = KMedian(4, metric="cosine", random_state=0).fit(X)
    distances = pairwise_distances(X, metric="cosine")[:, model.medoid_indices_]
    assert model.inertia_ == pytest.approx(distances.min(axis=1).sum(), rel=1e-5)
    same = KMeansMedoids(4, metric="root-cosine", random_state=0).fit(X)
    assert same.inertia_ == model.inertia_ and (same.labels_ == model.labels_).all()
