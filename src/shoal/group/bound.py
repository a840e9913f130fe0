"""Certified lower bounds on the l1 cost of any grouping into groups of at least k.

Three bounds, each valid for groups of any size s >= k; `lower_bound` takes the best. The first also holds where people have
levels of their own, and for groups that take their largest degrees or an exempt member's row, which cost no less than medians.

*Pairs.* Let S be a group with medians m and cost C = sum of d(i, m) over its members. By the triangle inequality
sum_{i<j} d(i, j) <= sum_{i<j} (d(i, m) + d(j, m)) = (s - 1) C, so C >= sum_{i<j} y_ij d(i, j) with y_ij = 1 / (s - 1).

*Neighbour bound.* The pairs of i make up the mean distance of i to s - 1 others, which is at least the mean over its k - 1
nearest (or fewer), a mean of nearest ones that only grows with s. Each pair is counted from both ends: the cost is at least
half the sum of these means over all nodes.

*Matching bound.* Write y_ij = 1 / (s - 1) inside groups and 0 across them. For every grouping, sum_j y_ij = 1 for every
node i, and 0 <= y_ij <= 1 / (k - 1). So the least sum of y_ij d(i, j) under these constraints bounds the cost: a linear
program, stronger than the neighbour bound because a popular node can be the neighbour of only so many. By weak duality
any prices u certify

    cost  >=  sum_i u_i  -  1 / (k - 1) * sum_{i<j} max(0, u_i + u_j - d(i, j)).

Prices are found by coordinate ascent, rounded, and the right side is computed in whole numbers. At k = 2 it usually lies
within one per cent of the best groups known.

Pairs that are in no neighbour list must not be forgotten. If j is not among the listed neighbours of i, nor i among
those of j, then d(i, j) >= max(r_i, r_j), r being the distance of the last one listed. Prices are kept at or below caps
for which u_i + u_j <= max(r_i, r_j), so such pairs add nothing: r_i / 2 for most rows; the thousand and more with the largest r
know all distances among each other, and may go up to r_i - h with h = half the largest r of all the others.

*Slice bound.* The cost is a sum over slices, and in each slice no grouping beats the optimum of that slice alone, which
is known exactly (`exact`).
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from shoal.group._bound_kernels import ascend, distances_among, value_of
from shoal.group.exact import cheapest_cuts
from shoal.group.neighbours import EXACT_LIMIT, Crowds, find_crowds

ALL_PAIRS = 3_000  # distinct rows up to which all distances are known
WIDE = 1_500  # of more, the rows farthest from others, which know all distances among each other
SCALE = 256  # prices are whole multiples of 1 / 256
SWEEPS, SWEEPS_ALL_PAIRS = 16, 40  # at most
LOOK, ENOUGH = 4, 10_000  # how often the bound is computed, and the share of it that another round must gain


def lower_bound(degrees: np.ndarray, k: int | np.ndarray, *, jobs: int = 1, crowds: Crowds | None = None) -> int:
    """A cost that no partition of the rows of ``degrees`` into groups of at least ``k`` can undercut.

    ``k`` is everybody's, or one for each row. Above `EXACT_LIMIT` rows it says less, with levels nothing (0).

    >>> rows = np.array([[0, 0], [0, 1], [5, 5], [5, 7]])
    >>> lower_bound(rows, 2), lower_bound(rows, np.array([2, 1, 2, 1]))
    (3, 2)
    """
    levels = np.broadcast_to(np.asarray(k, np.int64), len(degrees))
    top = int(levels.max(initial=1))
    plain = bool((levels == top).all())
    best = slice_bound(degrees, top) if plain else 0
    few = crowds is not None or len(degrees) <= EXACT_LIMIT
    if few and 2 <= top <= len(degrees) and not (plain and degrees.shape[1] == 1):
        crowds = crowds or find_crowds(degrees, levels, jobs=jobs)
        if 1 < len(crowds.first) <= EXACT_LIMIT:
            if plain:
                best = max(best, matching_bound(degrees[crowds.first], crowds.sizes, top, crowds.near, crowds.distance))
            else:
                best = max(best, neighbour_bound(levels, crowds))
    return best


def slice_bound(degrees: np.ndarray, k: int) -> int:
    """Sum over slices of the least cost of each slice on its own."""
    return sum(cheapest_cuts(np.sort(degrees[:, t]), k)[0] for t in range(degrees.shape[1]))


def neighbour_bound(levels: np.ndarray, crowds: Crowds) -> int:
    """Half the sum, over all rows, of the mean distance to the k - 1 nearest other rows, in exact arithmetic.

    Where the lists of neighbours know fewer rows than k - 1, of those that they know.
    """
    share = np.concatenate([crowds.sizes[:, None] - 1, crowds.sizes[crowds.near]], axis=1)
    before = np.cumsum(share, axis=1) - share
    total = Fraction(0)
    for k in np.unique(levels[levels > 1]):
        people = np.bincount(crowds.label[levels == k], minlength=len(crowds.first))
        taken = np.clip(k - 1 - before, 0, share)
        known, sums = taken.sum(axis=1), (taken[:, 1:] * crowds.distance.astype(np.int64)).sum(axis=1) * people
        for others in np.unique(known[people > 0]):
            total += Fraction(int(sums[known == others].sum()), 2 * int(others))
    return math.ceil(total)


def matching_bound(rows: np.ndarray, count: np.ndarray, k: int, near: np.ndarray, distance: np.ndarray) -> int:
    """The matching bound for distinct ``rows`` that occur ``count`` times each; 0 if it says nothing.

    ``near`` and ``distance`` are exact neighbour lists of the rows.
    """
    start, other, gap, cap, price = _pairs(rows, near, distance)
    weights = count.astype(np.int64)
    best = 0
    for sweep in range(SWEEPS_ALL_PAIRS if len(rows) <= ALL_PAIRS else SWEEPS):
        ascend(start, other, gap, weights, cap, k, price, sweep % 2 == 1)
        if sweep % LOOK == LOOK - 1:
            whole = np.floor(price * SCALE).astype(np.int64)
            value = int(value_of(start, other, gap, weights, k, SCALE, whole))
            gain = -(-value // (SCALE * (k - 1))) - best
            best += max(gain, 0)
            if gain <= best // ENOUGH:
                break
    return best


def _pairs(rows: np.ndarray, near: np.ndarray, distance: np.ndarray) -> tuple[np.ndarray, ...]:
    """Who knows whom, symmetric, as compressed rows, with the caps under which all other pairs can be forgotten."""
    n = len(rows)
    if n <= max(ALL_PAIRS, WIDE):
        wide, cap = np.arange(n), np.full(n, float(rows.sum(axis=1, dtype=np.int64).max() * 2 + 1))
        one = two = gap = np.empty(0, np.int64)
    else:
        last = distance[:, -1].astype(float)
        order = np.argsort(last, kind="stable")
        wide, cap = np.sort(order[n - WIDE :]), last / 2
        cap[wide] = last[wide] - last[order[n - WIDE - 1]] / 2
        one, two = np.repeat(np.arange(n), near.shape[1]), near.ravel().astype(np.int64)
        gap = distance.ravel().astype(np.int64)
        across = ~(np.isin(one, wide) & np.isin(two, wide))
        one, two, gap = one[across], two[across], gap[across]
    among = np.zeros((len(wide), len(wide)), np.int32)
    distances_among(np.ascontiguousarray(rows[wide], dtype=np.int32), among)
    i, j = np.nonzero(~np.eye(len(wide), dtype=bool))
    key = np.concatenate([one * n + two, two * n + one, wide[i] * n + wide[j]])
    key, kept = np.unique(key, return_index=True)
    gap = np.concatenate([gap, gap, among[i, j]])[kept].astype(np.int32)
    start = np.searchsorted(key, np.arange(n + 1) * n)
    least = np.full(n, np.inf)
    np.minimum.at(least, key // n, gap)
    return start, (key % n).astype(np.int32), gap, cap, np.minimum(least / 2, cap)
