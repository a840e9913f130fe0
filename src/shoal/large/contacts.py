"""From a folder of Parquet to one file per slice: number the people, send every contact to its slice, count degrees.

Every function here is a task over one chunk of rows or one slice. People are numbered at random, so that the first ones are a fair
sample of all, and the number is the pseudonym.
"""

from __future__ import annotations

import hashlib
import urllib.parse
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.common.checks import a_text
from shoal.common.edges import edge_keys
from shoal.engine import Done, Tell
from shoal.engine.parts import read_array, read_facts
from shoal.errors import InputError, RowError
from shoal.group.exact import cheapest_cuts
from shoal.read.dialects import NO_PARQUET
from shoal.read.packed import most_unpacked, too_much
from shoal.read.text import first_line
from shoal.slicing import timebins

CHUNK_ROWS = 5_000_000
BLOCK_PEOPLE = 250_000
MOST_SLICES = 20_000


class Chunk(NamedTuple):
    """Some rows of a file, and the values that its path gives to columns (`day=3/part.parquet`)."""

    file: Path
    start: int
    rows: int
    fixed: dict[str, str]


class Contacts(NamedTuple):
    """A folder of contacts: its chunks, its columns, and the values and options that cut time into slices."""

    chunks: list[Chunk]
    columns: tuple[str, str, str]
    anchor: pl.Series
    cut: dict[str, Any]
    slices: list[str]


def find_contacts(folder: Path, source: str, target: str, time: str, cut: dict[str, Any]) -> Contacts:
    """Look at the files without reading them: how many rows, and which span of time (or which distinct values)."""
    timebins.check_cut(**cut)
    width = {} if cut["slice"] is None else {"slice": cut["slice"]}
    for role, name in {"source": source, "target": target, "time": time, **width}.items():
        a_text(role, name)
    files = sorted(folder.rglob("*.parquet"))
    if not files:
        raise InputError(f"{folder}: there is no .parquet file in this folder")
    chunks: list[Chunk] = []
    ends = []
    for file in files:
        parts = [part.split("=", 1) for part in file.relative_to(folder).parts[:-1] if "=" in part]
        fixed = {name: urllib.parse.unquote(value) for name, value in parts}
        try:
            scan = pl.scan_parquet(file, hive_partitioning=False)
            have, rows = scan.collect_schema(), int(scan.select(pl.len()).collect().item())
        except NO_PARQUET as error:
            raise InputError(f"{file}: cannot be read as Parquet ({first_line(error)})") from None
        if 8 * 3 * rows > (most := most_unpacked(file.stat().st_size)):
            raise too_much(file, most)
        for column in (source, target, time):
            if column not in have and column not in fixed:
                raise InputError(f"{file}: no column '{column}'; the columns are {', '.join([*have, *fixed])}")
        for column in (source, target):
            if column not in have or not have[column].is_integer():
                raise InputError(f"{file}, column '{column}': ids in a folder of Parquet must be whole numbers")
        chunks += [Chunk(file, i, min(CHUNK_ROWS, rows - i), fixed) for i in range(0, rows, CHUNK_ROWS)]
        if rows:
            ends.append(_ends(scan, time, fixed, cut, file))
    if not chunks:
        raise InputError(f"{folder}: there are no contacts in it")
    anchor = pl.concat(ends).unique().sort()
    slices = timebins.cut(anchor, **cut).labels
    if len(slices) > MOST_SLICES:
        raise InputError(
            f"{folder}: there would be {len(slices):,} slices, each a file of the release, and at most {MOST_SLICES:,} are made; "
            "choose wider ones"
        )
    return Contacts(chunks, (source, target, time), anchor, cut, slices)


def _ends(scan: pl.LazyFrame, time: str, fixed: dict[str, str], cut: dict[str, Any], file: Path) -> pl.Series:
    """The values of a file that decide about slices: the first and the last, or all where each is a slice."""
    if time in fixed:
        return pl.Series(time, [fixed[time]])
    column = pl.col(time)
    wanted = column.unique() if cut["slice"] == "value" else pl.concat([column.min(), column.max()])
    try:
        missing, found = pl.collect_all([scan.select(column.null_count()), scan.select(wanted)], engine="streaming")
    except NO_PARQUET as error:
        raise InputError(f"{file}: cannot be read ({first_line(error)})") from None
    if missing.item():
        raise InputError(f"{file}, column '{time}': {missing.item():,} times are missing")
    if found[time].dtype == pl.String and cut["slice"] != "value":
        raise InputError(
            f"{file}, column '{time}': times in a folder of Parquet must be dates, times or numbers, not text"
        )
    return found[time]


def look(piece: tuple[Chunk, tuple[str, str, str]], threads: int, tell: Tell) -> Done:
    """Who occurs in a chunk, and a digest of all that is in it."""
    chunk, columns = piece
    frame = _read(chunk, list(columns))
    ids = pl.concat([frame[column].alias("id") for column in columns[:2]])
    if ids.null_count():
        raise InputError(f"{chunk.file}: {ids.null_count():,} ids are missing")
    ids = ids.unique().sort()
    facts = {"low": int(ids[0]), "high": int(ids[-1]), "rows": chunk.rows, "digest": _digest(frame, columns)}
    return Done(facts, {"ids": ids.to_numpy()})


def _digest(frame: pl.DataFrame, columns: tuple[str, str, str]) -> str:
    """What a chunk says, whatever its file is called and when it was written."""
    found = hashlib.blake2b(digest_size=16)
    for column in columns[:2]:
        found.update(frame[column].to_numpy().data)
    times = frame[columns[2]]
    if times.dtype == pl.String:
        found.update(repr(times.value_counts().sort(times.name).rows()).encode())
    else:
        found.update(np.ascontiguousarray(times.to_physical().to_numpy()).data)
    return found.hexdigest()


def number_people(piece: tuple[list[Path], np.random.Generator], threads: int, tell: Tell) -> Done:
    """Everybody's id, ascending, and a random number for each."""
    looks, rng = piece
    facts = [read_facts(path) for path in looks]
    low, high, rows = min(f["low"] for f in facts), max(f["high"] for f in facts), sum(f["rows"] for f in facts)
    if high - low < 4 * rows + 1_000_000:
        there = np.zeros(high - low + 1, bool)
        for path in looks:
            there[read_array(path, "ids") - low] = True
        ids = np.flatnonzero(there) + low
    else:
        ids = np.empty(0, np.int64)
        for path in looks:
            ids = np.union1d(ids, read_array(path, "ids"))
    if len(ids) > np.iinfo(np.int32).max:
        raise InputError("more than two thousand million people are not supported")
    return Done({"people": len(ids)}, {"ids": ids, "number": rng.permutation(len(ids)).astype(np.int32)})


def send(piece: tuple[Chunk, Contacts, Path], threads: int, tell: Tell) -> Done:
    """The contacts of a chunk by slice, as numbers of people, the smaller first; self-loops are dropped."""
    chunk, contacts, people = piece
    source, target, time = contacts.columns
    frame = _read(chunk, [source, target, time])
    ids, number = read_array(people, "ids"), read_array(people, "number")
    one, other = (_positions(frame[column].to_numpy(), ids, number) for column in (source, target))
    times = frame[time].cast(contacts.anchor.dtype).alias(contacts.anchor.name)
    try:
        codes = timebins.cut(pl.concat([contacts.anchor, times]), **contacts.cut).codes[len(contacts.anchor) :]
    except RowError as error:
        raise InputError(f"{chunk.file}, column '{time}': {error.problem}") from None
    keep = one != other
    low, high, codes = np.minimum(one, other)[keep], np.maximum(one, other)[keep], codes[keep]
    order = np.argsort(codes.astype(np.uint16) if len(contacts.slices) < 2**16 else codes, kind="stable")
    bounds = np.searchsorted(codes[order], np.arange(len(contacts.slices) + 1))
    edges = np.column_stack([low[order], high[order]])
    arrays = {str(t): edges[a:b] for t, (a, b) in enumerate(pairwise(bounds))}
    return Done({"rows": chunk.rows, "loops": int(len(keep) - keep.sum())}, arrays)


def gather(piece: tuple[int, list[Path], int, int], threads: int, tell: Tell) -> Done:
    """One slice: its edges, sorted, each once; degrees in blocks of people; the least cost of this slice on its own."""
    t, sent, n, k = piece
    keys = np.concatenate([edge_keys(read_array(path, str(t))) for path in sent])
    rows = len(keys)
    keys.sort()
    keys = keys[np.concatenate([[True], keys[1:] != keys[:-1]])] if rows else keys
    edges = np.column_stack([keys >> 32, keys & 0xFFFFFFFF]).astype(np.int32)
    del keys
    degrees = np.bincount(edges.ravel(), minlength=n)
    degrees = degrees.astype(np.min_scalar_type(int(degrees.max(initial=0))))
    bound = cheapest_cuts(np.sort(degrees).astype(np.int32), k)[0]
    blocks = {f"degrees/{b}": degrees[a : a + BLOCK_PEOPLE] for b, a in enumerate(range(0, n, BLOCK_PEOPLE))}
    return Done({"edges": len(edges), "repeats": rows - len(edges), "bound": bound}, {"edges": edges, **blocks})


def _read(chunk: Chunk, columns: list[str]) -> pl.DataFrame:
    scan = pl.scan_parquet(chunk.file, hive_partitioning=False).slice(chunk.start, chunk.rows)
    scan = scan.with_columns(pl.lit(value).alias(name) for name, value in chunk.fixed.items())
    try:
        return scan.select(columns).with_columns(pl.col(columns[:2]).cast(pl.Int64)).collect()
    except NO_PARQUET as error:
        raise InputError(f"{chunk.file}: cannot be read ({first_line(error)})") from None


def _positions(values: np.ndarray, ids: np.ndarray, number: np.ndarray) -> np.ndarray:
    """The number of every id, through a table where ids lie close together."""
    low, span = int(ids[0]), int(ids[-1]) - int(ids[0]) + 1
    if span > 4 * len(ids):
        return number[np.searchsorted(ids, values)]
    table = np.zeros(span, np.int32)
    table[ids - low] = number
    return table[values - low]
