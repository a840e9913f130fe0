"""How each stage is done: by which method, on which kind of graph, under which limits.

| stage | method "search" | methods "greedy" and "optimal" (Rossi, Musolesi & Torsello 2015) |
|---|---|---|
| group | `search_groups` | `degree_anonymization` |
| realize | `choose_degrees` | medians, `realize_slice` |
| rebuild | `rewire`; `rewire_alone` (one slice); `rebuild_within` (limits) | `priority` |
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from shoal.demands.limits import RowLimits
from shoal.demands.settings import Settings
from shoal.errors import GuaranteeError
from shoal.group import (
    by_level,
    degree_anonymization,
    group_medians,
    lower_bound,
    search_groups,
)
from shoal.group.compatible import make_compatible
from shoal.group.medians import middle
from shoal.group.neighbours import find_crowds
from shoal.realize import Chosen, SliceLimits, SliceView, choose_degrees, realize_slice
from shoal.realize.ties import NO_TIES, Elsewhere, ties_of
from shoal.rebuild import priority, rebuild_within, rewire, rewire_alone

# Slices up to this many edges go to the exact solver of the degree program.
EXACT_EDGES = {"fast": 0, "balanced": 1_000, "thorough": 4_000}
# How often the people of a slice that is released alone are looked through for crowds to change to.
CROWD_ROUNDS = {"fast": 1, "balanced": 3, "thorough": 6}
RESTARTS = 5  # of the paper's methods
# What a group costs where edges may only be added or only be removed: its members go to the top, or to the bottom.
COSTS = {"both": "median", "add": "max", "remove": "min"}


class Groups(NamedTuple):
    """Who is with whom, the rounds of the paper's methods, and a cost that no grouping can undercut."""

    labels: np.ndarray
    rounds: list[int]
    bound: int


def group_people(
    rows: np.ndarray,
    levels: np.ndarray,
    settings: Settings,
    *,
    within: RowLimits | None = None,
    bounded: bool = True,
    guides: int = 0,
    rng: np.random.Generator,
    jobs: int,
    tell: Callable[[float], None],
) -> Groups:
    """Stage 1 for one block of slices: groups with as many members as each of them asks for.

    Without `bounded` nobody asks how much cheaper other groups could be, and the bound is 0. The last `guides` columns of the
    rows are no degrees: they count for the search and not for the bound.
    """
    deadline = None if settings.time_limit is None else time.monotonic() + settings.time_limit
    crowds, rounds = None, list[int]()
    if settings.method == "search":
        crowds = find_crowds(rows, levels, jobs=jobs, progress=lambda share: tell(0.2 * share))
        labels = search_groups(
            rows,
            levels,
            cost=COSTS[within.allow] if within is not None else "median",
            exempt=within.exempt if within is not None else None,
            rng=rng,
            effort=settings.effort,
            time_limit=None if deadline is None else max(deadline - time.monotonic(), 0),
            jobs=jobs,
            progress=lambda share: tell(0.2 + 0.7 * share),
            crowds=crowds,
        )
        if within is not None:
            labels = make_compatible(labels, rows, levels, within.least, within.most, within.name)
    else:
        labels, rounds = _by_paper(rows, levels, settings, deadline, rng, jobs, tell)
    if guides:
        rows, crowds = np.ascontiguousarray(rows[:, :-guides]), None
    return Groups(labels, rounds, lower_bound(rows, levels, jobs=jobs, crowds=crowds) if bounded else 0)


def _by_paper(
    rows: np.ndarray,
    levels: np.ndarray,
    settings: Settings,
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
            some,
            k,
            assignment=settings.method,
            rng=rng,
            restarts=settings.restarts or RESTARTS,
            time_limit=left,
            jobs=jobs,
            progress=tell,
        )
        rounds.extend(found.rounds)
        return found.labels

    k = int(levels.max(initial=1))
    return one_level(rows, k) if (levels == k).all() else by_level(rows, levels, one_level), rounds


def rebuild_slice(
    edges: np.ndarray,
    labels: np.ndarray,
    settings: Settings,
    *,
    directed: bool,
    limits: SliceLimits | None = None,
    change_class: np.ndarray | None = None,
    elsewhere: Elsewhere | None = None,
    senders: np.ndarray | None = None,
    rng: np.random.Generator,
) -> tuple[np.ndarray, float]:
    """Stages 2 and 3 for one slice: a simple graph in which the members of a group have equal degrees.

    `change_class` is everybody's k in a slice that is released alone: its people may then change to another crowd. `elsewhere` says
    who meets in other slices: among deletions that cost the same, one-off contacts go before lasting ties. Gives the slice, and
    about how many edits it took to keep its number of edges. `senders` marks the people of a directed slice who only send, where
    all others only receive.
    """
    view = SliceView(edges, labels, directed=directed, limits=limits, senders=senders)
    by_search, by_edges, exact = (
        settings.method == "search",
        settings.objective == "edges",
        EXACT_EDGES[settings.effort],
    )
    if view.limited:
        made = rebuild_within(
            view,
            lambda: realize(view, settings, rng, elsewhere),
            removal_weight=settings.removal_weight,
            exact_pairs=exact if by_edges else 0,
            rng=rng,
        )
        return made, 0.0
    chosen = realize(view, settings, rng, elsewhere)
    if change_class is not None and not directed and by_search and by_edges:
        weight, rounds = settings.removal_weight, CROWD_ROUNDS[settings.effort]
        made = rewire_alone(
            view,
            chosen,
            change_class,
            removal_weight=weight,
            exact_edges=exact,
            rounds=rounds,
            edges=settings.edges_to_have(len(edges)),
            rng=rng,
        )
        return made, chosen.price
    wanted = chosen.targets[view.labels]
    made = rewire(view, wanted, deleted=chosen.deleted, rng=rng) if by_search else priority(view, wanted, rng)
    if not np.array_equal(SliceView(made, labels, directed=directed).degrees, wanted):
        raise GuaranteeError(
            "a slice was rebuilt with other degrees than chosen; nothing was released, please report this"
        )
    return made, chosen.price


def realize(
    view: SliceView, settings: Settings, rng: np.random.Generator, elsewhere: Elsewhere | None = None
) -> Chosen:
    """Stage 2: one degree for each group, by the degree program or, as the paper does, from medians."""
    if settings.method == "search" and settings.objective == "edges":
        return choose_degrees(
            view,
            removal_weight=settings.removal_weight,
            exact_edges=EXACT_EDGES[settings.effort],
            edges=settings.edges_to_have(len(view.us)),
            ties=NO_TIES if elsewhere is None else ties_of(view, elsewhere),
            rng=rng,
        )
    centres = middle(*group_medians(view.degrees[:, None], view.labels))[:, 0]
    if view.limited:
        return Chosen(centres)
    highest = view.bounds[1]
    return Chosen(
        realize_slice(centres, view.sizes, view.degrees, view.labels, directed=view.directed, highest=highest)
    )
