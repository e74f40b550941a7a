"""The cluster engine: any DataFrame that speaks Spark's API, of classic Spark, Spark Connect or Sail.

Nothing of pyspark is imported here: a DataFrame has all that is needed, and whoever has one has
imported what it takes.
"""

from __future__ import annotations

import warnings
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


def _probe() -> Callable[[Iterator[Any]], Iterator[Any]]:
    """A task that says which kmedian it can load, or why it can load none. It is a function inside a
    function, which is sent as code in place of a name, so that it runs where there is no kmedian."""

    def probe(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        try:
            import kmedian

            found, why = kmedian.__version__, None
        except Exception as error:
            found, why = None, f"{type(error).__name__}: {error}"
        for batch in batches:
            told = {"version": [found] * batch.num_rows, "why": [why] * batch.num_rows}
            yield pyarrow.record_batch({name: pyarrow.array(cells, pyarrow.string()) for name, cells in told.items()})

    return probe


def check_executors(frame: Any) -> None:
    """Raises if the executors cannot load this version of kmedian. The job that finds out reads none
    of the DataFrame."""
    wanted = version()
    try:
        asked = frame.sparkSession.range(0, _TASKS, 1, _TASKS)
        rows = _mapped(asked, _probe(), "version string, why string").collect()
        found, reasons = {row[0] for row in rows}, {row[1] for row in rows if row[1] is not None}
    except Exception as error:
        # It is about kmedian, and about no row.
        found, reasons = set(), {_cause(str(error))}
    if reasons:
        # Tasks that are threads of one process load it once: those that waited while that failed
        # see a module without attributes, which is not why.
        why = min(reasons, key=lambda reason: (reason.startswith("AttributeError"), reason))
        raise ImportError(
            f"the executors of the cluster cannot load kmedian: {' '.join(why.split())}; install kmedian=={wanted} and "
            "pyarrow in the Python of the executors"
        )
    others = sorted(found - {wanted})
    if others:
        raise ImportError(
            f"the executors of the cluster have kmedian {', '.join(others)}, but the driver has {wanted}; install the "
            "same version everywhere"
        )


def _cause(message: str) -> str:
    """The line of an error of Spark that says what went wrong: that which ends the last traceback of
    Python, as its frames are indented and the exception is not. Without a traceback, the first line."""
    lines = [line for line in message.splitlines() if line.strip()]
    starts = [at for at, line in enumerate(lines) if line.strip().startswith("Traceback (most recent call last)")]
    if starts:
        margin = len(lines[starts[-1]]) - len(lines[starts[-1]].lstrip())
        for line in lines[starts[-1] + 1 :]:
            if len(line) - len(line.lstrip()) <= margin:
                return line.strip()
    return lines[0].strip() if lines else "no reason was given"


def mapped(frame: Any, task: Callable[..., Iterator[Any]], given: Any, schema: str) -> Any:
    """The DataFrame that a task makes of the batches of each partition. What it is ``given`` is sent
    along with it."""
    return _mapped(frame, partial(task, given), schema)


def _mapped(frame: Any, task: Callable[[Iterator[Any]], Iterator[Any]], schema: str) -> Any:
    # PySpark warns of pandas 3 here, though only batches of Arrow are mapped. Nothing is read yet,
    # so that no warning can be about a row.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return frame.mapInArrow(task, schema)
