"""Communities of a graph, by scikit-network's Louvain, and how clear they are."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array, csr_matrix


def louvain(edges: np.ndarray, n_nodes: int, seed: int) -> np.ndarray:
    """The community of every node; edges given several times weigh as much more, and a node without any is alone.

    Louvain maximises Newman's modularity by moving one node at a time, in an order drawn from the seed: V. Blondel, J.-L.
    Guillaume, R. Lambiotte & E. Lefebvre 2008, doi:10.1088/1742-5468/2008/10/P10008.

    >>> two_triangles = np.array([(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)])
    >>> labels = louvain(two_triangles, 6, seed=0)
    >>> bool(labels[0] == labels[1] == labels[2] != labels[3])
    True
    """
    from sknetwork.clustering import Louvain

    if len(edges) == 0:
        return np.arange(n_nodes)
    ends, others = edges[:, 0], edges[:, 1]
    weights = coo_array(
        (np.ones(2 * len(edges)), (np.concatenate([ends, others]), np.concatenate([others, ends]))),
        shape=(n_nodes, n_nodes),
    )
    method = Louvain(
        modularity="newman", shuffle_nodes=True, random_state=seed, return_probs=False, return_aggregate=False
    )
    return np.asarray(method.fit_predict(csr_matrix(weights)), np.int64)


def modularity(edges: np.ndarray, labels: np.ndarray) -> float:
    """The share of the edges inside communities, less what it would be at random: 0 for none, below 1 for the clearest.

    >>> modularity(np.array([(0, 1), (2, 3)]), np.array([0, 0, 1, 1]))
    0.5
    """
    ends = labels[edges]
    shares = np.bincount(ends.ravel()) / max(ends.size, 1)
    return float((ends[:, 0] == ends[:, 1]).mean() - (shares**2).sum()) if len(edges) else 0.0
