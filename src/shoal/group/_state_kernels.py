"""Costs and updates of one group, from its sorted columns.

The rows around the middle of ``columns[g]`` are the medians, so the closed forms below read two or three contiguous rows
and never the members. Inserting and removing walk the rows once, every slice at a time, which compilers turn into vector
instructions. Sums are taken in 32 bits on purpose: twice the lanes, and no cost of a single row comes near 2^31.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal._numba import njit

if TYPE_CHECKING:
    from shoal.group._state import State


@njit
def join_cost(columns: np.ndarray, size: np.ndarray, degrees: np.ndarray, g: int, a: int) -> np.int64:
    """Cost that node ``a`` adds to group ``g``: how far it lies outside the median interval."""
    s = size[g]
    i, j = (s - 1) // 2, s // 2
    total = np.int32(0)
    for t in range(degrees.shape[1]):
        v = np.int32(degrees[a, t])
        below = np.int32(np.int32(columns[g, i, t]) - v)
        above = np.int32(v - np.int32(columns[g, j, t]))
        out = below if below > above else above
        total = np.int32(total + (out if out > 0 else np.int32(0)))
    return np.int64(total)


@njit
def leave_gain(columns: np.ndarray, size: np.ndarray, degrees: np.ndarray, g: int, a: int) -> np.int64:
    """Cost that group ``g`` loses with its member ``a``."""
    s = size[g]
    i, j = (s - 1) // 2, s // 2
    total = np.int32(0)
    for t in range(degrees.shape[1]):
        v = np.int32(degrees[a, t])
        below = np.int32(np.int32(columns[g, j, t]) - v)
        above = np.int32(v - np.int32(columns[g, i, t]))
        total = np.int32(total + (below if below > above else above))
    return np.int64(total)


@njit
def _replace_even(x: np.int32, y: np.int32, lo: np.int32, hi: np.int32) -> np.int32:
    """One slice of an even group: without ``x`` it has one median, the other of its two."""
    new = np.int32(y - (hi if x <= lo else lo))
    new = new if new > 0 else np.int32(-new)
    below, above = np.int32(hi - x), np.int32(x - lo)
    return np.int32(new - (below if below > above else above))


@njit
def _replace_odd(x: np.int32, y: np.int32, under: np.int32, mid: np.int32, over: np.int32) -> np.int32:
    """One slice of an odd group: without ``x`` its medians are an interval that begins or ends at a neighbour of ``mid``."""
    lo = mid if x < mid else under
    hi = mid if x > mid else over
    below, above = np.int32(lo - y), np.int32(y - hi)
    new = below if below > above else above
    new = new if new > 0 else np.int32(0)
    old = np.int32(x - mid)
    return np.int32(new - (old if old > 0 else np.int32(-old)))


@njit
def replace_cost(columns: np.ndarray, size: np.ndarray, degrees: np.ndarray, g: int, a: int, b: int) -> np.int64:
    """Change in the cost of group ``g`` when its member ``a`` leaves and ``b`` joins."""
    total = np.int32(0)
    i = size[g] // 2
    if size[g] % 2 == 0:
        for t in range(degrees.shape[1]):
            x, y = np.int32(degrees[a, t]), np.int32(degrees[b, t])
            lo, hi = np.int32(columns[g, i - 1, t]), np.int32(columns[g, i, t])
            total = np.int32(total + _replace_even(x, y, lo, hi))
    else:
        for t in range(degrees.shape[1]):
            x, y = np.int32(degrees[a, t]), np.int32(degrees[b, t])
            under, mid = np.int32(columns[g, i - 1, t]), np.int32(columns[g, i, t])
            total = np.int32(total + _replace_odd(x, y, under, mid, np.int32(columns[g, i + 1, t])))
    return np.int64(total)


@njit
def insert(
    degrees: np.ndarray,
    columns: np.ndarray,
    size: np.ndarray,
    members: np.ndarray,
    label: np.ndarray,
    slot: np.ndarray,
    carry: np.ndarray,
    g: int,
    a: int,
) -> None:
    """Put node ``a`` into group ``g``; ``carry`` is scratch space for one row."""
    s = size[g]
    n_slices = degrees.shape[1]
    for t in range(n_slices):
        carry[t] = degrees[a, t]
    for i in range(s):
        for t in range(n_slices):
            x, v = columns[g, i, t], carry[t]
            columns[g, i, t] = x if x < v else v
            carry[t] = v if x < v else x
    for t in range(n_slices):
        columns[g, s, t] = carry[t]
    members[g, s] = a
    label[a] = g
    slot[a] = s
    size[g] = s + 1


@njit
def remove(
    degrees: np.ndarray,
    columns: np.ndarray,
    size: np.ndarray,
    members: np.ndarray,
    label: np.ndarray,
    slot: np.ndarray,
    g: int,
    a: int,
) -> None:
    """Take node ``a`` out of group ``g``."""
    s = size[g] - 1
    for i in range(s):
        for t in range(degrees.shape[1]):
            x, after = columns[g, i, t], columns[g, i + 1, t]
            columns[g, i, t] = x if x < degrees[a, t] else after
    last = members[g, s]
    members[g, slot[a]] = last
    slot[last] = slot[a]
    label[a] = -1
    size[g] = s


@njit
def group_cost(columns: np.ndarray, size: np.ndarray, g: int) -> np.int64:
    """Sum of distances to the median, over all slices: upper half minus lower half."""
    s = size[g]
    total = np.int64(0)
    for i in range(s // 2):
        for t in range(columns.shape[2]):
            total += columns[g, s - 1 - i, t] - columns[g, i, t]
    return total


@njit
def total_cost(st: State) -> np.int64:
    """The l1 cost of the whole grouping."""
    total = np.int64(0)
    for g in range(st.size.size):
        total += group_cost(st.columns, st.size, g)
    return total


@njit
def fill(st: State, label: np.ndarray) -> None:
    """Put every node into the group that ``label`` names."""
    carry = np.empty(st.degrees.shape[1], st.degrees.dtype)
    for a in range(label.size):
        insert(st.degrees, st.columns, st.size, st.members, st.label, st.slot, carry, np.int64(label[a]), a)
