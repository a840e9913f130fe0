"""Who looks like whom: people with the same row stand in one crowd."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np


def distinct_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The index of one row of each crowd, the crowd of every row, and how many there are of each.

    >>> first, crowd, count = distinct_rows(np.array([[1, 2], [0, 0], [1, 2]]))
    >>> sorted(count.tolist()), bool(crowd[0] == crowd[2])
    ([1, 2], True)
    """
    columns = rows.reshape(len(rows), math.prod(rows.shape[1:])).T
    return distinct_columns(lambda: columns, len(rows), len(columns))


def distinct_columns(
    columns: Callable[[], Iterable[np.ndarray]], n: int, width: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same for n rows that come column by column, so that they never lie in memory all at once.

    Rows are compared through a 64-bit hash, the same in every run, and the answer is checked; on a collision the slow
    exact way is taken.
    """
    weights: np.ndarray = np.random.default_rng(7).integers(1, 2**63, width, dtype=np.uint64)
    key = np.zeros(n, np.uint64)
    for t, column in enumerate(columns()):
        key += column.astype(np.uint64) * (weights[t] | np.uint64(1))
        key ^= key >> np.uint64(29)
    found = _of_key(key)
    if all(np.array_equal(column[found[0][found[1]]], column) for column in columns()):
        return found
    crowd = np.zeros(n, np.int64)
    for column in columns():
        crowd = np.unique(np.stack([crowd, column]), axis=1, return_inverse=True)[1].ravel()
    return _of_key(crowd)


def gathered(column: Callable[[int], np.ndarray], width: int, people: np.ndarray) -> np.ndarray:
    """(people, width) the rows of these people alone, from columns that are made one after the other.

    >>> gathered([np.array([5, 6, 7]), np.array([8, 9, 0])].__getitem__, 2, np.array([2, 0])).tolist()
    [[7, 0], [5, 8]]
    """
    rows = np.empty((len(people), width), column(0).dtype if width else np.int32)
    for c in range(width):
        rows[:, c] = column(c)[people]
    return rows


def _of_key(key: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    _, first, crowd, count = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    return first, crowd, count


def class_sizes(rows: np.ndarray) -> np.ndarray:
    """For every distinct row (or value), how many people have it."""
    return np.unique(rows, return_counts=True)[1] if rows.ndim == 1 else distinct_rows(rows)[2]


def crowd_sizes(rows: np.ndarray) -> np.ndarray:
    """For every person, how many people have the same row, themself included.

    >>> crowd_sizes(np.array([[1, 2], [1, 2], [3, 0]])).tolist()
    [2, 2, 1]
    """
    if rows.ndim == 1:  # without asking for one row of each crowd numpy sorts in half the time
        _, crowd, count = np.unique(rows, return_inverse=True, return_counts=True)
    else:
        _, crowd, count = distinct_rows(rows)
    return count[crowd]


def smallest_class(rows: np.ndarray) -> int:
    """The number of people who share the rarest row."""
    return int(class_sizes(rows).min(initial=len(rows)))
