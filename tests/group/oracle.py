"""Naive oracles: validity and cost of a grouping, and the cheapest one by trying all set partitions."""

from __future__ import annotations

import numpy as np


def group_cost(rows, exempt, cost):
    """Cost of giving the rows one row; None if it cannot be."""
    if exempt.any():
        target = rows[exempt][0]
        if (rows[exempt] != target).any():
            return None
        if (cost == "max" and (rows > target).any()) or (cost == "min" and (rows < target).any()):
            return None
    else:
        target = {"median": np.median(rows, axis=0).astype(int), "max": rows.max(axis=0), "min": rows.min(axis=0)}[cost]
    return int(np.abs(rows - target).sum())


def cost_of(rows, ks, exempt, cost, labels):
    """Cost of a grouping; None if it is not valid."""
    order = np.argsort(labels, kind="stable")
    total = 0
    for members in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1):
        if len(members) == 1 and ks[members[0]] <= 1:
            continue
        part = group_cost(rows[members], exempt[members], cost) if ks[members].max() <= len(members) else None
        if part is None:
            return None
        total += part
    return total


def partitions(n):
    """All set partitions of n people, as labels."""

    def grow(i, labels, m):
        if i == n:
            yield np.array(labels)
            return
        for g in range(m + 1):
            yield from grow(i + 1, [*labels, g], max(m, g + 1))

    return grow(0, [], 0)


def cheapest(rows, ks, exempt, cost):
    """The least cost of all valid groupings; None if there is none."""
    costs = [cost_of(rows, ks, exempt, cost, labels) for labels in partitions(len(rows))]
    return min((c for c in costs if c is not None), default=None)
