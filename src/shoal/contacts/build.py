"""From tables, networkx graphs and matrices to the arrays inside a TemporalGraph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.common.checks import a_text
from shoal.contacts.columns import take_roles
from shoal.errors import InputError, RowError
from shoal.slicing import Slicing, spells, timebins

_PLAIN = "^(0|-?[1-9][0-9]*)$"  # a whole number as everybody writes it


class ColumnNotes(NamedTuple):
    """Columns of a table that nobody uses, and those that were guessed, by what they were taken for."""

    unused: tuple[str, ...]
    guessed: dict[str, str]


def contact_columns(frame: Any, told: dict[str, str | None], *, cut: bool) -> tuple[dict[str, pl.Series], ColumnNotes]:
    """The columns of contacts by what they mean, and what was guessed or left out."""
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    have = _names(frame)
    names = {role: a_text(role, name) for role, name in told.items() if name is not None}
    wanted = ("source", "target", *(["time"] if cut else []))
    guessed: dict[str, str] = {}
    if any(role not in names for role in wanted):
        names, guessed = take_roles(_readable(frame, have), names, wanted)
    for role in ("source", "target"):
        names.setdefault(role, role)
    columns = as_columns(frame, list(dict.fromkeys(names.values())))
    unused = tuple(str(name) for name in have if name not in names.values())
    return {role: columns[name] for role, name in names.items()}, ColumnNotes(unused, guessed)


def _readable(frame: Any, have: list[Any]) -> pl.DataFrame:
    """The columns that can be looked at; whatever else somebody keeps in a table is no reason to refuse it."""
    if isinstance(frame, pl.DataFrame):
        return frame
    found: list[pl.Series] = []
    for name in have:
        with suppress(InputError, TypeError, ValueError, pl.exceptions.PolarsError):
            found += as_columns(frame, [name]).values() if isinstance(name, str) else []
    return pl.DataFrame([column for column in found if len(column) == len(found[0])])


def as_columns(frame: Any, names: list[str]) -> dict[str, pl.Series]:
    """The named columns of anything that speaks Arrow, of a mapping, or of a pandas frame without pyarrow."""
    have = _names(frame)
    for name in names:
        if name not in have:
            raise InputError(f"no column '{name}'; the columns are {', '.join(map(str, have)) or 'none'}")
    try:
        if isinstance(frame, pl.DataFrame):
            return {name: frame[name] for name in names}
        if not isinstance(frame, Mapping) and hasattr(frame, "__arrow_c_stream__"):
            table = pl.DataFrame(frame)
            return {name: table[name] for name in names}
    except ImportError:  # pandas speaks Arrow only where pyarrow is installed
        pass
    columns = {name: pl.Series(name, _values(frame[name]), strict=False) for name in names}
    if len({len(c) for c in columns.values()}) > 1:
        raise InputError("the columns differ in length")
    return columns


def _names(frame: Any) -> list[Any]:
    have = (
        list(frame.keys())
        if isinstance(frame, Mapping)
        else list(getattr(frame, "column_names", getattr(frame, "columns", [])))
    )
    if not have and not hasattr(frame, "columns") and not isinstance(frame, Mapping):
        raise InputError(
            f"contacts come as a polars, pandas or pyarrow table or a dict of columns; got {type(frame).__name__} "
            "(TemporalGraph.from_networkx and the other from_... take graphs)"
        )
    return have


def _values(column: Any) -> Any:
    column = column.to_numpy() if hasattr(column, "to_numpy") else column
    return column.tolist() if isinstance(column, np.ndarray) and column.dtype == object else column


def ids_as_series(ids: Iterable[Any]) -> pl.Series:
    """A column of ids from any iterable; whole numbers stay numbers, everything else becomes text."""
    return ids if isinstance(ids, pl.Series) else same_kind(list(ids))[0]


def same_kind(*columns: list[Any]) -> list[pl.Series]:
    """Columns of ids as whole numbers if all of them are, otherwise all as text."""
    whole = all(isinstance(x, int | np.integer) and not isinstance(x, bool) for c in columns for x in c)
    if whole and all(-(2**63) <= x < 2**63 for c in columns for x in c):
        return [pl.Series(c, dtype=pl.Int64) for c in columns]
    kinds = {isinstance(x, str) for c in columns for x in c}
    if kinds == {True, False} and len({str(x) for c in columns for x in c}) < len({x for c in columns for x in c}):
        raise InputError("some ids are the same text but different objects, such as 1 and '1'")
    return [pl.Series([str(x) for x in c], dtype=pl.String) for c in columns]


def as_id(column: pl.Series, row_offset: int = 0) -> pl.Series:
    """Ids as whole numbers of 64 bits or as text; a RowError where one is missing or too long a number."""
    if column.null_count():
        raise RowError(int(column.is_null().arg_max() or 0) + row_offset, column.name, "the id is missing")
    if column.dtype.is_integer():
        numbers = column.cast(pl.Int64, strict=False)
        if numbers.null_count():
            row = int(numbers.is_null().arg_max() or 0)
            raise RowError(row, column.name, f"ids of more than 63 bits must be text; got {column[row]}")
        return numbers
    if column.dtype in (pl.String, pl.Categorical, pl.Enum):
        texts = column.cast(pl.String)
        if (empty := texts == "").any():
            raise RowError(int(empty.arg_max() or 0), column.name, "the id is missing")
        return texts
    if column.dtype == pl.Null and len(column) == 0:
        return column.cast(pl.Int64)
    raise InputError(f"column '{column.name}' holds {column.dtype}; ids are whole numbers or text")


def whole_numbers(
    frame: pl.DataFrame, columns: list[str], extra: pl.Series | None
) -> tuple[pl.DataFrame, pl.Series | None]:
    """Ids from text become numbers only where that loses nothing: all of them written as plain whole numbers."""
    texts = [frame[c] for c in columns] + ([] if extra is None else [extra])
    if any(t.dtype != pl.String for t in texts):
        return frame, extra
    if not all(t.str.contains(_PLAIN).all() for t in texts):
        return frame, extra
    numbers = [t.cast(pl.Int64, strict=False) for t in texts]
    if any(n.null_count() for n in numbers):
        return frame, extra
    return frame.with_columns(numbers[0], numbers[1]), None if extra is None else numbers[2]


def alike(ids: pl.Series) -> tuple[str, ...]:
    """A sentence about ids that differ in blanks, case or leading zeros alone; they stay different people.

    >>> alike(pl.Series(["Tom", "Tom ", "ann", "tom"]))
    ("the ids 'Tom', 'Tom ', 'tom' look alike and were kept apart",)
    """
    if ids.dtype != pl.String:
        return ()
    plain = ids.str.strip_chars().str.to_lowercase().str.replace_all(r"\s+", " ").str.replace(r"^0+(\d)", "${1}")
    if plain.n_unique() == len(ids):
        return ()
    groups = (
        pl.DataFrame({"id": ids, "plain": plain})
        .group_by("plain", maintain_order=True)
        .agg("id")
        .filter(pl.col("id").list.len() > 1)["id"]
    )
    shown = ", ".join(f"'{str(one)[:40]}'" for one in groups[0][:4])
    more = f", and so do {len(groups) - 1:,} more sets of ids" if len(groups) > 1 else ""
    return (f"the ids {shown} look alike and were kept apart{more}",)


def encode_ids(columns: list[pl.Series], extra: pl.Series | None = None) -> tuple[pl.Series, list[np.ndarray]]:
    """Sorted distinct ids, and every column as indices into them. `extra` adds people who never appear."""
    columns = [as_id(c) for c in columns]
    every = [*columns] if extra is None else [*columns, as_id(extra)]
    if len({c.dtype for c in every if len(c)}) > 1:
        every = [c.cast(pl.String) for c in every]
    else:
        dtype = next((c.dtype for c in every if len(c)), pl.Int64())
        every = [c.cast(dtype) for c in every]
    dense = _encode_dense(every)
    if dense is not None:
        return dense[0], dense[1][: len(columns)]
    ids = pl.concat([c.alias("node").unique() for c in every]).unique().sort()
    if len(ids) > np.iinfo(np.int32).max:
        raise InputError("more than two thousand million people do not fit one machine")
    return ids, [timebins.positions(c, ids) for c in every[: len(columns)]]


def _encode_dense(columns: list[pl.Series]) -> tuple[pl.Series, list[np.ndarray]] | None:
    """The same by a table over the whole range, where ids are numbers close together: no sorting, no hashing."""
    if columns[0].dtype != pl.Int64:  # text as numpy objects would take ten times its room
        return None
    filled = [c.to_numpy() for c in columns if len(c)]
    if not filled:
        return None
    low, high = min(int(c.min()) for c in filled), max(int(c.max()) for c in filled)
    if high - low >= 2 * sum(map(len, filled)) + 1_000_000:
        return None
    low = 0 if 0 <= low < 1_000_000 else low  # no shifted copy of every column
    there = np.zeros(high - low + 1, np.bool_)
    for column in filled:
        there[column - low if low else column] = True
    index = np.cumsum(there, dtype=np.int32) - np.int32(1)
    places = (c.to_numpy() for c in columns)
    return pl.Series("node", np.flatnonzero(there) + low), [index[c - low if low else c] for c in places]


def encode_slices(
    times: pl.Series | None, layers: pl.Series | None, ends: pl.Series | None, slicing: Slicing
) -> tuple[np.ndarray, np.ndarray | None, Iterable[tuple[str, str | None, str | None]], tuple[str, ...]]:
    """The slice of every contact, its row where contacts last, (label, layer, start) of every slice, and what was assumed.

    Layers stand in name order, bins in time order. A row that lasts over several bins is a contact in each of them.
    """
    if times is not None and len(times) == 0:
        raise InputError("there are no contacts, so there is no time span to cut into slices")
    if times is None and (slicing.cuts or ends is not None):
        raise InputError("a slice width was given but no time column")
    rows = None
    bins = None
    if times is not None and ends is not None:
        bins, rows = spells.cut_spells(times, ends, slicing)
    elif times is not None:
        bins = slicing.cut(times)
    if layers is None:
        if bins is None:
            return np.empty(0, np.int32), None, [("all", None, None)], ()
        return bins.codes, rows, ((label, None, label) for label in bins.labels), bins.said
    if layers.null_count():
        raise RowError(int(layers.is_null().arg_max() or 0), layers.name, "the layer is missing")
    names = timebins.value_bins(layers)
    if bins is None:
        return names.codes, None, ((layer, layer, None) for layer in names.labels), ()
    if len(names.labels) * len(bins.labels) > timebins.MAX_SLICES:
        raise InputError(
            f"layers and time bins together give more than {timebins.MAX_SLICES:,} slices; choose wider bins"
        )
    of_rows = names.codes if rows is None else names.codes[rows]
    codes = of_rows * np.int32(len(bins.labels)) + bins.codes
    parts = [(f"{layer}/{label}", layer, label) for layer in names.labels for label in bins.labels]
    if len({part[0] for part in parts}) < len(parts):
        raise InputError(
            "two slices would have the same label, because layers and times both have a '/' in their names"
        )
    return codes, rows, parts, bins.said


def simple_slices(
    u: np.ndarray, v: np.ndarray, t: np.ndarray, n_nodes: int, n_slices: int, *, directed: bool
) -> tuple[np.ndarray, np.ndarray, int, int]:
    """Drop self-loops, merge repeats, sort: (edges, starts, loops dropped, repeats merged)."""
    if len(t) == 0 and len(u):
        t = np.zeros(len(u), np.int32)
    keep = u != v
    loops = int(len(u) - np.count_nonzero(keep))
    if loops:
        u, v, t = u[keep], v[keep], t[keep]
    if not directed:
        u, v = np.minimum(u, v), np.maximum(u, v)
    if n_slices * n_nodes * n_nodes < 2**63:  # the usual case: one 64-bit key sorts all three at once
        key = t.astype(np.int64)
        for one in (u, v):  # in place: every further array of this length is memory
            key *= n_nodes
            key += one
        key.sort()
        key = key[np.concatenate([[True], key[1:] != key[:-1]])] if len(key) else key
        edges = np.empty((len(key), 2), np.int32)
        edges[:, 1] = key % max(n_nodes, 1)
        key //= max(n_nodes, 1)
        edges[:, 0] = key % max(n_nodes, 1)
        codes = key // max(n_nodes, 1)
    else:
        order = np.lexsort((v, u, t))
        u, v, t = u[order], v[order], t[order]
        new = np.concatenate([[True], (np.diff(u) != 0) | (np.diff(v) != 0) | (np.diff(t) != 0)])[: len(u)]
        edges, codes = np.column_stack([u[new], v[new]]).astype(np.int32), t[new]
    starts = np.searchsorted(codes, np.arange(n_slices + 1)).astype(np.int64)
    return edges, starts, loops, len(u) - len(edges)


def pairs_of(content: Any) -> tuple[list[tuple[Any, Any]], list[Any]]:
    """The edges and the nodes of one slice given as pairs, a networkx graph or a scipy sparse matrix."""
    if hasattr(content, "edges") and hasattr(content, "nodes"):
        return [(u, v) for u, v, *_ in content.edges()], list(content.nodes())
    if hasattr(content, "tocoo"):
        matrix = content.tocoo()
        if matrix.shape[0] != matrix.shape[1]:
            raise InputError(f"an adjacency matrix is square; got {matrix.shape[0]} × {matrix.shape[1]}")
        there = matrix.data != 0
        pairs = zip(matrix.row[there].tolist(), matrix.col[there].tolist(), strict=True)
        return list(pairs), list(range(matrix.shape[0]))
    if isinstance(content, np.ndarray):
        content = content.tolist()
    try:
        return [(u, v) for u, v in content], []
    except (TypeError, ValueError):
        raise InputError("a slice is a list of (u, v) pairs, a networkx graph or a scipy sparse matrix") from None
