"""The Python in the documents runs, from the first snippet of a document to its last, and prints what they say."""

from __future__ import annotations

import re
from pathlib import Path

import networkx
import numpy as np
import pandas
import pytest
from scipy.spatial.distance import cdist

from conftest import made_up

ROOT = Path(__file__).parents[3]
DOCUMENTS = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")), *sorted(ROOT.glob("crates/*/README.md"))]
SNIPPET = re.compile(r"^```python\n(.*?)^```\n(?:\n```text printed\n(.*?)^```)?", re.MULTILINE | re.DOTALL)


def snippets(document: Path) -> list[tuple[str, str]]:
    """The snippets of a document, each with what it is said to print, if that is said; `xtask/tests/snippets.rs` sees to it
    that none is left out without a reason."""
    return SNIPPET.findall(document.read_text(encoding="utf-8"))


WITH_PYTHON = [document for document in DOCUMENTS if snippets(document)]


def names() -> dict[str, object]:
    """What the documents speak of without making it: items, roads, stops and visits."""
    stops = 40 + made_up(1, 60, 2) / 100
    stop_ids = [f"s{at}" for at in range(len(stops))]
    records = np.random.default_rng(0).integers(0, len(stops), size=400)
    table = {"stop": [stop_ids[stop] for stop in records], "passenger": records % 90}
    return {
        "X": made_up(2, 120, 4),
        "images": made_up(3, 120, 16),
        "distances": cdist(stops, stops).astype(np.float32),
        "places": stops,
        "roads": networkx.connected_watts_strogatz_graph(80, 4, 0.2, seed=1),
        "stops": stops,
        "stop_ids": stop_ids,
        "visits": pandas.DataFrame(table),
        "words": ["kitten", "mitten", "sitting", "Saturday", "Sunday"],
        "tags": [{"rust", "simd"}, {"rust"}, {"bread"}, {"bread", "salt"}, set()],
        "people": pandas.DataFrame({"age": [20, 30, 60, 65], "town": ["A", "A", "B", "B"]}),
        "edits": lambda a, b: float(abs(len(a) - len(b))),
    }


def test_there_are_snippets():
    found = {str(document.relative_to(ROOT)): len(snippets(document)) for document in WITH_PYTHON}
    assert {"README.md", "docs/cookbook.md", "docs/python/quickstart.md", "crates/kmedian-py/README.md"} <= set(found)
    assert sum(found.values()) >= 7, found
    assert sum(bool(printed) for _, printed in snippets(ROOT / "README.md")) >= 2


@pytest.mark.parametrize("document", WITH_PYTHON, ids=lambda document: str(document.relative_to(ROOT)))
def test_the_snippets_of_a_document_run(document, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    known = names()
    for number, (snippet, printed) in enumerate(snippets(document), 1):
        exec(compile(snippet, f"{document.name}, snippet {number}", "exec"), known)
        out = capsys.readouterr().out
        assert not printed or out == printed
