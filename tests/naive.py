"""Obvious versions of what the kernels do, a few lines each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

import numpy as np
import polars as pl
from scipy import optimize, sparse


def degree_matrix(frame: pl.DataFrame, nodes: list, labels: list[str]) -> np.ndarray:
    """Count the ends of edges with a Counter."""
    ends = Counter()
    for source, target, label in frame.select("source", "target", "slice").iter_rows():
        ends[source, label] += 1
        ends[target, label] += 1
    return np.array([[ends[node, label] for label in labels] for node in nodes]).reshape(len(nodes), len(labels))


def smallest_crowd(degrees: np.ndarray) -> int:
    return min(Counter(map(tuple, degrees.tolist())).values())


def greedy(distance: np.ndarray, order: list[int], k: int) -> tuple[list[int], int]:
    """Algorithm 1 of the paper for one order of the medians, residual nodes to the nearest."""
    n_groups, n_nodes = distance.shape
    labels = [-1] * n_nodes
    for g in order:
        free = sorted((distance[g][i], i) for i in range(n_nodes) if labels[i] < 0)
        for _, i in free[:k]:
            labels[i] = g
    for i in range(n_nodes):
        if labels[i] < 0:
            labels[i] = min(range(n_groups), key=lambda g: (distance[g][i], g))
    return labels, sum(int(distance[g][i]) for i, g in enumerate(labels))


def best_assignment_cost(distance: np.ndarray, k: int) -> int:
    """Try every assignment with at least k nodes per group."""
    n_groups, n_nodes = distance.shape
    costs = [
        sum(distance[g][i] for i, g in enumerate(labels))
        for labels in product(range(n_groups), repeat=n_nodes)
        if all(labels.count(g) >= k for g in range(n_groups))
    ]
    return int(min(costs))


def erdos_gallai(sequence: list[int]) -> bool:
    """The theorem as it is written, for every j."""
    d, n = sorted(sequence, reverse=True), len(sequence)
    if d and d[-1] < 0:
        return False
    return all(sum(d[:j]) <= j * (j - 1) + sum(min(x, j) for x in d[j:]) for j in range(1, n + 1))


def partitions(items: list[int], k: int) -> Iterator[list[list[int]]]:
    """All ways to split items into groups of at least k."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for mask in product([False, True], repeat=len(rest)):
        group = [first] + [x for x, chosen in zip(rest, mask, strict=True) if chosen]
        if len(group) >= k:
            left = [x for x, chosen in zip(rest, mask, strict=True) if not chosen]
            for others in partitions(left, k):
                yield [group, *others]


def degree_program(edges, n, labels, sizes, weight=1.0):
    """Optimum of the degree program with an even sum, over all deletions."""
    best = np.inf
    odd = [g for g in range(len(sizes)) if sizes[g] % 2]
    for x in product((0, 1), repeat=len(edges)):
        rest = np.zeros(n, dtype=int)
        for (u, v), gone in zip(edges, x, strict=True):
            rest[[u, v]] += 1 - gone
        level = [max(rest[labels == g]) for g in range(len(sizes))]
        if sum(a * b for a, b in zip(level, sizes, strict=True)) % 2:
            if not odd:
                continue
            level[min(odd, key=lambda g: sizes[g])] += 1
        best = min(best, (1 + weight) * sum(x) + sum(a * b for a, b in zip(level, sizes, strict=True)) / 2)
    return best


def fewest_edits(edges, n, target):
    """Exact integer program over all pairs: the fewest edits that give the target degrees."""
    pairs = np.stack(np.triu_indices(n, 1), 1)
    there = np.isin(pairs[:, 0] * n + pairs[:, 1], edges[:, 0].astype(int) * n + edges[:, 1])
    e = np.arange(len(pairs))
    rows, cols = pairs.T.ravel(), np.tile(e, 2)
    a = sparse.csr_array((np.ones(rows.size), (rows, cols)), shape=(n, len(pairs)))
    result = optimize.milp(
        np.where(there, -1.0, 1.0),
        constraints=optimize.LinearConstraint(a, target, target),
        bounds=optimize.Bounds(0, 1),
        integrality=np.ones(len(pairs)),
        options={"time_limit": 60},
    )
    return None if result.x is None else round(result.fun) + int(there.sum())
