"""From one slice to the next: neighbours that are kept, pairs that meet again, triangles that close, groups that last."""

from __future__ import annotations

import numpy as np

from shoal.common.edges import among
from shoal.graph import TemporalGraph
from shoal.measure import _kernels
from shoal.measure.communities import SMALLEST

_ROUNDS = 20  # of label propagation: nearly all labels are settled after five (doi:10.1103/PhysRevE.76.036106)


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
    common = np.bincount(after[among(after, before)].ravel(), minlength=n_nodes)
    degree_1 = np.bincount(before.ravel(), minlength=n_nodes)
    degree_2 = np.bincount(after.ravel(), minlength=n_nodes)
    active = (degree_1 > 0) | (degree_2 > 0)
    if not active.any():
        return None
    scale = np.sqrt(np.maximum(degree_1[active] * degree_2[active], 1))
    return float((common[active] / scale).mean())


def meets_again(before: np.ndarray, after: np.ndarray) -> float | None:
    """The share of the pairs of a slice who meet in the next one too; None where nobody meets in the first.

    >>> meets_again(np.array([[0, 1], [0, 2]]), np.array([[0, 1], [0, 3]]))
    0.5
    """
    return int(np.count_nonzero(among(before, after))) / len(before) if len(before) else None


def closing_triangles(before: np.ndarray, after: np.ndarray, n_nodes: int) -> int:
    """How many pairs of edges a-b, b-c of a slice without a-c are closed by an edge a-c of the next slice.

    Triadic closure in discrete time: G. Kossinets & D. Watts 2006, doi:10.1126/science.1116869.

    >>> closing_triangles(np.array([[0, 1], [1, 2], [1, 3]]), np.array([[0, 2], [2, 3]]), 4)
    2
    """
    new = after[~among(after, before)]
    starts, heads = _kernels.neighbours(before, n_nodes)
    busier = np.diff(starts)[new[:, 0]] >= np.diff(starts)[new[:, 1]]
    new = np.where(busier[:, None], new, new[:, ::-1])  # the few neighbours of the other end are gone through
    return int(_kernels.closings(starts, heads, new[np.argsort(new[:, 0], kind="stable")]))


def groups_in(edges: np.ndarray, order: np.ndarray) -> np.ndarray:
    """The group of everybody in one slice, by label propagation.

    Everybody takes over the label that most of their neighbours have, one after the other in the order given, until that
    changes nothing: U. Raghavan, R. Albert & S. Kumara 2007, doi:10.1103/PhysRevE.76.036106. It is much faster than Louvain,
    which finds the communities of the whole graph.

    >>> two = np.array([[0, 1], [0, 2], [1, 2], [3, 4], [3, 5], [4, 5], [2, 3]])
    >>> labels = groups_in(two, np.arange(7))
    >>> bool(labels[0] == labels[1] == labels[2] != labels[3])
    True
    """
    starts, heads = _kernels.neighbours(edges, len(order))
    return _kernels.propagate(starts, heads, order[np.diff(starts)[order] > 0], _ROUNDS)


def lasting(before: np.ndarray, after: np.ndarray) -> float | None:
    """How much of the groups of a slice is found in the next one: 1 where all stay as they are; None without groups.

    A group of three or more people is held against the group of the next slice that it shares most with, as the people in both
    over the people in either (D. Greene, D. Doyle & P. Cunningham 2010, doi:10.1109/ASONAM.2010.17), and large groups count
    as much as they have members.

    >>> lasting(np.array([0, 0, 0, 0, 4]), np.array([2, 2, 2, 3, 3]))
    0.75
    """
    n_nodes = len(before)
    sizes, later = np.bincount(before, minlength=1), np.bincount(after, minlength=1)
    grouped = sizes[before] >= SMALLEST
    if not grouped.any():
        return None
    both, shared = np.unique(before[grouped].astype(np.int64) * n_nodes + after[grouped], return_counts=True)
    group, match = np.divmod(both, n_nodes)
    best = np.zeros(n_nodes)
    np.maximum.at(best, group, shared / (sizes[group] + later[match] - shared))
    return float(best[before[grouped]].mean())
