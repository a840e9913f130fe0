"""What a group costs, and what a change of its members would: closed forms over its sorted columns.

The rows around the middle are the medians, so most forms read two or three contiguous rows, every slice at a time, which
compilers turn into vector instructions. Sums are taken in 32 bits on purpose: twice the lanes, and no cost of a single row
comes near 2^31.
"""

from __future__ import annotations

import numpy as np

from shoal._numba import inlined, lean
from shoal.group._state import FAR, NOBODY, State


@lean
def _outside(columns: np.ndarray, degrees: np.ndarray, i: int, j: int, a: int) -> np.int64:
    """How far the degrees of ``a`` lie below row ``i`` or above row ``j``, whichever is more; 0 between them.

    That is the cost ``a`` adds to a group with medians in ``i`` and ``j``. With the rows exchanged it is what such a group
    loses with its member ``a``.
    """
    total = np.int32(0)
    for t in range(degrees.shape[1]):
        v = np.int32(degrees[a, t])
        below, above = np.int32(np.int32(columns[i, t]) - v), np.int32(v - np.int32(columns[j, t]))
        out = below if below > above else above
        total = np.int32(total + (out if out > 0 else np.int32(0)))
    return np.int64(total)


@lean
def _replaced(columns: np.ndarray, degrees: np.ndarray, i: int, j: int, out: int, add: int) -> np.int64:
    """Change of a group with medians in rows ``i`` and ``j`` (the same where its size is odd) in which ``add`` follows ``out``.

    Without ``out`` a group of two medians has one, the other of the two; a group of one has two, which begin or end beside it.
    """
    total = np.int32(0)
    for t in range(degrees.shape[1]):
        x, y = np.int32(degrees[out, t]), np.int32(degrees[add, t])
        low, high = np.int32(columns[i, t]), np.int32(columns[j, t])
        left = high if x < high else np.int32(columns[j - 1, t])
        right = low if x > low else np.int32(columns[i + 1, t])
        below, above = np.int32(left - y), np.int32(y - right)
        new = below if below > above else above
        new = new if new > 0 else np.int32(0)
        below, above = np.int32(high - x), np.int32(x - low)
        total = np.int32(total + np.int32(new - (below if below > above else above)))
    return np.int64(total)


@inlined
def _median_change(columns: np.ndarray, degrees: np.ndarray, low: int, count: int, out: int, add: int) -> np.int64:
    """Change of a group of ``count`` rows from ``low`` that takes its medians."""
    if count == 0:
        return np.int64(0)
    i, j = low + (count - 1) // 2, low + count // 2
    if out < 0:
        return _outside(columns, degrees, i, j, add)
    if add < 0:
        return -_outside(columns, degrees, j, i, out)
    return _replaced(columns, degrees, i, j, out, add)


@lean
def _free_cost(columns: np.ndarray, low: int, count: int, one_sided: bool) -> np.int64:
    """What ``count`` sorted rows from ``low`` cost with nobody exempt: distances to medians or to largest degrees."""
    total, last = np.int64(0), low + count - 1
    for i in range(count - 1 if one_sided else count // 2):
        upper = last if one_sided else last - i
        for t in range(columns.shape[1]):
            total += np.int64(columns[upper, t]) - np.int64(columns[low + i, t])
    return total


@lean
def _cost_by_row(st: State, g: int, out: int, add: int) -> np.int64:
    """What group ``g`` costs without ``out`` and with ``add`` if it takes an exempt member's row, or its largest degrees.

    -1 if it takes medians. Two exempt rows in one group, or one on the wrong side of somebody, cannot be.
    """
    low, end, p = st.groups[g].first, st.groups[g].first + st.groups[g].count, NOBODY
    total, last = np.int64(0), end + (add >= 0)
    for i in range(low, last):
        a = st.members[i] if i < end else add
        if a != out and st.people[a].exempt:
            if p >= 0 and st.people[a].crowd != st.people[p].crowd:
                return np.int64(FAR)
            p = a
    if p < 0 and not st.one_sided:
        return np.int64(-1)
    for t in range(st.degrees.shape[1]):
        row = np.int64(st.degrees[p, t]) if p >= 0 else np.int64(-FAR)
        for i in range(low, last if p < 0 else low):
            a = st.members[i] if i < end else add
            if a != out:
                row = max(row, np.int64(st.degrees[a, t]))
        for i in range(low, last):
            a = st.members[i] if i < end else add
            gap = row - np.int64(st.degrees[a, t])
            if a != out:
                if gap < 0 and st.one_sided:
                    return np.int64(FAR)
                total += abs(gap)
    return total


@lean
def cost_of(st: State, g: int) -> np.int64:
    """What it costs to give all members of group ``g`` one row."""
    if st.groups[g].exempt > 0:
        return _cost_by_row(st, g, NOBODY, NOBODY)
    return _free_cost(st.columns, st.groups[g].first, st.groups[g].count, st.one_sided)


@lean
def _change_by_row(st: State, g: int, out: int, add: int) -> np.int64:
    """`change` where groups take their largest degrees or somebody is exempt, before or after."""
    after = _cost_by_row(st, g, out, add)
    if after == FAR:
        return after
    if after < 0:  # medians again
        low, count = st.groups[g].first, st.groups[g].count
        after = _free_cost(st.columns, low, count, False) + _median_change(st.columns, st.degrees, low, count, out, add)
    return after - cost_of(st, g)


@inlined
def change(st: State, g: int, out: int, add: int) -> np.int64:
    """Change in the cost of group ``g`` when its member ``out`` leaves and ``add`` joins (-1: nobody)."""
    if st.one_sided or st.groups[g].exempt > 0 or (add >= 0 and st.people[add].exempt):
        return _change_by_row(st, g, out, add)
    return _median_change(st.columns, st.degrees, st.groups[g].first, st.groups[g].count, out, add)


@lean
def total_cost(st: State) -> np.int64:
    """The cost of the whole grouping."""
    total = np.int64(0)
    for g in range(st.groups.size):
        total += cost_of(st, g)
    return total
