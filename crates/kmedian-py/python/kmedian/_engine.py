"""The cluster engine: any DataFrame that speaks Spark's API, of classic Spark, Spark Connect or Sail.

Nothing of pyspark is imported here: a DataFrame has all that is needed, and whoever has one has
imported what it takes.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, Iterator

# The methods by which a DataFrame of Spark is told from other tables.
_METHODS = ("mapInArrow", "groupBy", "selectExpr", "sparkSession", "schema")

# Spark's names of types, and the names that Arrow has for them.
_KINDS = {
    "bigint": "int64",
    "int": "int32",
    "smallint": "int16",
    "tinyint": "int8",
    "boolean": "bool",
    "varchar": "string",
    "char": "string",
}

# How many tasks are asked whether they have kmedian: some for every executor of a small cluster.
_TASKS = 16


def is_frame(table: Any) -> bool:
    """Whether a table is a DataFrame of Spark, judging by the methods of its class."""
    return all(hasattr(type(table), method) for method in _METHODS)


def columns_of(frame: Any) -> tuple[list[str], list[str]]:
    """The names of the columns of a DataFrame, and of their types as Arrow calls them. No job is
    started."""
    fields = frame.schema.fields
    return [field.name for field in fields], [_kind(field.dataType.simpleString()) for field in fields]


def _kind(spark: str) -> str:
    plain = spark.split("(")[0]
    return _KINDS.get(plain, spark)


def select(frame: Any, columns: list[str], names: list[str]) -> Any:
    """Some columns of a DataFrame under other names; analyzed, but no job is started."""
    quoted = ["`" + column.replace("`", "``") + "`" for column in columns]
    selected = frame.select(*quoted).toDF(*names)
    selected.schema  # noqa: B018 - raises what is wrong with the query now.
    return selected


def collect(frame: Any) -> Any:
    """All rows of a small DataFrame, as a table of Arrow."""
    if hasattr(type(frame), "toArrow"):
        return frame.toArrow()
    import pyarrow

    rows = [row.asDict() for row in frame.collect()]
    return pyarrow.table({name: [row[name] for row in rows] for name in frame.columns})


def version() -> str:
    """The version of kmedian in this process."""
    from . import __version__

    return __version__


def _versions(batches: Iterator[Any]) -> Iterator[Any]:
    """A task that says which kmedian it has."""
    import pyarrow

    for batch in batches:
        yield pyarrow.record_batch({"version": pyarrow.array([version()] * batch.num_rows)})


def check_executors(frame: Any, task: Callable[..., Any] = _versions) -> None:
    """Raises if the executors cannot load this version of kmedian. The job that finds out reads none
    of the DataFrame."""
    wanted = version()
    try:
        probe = frame.sparkSession.range(0, _TASKS, 1, _TASKS).mapInArrow(task, "version string")
        found = {row[0] for row in probe.collect()}
    except Exception as error:
        # It is about kmedian, and about no row.
        why = [line.strip() for line in str(error).splitlines() if line.strip()]
        told = next((line for line in reversed(why) if "Error" in line or "module" in line), (why or ["no reason"])[-1])
        raise ImportError(
            f"the executors of the cluster cannot load kmedian: {told}; install kmedian=={wanted} and pyarrow in the "
            "Python of the executors"
        ) from None
    others = sorted(found - {wanted})
    if others:
        raise ImportError(
            f"the executors of the cluster have kmedian {', '.join(others)}, but the driver has {wanted}; install the "
            "same version everywhere"
        )


def mapped(frame: Any, task: Callable[..., Iterator[Any]], given: Any, schema: str) -> Any:
    """The DataFrame that a task makes of the batches of each partition. What it is ``given`` is sent
    along with it."""
    return frame.mapInArrow(partial(task, given), schema)
