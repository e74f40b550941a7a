"""Named dissimilarities, sparse rows, texts, sets, mixed tables and functions over objects, against plain references."""

import itertools
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.metrics import pairwise_distances

from kmedian import KMeansMedoids, KMedian

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
    for given in (texts, np.array(texts), pd.Series(texts), pd.DataFrame({"name": texts})):
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
        scipy.sparse.csr_array(member.astype(np.float64) * 3),
    ):
        check(given, distances, "jaccard")


def test_two_empty_sets_are_no_distance_apart():
    found = KMedian(2, metric="jaccard").fit([set(), {"a"}, set(), {"a", "b"}])
    assert found.labels_[0] == found.labels_[2] and found.inertia_ == 0.5
    assert found.transform([set()]).min() == 0


def test_bad_sets():
    for given, error, match in (
        (np.array([[0.5, 1.0]]), ValueError, "row 0, column 0 of X is 0.5"),
        (["a;b", "c"], TypeError, "which is no set"),
        ([{1}, 7], TypeError, "item 1 of X is 7"),
        ([{1}, [[2]]], TypeError, "cannot be looked up"),
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
    ],
)
def test_other_metrics_of_scipy(metric, params):
    X = np.abs(rows(5, n=12))
    given = {"V": np.var(X, axis=0, ddof=1)} if metric == "seuclidean" and params is None else params or {}
    if metric == "mahalanobis":
        given = {"VI": np.linalg.pinv(np.cov(X.T))}
    check(X, cdist(X, X, metric, **given), metric, params=params)
    assert KMedian(3, metric=metric, metric_params=params, random_state=0).fit(X).predict(X[:2]).shape == (2,)


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
