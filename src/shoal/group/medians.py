"""The centre of a group: in every slice, the interval between its lower and its upper median.

Any degree within the interval costs the same (the sum of |d - centre| over the group is flat there), so the stages that
follow may choose freely inside it.
"""

from __future__ import annotations

import numpy as np


def group_sizes(labels: np.ndarray) -> np.ndarray:
    """Members of each group."""
    return np.bincount(labels)


def group_medians(degrees: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper median of every group in every slice, both (m, T).

    >>> low, high = group_medians(np.array([[1], [2], [5], [9]]), np.array([0, 0, 0, 0]))
    >>> low.item(), high.item()
    (2, 5)
    """
    sizes, ranked = group_sizes(labels), np.empty_like(degrees)
    for t in range(degrees.shape[1]):
        ranked[:, t] = degrees[np.lexsort((degrees[:, t], labels)), t]
    first = np.cumsum(sizes) - sizes
    return ranked[first + (sizes - 1) // 2], ranked[first + sizes // 2]


def middle(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """One point of the median interval, the one the paper's methods use."""
    return (low + high) // 2


def l1_cost(degrees: np.ndarray, labels: np.ndarray, centres: np.ndarray) -> int:
    """Sum of |D - D~| when every member gets its group's row of `centres`."""
    return int(np.abs(degrees - centres[labels]).sum(dtype=np.int64))
