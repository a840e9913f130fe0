"""Priority for digraphs: Liu & Terzi's construction (SIGMOD 2008, doi:10.1145/1376616.1376629), made to finish always.

Sources are taken by falling out-degree. Each joins first its original targets that still have to receive, then the
others that have most to receive. What nobody can take is filled as in `rewire_directed`.
"""

from __future__ import annotations

import numpy as np

from shoal.rebuild._edgeset import new_set
from shoal.rebuild.rewire import as_edges
from shoal.rebuild.rewire_directed import as_target, fill


def priority_directed(
    edges: np.ndarray, in_degrees: np.ndarray, out_degrees: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """A simple digraph with exactly these degrees, built from nothing, preferring the original arcs.

    Parameters
    ----------
    edges
        (m, 2) the original slice, [source, target].
    in_degrees, out_degrees
        (n,) a realizable pair per node.
    rng
        Decides among equals.

    Returns
    -------
    (m', 2) int32, sorted.

    >>> ring = np.array([[0, 1], [1, 2], [2, 0]])
    >>> priority_directed(ring, np.array([1, 1, 0]), np.array([1, 0, 1]), np.random.default_rng(0)).tolist()
    [[0, 1], [2, 0]]
    """
    n, target = len(in_degrees), as_target(in_degrees, out_degrees)
    keys = edges[:, 0].astype(np.int64) * n + edges[:, 1]
    current = new_set(np.empty(0, np.int64), 2 * int(target[:n].sum()) + 1)
    fill(current, new_set(keys, keys.size), n, target, target.copy(), rng)
    return as_edges(current, n)
