"""Obvious versions of what the kernels do, a few lines each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

import numpy as np
import polars as pl


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
