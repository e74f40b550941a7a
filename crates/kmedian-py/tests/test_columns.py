"""Columns that are read by their buffers say what their cells say one by one."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest

import kmedian._columns
from kmedian import _core
from kmedian._cells import _typed, as_list, column, known
from strange import FORMS, IDS, OBJECTS, objects

# How many columns of each form are drawn.
CASES = 30


def counted(keys: _core.Column, owners: _core.Column | None, ids: list[str] | None) -> tuple[Any, ...]:
    """All that can be known of a column: the counts, with and without owners, and what was dropped."""
    names = _core.ItemNames(len(IDS), None if ids is None else column(ids))
    counts, facts = _core.Demand.records(names, keys, owners).reveal_not_private(None if owners is None else 1, 5)
    return counts.tolist(), facts


@pytest.mark.parametrize("form", [form for form in FORMS if FORMS[form].cell not in OBJECTS])
def test_a_column_says_what_its_cells_say(form):
    for seed in range(CASES):
        rng = random.Random(f"{form} {seed}")
        made = [FORMS[form].column([FORMS[form].cell(rng) for _ in range(rng.randrange(40))]) for _ in range(2)]
        shortest = min(map(len, made))
        keys, owners = (cells[:shortest] for cells in made)
        one_by_one = [_core.Column.cells(as_list(cells), known) for cells in (keys, owners)]
        for ids in (IDS, None):
            for by_owner in (False, True):
                expected = counted(one_by_one[0], one_by_one[1] if by_owner else None, ids)
                assert counted(column(keys), column(owners) if by_owner else None, ids) == expected


@pytest.mark.parametrize("form", [form for form in FORMS if FORMS[form].cell not in OBJECTS and form != "masked text"])
def test_typed_columns_are_read_by_their_buffers(form):
    rng = random.Random(form)
    cells = FORMS[form].column([FORMS[form].cell(rng) for _ in range(9)])
    found = _typed(cells)
    assert found is not None and len(found) == 9


@pytest.mark.parametrize("cells", [["s1"], objects([Ellipsis]), pd.Series([None, "s1"], dtype=object), (1, 2)])
def test_objects_are_read_one_by_one(cells):
    assert _typed(cells) is None


def test_many_parts_make_one_column(monkeypatch):
    texts = [f"s{at % 7}" if at % 5 else None for at in range(1000)]
    monkeypatch.setattr(kmedian._columns, "_AT_ONCE", 64)
    for cells in (pyarrow.array(texts), pyarrow.array(texts).dictionary_encode(), polars.Series(texts), pd.Series(texts)):
        assert counted(column(cells), None, IDS) == counted(_core.Column.cells(texts, known), None, IDS)


def test_buffers_that_lie_are_missing_cells():
    """Offsets beyond the bytes, before them and backwards; bytes in the middle of a letter."""
    data = "s1s2é".encode()
    offsets = np.array([0, 2, 4, 5, 99, -3, 2, 1], dtype=np.int32)
    lies = pyarrow.StringArray.from_buffers(7, pyarrow.py_buffer(offsets), pyarrow.py_buffer(data))
    counts, facts = counted(column(lies), None, IDS)
    assert (counts[1], counts[2], facts["records"], facts["unknown"]) == (1, 1, 7, 5)


def test_what_is_masked_is_missing_whatever_lies_below():
    offsets = pyarrow.py_buffer(np.array([0, 2, 4, 6], dtype=np.int32))
    masked = pyarrow.StringArray.from_buffers(3, offsets, pyarrow.py_buffer(b"s1s1s2"), pyarrow.py_buffer(b"\x05"))
    numbers = pyarrow.Array.from_buffers(
        pyarrow.int64(), 3, [pyarrow.py_buffer(b"\x05"), pyarrow.py_buffer(np.array([1, 1, 2]))]
    )
    below = pd.Series([1, 1, 2], dtype="Int64").mask([False, True, False])
    for cells, ids in [(masked, IDS), (masked.dictionary_encode(), IDS), (numbers, None), (below, None)]:
        counts, facts = counted(column(cells), None, ids)
        assert (counts[1], counts[2], facts["unknown"]) == (1, 1, 1)


def test_weights_come_from_any_column():
    kept = [0.0, 1.5, 2.0]
    for given in (
        pd.Series(kept, dtype="Float64"), pd.Series(kept, dtype=pd.ArrowDtype(pyarrow.float64())), polars.Series(kept),
        pyarrow.array(kept), pyarrow.chunked_array([kept[:1], kept[1:]]), np.array(kept, dtype=np.float32),
    ):  # fmt: skip
        assert kmedian._checks.weights(given, 3).tolist() == kept
    assert kmedian._checks.weights(pd.Series([3, 4], dtype="Int64"), 2).tolist() == [3, 4]
    for gap in (pd.Series([1, None], dtype="Int64"), pyarrow.array([1, None]), polars.Series([1, None])):
        with pytest.raises(ValueError, match="the weight of item 1 is nan"):
            kmedian._checks.weights(gap, 2)
