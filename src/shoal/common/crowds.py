"""Who looks like whom: people with the same row stand in one crowd."""

from __future__ import annotations

import numpy as np


def distinct_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The index of one row of each kind, the kind of every row, and how many there are of each.

    Rows are compared through a 64-bit hash, the same in every run, and the answer is checked; on a collision the slow
    exact way is taken.

    >>> first, kind, count = distinct_rows(np.array([[1, 2], [0, 0], [1, 2]]))
    >>> sorted(count.tolist()), bool(kind[0] == kind[2])
    ([1, 2], True)
    """
    _, first, kind, count = np.unique(_hash(rows), return_index=True, return_inverse=True, return_counts=True)
    if not np.array_equal(rows[first[kind]], rows):
        _, first, kind, count = np.unique(rows, axis=0, return_index=True, return_inverse=True, return_counts=True)
    return first, kind.ravel(), count


def _hash(rows: np.ndarray) -> np.ndarray:
    if rows.ndim == 1:
        return rows
    weights: np.ndarray = np.random.default_rng(7).integers(1, 2**63, rows.shape[1:], dtype=np.uint64)
    key = np.zeros(len(rows), np.uint64)
    for t in range(rows.shape[1]):
        key += rows[:, t].astype(np.uint64) * (weights[t] | np.uint64(1))
        key ^= key >> np.uint64(29)
    return key


def class_sizes(rows: np.ndarray) -> np.ndarray:
    """For every distinct row (or value), how many people have it."""
    return np.unique(rows, return_counts=True)[1] if rows.ndim == 1 else distinct_rows(rows)[2]


def crowd_sizes(rows: np.ndarray) -> np.ndarray:
    """For every person, how many people have the same row, themself included.

    >>> crowd_sizes(np.array([[1, 2], [1, 2], [3, 0]])).tolist()
    [2, 2, 1]
    """
    if rows.ndim == 1:  # without asking for one row of each kind numpy sorts in half the time
        _, kind, count = np.unique(rows, return_inverse=True, return_counts=True)
    else:
        _, kind, count = distinct_rows(rows)
    return count[kind]


def smallest_class(rows: np.ndarray) -> int:
    """The number of people who share the rarest row."""
    return int(class_sizes(rows).min(initial=len(rows)))
