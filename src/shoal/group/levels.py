"""People with levels of their own, for methods that know a single k."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal.errors import InputError


def by_level(
    degrees: np.ndarray, levels: np.ndarray, group_level: Callable[[np.ndarray, int], np.ndarray]
) -> np.ndarray:
    """Group the people of each level among themselves, from the highest down, by ``group_level(rows, k)``.

    Where fewer than k of a level are left, the nearest people of lower levels complete their group; where there are not
    enough of those either, they join the nearest groups, which all have k members or more. Whoever has level 1 and was
    not taken stays alone. So everybody's k is met as long as none is above the number of people.

    >>> rows = np.array([[0], [1], [5], [5], [7]])
    >>> by_level(rows, np.array([2, 2, 1, 3, 1]), lambda rows, k: np.zeros(len(rows), int)).tolist()
    [0, 0, 1, 1, 1]
    """
    degrees, levels = np.asarray(degrees, dtype=np.int64), np.asarray(levels)
    n = len(degrees)
    if levels.max(initial=1) > max(n, 1):
        raise InputError(f"k must lie between 1 and the number of rows, {n}; got {levels.max()}")
    group, n_groups = np.full(n, -1, np.int64), 0
    for k in np.unique(levels[levels > 1])[::-1]:
        mine, free = np.flatnonzero((group < 0) & (levels == k)), np.flatnonzero((group < 0) & (levels < k))
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
