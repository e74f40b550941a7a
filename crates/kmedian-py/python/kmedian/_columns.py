"""Reads columns of pandas, polars, Arrow and NumPy by their buffers, not cell by cell.

Such a column has a type, which is part of the layout and public, and its cells are no Python
objects: there is no code of a cell that could run. Which of the ways below a column takes follows
from its type alone. Lists, and columns of objects or of rarer types, have none of them.
"""

from __future__ import annotations

import sys
from typing import Any, Iterator, NamedTuple, Optional

import numpy as np

# The number of texts that are handed over at once: so many that a step costs nothing, so few that
# what it takes in between is a few megabytes.
_AT_ONCE = 1 << 18

# A part of a column of texts: where each begins and the last one ends, their bytes, and which are
# missing; as Arrow lays them out.
Texts = tuple[np.ndarray, np.ndarray, Optional[np.ndarray]]

# Numbers that polars holds and NumPy knows.
_POLARS_INTEGERS = ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
_POLARS_FLOATS = ("Float32", "Float64")
_POLARS_TEXTS = ("String", "Utf8", "Categorical", "Enum", "Binary")

# The types of Arrow's texts, and how wide their offsets are.
_ARROW_TEXTS = {"string": np.int32, "binary": np.int32, "large_string": np.int64, "large_binary": np.int64}
_ARROW_VIEWS = {"string_view": "binary_view", "binary_view": "binary_view"}
_ARROW_NUMBERS = (
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("halffloat", "float", "double"),
)


class Numbers(NamedTuple):
    """Numbers, and which of them are missing; ``None`` if none is, but for NaN."""

    values: np.ndarray
    missing: np.ndarray | None = None


class Categories(NamedTuple):
    """The places of cells in a column of categories; -1 for a missing cell."""

    places: np.ndarray
    of: Any


def numbers(cells: Any) -> Numbers | None:
    """The column as numbers; ``None`` if its type is another one."""
    if _is_a(cells, "pandas", ("Series", "Index")):
        return _numbers_of_pandas(cells)
    if _is_a(cells, "polars", ("Series",)):
        return _numbers_of_polars(cells)
    if _is_a(cells, "pyarrow", ("Array", "ChunkedArray")):
        return _numbers_of_arrow(cells)
    if isinstance(cells, np.ma.MaskedArray):
        kept = _plain(np.ma.getdata(cells))
        return None if kept is None else Numbers(kept, np.ma.getmaskarray(cells))
    plain = _plain(cells)
    return None if plain is None else Numbers(plain)


def texts(cells: Any) -> Iterator[Texts] | None:
    """The column as texts, part after part; ``None`` if its type is another one."""
    if _is_a(cells, "pandas", ("Series", "Index")):
        cells = _arrow_of_pandas(cells)
    if _is_a(cells, "polars", ("Series",)):
        return _texts_of_polars(cells) if _polars_kind(cells) in _POLARS_TEXTS else None
    if _is_a(cells, "pyarrow", ("Array", "ChunkedArray")):
        kind = str(getattr(cells.type, "value_type", cells.type) if _is_dictionary(cells) else cells.type)
        return _texts_of_arrow(cells) if kind in _ARROW_TEXTS or kind in _ARROW_VIEWS else None
    return None


def codes(cells: Any) -> np.ndarray | None:
    """An array of texts of equal lengths as a table of its characters (32 bits) or bytes (8 bits);
    ``None`` if it is something else."""
    if type(cells) is not np.ndarray or cells.dtype.kind not in "US" or not cells.dtype.itemsize:
        return None
    native = np.ascontiguousarray(cells, dtype=cells.dtype.newbyteorder("="))
    code = np.dtype(np.uint32 if cells.dtype.kind == "U" else np.uint8)
    return native.view(code).reshape(len(cells), cells.dtype.itemsize // code.itemsize)


def categories(cells: Any) -> Categories | None:
    """A categorical column of pandas; ``None`` if it is something else."""
    if not _is_a(cells, "pandas", ("Series", "Index")) or type(cells.dtype).__name__ != "CategoricalDtype":
        return None
    held = cells.array
    return Categories(np.ascontiguousarray(held.codes, dtype=np.int64), held.categories)


def _is_a(cells: Any, library: str, names: tuple[str, ...]) -> bool:
    """Whether a column is of a class of a library, which is not imported for that."""
    there = sys.modules.get(library)
    return any(isinstance(cells, getattr(there, name)) for name in names if hasattr(there, name))


def _plain(cells: Any) -> np.ndarray | None:
    return cells if isinstance(cells, np.ndarray) and cells.ndim == 1 and cells.dtype.kind in "iuf" else None


def _numbers_of_pandas(cells: Any) -> Numbers | None:
    pandas = sys.modules["pandas"]
    if isinstance(cells.dtype, np.dtype):
        plain = _plain(cells.to_numpy())
        return None if plain is None else Numbers(plain)
    if isinstance(cells.array, (pandas.arrays.IntegerArray, pandas.arrays.FloatingArray)):
        missing = np.asarray(cells.isna(), dtype=bool)
        return Numbers(cells.to_numpy(dtype=cells.dtype.numpy_dtype, na_value=0), missing)
    held = _arrow_of_pandas(cells)
    return None if held is None else _numbers_of_arrow(held)


def _arrow_of_pandas(cells: Any) -> Any:
    """The Arrow column in which pandas keeps its cells; ``None`` if it keeps them otherwise."""
    arrays = sys.modules["pandas"].arrays
    kinds = tuple(getattr(arrays, name) for name in ("ArrowExtensionArray", "ArrowStringArray") if hasattr(arrays, name))
    return cells.array.__arrow_array__() if isinstance(cells.array, kinds) else None


def _polars_kind(cells: Any) -> str:
    return str(cells.dtype.base_type())


def _numbers_of_polars(cells: Any) -> Numbers | None:
    kind = _polars_kind(cells)
    if kind in _POLARS_FLOATS:
        # A missing cell becomes NaN.
        return Numbers(cells.to_numpy())
    if kind not in _POLARS_INTEGERS:
        return None
    if not cells.null_count():
        return Numbers(cells.to_numpy())
    return Numbers(cells.fill_null(0).to_numpy(), cells.is_null().to_numpy())


def _texts_of_polars(cells: Any) -> Iterator[Texts]:
    """A column of polars as texts, by public methods of polars alone: pyarrow is often missing."""
    kind, text = _polars_kind(cells), sys.modules["polars"].String
    for at in range(0, len(cells), _AT_ONCE):
        part = cells.slice(at, _AT_ONCE)
        if kind == "Binary":
            # Polars joins text alone, and some bytes may not be UTF-8.
            joined = bytes.fromhex(part.bin.encode("hex").str.join("").item() or "")
            lengths = part.bin.size()
        else:
            part = part if kind == "String" else part.cast(text)
            joined = (part.str.join("").item() or "").encode()
            lengths = part.str.len_bytes()
        yield _ends(lengths.fill_null(0).to_numpy()), np.frombuffer(joined, np.uint8), None


def _ends(lengths: np.ndarray) -> np.ndarray:
    ends = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=ends[1:])
    return ends


def _is_dictionary(cells: Any) -> bool:
    return str(cells.type).startswith("dictionary<")


def _numbers_of_arrow(cells: Any) -> Numbers | None:
    if _is_dictionary(cells) and str(cells.type.value_type) in _ARROW_NUMBERS:
        cells = cells.cast(cells.type.value_type)
    if str(cells.type) not in _ARROW_NUMBERS:
        return None
    if not cells.null_count:
        return Numbers(_flat(cells))
    return Numbers(_flat(cells.fill_null(0)), _flat(cells.is_null()))


def _flat(cells: Any) -> np.ndarray:
    """A column of Arrow without gaps as an array."""
    chunked = hasattr(cells, "chunks")
    return np.asarray(cells.to_numpy() if chunked else cells.to_numpy(zero_copy_only=False))


def _texts_of_arrow(cells: Any) -> Iterator[Texts]:
    for chunk in getattr(cells, "chunks", [cells]):
        for at in range(0, len(chunk), _AT_ONCE):
            yield _text_of_arrow(chunk.slice(at, _AT_ONCE))


def _text_of_arrow(part: Any) -> Texts:
    if _is_dictionary(part):
        part = part.dictionary_decode()
    if str(part.type) in _ARROW_VIEWS:
        # As bytes, because some of it may not be UTF-8.
        part = part.cast(_ARROW_VIEWS[str(part.type)]).cast("large_binary")
    missing = part.is_null().to_numpy(zero_copy_only=False) if part.null_count else None
    _, offsets, bytes_ = part.buffers()
    offsets = np.frombuffer(offsets, _ARROW_TEXTS[str(part.type)])[part.offset : part.offset + len(part) + 1]
    return offsets.astype(np.int64), np.frombuffer(bytes_ or b"", np.uint8), missing
