"""One slice: the cheapest runs of sorted whole numbers, by dynamic programming.

Where everybody's k is the same, some optimal grouping consists of runs of the sorted values: exchanging two members of
groups whose ranges overlap never raises the cost. So the cheapest runs are the best groups there are.

Where people have levels of their own two members cannot always be exchanged, and runs can be beaten. Four people of level 4
with values 0, 0, 0, 10 and two of level 2 with 5, 5 cost 10, each level on its own; every partition into runs costs 20 (all
six in one). The cheapest runs are valid groups still, and the search begins with them.
"""

from __future__ import annotations

import numpy as np

from shoal._numba import njit
from shoal.errors import InputError


@njit
def fill_runs(
    values: np.ndarray, levels: np.ndarray, prefix: np.ndarray, longest: int, cost: np.ndarray, cut: np.ndarray
) -> None:
    """``cost[i]``: least cost of runs of the first i sorted values; ``cut[i]``: where the last of them begins."""
    cost[0] = 0
    for i in range(1, values.size + 1):
        cost[i] = -1
        top = 1
        for size in range(1, min(longest, i) + 1):
            j = i - size
            top = max(top, levels[j])
            if size < top or cost[j] < 0:
                continue
            lower, upper = j + size // 2, i - size // 2
            total = cost[j] + (prefix[i] - prefix[upper]) - (prefix[lower] - prefix[j])
            if cost[i] < 0 or total < cost[i]:
                cost[i], cut[i] = total, j


def cheapest_cuts(values: np.ndarray, k: np.ndarray | int) -> tuple[int, np.ndarray]:
    """Least l1 cost of cutting sorted whole numbers into runs as long as each member's k, and where the last runs begin.

    ``k`` is everybody's k, or one for each value. No run needs 2k values or more, k being the largest of its members',
    since two halves cost no more than the whole. So it takes n * k steps.

    >>> int(cheapest_cuts(np.array([0, 1, 5, 5, 9]), 2)[0])
    5
    >>> int(cheapest_cuts(np.array([0, 0, 0, 5, 5, 10]), np.array([4, 4, 4, 2, 2, 4]))[0])
    20
    """
    n = len(values)
    levels = np.broadcast_to(np.asarray(k, np.int64), n).copy()
    longest = 2 * int(levels.max(initial=1)) - 1
    cost, cut = np.empty(n + 1, np.int64), np.zeros(n + 1, np.int64)
    prefix = np.concatenate([[0], np.cumsum(values, dtype=np.int64)])
    fill_runs(values.astype(np.int64), levels, prefix, longest, cost, cut)
    return int(cost[n]), cut


def cheapest_runs(values: np.ndarray, k: np.ndarray | int) -> np.ndarray:
    """The groups of `cheapest_cuts`, numbered in ascending order of their values; ``values`` may come in any order.

    >>> cheapest_runs(np.array([5, 0, 9, 1, 5]), 2).tolist()
    [1, 0, 1, 0, 1]
    """
    n = len(values)
    levels = np.broadcast_to(np.asarray(k, np.int64), n)
    if n == 0 or levels.min() < 1 or levels.max() > n:
        raise InputError(f"k must lie between 1 and the number of values, {n}")
    order = np.lexsort((levels, values))
    _, cut = cheapest_cuts(values[order], levels[order])
    starts = np.zeros(n, np.int64)
    end = n
    while end > 0:
        end = int(cut[end])
        starts[end] = 1
    label = np.empty(n, np.int64)
    label[order] = np.cumsum(starts) - 1
    return label
