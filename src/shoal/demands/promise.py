"""What a release promises: how large everybody's crowd is, and how much of the history an attacker may know.

In the plain case everybody stands in a crowd of at least k and the attacker knows all slices. Two things can differ. People
may have levels of their own, 1 being unprotected (S. Chester et al., "Anonymizing Subsets of Social Networks with Degree
Constraints", ASONAM 2012). And with a horizon the attacker knows any one block of the calendar, so that crowds may
change from block to block.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from shoal.common.checks import shown, whole
from shoal.common.crowds import distinct_columns
from shoal.errors import GuaranteeError, InputError
from shoal.graph import TemporalGraph
from shoal.slicing.timebins import parse_width

_START = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d))?)?)?)?(?:[+-]\d\d:\d\d)?$")


@dataclass(frozen=True, eq=False)
class Promise:
    """`levels[i]` is the k of person i; `blocks[t]` the block of slice t, all 0 without a horizon.

    Where the attacker knows `attributes` too, only people of one of the `strata` can be in a crowd; where they know numbers of
    `contacts` too, crowds have these in common as well.
    """

    levels: np.ndarray
    blocks: np.ndarray
    horizon: str | None
    strata: np.ndarray | None = None
    attributes: tuple[str, ...] = ()
    contacts: bool = False

    @property
    def k(self) -> int:
        """The highest level anybody has."""
        return int(self.levels.max(initial=1))

    @property
    def for_everybody(self) -> bool:
        """Whether all people have the same level."""
        return bool((self.levels == self.k).all())

    @property
    def n_blocks(self) -> int:
        """Parts of the history that are protected each on its own."""
        return int(self.blocks.max(initial=0)) + 1

    def slices(self, block: int) -> np.ndarray:
        """The slices of a block."""
        return np.flatnonzero(self.blocks == block)

    def columns(self, block: int, *, directed: bool) -> np.ndarray:
        """The columns of the degree matrix that belong to a block: in- and out-degrees where edges have a direction."""
        here = self.slices(block)
        return np.concatenate([here, here + len(self.blocks)]) if directed else here

    def crowds(self, graph: TemporalGraph) -> np.ndarray:
        """(n_blocks, n) how many people share each person's row in each block."""
        return np.stack([np.bincount(labels)[labels] for labels in self.crowd_labels(graph)])

    def crowd_labels(self, graph: TemporalGraph) -> list[np.ndarray]:
        """For every block, everybody's crowd as a number."""
        first = [] if self.strata is None else [self.strata]
        found = []
        for block in range(self.n_blocks):
            columns = self.columns(block, directed=graph.directed).tolist()
            rows = lambda of=columns: chain(first, map(graph.degree_column, of))  # noqa: E731
            found.append(distinct_columns(rows, graph.n_nodes, len(first) + len(columns))[1])
        return found

    def check(self, graph: TemporalGraph) -> None:
        """Refuse to give away a graph that breaks the promise, counted from its edges."""
        if (self.crowds(graph) < self.levels).any():
            raise GuaranteeError("somebody stands in too small a crowd; nothing was released, please report this")

    def lasting(self, labels: list[np.ndarray], graph: TemporalGraph) -> np.ndarray:
        """Groups of people alike in the whole graph: those of the one block, or larger ones where people changed crowds."""
        first = np.unique(labels[0], return_index=True)[1]
        columns = map(graph.degree_column, range(graph.n_columns))
        if len(labels) == 1 and all((of == of[first][labels[0]]).all() for of in columns):
            return labels[0]
        return replace(self, blocks=np.zeros_like(self.blocks)).crowd_labels(graph)[0]

    def people_by_level(self) -> dict[int, int]:
        """How many people have each level."""
        levels, counts = np.unique(self.levels, return_counts=True)
        return {int(level): int(count) for level, count in zip(levels, counts, strict=True)}


def make_promise(
    graph: TemporalGraph,
    k: Any,
    *,
    protect: Iterable[Any] | None = None,
    horizon: str | int | None = None,
) -> Promise:
    """Check and spell out what is asked for; see `anonymize` for the parameters."""
    TemporalGraph.check(graph, "anonymize")
    levels = _levels(graph, k) if protect is None else _subset(graph, k, protect)
    return Promise(levels, _blocks(graph, horizon), None if horizon is None else str(horizon))


def _whole(level: Any, graph: TemporalGraph) -> int:
    level = whole("k", level, 1)
    if level > max(graph.n_nodes, 1):
        raise InputError(f"k must be at most the number of people, {graph.n_nodes:,}; got {shown(level)}")
    return level


def _levels(graph: TemporalGraph, k: Any) -> np.ndarray:
    """One level per person, from a number, a mapping of ids to levels, or one level per node."""
    if isinstance(k, Mapping):
        levels = np.ones(graph.n_nodes, np.int64)
        levels[graph.places(k.keys())] = [_whole(level, graph) for level in k.values()]
        return levels
    if isinstance(k, list | tuple | np.ndarray | pl.Series):
        if len(k) != graph.n_nodes:
            raise InputError(f"k must give one level for each of the {graph.n_nodes:,} people; got {len(k):,}")
        return np.array([_whole(level, graph) for level in k], np.int64)
    return np.full(graph.n_nodes, _whole(k, graph), np.int64)


def _subset(graph: TemporalGraph, k: Any, protect: Iterable[Any]) -> np.ndarray:
    levels = np.ones(graph.n_nodes, np.int64)
    levels[graph.places(protect)] = _whole(k, graph)
    return levels


def _blocks(graph: TemporalGraph, horizon: str | int | None) -> np.ndarray:
    """The block of every slice: so many time bins in a row, or those that begin in the same part of the calendar."""
    if horizon is None:
        return np.zeros(graph.n_slices, np.int64)
    if not graph.ordered:
        raise InputError("a horizon is a stretch of time, and these slices have no order in time")
    starts, count = _starts(graph), horizon
    if isinstance(horizon, str) and re.fullmatch(r"\s*[0-9]{1,18}\s*", horizon):
        count = int(horizon)
    if isinstance(count, str):
        keys = calendar_stretches(graph, count, "give the horizon as a number of slices")
    elif isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise InputError(f"a horizon is a width such as 1mo, or a number of slices from 1; got {shown(horizon)}")
    else:
        bins = {start: i for i, start in enumerate(dict.fromkeys(starts))}
        keys = [bins[start] // int(count) for start in starts]
    order = {key: i for i, key in enumerate(sorted(set(keys)))}
    return np.array([order[key] for key in keys], np.int64)


def _starts(graph: TemporalGraph) -> list[str]:
    return [part.start if part.start is not None else part.label for part in graph.slices]


def calendar_stretches(graph: TemporalGraph, width: str, instead: str) -> list[Any]:
    """The beginning of the stretch of the calendar that each slice lies in; `instead` says what to do where there is none."""
    parse_width(width)
    starts = _starts(graph)
    parts = [_START.match(start) for start in starts]
    if not all(parts):
        raise InputError(
            f"slice '{starts[[bool(p) for p in parts].index(False)]}' has no place in the calendar; "
            f"{instead}, or with --origin the date that times count from"
        )
    fields = [
        [int(x or default) for x, default in zip(p.groups(), (1, 1, 1, 0, 0, 0), strict=True)] for p in parts if p
    ]
    times = pl.DataFrame(fields, schema=["y", "mo", "d", "h", "mi", "s"], orient="row").select(
        pl.datetime("y", "mo", "d", "h", "mi", "s").dt.truncate(width)
    )
    return times.to_series().to_list()
