"""Classes of like things, each large enough that nobody has more than a k-th of it: what is drawn from one says nothing of them."""

from __future__ import annotations

import numpy as np


def class_bounds(key: np.ndarray, owner: np.ndarray, weight: np.ndarray, k: int) -> np.ndarray:
    """From which keys on classes begin, the lowest first; empty where even all together somebody has more than a k-th.

    Classes are closed from the highest key down, each as soon as no owner has more than a k-th of its weight. What is left
    over at the bottom joins the class above it, if that keeps it so, or else all is one class.

    >>> class_bounds(np.array([0, 0, 1, 1, 2]), np.arange(5), np.ones(5), 2).tolist()
    [0, 1]
    """
    bounds: list[int] = []
    levels = np.unique(key)[::-1].tolist()
    top = np.inf
    for level in levels:
        if _spread((key >= level) & (key < top), owner, weight, k):
            bounds.append(level)
            top = level
    if bounds and bounds[-1] > levels[-1]:
        above = bounds[-2] if len(bounds) > 1 else np.inf
        bounds = [*bounds[:-1], levels[-1]] if _spread(key < above, owner, weight, k) else []
    if not bounds and _spread(key >= 0, owner, weight, k):
        bounds = levels[-1:]
    return np.array(bounds[::-1], np.int64)


def _spread(inside: np.ndarray, owner: np.ndarray, weight: np.ndarray, k: int) -> bool:
    """Whether nobody has more than a k-th of what is inside."""
    shares = np.bincount(owner[inside], weight[inside])
    return bool(shares.sum() > 0 and k * shares.max() <= shares.sum())


def most_each(sizes: np.ndarray, k: int) -> int:
    """How many things of an owner may count at most, so that nobody has more than a k-th of all that count; 0 if fewer own any.

    >>> most_each(np.array([9, 2, 2, 1]), 3)
    2
    """
    most = int(sizes.max(initial=0))
    while most * k > (counting := int(np.minimum(sizes, most).sum())):
        most = counting // k
    return most


def class_of(key: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """The class of every key; keys below all bounds are in the lowest class."""
    return np.maximum(np.searchsorted(bounds, key, side="right") - 1, 0)


def size_class(numbers: np.ndarray) -> np.ndarray:
    """0 for 1, 1 for 2 and 3, 2 for 4 to 7, and so on: like sizes differ less than twofold."""
    return np.frexp(np.maximum(numbers, 1).astype(np.float64))[1].astype(np.int64) - 1
