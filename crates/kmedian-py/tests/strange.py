"""Cells that nobody expects in a table, and the forms that a table can have."""

from __future__ import annotations

import datetime
import decimal
import fractions
import random
import sys
import uuid
import warnings
from typing import Any, Callable, NamedTuple

import numpy as np
import pandas as pd
import polars
import pyarrow
import pyarrow.dataset

IDS = [f"s{at}" for at in range(5)] + ["7", "1.5"]
OWNERS = [f"u{at}" for at in range(4)]

# All of them the same owner, and the same key.
SEVEN = (7, 7.0, "7", " 7 ", "07", "7.0", "+7", b"7", np.int64(7), np.float32(7), decimal.Decimal("7.0"), np.str_("7"))

# They name nothing, in whichever column.
NOTHING = (
    *(None, float("nan"), pd.NaT, pd.NA, np.ma.masked, "", " ", b""),
    *("nan", "NaN", "None", "NA", "<NA>", "null", b"nan"),
)


def _noisy(*_: Any, **__: Any) -> Any:
    """What no cell may be asked: it prints, warns, and ends the program."""
    print("a cell was asked")
    print("a cell was asked", file=sys.stderr)
    warnings.warn("a cell was asked", stacklevel=2)
    raise SystemExit(3)


class _HostileKind(type):
    __hash__ = __eq__ = __repr__ = __getattribute__ = __instancecheck__ = __subclasscheck__ = _noisy  # type: ignore


def _hostile(name: str, *bases: type) -> type:
    asked = "eq ne lt hash str repr format bool int float index complex len iter getitem contains array del_".split()
    return type(name, bases, {f"__{method}__": _noisy for method in asked} | {"strip": _noisy, "is_integer": _noisy})


class _Unkind:
    """Not even its class can be asked for."""

    __eq__ = __hash__ = __str__ = __repr__ = __getattr__ = __float__ = _noisy  # type: ignore
    __class__ = property(_noisy)  # type: ignore


class _Zone(datetime.tzinfo):
    utcoffset = tzname = dst = __str__ = __repr__ = _noisy  # type: ignore


def strange(rng: random.Random) -> Any:
    """A cell of any kind."""
    kinds: list[Callable[[], Any]] = [
        lambda: rng.choice(NOTHING),
        lambda: rng.choice(SEVEN),
        lambda: rng.choice(IDS),
        lambda: rng.choice([True, False, np.True_, 0, 3, -1, 2**63, 2**70, -(2**70), 10**400, 10**5000]),
        lambda: rng.choice([0.5, 1.5, -0.0, float("inf"), 1e308, 5e-324, np.float16(2), np.longdouble(3), 1e16]),
        lambda: text(rng),
        lambda: text(rng).encode("utf-8", "surrogatepass"),
        lambda: rng.choice([b"\xff\xfe", bytearray(b"s1"), memoryview(b"s1"), np.bytes_(b"s1"), b"s1", b"\x00"]),
        lambda: rng.choice([decimal.Decimal("NaN"), decimal.Decimal("sNaN"), decimal.Decimal("1E+999999")]),
        lambda: rng.choice([fractions.Fraction(7), uuid.UUID(int=7), 1j, np.complex128(1), range(3), Ellipsis, str, sys]),
        lambda: rng.choice([datetime.date(2026, 1, 1), datetime.datetime(2026, 1, 1, tzinfo=_Zone()), pd.Timestamp(0)]),
        lambda: rng.choice([np.datetime64("NaT"), np.datetime64(7, "s"), np.timedelta64(7, "D"), datetime.time(7)]),
        lambda: rng.choice([(), (0, 1), ("s1",), (None,), ((((((1,),),),),),), (1,) * 99, [0], ["s1"], {"s1": 1}, {7}]),
        lambda: rng.choice([np.array([1, 2]), np.array("s1"), pd.DataFrame({"s1": [1]}), pd.Series(["s1"]), looped()]),
        lambda: _hostile("Hostile")(),
        lambda: _hostile("HostileText", str)("s1"),
        lambda: _hostile("HostileBytes", bytes)(b"s1"),
        lambda: _hostile("HostileNumber", int)(7),
        lambda: _hostile("HostileHugeNumber", int)(2**70),
        lambda: _hostile("HostileFloat", float)(7.0),
        lambda: _hostile("HostileTuple", tuple)(("s1",)),
        lambda: (_hostile("Hostile")(), _hostile("HostileText", str)("s1")),
        _Unkind,
        lambda: _HostileKind("Unkind", (), {})(),
        lambda: ValueError("s1"),
        lambda: (one for one in "s1"),
    ]
    return rng.choice(kinds)()


def _askable(rng: random.Random) -> Any:
    """A cell of any kind but of those that polars asks for its class when a table is made."""
    cell = strange(rng)
    return None if type(cell) is _Unkind or type(type(cell)) is _HostileKind else cell


def looped() -> list[Any]:
    """A list that holds itself."""
    loop: list[Any] = []
    loop.append(loop)
    return loop


def text(rng: random.Random) -> str:
    """Text of any kind: of the letters of ids, of numbers, or of all letters; or long."""
    letters = rng.choice(["s01234", "0123456789.+-eE", " \t\n\r,;\"'\x00\x1b", "\ud800\udfff\ufeffé\U0001f600\u202e"])
    words = ["nan", "None", "NA", "s1", "S1", "s1 ", "7.0", "1e400", "x" * 70_000, "9" * 5_000, "１"]
    return rng.choice(words) if rng.random() < 0.3 else "".join(rng.choices(letters, k=rng.randrange(6)))


class Form(NamedTuple):
    """A form of a table: what its cells can be, and how it is made of keys and owners."""

    cell: Callable[[random.Random], Any]
    column: Callable[[list[Any]], Any]
    table: Callable[[Any, Any], Any] | None = None


def _whole(rng: random.Random) -> int:
    return rng.choice([*range(-1, 9), 2**31, 2**63 - 1, -(2**63)])


def _unsigned(rng: random.Random) -> int:
    return rng.choice([*range(9), 2**53 + 1, 2**64 - 1])


def _float(rng: random.Random) -> float:
    return rng.choice([0.0, -0.0, 1.0, 1.5, 7.0, -1.0, float("nan"), float("inf"), -float("inf"), 1e38, 5e-324])


def _utf8(rng: random.Random) -> str:
    return text(rng).encode("utf-8", "ignore").decode()


def _bytes(rng: random.Random) -> bytes:
    return text(rng).encode("utf-8", "surrogatepass")


def _gaps(cell: Callable[[random.Random], Any]) -> Callable[[random.Random], Any]:
    return lambda rng: None if rng.random() < 0.3 else cell(rng)


def objects(cells: list[Any]) -> np.ndarray:
    """An array of objects. NumPy would look into lists."""
    array = np.empty(len(cells), dtype=object)
    for at, cell in enumerate(cells):
        array[at] = cell
    return array


def _masked(kind: Any, empty: Any) -> Callable[[list[Any]], Any]:
    def made(cells: list[Any]) -> Any:
        mask = [cell is None or cell is np.ma.masked for cell in cells]
        filled = [empty if hidden else cell for cell, hidden in zip(cells, mask)]
        return np.ma.masked_array(np.array(filled, dtype=kind), mask=mask)

    return made


def _broken_utf8(cells: list[Any]) -> pyarrow.Array:
    """Text of Arrow that may be no UTF-8, as files have it."""
    held = pyarrow.array(cells, pyarrow.binary())
    return pyarrow.StringArray.from_buffers(len(held), held.buffers()[1], held.buffers()[2], held.buffers()[0])


def _pieces(cells: list[Any]) -> pyarrow.ChunkedArray:
    """Text of Arrow in several pieces, each of which begins in the middle of its buffers; one is empty."""
    half = len(cells) // 2
    parts = [pyarrow.array(["s1", None, *part, "s1"], pyarrow.string())[2:-1] for part in (cells[:half], [], cells[half:])]
    return pyarrow.chunked_array(parts, pyarrow.string())


def _in_halves(made: Callable[[list[Any]], Any]) -> Callable[[list[Any]], pyarrow.ChunkedArray]:
    """A column of Arrow in two pieces, each of which has categories of its own."""

    def column(cells: list[Any]) -> pyarrow.ChunkedArray:
        half = len(cells) // 2
        return pyarrow.chunked_array([made(cells[:half]), made(cells[half:])])

    return column


def _gap_among_categories(cells: list[Any]) -> pyarrow.DictionaryArray:
    """Categories one of which is missing, so that a cell without a gap of its own is missing, too."""
    words = [None, *dict.fromkeys(cell for cell in cells if cell is not None)]
    places = pyarrow.array([words.index(cell) for cell in cells], pyarrow.int32())
    return pyarrow.DictionaryArray.from_arrays(places, pyarrow.array(words, pyarrow.string()))


def _turned(kind: Any) -> Callable[[list[Any]], np.ndarray]:
    """An array in the other byte order, of which every second cell is taken."""
    return lambda cells: np.repeat(np.array(cells, dtype=kind), 2).astype(np.dtype(kind).newbyteorder())[::2]


def _frame(keys: Any, owners: Any) -> pd.DataFrame:
    return pd.DataFrame({"stop": keys} if owners is None else {"stop": keys, "who": owners})


def _polars(keys: Any, owners: Any) -> polars.DataFrame:
    return polars.DataFrame([keys.alias("stop")] if owners is None else [keys.alias("stop"), owners.alias("who")])


def _arrow(keys: Any, owners: Any) -> pyarrow.Table:
    return pyarrow.table({"stop": keys} if owners is None else {"stop": keys, "who": owners})


def _batch(keys: Any, owners: Any) -> pyarrow.RecordBatch:
    return pyarrow.record_batch({"stop": keys} if owners is None else {"stop": keys, "who": owners})


def _reader(keys: Any, owners: Any) -> pyarrow.RecordBatchReader:
    """A table that is read once, three rows at a time."""
    return _arrow(keys, owners).to_reader(max_chunksize=3)


def _dataset(keys: Any, owners: Any) -> pyarrow.dataset.Dataset:
    return pyarrow.dataset.dataset(_arrow(keys, owners))


def _lazy(keys: Any, owners: Any) -> polars.LazyFrame:
    return _polars(keys, owners).lazy()


def _dict(keys: Any, owners: Any) -> dict[str, Any]:
    return {"stop": keys} if owners is None else {"stop": keys, "who": owners}


def _series(kind: Any) -> Callable[[list[Any]], Any]:
    return lambda cells: pd.Series(objects(cells), dtype=kind)


def _of_polars(kind: Any) -> Callable[[list[Any]], Any]:
    return lambda cells: polars.Series(cells, dtype=kind)


def _of_arrow(kind: Any) -> Callable[[list[Any]], Any]:
    return lambda cells: pyarrow.chunked_array([pyarrow.array(cells, kind)])


# The values of an enumeration of polars are part of its type.
_WORDS = list(dict.fromkeys([*IDS, *OWNERS, "6", *(cell for cell in (*SEVEN, *NOTHING) if type(cell) is str)]))
_ENUM = polars.Enum(_WORDS)

FORMS = {
    "list": Form(strange, list),
    "tuple": Form(strange, tuple),
    "dict of lists": Form(strange, list, _dict),
    "objects": Form(strange, objects),
    "series of objects": Form(strange, _series(object)),
    "frame of objects": Form(strange, _series(object), _frame),
    "polars objects": Form(_askable, lambda cells: polars.Series("x", cells, dtype=polars.Object), _polars),
    "whole": Form(_whole, lambda cells: np.array(cells, dtype=np.int64)),
    "unsigned": Form(_unsigned, lambda cells: np.array(cells, dtype=np.uint64)),
    "floats": Form(_float, lambda cells: np.array(cells, dtype=np.float64)),
    "narrow floats": Form(lambda rng: float(np.float32(_float(rng))), lambda cells: np.array(cells, dtype=np.float32)),
    "masked whole": Form(_gaps(_whole), _masked(np.int64, 7)),
    "masked text": Form(_gaps(text), _masked("U9", "7")),
    "text": Form(text, lambda cells: np.array(cells, dtype=f"U{max(map(len, cells), default=1) or 1}")),
    "bytes": Form(_bytes, lambda cells: np.array(cells, dtype=f"S{max(map(len, cells), default=1) or 1}")),
    "frame of whole": Form(_gaps(_whole), _series("Int64"), _frame),
    "frame of floats": Form(_float, _series("float64"), _frame),
    "frame of text": Form(_gaps(_utf8), _series("string"), _frame),
    "frame of categories": Form(_gaps(_utf8), lambda cells: pd.Series(cells, dtype=object).astype("category"), _frame),
    "polars whole": Form(_gaps(_whole), _of_polars(polars.Int64), _polars),
    "polars text": Form(_gaps(_utf8), _of_polars(polars.String), _polars),
    "polars in pieces": Form(
        _gaps(_utf8),
        lambda cells: polars.concat([polars.Series(part, dtype=polars.String) for part in (cells[::2], [], cells[1::2])]),
        _polars,
    ),
    "polars categories": Form(_gaps(_utf8), _of_polars(polars.Categorical), _polars),
    "polars bytes": Form(_gaps(_bytes), _of_polars(polars.Binary), _polars),
    "arrow whole": Form(_gaps(_whole), _of_arrow(pyarrow.int64()), _arrow),
    "arrow text": Form(_gaps(_utf8), _of_arrow(pyarrow.string()), _arrow),
    "arrow text that may be none": Form(_gaps(_bytes), _broken_utf8, _arrow),
    "arrow bytes": Form(_gaps(_bytes), _of_arrow(pyarrow.binary()), _arrow),
    "arrow categories": Form(_gaps(_utf8), lambda cells: _of_arrow(pyarrow.string())(cells).dictionary_encode(), _arrow),
    "arrow column": Form(_gaps(_utf8), _of_arrow(pyarrow.large_string())),
    "arrow in pieces": Form(_gaps(_utf8), _pieces, _arrow),
    "arrow views": Form(_gaps(_utf8), _of_arrow(pyarrow.string_view()), _arrow),
    "arrow views of bytes": Form(_gaps(_bytes), _of_arrow(pyarrow.binary_view()), _arrow),
    "arrow batch": Form(_gaps(_utf8), lambda cells: pyarrow.array(cells, pyarrow.string()), _batch),
    "arrow batch of numbers": Form(_gaps(_whole), lambda cells: pyarrow.array(cells, pyarrow.int64()), _batch),
    "arrow categories in pieces": Form(
        _gaps(_utf8), _in_halves(lambda cells: pyarrow.array(cells, pyarrow.string()).dictionary_encode()), _arrow
    ),
    "arrow categories with a gap": Form(_gaps(_utf8), _gap_among_categories, _arrow),
    "frame of Arrow categories": Form(
        _gaps(_utf8), _series(pd.ArrowDtype(pyarrow.dictionary(pyarrow.int32(), pyarrow.string()))), _frame
    ),
    "arrow reader": Form(_gaps(_utf8), _of_arrow(pyarrow.string()), _reader),
    "arrow reader of numbers": Form(_gaps(_whole), _of_arrow(pyarrow.int64()), _reader),
    "arrow dataset": Form(_gaps(_bytes), _of_arrow(pyarrow.binary()), _dataset),
    "polars lazy": Form(_gaps(_utf8), _of_polars(polars.String), _lazy),
    "arrow unsigned": Form(_gaps(_unsigned), _of_arrow(pyarrow.uint64()), _arrow),
    "arrow floats": Form(_gaps(_float), _of_arrow(pyarrow.float64()), _arrow),
    "arrow categories of numbers": Form(
        _gaps(_whole), lambda cells: _of_arrow(pyarrow.int64())(cells).dictionary_encode(), _arrow
    ),
    "frame of unsigned": Form(_gaps(_unsigned), _series("UInt64"), _frame),
    "frame of floats with gaps": Form(_gaps(_float), _series("Float64"), _frame),
    "frame of Arrow text": Form(_gaps(_utf8), _series(pd.ArrowDtype(pyarrow.string())), _frame),
    "frame of Arrow numbers": Form(_gaps(_whole), _series(pd.ArrowDtype(pyarrow.int64())), _frame),
    "frame of numbers as categories": Form(_gaps(_whole), lambda cells: _series("Int64")(cells).astype("category"), _frame),
    "polars unsigned": Form(_gaps(_unsigned), _of_polars(polars.UInt64), _polars),
    "polars floats": Form(_gaps(_float), _of_polars(polars.Float64), _polars),
    "polars enum": Form(_gaps(lambda rng: rng.choice(_WORDS)), _of_polars(_ENUM), _polars),
    "masked floats": Form(_gaps(_float), _masked(np.float64, 7.0)),
    "turned whole": Form(_whole, _turned(np.int64)),
    "turned text": Form(text, lambda cells: _turned(f"U{max(map(len, cells), default=1) or 1}")(cells)),
}

# The type of these says that no cell is a position: without ids they are refused.
TEXTS = (
    *("text", "bytes", "masked text", "frame of text", "polars text", "polars bytes", "polars categories", "arrow text"),
    *("arrow text that may be none", "arrow bytes", "arrow categories", "arrow column", "arrow in pieces", "arrow views"),
    *("frame of Arrow text", "polars enum", "turned text", "arrow views of bytes", "arrow batch", "polars in pieces"),
    *("arrow categories in pieces", "arrow categories with a gap", "frame of Arrow categories"),
    *("arrow reader", "arrow dataset", "polars lazy"),
)

# What makes cells of any kind.
OBJECTS = (strange, _askable)
