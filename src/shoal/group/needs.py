"""Groups for people who need different protection: everybody's group has at least as many members as they need.

Every person has a k of their own, as Chester et al. put it. Whoever needs no protection may stay alone, at no cost, or
serve in somebody's crowd. Groups can be priced for releases in which edges may only be added or only removed, and people
can be pinned: their row stays as it is and whoever shares their group takes it on.

The search is the one for a single k (`shoal.group.search`) with three differences: a group is as large as its neediest
member demands, only those who need protection start moves, and people of need 1 come out of being alone and go back to
it. People of need 1 far from everybody protected are never looked at.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal._numba import records
from shoal.errors import InputError
from shoal.group._need_search import Web, anneal
from shoal.group._need_state import GROUP, PERSON, State, fill, total_cost
from shoal.group._state import LANES
from shoal.group.levels import LONGEST_LIST, in_order
from shoal.group.need_seeds import People, rescue_groups, seed_groups
from shoal.group.neighbours import Crowd, find_crowd, nearest_rows, small_dtype
from shoal.group.search import (
    EFFORTS,
    MAX_ROW,
    NARROW_SLICES,
    SHARE_OF_NEIGHBOURS,
    SMALL_NODES,
    TINY_NODES,
    WIDE_SLICES,
    Effort,
)

COSTS = ("median", "max", "min")
WANTED_BY = 8
FEW = 0.5
FEW = 0.5
HOTTER = 1.5  # groups of different needs are farther apart: more heat, and larger moves more often
RARE = 4


def needs_groups(
    degrees: np.ndarray,
    need: np.ndarray,
    *,
    cost: str = "median",
    pinned: np.ndarray | None = None,
    rng: np.random.Generator,
    effort: str = "balanced",
    jobs: int = 1,
    progress: Callable[[float], None] | None = None,
) -> np.ndarray:
    """Partition the rows of ``degrees`` so that everybody is in a group of at least ``need`` of them, at low cost.

    Parameters
    ----------
    degrees
        Whole numbers, one row per person.
    need
        How many people must share the row of each, themself included; 1 or less is no protection.
    cost
        What a group's row is: "median" of its members', "max" (edges are only added) or "min" (only removed).
    pinned
        Whose row must not change; all by default may.
    rng, effort, jobs, progress
        As for `search_groups`. The groups depend on the generator and not on the number of jobs.

    Returns
    -------
    The group of every row, numbered in the order of their first rows.

    Examples
    --------
    >>> rows = np.array([[0, 1], [9, 9], [0, 2], [7, 3], [0, 1]])
    >>> needs_groups(rows, np.array([3, 1, 1, 1, 1]), rng=np.random.default_rng(0)).tolist()
    [0, 1, 0, 2, 0]
    """
    degrees, need, pinned = _checked(degrees, need, cost, pinned, effort)
    n, one_sided = len(degrees), cost != "median"
    if need.max(initial=1) <= 1:
        return np.arange(n, dtype=np.int32)
    tell = progress or (lambda share: None)
    most = int(min(need.max(), LONGEST_LIST))
    crowd = find_crowd(degrees, most, jobs=jobs, progress=lambda share: tell(SHARE_OF_NEIGHBOURS * share))
    settled = np.full(n, -1, np.int64) if pinned.any() else _settle(crowd, need)
    nodes = np.flatnonzero(settled < 0)
    nodes = nodes[np.lexsort((-need[nodes], crowd.label[nodes]))]
    state, web = _first_state(-degrees if cost == "min" else degrees, need, pinned, one_sided, crowd, nodes)
    web = web._replace(near=_meet_protected(degrees, need, crowd, jobs))
    found = _search(state, web, rng, EFFORTS[effort], tell)
    settled[nodes] = np.where(found < 0, -1, found + settled.max() + 1)
    return in_order(settled)


def _checked(
    degrees: np.ndarray, need: np.ndarray, cost: str, pinned: np.ndarray | None, effort: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    degrees = np.ascontiguousarray(degrees, dtype=np.int32)
    n = len(degrees)
    need = np.maximum(np.asarray(need, dtype=np.int64), 1)
    pinned = np.zeros(n, bool) if pinned is None else np.asarray(pinned, dtype=bool)
    if need.shape != (n,) or pinned.shape != (n,):
        raise InputError(f"need and pinned must have one value for each of the {n} rows")
    if need.max(initial=1) > n and n > 0:
        raise InputError(f"nobody can need more people than there are, {n}; somebody needs {need.max()}")
    for name, value, known in (("cost", cost, COSTS), ("effort", effort, tuple(EFFORTS))):
        if value not in known:
            raise InputError(f"{name} must be one of {', '.join(known)}; got '{value}'")
    if int(degrees.sum(axis=1, dtype=np.int64).max(initial=0)) >= MAX_ROW:
        raise InputError("somebody has more than a thousand million contacts, which the search cannot add up")
    return degrees, need, pinned


def _settle(crowd: Crowd, need: np.ndarray) -> np.ndarray:
    """The group of everybody whom the search need not look at, -1 for the others.

    Identical people of the same need form free groups of their own. What the search needs of a large class are the
    people and places it can offer to the rows around it, so the rest of the class is settled at once.
    """
    order = np.lexsort((-need, crowd.label))
    new_class, new_need = np.diff(crowd.label[order], prepend=-1) != 0, np.diff(need[order], prepend=0) != 0
    start = np.flatnonzero(new_class | new_need)
    count = np.diff(np.append(start, len(need)))
    kind, m = crowd.label[order[start]], need[order[start]]
    protected = np.bincount(crowd.label, weights=need > 1, minlength=len(crowd.first))
    top = np.ones(len(crowd.first))
    np.maximum.at(top, crowd.label, need)
    wanted = crowd.near[:, :WANTED_BY]
    asks = np.repeat(np.minimum(protected, 2 * top) * top, wanted.shape[1])
    asked = np.bincount(wanted.ravel(), weights=asks, minlength=len(top))[kind]
    keep = m * (2 + np.ceil(np.maximum(asked / m, 1) / np.maximum(m - 1, 1))).astype(np.int64)
    n_groups = np.where(m > 1, np.maximum(count - keep, 0) // m, 0)
    group = np.full(len(need), -1, np.int64)
    if len(need) - n_groups @ m < need.max():
        return group
    rank = np.arange(len(need)) - np.repeat(start, count)
    free = np.repeat(n_groups * m, count)
    number = np.repeat(np.cumsum(n_groups) - n_groups, count) + rank // np.repeat(m, count)
    group[order] = np.where(rank < free, number, -1)
    return group


def _meet_protected(degrees: np.ndarray, need: np.ndarray, crowd: Crowd, jobs: int) -> np.ndarray:
    """The lists of neighbours; where few need protection, every second one is the next nearest who does.

    Otherwise those few would find everybody but one another, with whom a group is shared best.
    """
    chosen = np.unique(crowd.label[need > 1])
    if len(chosen) > FEW * len(crowd.first):
        return _with_itself(crowd.near)
    near, _ = nearest_rows(degrees[crowd.first[chosen]], crowd.near.shape[1], jobs=jobs)
    other = crowd.near.copy()
    other[chosen, : near.shape[1]] = chosen[near]
    return _with_itself(np.stack([crowd.near, other], axis=2).reshape(len(other), -1))


def _with_itself(near: np.ndarray) -> np.ndarray:
    """Every kind of row at the front of its own list."""
    return np.concatenate([np.arange(len(near))[:, None], near], axis=1).astype(np.int32)


def _first_state(
    rows: np.ndarray, need: np.ndarray, pinned: np.ndarray, one_sided: bool, crowd: Crowd, nodes: np.ndarray
) -> tuple[State, Web]:
    """State of the first groups of ``nodes``, which are sorted by kind of row."""
    n_kinds = len(crowd.first)
    kind = crowd.label[nodes].astype(np.int32)
    start = np.searchsorted(kind, np.arange(n_kinds + 1)).astype(np.int64)
    need, pinned, rows = need[nodes], pinned[nodes], rows[nodes]
    reach = _mean_reach(crowd.distance, kind, need)
    sheltered = np.flatnonzero(need > 1)
    order = sheltered[np.lexsort((reach[kind[sheltered]], ~pinned[sheltered], -need[sheltered]))]
    label = np.full(len(nodes), -1, np.int64)
    if not seed_groups(People(rows, need, pinned, kind, start, crowd.near, one_sided), order, label):
        label = rescue_groups(rows, need, pinned, one_sided)
    level, label = _slots(need, label)
    room = 2 * level - 1
    width = -(-rows.shape[1] // LANES) * LANES if rows.shape[1] > LANES // 2 else LANES // 2
    padded = np.zeros((len(rows), width), small_dtype(np.abs(rows)))
    padded[:, : rows.shape[1]] = rows
    people, groups = records(len(nodes), PERSON), records(len(room), GROUP)
    people["need"], people["pinned"], people["kind"], people["label"] = need, pinned, kind, -1
    groups["room"], groups["first"] = room, np.cumsum(room) - room
    columns, members = np.zeros((room.sum(), width), padded.dtype), np.zeros(room.sum(), np.int64)
    state = State(people, groups, padded, columns, members, one_sided)
    fill(state, label)
    heat = np.sqrt(reach * reach[kind[sheltered]].mean())
    return state, Web(kind, start, _with_itself(crowd.near), heat.astype(np.float32))


def _mean_reach(distance: np.ndarray, kind: np.ndarray, need: np.ndarray) -> np.ndarray:
    """How far each kind of row has to look: the mean distance of as many neighbours as its neediest member wants."""
    if distance.size == 0:
        return np.ones(len(distance))
    top = np.full(len(distance), int(np.median(need[need > 1])))
    protected = need > 1
    top[kind[protected]] = 0
    np.maximum.at(top, kind[protected], need[protected])
    last = np.minimum(top, distance.shape[1])
    return np.cumsum(distance, axis=1)[np.arange(len(distance)), last - 1] / last


def _slots(need: np.ndarray, label: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Empty places for groups, by the need they are meant for, and the place of every group of ``label``.

    At most so many groups have highest need m as people have that need, or as fit; no group is worth having with 2m
    members or more, since its halves are valid and cost no more.
    """
    levels, count = np.unique(need[need > 1], return_counts=True)
    count = np.minimum(count, len(need) // levels)
    slot_level = np.repeat(levels, count)
    top = np.zeros(label.max() + 1, np.int64)
    np.maximum.at(top, label[label >= 0], need[label >= 0])
    by_top = np.argsort(top, kind="stable")
    rank = np.arange(len(top)) - np.searchsorted(top[by_top], top[by_top])
    place = np.empty(len(top) + 1, np.int64)
    place[by_top] = np.searchsorted(slot_level, top[by_top]) + rank
    place[-1] = -1
    return slot_level, place[label]


def _search(
    state: State, web: Web, rng: np.random.Generator, effort: Effort, tell: Callable[[float], None]
) -> np.ndarray:
    """Anneal in stretches of falling temperature; return the best labels seen between them."""
    best, best_cost = state.people["label"].copy(), total_cost(state)
    pick = np.flatnonzero(state.people["need"] > 1)
    k = float(state.people["need"][pick].mean())
    grouped = int(np.sum(best >= 0))
    steps = _steps_per_node(grouped, state.degrees.shape[1], k, effort)
    rare = np.int64(max(RARE * k * k, 32))
    hot = HOTTER * effort.hot * min(steps / effort.steps, 1) ** 0.25
    levels = np.geomspace(max(hot, effort.cold), effort.cold, effort.stretches + 1)
    for i in range(effort.stretches):
        spare = np.concatenate([np.flatnonzero(state.groups["count"] == 0), np.flatnonzero(state.groups["count"])])
        n_spare, seed = np.sum(state.groups["count"] == 0), rng.integers(1, 2**63, dtype=np.uint64)
        n_steps = np.int64(-(-steps // effort.stretches) * grouped)
        anneal(state, web, pick, spare, n_spare, levels[i], levels[i + 1], n_steps, seed, rare)
        cost = total_cost(state)
        if cost < best_cost:
            best, best_cost = state.people["label"].copy(), cost
        tell(SHARE_OF_NEIGHBOURS + (1 - SHARE_OF_NEIGHBOURS) * (i + 1) / effort.stretches)
    return best


def _steps_per_node(n: int, width: int, k: float, effort: Effort) -> int:
    """As many as `search_groups` takes for so many people in groups."""
    steps = np.clip(SMALL_NODES / n, effort.steps_large / effort.steps, 1) * effort.steps
    steps *= min(WIDE_SLICES / width, 1) ** 0.7
    hurried = effort.stretches < 10 and width <= NARROW_SLICES
    crowding = 0.0 if hurried else effort.crowding * (min(k, 20) - 2)
    return int(max(steps * (1 + crowding), effort.steps * TINY_NODES / n))
