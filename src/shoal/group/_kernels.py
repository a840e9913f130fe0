"""Loops of the paper's grouping. Arrays in, arrays out, nothing is checked here."""

from __future__ import annotations

import numpy as np

from shoal._numba import njit


@njit
def distances(centres: np.ndarray, degrees: np.ndarray, out: np.ndarray) -> None:
    """out[g, i] = l1 distance of node i from centre g."""
    for g in range(centres.shape[0]):
        for i in range(degrees.shape[0]):
            total = np.int64(0)
            for t in range(degrees.shape[1]):
                total += abs(centres[g, t] - degrees[i, t])
            out[g, i] = total


@njit
def take_nearest(distance: np.ndarray, order: np.ndarray, k: int, labels: np.ndarray) -> np.int64:
    """GreedyAssignment, one order: each centre in turn takes its k nearest free nodes. Fills labels, gives the cost.

    Nodes left over (label -1 at the end of the turn) go to their nearest centre.
    """
    n_nodes = distance.shape[1]
    labels[:] = -1
    near = np.empty(k, np.int64)
    cost = np.int64(0)
    for g in order:
        row = distance[g]
        filled = 0
        for i in range(n_nodes):
            if labels[i] >= 0 or (filled == k and row[i] >= row[near[k - 1]]):
                continue
            place = filled if filled < k else k - 1
            while place > 0 and row[near[place - 1]] > row[i]:
                near[place] = near[place - 1]
                place -= 1
            near[place] = i
            filled = min(filled + 1, k)
        for place in range(filled):
            labels[near[place]] = g
            cost += row[near[place]]
    for i in range(n_nodes):
        if labels[i] < 0:
            best = 0
            for g in range(1, distance.shape[0]):
                if distance[g, i] < distance[best, i]:
                    best = g
            labels[i] = best
            cost += distance[best, i]
    return cost
