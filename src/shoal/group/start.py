"""Where the search starts: whom it need not look at, who is near whom, and the state of the first groups."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal._numba import records
from shoal.group._seed_kernels import People
from shoal.group._state import GROUP, PERSON, State
from shoal.group._state_kernels import fill
from shoal.group.exact import cheapest_runs
from shoal.group.neighbours import Crowds, nearest_rows
from shoal.group.rescue import rescue_groups
from shoal.group.seeds import seed_groups

LANES = 16
WANTED_BY = 8
FEW = 0.5  # where fewer crowds than this share have protected people, these look for one another
SPARE = 4  # one empty group for so many, in case more of a level are founded than dissolved


class Problem(NamedTuple):
    """What is asked for: everybody's row (negated where edges are only removed), their k, and who is exempt."""

    rows: np.ndarray
    levels: np.ndarray
    exempt: np.ndarray
    one_sided: bool


def settle(crowds: Crowds, levels: np.ndarray) -> np.ndarray:
    """The group of everybody whom the search need not look at, -1 for the others.

    Identical people of the same k form free groups of their own. What the search wants of a large crowd are the people
    and places it can offer to the rows around it, k - 1 for each group of k, so the rest of the crowd is settled at once.
    """
    order = np.lexsort((-levels, crowds.label))
    new_crowd, new_level = np.diff(crowds.label[order], prepend=-1) != 0, np.diff(levels[order], prepend=0) != 0
    start = np.flatnonzero(new_crowd | new_level)
    count = np.diff(np.append(start, len(levels)))
    crowd, m = crowds.label[order[start]], levels[order[start]]
    protected = np.bincount(crowds.label, weights=levels > 1, minlength=len(crowds.first))
    top = np.ones(len(crowds.first))
    np.maximum.at(top, crowds.label, levels)
    near = crowds.near[:, :WANTED_BY]
    asks = np.repeat(np.minimum(protected, 2 * top) * top, near.shape[1])
    asked = np.bincount(near.ravel(), weights=asks, minlength=len(top))[crowd]
    keep = m * (2 + np.ceil(np.maximum(asked / m, 1) / np.maximum(m - 1, 1))).astype(np.int64)
    n_groups = np.where(m > 1, np.maximum(count - keep, 0) // m, 0)
    group = np.full(len(levels), -1, np.int64)
    if len(levels) - n_groups @ m < levels.max():
        return group
    rank = np.arange(len(levels)) - np.repeat(start, count)
    free = np.repeat(n_groups * m, count)
    number = np.repeat(np.cumsum(n_groups) - n_groups, count) + rank // np.repeat(m, count)
    group[order] = np.where(rank < free, number, -1)
    return group


def first_state(problem: Problem, crowds: Crowds, nodes: np.ndarray, *, jobs: int = 1) -> State:
    """State of the first groups of ``nodes``, which are sorted by crowd."""
    rows, levels, exempt = problem.rows[nodes], problem.levels[nodes], problem.exempt[nodes]
    crowd = crowds.label[nodes].astype(np.int64)
    start = np.searchsorted(crowd, np.arange(len(crowds.first) + 1)).astype(np.int64)
    label = _first_groups(Problem(rows, levels, exempt, problem.one_sided), crowds, crowd, start, jobs)
    top = np.zeros(label.max() + 1, np.int64)
    np.maximum.at(top, label[label >= 0], levels[label >= 0])
    room = 2 * np.concatenate([top, _spare(top, levels)]) - 1
    n_slices = rows.shape[1]
    width = -(-n_slices // LANES) * LANES if n_slices > LANES // 2 else LANES // 2  # whole vector registers
    padded = np.zeros((len(rows), width), np.int16 if np.abs(rows).max() < 2**15 else np.int32)
    padded[:, :n_slices] = rows
    people, groups = records(len(nodes), PERSON), records(len(room), GROUP)
    people["k"], people["exempt"], people["crowd"], people["label"] = levels, exempt, crowd, -1
    groups["room"], groups["first"] = room, np.cumsum(room) - room
    state = State(
        people,
        groups,
        padded,
        columns=np.zeros((room.sum(), width), padded.dtype),
        members=np.zeros(room.sum(), np.int64),
        start=start,
        near=_lists(problem, crowds, jobs),
        heat=_heat(crowds.distance, crowd, levels),
        one_sided=problem.one_sided,
    )
    fill(state, label)
    return state


def _first_groups(problem: Problem, crowds: Crowds, crowd: np.ndarray, start: np.ndarray, jobs: int) -> np.ndarray:
    """First groups, numbered in the order of their first members, for the cache; those of k = 1 may stay alone (-1)."""
    rows, levels, exempt, one_sided = problem
    n = len(levels)
    if rows.shape[1] == 1 and not one_sided and not exempt.any():
        label = cheapest_runs(rows[:, 0], levels)
        label[(levels == 1) & (np.bincount(label)[label] == 1)] = -1
    else:
        label, room = np.full(n, -1, np.int64), np.empty((2, n), np.int64)
        who = People(rows, levels, exempt, crowd, start, start[:-1].copy(), label, room[0], room[1], one_sided)
        if not seed_groups(who, crowds.near, crowds.distance, jobs=jobs):
            label = rescue_groups(rows, levels, exempt, one_sided)
    numbers, first, inverse = np.unique(label, return_index=True, return_inverse=True)
    rank = np.empty(len(numbers), np.int64)
    rank[np.argsort(np.where(numbers < 0, -1, first))] = np.arange(len(numbers)) - (numbers[0] < 0)
    return rank[inverse]


def _spare(top: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """The levels of empty groups: a share of those there are of each level, and never more than people could fill.

    No group is worth having with twice as many members as its highest level, since its halves are valid and cost no more:
    that is the room of every group.
    """
    level, people = np.unique(levels[levels > 1], return_counts=True)
    used = np.bincount(top, minlength=level[-1] + 1)[level]
    enough = np.minimum(used + used // SPARE + SPARE, np.minimum(people, len(levels) // level))
    return np.repeat(level, np.maximum(enough - used, 0))


def _lists(problem: Problem, crowds: Crowds, jobs: int) -> np.ndarray:
    """The nearest crowds of every crowd, itself first; where few are protected, every second is the next nearest who is.

    Otherwise those few would find everybody but one another, with whom a group is shared best.
    """
    near = crowds.near
    chosen = np.unique(crowds.label[problem.levels > 1])
    if len(chosen) <= FEW * len(crowds.first):
        among, _ = nearest_rows(np.abs(problem.rows[crowds.first[chosen]]), near.shape[1], jobs=jobs)
        other = near.copy()
        other[chosen, : among.shape[1]] = chosen[among]
        near = np.stack([near, other], axis=2).reshape(len(other), -1)
    return np.concatenate([np.arange(len(near))[:, None], near], axis=1).astype(np.int32)


def _heat(distance: np.ndarray, crowd: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """The scale of a crowd's moves: halfway (geometrically) between how far it has to look and how far all have to.

    It looks as far as its highest level asks for; crowds of nobody protected, as far as most others.
    """
    if distance.size == 0:
        return np.ones(len(distance), np.float32)
    protected = levels > 1
    top = np.full(len(distance), int(np.median(levels[protected])))
    top[crowd[protected]] = 0
    np.maximum.at(top, crowd[protected], levels[protected])
    last = np.minimum(top, distance.shape[1])
    reach = np.cumsum(distance, axis=1)[np.arange(len(distance)), last - 1] / last
    return np.sqrt(reach * reach[crowd[protected]].mean()).astype(np.float32)
