"""First groups for the search: every dense spot takes its nearest free rows, round after round."""

from __future__ import annotations

import numpy as np

from shoal._numba import njit
from shoal.group.neighbours import nearest_rows


@njit
def _grow(
    order: np.ndarray,
    k: int,
    near: np.ndarray,
    row_of: np.ndarray,
    class_start: np.ndarray,
    cursor: np.ndarray,
    label: np.ndarray,
    n_groups: int,
) -> int:
    """Let each class of ``order``, in turn, form groups of k from itself and the free nodes of its nearest classes.

    ``near`` holds positions in ``row_of``, which names the classes. Nodes of a class are taken from the front, so its
    free nodes begin at ``cursor``. A class that cannot gather k is left for later.
    """
    for p in order:
        own = row_of[p]
        while cursor[own] < class_start[own + 1]:
            found = class_start[own + 1] - cursor[own]
            j = 0
            while j < near.shape[1] and found < k:
                c = row_of[near[p, j]]
                found += class_start[c + 1] - cursor[c]
                j += 1
            if found < k:
                break
            taken = 0
            for i in range(-1, j):
                c = own if i < 0 else row_of[near[p, i]]
                while taken < k and cursor[c] < class_start[c + 1]:
                    label[cursor[c]] = n_groups
                    cursor[c] += 1
                    taken += 1
            n_groups += 1
    return n_groups


@njit
def _join_nearest(free: np.ndarray, label: np.ndarray, degrees: np.ndarray) -> None:
    """Give each node of ``free`` to the group of the nearest labelled node."""
    for a in free:
        best, best_gap = -1, np.int64(1) << 60
        for b in range(label.size):
            if label[b] >= 0:
                gap = np.int64(0)
                for t in range(degrees.shape[1]):
                    gap += abs(degrees[a, t] - degrees[b, t])
                if gap < best_gap:
                    best, best_gap = label[b], gap
        label[a] = best


def seed_groups(
    degrees: np.ndarray, k: int, class_start: np.ndarray, near: np.ndarray, distance: np.ndarray, *, jobs: int = 1
) -> np.ndarray:
    """Groups of k, and at most k - 1 nodes more, numbered in the order of their first nodes.

    Nodes are sorted by class of identical rows; ``near`` and ``distance`` are the neighbour lists of the classes. Where a
    dense spot has used up the neighbours of the rows around it, those look for neighbours among themselves next round.
    """
    label = np.full(len(degrees), -1, np.int32)
    left = np.arange(len(class_start) - 1)
    cursor = class_start[:-1].copy()
    n_groups = 0
    n_near = max(near.shape[1], k - 1)
    while True:
        column = min(k - 2, distance.shape[1] - 1)
        reach = distance[:, column] if column >= 0 else np.zeros(len(left))
        n_groups = _grow(np.argsort(reach, kind="stable"), k, near, left, class_start, cursor, label, n_groups)
        free = np.flatnonzero(label < 0)
        if len(free) < k:
            break
        left = np.unique(np.searchsorted(class_start, free, side="right") - 1)
        near, distance = nearest_rows(degrees[class_start[left]], n_near, jobs=jobs)
    _join_nearest(free, label, degrees)
    _, first, number = np.unique(label, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number]
