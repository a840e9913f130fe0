"""Kernels of the l1 neighbour search: a flat tree of boxes over dense rows, an inverted index over sparse ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal._numba import lean, njit
from shoal.group._sort_kernels import sort_by

FAR = np.int32(2**31 - 1)
FINE = 16  # means of sums are kept in whole sixteenths


class Boxes(NamedTuple):
    """Rows in runs ``starts[leaf] : starts[leaf + 1]``, each a box: its rows transposed, and the range of their sums.

    ``sums`` are those of `slice_sums`, ``low``, ``high`` and ``centre`` their least, greatest and mean in every leaf.
    """

    rows: np.ndarray
    sums: np.ndarray
    starts: np.ndarray
    blocks: np.ndarray
    low: np.ndarray
    high: np.ndarray
    centre: np.ndarray


@lean
def _widest(rows: np.ndarray, order: np.ndarray, lo: int, hi: int) -> int:
    """The column in which the rows ``order[lo:hi]`` spread most, in l1 around their mean."""
    widest, most = 0, -1.0
    for t in range(rows.shape[1]):
        total = 0.0
        for i in range(lo, hi):
            total += rows[order[i], t]
        mean, spread = total / (hi - lo), 0.0
        for i in range(lo, hi):
            spread += abs(rows[order[i], t] - mean)
        if spread > most:
            widest, most = t, spread
    return widest


@njit
def tree_order(rows: np.ndarray, leaf_size: int, order: np.ndarray, starts: np.ndarray) -> int:
    """Permute ``order`` so that consecutive runs of rows are boxes; write the runs' ends into ``starts``, return how many.

    Every run longer than ``leaf_size`` is cut at the median of the column in which its values spread most.
    """
    stack, key, spare = np.empty((128, 2), np.int64), np.empty(order.size, np.int64), np.empty(order.size, np.int64)
    stack[0, 0], stack[0, 1] = 0, order.size
    depth, n_leaves = 1, 0
    while depth > 0:
        depth -= 1
        lo, hi = stack[depth, 0], stack[depth, 1]
        if hi - lo <= leaf_size:
            n_leaves += 1
            starts[n_leaves] = hi
            continue
        column = _widest(rows, order, lo, hi)
        for i in range(lo, hi):
            key[order[i]] = rows[order[i], column]
        sort_by(key, order, spare, lo, hi)
        n_leaves_below = (hi - lo + leaf_size - 1) // leaf_size
        cut = lo + (n_leaves_below + 1) // 2 * leaf_size
        stack[depth, 0], stack[depth, 1] = cut, hi
        stack[depth + 1, 0], stack[depth + 1, 1] = lo, cut
        depth += 2
    return n_leaves


@lean
def box_leaves(boxes: Boxes) -> None:
    """Copy the rows of every leaf into a transposed block; note the range of its sums and their mean."""
    rows, sums, blocks = boxes.rows, boxes.sums, boxes.blocks
    for leaf in range(blocks.shape[0]):
        lo, hi = boxes.starts[leaf], boxes.starts[leaf + 1]
        for t in range(rows.shape[1]):
            for b in range(blocks.shape[2]):
                blocks[leaf, t, b] = rows[min(lo + b, hi - 1), t]
        for p in range(sums.shape[1]):
            least = most = sums[lo, p]
            total = np.int64(0)
            for i in range(lo, hi):
                least, most = min(least, sums[i, p]), max(most, sums[i, p])
                total += sums[i, p]
            boxes.low[leaf, p], boxes.high[leaf, p], boxes.centre[leaf, p] = least, most, FINE * total // (hi - lo)


@lean
def _push(near: np.ndarray, far: np.ndarray, row: int, item: int, distance: np.int32) -> None:
    """Insert into the ascending list of one row, whose last entry is the worst kept."""
    i = near.shape[1] - 1
    while i > 0 and far[row, i - 1] > distance:
        far[row, i] = far[row, i - 1]
        near[row, i] = near[row, i - 1]
        i -= 1
    far[row, i] = distance
    near[row, i] = item


@lean
def _leaf_order(
    centre: np.ndarray, leaf: int, limit: int, key: np.ndarray, order: np.ndarray, spare: np.ndarray
) -> None:
    """Write leaves in the order in which they are worth visiting, nearest mean first, at most ``limit``."""
    n_leaves, n_sums = centre.shape
    for other in range(n_leaves):
        key[other] = 0
        for p in range(n_sums):
            key[other] += abs(centre[leaf, p] - centre[other, p])
    key[leaf] = -1
    if limit == n_leaves:
        for other in range(n_leaves):
            order[other] = other
        sort_by(key, order, spare, 0, n_leaves)
        return
    filled = 0
    for other in range(n_leaves):
        if filled == limit and key[other] >= key[order[limit - 1]]:
            continue
        place = min(filled, limit - 1)
        while place > 0 and key[order[place - 1]] > key[other]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = other
        filled = min(filled + 1, limit)


@njit
def nearest_in_leaves(boxes: Boxes, leaves: np.ndarray, limit: int, near: np.ndarray, far: np.ndarray) -> None:
    """For every row of ``leaves``, the nearest rows among the ``limit`` leaves nearest to its own.

    With ``limit`` = all leaves the answer is exact: a leaf is passed over only when its box of sums is farther than the
    worst neighbour kept, and a block is abandoned only when its partial distances are. Sums over sets of slices can only
    be nearer than the rows themselves, and few dimensions make tight boxes.
    """
    rows, sums, starts, blocks, low, high, centre = boxes
    n_slices, n_sums, width, n_leaves = rows.shape[1], sums.shape[1], blocks.shape[2], blocks.shape[0]
    partial = np.zeros(width, rows.dtype)
    key, order, spare = np.empty(n_leaves, np.int64), np.empty(n_leaves, np.int64), np.empty(n_leaves, np.int64)
    for leaf in leaves:
        own = starts[leaf]
        _leaf_order(centre, leaf, limit, key, order, spare)
        for visit in range(limit):
            other = order[visit]
            gap = np.int64(0)
            for p in range(n_sums):
                below, above = low[other, p] - high[leaf, p], low[leaf, p] - high[other, p]
                gap += max(below, above, 0)
            first, count = starts[other], starts[other + 1] - starts[other]
            for q in range(own, starts[leaf + 1]):
                worst = far[q, far.shape[1] - 1]
                if gap >= worst:
                    continue
                bound = np.int32(0)
                for p in range(n_sums):
                    v = sums[q, p]
                    below, above = np.int32(low[other, p] - v), np.int32(v - high[other, p])
                    out = below if below > above else above
                    bound = np.int32(bound + (out if out > 0 else np.int32(0)))
                if bound >= worst:
                    continue
                for b in range(width):
                    partial[b] = 0
                begin = 0
                while begin < n_slices:
                    end = min(begin + 8, n_slices)
                    for t in range(begin, end):
                        v = rows[q, t]
                        for b in range(width):
                            x = blocks[other, t, b]
                            large, small = (x if x > v else v), (v if x > v else x)
                            partial[b] = partial[b] + (large - small)
                    begin = end
                    least = partial[0]
                    for b in range(width):
                        least = partial[b] if partial[b] < least else least
                    if least >= worst:
                        break
                if least >= worst:
                    continue
                for b in range(count):
                    if partial[b] < worst and first + b != q:
                        _push(near, far, q, first + b, np.int32(partial[b]))
                        worst = far[q, far.shape[1] - 1]


@njit
def nearest_by_overlap(
    indptr: np.ndarray,
    slices: np.ndarray,
    values: np.ndarray,
    col_ptr: np.ndarray,
    col_rows: np.ndarray,
    col_values: np.ndarray,
    totals: np.ndarray,
    queries: np.ndarray,
    near: np.ndarray,
    far: np.ndarray,
) -> None:
    """Nearest rows of sparse data: l1(a, b) = |a| + |b| - 2 * overlap, and only shared slices have an overlap."""
    n = totals.size
    overlap = np.zeros(n, np.int32)
    for q in queries:
        for e in range(indptr[q], indptr[q + 1]):
            t, v = slices[e], values[e]
            for f in range(col_ptr[t], col_ptr[t + 1]):
                x = col_values[f]
                overlap[col_rows[f]] += x if x < v else v
        own = totals[q]
        worst = far[q, far.shape[1] - 1]
        for i in range(n):
            distance = own + totals[i] - 2 * overlap[i]
            if distance < worst and i != q:
                _push(near, far, q, i, np.int32(distance))
                worst = far[q, far.shape[1] - 1]
            overlap[i] = 0
