"""The contacts of a release, for verify: cut into the slices as the folder says, they give exactly its edges.

Shares no code with what drew or wrote them. Times are numbers or ISO 8601; `from` and `until` of the slices say which slice a
time is in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.audit._released import Check, Released, kind_of, numbered, places_of
from shoal.audit._tables import BROKEN, Unreadable, read_table

_WHOLE = re.compile(r"[1-9]\d{0,17}", re.ASCII)
_NUMBER = r"^-?(0|[1-9]\d*)(\.\d+)?$"
_MOMENT = r"^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{6})?)?)?([+-]\d\d:\d\d)?$"


def check_contacts(
    folder: Path, claims: dict[str, Any], part: Released, first: np.ndarray, sizes: np.ndarray
) -> list[Check]:
    """Whether the contacts of a release are those of its edges, each edge with at least one, sorted and of the claimed number.

    Where numbers of contacts are protected, they split no crowd: people begin in the crowds `first` and end in those of `sizes`.
    """
    kind = kind_of(claims)
    if kind is None:
        return []
    protected, behind = "protected" in claims["contacts"], dict[int, np.ndarray]()
    outside = n_rows = total = n_given = n_edges = 0
    same = True
    for here, table in _tables(folder, kind, part):
        u, v, t, counts, missing = (_read_counts if kind == "counts" else _read_times)(table, part)
        new = np.ones(len(u), bool)
        new[1:] = (np.diff(u) != 0) | (np.diff(v) != 0) | (np.diff(t) != 0)
        slices = [part.edges(s) for s in here]
        edges = [np.column_stack([np.full(len(e.u), s), e.u, e.v]) for s, e in zip(here, slices, strict=True)]
        given, wanted = np.column_stack([t, u, v])[new], np.concatenate([*edges, np.empty((0, 3), np.int64)])
        same = same and np.array_equal(given, wanted)
        outside, n_rows, total = outside + missing, n_rows + len(u), total + int(counts.sum())
        n_given, n_edges = n_given + len(given), n_edges + len(wanted)
        if protected and same:
            numbers = np.add.reduceat(counts, np.flatnonzero(new)) if len(new) else counts
            behind |= zip(here, np.split(numbers, np.cumsum([len(e.u) for e in slices])[:-1]), strict=True)
    some = f"{n_edges:,} edges" if same else f"they give {n_given:,} edges, and there are {n_edges:,}, or others"
    checks = []
    if kind == "times":
        detail = f"{outside:,} of {n_rows:,} are not" if outside else f"{n_rows:,} contacts"
        checks.append(Check("every contact is within a slice", not outside, detail))
    said = claims["contacts"]["released"]
    checks.append(Check("the contacts, cut into the slices, give exactly the edges", same and not outside, some))
    checks.append(Check("there are as many contacts as the certificate says", total == said, f"{total:,}"))
    if protected and same:
        apart = _set_apart(claims, part, first, sizes, behind)
        detail = f"{apart:,} people have other numbers than their crowd" if apart else "in every slice"
        checks.append(Check("everybody in a crowd has as many contacts", apart == 0, detail))
    return checks


def _tables(folder: Path, kind: str, part: Released) -> Iterator[tuple[list[int], pl.DataFrame]]:
    """The table of all contacts, or a file for each slice; with it the slices whose contacts it must hold."""
    many = len(part.slices)
    columns = ["source", "target", *(["slice", "count"] if kind == "counts" else ["time"])]
    columns += ["layer"] if kind == "times" and part.has_layer else []
    if not (folder / "contacts").is_dir():
        yield list(range(many)), read_table(folder, "contacts", columns)
        return
    files = sorted(path.name for path in (folder / "contacts").iterdir())
    if files != [f"{s + 1:05}.parquet" for s in range(many)]:
        raise Unreadable(f"contacts: expected one file for each of {many:,} slices, 00001.parquet and so on")
    for s, name in enumerate(files):
        yield [s], read_table(folder / "contacts", name.removesuffix(".parquet"), columns)


def _set_apart(
    claims: dict[str, Any], part: Released, first: np.ndarray, sizes: np.ndarray, behind: dict[int, np.ndarray]
) -> int:
    """How many people are in a smaller crowd of some block by their edges and contacts than by their edges alone."""
    n, apart = len(part.people), np.zeros(len(part.people), bool)
    for block in range(len(sizes)):
        crowd = first
        for s in np.flatnonzero(part.blocks == block).tolist():
            edges = part.edges(s)
            for weights in (None, behind[s]):
                out, into = (np.bincount(end, weights, minlength=n).astype(np.int64) for end in (edges.u, edges.v))
                for number in (out, into) if claims["directed"] else (out + into,):
                    ranks = np.unique(number, return_inverse=True)[1]
                    crowd = np.unique(crowd * (n + 1) + ranks, return_inverse=True)[1]
        apart |= np.bincount(crowd)[crowd] < sizes[block]
    return int(apart.sum())


_Rows = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]


def _read_counts(table: pl.DataFrame, part: Released) -> _Rows:
    if not all(_WHOLE.fullmatch(count) for count in table["count"].unique()):
        raise Unreadable("contacts: a count is not a whole number from 1")
    u, v = (_places(table[side], part.people) for side in ("source", "target"))
    return u, v, _places(table["slice"], part.table["slice"]), table["count"].cast(pl.Int64).to_numpy(), 0


def _read_times(table: pl.DataFrame, part: Released) -> _Rows:
    """Every contact and the slice it is in by its time; those of no slice are counted and given to the first."""
    layers, slices = part.has_layer, part.table
    if not {"from", "until"} <= set(slices.columns) or slices["from"].null_count() or slices["until"].null_count():
        raise Unreadable("the slices do not say from when until when they last")
    since, until, times = (_moments(one) for one in (slices["from"], slices["until"], table["time"]))
    slice_of = np.full(len(table), -1, np.int64)
    names = slices["layer"] if layers else pl.Series([""] * len(slices))
    rows = table["layer"] if layers else pl.Series([""] * len(table))
    for name in names.unique(maintain_order=True):
        here, mine = np.flatnonzero((names == name).to_numpy()), np.flatnonzero((rows == name).to_numpy())
        low, high = since[here], until[here]
        if not ((low < high).all() and (high[:-1] <= low[1:]).all()):
            raise Unreadable("slices: from and until do not follow each other in time")
        place = np.searchsorted(low, times[mine], side="right") - 1
        inside = (place >= 0) & (times[mine] < high[place])
        slice_of[mine[inside]] = here[place[inside]]
    u, v = (_places(table[side], part.people) for side in ("source", "target"))
    outside = int((slice_of < 0).sum())
    slice_of[slice_of < 0] = 0
    steps = (np.diff(slice_of) == 0) & (np.diff(u) == 0) & (np.diff(v) == 0)
    if (np.diff(times)[steps] < 0).any():
        raise Unreadable("contacts: the times of an edge are not in order")
    return u, v, slice_of, np.ones(len(table), np.int64), outside


def _moments(column: pl.Series) -> np.ndarray:
    """Times as numbers that can be compared: numbers as they are, ISO 8601 as microseconds since 1970."""
    if column.str.contains(_NUMBER).all():
        if not column.str.contains(".", literal=True).any():
            return column.cast(pl.Int64).to_numpy()
        return column.cast(pl.Float64).to_numpy()
    if not column.str.contains(_MOMENT).all():
        raise Unreadable(f"column '{column.name}' holds times that are neither numbers nor ISO 8601")
    try:
        parts = column.str.extract_groups(r"^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d)?(\.\d+)?)?([+-]\d\d:\d\d)?$")
        day, clock, second, rest, zone = (parts.struct.field(str(i)) for i in range(1, 6))
        whole = day + "T" + clock.fill_null("00:00") + second.fill_null(":00") + rest.fill_null(".000000")
        moments = whole + zone.fill_null("+00:00")
        return moments.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f%:z", time_unit="us").dt.epoch("us").to_numpy()
    except BROKEN:
        raise Unreadable(f"column '{column.name}' holds times that do not exist") from None


def _places(column: pl.Series, listed: pl.Series) -> np.ndarray:
    codes = places_of(column, numbered(listed))
    if codes.null_count():
        raise Unreadable(f"contacts: column '{column.name}' has names that are in no other table")
    return codes.to_numpy().astype(np.int64)
