"""Priority: Liu & Terzi's graph construction (SIGMOD 2008, doi:10.1145/1376616.1376629), made to finish always.

Priority prefers original neighbours to those that want most edges, so even on a realizable sequence it may end with
stubs nobody can take. They are filled by the small repairs of `rewire` and, where none applies, along a witness.
"""

from __future__ import annotations

import numpy as np

from shoal.rebuild import _priority_kernels
from shoal.rebuild._edgeset import new_set
from shoal.rebuild.rewire import as_edges, finish


def neighbour_lists(edges: np.ndarray, n_nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """The neighbours of v are neighbours[starts[v]:starts[v+1]]."""
    ends = np.concatenate([edges[:, 0], edges[:, 1]]).astype(np.int64)
    others = np.concatenate([edges[:, 1], edges[:, 0]]).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=n_nodes))])
    return starts, others[np.argsort(ends, kind="stable")]


def priority(edges: np.ndarray, degrees: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A simple graph with exactly these degrees, preferring the original edges.

    Parameters
    ----------
    edges
        (m, 2) the original slice.
    degrees
        (n,) a realizable degree per node.
    rng
        Decides among equals.

    Returns
    -------
    (m', 2) int32, source < target, sorted.

    >>> path = np.array([[0, 1], [1, 2], [2, 3]])
    >>> priority(path, np.array([1, 1, 1, 1]), np.random.default_rng(0)).tolist()
    [[0, 1], [2, 3]]
    """
    n, target = len(degrees), np.asarray(degrees, np.int64)
    starts, neighbours = neighbour_lists(edges, n)
    built, lack = _priority_kernels.priority_edges(starts, neighbours, target, rng.permutation(n))
    keys, old = (e[:, 0].astype(np.int64) * n + e[:, 1] for e in (built, edges))
    current = new_set(keys, int(target.sum()) // 2 + len(keys) + 1)
    finish(current, new_set(old, len(old)), n, target, lack, rng)
    return as_edges(current, n)
