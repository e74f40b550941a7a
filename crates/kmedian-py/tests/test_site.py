"""Drawings and charts of the documents: made by site/drawings.py and site/charts.py, and true to their numbers."""

import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
FIGURES = ROOT / "docs" / "figures"


@pytest.fixture
def site(monkeypatch):
    """The scripts of the site, which import each other by name."""
    monkeypatch.syspath_prepend(str(ROOT / "site"))
    import charts
    import drawings

    yield charts, drawings
    for name in ("charts", "drawings", "svg"):
        sys.modules.pop(name)


def test_drawings_are_those_that_the_script_makes(site):
    _, drawings = site
    for draw in drawings.DRAWINGS:
        kept = (FIGURES / f"how-{draw.__name__}.svg").read_text(encoding="utf-8")
        assert draw() == kept, "run: python3 site/drawings.py docs/figures"


def test_documents_show_every_drawing_and_chart(site):
    charts, drawings = site
    shown = set()
    for document in (ROOT / "docs").glob("*.md"):
        shown |= set(re.findall(r"\(figures/((?:how|bench)-[\w-]+\.svg)\)", document.read_text(encoding="utf-8")))
    made = {f"how-{draw.__name__}.svg" for draw in drawings.DRAWINGS} | {f"bench-{chart.name}.svg" for chart in charts.CHARTS}
    assert shown == made == {path.name for path in FIGURES.glob("*-*.svg") if path.name.startswith(("how-", "bench-"))}


def row(k, method, seconds, cost, **other):
    return {"threads": 1, "outcome": "ok", "data": "d", "k": k, "method": method, "seconds": seconds, "cost": cost, **other}


def test_bars_are_medians_and_in_proportion(site):
    charts, _ = site
    rows = [row(5, "kmedian", seconds, 100.0) for seconds in (1.0, 9.0, 2.0)]
    rows += [row(5, "onebatch", 8.0, 101.0), row(5, "onebatch", 99.0, 101.0, threads=2), row(5, "unknown", 1.0, 1.0)]
    rows += [row(5, "fasterpam-t", 4.0, 100.0), row(5, "fasterpam-t", 0.1, 100.0, outcome="timeout")]
    chart = charts.Chart("x", "A <title>", "x", "seconds", 1)
    shown = charts.bars(chart, rows)
    assert shown == {5: [("kmedian", 2.0, 1.0), ("fasterpam-t", 4.0, 1.0), ("onebatch", 8.0, 1.01)]}

    drawn = ElementTree.fromstring(charts.draw(chart, shown))
    bars = [float(box.get("width")) for box in drawn.iter("{http://www.w3.org/2000/svg}rect") if box.get("height") == "17.0"]
    assert bars == [charts.BAR / 4, charts.BAR / 2, charts.BAR]
    words = " ".join(text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text"))
    assert "A <title>" in words and "2.00 s  (least cost)" in words and "8.00 s  (+1.00%)" in words


def test_a_drawing_tells_the_cost_of_what_it_shows(site):
    _, drawings = site
    centers = drawings.best(4)
    assert set(centers) <= set(drawings.ITEMS)
    assert all(any(center in group for center in centers) for group in drawings.GROUPS)
    assert f"Cost of these centers: {drawings.cost(centers):.0f}," in drawings.problem()
