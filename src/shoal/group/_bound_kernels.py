"""Kernels of the matching bound: coordinate ascent on node prices, and the exact value of given prices."""

from __future__ import annotations

import numpy as np

from shoal._numba import njit


@njit
def distances_among(rows: np.ndarray, result: np.ndarray) -> None:
    """All l1 distances between the given rows."""
    for i in range(len(rows)):
        for j in range(i):
            total = np.int32(0)
            for t in range(rows.shape[1]):
                gap = np.int32(rows[i, t] - rows[j, t])
                total = np.int32(total + (gap if gap > 0 else np.int32(-gap)))
            result[i, j] = result[j, i] = total


@njit
def ascend(
    start: np.ndarray,
    other: np.ndarray,
    gap: np.ndarray,
    count: np.ndarray,
    cap: np.ndarray,
    k: int,
    price: np.ndarray,
    backwards: bool,
) -> None:
    """One sweep: give every crowd the price at which k - 1 partners are tempted, the others' prices standing fixed.

    As a function of one price the bound rises as long as fewer than k - 1 partners j have gap - price[j] below it, and
    falls when there are more; between the two lies an interval, of which the middle is taken.
    """
    n = price.size
    value, weight = np.empty(k + 1), np.empty(k + 1, np.int64)
    for step in range(n):
        a = n - 1 - step if backwards else step
        kept = 0
        if count[a] > 1:
            value[0], weight[0] = 0.0, count[a] - 1
            kept = 1
        for e in range(start[a], start[a + 1]):
            v = gap[e] - price[other[e]]
            if kept > k and v >= value[k]:
                continue
            i = min(kept, k)
            while i > 0 and value[i - 1] > v:
                value[i], weight[i] = value[i - 1], weight[i - 1]
                i -= 1
            value[i], weight[i] = v, count[other[e]]
            kept = min(kept + 1, k + 1)
        seen = np.int64(0)
        for i in range(kept):
            seen += weight[i]
            if seen >= k - 1:
                top = value[i + 1] if seen == k - 1 and i + 1 < kept else value[i]
                price[a] = min((value[i] + top) / 2, cap[a])
                break
        if seen < k - 1:
            price[a] = cap[a]


@njit
def value_of(
    start: np.ndarray, other: np.ndarray, gap: np.ndarray, count: np.ndarray, k: int, scale: int, price: np.ndarray
) -> np.int64:
    """The bound that whole ``price`` / ``scale`` certifies, times ``scale`` * (k - 1), in exact arithmetic."""
    earned, excess = np.int64(0), np.int64(0)
    for a in range(price.size):
        earned += count[a] * price[a]
        excess += count[a] * (count[a] - 1) // 2 * max(2 * price[a], 0)
        for e in range(start[a], start[a + 1]):
            b = other[e]
            if b < a:
                excess += count[a] * count[b] * max(price[a] + price[b] - scale * gap[e], 0)
    return (k - 1) * earned - excess
