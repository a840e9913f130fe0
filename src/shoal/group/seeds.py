"""First groups for the search: from the highest level down, every dense spot takes its nearest free people.

While the people of level m choose, nobody of a higher level is free, so any m people make a group. Whoever finds too few among
their neighbours takes those who come next in the order of crowds, in which near rows lie close together. Should fewer than m be
left in all, they fit into the groups there are: each has as many members as its founder's level, at least m, and takes
nearly as many more. So without exempt people this always succeeds. With them it may not; then `rescue` decides.
"""

from __future__ import annotations

import numpy as np

from shoal.group._seed_kernels import People, grow, join_nearest


def seed_groups(who: People, near: np.ndarray, distance: np.ndarray) -> bool:
    """Write groups into ``who.label`` (all -1 before); whether everybody with k > 1 found one.

    ``near`` and ``distance`` are the neighbour lists of the crowds.
    """
    n_groups = 0
    for m in np.unique(who.k[who.k > 1])[::-1]:
        mine, taken = np.flatnonzero((who.k == m) & (who.label < 0)), np.empty(m, np.int64)
        reach = distance[:, min(m - 2, distance.shape[1] - 1)] if distance.shape[1] else np.zeros(len(distance))
        dense = mine[np.lexsort((reach[who.crowd[mine]], ~who.exempt[mine]))]
        n_groups = grow(who, near, False, dense, taken, n_groups)
        n_groups = grow(who, near, True, mine, taken, n_groups)
        if not join_nearest(who, mine, n_groups):
            return False
    return True
