"""From a folder of Parquet to one file per slice: number the people, send every contact to its slice, count degrees.

Every function with the ending of a task (piece, threads, tell) works on one chunk of rows or one slice. People, slices and edges
come out as `shoal.read` makes them of the same contacts in one file.
"""

from __future__ import annotations

import urllib.parse
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.contacts import build
from shoal.contacts.behind import Edges, kind_kept, whole_counts
from shoal.contacts.behind import gather as behind_edges
from shoal.engine import Result, Tell
from shoal.engine.parts import Array, load
from shoal.errors import InputError, RowError
from shoal.large.anchor import Anchor, as_times, packed, slices_of, times_of, unpacked
from shoal.large.graph import held_arrays, sorted_edges
from shoal.read import choose_columns
from shoal.read.dialects import NO_PARQUET, Layout
from shoal.read.packed import most_unpacked, too_much
from shoal.read.text import Table, first_line
from shoal.slicing import Slicing, timebins

CHUNK_ROWS = 5_000_000
HEAD_ROWS = 20_000  # by which columns are guessed
MOST_SLICES = 20_000


class Chunk(NamedTuple):
    """Some rows of a file, and the values that its path gives to columns (`day=3/part.parquet`)."""

    file: Path
    start: int
    rows: int
    fixed: dict[str, str]


class Contacts(NamedTuple):
    """A folder of contacts: its chunks, its columns by what they mean, those guessed or not used, and how time is cut.

    `kept` are the times of contacts, their counts, or neither.
    """

    chunks: list[Chunk]
    columns: dict[str, str]
    guessed: dict[str, str]
    unused: tuple[str, ...]
    slicing: Slicing
    kept: str | None = None


def find_contacts(folder: Path, told: dict[str, str | None], slicing: Slicing, kind: str | None = None) -> Contacts:
    """Look at the files without reading them: how many rows, and which columns."""
    files = sorted(folder.rglob("*.parquet"))
    if not files:
        raise InputError(f"{folder}: there is no .parquet file in this folder")
    chunks: list[Chunk] = []
    named: dict[str, str] = {}
    count = {role: name for role, name in told.items() if role == "count" and name is not None}
    told = {role: name for role, name in told.items() if role != "count"}
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
            named |= count
            unused = tuple(name for name in head.columns if name not in named.values())
        for column in named.values() if rows else ():
            if column not in have and column not in fixed:
                raise InputError(f"{file}: no column '{column}'; the columns are {', '.join([*have, *fixed])}")
        chunks += [Chunk(file, i, min(CHUNK_ROWS, rows - i), fixed) for i in range(0, rows, CHUNK_ROWS)]
    if not chunks:
        raise InputError(f"{folder}: there are no contacts in it")
    try:
        return Contacts(chunks, named, guessed, unused, slicing, kind_kept(kind, named, slicing))
    except InputError as error:
        raise InputError(f"{folder}: {error}") from None


def look(piece: tuple[Chunk, Contacts], threads: int, tell: Tell) -> Result:
    """Who occurs in a chunk, and which times and layers."""
    chunk, contacts = piece
    columns = _read(chunk, contacts)
    try:
        ids = [build.as_id(columns[role]).alias("id") for role in ("source", "target")]
        facts: dict[str, Any] = {"rows": chunk.rows}
        arrays: dict[str, Array] = {"source": packed(ids[0].unique()), "target": packed(ids[1].unique())}
        if "count" in columns:
            whole_counts(columns["count"])
        values = {role: columns[role] for role in ("time", "layer") if role in columns}
        if "time" in values and contacts.slicing.slice != "value":
            facts["times"] = times_of(values.pop("time"), contacts.slicing)
        for role, column in values.items():
            if (missing := column.is_null()).any():
                raise RowError(int(missing.arg_max() or 0), column.name, f"the {role} is missing")
            if (distinct := column.unique()).len() > MOST_SLICES:
                raise too_many(chunk.file.parent, distinct.len())
            arrays[role] = packed(distinct)
    except RowError as error:
        raise _at(chunk, error) from None
    return Result(facts, arrays)


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
        us = replace(slicing, day_first=days).moments(times).us
        times = as_times(us, anchor.times.dtype != pl.Datetime("us"))
    codes = (
        slices_of(anchor, times, columns.get("layer"), slicing).codes
        if n_slices > 1
        else np.zeros(chunk.rows, np.int32)
    )
    keep = ends[0] != ends[1]
    codes, rows = codes[keep], [np.column_stack(ends)[keep]]
    if contacts.kept == "times":
        rows.append(us[keep])
    elif "count" in columns:
        rows.append(whole_counts(columns["count"])[keep])
    order = np.argsort(codes.astype(np.uint16) if n_slices < 2**16 else codes, kind="stable")
    bounds = np.searchsorted(codes[order], np.arange(n_slices + 1))
    arrays: dict[str, Array] = {}
    for name, column in zip(("", "/more"), (one[order] for one in rows), strict=False):
        arrays |= {f"{t}{name}": column[a:b] for t, (a, b) in enumerate(pairwise(bounds))}
    return Result({"loops": int(len(keep) - keep.sum())}, arrays)


class Sent(NamedTuple):
    """What was sent to a slice: ends of contacts, and where asked for, their times or counts."""

    ends: list[Array]
    more: list[Array]
    kept: str | None
    n: int
    directed: bool


def gather(piece: Sent, threads: int, tell: Tell) -> Result:
    """One slice: its edges, sorted, each once; degrees in blocks of people; and what is kept of the contacts behind edges."""
    ends = np.concatenate([load(part) for part in piece.ends])
    edges, repeats = sorted_edges(ends, piece.n, directed=piece.directed)
    arrays = held_arrays(edges, piece.n, piece.directed)
    if piece.kept is not None:
        more = np.concatenate([load(part) for part in piece.more]) if piece.more else None
        weights, times = (None, more) if piece.kept == "times" else (more, None)
        whole = Edges(edges, np.array([0, len(edges)]), piece.n, piece.directed)
        counts, times = behind_edges(whole, ends[:, 0], ends[:, 1], np.zeros(len(ends), np.int32), weights, times)
        arrays |= {"counts": counts} | ({} if times is None else {"times": times})
    return Result({"repeats": repeats}, arrays)


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
