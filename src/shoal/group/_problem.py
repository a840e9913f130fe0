"""The grouping problem as the search sees it: classes of identical rows, and who is near whom."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.group.neighbours import Crowd

WANTED_BY = 8


class Problem(NamedTuple):
    """Nodes sorted by class of identical rows; ``nodes[i]`` is the row of the degree matrix that became node i.

    ``settled`` holds, k in a row, the nodes that already have a group of their own kind and take no part in the search.
    """

    degrees: np.ndarray
    nodes: np.ndarray
    class_start: np.ndarray
    near: np.ndarray
    distance: np.ndarray
    settled: np.ndarray


def make_problem(degrees: np.ndarray, k: int, crowd: Crowd) -> Problem:
    """Settle those of a crowd that the search cannot improve; the others take part in it."""
    _, label, count, near, distance = crowd
    nodes = np.argsort(label, kind="stable")
    keep = _class_quota(count, near, k)
    rank = np.arange(len(nodes)) - np.repeat(np.cumsum(count) - count, count)
    kept = rank < np.repeat(keep, count)
    start = np.concatenate([[0], np.cumsum(keep)]).astype(np.int64)
    return Problem(degrees[nodes[kept]], nodes[kept], start, near, distance, nodes[~kept])


def _class_quota(count: np.ndarray, near: np.ndarray, k: int) -> np.ndarray:
    """How many nodes of each class take part in the search.

    Identical rows form free groups of their own. What the search needs of a large class are the places it can offer to
    the rows around it, k - 1 for each group of k, so the rest of the class is settled at once.
    """
    wanted = near[:, :WANTED_BY]
    weight = np.repeat(np.minimum(count, 2 * k), wanted.shape[1])
    demand = np.bincount(wanted.ravel(), weights=weight, minlength=len(count))
    quota = k * (2 + np.ceil(demand / (k - 1))).astype(np.int64)
    return count - np.maximum(count - quota, 0) // k * k
