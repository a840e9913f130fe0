"""The contacts behind the edges of a graph: how many each edge stands for, and when they were. Kept only where asked for."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.common.checks import one_of
from shoal.contacts.slices import Sliced
from shoal.engine.parts import Array, load
from shoal.errors import InputError, RowError
from shoal.slicing import Slicing
from shoal.slicing.moments import short
from shoal.slicing.timeforms import TimeForm

KINDS = ("times", "counts", "carried")
CLAIMS = {"shared": "protected", "carried": "carried"}  # how contacts are drawn, and what a certificate calls that
MOST = 10**9  # what a line may count for: sums stay far below 63 bits


class Clock(NamedTuple):
    """When slices begin and end, (T, 2) in microseconds; the grid that all times lie on; and how they are written."""

    spans: np.ndarray
    base: int
    step: int
    form: TimeForm
    timezone: str

    def written(self, us: np.ndarray) -> pl.Series:
        """Moments as the input had its times, all as finely as the grid."""
        return self.form.written(us, self.timezone, np.array([self.base, self.base + self.step]))


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


class Behind(NamedTuple):
    """The contacts behind the edges of one slice, as pieces of work carry them: a count for each edge, and all times in turn."""

    counts: Array
    times: Array | None = None

    def loaded(self) -> tuple[np.ndarray, np.ndarray | None]:
        """Counts and times themselves, wherever they are."""
        return load(self.counts), None if self.times is None else load(self.times)


@dataclass(frozen=True, eq=False)
class EdgeContacts:
    """What is `behind` the edges, slice by slice; times are there where there is a clock.

    Those of a release are `drawn`: "freely", so that they are "shared" out alike in a crowd, or "carried" along with a tie.
    """

    behind: tuple[Behind, ...]
    clock: Clock | None = None
    drawn: str | None = None

    @property
    def kind(self) -> str:
        """What is known of them: "times", or only "counts"."""
        return "counts" if self.clock is None else "times"

    @property
    def counts(self) -> np.ndarray:
        """How many contacts are behind every edge of the graph."""
        return np.concatenate([np.empty(0, np.int64), *(load(one.counts) for one in self.behind)])

    @property
    def times(self) -> np.ndarray | None:
        """All times, edge by edge, those of an edge in order; in microseconds."""
        if self.clock is None:
            return None
        return np.concatenate(
            [np.empty(0, np.int64), *(load(one.times) for one in self.behind if one.times is not None)]
        )

    def totals(self) -> list[int]:
        """How many contacts every slice has; no more than one is held."""
        return [int(load(one.counts).sum()) for one in self.behind]

    def of_slices(self, chosen: list[int]) -> EdgeContacts:
        """What is behind the edges of these slices."""
        clock = None if self.clock is None else self.clock._replace(spans=self.clock.spans[chosen])
        return EdgeContacts(tuple(self.behind[t] for t in chosen), clock, self.drawn)

    def moved(self, edges: Edges, u: np.ndarray, v: np.ndarray, codes: np.ndarray, there: np.ndarray) -> EdgeContacts:
        """The same contacts where the edges `there` (a mask) have become (u[i], v[i]) in the slice codes[i] of these edges."""
        order = np.flatnonzero(there)[np.argsort(edges.keys(u, v, codes), kind="stable")]
        return split(edges.starts, *reordered(self.counts, self.times, order), self.clock, self.drawn)

    def digest(self) -> str:
        """A fingerprint of all of it."""
        h = hashlib.blake2b(repr(None if self.clock is None else self.clock[1:]).encode(), digest_size=16)
        for one in self.behind:
            for array in one.loaded():
                h.update(b"" if array is None else np.ascontiguousarray(array, np.int64).data)
        return h.hexdigest()


def split(
    starts: np.ndarray, counts: np.ndarray, times: np.ndarray | None, clock: Clock | None, drawn: str | None = None
) -> EdgeContacts:
    """The contacts of a whole graph cut into its slices, which begin at the edges `starts`."""
    cuts = starts[1:-1]
    by_slice = np.split(counts.astype(np.int64), cuts)
    if times is None or clock is None:
        return EdgeContacts(tuple(map(Behind, by_slice)), None, drawn)
    ends = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    return EdgeContacts(tuple(map(Behind, by_slice, np.split(times, ends[cuts]))), clock, drawn)


def reordered(counts: np.ndarray, times: np.ndarray | None, order: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """Counts and times of other edges, of which the i-th is the one that was at order[i].

    >>> reordered(np.array([2, 1]), np.array([5, 7, 3]), np.array([1, 0]))
    (array([1, 2]), array([3, 5, 7]))
    """
    mine = counts[order]
    if times is None:
        return mine, None
    first = (np.cumsum(counts) - counts)[order] - (np.cumsum(mine) - mine)
    return mine, times[np.repeat(first, mine) + np.arange(int(mine.sum()))]


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
    kind = kind_kept(kind, columns, slicing, lasting=sliced.rows is not None)
    if kind is None:
        return None
    u, v = ends
    if kind == "times" and sliced.spans is not None:
        found = slicing.moments(columns["time"])
        clock = make_clock(sliced.spans, [grid_of(found.us)], found.form, slicing)
        return split(edges.starts, *gather(edges, u, v, sliced.codes, times=found.us), clock)
    weights = whole_counts(columns["count"]) if "count" in columns else None
    if weights is not None and sliced.rows is not None:
        weights = weights[sliced.rows]
    return split(edges.starts, *gather(edges, u, v, sliced.codes, weights), None)


def kind_kept(kind: str | None, columns: Iterable[str], slicing: Slicing, *, lasting: bool = False) -> str | None:
    """What is kept of contacts with columns of these meanings: times, counts or nothing; one sentence where times cannot be.

    To be carried along, times are kept where there are any, else counts.
    """
    if kind is None:
        return "counts" if "count" in columns else None
    problem = _no_times(columns, slicing, lasting=lasting)
    if one_of("contacts", kind, KINDS) == "carried":
        return "times" if problem is None else "counts"
    if kind == "times" and problem is not None:
        raise InputError(problem)
    return kind


def _no_times(columns: Iterable[str], slicing: Slicing, *, lasting: bool) -> str | None:
    if "time" not in columns:
        return "these contacts have no times; how many there are can be published (--contacts counts)"
    if "count" in columns:
        return "a line with a count stands for contacts whose times it does not tell; say --contacts counts"
    if lasting:
        return "contacts that last from a time to another have no single time; say --contacts counts"
    if slicing.width is None:
        return (
            "times of contacts are published in slices of a width, such as --slice 1d: slices of equal number are cut at the "
            "first and last contact, and listed ones have no length; --contacts counts goes with any"
        )
    return None


def grid_of(us: np.ndarray) -> tuple[int, int]:
    """A moment and a step: all of these lie whole steps from it; 0 where they are one moment."""
    return int(us[0]), int(np.gcd.reduce(us - us[0]))


def make_clock(spans: np.ndarray, grids: list[tuple[int, int]], form: TimeForm, slicing: Slicing) -> Clock:
    """The clock of contacts whose parts lie on these grids."""
    first = grids[0][0]
    step = math.gcd(*(part for start, one in grids for part in (start - first, one))) or 1
    return Clock(spans, first % step, step, form, slicing.timezone)


def whole_counts(column: pl.Series) -> np.ndarray:
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
