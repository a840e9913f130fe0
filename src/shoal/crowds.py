"""Who looks like whom: people with the same row stand in one crowd."""

from __future__ import annotations

import numpy as np


def class_sizes(rows: np.ndarray) -> np.ndarray:
    """For every distinct row of a degree matrix, how many people have it."""
    return np.unique(row_keys(rows), return_counts=True)[1]


def crowd_sizes(rows: np.ndarray) -> np.ndarray:
    """For every person, how many people have the same row, themself included.

    >>> crowd_sizes(np.array([[1, 2], [1, 2], [3, 0]])).tolist()
    [2, 2, 1]
    """
    _, inverse, counts = np.unique(row_keys(rows), return_inverse=True, return_counts=True)
    return counts[inverse]


def smallest_class(rows: np.ndarray) -> int:
    """The number of people who share the rarest row."""
    return int(class_sizes(rows).min(initial=len(rows)))


def row_keys(rows: np.ndarray) -> np.ndarray:
    """One comparable value per row, byte by byte the row itself: nothing can collide."""
    rows = np.ascontiguousarray(rows)
    if rows.ndim == 1:
        return rows
    if rows.shape[1] == 0:
        return np.zeros(len(rows), np.int8)
    return rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
