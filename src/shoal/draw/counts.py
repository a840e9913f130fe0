"""How many contacts the edges of a released slice have: drawn from everybody's in that slice, from edges of like degree."""

from __future__ import annotations

import numpy as np

from shoal.draw.classes import class_bounds, class_of, size_class


def draw_counts(
    edges: np.ndarray,
    counts: np.ndarray,
    released: np.ndarray,
    mine: np.ndarray,
    taken: int,
    n_nodes: int,
    k: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """A count for some released edges of a slice (`mine`, a mask), where the others have `taken` so many contacts.

    With those they are together as many as the counts of the original's edges, where that can be. Edges are of like degree
    when the larger degree of their ends is in the same power of two; classes in which somebody has more than a k-th of the
    edges are merged. Within a class every released edge is as likely to get any count.

    >>> edges, all_of_them = np.array([[0, 1], [2, 3], [4, 5]]), np.ones(3, bool)
    >>> sorted(draw_counts(edges, np.array([1, 1, 4]), edges, all_of_them, 0, 6, 3, np.random.default_rng(0)).tolist())
    [1, 1, 4]
    """
    many = int(mine.sum())
    if not many or not len(edges):
        return np.ones(many, np.int64)
    key, wanted = (size_class(_larger_degree(some, n_nodes)) for some in (edges, released))
    bounds = class_bounds(np.repeat(key, 2), edges.ravel(), np.ones(edges.size), k)
    classes, wanted = class_of(key, bounds), class_of(wanted[mine], bounds)
    drawn = np.empty(many, np.int64)
    for number in np.unique(wanted):
        pool, here = np.sort(counts[classes == number]), np.flatnonzero(wanted == number)
        spread = (np.arange(len(here)) + rng.random()) * len(pool) / len(here)
        drawn[rng.permutation(here)] = pool[spread.astype(np.int64)]
    return fit_total(drawn, int(counts.sum()) - taken, int(counts.max()), rng)


def _larger_degree(edges: np.ndarray, n_nodes: int) -> np.ndarray:
    degree = np.bincount(edges.ravel(), minlength=n_nodes)
    return degree[edges].max(axis=1)


def fit_total(counts: np.ndarray, total: int, largest: int, rng: np.random.Generator) -> np.ndarray:
    """The counts changed so that they sum to the total: the largest are tripled, or cut to a third, and as few as will do.

    So small counts, which most edges have, stay what they are. None grows beyond `largest` while that is enough, and none
    falls below 1, whatever the total.

    >>> fit_total(np.array([1, 1, 2, 6]), 14, 9, np.random.default_rng(0)).tolist()
    [1, 1, 3, 9]
    """
    counts = counts.copy()
    order = np.lexsort((rng.random(len(counts)), -counts))
    while len(counts) and (missing := total - int(counts.sum())):
        now = counts[order]
        room = np.maximum(largest - now, 0) if missing > 0 else now - -(-now // 3)
        if not room.any():
            if missing < 0:
                break
            largest = 3 * largest
            continue
        taken = np.clip(abs(missing) - (np.cumsum(room) - room), 0, room)
        counts[order] += taken if missing > 0 else -taken
    return counts
