"""Communities of people who meet: who an invented edge may join without opening a short cut.

Modularity is raised by moving one person at a time, then whole communities, as V. Blondel, J.-L. Guillaume, R. Lambiotte &
E. Lefebvre do it (2008, doi:10.1088/1742-5468/2008/10/P10008).
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from shoal.rebuild._community_kernels import move_all

LEVELS = 3  # of communities of communities
PASSES = 20  # over all people; mostly fewer, as it ends when nearly nobody moves


def find_communities(edges: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """The community of everybody; a pair counts as often as it is among the edges.

    >>> two_cliques = np.array([[0, 1], [0, 2], [1, 2], [3, 4], [3, 5], [4, 5], [2, 3]])
    >>> find_communities(two_cliques, 6, np.random.default_rng(0)).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    found, ends = np.arange(n), edges.astype(np.int64)
    for _ in range(LEVELS):
        size = int(found.max(initial=-1)) + 1
        both = np.concatenate([ends, ends[:, ::-1]])
        ties = sparse.coo_array((np.ones(len(both)), (both[:, 0], both[:, 1])), (size, size)).tocsr()
        start, other = ties.indptr.astype(np.int64), ties.indices.astype(np.int64)
        label = move_all(start, other, ties.data, np.arange(size), PASSES, rng.permutation(size))
        label = np.unique(label, return_inverse=True)[1]
        found, ends = label[found], label[ends]
        if label.max(initial=-1) + 1 == size:
            break
    return found
