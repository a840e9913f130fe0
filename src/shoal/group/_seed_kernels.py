"""Kernels of the first groups: gather the nearest free people, from lists of neighbours or from everybody."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal._numba import njit
from shoal.group._state import FAR


class People(NamedTuple):
    """Rows, levels and exemptions of people sorted by crowd; where each crowd begins, and who is in which group.

    Kinds before ``cursor[c]`` have no free people left. ``founder[g]`` began group g, which has ``filled[g]`` members.
    """

    rows: np.ndarray
    k: np.ndarray
    exempt: np.ndarray
    crowd: np.ndarray
    start: np.ndarray
    cursor: np.ndarray
    label: np.ndarray
    founder: np.ndarray
    filled: np.ndarray
    one_sided: bool


class Lists(NamedTuple):
    """Neighbours among some crowds: ``near[p]`` are places in ``crowds``, and crowd c stands at ``place[c]``."""

    near: np.ndarray
    crowds: np.ndarray
    place: np.ndarray


@njit
def _suits(who: People, a: int, b: int) -> bool:
    """Whether ``b`` may be in a group that ``a`` began."""
    if who.exempt[b]:
        return who.crowd[a] == who.crowd[b] and (who.exempt[a] or not who.one_sided)
    if who.one_sided and who.exempt[a]:
        for t in range(who.rows.shape[1]):
            if who.rows[b, t] > who.rows[a, t]:
                return False
    return True


@njit
def _distance(who: People, a: int, b: int) -> np.int64:
    total = np.int64(0)
    for t in range(who.rows.shape[1]):
        total += abs(np.int64(who.rows[a, t]) - np.int64(who.rows[b, t]))
    return total


@njit
def _found(who: People, a: int, taken: np.ndarray, n_groups: int) -> int:
    """A new group of ``a`` and all but the last place of ``taken``; how many groups there are now."""
    who.label[a] = n_groups
    for i in range(who.k[a] - 1):
        who.label[taken[i]] = n_groups
    who.founder[n_groups], who.filled[n_groups] = a, who.k[a]
    return n_groups + 1


@njit
def grow(who: People, lists: Lists, order: np.ndarray, taken: np.ndarray, n_groups: int) -> int:
    """Let each free person of ``order``, in turn, form a group from their own crowd and the crowds listed near it.

    Whoever cannot gather as many as they ask for is left for later. Returns how many groups there are then.
    """
    for a in order:
        if who.label[a] >= 0:
            continue
        here, wanted, count, j = lists.place[who.crowd[a]], who.k[a] - 1, 0, -1
        while count < wanted and j < lists.near.shape[1]:
            c = lists.crowds[here if j < 0 else lists.near[here, j]]
            while who.cursor[c] < who.start[c + 1] and who.label[who.cursor[c]] >= 0:
                who.cursor[c] += 1
            for b in range(who.cursor[c], who.start[c + 1]):
                if count == wanted:
                    break
                if who.label[b] < 0 and b != a and _suits(who, a, b):
                    taken[count] = b
                    count += 1
            j += 1
        if count == wanted:
            n_groups = _found(who, a, taken, n_groups)
    return n_groups


@njit
def gather(who: People, order: np.ndarray, free: np.ndarray, taken: np.ndarray, gap: np.ndarray, n_groups: int) -> int:
    """The same from the nearest of all who are ``free``."""
    for a in order:
        if who.label[a] >= 0:
            continue
        wanted, count = who.k[a] - 1, 0
        for b in free:
            if who.label[b] >= 0 or b == a or not _suits(who, a, b):
                continue
            d = _distance(who, a, b)
            if count == wanted and d >= gap[count - 1]:
                continue
            i = min(count, wanted - 1)
            while i > 0 and gap[i - 1] > d:
                gap[i], taken[i] = gap[i - 1], taken[i - 1]
                i -= 1
            gap[i], taken[i] = d, b
            count = min(count + 1, wanted)
        if count == wanted:
            n_groups = _found(who, a, taken, n_groups)
    return n_groups


@njit
def join_nearest(who: People, order: np.ndarray, n_groups: int) -> bool:
    """Each free person joins the group of the nearest founder that is large enough for them and may still grow.

    Returns whether there was one for all.
    """
    for a in order:
        best, best_gap = -1, np.int64(FAR)
        for g in range(n_groups if who.label[a] < 0 else 0):
            f = who.founder[g]
            if who.k[a] <= who.filled[g] + 1 < 2 * who.k[f] and _suits(who, f, a):
                d = _distance(who, f, a)
                if d < best_gap:
                    best, best_gap = g, d
        if who.label[a] < 0:
            if best < 0:
                return False
            who.label[a] = best
            who.filled[best] += 1
    return True
