"""Private centers."""

from __future__ import annotations

import pickle
import warnings

import networkx
import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest
from scipy.spatial.distance import cdist

from conftest import made_up
from kmedian import BudgetExhausted, Ledger, NotPrivateWarning, PrivateKMedian, Release

N = 300
STOPS = made_up(6, N, 2)
NAMES = [f"stop {at}" for at in range(N)]
VISITS = np.random.default_rng(1).integers(0, N, size=2000)
PEOPLE = np.random.default_rng(2).integers(0, 100, size=2000)


def same_noise(demand=None, *, epsilon=1, max_per_unit=None, **more):
    """A release whose noise is the same in every call, so that demand can be compared by what comes of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotPrivateWarning)
        estimator = PrivateKMedian(
            3, epsilon=epsilon, max_per_unit=max_per_unit, random_state=0, noise_seed_for_experiments=1
        )
        return estimator.fit(STOPS, demand, **more).release_.to_json()


def table(**columns):
    return pd.DataFrame(columns)


NAMED = [NAMES[at] for at in VISITS]

FORMS = {
    "a list": dict(demand=VISITS.tolist()),
    "floats": dict(demand=VISITS.astype(float)),
    "text": dict(demand=VISITS.astype(str).astype(object)),
    "a series": dict(demand=pd.Series(VISITS)),
    "small whole numbers": dict(demand=VISITS.astype("u2")),
    "whole numbers without a sign": dict(demand=VISITS.astype("u4")),
    "large whole numbers": dict(demand={"stop": VISITS.astype("u8")}, key="stop"),
    "counts": dict(counts=np.bincount(VISITS, minlength=N)),
    "counts, floats": dict(counts=np.bincount(VISITS, minlength=N).astype(float)),
    "names": dict(demand=NAMED, ids=NAMES),
    "numbers as names": dict(demand=VISITS, ids=list(range(N))),
    "numbers as text": dict(demand=VISITS, ids=[str(at) for at in range(N)]),
    "pandas": dict(demand=table(stop=NAMED, hour=1), key="stop", ids=NAMES),
    "pandas, one column": dict(demand=table(stop=NAMED), ids=pd.Series(NAMES)),
    "polars": dict(demand=polars.DataFrame({"stop": NAMED, "hour": VISITS}), key="stop", ids=NAMES),
    "pyarrow": dict(demand=pyarrow.table({"stop": NAMED, "hour": VISITS}), key="stop", ids=NAMES),
    "a dict": dict(demand={"stop": VISITS}, key="stop"),
    "bytes": dict(demand=[str(at).encode() for at in VISITS]),
    "bytes of NumPy": dict(demand=np.array(NAMED, dtype=bytes), ids=NAMES),
    "bytes of Arrow": dict(demand=pyarrow.table({"stop": pyarrow.array(NAMED, pyarrow.binary())}), ids=NAMES),
    "a number as key": dict(demand=pd.DataFrame({7: NAMED, 8: 1}), key=7, ids=NAMES),
    "masked": dict(demand=np.ma.masked_array(np.append(VISITS, 5), mask=[False] * len(VISITS) + [True])),
    "counts, a list": dict(counts=np.bincount(VISITS, minlength=N).tolist()),
    "a structured array": dict(demand=np.array([(at,) for at in VISITS], dtype=[("stop", "i8")])),
    "with records that name nothing": dict(
        demand=np.concatenate([VISITS, [-1, N, 10**12]]).tolist() + [None, "x", "", float("nan"), object(), pd.NA, [1]]
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_demand_in_every_form_is_the_same(form):
    assert same_noise(**FORMS[form]) == same_noise(VISITS)


def test_units_in_every_form():
    people = [f"person {one}" for one in PEOPLE]
    expected = same_noise(VISITS, unit=people, max_per_unit=2)
    forms = [
        dict(demand=VISITS, unit=np.array(people)),
        dict(demand=VISITS, unit=[person.encode() for person in people]),
        dict(demand=table(stop=VISITS, who=people), key="stop", unit="who"),
        dict(demand=table(stop=VISITS, who=people), unit="who"),
        dict(demand=pd.DataFrame({7: VISITS, 8: people}), key=7, unit=8),
        dict(demand=pd.DataFrame({("a", "stop"): VISITS, ("a", "who"): people}), unit=("a", "who")),
        dict(demand={"stop": VISITS}, unit=tuple(people)),
        dict(demand=polars.DataFrame({"stop": VISITS, "who": people}), unit="who"),
        dict(demand=table(stop=list(VISITS) + [5] * 5, who=people + [None, " ", "nan", "None", "<NA>"]), unit="who"),
    ]
    for form in forms:
        assert same_noise(max_per_unit=2, **form) == expected
    assert same_noise(VISITS, unit=people, max_per_unit=3) != expected


def test_a_number_is_the_same_unit_however_it_is_written():
    expected = same_noise(VISITS, unit=PEOPLE, max_per_unit=2)
    spellings = [int, float, str, lambda one: f"0{one}", lambda one: f" {one}.0", lambda one: str(one).encode(), np.int16]
    for spelled in spellings:
        assert same_noise(VISITS, unit=[spelled(one) for one in PEOPLE], max_per_unit=2) == expected
    mixed = [spellings[at % len(spellings)](one) for at, one in enumerate(PEOPLE)]
    assert same_noise(VISITS, unit=mixed, max_per_unit=2) == expected


def test_a_unit_is_counted_at_most_so_often():
    """With next to no noise the estimate is the count: one visitor came a thousand times, and counts twice."""
    visits, people = [0] * 1000 + list(range(N)), ["often"] * 1000 + [f"once {at}" for at in range(N)]
    fitted = PrivateKMedian(1, epsilon=100, max_per_unit=2, random_state=0).fit(STOPS, visits, unit=people)
    assert abs(fitted.estimated_sizes_.sum() - (N + 2)) < 2
    assert fitted.release_.max_per_unit == 2


def test_private_centers_are_near_the_demand():
    """All visits are round one place; with a large epsilon the center is too."""
    near = np.argsort(cdist(STOPS, STOPS[:1])[:, 0])[:20]
    fitted = PrivateKMedian(1, epsilon=20, random_state=0).fit(STOPS, np.repeat(near, 50))
    assert fitted.medoid_indices_[0] in near
    assert np.array_equal(fitted.cluster_centers_, STOPS[fitted.medoid_indices_])
    assert abs(fitted.estimated_sizes_[0] - 1000) < 100
    assert fitted.release_.is_private
    low, high = fitted.release_.advantage_interval(1)
    assert 0 < low < high and fitted.release_.advantage_is_clear(1)
    tiny = PrivateKMedian(1, epsilon="0.0001", random_state=0).fit(STOPS, np.repeat(near, 50))
    assert not tiny.release_.advantage_is_clear(1)
    assert fitted.predict(STOPS).shape == (N,) and fitted.transform(STOPS).shape == (N, 1)


def test_graphs_and_matrices():
    graph = networkx.connected_watts_strogatz_graph(N, 4, 0.1, seed=0)
    fitted = PrivateKMedian(4, epsilon=1, metric="graph", random_state=0).fit(graph, VISITS)
    assert len(fitted.cluster_centers_) == 4 and len(fitted.release_.centers(7)) == 7
    matrix = cdist(STOPS, STOPS)
    fitted = PrivateKMedian(4, epsilon=1, metric="precomputed", objective="means", random_state=0).fit(matrix, VISITS)
    assert len(fitted.release_.sizes(3, objective="means")) == 3


def test_nothing_that_is_not_private_is_kept():
    """Everything an estimator has after a fit follows from the release and the public items."""
    fitted = PrivateKMedian(3, epsilon=1, random_state=0).fit(STOPS, table(stop=NAMED), ids=NAMES)
    assert {name for name in vars(fitted) if name.endswith("_")} == {
        "release_", "medoid_indices_", "cluster_centers_", "center_ids_", "estimated_service_", "estimated_sizes_", "estimated_inertia_",
        "estimated_size_intervals_", "estimated_inertia_interval_",
        "stop_", "n_features_in_",
    }  # fmt: skip
    again = Release.load.__func__(Release, _written(fitted.release_), STOPS)
    assert np.array_equal(again.centers(3), fitted.medoid_indices_)
    assert np.array_equal(again.sizes(3), fitted.estimated_sizes_)
    assert fitted.center_ids_ == [NAMES[at] for at in fitted.medoid_indices_]


def _written(release):
    import tempfile

    path = tempfile.mktemp(suffix=".json")
    release.save(path)
    return path


@pytest.mark.parametrize(
    "demand",
    [
        [], np.array([], dtype=int), [-5, "nobody"], pd.DataFrame({"stop": []}), [(0, 1)], [{"stop": 0}], [[0]],
        [b"\xff"], pd.DataFrame({"stop": [(0, 1), b"\xff"]}),
    ],
)  # fmt: skip
def test_no_record_decides_how_a_run_ends(demand):
    """Neither no demand nor unknown keys can be told from a run: there is a release all the same."""
    fitted = PrivateKMedian(2, epsilon=1, random_state=0).fit(STOPS, demand)
    assert fitted.release_.is_private and len(fitted.medoid_indices_) == 2


def test_noise_is_not_seeded():
    def noise(**more):
        return PrivateKMedian(2, epsilon=1, random_state=5, **more).fit(STOPS, VISITS).release_

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert noise().to_json() != noise().to_json()
    with pytest.warns(NotPrivateWarning, match="nothing is private"):
        seeded = noise(noise_seed_for_experiments=1)
    assert not seeded.is_private and "NOT PRIVATE" in seeded.to_json() and "NOT PRIVATE" in repr(seeded)


def test_epsilon_is_read_digit_by_digit():
    for epsilon in (0.1, "0.1", np.float64(0.1)):
        release = PrivateKMedian(2, epsilon=epsilon, random_state=0).fit(STOPS, VISITS).release_
        assert '"epsilon":{"numerator":1,"denominator":10}' in release.to_json()
        assert release.epsilon == 0.1


def test_a_release(tmp_path):
    fitted = PrivateKMedian(3, epsilon=1, random_state=0).fit(STOPS, VISITS)
    release, file = fitted.release_, tmp_path / "visits.json"
    release.save(file)
    with pytest.raises(FileExistsError, match="choose another name"):
        release.save(file)
    with pytest.raises(FileNotFoundError, match="its folder does not exist; create it first"):
        release.save(tmp_path / "none" / "visits.json")
    with pytest.raises(FileNotFoundError):
        Release.load(tmp_path / "none.json")
    curve = release.cost_curve(range(1, 6))
    assert len(curve.cost) == len(curve.without_data) == 5 and np.all(np.diff(curve.cost) <= 0)
    assert len(release.cost_curve().k) == 20
    nested = [set(release.centers(k, method="exact").tolist()) for k in (2, 3)]
    assert nested[0] < nested[1]
    parents, counts = release.tree()
    assert parents[0] == 0 and len(parents) == len(counts)

    loaded = Release.load(file)
    assert loaded.n_items == N and loaded.neighbours == "add-remove" and loaded.hash == release.hash
    with pytest.raises(ValueError, match="centers need the public items"):
        loaded.centers(3)
    assert np.array_equal(Release.load(file, STOPS).centers(3), fitted.medoid_indices_)
    with pytest.raises(ValueError, match="another universe"):
        Release.load(file, STOPS[::-1])
    with pytest.raises(ValueError, match="another universe"):
        Release.load(file, STOPS, metric="l1")
    with pytest.raises(ValueError, match="ask for at most 300"):
        release.centers(301)
    with pytest.raises(TypeError, match="universe='stops.csv' is the name of a file; give what is in it"):
        Release.load(file, "stops.csv")
    assert Release.load(bytes(file)).hash == release.hash
    for use in (Release.load, release.save, Ledger):
        with pytest.raises(TypeError, match="path=3 is no path; give text or a pathlib.Path"):
            use(3)
    with pytest.raises(FileExistsError, match="choose another name"):
        release.save(bytes(file))
    file.write_text(file.read_text()[:-40])
    with pytest.raises(ValueError, match="get the file again"):
        Release.load(file)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="is no release"):
        Release.load(file)


def test_a_universe_that_changes_afterwards_is_noticed():
    stops = STOPS.copy()
    fitted = PrivateKMedian(3, epsilon=1, random_state=0).fit(stops, VISITS)
    stops[0] += 1
    with pytest.raises(ValueError, match="another universe"):
        fitted.release_.centers(4)


def test_pickling():
    fitted = PrivateKMedian(3, epsilon=1, random_state=0).fit(STOPS, VISITS)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.release_.centers(5), fitted.release_.centers(5))


def test_a_ledger(tmp_path, command):
    import subprocess

    ledger = Ledger(tmp_path / "ledger.db", create=True)
    made = ledger.create_dataset("visits", 1)
    assert (made.budget, made.spent, made.left, made.entries) == (1, 0, 1, 0)
    spender = PrivateKMedian(3, epsilon="0.6", ledger=ledger, dataset="visits", random_state=0)
    fitted = spender.fit(STOPS, VISITS)
    (entry,) = ledger.entries("visits")
    assert (str(entry.epsilon), entry.note) == ("0.6", "refined, k = 3")
    assert entry.release == fitted.release_.hash and len(entry.reserved) == len("2026-11-16")
    assert entry.protects == ("record", None, "add-remove") == ledger.dataset("visits").protects
    assert (entry.mechanism, entry.split) == ("noisy tree", "auto") and entry.software.startswith("kmedian ")
    with pytest.raises(BudgetExhausted, match="at most 0.4 can be spent"):
        spender.fit(STOPS, VISITS)
    shown = subprocess.run([command, "ledger", "list", ledger.path], check=True, capture_output=True, text=True).stdout
    assert "visits" in shown and "0.6" in shown

    by_path = PrivateKMedian(3, epsilon=0.1, ledger=tmp_path / "ledger.db", dataset="visits")
    with pytest.raises(ValueError, match="stays spent"):
        by_path.fit(STOPS, [], check_demand_not_private=True)
    assert str(ledger.dataset("visits").left) == "0.3"


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.longdouble, float, str])
@pytest.mark.parametrize("epsilon", ["0.1", "0.7", "12.5"])
def test_what_is_spent_is_what_was_written(tmp_path, kind, epsilon):
    """0.1 is a tenth, however many bits it has: in the books, in the release, and for the noise."""
    ledger = Ledger(tmp_path / "ledger.db", create=True)
    ledger.create_dataset("visits", kind("25.0"))
    spender = PrivateKMedian(2, epsilon=kind(epsilon), ledger=ledger, dataset="visits", random_state=0)
    release = spender.fit(STOPS, VISITS).release_
    assert str(ledger.entries("visits")[0].epsilon) == epsilon
    assert release.epsilon == float(epsilon)
    assert same_noise(VISITS, epsilon=kind(epsilon)) == same_noise(VISITS, epsilon=epsilon)


def test_public_mistakes_cost_nothing(tmp_path):
    ledger = Ledger(tmp_path / "ledger.db", create=True)
    ledger.create_dataset("visits", "1")
    spender = PrivateKMedian(3, epsilon=0.6, ledger=ledger, dataset="visits")
    for wrong in [dict(key="no such column"), dict(unit="who")]:
        with pytest.raises(ValueError):
            spender.fit(STOPS, table(stop=VISITS), **wrong)
    with pytest.raises(ValueError, match="ask for at most"):
        PrivateKMedian(999, epsilon=0.6, ledger=ledger, dataset="visits").fit(STOPS, VISITS)
    with pytest.raises(ValueError, match="no budget for it"):
        PrivateKMedian(3, epsilon=0.6, ledger=ledger, dataset="visits", noise_seed_for_experiments=1).fit(STOPS, VISITS)
    assert ledger.dataset("visits").spent == 0


def test_ledgers_that_cannot_be_used(tmp_path):
    python = r"Ledger\(path, create=True\)"
    (tmp_path / "empty.db").touch()
    (tmp_path / "other.db").write_text("no ledger at all, but a text of some length" * 30)
    for file, create, kind, told in [
        ("none.db", False, FileNotFoundError, python), ("empty.db", False, ValueError, python),
        ("other.db", False, ValueError, "not a ledger"), ("none/ledger.db", True, FileNotFoundError, "its folder"),
        ("", True, OSError, "is a folder"), ("ledger.db", "yes", TypeError, "create='yes'"),
    ]:  # fmt: skip
        with pytest.raises(kind, match=told):
            Ledger(tmp_path / file, create=create)
    ledger = Ledger(tmp_path / "ledger.db", create=True)
    for name, budget, told in [("", 1, "needs a name"), ("a", 0, "positive"), ("a", "x", "no number")]:
        with pytest.raises(ValueError, match=told):
            ledger.create_dataset(name, budget)
    with pytest.raises(ValueError, match=r"no dataset.*Ledger.create_dataset\(name, budget\)"):
        ledger.entries("nobody")
    ledger.create_dataset("a", 1)
    with pytest.raises(ValueError, match="already is a dataset"):
        ledger.create_dataset("a", 2)
    for use in (lambda name: ledger.create_dataset(name, 2), ledger.entries, ledger.dataset):
        with pytest.raises(TypeError, match="name=5 is no text; give the name of a dataset"):
            use(5)
    with pytest.raises(TypeError, match="note=5 is no text; give a few words"):
        ledger.reserve("a", 1, note=5)
    assert ledger.dataset("a").spent == 0


def test_a_known_number_of_records_makes_counts_finer():
    few = PrivateKMedian(3, epsilon=1, random_state=0).fit(STOPS, VISITS)
    many = PrivateKMedian(3, epsilon=1, demand_size=1_000_000, random_state=0).fit(STOPS, VISITS)
    nodes = [len(fitted.release_.tree()[0]) for fitted in (few, many)]
    assert nodes[0] < nodes[1]
    with pytest.raises(ValueError, match="demand_size"):
        PrivateKMedian(3, epsilon=1, demand_size=0).fit(STOPS, VISITS)


def test_a_cell_that_cannot_be_read_is_nobody():
    import pyarrow as pa

    words = pa.array([b"s1", b"s2", b"\xff\xfe", b"s3"], pa.binary())
    broken = pa.StringArray.from_buffers(len(words), words.buffers()[1], words.buffers()[2])
    ids = [f"s{at}" for at in range(len(STOPS))]
    fitted = PrivateKMedian(2, epsilon=100, random_state=0).fit(STOPS, pa.table({"stop": broken}), ids=ids, key="stop")
    assert round(fitted.estimated_sizes_.sum()) == 3
    counts = [1] * (len(STOPS) - 2) + [None, 2**70]
    assert PrivateKMedian(2, epsilon=1, random_state=0).fit(STOPS, counts=counts).medoid_indices_.shape == (2,)


def test_no_demand_serves_nobody():
    fitted = PrivateKMedian(2, epsilon=100, random_state=0).fit(STOPS, [])
    assert fitted.estimated_sizes_.sum() < 1


def test_what_is_handed_out_is_a_copy():
    private = PrivateKMedian(3, epsilon=1, random_state=0).fit(STOPS, VISITS)
    release = private.release_
    private.estimated_sizes_[:] = -1
    assert (release.sizes(3) >= 0).all()
    release.centers(4)[:] = 0
    assert len(set(release.centers(4).tolist())) == 4


def test_the_nodes_of_a_graph_have_names():
    import networkx as nx

    graph = nx.relabel_nodes(nx.path_graph(60), {at: f"n{59 - at}" for at in range(60)})
    fitted = PrivateKMedian(1, epsilon=50, metric="graph", random_state=0).fit(graph, ["n50"] * 4000)
    assert abs(int(fitted.center_ids_[0][1:]) - 50) <= 3
    fitted.fit(graph, counts=[1] * 60)
    assert fitted.center_ids_ == fitted.cluster_centers_.tolist()


@pytest.mark.parametrize("kind", [int, float, object])
def test_a_masked_count_is_none(kind):
    counts = np.bincount(VISITS, minlength=N).astype(kind)
    masked = np.ma.masked_array(counts, mask=np.arange(N) < 50)
    assert same_noise(counts=masked) == same_noise(counts=np.where(np.arange(N) < 50, 0, counts))


def test_counts_in_a_list_have_no_type():
    """What NumPy would make of a list depends on its cells, which are private: one of them must not end the run."""
    for odd in ("many", None, [1, 2], b"3"):
        assert PrivateKMedian(2, epsilon=1).fit(STOPS, counts=[1] * (N - 1) + [odd]).release_.is_private


def test_mistakes_that_would_be_found_too_late_cost_nothing(tmp_path):
    ledger = Ledger(tmp_path / "ledger.db", create=True)
    ledger.create_dataset("visits", 1)
    spender = PrivateKMedian(3, epsilon=0.6, ledger=ledger, dataset="visits")
    for wrong in [dict(demand={"stop": 3}), dict(demand=[0], check_demand_not_private="no")]:
        with pytest.raises((ValueError, TypeError)):
            spender.fit(STOPS, **wrong)
    assert ledger.dataset("visits").spent == 0
