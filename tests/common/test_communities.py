"""Communities."""

import numpy as np
from scipy.sparse import csr_matrix
from sknetwork.clustering import Louvain

from shoal.common.communities import louvain


def test_communities_that_hardly_meet_are_told_apart():
    rng = np.random.default_rng(0)
    edges = np.concatenate([np.argwhere(np.triu(rng.random((20, 20)) < 0.5, 1)) + 20 * i for i in range(3)])
    found = louvain(np.concatenate([edges, [[0, 20], [20, 40]]]), 60, seed=0)
    assert [len(set(found[20 * i : 20 * i + 20])) for i in range(3)] == [1, 1, 1]
    assert len(set(found)) == 3


def test_communities_are_those_of_scikit_network():
    rng = np.random.default_rng(1)
    for n in (2, 9, 60, 300):
        edges = rng.integers(0, n, (4 * n, 2)).astype(np.int32)
        edges = edges[edges[:, 0] != edges[:, 1]]
        weights = np.zeros((n, n))
        np.add.at(weights, tuple(np.concatenate([edges, edges[:, ::-1]]).T), 1.0)
        theirs = Louvain(modularity="newman", shuffle_nodes=True, random_state=n).fit_predict(csr_matrix(weights))
        assert louvain(edges, n, seed=n).tolist() == theirs.tolist()
