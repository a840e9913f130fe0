"""The contacts behind the edges of a graph: how many each edge stands for, and when they were. Kept only where asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.common.checks import one_of
from shoal.contacts.slices import Sliced
from shoal.errors import InputError, RowError
from shoal.slicing import Slicing
from shoal.slicing.moments import short
from shoal.slicing.timeforms import TimeForm

KINDS = ("times", "counts")
MOST = 10**9  # what a line may count for: sums stay far below 63 bits


class Clock(NamedTuple):
    """When slices begin and end, (T, 2) in microseconds; the grid that all times lie on; and how they are written."""

    spans: np.ndarray
    base: int
    step: int
    form: TimeForm
    timezone: str


class Edges(NamedTuple):
    """The edges of a graph as it keeps them: sorted by slice and ends, and where each slice begins."""

    ends: np.ndarray
    starts: np.ndarray
    n_nodes: int
    directed: bool

    def keys(self, u: np.ndarray, v: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """One number for every edge (u, v) in a slice, in the order of the edges."""
        if (len(self.starts) - 1) * self.n_nodes**2 >= 2**63:
            raise InputError("contacts cannot be kept behind the edges of so many people in so many slices")
        if not self.directed:
            u, v = np.minimum(u, v), np.maximum(u, v)
        return (codes.astype(np.int64) * self.n_nodes + u) * self.n_nodes + v


@dataclass(frozen=True, eq=False)
class EdgeContacts:
    """`counts[i]` contacts are behind edge i; `times` are all of them edge by edge, in order, where there is a clock.

    Those of a release are `drawn`: "freely", or so that they are "shared" out alike in a crowd.
    """

    counts: np.ndarray
    times: np.ndarray | None = None
    clock: Clock | None = None
    drawn: str | None = None

    @property
    def kind(self) -> str:
        """What is known of them: "times", or only "counts"."""
        return "counts" if self.times is None else "times"

    def of_slice(self, first: int, last: int) -> tuple[np.ndarray, np.ndarray | None]:
        """Counts and times behind the edges from `first` up to `last`."""
        counts = self.counts[first:last]
        if self.times is None:
            return counts, None
        begin = int(self.counts[:first].sum())
        return counts, self.times[begin : begin + int(counts.sum())]

    def of_slices(self, starts: np.ndarray, chosen: list[int]) -> EdgeContacts:
        """What is behind the edges of these slices; `starts` is where each begins."""
        parts = [self.of_slice(starts[t], starts[t + 1]) for t in chosen]
        clock = None if self.clock is None else self.clock._replace(spans=self.clock.spans[chosen])
        return joined(parts, clock, self.drawn)

    def moved(self, edges: Edges, u: np.ndarray, v: np.ndarray, codes: np.ndarray, there: np.ndarray) -> EdgeContacts:
        """The same contacts where edge `there[i]` has become (u[i], v[i]) in the slice codes[i] of these edges."""
        counts = self.counts[there]
        if self.times is None:
            return EdgeContacts(gather(edges, u, v, codes, counts)[0], drawn=self.drawn)
        times = self.times[np.repeat(there, self.counts)]
        u, v, codes = (np.repeat(one, counts) for one in (u, v, codes))
        return EdgeContacts(*gather(edges, u, v, codes, times=times), self.clock, self.drawn)


def joined(
    parts: list[tuple[np.ndarray, np.ndarray | None]], clock: Clock | None, drawn: str | None = None
) -> EdgeContacts:
    """The contacts of slices, one after the other."""
    counts = np.concatenate([*(part[0] for part in parts), np.empty(0, np.int64)]).astype(np.int64)
    if clock is None:
        return EdgeContacts(counts, drawn=drawn)
    return EdgeContacts(counts, np.concatenate([np.empty(0, np.int64), *(part[1] for part in parts)]), clock, drawn)


def gather(
    edges: Edges,
    u: np.ndarray,
    v: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray | None = None,
    times: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray | None]:
    """Counts and times edge by edge, from contacts in any order, each of an edge or of somebody with themself."""
    every = np.repeat(np.arange(len(edges.starts) - 1), np.diff(edges.starts))
    known = edges.keys(edges.ends[:, 0], edges.ends[:, 1], every)
    wanted = edges.keys(u, v, codes if len(codes) == len(u) else np.zeros(len(u), np.int32))
    there = np.flatnonzero(u != v)
    place = np.searchsorted(known, wanted[there])
    if not np.array_equal(known[np.minimum(place, len(known) - 1)] if len(known) else place, wanted[there]):
        raise ValueError("contacts of no edge")
    some = None if weights is None else weights[there]
    counts = np.bincount(place, some, minlength=len(known)).astype(np.int64)
    return counts, None if times is None else times[there][np.lexsort((times[there], place))]


def contacts_behind(
    edges: Edges,
    ends: list[np.ndarray],
    sliced: Sliced,
    columns: Mapping[str, pl.Series],
    kind: str | None,
    slicing: Slicing,
) -> EdgeContacts | None:
    """What is asked for: the times of contacts, or how many there are, which a column `count` may say line by line."""
    if kind is None and "count" not in columns:
        return None
    if kind is not None:
        one_of("contacts", kind, KINDS)
    u, v = ends
    if kind == "times":
        return _timed(edges, u, v, sliced, columns, slicing)
    weights = _weights(columns["count"]) if "count" in columns else None
    if weights is not None and sliced.rows is not None:
        weights = weights[sliced.rows]
    return EdgeContacts(gather(edges, u, v, sliced.codes, weights)[0])


def _timed(
    edges: Edges,
    u: np.ndarray,
    v: np.ndarray,
    sliced: Sliced,
    columns: Mapping[str, pl.Series],
    slicing: Slicing,
) -> EdgeContacts:
    if "time" not in columns:
        raise InputError("these contacts have no times; how many there are can be published (--contacts counts)")
    if "count" in columns:
        raise InputError("a line with a count stands for contacts whose times it does not tell; say --contacts counts")
    if sliced.rows is not None:
        raise InputError("contacts that last from a time to another have no single time; say --contacts counts")
    if sliced.spans is None:
        raise InputError(
            "times of contacts are published in slices of a width, such as --slice 1d: slices of equal number are cut at the "
            "first and last contact, and listed ones have no length; --contacts counts goes with any"
        )
    found = slicing.moments(columns["time"])
    step = int(np.gcd.reduce(found.us - found.us[0])) or 1
    counts, times = gather(edges, u, v, sliced.codes, times=found.us)
    clock = Clock(sliced.spans, int(found.us[0]) % step, step, found.form, slicing.timezone)
    return EdgeContacts(counts, times, clock)


def _weights(column: pl.Series) -> np.ndarray:
    """Whole numbers from 1, as text or numbers; a bad one is a RowError."""
    texts = column.str.strip_chars() if column.dtype == pl.String else column
    numbers = texts.cast(pl.Float64, strict=False)
    bad = numbers.is_null() | (numbers < 1) | (numbers > MOST) | (numbers != numbers.round(0))
    if bad.fill_null(True).any():
        row = int(bad.fill_null(True).arg_max() or 0)
        said = "nothing" if column[row] is None else f"'{short(str(column[row]))}'"
        raise RowError(
            row,
            column.name,
            f"a count is a whole number from 1 to {MOST:,}, and so is a duration, in whole seconds or minutes; got {said}",
        )
    return numbers.to_numpy()
