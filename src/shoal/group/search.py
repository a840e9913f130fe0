"""Groups of at least k rows with low l1 cost: shoal's own method.

Rows near each other are found once (`neighbours`), a first grouping grows from the dense spots (`seeds`), and a long run
of small moves improves it: nodes move or change places between neighbouring groups, groups are dissolved, founded, merged
and split again. A move that costs is sometimes accepted, the less often the longer the search runs (annealing), which
carries the grouping out of local optima.

Between two stretches of steps the groups are dealt into shards along random directions; a shard is one task for one
thread and its step count is fixed beforehand, so the groups depend on the seed and not on the clock or the cores.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from shoal.errors import InputError
from shoal.group._problem import Problem, make_problem
from shoal.group._search_kernels import anneal
from shoal.group._state import State, build_state
from shoal.group._state_kernels import total_cost
from shoal.group.exact import exact_groups
from shoal.group.neighbours import Crowd, find_crowd, small_dtype
from shoal.group.seeds import seed_groups
from shoal.progress import run_jobs

SHARD_NODES = 20_000
SHARE_OF_NEIGHBOURS = 0.25
MAX_SHARDS = 8
RARE = 8
TINY_NODES = 200
WIDE_SLICES = 256
NARROW_SLICES = 64
SMALL_NODES = 5_000
MAX_ROW = 2**30  # kernels add up in 32 bits


class Effort(NamedTuple):
    """Steps per node on small and on large inputs, stretches between shards, first and last temperature.

    ``crowding`` is by how much each further member of a group adds to the steps.
    """

    steps: int
    steps_large: int
    stretches: int
    hot: float
    cold: float
    crowding: float


EFFORTS = {
    "fast": Effort(150, 60, 4, 0.15, 0.02, 0.1),
    "balanced": Effort(1_500, 250, 10, 0.4, 0.02, 0.05),
    "thorough": Effort(20_000, 2_000, 40, 0.6, 0.02, 0.1),
}


def search_groups(
    degrees: np.ndarray,
    k: int,
    *,
    rng: np.random.Generator,
    effort: str = "balanced",
    time_limit: float | None = None,
    jobs: int = 1,
    progress: Callable[[float], None] | None = None,
    crowd: Crowd | None = None,
) -> np.ndarray:
    """Partition the rows of ``degrees`` into groups of at least ``k``, minimising the distances to the groups' medians.

    Returns the group of every row, numbered from 0. One slice is solved exactly. ``time_limit`` (seconds) shortens the
    search to fit. ``progress`` is called with the share of the work done. ``crowd`` is `find_crowd` of these rows, where it
    is known already.

    >>> rows = np.array([[0, 1], [9, 9], [0, 2], [9, 8], [0, 1]])
    >>> search_groups(rows, 2, rng=np.random.default_rng(0)).tolist()
    [0, 1, 0, 1, 0]
    """
    degrees = np.ascontiguousarray(degrees, dtype=np.int32)
    n = len(degrees)
    if not 1 <= k <= n:
        raise InputError(f"k must lie between 1 and the number of rows, {n}; got {k}")
    if effort not in EFFORTS:
        raise InputError(f"effort must be one of {', '.join(EFFORTS)}; got '{effort}'")
    if int(degrees.sum(axis=1, dtype=np.int64).max(initial=0)) >= MAX_ROW:
        raise InputError("somebody has more than a thousand million contacts, which the search cannot add up")
    if k == 1 or n < 2 * k:
        return np.arange(n, dtype=np.int32) if k == 1 else np.zeros(n, np.int32)
    if degrees.shape[1] == 1:
        return exact_groups(degrees[:, 0], k)
    deadline = None if time_limit is None else time.monotonic() + time_limit
    tell = progress or (lambda share: None)
    if crowd is None:
        crowd = find_crowd(degrees, k, jobs=jobs, progress=lambda share: tell(SHARE_OF_NEIGHBOURS * share))
    problem = make_problem(degrees, k, crowd)
    label = seed_groups(problem.degrees, k, problem.class_start, problem.near, problem.distance, jobs=jobs)
    state = build_state(problem, k, label, small_dtype(degrees))
    best = _search(state, k, rng, EFFORTS[effort], deadline, jobs, tell)
    return _all_labels(problem, best, k)


def _all_labels(problem: Problem, label: np.ndarray, k: int) -> np.ndarray:
    """Groups of all rows, numbered in the order of their first row."""
    group = np.empty(len(problem.nodes) + len(problem.settled), np.int64)
    group[problem.nodes] = label
    group[problem.settled] = len(label) + np.arange(len(problem.settled)) // k
    _, first, inverse = np.unique(group, return_index=True, return_inverse=True)
    number = np.empty(len(first), np.int32)
    number[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return number[inverse]


def _search(
    state: State,
    k: int,
    rng: np.random.Generator,
    effort: Effort,
    deadline: float | None,
    jobs: int,
    progress: Callable[[float], None],
) -> np.ndarray:
    """Anneal in stretches of falling temperature; return the best labels seen between them."""
    best, best_cost = state.label.copy(), total_cost(state)
    n_stretches = effort.stretches
    steps = _steps_per_node(state, k, effort)
    if deadline is not None:
        steps = _affordable(state, k, rng, effort, steps, deadline, jobs)
    hot = effort.hot * min(steps / effort.steps, 1) ** 0.25
    levels = np.geomspace(max(hot, effort.cold), effort.cold, n_stretches + 1)
    for i in range(n_stretches):
        _stretch(state, k, rng, levels[i], levels[i + 1], -(-steps // n_stretches), deadline, jobs)
        cost = total_cost(state)
        if cost < best_cost:
            best, best_cost = state.label.copy(), cost
        progress(SHARE_OF_NEIGHBOURS + (1 - SHARE_OF_NEIGHBOURS) * (i + 1) / n_stretches)
    return best


def _steps_per_node(state: State, k: int, effort: Effort) -> int:
    """Fewer for large and for wide inputs, so that time grows no faster than n; more for large groups.

    A hurried search spends more on large groups only where rows are long, which is where it pays. Tiny inputs get as
    many steps as one of ``TINY_NODES`` nodes.
    """
    n, width = state.degrees.shape
    steps = np.clip(SMALL_NODES / n, effort.steps_large / effort.steps, 1) * effort.steps
    steps *= min(WIDE_SLICES / width, 1) ** 0.7
    hurried = effort.stretches < 10 and width <= NARROW_SLICES
    crowding = 0.0 if hurried else effort.crowding * (min(k, 20) - 2)
    return int(max(steps * (1 + crowding), effort.steps * TINY_NODES / n))


def _affordable(
    state: State, k: int, rng: np.random.Generator, effort: Effort, steps: int, deadline: float, jobs: int
) -> int:
    """Steps per node that fit before the deadline, going by the time that a few cold ones take."""
    started, sample = time.monotonic(), max(steps // 50, 1)
    _stretch(state, k, rng, effort.cold, effort.cold, sample, deadline, jobs)
    now = time.monotonic()
    return min(steps, int(0.7 * sample * max(deadline - now, 0) / max(now - started, 1e-6)))


def _stretch(
    state: State,
    k: int,
    rng: np.random.Generator,
    hot: float,
    cold: float,
    per_node: int,
    deadline: float | None,
    jobs: int,
) -> None:
    """Deal the groups into shards and anneal each for ``per_node`` steps a node."""
    n_shards = deal_shards(state, rng)
    by_node, by_group = state.shard[state.label], state.shard[state.size == 0]
    nodes, empty = np.argsort(by_node, kind="stable"), np.flatnonzero(state.size == 0)
    bounds = np.searchsorted(by_node[nodes], np.arange(n_shards + 1))
    seeds = rng.integers(1, 2**63, n_shards, dtype=np.uint64)

    def task(shard: int) -> None:
        pick, free = nodes[bounds[shard] : bounds[shard + 1]], empty[by_group == shard]
        if per_node == 0 or (deadline is not None and time.monotonic() > deadline):
            return
        spare = np.concatenate([free, np.zeros(len(pick) // k + 1, np.int64)])
        anneal(state, k, pick, spare, len(free), hot, cold, per_node * len(pick), seeds[shard], RARE * k * k)

    run_jobs(task, range(n_shards), jobs)


def deal_shards(state: State, rng: np.random.Generator) -> int:
    """Cut the groups into halves along random directions until a shard is small; empty groups are dealt out in turn.

    All in whole numbers, so that no rounding can depend on the machine.
    """
    depth = int(np.log2(np.clip(len(state.label) / SHARD_NODES, 1, MAX_SHARDS)))
    live = np.flatnonzero(state.size)
    centre = state.columns[live, state.size[live] // 2].astype(np.int64)
    parts = [np.arange(len(live))]
    for _ in range(depth):
        halves = []
        for part in parts:
            one, two = rng.integers(len(part), size=2)
            across = centre[part[one]] - centre[part[two]] + rng.integers(-1, 2, centre.shape[1])
            order = part[np.argsort(centre[part] @ across, kind="stable")]
            halves += [order[: len(order) // 2], order[len(order) // 2 :]]
        parts = halves
    for number, part in enumerate(parts):
        state.shard[live[part]] = number
    empty = np.flatnonzero(state.size == 0)
    state.shard[empty] = np.arange(len(empty)) % len(parts)
    return len(parts)
