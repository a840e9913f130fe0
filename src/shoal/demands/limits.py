"""Limits on what may change: edges only added or removed, edges that must stay, pairs kept apart, people left alone."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.common.checks import a_list
from shoal.errors import InputError
from shoal.graph import TemporalGraph
from shoal.realize import SliceLimits, SliceView

ALLOWED = ("both", "add", "remove")


class RowLimits(NamedTuple):
    """What stage 1 has to know: who is exempt, and the lowest and highest degree everybody can be given."""

    allow: str
    exempt: np.ndarray | None
    least: np.ndarray
    most: np.ndarray
    name: Callable[[int], str]

    def of_people(self, some: np.ndarray) -> RowLimits:
        """The same for some of the people, as a mask over all."""
        place = np.flatnonzero(some)
        exempt = None if self.exempt is None or not self.exempt[some].any() else self.exempt[some]
        return RowLimits(self.allow, exempt, self.least[some], self.most[some], lambda i: self.name(int(place[i])))


@dataclass(frozen=True, eq=False)
class Limits:
    """The limits of every slice. `exempt` marks the people about whom nothing may change; None where there are none.

    `lasting` are the pairs to keep and those to keep apart that were named for every slice, so for later ones too.
    """

    graph: TemporalGraph
    allow: str
    keep: list[np.ndarray]
    forbid: list[np.ndarray]
    exempt: np.ndarray | None
    lasting: tuple[np.ndarray, np.ndarray]

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
                exempt=self.exempt,
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
            self.allow, self.exempt, least[:, columns], most[:, columns], functools.partial(_name, self.graph.nodes)
        )

    def to_carry_on(self, names: list[str]) -> dict[str, Any]:
        """What holds for later slices too, by published names, for the private record."""
        people = [] if self.exempt is None else np.flatnonzero(self.exempt).tolist()
        keep, forbid = ([[names[u], names[v]] for u, v in pairs.tolist()] for pairs in self.lasting)
        return {"allow": self.allow, "keep": keep, "forbid": forbid, "exempt": [names[i] for i in people]}

    def digest(self) -> str:
        """The same for the same limits on the same graph."""
        found = hashlib.blake2b(self.allow.encode(), digest_size=16)
        people = np.flatnonzero(self.exempt) if self.exempt is not None else np.empty(0)
        for pairs in (*self.keep, *self.forbid, people):
            found.update(repr(pairs.shape).encode() + pairs.astype(np.int64).tobytes())
        return found.hexdigest()

    def in_words(self) -> str:
        """The limits as one or two sentences that name nobody and count nobody, for everybody who reads the release."""
        said = {
            "add": "Edges were only added: every original contact is in this release, and nobody had more contacts than here.",
            "remove": "Edges were only removed: every contact in this release took place, and nobody had fewer contacts than here.",
        }.get(self.allow)
        fixed = [
            words
            for words, there in (
                ("some people were left as they were", self.exempt is not None),
                ("some contacts had to stay", any(map(len, self.keep))),
                ("some pairs were not to be joined", any(map(len, self.forbid))),
            )
            if there
        ]
        listed = " and ".join([", ".join(fixed[:-1]), fixed[-1]] if len(fixed) > 1 else fixed)
        held = f"{listed[:1].upper()}{listed[1:]}, at the wish of whoever made the release." if fixed else None
        return " ".join(sentence for sentence in (said, held) if sentence)

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


class _Pairs(NamedTuple):
    """Pairs as positions, and the slice each is meant for; -1 for all of them."""

    ends: np.ndarray
    where: np.ndarray

    def of_slices(self, count: int) -> list[np.ndarray]:
        return [np.unique(self.ends[(self.where == t) | (self.where == -1)], axis=0) for t in range(count)]

    def lasting(self) -> np.ndarray:
        return np.unique(self.ends[self.where == -1], axis=0)


def make_limits(
    graph: TemporalGraph,
    *,
    allow: str,
    must_keep: Iterable[Any] | None,
    forbid: Iterable[Any] | None,
    exempt: Iterable[Any] | None,
    method: str,
    carried_on: bool = False,
) -> Limits | None:
    """Check the limits; None where anything may change. Edges to keep that are `carried_on` need not be there again."""
    if not isinstance(allow, str) or allow not in ALLOWED:
        raise InputError(f"unknown allow '{allow}'; known are {', '.join(ALLOWED)}")
    kept, barred = _pairs(graph, must_keep, "must_keep"), _pairs(graph, forbid, "forbid")
    if not carried_on:
        _refuse_missing(graph, kept)
    people = np.zeros(graph.n_nodes, bool)
    people[graph.places(() if exempt is None else exempt)] = True
    if allow == "both" and not len(kept.ends) and not len(barred.ends) and not people.any():
        return None
    if method != "search":
        raise InputError(f"limits on what may change need the method 'search'; '{method}' knows none")
    return Limits(
        graph,
        allow,
        kept.of_slices(graph.n_slices),
        barred.of_slices(graph.n_slices),
        people if people.any() else None,
        (kept.lasting(), barred.lasting()),
    )


def _pairs(graph: TemporalGraph, pairs: Iterable[Any] | None, what: str) -> _Pairs:
    """The pairs as positions; one without a slice counts in all of them."""
    place = {part.label: t for t, part in enumerate(graph.slices)}
    rows = [
        tuple(pair) if isinstance(pair, Iterable) and not isinstance(pair, str | bytes) else ()
        for pair in a_list(what, () if pairs is None else pairs)
    ]
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
    return _Pairs(ends, where)


def _refuse_missing(graph: TemporalGraph, kept: _Pairs) -> None:
    """An edge that must stay is there: in its slice, or in one of them at least."""
    key = np.array([graph.n_nodes, 1], np.int64)
    there = [graph.edges(t) @ key for t in range(graph.n_slices)]
    everywhere = np.unique(np.concatenate([*there, np.empty(0, np.int64)]))
    for pair, t in zip(kept.ends, kept.where.tolist(), strict=True):
        if (pair @ key) not in (everywhere if t < 0 else there[t]):
            one, other = (_name(graph.nodes, int(i)) for i in pair)
            where = "any slice" if t < 0 else f"slice '{graph.slices[t].label}'"
            raise InputError(f"must_keep: there is no edge between {one} and {other} in {where}, so none can stay")
