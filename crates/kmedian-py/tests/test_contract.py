"""scikit-learn's own suite for estimators."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

import kmedian
from kmedian import KMeansMedoids, KMedian, PrivateKMedian, _core


def not_for_matrices(estimator):
    """Checks that an estimator of distances cannot pass, and why."""
    if estimator.metric != "precomputed":
        return {}
    return {
        "check_clustering": "it gives rows, whatever the tags say",
        "check_positive_only_tag_during_fit": "it wants scikit-learn's words for negative values; ours name the place",
    }


def not_for_demand(estimator):
    """Checks that an estimator of private demand cannot pass, and why."""
    return {
        "check_fit_score_takes_y": "what comes after the items is the demand, and is called so",
        "check_transformer_general": "it gives the demand as y, and compares two fits, which differ by their noise",
        "check_fit_idempotent": "it compares two fits, which differ by their noise",
        "check_transformer_data_not_an_array": "an object that only says how to make an array of it could run code of its own",
    }


@parametrize_with_checks([PrivateKMedian(n_clusters=2, epsilon=1)], expected_failed_checks=not_for_demand)
def test_scikit_learn_on_the_private_one(estimator, check):
    check(estimator)


@parametrize_with_checks(
    [KMedian(n_clusters=3), KMeansMedoids(n_clusters=3), KMedian(n_clusters=3, metric="precomputed")],
    expected_failed_checks=not_for_matrices,
)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", [KMedian, KMeansMedoids])
def test_in_a_pipeline(kind, points):
    pipeline = make_pipeline(StandardScaler(), kind(4, random_state=1))
    labels = pipeline.fit_predict(points)
    assert np.array_equal(labels, pipeline.predict(points))
    assert pipeline.transform(points).shape == (len(points), 4)
    assert pipeline.score(points) < 0


def test_in_a_grid_search(points):
    search = GridSearchCV(KMedian(random_state=1), {"n_clusters": [1, 5]}, cv=3).fit(points)
    assert search.best_params_ == {"n_clusters": 5}
    # Rows and columns of a matrix of distances are split alike, which scikit-learn does by the tags.
    matrix = pairwise_distances(points)
    search = GridSearchCV(KMedian(random_state=1, metric="precomputed"), {"n_clusters": [1, 5]}, cv=3).fit(matrix)
    assert search.best_params_ == {"n_clusters": 5}


@pytest.mark.parametrize("kind", [KMedian, KMeansMedoids, PrivateKMedian])
def test_tags(kind):
    tags = {metric: get_tags(kind(metric=metric)).input_tags for metric in ("l2", "precomputed", "graph")}
    for metric, of_metric in tags.items():
        assert of_metric.pairwise == of_metric.positive_only == (metric == "precomputed")
        assert of_metric.sparse == (metric in ("l2", "graph"))


def test_the_version_is_that_of_the_package():
    from importlib.metadata import version

    assert kmedian.__version__ == version("kmedian")


def test_the_core_exports_the_same_in_every_build():
    assert "_panic_on_purpose" not in _core.__all__


def test_clone_and_pickle(points):
    fitted = KMedian(4, metric="l1", random_state=3).fit(points)
    assert clone(fitted).get_params() == fitted.get_params()
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.predict(points), fitted.labels_)
    assert again.stop_ == "local-optimum"


def test_names_of_columns(points):
    table = pd.DataFrame(points, columns=["a", "b", "c"])
    fitted = KMedian(4, random_state=0).set_output(transform="pandas").fit(table)
    assert list(fitted.feature_names_in_) == ["a", "b", "c"]
    assert list(fitted.transform(table).columns) == ["kmedian0", "kmedian1", "kmedian2", "kmedian3"]


def test_the_private_one_can_be_cloned():
    estimator = PrivateKMedian(3, epsilon=0.5, max_per_unit=2)
    assert clone(estimator).get_params() == estimator.get_params()
