"""How each stage is done: by which method, on which kind of graph, under which limits.

| stage | method "search" | methods "greedy" and "optimal" (Rossi, Musolesi & Torsello 2015) |
|---|---|---|
| group | `search_groups`; `needs_groups` where people have levels of their own or limits | `degree_anonymization` |
| realize | `choose_degrees` | medians, `realize_slice` |
| rebuild | `rewire`; `rewire_alone` (one slice); `rebuild_within` (limits) | `priority` |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.errors import GuaranteeError, InputError
from shoal.group import (
    EFFORTS,
    by_level,
    degree_anonymization,
    group_medians,
    lower_bound,
    needs_bound,
    needs_groups,
    search_groups,
)
from shoal.group.compatible import make_compatible
from shoal.group.medians import middle
from shoal.group.neighbours import find_crowd
from shoal.limits import RowLimits
from shoal.realize import Chosen, SliceLimits, SliceView, choose_degrees, realize_slice
from shoal.rebuild import priority, rebuild_within, rewire, rewire_alone

METHODS = ("search", "greedy", "optimal")
OBJECTIVES = ("edges", "l1")
# Slices up to this many edges go to the exact solver of the degree program.
EXACT_EDGES = {"fast": 0, "balanced": 1_000, "thorough": 4_000}
# How often the people of a slice that is released alone are looked through for crowds to change to.
CROWD_ROUNDS = {"fast": 1, "balanced": 3, "thorough": 6}
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
            if value not in known:
                raise InputError(f"unknown {name} '{value}'; known are {', '.join(known)}")
        if not 0 < self.deletion_weight <= 1_000:
            raise InputError(f"deletion_weight must be above 0 and at most 1,000; got {self.deletion_weight}")
        if self.deletion_weight != 1 and (self.method != "search" or self.objective != "edges"):
            raise InputError(
                "deletion_weight (--keep-edges) needs the method 'search' and the objective 'edges': medians leave nothing to weigh"
            )
        if self.restarts < 1:
            raise InputError(f"restarts must be at least 1; got {self.restarts}")


class Groups(NamedTuple):
    """Who is with whom, the rounds of the paper's methods, and a cost that no grouping can undercut."""

    labels: np.ndarray
    rounds: list[int]
    bound: int


def group_people(
    rows: np.ndarray,
    needs: np.ndarray,
    how: How,
    *,
    within: RowLimits | None = None,
    bounded: bool = True,
    rng: np.random.Generator,
    jobs: int,
    tell: Callable[[float], None],
) -> Groups:
    """Stage 1 for one block of slices: groups with as many members as the neediest of them needs.

    Without `bounded` nobody asks how much cheaper other groups could be, and the bound is 0.
    """
    k = int(needs.max(initial=1))
    plain = bool((needs == k).all()) and within is None
    if how.method != "search":
        rounds: list[int] = []

        def by_paper(some: np.ndarray, level: int) -> np.ndarray:
            found = degree_anonymization(
                some, level, assignment=how.method, rng=rng, restarts=how.restarts, jobs=jobs, progress=tell
            )
            rounds.extend(found.rounds)
            return found.labels

        if plain:
            return Groups(by_paper(rows, k), rounds, lower_bound(rows, k, jobs=jobs))
        return Groups(by_level(rows, needs, by_paper), rounds, needs_bound(rows, needs, jobs=jobs))
    if not plain:
        cost, pinned = (COSTS[within.allow], within.pinned) if within is not None else ("median", None)
        labels = needs_groups(
            rows, needs, cost=cost, pinned=pinned, rng=rng, effort=how.effort, jobs=jobs, progress=tell
        )
        if within is not None:
            labels = make_compatible(labels, rows, needs, within.least, within.most, within.name)
        return Groups(labels, [], needs_bound(rows, needs, jobs=jobs))
    crowd = find_crowd(rows, k, jobs=jobs, progress=lambda share: tell(0.2 * share))
    labels = search_groups(
        rows,
        k,
        rng=rng,
        effort=how.effort,
        time_limit=how.time_limit,
        jobs=jobs,
        progress=lambda share: tell(0.2 + 0.7 * share),
        crowd=crowd,
    )
    return Groups(labels, [], lower_bound(rows, k, jobs=jobs, crowd=crowd) if bounded else 0)


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
    view = SliceView(edges, labels, directed=directed, limits=limits)
    by_search, by_edges, exact = how.method == "search", how.objective == "edges", EXACT_EDGES[how.effort]
    if view.limited:
        return rebuild_within(
            view,
            lambda: realize(view, how, rng),
            deletion_weight=how.deletion_weight,
            exact_pairs=exact if by_edges else 0,
            rng=rng,
        )
    chosen = realize(view, how, rng)
    if change_class is not None and not directed and by_search and by_edges:
        weight, rounds = how.deletion_weight, CROWD_ROUNDS[how.effort]
        return rewire_alone(
            view, chosen, change_class, deletion_weight=weight, exact_edges=exact, rounds=rounds, rng=rng
        )
    wanted = chosen.levels[view.labels]
    made = rewire(view, wanted, deleted=chosen.deleted, rng=rng) if by_search else priority(view, wanted, rng)
    if not np.array_equal(SliceView(made, labels, directed=directed).degrees, wanted):
        raise GuaranteeError(
            "a slice was rebuilt with other degrees than chosen; nothing was released, please report this"
        )
    return made


def realize(view: SliceView, how: How, rng: np.random.Generator) -> Chosen:
    """Stage 2: one degree for each group, by the degree program or, as the paper does, from medians."""
    if how.method == "search" and how.objective == "edges":
        return choose_degrees(view, deletion_weight=how.deletion_weight, exact_edges=EXACT_EDGES[how.effort], rng=rng)
    centres = middle(*group_medians(view.degrees[:, None], view.labels))[:, 0]
    if view.limited:
        return Chosen(centres)
    return Chosen(realize_slice(centres, view.sizes, view.degrees, view.labels, directed=view.directed))
