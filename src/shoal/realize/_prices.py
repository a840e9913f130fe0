"""Kernel of the degree program: a first guess from prices."""

from __future__ import annotations

import numpy as np

from shoal._numba import njit
from shoal.realize._paths import members_of


@njit
def prices(us, vs, cost, labels, weight, degrees, rounds):
    """Guess deletions and levels from prices: the dual of the program's linear relaxation, by exponentiated gradient.

    Every group spreads its weight over its members as a price for one degree. An edge dearer than its cost is deleted;
    members left with more than the others grow dearer. The averages over the later rounds come near to a fractional
    optimum. Returns (mean deletion per edge, mean level per group).
    """
    n, m = labels.size, weight.size
    first, who = members_of(labels, m)
    lean, price = np.zeros(n), np.zeros(n)
    rest, mean_rest, mean = np.empty(n), np.zeros(n), np.zeros(us.size)
    total = 0.0
    for r in range(rounds):
        for g in range(m):
            top, spread = -np.inf, 0.0
            for p in range(first[g], first[g + 1]):
                top = max(top, lean[who[p]])
            for p in range(first[g], first[g + 1]):
                price[who[p]] = np.exp(lean[who[p]] - top)
                spread += price[who[p]]
            for p in range(first[g], first[g + 1]):
                price[who[p]] *= weight[g] / spread
        step = 0.5 / np.sqrt(1.0 + r)
        share = step if 4 * r >= rounds else 0.0
        total += share
        rest[:] = degrees
        for e in range(us.size):
            x = min(1.0, 10.0 * (price[us[e]] + price[vs[e]] - cost[e]))
            if x > 0:
                rest[us[e]] -= x
                rest[vs[e]] -= x
                mean[e] += share * x
        for i in range(n):
            lean[i] += step * rest[i]
            mean_rest[i] += share * rest[i]
    level = np.zeros(m)
    for i in range(n):
        level[labels[i]] = max(level[labels[i]], mean_rest[i] / total)
    return mean / total, level
