"""How much of their neighbourhood people keep from one slice to the next."""

from __future__ import annotations

import numpy as np

from shoal.common.edges import edge_keys
from shoal.graph import TemporalGraph


def predecessor(graph: TemporalGraph, t: int) -> int | None:
    """The slice before t in time: None for the first bin, the first bin of a layer, and where slices have no order.

    >>> graph = TemporalGraph.from_slices({"mon": [(1, 2)], "tue": [(2, 3)]})
    >>> predecessor(graph, 0), predecessor(graph, 1)
    (None, 0)
    """
    if not graph.ordered or t == 0 or graph.slices[t].layer != graph.slices[t - 1].layer:
        return None
    return t - 1


def adjacency_correlation(before: np.ndarray, after: np.ndarray, n_nodes: int) -> float | None:
    """Adjacency correlation of two slices, averaged over people: A. Clauset & N. Eagle, doi:10.48550/arXiv.1211.7343.

    With A and B the adjacency matrices of successive slices and both sums over the people who are neighbours of i in
    either of them,

        γ_i = Σ_j A_ij B_ij / √(Σ_j A_ij · Σ_j B_ij),

    that is, the neighbours i keeps over the geometric mean of its degrees: 1 where the neighbourhood stays the same, 0 where
    nobody of it stays. Who has neighbours in only one of the slices counts as 0; who has none in both has no
    neighbourhood to keep and is left out, otherwise sparse data would look constant or fickle by convention
    alone. None where that leaves nobody.

    Parameters
    ----------
    before, after
        (m, 2) node indices of undirected slices.
    n_nodes
        People, isolated ones included.

    Examples
    --------
    >>> adjacency_correlation(np.array([[0, 1], [0, 2]]), np.array([[0, 1], [0, 3]]), 5)  # people 0 … 3: ½, 1, 0, 0
    0.375
    """
    kept = np.intersect1d(edge_keys(before), edge_keys(after), assume_unique=True)
    ends = np.concatenate([kept >> 32, kept & 0xFFFFFFFF])
    common = np.bincount(ends, minlength=n_nodes)
    degree_1 = np.bincount(before.ravel(), minlength=n_nodes)
    degree_2 = np.bincount(after.ravel(), minlength=n_nodes)
    active = (degree_1 > 0) | (degree_2 > 0)
    if not active.any():
        return None
    scale = np.sqrt(np.maximum(degree_1[active] * degree_2[active], 1))
    return float((common[active] / scale).mean())
