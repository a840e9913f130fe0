"""Kernels of the degree program: what is given, the state of a search, and a first guess from prices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal._numba import lean, njit


class Program(NamedTuple):
    """Edges with the cost of deleting each, nodes in groups, and the weight of one degree of each group."""

    us: np.ndarray
    vs: np.ndarray
    cost: np.ndarray
    labels: np.ndarray
    weight: np.ndarray
    size: np.ndarray  # members of each group who count in the sum of the degrees
    total: np.ndarray  # the least and the largest such sum, what straying from it costs, and 2 where it has to be even
    low: np.ndarray  # the lowest and the highest degree a group may get
    high: np.ndarray
    start: np.ndarray  # edges at node i: at[start[i]:start[i + 1]]
    at: np.ndarray
    first: np.ndarray  # members of group g: who[first[g]:first[g + 1]]
    who: np.ndarray


class State(NamedTuple):
    """A feasible point: everybody's ``rest`` (degree after the deletions) is at most the ``target`` of the group.

    ``tight`` counts the members of a group with ``rest == target``. It holds between moves, so a move only has to count
    what it gains.
    """

    deleted: np.ndarray
    rest: np.ndarray
    target: np.ndarray
    tight: np.ndarray


@njit
def buckets(labels: np.ndarray, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Places of every label: ``who[first[g]:first[g + 1]]``."""
    first = np.zeros(m + 1, np.int64)
    for i in range(labels.size):
        first[labels[i] + 1] += 1
    for g in range(m):
        first[g + 1] += first[g]
    fill = first.copy()
    who = np.empty(labels.size, np.int64)
    for i in range(labels.size):
        who[fill[labels[i]]] = i
        fill[labels[i]] += 1
    return first, who


@lean
def count_tight(g, p, s):
    """Count anew who holds a group up."""
    who, rest, target, c = p.who, s.rest, s.target[g], 0
    for q in range(p.first[g], p.first[g + 1]):
        if rest[who[q]] == target:
            c += 1
    s.tight[g] = c


@lean
def flip(e, p, s):
    """Delete an edge or put it back."""
    labels, rest, target, tight = p.labels, s.rest, s.target, s.tight
    step = 1 if s.deleted[e] else -1
    s.deleted[e] = not s.deleted[e]
    for i in (p.us[e], p.vs[e]):
        g = labels[i]
        if rest[i] == target[g]:
            tight[g] -= 1
        rest[i] += step
        if rest[i] == target[g]:
            tight[g] += 1


@njit
def prices(p: Program, degrees: np.ndarray, rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """Guess deletions and targets from prices: the dual of the program's linear relaxation, by exponentiated gradient.

    Every group spreads its weight over its members as a price for one degree. An edge dearer than its cost is deleted;
    members left with more than the others grow dearer. The averages over the later rounds come near to a fractional
    optimum. Returns (mean deletion per edge, mean target per group).
    """
    us, vs, cost, labels, weight, first, who = p.us, p.vs, p.cost, p.labels, p.weight, p.first, p.who
    n, m = labels.size, weight.size
    lean, price = np.zeros(n), np.zeros(n)
    rest, mean_rest, mean = np.empty(n), np.zeros(n), np.zeros(us.size)
    total = 0.0
    for r in range(rounds):
        for g in range(m):
            top, spread = -np.inf, 0.0
            for q in range(first[g], first[g + 1]):
                top = max(top, lean[who[q]])
            for q in range(first[g], first[g + 1]):
                price[who[q]] = np.exp(lean[who[q]] - top)
                spread += price[who[q]]
            for q in range(first[g], first[g + 1]):
                price[who[q]] *= weight[g] / spread
        step = 0.5 / np.sqrt(1.0 + r)
        share = step if 4 * r >= rounds else 0.0
        total += share
        for i in range(n):
            rest[i] = degrees[i]
        for e in range(us.size):
            x = min(1.0, 10.0 * (price[us[e]] + price[vs[e]] - cost[e]))
            if x > 0:
                rest[us[e]] -= x
                rest[vs[e]] -= x
                mean[e] += share * x
        for i in range(n):
            lean[i] += step * rest[i]
            mean_rest[i] += share * rest[i]
    target = np.zeros(m)
    for i in range(n):
        target[labels[i]] = max(target[labels[i]], mean_rest[i] / total)
    for e in range(us.size):
        mean[e] /= total
    return mean, target
