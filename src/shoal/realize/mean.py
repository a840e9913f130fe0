"""The mean instead of the fewest edits: every group gets the mean degree of its members, rounded so that the edges stay as many.

Of all degrees with a given sum, rounded means are nearest to the members' own in the sum of squares: from target l a group's
step up changes that by s (1 - 2 f) for s members, f being how far the mean lies above l, so the steps with the largest f
come first, as many as the sum asks for. They depend on the sums of the groups alone, not on which member has how many.
"""

from __future__ import annotations

import numpy as np

from shoal.realize.enforce import realize_slice
from shoal.realize.view import SliceView


def mean_degrees(view: SliceView, rng: np.random.Generator) -> np.ndarray:
    """A degree for each group, realizable, with about as many edges as the slice has; chance decides among equals.

    >>> slice = SliceView(np.array([[0, 1], [0, 2], [0, 3]], np.int32), np.array([0, 0, 1, 1]))
    >>> mean_degrees(slice, np.random.default_rng(0)).tolist()
    [2, 1]
    """
    sums = np.bincount(view.labels, view.degrees, view.n_groups).astype(np.int64)
    targets, above = np.divmod(sums, view.sizes)
    for side in np.unique(view.side):
        some = np.flatnonzero((view.side == side) & (above > 0))
        some = some[np.lexsort((rng.random(len(some)), -above[some] / view.sizes[some]))]
        reach = np.append(0, np.cumsum(view.sizes[some]))
        missing = above[some].sum()
        targets[some[: int(np.abs(reach - missing).argmin())]] += 1
    as_chosen = np.repeat(targets, view.sizes)  # a step away from these costs every member one
    groups = np.repeat(np.arange(view.n_groups), view.sizes)
    return realize_slice(targets, view.sizes, as_chosen, groups, directed=view.directed)
