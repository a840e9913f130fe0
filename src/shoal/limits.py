"""Limits on what may change: edges only added or removed, edges that must stay, pairs kept apart, people left alone."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.errors import InputError
from shoal.graph import TemporalGraph
from shoal.realize import SliceLimits, SliceView

ALLOWED = ("both", "add", "remove")


class RowLimits(NamedTuple):
    """What stage 1 has to know: who is pinned, and the lowest and highest degree everybody can be given."""

    allow: str
    pinned: np.ndarray | None
    least: np.ndarray
    most: np.ndarray
    name: Callable[[int], str]


@dataclass(frozen=True, eq=False)
class Limits:
    """The limits of every slice. `pinned` marks the people about whom nothing may change; None where there are none."""

    graph: TemporalGraph
    allow: str
    keep: list[np.ndarray]
    forbid: list[np.ndarray]
    pinned: np.ndarray | None

    def of_slice(self, t: int) -> SliceLimits:
        """What may change in slice t, and how far everybody can go in it."""
        return self._slices[t]

    @functools.cached_property
    def _slices(self) -> list[SliceLimits]:
        n, directed, found = self.graph.n_nodes, self.graph.directed, []
        for t, part in enumerate(self.graph.slices):
            edges, key = self.graph.edges(t), np.array([n, 1], np.int64)
            limits = SliceLimits(
                allow=self.allow,
                must_keep=np.isin(edges @ key, self.keep[t] @ key),
                forbidden=self.forbid[t],
                exempt=self.pinned,
                where=f"slice '{part.label}'",
                name=functools.partial(_name, self.graph.nodes),
            )
            ranges = SliceView(edges, np.arange(n), directed=directed, limits=limits).ranges
            found.append(replace(limits, ranges=ranges))
        return found

    def of_columns(self, columns: np.ndarray) -> RowLimits:
        """How far everybody can go in these columns of the degree matrix."""
        least, most = self._ranges
        return RowLimits(
            self.allow, self.pinned, least[:, columns], most[:, columns], functools.partial(_name, self.graph.nodes)
        )

    def digest(self) -> str:
        """The same for the same limits on the same graph."""
        found = hashlib.blake2b(self.allow.encode(), digest_size=16)
        people = np.flatnonzero(self.pinned) if self.pinned is not None else np.empty(0)
        for pairs in (*self.keep, *self.forbid, people):
            found.update(repr(pairs.shape).encode() + pairs.astype(np.int64).tobytes())
        return found.hexdigest()

    @functools.cached_property
    def _ranges(self) -> tuple[np.ndarray, np.ndarray]:
        """The lowest and the highest degree everybody can be given, in the columns of the degree matrix."""
        n, found = self.graph.n_nodes, []
        for end in (0, 1):
            table = np.column_stack([limits.ranges[end] for limits in self._slices if limits.ranges is not None])
            found.append(np.hstack([table[n:], table[:n]]) if self.graph.directed else table)  # in before out
        return found[0], found[1]


def _name(nodes: pl.Series, i: int) -> str:
    return f"'{nodes[i]}'"


def make_limits(
    graph: TemporalGraph,
    *,
    allow: str,
    keep: Iterable[Any] | None,
    forbid: Iterable[Any] | None,
    exempt: Iterable[Any] | None,
    method: str,
) -> Limits | None:
    """Check the limits; None where anything may change."""
    if allow not in ALLOWED:
        raise InputError(f"unknown allow '{allow}'; known are {', '.join(ALLOWED)}")
    kept, barred = _pairs(graph, keep, "keep"), _pairs(graph, forbid, "forbid")
    people = np.zeros(graph.n_nodes, bool)
    people[graph.places(() if exempt is None else exempt)] = True
    if allow == "both" and not any(map(len, kept)) and not any(map(len, barred)) and not people.any():
        return None
    if method != "search":
        raise InputError(f"limits on what may change need the method 'search'; '{method}' knows none")
    return Limits(graph, allow, kept, barred, people if people.any() else None)


def _pairs(graph: TemporalGraph, pairs: Iterable[Any] | None, what: str) -> list[np.ndarray]:
    """The pairs of every slice as positions; a pair without a slice counts in all of them."""
    place = {part.label: t for t, part in enumerate(graph.slices)}
    rows = [tuple(pair) for pair in (() if pairs is None else pairs)]
    if any(len(row) not in (2, 3) for row in rows):
        raise InputError(f"{what} takes pairs (u, v), or (u, v, slice) for one slice")
    ends = np.column_stack([graph.places(row[side] for row in rows) for side in (0, 1)])
    if (ends[:, 0] == ends[:, 1]).any():
        raise InputError(f"{what} takes pairs of two different people")
    if not graph.directed:
        ends.sort(axis=1)
    where = np.full(len(rows), -1)
    for i, row in enumerate(rows):
        if len(row) == 3 and row[2] is not None:
            if str(row[2]) not in place:
                raise InputError(f"{what}: there is no slice '{row[2]}'")
            where[i] = place[str(row[2])]
    return [np.unique(ends[(where == t) | (where == -1)], axis=0) for t in range(graph.n_slices)]
