"""Counts records that are not private, for the weights of items."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._demand import SealedDemand
from ._given import Metric
from ._snap import Snap, places_of, snaps
from ._spaces import is_metric, reader, space_of
from ._universe import chosen, ids_of


def count(
    items: Any,
    demand: Any,
    *,
    metric: Metric = "l2",
    ids: Any = None,
    columns: Any = None,
    key: Any = None,
    snap: bool | Snap = False,
    directed: bool | str | None = None,
) -> np.ndarray:
    """How many records each item has, as ``sample_weight`` of ``KMedian.fit`` wants it.

    ``demand`` is what ``PrivateKMedian.fit`` takes: records that name items by position or by ``ids``
    (``key`` is the column that does; ``ids`` and ``columns`` are those of ``fit``), or with ``snap`` raw coordinates, each of which goes to its
    nearest item. What hands out Arrow record batches is read part after part. Records that name no
    item, or are too far from every one, are dropped. Nothing about the result is private.
    """
    table, ids = chosen(items, ids, columns, "table of items")
    given = space_of(metric).read(reader(directed), table)
    if ids is None and is_metric(metric, "graph"):
        ids = given.things
    ids = ids_of(table, ids, not snaps(snap))
    rows = given.things if given.kind == "vectors" else None
    near = places_of(snap, table, given.n, rows, metric, given.names if ids is None else ids)
    records = SealedDemand(demand, None, None)
    records.check_layout(given.n, items, ids, key, None, near)
    found: np.ndarray = records.counts().astype(np.float64)
    return found
