"""People of different needs with methods that know a single k, and a bound on what any grouping of them costs."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from shoal.errors import InputError
from shoal.group.neighbours import EXACT_LIMIT, collapse_rows, nearest_rows

LONGEST_LIST = 64


def by_level(degrees: np.ndarray, need: np.ndarray, group_level: Callable[[np.ndarray, int], np.ndarray]) -> np.ndarray:
    """Group the people of each need among themselves, from the highest need down, by ``group_level(rows, k)``.

    Where fewer than k of a need are left, the nearest people of lower need complete their group; where there are not
    enough of those either, they join the nearest groups, which all have k members or more. Whoever needs nobody and was
    not taken stays alone. So every need is met as long as nobody needs more people than there are.

    >>> rows = np.array([[0], [1], [5], [5], [7]])
    >>> by_level(rows, np.array([2, 2, 1, 3, 1]), lambda rows, k: np.zeros(len(rows), int)).tolist()
    [0, 0, 1, 1, 1]
    """
    degrees, need = np.asarray(degrees, dtype=np.int64), np.maximum(np.asarray(need), 1)
    n = len(degrees)
    if need.max(initial=1) > max(n, 1):
        raise InputError(f"nobody can need more people than there are, {n}; somebody needs {need.max()}")
    group, n_groups = np.full(n, -1, np.int64), 0
    for k in np.unique(need[need > 1])[::-1]:
        mine, free = np.flatnonzero((group < 0) & (need == k)), np.flatnonzero((group < 0) & (need < k))
        if len(mine) >= k:
            group[mine] = n_groups + np.asarray(group_level(degrees[mine], int(k)))
        elif len(mine) and len(mine) + len(free) >= k:
            centre = np.median(degrees[mine], axis=0).astype(np.int64)
            nearest = np.argsort(np.abs(degrees[free] - centre).sum(axis=1), kind="stable")
            group[mine] = group[free[nearest[: k - len(mine)]]] = n_groups
        else:
            placed = np.flatnonzero(group >= 0)
            for a in mine:
                group[a] = group[placed[np.abs(degrees[placed] - degrees[a]).sum(axis=1).argmin()]]
        n_groups = int(group.max(initial=-1)) + 1
    return in_order(group)


def in_order(group: np.ndarray) -> np.ndarray:
    """Groups numbered in the order of their first members; everybody of group -1 is alone.

    >>> in_order(np.array([7, -1, 3, 7, -1])).tolist()
    [0, 1, 2, 0, 3]
    """
    alone = group < 0
    group = np.where(alone, group.max(initial=-1) + np.cumsum(alone), group)
    _, first, inverse = np.unique(group, return_index=True, return_inverse=True)
    number = np.empty(len(first), np.int32)
    number[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return number[inverse]


def needs_bound(degrees: np.ndarray, need: np.ndarray, jobs: int = 1) -> int:
    """A cost that no grouping in which everybody is among ``need`` people can undercut, in exact arithmetic.

    A group of size s costs at least the sum of its members' distances over s - 1 (see `shoal.group.bound`): half of every
    member's mean distance to the others. That is at least half the mean over the need - 1 nearest, since s >= need, and
    at least half the mean over fewer of the nearest, of which `LONGEST_LIST` kinds are looked up. One-sided and pinned
    groups cost no less than medians, so it holds for them too. Says nothing, 0, above `EXACT_LIMIT` kinds of rows.

    >>> needs_bound(np.array([[0, 0], [0, 1], [5, 5], [5, 7]]), np.array([2, 1, 2, 1]))
    2
    """
    need = np.maximum(np.asarray(need), 1)
    if need.max(initial=1) <= 1:
        return 0
    first, kind, count = collapse_rows(degrees)
    if len(first) > EXACT_LIMIT:
        return 0
    near, distance = nearest_rows(degrees[first], int(min(need.max() - 1, LONGEST_LIST)), jobs=jobs)
    share = np.concatenate([count[:, None] - 1, count[near]], axis=1)
    before = np.cumsum(share, axis=1) - share
    total = Fraction(0)
    for k in np.unique(need[need > 1]):
        people = np.bincount(kind[need == k], minlength=len(first))
        taken = np.clip(k - 1 - before, 0, share)
        known, sums = taken.sum(axis=1), (taken[:, 1:] * distance.astype(np.int64)).sum(axis=1) * people
        for others in np.unique(known[people > 0]):
            total += Fraction(int(sums[known == others].sum()), 2 * int(others))
    return math.ceil(total)
