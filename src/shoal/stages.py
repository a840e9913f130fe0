"""How each stage is done: by which method, on which kind of graph, under which limits.

| stage | method "search" | methods "greedy" and "optimal" (Rossi, Musolesi & Torsello 2015) |
|---|---|---|
| group | `search_groups` | `degree_anonymization` |
| realize | `choose_degrees`, `choose_pairs` (directed) | medians, `realize_slice`, `realize_pairs` |
| rebuild | `rewire`, `rewire_directed`; `rewire_single` (one slice); `rebuild_within` (limits) | `priority`, `priority_directed` |
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.checks import number, one_of, whole
from shoal.errors import GuaranteeError, InputError
from shoal.group import (
    EFFORTS,
    by_level,
    degree_anonymization,
    group_medians,
    group_sizes,
    lower_bound,
    search_groups,
)
from shoal.group.compatible import make_compatible
from shoal.group.medians import middle
from shoal.group.neighbours import find_crowd
from shoal.limits import RowLimits
from shoal.realize import choose_degrees, choose_pairs, realize_pairs, realize_slice
from shoal.rebuild import (
    priority,
    priority_directed,
    rebuild_within,
    rewire,
    rewire_directed,
    rewire_single,
)
from shoal.rebuild.within.board import SliceLimits

METHODS = ("search", "greedy", "optimal")
OBJECTIVES = ("edges", "l1")
# Slices up to this many edges go to the exact solver of the degree program.
EXACT_EDGES = {"fast": 0, "balanced": 1_000, "thorough": 4_000}
# What a group costs where edges may only be added or only be removed: its members go to the top, or to the bottom.
COSTS = {"both": "median", "add": "max", "remove": "min"}


@dataclass(frozen=True)
class How:
    """The options of `anonymize` that say how, not what."""

    method: str
    effort: str
    time_limit: float | None
    objective: str
    deletion_weight: float
    restarts: int

    def __post_init__(self) -> None:
        for name, value, known in (
            ("method", self.method, METHODS),
            ("effort", self.effort, tuple(EFFORTS)),
            ("objective", self.objective, OBJECTIVES),
        ):
            one_of(name, value, known)
        number("deletion_weight", self.deletion_weight, 0, 1_000, above=True)
        whole("restarts", self.restarts, 1)
        if self.time_limit is not None:
            number("time_limit", self.time_limit, 0, math.inf)
        if self.method != "search" and self.effort != "balanced":
            raise InputError(f"effort is for the method 'search'; '{self.method}' has restarts instead")


class Groups(NamedTuple):
    """Who is with whom, the rounds of the paper's methods, and a cost that no grouping can undercut."""

    labels: np.ndarray
    rounds: list[int]
    bound: int


def group_people(
    rows: np.ndarray,
    ks: np.ndarray,
    how: How,
    *,
    within: RowLimits | None = None,
    bounded: bool = True,
    rng: np.random.Generator,
    jobs: int,
    tell: Callable[[float], None],
) -> Groups:
    """Stage 1 for one block of slices: groups with as many members as each of them asks for.

    Without `bounded` nobody asks how much cheaper other groups could be, and the bound is 0.
    """
    deadline = None if how.time_limit is None else time.monotonic() + how.time_limit
    crowd, rounds = None, list[int]()
    if how.method == "search":
        crowd = find_crowd(rows, ks, jobs=jobs, progress=lambda share: tell(0.2 * share))
        labels = search_groups(
            rows,
            ks,
            cost=COSTS[within.allow] if within is not None else "median",
            exempt=within.exempt if within is not None else None,
            rng=rng,
            effort=how.effort,
            time_limit=None if deadline is None else max(deadline - time.monotonic(), 0),
            jobs=jobs,
            progress=lambda share: tell(0.2 + 0.7 * share),
            crowd=crowd,
        )
        if within is not None:
            labels = make_compatible(labels, rows, ks, within.least, within.most, within.name)
    else:
        labels, rounds = _by_paper(rows, ks, how, deadline, rng, jobs, tell)
    return Groups(labels, rounds, lower_bound(rows, ks, jobs=jobs, crowd=crowd) if bounded else 0)


def _by_paper(
    rows: np.ndarray,
    ks: np.ndarray,
    how: How,
    deadline: float | None,
    rng: np.random.Generator,
    jobs: int,
    tell: Callable[[float], None],
) -> tuple[np.ndarray, list[int]]:
    """The groups of a method of the paper, which knows a single k, and how many rounds it took."""
    rounds: list[int] = []

    def one_level(some: np.ndarray, k: int) -> np.ndarray:
        left = None if deadline is None else max(deadline - time.monotonic(), 0)
        found = degree_anonymization(
            some, k, assignment=how.method, rng=rng, restarts=how.restarts, time_limit=left, jobs=jobs, progress=tell
        )
        rounds.extend(found.rounds)
        return found.labels

    k = int(ks.max(initial=1))
    return one_level(rows, k) if (ks == k).all() else by_level(rows, ks, one_level), rounds


def rebuild_slice(
    edges: np.ndarray,
    labels: np.ndarray,
    how: How,
    *,
    directed: bool,
    limits: SliceLimits | None = None,
    change_class: int | None = None,
    rng: np.random.Generator,
) -> np.ndarray:
    """Stages 2 and 3 for one slice: a simple graph in which the members of a group have equal degrees.

    `change_class` is the k of a slice that is released alone: its people may then change to another crowd.
    """
    n, sizes = len(labels), group_sizes(labels)
    if limits is not None:
        return rebuild_within(
            edges, n, labels, sizes, limits, directed=directed, deletion_weight=how.deletion_weight, rng=rng
        )
    if directed:
        return _rebuild_directed(edges, n, labels, sizes, how, rng)
    searching = how.method == "search"
    if searching and how.objective == "edges":
        if change_class is not None:
            return rewire_single(edges, n, labels, change_class, deletion_weight=how.deletion_weight, rng=rng)
        chosen, deleted = choose_degrees(
            edges, n, labels, sizes, deletion_weight=how.deletion_weight, rng=rng, exact_edges=EXACT_EDGES[how.effort]
        )
        return _exactly(chosen[labels], rewire(edges, n, chosen[labels], deleted=deleted, rng=rng))
    degrees = np.bincount(edges.ravel(), minlength=n)
    centres = middle(*group_medians(degrees[:, None], labels))[:, 0]
    wanted = realize_slice(centres, sizes, degrees, labels)[labels]
    return _exactly(wanted, rewire(edges, n, wanted, rng=rng) if searching else priority(edges, wanted, rng))


def _rebuild_directed(
    edges: np.ndarray, n: int, labels: np.ndarray, sizes: np.ndarray, how: How, rng: np.random.Generator
) -> np.ndarray:
    """The same for a slice whose edges have a direction: equal in-degrees and equal out-degrees."""
    deleted = None
    if how.method == "search" and how.objective == "edges":
        into, out, deleted = choose_pairs(
            edges, n, labels, sizes, deletion_weight=how.deletion_weight, rng=rng, exact_edges=EXACT_EDGES[how.effort]
        )
    else:
        degrees = np.column_stack([np.bincount(edges[:, side], minlength=n) for side in (1, 0)])
        centres = middle(*group_medians(degrees, labels))
        into, out = realize_pairs(centres[:, 0], centres[:, 1], sizes, degrees[:, 0], degrees[:, 1], labels)
    if how.method == "search":
        made = rewire_directed(edges, n, into[labels], out[labels], deleted=deleted, rng=rng)
    else:
        made = priority_directed(edges, into[labels], out[labels], rng)
    _exactly(into[labels], made[:, 1:])
    _exactly(out[labels], made[:, :1])
    return made


def _exactly(wanted: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """The edges, if they have these degrees: what was promised, looked at once more before anybody gets it."""
    if not np.array_equal(np.bincount(edges.ravel(), minlength=len(wanted)), wanted):
        raise GuaranteeError(
            "a slice was rebuilt with other degrees than chosen; nothing was released, please report this"
        )
    return edges
