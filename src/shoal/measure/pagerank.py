"""PageRank of a slice, and how alike two slices are in it: the measure of Rossi, Musolesi & Torsello 2015."""

from __future__ import annotations

import math

import numpy as np

from shoal.measure import _kernels

ALPHA = 0.85
_TOLERANCE = 1e-11  # of the l1 change; the distance from the limit is below 6 times that


def pagerank(edges: np.ndarray, n_nodes: int, *, directed: bool = False) -> np.ndarray:
    """The share of time a random reader spends at every node: S. Brin & L. Page 1998, doi:10.1016/S0169-7552(98)00110-X.

    The reader follows a random edge with probability 0.85 and otherwise jumps to anybody,

        x = 0.85 (P' x + s / n) + 0.15 / n,

    where P is the adjacency matrix with rows divided by their sums and s the share at nodes that no edge leaves, which is
    spread over all nodes as networkx.pagerank does. Undirected edges are walked both ways. A slice without edges gives
    everybody the same.

    Parameters
    ----------
    edges
        (m, 2) node indices of a simple slice.
    n_nodes
        People, isolated ones included.
    directed
        Whether edges lead from the first node to the second only.

    Examples
    --------
    >>> pagerank(np.array([[0, 1], [1, 2]]), 3).round(4).tolist()
    [0.2568, 0.4865, 0.2568]
    """
    if n_nodes == 0:
        return np.empty(0)
    out = np.bincount(edges[:, 0], minlength=n_nodes)
    if not directed:
        out = out + np.bincount(edges[:, 1], minlength=n_nodes)
    return _kernels.pagerank(edges, out, not directed, ALPHA, _TOLERANCE)


def cosine(one: np.ndarray, other: np.ndarray) -> float | None:
    """The cosine of the angle between two vectors; None where one of them is zero or has no entries.

    PageRank is positive everywhere, so its cosine is never near 0: in a sparse slice most people are isolated in both
    graphs, share the same small rank and pull the cosine up. Compare it between slices of similar activity.

    >>> cosine(np.array([3.0, 4.0]), np.array([4.0, 3.0]))
    0.96
    """
    squares, others, products = (float((a * b).sum()) for a, b in ((one, one), (other, other), (one, other)))
    length = math.sqrt(squares * others)  # numpy's own sums: those of BLAS start threads, which wait for one another
    return min(products / length, 1.0) if length else None
