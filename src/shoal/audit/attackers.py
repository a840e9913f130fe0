"""Attackers: each knows something about one person and looks for everybody it fits.

`crowds` gives, for every person (or a sample of people, or of slices), how many people fit what the attacker knows of them.
A crowd of 1 is a person found. Hashes of 64 bits stand for rows where rows are built on the fly; among a million
people two of them meet by accident with probability below 10^-7.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import ClassVar, Protocol

import numpy as np

from shoal.audit import _kernels
from shoal.audit.hashes import column_hash, mix, row_hashes
from shoal.common.crowds import crowd_sizes, distinct_columns
from shoal.common.edges import distinct, edge_keys
from shoal.graph import TemporalGraph

DRAWS = 50  # sets of slices looked at where there are more; fewer above 40,000 people, down to 10
PAIRS = 60_000_000  # comparisons of two people that may be afforded before people are sampled
FEWEST, SAMPLE = 200, 1_000  # how few and how many people are then looked at: shares within 7, and within 3 points
TOGETHER = 100_000  # people whose pairs are counted at once


@dataclass(frozen=True)
class Crowds:
    """Crowd sizes, one row per set of slices (or a single one), one column per person looked at.

    These are all people in their order, or those whose numbers are in `people`.
    """

    sizes: np.ndarray
    sampled: bool = False
    people: np.ndarray | None = None


class Attacker(Protocol):
    """Something that can be known about a person."""

    @property
    def name(self) -> str:
        """A short name, stable across versions."""

    @property
    def description(self) -> str:
        """One sentence that begins with 'knows'."""

    @property
    def covered(self) -> bool:
        """Whether k of the release guarantees a crowd of k against it, since it knows no more than the vector."""

    def crowds(self, graph: TemporalGraph, rng: np.random.Generator) -> Crowds:
        """How many people fit what is known of each person."""


@dataclass(frozen=True)
class Vector:
    """The attacker of the guarantee; or one who knows other `rows` of numbers, and finds everybody with the same."""

    name: str = "vector"
    description: str = "knows the number of edges in every slice"
    covered: bool = True
    rows: Callable[[TemporalGraph], np.ndarray] = TemporalGraph.degree_matrix

    def crowds(self, graph: TemporalGraph, rng: np.random.Generator) -> Crowds:
        """Everybody with the same row."""
        if self.rows is not TemporalGraph.degree_matrix:
            return Crowds(crowd_sizes(self.rows(graph))[None])
        _, crowd, count = distinct_columns(lambda: _columns(graph), graph.n_nodes, graph.n_columns)
        return Crowds(count[crowd][None])


class Strength(Vector):
    """Knows a number of calls, not of people called: covered by a release in which these are protected."""

    def __init__(self, covered: bool = False) -> None:
        super().__init__(
            "strength", "knows how many contacts somebody had in every slice", covered, TemporalGraph.strength_matrix
        )


class Contacts(Vector):
    """Knows how many different people somebody was ever in contact with."""

    def __init__(self) -> None:
        knows = "knows the number of different people somebody was in contact with over all slices"
        super().__init__("contacts", knows, False, _people_met)


@dataclass(frozen=True)
class AnySlices:
    """Knows some slices, drawn at random."""

    width: int
    covered: bool = True
    named: ClassVar[str] = "any-{}-slices"
    which: ClassVar[str] = "{} slice{}, whichever they are"

    @property
    def name(self) -> str:
        """any-3-slices."""
        return self.named.format(self.width)

    @property
    def description(self) -> str:
        """In words."""
        return "knows the number of edges in " + self.which.format(self.width, "s" * (self.width > 1))

    def crowds(self, graph: TemporalGraph, rng: np.random.Generator) -> Crowds:
        """All sets of slices where there are few, otherwise a sample of them."""
        chosen, every = self.sets(graph, _draws(graph), rng)
        return Crowds(_by_slices(graph, chosen), sampled=every > len(chosen))

    def sets(self, graph: TemporalGraph, most: int, rng: np.random.Generator) -> tuple[list[np.ndarray], int]:
        """Sets of slices, at most so many, and how many there are."""
        every = comb(graph.n_slices, self.width)
        if every <= most:
            return [np.array(c) for c in combinations(range(graph.n_slices), self.width)], every
        return [rng.choice(graph.n_slices, self.width, replace=False) for _ in range(most)], every


class Window(AnySlices):
    """Knows consecutive slices."""

    named, which = "window-{}", "{} consecutive slice{}"

    def sets(self, graph: TemporalGraph, most: int, rng: np.random.Generator) -> tuple[list[np.ndarray], int]:
        """Windows, at most so many, and how many there are."""
        layers = [part.layer for part in graph.slices]
        within = [len(set(layers[t : t + self.width])) == 1 for t in range(graph.n_slices - self.width + 1)]
        first = np.flatnonzero(within)  # what follows the last slice of a layer is another layer
        chosen = np.sort(rng.choice(first, most, replace=False)) if len(first) > most else first
        return [np.arange(t, t + self.width) for t in chosen], len(first)


@dataclass(frozen=True)
class OneBlock:
    """Knows every slice of one block of the calendar, for each person the one that tells most: the attacker of a horizon."""

    blocks: tuple[int, ...]
    name: str = "one-block"
    description: str = "knows the number of edges in every slice of one block of the calendar, whichever tells most"
    covered: bool = True

    def crowds(self, graph: TemporalGraph, rng: np.random.Generator) -> Crowds:
        """Everybody with the same row in a block; the smallest of each person's crowds."""
        numbers = np.array(self.blocks)
        sizes = _by_slices(graph, [np.flatnonzero(numbers == block) for block in np.unique(numbers)])
        return Crowds(sizes.min(axis=0, keepdims=True))


@dataclass(frozen=True)
class Approximate:
    """Knows every slice, but only roughly."""

    within: int = 0
    percent: float = 0.0
    covered: bool = True

    @property
    def name(self) -> str:
        """within-1 or within-10%."""
        return f"within-{self.percent:g}%" if self.percent else f"within-{self.within}"

    @property
    def description(self) -> str:
        """In words."""
        how = f"{self.percent:g} %" if self.percent else f"± {self.within}"
        return f"knows the number of edges in every slice to within {how}"

    def crowds(self, graph: TemporalGraph, rng: np.random.Generator) -> Crowds:
        """Everybody within the margin in all slices."""
        first, inverse, counts = distinct_columns(lambda: _columns(graph), graph.n_nodes, graph.n_columns)
        telling = np.argsort([-column.std() for column in _columns(graph)], kind="stable")
        columns = np.empty((len(telling), len(first)), np.int32)  # most candidates fail in the first few of these
        for row, c in zip(columns, telling.tolist(), strict=True):
            row[:] = graph.degree_column(c)[first]
        if len(first) ** 2 <= PAIRS:
            found = _kernels.fuzzy_crowds(
                columns, counts, np.arange(len(first)), float(self.within), self.percent / 100
            )
            return Crowds(found[inverse][None])
        people = rng.choice(graph.n_nodes, int(np.clip(PAIRS // 3 // len(first), FEWEST, SAMPLE)), replace=False)
        found = _kernels.fuzzy_crowds(columns, counts, inverse[people], float(self.within), self.percent / 100)
        return Crowds(found[None], sampled=True, people=people)


@dataclass(frozen=True)
class Neighbourhood:
    """Vertex refinement (Hay et al. 2008, doi:10.14778/1453856.1453873): also knows the vectors of the neighbours."""

    steps: int
    covered: bool = False

    @property
    def name(self) -> str:
        """neighbours-1."""
        return f"neighbours-{self.steps}"

    @property
    def description(self) -> str:
        """In words."""
        others = "their neighbours" if self.steps == 1 else "their neighbours, and of these people's neighbours"
        return f"knows the numbers of edges of a person and of {others}, slice by slice"

    def crowds(self, graph: TemporalGraph, rng: np.random.Generator) -> Crowds:
        """Everybody whose neighbourhood looks the same, by repeated hashing of the neighbours' hashes."""
        colour = row_hashes(graph)
        for _ in range(self.steps):
            around = np.zeros(graph.n_nodes, np.uint64)
            for t in range(graph.n_slices):
                u, v = graph.edges(t).T
                out_mark, in_mark = mix(np.array([4 * t + 1, 4 * t + (2 if graph.directed else 1)], np.uint64))
                np.add.at(around, u, mix(colour[v] ^ out_mark))
                np.add.at(around, v, mix(colour[u] ^ in_mark))
            colour = mix(colour + np.uint64(3) * mix(around))
        return Crowds(_kernels.crowds_of(colour)[None])


def _people_met(graph: TemporalGraph) -> np.ndarray:
    """How many different people everybody was in contact with; a contact is a contact in either direction.

    Some people after the other: slices are sorted by the lower end of their edges.
    """
    plain = [_turned(edges) if graph.directed else edges for _, edges in graph]
    met = np.zeros(graph.n_nodes, np.int64)
    for first in range(0, graph.n_nodes, TOGETHER):
        here = [slice(*np.searchsorted(edges[:, 0], (first, first + TOGETHER))) for edges in plain]
        pairs = distinct(np.concatenate([edge_keys(edges[some]) for edges, some in zip(plain, here, strict=True)]))
        for ends in (pairs >> 32, pairs & 0xFFFFFFFF):
            met += np.bincount(ends, minlength=graph.n_nodes)
    return met


def _turned(edges: np.ndarray) -> np.ndarray:
    """The lower end first, and sorted by it."""
    turned = np.sort(edges, axis=1)
    return turned[np.argsort(turned[:, 0], kind="stable")]


def _columns(graph: TemporalGraph) -> Iterator[np.ndarray]:
    """The degree matrix, column by column."""
    return map(graph.degree_column, range(graph.n_columns))


def columns_of(graph: TemporalGraph, slices: np.ndarray) -> np.ndarray:
    """The columns of the degree matrix that belong to these slices: in- and out-degrees where edges have a direction."""
    return np.concatenate([slices, slices + graph.n_slices]) if graph.directed else slices


def _draws(graph: TemporalGraph) -> int:
    return max(min(DRAWS, 2_000_000 // max(graph.n_nodes, 1)), 10)


def _by_slices(graph: TemporalGraph, chosen: list[np.ndarray]) -> np.ndarray:
    """Everybody's crowd, for each set of slices."""
    found = np.zeros((len(chosen), graph.n_nodes), np.uint64)
    within = [set(columns_of(graph, slices).tolist()) for slices in chosen]
    for column in sorted(set().union(*within)):
        hashes = column_hash(graph, column)
        for row, columns in zip(found, within, strict=True):
            if column in columns:
                row += hashes
    for row in found:
        row[:] = _kernels.crowds_of(row)
    return found.view(np.int64)


def usual_attackers(graph: TemporalGraph) -> list[Attacker]:
    """The attackers of an audit: the vector first, then those who know less, then those who know more."""
    widths = [w for w in (1, 2, 3, 5, 10, 20, 50) if w < graph.n_slices]
    found: list[Attacker] = [Vector(), *(AnySlices(w) for w in widths)]
    if graph.ordered and graph.n_slices > 2:
        longest = max(Counter(part.layer for part in graph.slices).values())
        found += [Window(w) for w in widths if 1 < w <= longest]
    found += [Approximate(within=1), Approximate(within=2), Approximate(percent=10), Contacts()]
    return [*found, Neighbourhood(1), Neighbourhood(2), *_by_contacts(graph)]


def few_attackers(graph: TemporalGraph) -> list[Attacker]:
    """One of each kind, for the report of a release."""
    some = [AnySlices(w) for w in (1, 3, 10) if w < graph.n_slices]
    return [Vector(), Approximate(within=1), *some, Contacts(), Neighbourhood(1), *_by_contacts(graph)]


def _by_contacts(graph: TemporalGraph) -> list[Attacker]:
    """Who knows how many contacts somebody had, where these are people's own, or protected; those drawn freely are nobody's."""
    if graph.contacts is None or graph.contacts.drawn == "freely":
        return []
    return [Strength(covered=graph.contacts.drawn == "shared")]
