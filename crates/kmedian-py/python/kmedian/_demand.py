"""Private demand, which is not looked at until ε is spent.

If anything goes wrong with it, a new exception is raised outside of the handler, without cause,
context or inner frames. Error trackers and notebooks keep all of these, and with them local
variables that hold records.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

from . import _core
from ._cells import as_list, column
from ._cluster import ClusterDemand
from ._layout import Layout, are_labelled, layout, refuse_same
from ._snap import Places

# The exceptions with which a layout is refused. Any other exception is a bug, and its message may
# show a record.
_REFUSALS = (ValueError, TypeError, ImportError)


class ReleaseFailed(RuntimeError):
    """The demand could not be counted after ε was spent. The reason is not given, because it may
    depend on a record."""


class _NotPrivate(Exception):
    """Something is wrong with the records. Its message is not private: only for an operator who has
    asked for it."""


class DryRun(NamedTuple):
    """Exact numbers about private demand, to find mistakes before ε is spent. They are not private:
    for the operator alone.

    ``records`` is the number of records, ``unknown`` how many of them name no item or, with
    ``snap``, are at none, ``without_unit`` how many further ones name no unit, and ``over_bound``
    how many further ones are over the bound of their unit. ``units`` is the number of units,
    ``None`` if records are protected. ``too_far`` is how many of the unknown records have
    coordinates that are too far from every item.
    """

    records: int
    unknown: int
    without_unit: int
    over_bound: int
    units: int | None
    too_far: int = 0

    @property
    def found(self) -> float:
        """The share of records that name an item; 0 if there are no records."""
        return (self.records - self.unknown) / self.records if self.records else 0.0

    def __repr__(self) -> str:
        lines = [
            "NOT PRIVATE, for the operator alone; nothing was spent",
            f"records           {self.records:>12,}",
            f"that name an item {self.records - self.unknown:>12,} ({self.found:.1%})",
        ]
        if self.too_far:
            lines.append(f"too far away      {self.too_far:>12,}")
        if self.units is not None:
            lines += [
                f"without a unit    {self.without_unit:>12,}",
                f"over the bound    {self.over_bound:>12,}",
                f"units             {self.units:>12,}",
            ]
        return "\n".join(lines)


class SealedDemand:
    """Demand as it was given. Its ``repr`` shows no record, and the demand can be dropped
    (``forget``)."""

    def __init__(self, demand: Any, counts: Any, unit: Any, count: Any = None) -> None:
        self._given: tuple[Any, Any, Any] | None = (demand, counts, unit)
        # The name of a column, which is layout.
        self._count = count
        self._layout: Layout | None = None
        # Records and labelled counts name items; counts in the order of the items do not.
        self.names_items = counts is None or are_labelled(counts)

    def forget(self) -> None:
        """Drops the references to the demand."""
        self._given = self._layout = None

    @property
    def once(self) -> bool:
        """Whether the records can be read only once, as those of a reader."""
        return self._layout is not None and self._layout.once

    def check_layout(
        self, n_items: int, universe: Any, ids: Any, key: Any, max_per_unit: int | None, places: Places | None = None
    ) -> None:
        """Raises if the layout of the demand is wrong. No record is looked at. If the items have
        ``places``, records have coordinates."""
        refusal: Exception
        try:
            demand, counts, unit = self._given  # type: ignore[misc]
            refuse_same(universe, demand, counts, unit)
            self._layout = layout(n_items, demand, counts, ids, key, unit, max_per_unit, places, self._count)
            return
        except _REFUSALS as error:
            kind = next(kind for kind in _REFUSALS if isinstance(error, kind))
            refusal = kind(str(error))
        except Exception:
            refusal = RuntimeError("the layout of the demand could not be read; give a pandas table or a list of keys")
        del demand, counts, unit
        raise refusal

    def release(
        self, tree: _core.PublicTree, noise_seed: int | None, check: bool, spent: _core.Reservation | None
    ) -> _core.Release:
        """Counts the records, and adds noise. Only here are the records looked at."""
        ending: BaseException
        try:
            # A warning that a cell causes would tell something about the cell.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return tree.release(self._read(check, noise_seed), noise_seed)
        except (KeyboardInterrupt, SystemExit) as error:
            # It comes from the user or from a signal handler: no cell can raise it, as none runs
            # code.
            ending = error.with_traceback(None)
            ending.__context__ = ending.__cause__ = None
        except _NotPrivate as error:
            ending = ValueError(f"{error}{_stays_spent(spent)}")
        except BaseException:
            ending = ReleaseFailed(
                f"the demand could not be counted{_stays_spent(spent)}. Why is not said, as it may depend on a record: "
                "dry_run_not_private says more to the operator"
            )
        self.forget()
        raise ending

    def dry_run_not_private(self, max_per_unit: int | None) -> DryRun:
        """How many records would be counted and dropped. The result is not private."""
        if self._layout is not None and self._layout.cluster is not None:
            return DryRun(**self._layout.cluster.count(_core.sampling_secret())[1])
        _, facts = self._read(False).reveal_not_private(max_per_unit)
        return DryRun(**facts)

    def _read(self, check: bool, noise_seed: int | None = None) -> _core.Demand:
        found = self._layout
        if found is None:
            raise RuntimeError("the layout comes first")
        if found.cluster is not None:
            return _counted_by(found.cluster, found.names, check, noise_seed)
        demand = _read(found)
        if not check:
            return demand
        facts = demand.reveal_not_private(None if found.units is None else 1)[1]
        _check_not_private(facts, found.keys)
        # What comes in parts has been read to its end.
        return demand if found.parts is None else _read(found)

    def counts(self) -> Any:
        """The number of records of each item. It is not private."""
        return self._read(False).reveal_not_private(None)[0]

    def __repr__(self) -> str:
        return "<private demand>"


def _read(found: Layout) -> _core.Demand:
    """The records or counts of a layout, copied into the core; those that come in parts are not
    read yet."""
    if found.parts is not None:
        return _core.Demand.parts(found.names, found.parts())
    units = None if found.units is None else column(found.units)
    if found.counts is not None and found.keys is not None:
        return _core.Demand.rows(found.names, column(found.keys), units, column(found.counts))
    if found.counts is not None:
        labels = None if found.labels is None else column(found.labels)
        return _core.Demand.counts(found.names, labels, column(found.counts))
    return _core.Demand.records(found.names, column(found.keys), units)


def _counted_by(
    cluster: ClusterDemand, names: _core.ItemNames, check: bool, noise_seed: int | None
) -> _core.Demand:
    """The records as a cluster counts them."""
    counts, facts = cluster.count(_core.sampling_secret(noise_seed))
    if check:
        _check_not_private(facts, None)
    return _core.Demand.counts(names, None, column(counts))


def _check_not_private(facts: dict[str, Any], keys: Any) -> None:
    """Raises if there are no records, or if some would be dropped. The message is not private."""
    kinds = [type(key) for key in ([] if keys is None else as_list(keys))]
    rows = [kind.__name__ for kind in (dict, list, tuple) if any(one is kind for one in kinds)]
    if facts["unknown"] and rows:
        wrong = (
            f"records are of the kind {' and '.join(rows)}, and no item is called so; give a table, such as "
            "pandas.DataFrame(records)"
        )
    elif facts["unknown"]:
        wrong = f"{facts['unknown']} of {facts['records']} records name no item of the universe"
    elif facts["without_unit"]:
        wrong = f"{facts['without_unit']} of {facts['records']} records name no unit"
    elif not facts["records"]:
        wrong = "there is no demand"
    else:
        return
    raise _NotPrivate(
        f"{wrong}; correct the demand, or leave out check_demand_not_private: such records are then dropped. This "
        "message is not private"
    )


def _stays_spent(spent: _core.Reservation | None) -> str:
    return "" if spent is None else f"; ε = {spent.epsilon} stays spent (entry {spent.number})"
