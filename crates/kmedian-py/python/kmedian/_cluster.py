"""Private demand that a cluster counts.

The executors find the items of records and count them; the driver gets the number of records of each
item, and adds the noise. Where units are protected, the cluster groups records by unit and item, and
at most m records of each unit are drawn from these numbers, by a generator whose seed is a hash of a
secret and of the unit's name: a task that is run again draws the same.
"""

from __future__ import annotations

from typing import Any, Iterator, NamedTuple

import numpy as np

from . import _core, _engine
from ._cells import column
from ._snap import Places, table_of

# Rows of what tasks return: an item and a number of records. Facts that are for the operator alone
# have negative numbers in place of items.
_COUNTED = "item long, records long"
_UNKNOWN, _TOO_FAR, _WITHOUT_UNIT, _OVER_BOUND, _UNITS = range(-1, -6, -1)

# Units by the bytes of their names, so that no collation makes two of them one.
_OWNED = "unit binary, item long, number long"


class Catalogue(NamedTuple):
    """The public items, as tasks need them: their number, and their ids or their places."""

    items: int
    ids: Any
    places: Places | None

    def names(self) -> _core.ItemNames:
        """What finds the items of keys or of coordinates."""
        if self.places is not None:
            return self.places.names_of_items()
        return _core.ItemNames(self.items, None if self.ids is None else column(self.ids))

    def keys(self, batch: Any) -> Any:
        """The keys of a batch, or its coordinates. The unit, if there is one, is the last column."""
        if self.places is None:
            return column(batch.column(0))
        return table_of([batch.column(at) for at in range(self.places.values.shape[1])])


class Draw(NamedTuple):
    """How records of units are drawn."""

    secret: bytes
    most: int
    items: int


class ClusterDemand:
    """The demand in a DataFrame whose layout was checked. It has the columns of the key, or of the
    coordinates, and then that of the unit, if units are protected."""

    def __init__(self, frame: Any, catalogue: Catalogue, max_per_unit: int | None) -> None:
        self._frame = frame
        self._catalogue = catalogue
        self._most = max_per_unit

    def count(self, secret: bytes) -> tuple[np.ndarray, dict[str, Any]]:
        """The true number of records of each item, and facts about all records. Nothing of it is
        private."""
        if self._most is None:
            counted = _engine.mapped(self._frame, tallied, self._catalogue, _COUNTED)
        else:
            counted = self._drawn(Draw(secret, self._most, self._catalogue.items))
        added = counted.groupBy("item").agg({"records": "sum"}).toDF("item", "records")
        found = _engine.collect(added)
        items, records = found.column(0).to_numpy(), found.column(1).to_numpy()
        facts = dict(zip(items[items < 0].tolist(), records[items < 0].tolist()))
        counts = np.zeros(self._catalogue.items, dtype=np.int64)
        counts[items[items >= 0]] = records[items >= 0]
        return counts, self._facts(int(counts.sum()), facts)

    def _drawn(self, draw: Draw) -> Any:
        owned = _engine.mapped(self._frame, owners, self._catalogue, _OWNED)
        # A record of a unit has the number 1. What is of no unit has an item below 0.
        numbers = owned.groupBy("unit", "item").agg({"number": "sum"}).toDF("unit", "item", "records")
        pairs = numbers.selectExpr("unit", "named_struct('item', item, 'records', records) AS pair")
        units = pairs.groupBy("unit").agg({"pair": "collect_list"}).toDF("unit", "pairs")
        return _engine.mapped(units, drawn, draw, _COUNTED)

    def _facts(self, counted: int, found: dict[int, int]) -> dict[str, Any]:
        unknown, without_unit = found.get(_UNKNOWN, 0), found.get(_WITHOUT_UNIT, 0)
        over_bound = found.get(_OVER_BOUND, 0)
        return {
            "records": counted + unknown + without_unit + over_bound,
            "unknown": unknown,
            "too_far": found.get(_TOO_FAR, 0),
            "without_unit": without_unit,
            "over_bound": over_bound,
            "units": None if self._most is None else found.get(_UNITS, 0),
        }


def tallied(catalogue: Catalogue, batches: Iterator[Any]) -> Iterator[Any]:
    """A task: counts the records of a partition by their items."""
    parts = ((catalogue.keys(batch), None) for batch in batches)
    counts, facts = _core.Demand.parts(catalogue.names(), parts).reveal_not_private()
    items = np.flatnonzero(counts)
    others = {_UNKNOWN: facts["unknown"], _TOO_FAR: facts["too_far"]}
    yield _counted(items, counts[items], others)


def owners(catalogue: Catalogue, batches: Iterator[Any]) -> Iterator[Any]:
    """A task: finds the item and the unit of each record of a partition."""
    import pyarrow

    names = catalogue.names()
    dropped = np.zeros(3, dtype=np.int64)
    for batch in batches:
        unit = column(batch.column(batch.num_columns - 1))
        items, ends, text, facts = _core.owned_records(names, catalogue.keys(batch), unit)
        dropped += facts
        units = pyarrow.BinaryArray.from_buffers(
            pyarrow.binary(), len(items), [None, pyarrow.py_buffer(ends), pyarrow.py_buffer(text)]
        )
        yield _batch(unit=units, item=items, number=np.ones(len(items), dtype=np.int64))
    of_nobody = pyarrow.array([None, None, None], pyarrow.binary())
    yield _batch(unit=of_nobody, item=np.array([_UNKNOWN, _TOO_FAR, _WITHOUT_UNIT]), number=dropped)


def drawn(draw: Draw, batches: Iterator[Any]) -> Iterator[Any]:
    """A task: draws which records of each unit of a partition are counted."""
    kept, others = np.zeros(draw.items, dtype=np.uint64), {_OVER_BOUND: 0, _UNITS: 0}
    for batch in batches:
        for row in np.flatnonzero(batch.column(0).is_null().to_numpy(zero_copy_only=False)).tolist():
            for pair in batch.column(1)[row].as_py():
                others[pair["item"]] = others.get(pair["item"], 0) + pair["records"]
        units = batch.filter(batch.column(0).is_valid())
        name_ends, names = _buffers(units.column(0))
        lists = units.column(1)
        pairs = lists.flatten()
        list_ends = np.zeros(len(lists) + 1, dtype=np.int64)
        np.cumsum(lists.value_lengths().to_numpy(zero_copy_only=False), out=list_ends[1:])
        items, records = (np.ascontiguousarray(part.to_numpy(zero_copy_only=False)) for part in pairs.flatten())
        others[_OVER_BOUND] += _core.draw_records(
            draw.secret, draw.most, name_ends, names, list_ends, items, records, kept
        )
        others[_UNITS] += len(lists)
    items = np.flatnonzero(kept)
    yield _counted(items, kept[items], others)


def _buffers(texts: Any) -> tuple[np.ndarray, np.ndarray]:
    """Where the texts of a column of bytes begin and end, and their bytes."""
    import pyarrow

    if not len(texts):
        return np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.uint8)
    texts = texts.cast(pyarrow.large_binary())
    _, ends, held = texts.buffers()
    ends = np.frombuffer(ends, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    return ends, np.frombuffer(held or b"", np.uint8)


def _counted(items: np.ndarray, records: np.ndarray, others: dict[int, int]) -> Any:
    facts = {fact: number for fact, number in others.items() if number}
    return _batch(
        item=np.concatenate([items.astype(np.int64), np.array(list(facts), dtype=np.int64)]),
        records=np.concatenate([records.astype(np.int64), np.array(list(facts.values()), dtype=np.int64)]),
    )


def _batch(**columns: Any) -> Any:
    import pyarrow

    arrays = [pyarrow.array(values) if isinstance(values, np.ndarray) else values for values in columns.values()]
    return pyarrow.RecordBatch.from_arrays(arrays, names=list(columns))
