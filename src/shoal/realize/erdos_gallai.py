"""Which degree sequences belong to a simple graph: the theorem of Erdős and Gallai (1960).

The sequence is given as degrees with multiplicities, one entry per group, in any order. Only the ends of runs of equal
degrees need checking (Tripathi & Vijay 2003, doi:10.1016/S0012-365X(02)00803-3), so the work is O(distinct degrees) after sorting.
"""

from __future__ import annotations

import numpy as np


def slack(degrees: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each distinct degree, largest first: the degree, and by how much its inequality holds (negative: violated).

    >>> slack(np.array([3, 1]), np.array([1, 3]))[1].tolist()
    [0, 6]
    """
    values, inverse = np.unique(degrees, return_inverse=True)
    counts = np.zeros(len(values), np.int64)
    np.add.at(counts, inverse, sizes)
    values, counts = values[::-1].astype(np.int64), counts[::-1]
    j = np.cumsum(counts)
    total = np.cumsum(values * counts)
    # Behind position j: those with a degree above j count j each, the others count their degree.
    above = np.searchsorted(-values, -j, side="left")  # first distinct degree that is at most j
    above = np.maximum(above, np.arange(len(values)) + 1)
    up_to = np.concatenate([[0], j])[above]
    rest = total[-1] - np.concatenate([[0], total])[above] if len(total) else total
    return values, j * (j - 1) + j * (up_to - j) + rest - total


def satisfies_erdos_gallai(degrees: np.ndarray, sizes: np.ndarray) -> bool:
    """Whether the inequalities hold and no degree is negative; parity is not looked at."""
    return len(degrees) == 0 or (int(degrees.min()) >= 0 and bool((slack(degrees, sizes)[1] >= 0).all()))


def is_graphical(degrees: np.ndarray, sizes: np.ndarray | None = None) -> bool:
    """Whether some simple graph has these degrees.

    >>> is_graphical(np.array([3, 3, 3, 3])), is_graphical(np.array([3, 3, 1, 1])), is_graphical(np.array([1, 1, 1]))
    (True, False, False)
    """
    if sizes is None:
        sizes = np.ones(len(degrees), np.int64)
    return int(np.dot(degrees, sizes)) % 2 == 0 and satisfies_erdos_gallai(degrees, sizes)
