"""Groups whose members can all come to have the same degrees, where limits say how far each person can go.

Stage 1 groups by distance alone. Under limits somebody may have to keep more edges than somebody else of the group can ever
have; such groups are taken apart here, and their members join the nearest groups they fit into.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from shoal.errors import NoReleaseError
from shoal.group.neighbours import find_crowds

COUNTED = 1_000  # people who are looked at one by one before a refusal, so that it stays quick


class Ranges(NamedTuple):
    """Degrees now, everybody's k, and the lowest and highest degrees everybody can be given."""

    rows: np.ndarray
    levels: np.ndarray
    least: np.ndarray
    most: np.ndarray


def make_compatible(
    labels: np.ndarray,
    rows: np.ndarray,
    levels: np.ndarray,
    least: np.ndarray,
    most: np.ndarray,
    name: Callable[[int], str],
) -> np.ndarray:
    """Groups in which nobody must keep more than another can have, in any column; as large as everybody's k asks for.

    Parameters
    ----------
    labels
        (n,) the groups to begin with, large enough for everybody in them.
    rows, least, most
        (n, columns) degrees now, and the lowest and highest everybody can be given.
    levels
        (n,) how many people must look like each.
    name
        What to call a person for whom no crowd is left.

    Examples
    --------
    >>> rows, levels = np.array([[3], [1], [3], [1]]), np.full(4, 2)
    >>> least, most = np.array([[3], [0], [0], [0]]), np.array([[9], [1], [9], [9]])
    >>> make_compatible(np.array([0, 0, 1, 1]), rows, levels, least, most, str).tolist()
    [0, 1, 0, 1]
    """
    given, n_groups = Ranges(rows, levels, least, most), int(labels.max(initial=-1)) + 1
    low = np.full((n_groups, rows.shape[1]), np.iinfo(np.int64).min)
    high = np.full((n_groups, rows.shape[1]), np.iinfo(np.int64).max)
    np.maximum.at(low, labels, least)
    np.minimum.at(high, labels, most)
    good: np.ndarray = np.all(low <= high, axis=1)
    if good.all():
        return labels
    made, alone = _regroup(np.where(good[labels], labels, -1), given)
    if alone is not None:  # the groups that were fine stand in the way
        made, alone = _regroup(np.full(len(labels), -1), given)
    if alone is not None:
        raise _refusal(alone, given, name)
    _, first, inverse = np.unique(made, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse].astype(np.int32)


def _refusal(alone: int, given: Ranges, name: Callable[[int], str]) -> NoReleaseError:
    """Why there are no groups: somebody whom too few can ever look like, or else the one for whom none was found."""
    _, levels, least, most = given
    for i in (alone, *np.argsort(-levels, kind="stable")[:COUNTED].tolist()):
        like = int(((least[i] <= most) & (least <= most[i])).all(axis=1).sum())
        if like < levels[i]:
            return NoReleaseError(
                f"{name(i)} cannot be hidden: under these limits only {like} of all people can come to look the "
                f"same, and {levels[i]} are needed",
                proven=True,
            )
    return NoReleaseError(
        f"no crowd was found for {name(alone)}: under these limits few others can come to look the same"
    )


def _regroup(labels: np.ndarray, given: Ranges) -> tuple[np.ndarray, int | None]:
    """Place the loose (-1) in new groups, then in the nearest ones they fit into; and somebody for whom there was none."""
    labels = labels.copy()
    _found(labels, given)
    left = np.flatnonzero(labels < 0)
    numbers, first, inverse, size = np.unique(
        labels[labels >= 0], return_index=True, return_inverse=True, return_counts=True
    )
    placed = np.flatnonzero(labels >= 0)
    first, n_groups = placed[first], int(labels.max(initial=-1)) + 1
    low, high = given.least[first].copy(), given.most[first].copy()
    np.maximum.at(low, inverse, given.least[placed])
    np.minimum.at(high, inverse, given.most[placed])
    for i in left[np.argsort(-given.levels[left], kind="stable")]:
        fits = (size + 1 >= given.levels[i]) & (low <= given.most[i]).all(axis=1) & (given.least[i] <= high).all(axis=1)
        if fits.any():
            near = np.flatnonzero(fits)
            g = near[np.abs(given.rows[first[near]] - given.rows[i]).sum(axis=1).argmin()]
            labels[i] = numbers[g]
            size[g] += 1
            low[g], high[g] = np.maximum(low[g], given.least[i]), np.minimum(high[g], given.most[i])
        elif given.levels[i] <= 1:
            labels[i], n_groups = n_groups, n_groups + 1
        else:
            return labels, int(i)
    return labels, None


def _found(labels: np.ndarray, given: Ranges) -> None:
    """Let those who ask for most gather the nearest of the loose they fit with, and write what is formed into the labels.

    Most find their crowd among the rows listed near their own; only the others look at everybody who is loose.
    """
    loose = np.flatnonzero(labels < 0)
    crowds = find_crowds(given.rows[loose], given.levels[loose])
    by_crowd = loose[np.argsort(crowds.label, kind="stable")]
    start = np.concatenate([[0], np.cumsum(crowds.sizes)])
    crowd = np.full(len(labels), -1)
    crowd[loose] = crowds.label
    n_groups = int(labels.max(initial=-1)) + 1

    def listed(i: int) -> Iterator[int]:
        for c in (crowd[i], *crowds.near[crowd[i]]):
            yield from by_crowd[start[c] : start[c + 1]]

    def anybody(i: int) -> Iterator[int]:
        free = loose[labels[loose] < 0]
        fits = (given.least[free] <= given.most[i]).all(axis=1) & (given.least[i] <= given.most[free]).all(axis=1)
        free = free[fits] if fits.sum() >= given.levels[i] else free[:0]
        yield from free[np.argsort(np.abs(given.rows[free] - given.rows[i]).sum(axis=1), kind="stable")]

    for i in loose[np.argsort(-given.levels[loose], kind="stable")]:
        if labels[i] < 0 and given.levels[i] > 1:
            members = _gathered(i, listed(i), labels, given) or _gathered(i, anybody(i), labels, given)
            if members:
                labels[members] = n_groups
                n_groups += 1


def _gathered(i: int, others: Iterator[int], labels: np.ndarray, given: Ranges) -> list[int]:
    """``i`` and the first of the others who are free and fit with all before them, as many as ``i`` asks for; or nobody."""
    members, low, high = [i], given.least[i], given.most[i]
    for j in others:
        asks_for_more = given.levels[j] > given.levels[i]  # and found no crowd of that size
        if labels[j] >= 0 or j == i or asks_for_more:
            continue
        if (given.least[j] <= high).all() and (low <= given.most[j]).all():
            members.append(j)
            low, high = np.maximum(low, given.least[j]), np.minimum(high, given.most[j])
            if len(members) == given.levels[i]:
                return members
    return []
