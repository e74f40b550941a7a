"""Tables that hand out Arrow record batches, and are read part after part: datasets and readers of
pyarrow, relations of DuckDB, lazy frames of polars, and whatever else has Arrow's C stream.

Such a table is never collected. Its columns and their types are its layout, which is public;
nothing is computed of a query before its records are counted.
"""

from __future__ import annotations

import sys
from typing import Any, Callable, Iterator, NamedTuple

# The rows of a batch: so many that a step costs nothing, so few that they take a few megabytes.
_ROWS = 1 << 17

# How many batches and files of a dataset are read ahead. By default pyarrow reads 16 and 4.
_BATCHES_AHEAD = 2
_FILES_AHEAD = 1


class Stream(NamedTuple):
    """A table that is read part after part.

    ``kinds`` are the types of the columns, and ``batches`` reads some columns anew; a stream that
    can be read only ``once`` does so at its first call.
    """

    names: list[str]
    kinds: list[Any]
    batches: Callable[[list[str]], Iterator[Any]]
    once: bool

    def kind(self, name: str) -> Typed:
        """A column of which only the type is known."""
        return Typed(self.kinds[self.names.index(name)])


class Typed:
    """A column of which only the type is known, for checks of a layout."""

    def __init__(self, kind: Any) -> None:
        self.type = kind


def stream_of(table: Any) -> Stream | None:
    """A table as a stream; ``None`` if it is in memory, or is no table. Raises if its columns cannot
    be read. Why is not said, as a database may quote a record."""
    try:
        return _stream_of(table)
    except (_Unknown, ImportError) as error:
        raise type(error)(str(error)) from None
    except Exception:
        raise ValueError(
            f"the columns of the demand ({type(table).__name__}) could not be read; see whether its query runs, or give a "
            "table in memory"
        ) from None


class _Unknown(TypeError):
    """A table that this version of its library does not hand out in batches."""


def _stream_of(table: Any) -> Stream | None:
    if is_a(table, "polars", "LazyFrame"):
        return _of_polars(table)
    if is_a(table, "duckdb", "DuckDBPyRelation"):
        return _of_duckdb(table)
    if is_a(table, "pyarrow.dataset", "Dataset"):
        return Stream(*_of_schema(table.schema), lambda columns: _scanned(table, columns), False)
    if is_a(table, "pyarrow.dataset", "Scanner"):
        return Stream(*_of_schema(table.projected_schema), lambda columns: table.to_batches(), True)
    if is_a(table, "pyarrow", "RecordBatchReader"):
        return _of_reader(table)
    if hasattr(table, "__arrow_c_stream__") and not hasattr(table, "__array__") and not hasattr(table, "__len__"):
        return _of_reader(_opened(table))
    return None


def is_a(table: Any, library: str, name: str) -> bool:
    """Whether a table is of a class of a library, which is not imported for that."""
    kind = getattr(sys.modules.get(library), name, None)
    return kind is not None and isinstance(table, kind)


def _of_schema(schema: Any) -> tuple[list[str], list[Any]]:
    return list(schema.names), list(schema.types)


def _of_polars(table: Any) -> Stream:
    schema = table.collect_schema()
    if not hasattr(table, "collect_batches"):
        raise _Unknown(
            "this polars cannot hand out a LazyFrame in batches; install a newer one, give demand.collect(), or write it "
            "with demand.sink_parquet(...) and give pyarrow.dataset.dataset(...)"
        )

    def batches(columns: list[str]) -> Iterator[Any]:
        return iter(table.select(columns).collect_batches(chunk_size=_ROWS))

    return Stream(list(schema.names()), list(schema.dtypes()), batches, False)


def _of_duckdb(table: Any) -> Stream:
    duckdb = sys.modules["duckdb"]
    reader = "to_arrow_reader" if hasattr(table, "to_arrow_reader") else "fetch_record_batch"

    def batches(columns: list[str], of: Any = table) -> Iterator[Any]:
        return iter(getattr(of.select(*map(duckdb.ColumnExpression, columns)), reader)(_ROWS))

    # A query for no rows has the types, and looks at no record.
    schema = getattr(table.limit(0), reader)(_ROWS).schema
    return Stream(*_of_schema(schema), batches, False)


def _scanned(dataset: Any, columns: list[str]) -> Iterator[Any]:
    library, options = sys.modules["pyarrow.dataset"], {}
    if isinstance(getattr(dataset, "format", None), library.ParquetFileFormat):
        # By default all bytes of a Parquet file are kept while it is read.
        options["fragment_scan_options"] = library.ParquetFragmentScanOptions(pre_buffer=False)
    # With threads of its own, pyarrow runs ahead of whoever counts, by hundreds of megabytes.
    scanner = dataset.scanner(
        columns=columns, batch_size=_ROWS, batch_readahead=_BATCHES_AHEAD, fragment_readahead=_FILES_AHEAD,
        use_threads=False, **options,
    )  # fmt: skip
    return iter(scanner.to_batches())


def _of_reader(reader: Any) -> Stream:
    return Stream(*_of_schema(reader.schema), lambda columns: iter(reader), True)


def _opened(table: Any) -> Any:
    """A reader of anything that has Arrow's C stream."""
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError("the demand speaks Arrow alone, for which pyarrow is needed: pip install pyarrow") from error
    return pyarrow.RecordBatchReader.from_stream(table)
