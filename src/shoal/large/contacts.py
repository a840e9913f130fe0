"""From a folder of Parquet to one file per slice: number the people, send every contact to its slice, count degrees.

Every function with the ending of a task (piece, threads, tell) works on one chunk of rows or one slice. People, slices and edges
come out as `shoal.read` makes them of the same contacts in one file.
"""

from __future__ import annotations

import hashlib
import io
import urllib.parse
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.contacts import build
from shoal.contacts.slices import encode_slices
from shoal.engine import Result, Tell
from shoal.engine.parts import Array, load
from shoal.errors import InputError, RowError
from shoal.large.graph import held_arrays, sorted_edges
from shoal.read import choose_columns
from shoal.read.dialects import NO_PARQUET, Layout
from shoal.read.packed import most_unpacked, too_much
from shoal.read.text import Table, first_line
from shoal.slicing import Slicing, timebins

CHUNK_ROWS = 5_000_000
HEAD_ROWS = 20_000  # by which columns are guessed
MOST_SLICES = 20_000
ORDERS = {"as it is": None, "day": True, "month": False}  # how dates of two meanings may be read
MIXED = "some dates in it are written day first and some month first"


class Chunk(NamedTuple):
    """Some rows of a file, and the values that its path gives to columns (`day=3/part.parquet`)."""

    file: Path
    start: int
    rows: int
    fixed: dict[str, str]


class Contacts(NamedTuple):
    """A folder of contacts: its chunks, its columns by what they mean, those guessed or not used, and how time is cut."""

    chunks: list[Chunk]
    columns: dict[str, str]
    guessed: dict[str, str]
    unused: tuple[str, ...]
    slicing: Slicing


class Anchor(NamedTuple):
    """Rows that stand for all: with them before it, a chunk is cut into slices as the whole is. `times` are moments or values."""

    times: pl.Series | None
    layers: pl.Series | None
    order: bool | None = None


def find_contacts(folder: Path, told: dict[str, str | None], slicing: Slicing) -> Contacts:
    """Look at the files without reading them: how many rows, and which columns."""
    files = sorted(folder.rglob("*.parquet"))
    if not files:
        raise InputError(f"{folder}: there is no .parquet file in this folder")
    chunks: list[Chunk] = []
    named: dict[str, str] = {}
    for file in files:
        parts = [part.split("=", 1) for part in file.relative_to(folder).parts[:-1] if "=" in part]
        fixed = {name: urllib.parse.unquote(value) for name, value in parts}
        try:
            scan = pl.scan_parquet(file, hive_partitioning=False, glob=False)
            have, rows = scan.collect_schema(), int(scan.select(pl.len()).collect().item())
            head = scan.head(HEAD_ROWS).collect() if rows and not named else None
        except NO_PARQUET as error:
            raise InputError(f"{file}: cannot be read as Parquet ({first_line(error)})") from None
        if 8 * 3 * rows > (most := most_unpacked(file.stat().st_size)):
            raise too_much(file, most)
        if head is not None:
            head = head.with_columns(pl.lit(value).alias(name) for name, value in fixed.items())
            named, guessed = choose_columns(file, Layout(Table(head, str)), told, cut=slicing.cuts)
            unused = tuple(name for name in head.columns if name not in named.values())
        for column in named.values() if rows else ():
            if column not in have and column not in fixed:
                raise InputError(f"{file}: no column '{column}'; the columns are {', '.join([*have, *fixed])}")
        chunks += [Chunk(file, i, min(CHUNK_ROWS, rows - i), fixed) for i in range(0, rows, CHUNK_ROWS)]
    if not chunks:
        raise InputError(f"{folder}: there are no contacts in it")
    return Contacts(chunks, named, guessed, unused, slicing)


def packed(values: pl.Series) -> np.ndarray:
    """A column as bytes, whatever it holds."""
    stream = io.BytesIO()
    values.alias("value").to_frame().write_ipc(stream)
    return np.frombuffer(stream.getvalue(), np.uint8)


def unpacked(array: Array) -> pl.Series:
    """The column that was packed."""
    return pl.read_ipc(io.BytesIO(load(array).tobytes()))["value"]


def look(piece: tuple[Chunk, Contacts], threads: int, tell: Tell) -> Result:
    """Who occurs in a chunk, and which times and layers."""
    chunk, contacts = piece
    columns = _read(chunk, contacts)
    try:
        ids = [build.as_id(columns[role]).alias("id") for role in ("source", "target")]
        facts: dict[str, Any] = {"rows": chunk.rows}
        arrays: dict[str, Array] = {"source": packed(ids[0].unique()), "target": packed(ids[1].unique())}
        values = {role: columns[role] for role in ("time", "layer") if role in columns}
        if "time" in values and contacts.slicing.slice != "value":
            facts["times"] = _times(values.pop("time"), contacts.slicing)
        for role, column in values.items():
            if (missing := column.is_null()).any():
                raise RowError(int(missing.arg_max() or 0), column.name, f"the {role} is missing")
            if (distinct := column.unique()).len() > MOST_SLICES:
                raise too_many(chunk.file.parent, distinct.len())
            arrays[role] = packed(distinct)
    except RowError as error:
        raise _at(chunk, error) from None
    return Result(facts, arrays)


def _times(times: pl.Series, slicing: Slicing) -> dict[str, Any]:
    """What the times of a chunk tell about all: the first, the last, one that is no whole second; for each way to read them."""
    given = slicing.day_first
    wanted = {"as it is": given} if times.dtype != pl.String or given is not None else ORDERS
    found: dict[str, Any] = {}
    for name, order in wanted.items():
        try:
            us, relative, said, _ = replace(slicing, day_first=order).moments(times)
        except InputError as error:
            if len(wanted) == 1 or (name == "month" and all(one is None for one in found.values())):
                raise
            found[name] = None if isinstance(error, RowError) else str(error)
            continue
        fine = us[us % 1_000_000 != 0][:1].tolist()
        digest = hashlib.blake2b(us.tobytes(), digest_size=16).hexdigest()
        found[name] = {"ends": [int(us.min()), int(us.max()), *fine], "relative": relative, "said": said, "us": digest}
    return found


def anchor_of(looks: list[Result]) -> tuple[Anchor, tuple[str, ...]]:
    """Rows that cut every chunk as the whole is cut, and what was assumed about times."""
    values = {role: _distinct([done.arrays[role] for done in looks]) if role in looks[0].arrays else None
              for role in ("time", "layer")}  # fmt: skip
    if "times" not in looks[0].facts:
        return Anchor(values["time"], values["layer"]), ()
    read = [done.facts["times"] for done in looks]
    order = _order(read)
    name = next(name for name, value in ORDERS.items() if value is order)
    chosen = [one.get(name, one["as it is"]) for one in read]
    if not all(isinstance(one, dict) for one in chosen):
        raise InputError(MIXED)
    relative = all(one["relative"] for one in chosen)
    us = np.unique([end for one in chosen for end in one["ends"]])
    said = tuple(dict.fromkeys(text for one in chosen for text in one["said"] if relative or not one["relative"]))
    return Anchor(_as_times(us, relative), values["layer"], order), said


def _order(read: list[dict[str, Any]]) -> bool | None:
    """Whether days come first in dates, where some chunk proves it; None where there is no doubt."""
    doubts = [one for one in read if len(one) > 1 and not _same(one["day"], one["month"])]
    proofs = {_same(one["as it is"], one["day"]) for one in doubts if isinstance(one["as it is"], dict)}
    if not proofs and doubts:
        raise InputError(next(one["as it is"] for one in doubts))
    if len(proofs) > 1:
        raise InputError(MIXED)
    return proofs.pop() if proofs else None


def _same(one: Any, other: Any) -> bool:
    return isinstance(one, dict) and isinstance(other, dict) and one["us"] == other["us"]


def _as_times(us: np.ndarray, relative: bool) -> pl.Series:
    """Moments as `timebins` takes them: numbers where they count from some beginning, else dates."""
    return pl.Series("time", us) if relative else pl.Series("time", us).cast(pl.Datetime("us"))


def _distinct(arrays: list[Array]) -> pl.Series:
    columns = [unpacked(array) for array in arrays]
    if len({column.dtype for column in columns}) > 1:
        columns = [column.cast(pl.String) for column in columns]
    return pl.concat(columns).unique().sort()


def slices_of(
    anchor: Anchor, times: pl.Series | None, layers: pl.Series | None, slicing: Slicing
) -> tuple[np.ndarray, Any, Any]:
    """The slice of every row, the slices of the whole, and what was assumed."""
    length = max(len(column) if column is not None else 0 for column in anchor[:2])
    both: list[pl.Series | None] = []
    for before, here in ((anchor.times, times), (anchor.layers, layers)):
        if before is None:
            both.append(None)
            continue
        first = before.gather(np.arange(length) % len(before))
        both.append(first if here is None else pl.concat([first, here.cast(before.dtype).alias(first.name)]))
    counted = slicing.slice != "value" and both[0] is not None and both[0].dtype.is_numeric()
    read = replace(slicing, time_format=None, day_first=None, origin=None, time_unit="us" if counted else "s")
    found = encode_slices(both[0], both[1], None, read)
    codes, labels, said = found.codes, found.labels, found.said
    return codes[length:], labels, said


def number_people(piece: tuple[list[Array], pl.Series | None], threads: int, tell: Tell) -> Result:
    """Everybody's id, sorted; as numbers where all are written as whole numbers."""
    ids: pl.Series | None = None
    for column in (*(() if piece[1] is None else (build.as_id(piece[1]),)), *map(unpacked, piece[0])):
        if ids is not None and ids.dtype != column.dtype:
            ids, column = ids.cast(pl.String), column.cast(pl.String)
        ids = (column.alias("id") if ids is None else pl.concat([ids, column.alias("id")])).unique()
    assert ids is not None
    if ids.dtype == pl.String:
        ids = build.whole_numbers(pl.DataFrame({"id": ids, "too": ids}), ["id", "too"], None)[0]["id"].unique()
    if len(ids) > np.iinfo(np.int32).max:
        raise InputError("more than two thousand million people are not supported")
    return Result({"people": len(ids)}, {"ids": packed(ids.sort())})


def send(piece: tuple[Chunk, Contacts, Anchor, Array, int], threads: int, tell: Tell) -> Result:
    """The contacts of a chunk by slice, as numbers of people; self-loops are dropped."""
    chunk, contacts, anchor, people, n_slices = piece
    columns, ids = _read(chunk, contacts), unpacked(people)
    ends = [timebins.positions(build.as_id(columns[role]).cast(ids.dtype), ids) for role in ("source", "target")]
    times = columns.get("time")
    slicing = contacts.slicing
    if times is not None and slicing.slice != "value" and anchor.times is not None:
        days = anchor.order if slicing.day_first is None else slicing.day_first
        times = _as_times(replace(slicing, day_first=days).moments(times).us, anchor.times.dtype != pl.Datetime("us"))
    codes = (
        slices_of(anchor, times, columns.get("layer"), slicing)[0] if n_slices > 1 else np.zeros(chunk.rows, np.int32)
    )
    keep = ends[0] != ends[1]
    codes, edges = codes[keep], np.column_stack(ends)[keep]
    order = np.argsort(codes.astype(np.uint16) if n_slices < 2**16 else codes, kind="stable")
    bounds = np.searchsorted(codes[order], np.arange(n_slices + 1))
    edges = edges[order]
    return Result(
        {"loops": int(len(keep) - keep.sum())}, {str(t): edges[a:b] for t, (a, b) in enumerate(pairwise(bounds))}
    )


def gather(piece: tuple[list[Array], int, bool], threads: int, tell: Tell) -> Result:
    """One slice: its edges, sorted, each once; and degrees in blocks of people."""
    sent, n, directed = piece
    edges, repeats = sorted_edges(np.concatenate([load(part) for part in sent]), n, directed=directed)
    return Result({"repeats": repeats}, held_arrays(edges, n, directed))


def _read(chunk: Chunk, contacts: Contacts) -> dict[str, pl.Series]:
    """The columns of a chunk by what they mean."""
    scan = pl.scan_parquet(chunk.file, hive_partitioning=False, glob=False).slice(chunk.start, chunk.rows)
    scan = scan.with_columns(pl.lit(value).alias(name) for name, value in chunk.fixed.items())
    try:
        frame = scan.select(set(contacts.columns.values())).collect()
    except NO_PARQUET as error:
        raise InputError(f"{chunk.file}: cannot be read ({first_line(error)})") from None
    return {role: frame[name] for role, name in contacts.columns.items()}


def _at(chunk: Chunk, error: RowError) -> InputError:
    return InputError(f"{chunk.file}, row {chunk.start + error.row + 1}, column '{error.column}': {error.problem}")


def too_many(folder: Path, count: int) -> InputError:
    """Every slice is a file, and no folder should have more."""
    return InputError(
        f"{folder}: there would be {count:,} slices, each a file of the release, and at most {MOST_SLICES:,} are made; "
        "choose wider ones"
    )
