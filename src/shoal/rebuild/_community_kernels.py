"""Kernel of communities: one person after the other goes where modularity gains most."""

from __future__ import annotations

import numpy as np

from shoal._numba import njit


@njit
def move_all(
    start: np.ndarray, other: np.ndarray, weight: np.ndarray, label: np.ndarray, passes: int, order: np.ndarray
) -> np.ndarray:
    """Move nodes between communities, in this order, until a pass moves fewer than one in a hundred."""
    n, everything = label.size, 0.0
    degree, total, links = np.zeros(n), np.zeros(n), np.zeros(n)
    touched = np.empty(n + 1, np.int64)
    for i in range(n):
        for q in range(start[i], start[i + 1]):
            degree[i] += weight[q]
        total[label[i]] += degree[i]
        everything += degree[i]
    for _ in range(passes):
        moved = 0
        for i in order:
            own, count = label[i], 1
            touched[0] = own
            for q in range(start[i], start[i + 1]):
                to = label[other[q]]
                if other[q] == i:
                    continue
                if links[to] == 0 and to != own:
                    touched[count] = to
                    count += 1
                links[to] += weight[q]
            total[own] -= degree[i]
            best, most = own, links[own] - degree[i] * total[own] / everything if everything else 0.0
            for to in touched[:count]:
                gain = links[to] - degree[i] * total[to] / everything if everything else 0.0
                links[to] = 0.0
                if gain > most + 1e-9:
                    best, most = to, gain
            total[best] += degree[i]
            label[i] = best
            moved += best != own
        if 100 * moved < n:
            break
    return label
