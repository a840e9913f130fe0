"""How closely knit a slice is: clustering, transitivity, components. Directions are ignored here."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.common.edges import distinct, edge_keys
from shoal.measure import _kernels


def without_directions(edges: np.ndarray) -> np.ndarray:
    """The underlying undirected slice: u < v, and an edge with its answer counts once.

    >>> without_directions(np.array([[0, 1], [1, 0], [2, 1]], np.int32)).tolist()
    [[0, 1], [1, 2]]
    """
    keys = distinct(edge_keys(np.sort(edges, axis=1)))
    return np.column_stack([keys >> 32, keys & 0xFFFFFFFF]).astype(np.int32)


class Structure(NamedTuple):
    """What `structure` finds; None where there are no people."""

    clustering: float | None
    transitivity: float | None
    components: int
    largest_component: float | None
    triangles: int


def structure(edges: np.ndarray, degrees: np.ndarray) -> Structure:
    """Clustering, transitivity and components of an undirected slice, all as networkx defines them.

    With t_v triangles and d_v neighbours at node v, the local clustering coefficient is 2 t_v / (d_v (d_v - 1)), or 0 where
    d_v < 2. `clustering` is its mean over all people, isolated ones included (D. Watts & S. Strogatz 1998,
    doi:10.1038/30918), so it is low in sparse slices whatever happens among the active. `transitivity` is Σ t_v divided by
    the number of paths of length two, ½ Σ d_v (d_v - 1), or 0 without any; hubs decide it. `components` counts isolated people,
    each as one; `largest_component` is the share of people in the largest.

    Triangles are listed along edges that point to the higher degree, O(m √m) however large the hubs (M. Latapy 2008,
    doi:10.1016/j.tcs.2008.07.017).

    Parameters
    ----------
    edges
        (m, 2) node indices, no pair twice in either order.
    degrees
        (n,) how often every node occurs in them.

    Examples
    --------
    >>> edges = np.array([[0, 1], [0, 2], [1, 2], [2, 3]])
    >>> structure(edges, np.array([2, 2, 3, 1, 0]))
    Structure(clustering=0.466..., transitivity=0.6, components=2, largest_component=0.8, triangles=1)
    """
    n_nodes = len(degrees)
    if n_nodes == 0:
        return Structure(None, None, 0, None, 0)
    n_components, largest = _kernels.components(edges, n_nodes)
    found = _kernels.triangles(*_kernels.orient_by_degree(edges, degrees))
    wide = degrees.astype(np.int64)
    paths = wide * (wide - 1) // 2
    n_paths = int(paths.sum())
    return Structure(
        clustering=float((found / np.maximum(paths, 1)).sum() / n_nodes),
        transitivity=int(found.sum()) / n_paths if n_paths else 0.0,
        components=int(n_components),
        largest_component=int(largest) / n_nodes,
        triangles=int(found.sum()) // 3,
    )
