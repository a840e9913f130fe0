"""First groups for the search: from the highest level down, every dense spot takes its nearest free people.

While the people of level m choose, nobody of a higher level is free, so any m people make a group. Should fewer than m be
left in all, they fit into the groups there are: each has as many members as its founder's level, at least m, and takes
nearly as many more. So without exempt people this always succeeds. With them it may not; then `rescue` decides.
"""

from __future__ import annotations

import numpy as np

from shoal.group._seed_kernels import Lists, People, gather, grow, join_nearest
from shoal.group.neighbours import nearest_rows

FEW = 256  # so many look at everybody who is free; more make lists of neighbours again


def seed_groups(who: People, near: np.ndarray, distance: np.ndarray, *, jobs: int = 1) -> bool:
    """Write groups into ``who.label`` (all -1 before); whether everybody with k > 1 found one.

    ``near`` and ``distance`` are the neighbour lists of the crowds. Where a dense spot has used up the
    neighbours of the people around it, those look for neighbours among the free next round.
    """
    n_crowds, n_groups = len(who.start) - 1, 0
    everybody = np.arange(n_crowds)
    for m in np.unique(who.k[who.k > 1])[::-1]:
        mine = np.flatnonzero((who.k == m) & (who.label < 0))
        taken, gap = np.empty((2, m), np.int64)
        lists, reach = Lists(near, everybody, everybody), _reach(distance, m)
        while len(mine):
            before = n_groups
            order = mine[np.lexsort((reach[lists.place[who.crowd[mine]]], ~who.exempt[mine]))]
            n_groups = grow(who, lists, order, taken, n_groups)
            mine = mine[who.label[mine] < 0]
            free = np.flatnonzero(who.label < 0)
            if len(free) < m or len(mine) <= FEW or n_groups == before:
                break
            crowds = np.unique(who.crowd[free])
            place = np.zeros(n_crowds, np.int64)
            place[crowds] = np.arange(len(crowds))
            rows = who.rows[who.start[crowds]]
            again, far = nearest_rows(np.abs(rows), max(near.shape[1], m - 1), jobs=jobs)
            lists, reach = Lists(again, crowds, place), _reach(far, m)
        if len(mine):
            n_groups = gather(who, mine, free, taken, gap, n_groups)
            if not join_nearest(who, mine, n_groups):
                return False
    return True


def _reach(distance: np.ndarray, m: int) -> np.ndarray:
    """How far each crowd has to look for m people, as far as is known."""
    return distance[:, min(m - 2, distance.shape[1] - 1)] if distance.shape[1] else np.zeros(len(distance))
