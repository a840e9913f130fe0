"""Where the search starts: whom it need not look at, who is near whom, and the state of the first groups."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal._numba import records
from shoal.group._seed_kernels import People
from shoal.group._state import GROUP, PERSON, State
from shoal.group._state_kernels import fill
from shoal.group.exact import cheapest_runs
from shoal.group.neighbours import Crowd, nearest_rows
from shoal.group.rescue import rescue_groups
from shoal.group.seeds import seed_groups

LANES = 16
WANTED_BY = 8
FEW = 0.5  # where fewer kinds of rows than this share belong to protected people, these look for one another
SPARE = 4  # one empty group for so many, in case more of a level are founded than dissolved


class Wanted(NamedTuple):
    """What is asked for: everybody's row (negated where edges are only removed), their k, and who is exempt."""

    rows: np.ndarray
    ks: np.ndarray
    exempt: np.ndarray
    one_sided: bool


def settle(crowd: Crowd, ks: np.ndarray) -> np.ndarray:
    """The group of everybody whom the search need not look at, -1 for the others.

    Identical people of the same k form free groups of their own. What the search wants of a large class are the people
    and places it can offer to the rows around it, k - 1 for each group of k, so the rest of the class is settled at once.
    """
    order = np.lexsort((-ks, crowd.label))
    new_class, new_level = np.diff(crowd.label[order], prepend=-1) != 0, np.diff(ks[order], prepend=0) != 0
    start = np.flatnonzero(new_class | new_level)
    count = np.diff(np.append(start, len(ks)))
    kind, m = crowd.label[order[start]], ks[order[start]]
    protected = np.bincount(crowd.label, weights=ks > 1, minlength=len(crowd.first))
    top = np.ones(len(crowd.first))
    np.maximum.at(top, crowd.label, ks)
    wanted = crowd.near[:, :WANTED_BY]
    asks = np.repeat(np.minimum(protected, 2 * top) * top, wanted.shape[1])
    asked = np.bincount(wanted.ravel(), weights=asks, minlength=len(top))[kind]
    keep = m * (2 + np.ceil(np.maximum(asked / m, 1) / np.maximum(m - 1, 1))).astype(np.int64)
    n_groups = np.where(m > 1, np.maximum(count - keep, 0) // m, 0)
    group = np.full(len(ks), -1, np.int64)
    if len(ks) - n_groups @ m < ks.max():
        return group
    rank = np.arange(len(ks)) - np.repeat(start, count)
    free = np.repeat(n_groups * m, count)
    number = np.repeat(np.cumsum(n_groups) - n_groups, count) + rank // np.repeat(m, count)
    group[order] = np.where(rank < free, number, -1)
    return group


def first_state(wanted: Wanted, crowd: Crowd, nodes: np.ndarray, *, jobs: int = 1) -> State:
    """State of the first groups of ``nodes``, which are sorted by kind of row."""
    rows, ks, exempt = wanted.rows[nodes], wanted.ks[nodes], wanted.exempt[nodes]
    kind = crowd.label[nodes].astype(np.int64)
    start = np.searchsorted(kind, np.arange(len(crowd.first) + 1)).astype(np.int64)
    label = _first_groups(Wanted(rows, ks, exempt, wanted.one_sided), crowd, kind, start, jobs)
    top = np.zeros(label.max() + 1, np.int64)
    np.maximum.at(top, label[label >= 0], ks[label >= 0])
    room = 2 * np.concatenate([top, _spare(top, ks)]) - 1
    n_slices = rows.shape[1]
    width = -(-n_slices // LANES) * LANES if n_slices > LANES // 2 else LANES // 2  # whole vector registers
    padded = np.zeros((len(rows), width), np.int16 if np.abs(rows).max() < 2**15 else np.int32)
    padded[:, :n_slices] = rows
    people, groups = records(len(nodes), PERSON), records(len(room), GROUP)
    people["k"], people["exempt"], people["kind"], people["label"] = ks, exempt, kind, -1
    groups["room"], groups["first"] = room, np.cumsum(room) - room
    state = State(
        people,
        groups,
        padded,
        columns=np.zeros((room.sum(), width), padded.dtype),
        members=np.zeros(room.sum(), np.int64),
        start=start,
        near=_lists(wanted, crowd, jobs),
        heat=_heat(crowd.distance, kind, ks),
        one_sided=wanted.one_sided,
    )
    fill(state, label)
    return state


def _first_groups(wanted: Wanted, crowd: Crowd, kind: np.ndarray, start: np.ndarray, jobs: int) -> np.ndarray:
    """First groups, numbered in the order of their first members, for the cache; those of k = 1 may stay alone (-1)."""
    rows, ks, exempt, one_sided = wanted
    n = len(ks)
    if rows.shape[1] == 1 and not one_sided and not exempt.any():
        label = cheapest_runs(rows[:, 0], ks)
        label[(ks == 1) & (np.bincount(label)[label] == 1)] = -1
    else:
        label, room = np.full(n, -1, np.int64), np.empty((2, n), np.int64)
        who = People(rows, ks, exempt, kind, start, start[:-1].copy(), label, room[0], room[1], one_sided)
        if not seed_groups(who, crowd.near, crowd.distance, jobs=jobs):
            label = rescue_groups(rows, ks, exempt, one_sided)
    numbers, first, inverse = np.unique(label, return_index=True, return_inverse=True)
    rank = np.empty(len(numbers), np.int64)
    rank[np.argsort(np.where(numbers < 0, -1, first))] = np.arange(len(numbers)) - (numbers[0] < 0)
    return rank[inverse]


def _spare(top: np.ndarray, ks: np.ndarray) -> np.ndarray:
    """The levels of empty groups: a share of those there are of each level, and never more than people could fill.

    No group is worth having with twice as many members as its highest level, since its halves are valid and cost no more:
    that is the room of every group.
    """
    levels, people = np.unique(ks[ks > 1], return_counts=True)
    used = np.bincount(top, minlength=levels[-1] + 1)[levels]
    wanted = np.minimum(used + used // SPARE + SPARE, np.minimum(people, len(ks) // levels))
    return np.repeat(levels, np.maximum(wanted - used, 0))


def _lists(wanted: Wanted, crowd: Crowd, jobs: int) -> np.ndarray:
    """The nearest kinds of every kind, itself first; where few are protected, every second is the next nearest who is.

    Otherwise those few would find everybody but one another, with whom a group is shared best.
    """
    near = crowd.near
    chosen = np.unique(crowd.label[wanted.ks > 1])
    if len(chosen) <= FEW * len(crowd.first):
        among, _ = nearest_rows(np.abs(wanted.rows[crowd.first[chosen]]), near.shape[1], jobs=jobs)
        other = near.copy()
        other[chosen, : among.shape[1]] = chosen[among]
        near = np.stack([near, other], axis=2).reshape(len(other), -1)
    return np.concatenate([np.arange(len(near))[:, None], near], axis=1).astype(np.int32)


def _heat(distance: np.ndarray, kind: np.ndarray, ks: np.ndarray) -> np.ndarray:
    """The scale of a kind's moves: halfway (geometrically) between how far it has to look and how far all have to.

    It looks as far as its highest level asks for; kinds that nobody protected has, as far as most others.
    """
    if distance.size == 0:
        return np.ones(len(distance), np.float32)
    protected = ks > 1
    top = np.full(len(distance), int(np.median(ks[protected])))
    top[kind[protected]] = 0
    np.maximum.at(top, kind[protected], ks[protected])
    last = np.minimum(top, distance.shape[1])
    reach = np.cumsum(distance, axis=1)[np.arange(len(distance)), last - 1] / last
    return np.sqrt(reach * reach[kind[protected]].mean()).astype(np.float32)
