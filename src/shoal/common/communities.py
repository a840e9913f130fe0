"""Communities of a graph, by scikit-network's Louvain, and how clear they are."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_matrix

from shoal.common import _community_kernels
from shoal.common.edges import runs


def louvain(edges: np.ndarray, n_nodes: int, seed: int) -> np.ndarray:
    """The community of every node; edges given several times weigh as much more, and a node without any is alone.

    Louvain maximises Newman's modularity by moving one node at a time, in an order drawn from the seed: V. Blondel, J.-L.
    Guillaume, R. Lambiotte & E. Lefebvre 2008, doi:10.1088/1742-5468/2008/10/P10008.

    >>> two_triangles = np.array([(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)])
    >>> labels = louvain(two_triangles, 6, seed=0)
    >>> bool(labels[0] == labels[1] == labels[2] != labels[3])
    True
    """
    if len(edges) == 0:
        return np.arange(n_nodes)
    keys = np.minimum(edges[:, 0], edges[:, 1]).astype(np.int64)
    keys <<= 32  # in place: every further array of this length is memory
    keys |= np.maximum(edges[:, 0], edges[:, 1])
    pairs, times = runs(keys)
    del keys
    low, high = (pairs >> 32).astype(np.int32), (pairs & 0xFFFFFFFF).astype(np.int32)
    weights = csr_matrix(
        coo_array(
            (np.tile(times.astype(float), 2), (np.concatenate([low, high]), np.concatenate([high, low]))),
            shape=(n_nodes, n_nodes),
        )
    )
    del pairs, times, low, high
    method = _method()(
        modularity="newman", shuffle_nodes=True, random_state=seed, return_probs=False, return_aggregate=False
    )
    return np.asarray(method.fit_predict(weights), np.int64)


@functools.cache
def _method() -> Any:
    """scikit-network's Louvain, whose innermost loop is a kernel here: the same communities in a third of the time, and other
    threads need not wait for it.
    """
    from sknetwork.clustering import Louvain

    class Faster(Louvain):  # type: ignore[misc]
        def _optimize(
            self, labels: np.ndarray, adjacency: csr_matrix, out_weights: np.ndarray, in_weights: np.ndarray
        ) -> tuple[np.ndarray, float]:
            """One pass; without directions a node gives as much as it gets."""
            found = np.arange(len(labels))
            gained = _community_kernels.optimize(
                adjacency.indptr.astype(np.int64),
                adjacency.indices.astype(np.int64),
                adjacency.data.astype(np.float32),
                adjacency.diagonal().astype(np.float32),
                out_weights.astype(np.float32),
                float(self.tol_optimization),
                found,
            )
            return found, float(gained)

    return Faster


def modularity(edges: np.ndarray, labels: np.ndarray) -> float:
    """The share of the edges inside communities, less what it would be at random: 0 for none, below 1 for the clearest.

    >>> modularity(np.array([(0, 1), (2, 3)]), np.array([0, 0, 1, 1]))
    0.5
    """
    ends = labels[edges]
    shares = np.bincount(ends.ravel()) / max(ends.size, 1)
    return float((ends[:, 0] == ends[:, 1]).mean() - (shares**2).sum()) if len(edges) else 0.0
