"""One slice: the cheapest runs of sorted whole numbers, by dynamic programming.

Where everybody's k is the same, some optimal grouping consists of runs of the sorted values: exchanging two members of
groups whose ranges overlap never raises the cost. So the cheapest runs are the best groups there are. Where people have levels
of their own two members cannot always be exchanged: then the search looks for groups, as it does where there are more slices.
"""

from __future__ import annotations

import numpy as np

from shoal._numba import njit
from shoal.errors import InputError


@njit
def fill_runs(k: int, prefix: np.ndarray, cost: np.ndarray, cut: np.ndarray) -> None:
    """``cost[i]``: least cost of runs of the first i sorted values; ``cut[i]``: where the last of them begins."""
    cost[0] = 0
    for i in range(1, cost.size):
        cost[i] = -1
        for size in range(k, min(2 * k - 1, i) + 1):
            j = i - size
            if cost[j] < 0:
                continue
            lower, upper = j + size // 2, i - size // 2
            total = cost[j] + (prefix[i] - prefix[upper]) - (prefix[lower] - prefix[j])
            if cost[i] < 0 or total < cost[i]:
                cost[i], cut[i] = total, j


def cheapest_cuts(values: np.ndarray, k: int) -> tuple[int, np.ndarray]:
    """Least l1 cost of cutting sorted whole numbers into runs of at least k, and where the last runs begin.

    No run needs 2k values or more, since two halves cost no more than the whole. So it takes n * k steps.

    >>> int(cheapest_cuts(np.array([0, 1, 5, 5, 9]), 2)[0])
    5
    """
    n = len(values)
    cost, cut = np.empty(n + 1, np.int64), np.zeros(n + 1, np.int64)
    fill_runs(int(k), np.concatenate([[0], np.cumsum(values, dtype=np.int64)]), cost, cut)
    return int(cost[n]), cut


def cheapest_runs(values: np.ndarray, k: int) -> np.ndarray:
    """The groups of `cheapest_cuts`, numbered in ascending order of their values; ``values`` may come in any order.

    >>> cheapest_runs(np.array([5, 0, 9, 1, 5]), 2).tolist()
    [1, 0, 1, 0, 1]
    """
    n = len(values)
    if not 1 <= k <= n:
        raise InputError(f"k must lie between 1 and the number of values, {n}")
    order = np.argsort(values, kind="stable")
    _, cut = cheapest_cuts(values[order], k)
    starts = np.zeros(n, np.int64)
    end = n
    while end > 0:
        end = int(cut[end])
        starts[end] = 1
    label = np.empty(n, np.int64)
    label[order] = np.cumsum(starts) - 1
    return label
