"""Counting crowds for verify, and the blocks of the calendar within which they are counted. Shares no code with the stages."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.audit._released import Check, Edges, Released, numbered, places_of
from shoal.audit._tables import BROKEN
from shoal.audit._traits import fewest_values

_WIDTH = re.compile(r"[1-9]\d{0,8}(s|m|h|d|w|mo|y)", re.ASCII)
_BEGINNING = re.compile(r"(\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d)?)?)?)?)(?:[+-]\d\d:\d\d)?", re.ASCII)
_MIDNIGHT = "0000-01-01T00:00:00"  # what the beginning of a year, a month, a day or a minute leaves out


class Walk(NamedTuple):
    """What was seen on the way through the slices of a release; `sizes` are (blocks, people) how large everybody's crowd is."""

    sizes: np.ndarray
    n_crowds: int
    n_edges: int
    loops: int
    again: int
    unsorted: int
    turned: int
    strangers: int
    elsewhere: int
    fewest: int


def walk(
    part: Released, first: np.ndarray, values: np.ndarray | None, *, directed: bool, tell: Callable[[float], None]
) -> Walk:
    """Go through the slices once, one after the other, and count crowds and what is wrong with edges.

    Refinement: everybody starts in the crowd `first` of their attributes, and every slice splits crowds by the degree in it
    (in- and out-degree where edges have a direction). Crowds are numbered anew after each split, so nothing is hashed and
    nothing can collide.
    `fewest` is the smallest number of different `values` in a crowd that tells any.
    """
    n, n_blocks = len(part.people), int(part.blocks.max(initial=0)) + 1
    sizes = np.empty((n_blocks, n), np.int32)
    n_crowds, done, wrong, fewest = 0, 0, np.zeros(len(Walk._fields) - 3, np.int64), np.iinfo(np.int64).max
    for block in range(n_blocks):
        crowd = first
        for s in np.flatnonzero(part.blocks == block).tolist():
            edges = part.edges(s)
            crowd = _split(crowd, edges, directed=directed)
            wrong += _faults(edges, n, directed=directed)
            done += 1
            tell(done / len(part.slices))
        count = np.bincount(crowd)
        sizes[block], n_crowds = count[crowd], n_crowds + len(count)
        fewest = fewest if values is None else min(fewest, fewest_values(crowd, values))
    return Walk(sizes, n_crowds, *[*wrong.tolist(), fewest])


def _split(crowd: np.ndarray, edges: Edges, *, directed: bool) -> np.ndarray:
    """Crowds after a slice."""
    out_degree, in_degree = (np.bincount(end, minlength=len(crowd)) for end in (edges.u, edges.v))
    for degree in (out_degree, in_degree) if directed else (out_degree + in_degree,):
        if degree.any():
            crowd = _renumbered(crowd * (int(degree.max()) + 1) + degree)
    return crowd


def _renumbered(crowd: np.ndarray) -> np.ndarray:
    """Crowds numbered from 0 without gaps: by a table where numbers are not too far apart, else by sorting."""
    highest = int(crowd.max(initial=0))
    if highest > 4 * len(crowd):  # the table would take more room than the edges
        return np.unique(crowd, return_inverse=True)[1]
    there = np.zeros(highest + 1, bool)
    there[crowd] = True
    return (np.cumsum(there, dtype=np.int32) - 1)[crowd].astype(np.int64)


def _faults(edges: Edges, n: int, *, directed: bool) -> tuple[int, ...]:
    """Edges, loops, repeats, edges out of order, edges without a direction whose ends are, strangers, edges of other slices."""
    u, v = edges.u, edges.v
    loops = int((u == v).sum())
    a, b = (u, v) if directed else (np.minimum(u, v), np.maximum(u, v))
    rows, key = u * n + v, np.sort(a * n + b)
    again = int((key[1:] == key[:-1]).sum())
    unsorted, turned = int((rows[1:] < rows[:-1]).sum()), 0 if directed else int((u > v).sum())
    return len(u) + edges.strangers, loops, again, unsorted, turned, edges.strangers, edges.elsewhere


def everybody(parts: Sequence[Released]) -> tuple[pl.Series, list[np.ndarray]]:
    """Who is listed in any of the folders; and for each folder where its people stand in that list."""
    names = pl.concat([part.people.alias("node") for part in parts]).unique().sort()
    place = numbered(names)
    return names, [places_of(part.people, place).to_numpy().astype(np.int64) for part in parts]


def count_together(
    parts: Sequence[Released], places: Sequence[np.ndarray], first: Sequence[np.ndarray], n: int, *, directed: bool
) -> np.ndarray:
    """(1, people) how many share each person's degrees in all these releases; who is not listed in one is told apart by that.

    `first` are the crowds that people begin in, by their attributes in each release.
    """
    crowd = np.zeros(n, np.int64)
    for part, place, begin in zip(parts, places, first, strict=True):
        listed = np.zeros(n, np.int64)
        listed[place] = 1 + begin
        crowd = _renumbered(crowd * (int(listed.max(initial=0)) + 1) + listed)
        for s in range(len(part.slices)):
            edges = part.edges(s)
            crowd = _split(crowd, Edges(place[edges.u], place[edges.v]), directed=directed)
        crowd = _renumbered(crowd)
    return np.bincount(crowd)[crowd][None]


def check_edges(seen: Walk, *, partitioned: bool) -> list[Check]:
    """What only a file for each slice can get wrong, and: nobody has contact with themself, or twice with the same in a slice."""
    checks = [
        Check("every edge joins listed people", seen.strangers == 0, f"{seen.strangers:,} of {seen.n_edges:,} do not"),
        Check("every edge is in its slice", seen.elsewhere == 0, f"{seen.elsewhere:,} of {seen.n_edges:,} are not"),
    ]
    wrong = [f"{seen.loops:,} edges join a person to themself"] if seen.loops else []
    wrong += [f"{seen.again:,} edges occur again in the same slice"] if seen.again else []
    simple = Check("every slice is a simple graph", not wrong, "; ".join(wrong) or "no loops, no repeats")
    return [*(checks if partitioned else []), simple]


def check_order(part: Released, seen: Walk) -> Check:
    """Rows stand in the order of what they say, so that the order says nothing more: not who came first, not who wrote to whom."""
    numbers = part.people.cast(pl.Int64, strict=False)
    plain = bool(part.people.str.contains(r"^(0|-?[1-9][0-9]*)$").all()) and not numbers.null_count()
    wrong = []
    if not part.people.is_sorted() and not (plain and numbers.is_sorted()):
        wrong.append("people")
    if seen.unsorted or not part.in_turn:
        wrong.append("edges")
    if seen.turned:
        wrong.append("the two ends of edges without a direction")
    return Check(
        "the order of the rows says nothing", not wrong, f"not sorted: {', '.join(wrong)}" if wrong else "sorted"
    )


def check_blocks(part: Released, horizon: str | None) -> Check:
    """Crowds are counted within the blocks that the claimed horizon makes, and within no others."""
    name = "blocks of the calendar are those of the horizon"
    begins = [label if start is None else start for label, start in zip(part.slices, part.starts, strict=True)]
    expected = np.zeros(len(begins), np.int64) if horizon is None else blocks_of(begins, horizon.strip())
    if expected is None:
        return Check(name, False, "the slices cannot be cut by this horizon")
    n_blocks = int(expected.max(initial=0)) + 1
    if part.has_blocks != (n_blocks > 1) or not np.array_equal(part.blocks, expected):
        return Check(name, False, f"the horizon makes {n_blocks:,}, and the slices are in others")
    return Check(name, True, "no horizon" if horizon is None else f"{n_blocks:,} blocks")


def blocks_of(begins: list[str], horizon: str) -> np.ndarray | None:
    """The block of every slice by when it begins: so many in a row, or the same part of the calendar; None if it is neither."""
    if re.fullmatch(r"\d+", horizon, re.ASCII) and int(horizon):
        place = {start: i for i, start in enumerate(dict.fromkeys(begins))}
        return np.unique([place[start] // int(horizon) for start in begins], return_inverse=True)[1]
    if not _WIDTH.fullmatch(horizon) or not begins:
        return None
    found = [_BEGINNING.fullmatch(start) for start in begins]
    if not all(found):
        return None
    texts = pl.Series([one[1] + _MIDNIGHT[len(one[1]) :] for one in found if one])
    try:
        times = texts.str.to_datetime("%Y-%m-%dT%H:%M:%S").dt.truncate(horizon)
    except BROKEN:
        return None
    return np.unique(times.to_physical().to_numpy(), return_inverse=True)[1]
