"""Crowds with different values of a column that nobody knows (distinct l-diversity: Machanavajjhala et al. 2007,
doi:10.1145/1217299.1217302): members change places between groups, and what still lacks is not published.
"""

from __future__ import annotations

import numpy as np

from shoal.people.scale import ANY


def diversify(
    labels: np.ndarray, values: list[str], rows: np.ndarray, levels: np.ndarray, strata: np.ndarray, diverse: int
) -> np.ndarray:
    """Groups in which as many as can be have so many different values, of the same sizes and within the same strata.

    A group that lacks a value takes a member that has one from a group that can spare them, and gives one of its own for
    whom it has others of the same value; the exchange that moves people least is taken.
    """
    labels, codes = labels.copy(), np.unique(values, return_inverse=True)[1]
    known = np.array([value != ANY for value in values])
    sizes = np.bincount(labels)
    have = np.zeros((len(sizes), int(codes.max(initial=0)) + 1), np.int64)  # members of every group with every value
    np.add.at(have, (labels[known], codes[known]), 1)
    centre = np.stack([np.median(rows[labels == g], axis=0) for g in range(len(sizes))])
    for g in range(len(sizes)):
        while (have[g] > 0).sum() < diverse:
            mine = np.flatnonzero(labels == g)
            spare = mine[~known[mine] | (have[g, codes[mine]] > 1)]
            other = np.flatnonzero((strata == strata[mine[0]]) & (labels != g) & known & (levels <= sizes[g]))
            rich = (have > 0).sum(axis=1)
            keeps = (have[labels[other], codes[other]] > 1) | (rich[labels[other]] > diverse)
            other = other[keeps & (have[g, codes[other]] == 0)]
            if not len(spare) or not len(other):
                break
            moved = _distances(rows[spare], centre[labels[other]]) + np.abs(rows[other] - centre[g]).sum(axis=1)
            moved = np.where(levels[spare][:, None] <= sizes[labels[other]], moved, np.inf)
            i, j = np.unravel_index(int(moved.argmin()), moved.shape)
            if not np.isfinite(moved[i, j]):
                break
            one, two = spare[i], other[j]
            for person, old, new in ((one, g, labels[two]), (two, labels[two], g)):
                if known[person]:
                    have[old, codes[person]] -= 1
                    have[new, codes[person]] += 1
            labels[one], labels[two] = labels[two], g
    return labels


def _distances(rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    return np.stack([np.abs(others - row).sum(axis=1) for row in rows]) if len(rows) else np.empty((0, len(others)))


def held_back(crowds: list[np.ndarray], values: list[str], diverse: int) -> np.ndarray:
    """Whose values cannot be published: everybody of a crowd with too few of them, until all others have enough.

    `crowds` number everybody's crowd, once for every block of the history.
    """
    codes = np.unique(values, return_inverse=True)[1].ravel()
    told = np.array([value != ANY for value in values])
    while True:
        before = told.copy()
        for crowd in crowds:
            pairs = np.unique(np.column_stack([crowd, codes])[told], axis=0)
            different = np.bincount(pairs[:, 0], minlength=int(crowd.max(initial=0)) + 1)
            told &= different[crowd] >= diverse
        if np.array_equal(told, before):
            return ~told
