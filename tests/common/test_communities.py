"""Communities."""

import numpy as np

from shoal.common.communities import louvain


def test_communities_that_hardly_meet_are_told_apart():
    rng = np.random.default_rng(0)
    edges = np.concatenate([np.argwhere(np.triu(rng.random((20, 20)) < 0.5, 1)) + 20 * i for i in range(3)])
    found = louvain(np.concatenate([edges, [[0, 20], [20, 40]]]), 60, seed=0)
    assert [len(set(found[20 * i : 20 * i + 20])) for i in range(3)] == [1, 1, 1]
    assert len(set(found)) == 3
