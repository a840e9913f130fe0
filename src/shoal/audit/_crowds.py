"""Counting crowds for verify, and the blocks of the calendar within which they are counted. Shares no code with the stages."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import polars as pl

from shoal.audit._released import BROKEN, Check, Released

_WIDTH = re.compile(r"[1-9]\d{0,8}(s|m|h|d|w|mo|y)", re.ASCII)
_BEGINNING = re.compile(r"(\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d)?)?)?)?)(?:[+-]\d\d:\d\d)?", re.ASCII)
_MIDNIGHT = "0000-01-01T00:00:00"  # what the beginning of a year, a month, a day or a minute leaves out


def everybody(parts: Sequence[Released]) -> tuple[list[str], list[np.ndarray]]:
    """Who is listed in any of the folders, sorted; and for each folder where its people stand in that list."""
    names = sorted({name for part in parts for name in part.people})
    number = {name: i for i, name in enumerate(names)}
    return names, [np.array([number[name] for name in part.people], np.int64) for part in parts]


def count_crowds(
    parts: Sequence[Released], places: Sequence[np.ndarray], n: int, *, directed: bool
) -> tuple[np.ndarray, int]:
    """(blocks, people) how many share each person's degrees in each block; and the number of crowds of all blocks.

    Refinement: everybody starts in one crowd, and every slice splits crowds by the degree in it (in- and out-degree
    where edges have a direction). Somebody not listed in a folder is told apart by that. Crowds are numbered
    anew after each split, so nothing is hashed and nothing can collide.
    """
    n_blocks = int(max(part.blocks.max(initial=0) for part in parts)) + 1
    crowd = np.zeros((n_blocks, n), np.int64)
    for part, place in zip(parts, places, strict=True):
        listed = np.zeros(n, np.int64)
        listed[place] = 1
        crowd = crowd * 2 + listed
        order = np.argsort(part.t, kind="stable")
        bounds = np.searchsorted(part.t[order], np.arange(len(part.slices) + 1))
        for s, block in enumerate(part.blocks):
            here = order[bounds[s] : bounds[s + 1]]
            out_degree = np.bincount(place[part.u[here]], minlength=n)
            in_degree = np.bincount(place[part.v[here]], minlength=n)
            for degree in (out_degree, in_degree) if directed else (out_degree + in_degree,):
                if len(here):
                    split = crowd[block] * (int(degree.max()) + 1) + degree
                    crowd[block] = np.unique(split, return_inverse=True)[1]
    sizes, n_crowds = np.empty_like(crowd), 0
    for block in range(n_blocks):
        _, label, count = np.unique(crowd[block], return_inverse=True, return_counts=True)
        sizes[block] = count[label]
        n_crowds += len(count)
    return sizes, n_crowds


def check_simple(part: Released, *, directed: bool) -> Check:
    """Nobody has contact with themself, or twice with the same person in a slice."""
    name = "every slice is a simple graph"
    u, v, t, n = part.u, part.v, part.t, len(part.people)
    loops = int((u == v).sum())
    if loops:
        return Check(name, False, f"{loops:,} edges join a person to themself")
    a, b = (u, v) if directed else (np.minimum(u, v), np.maximum(u, v))
    if (int(t.max(initial=0)) + 1) * n * n < 2**63:
        key = np.sort((t * n + a) * n + b)
        again = int((key[1:] == key[:-1]).sum())
    else:
        order = np.lexsort((b, a, t))
        a, b, s = a[order], b[order], t[order]
        again = int(((a[1:] == a[:-1]) & (b[1:] == b[:-1]) & (s[1:] == s[:-1])).sum())
    return Check(
        name, again == 0, f"{again:,} edges occur again in the same slice" if again else "no loops, no repeats"
    )


def check_order(part: Released, *, directed: bool) -> Check:
    """Rows stand in the order of what they say, so that the order says nothing more: not who came first, not who wrote to whom."""
    u, v, t = part.u, part.v, part.t
    numbers = all(re.fullmatch(r"0|-?[1-9]\d*", name, re.ASCII) for name in part.people)
    wrong = []
    if part.people != sorted(part.people) and not (numbers and part.people == sorted(part.people, key=int)):
        wrong.append("people")
    steps = np.sign(np.diff(t)), np.sign(np.diff(u)), np.sign(np.diff(v))
    if (np.where(steps[0] != 0, steps[0], np.where(steps[1] != 0, steps[1], steps[2])) < 0).any():
        wrong.append("edges")
    if not directed and (u > v).any():
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
