"""The state of the search for people of different needs: who is in which group, and what a change would cost.

Everybody is in a group or alone (label -1), which costs nothing and is open to those of need 1 only. A group keeps the
degrees of its members sorted in every slice, so its medians, or its largest degrees, stand in fixed rows and the closed
forms below read two to four rows and never the members.

Where edges may only be added, a group takes its largest degrees ("one-sided"); where they may only be removed, the same
holds with all degrees negated. A group with a pinned member takes that member's row. What cannot be, two pinned rows in
one group or a pinned row on the wrong side, costs `FAR`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal._numba import njit

FAR = 1 << 60
PERSON = np.dtype([(name, np.int64) for name in ("need", "pinned", "kind", "label", "slot")])
GROUP = np.dtype([(name, np.int64) for name in ("first", "room", "count", "top", "n_top", "pins")])


class State(NamedTuple):
    """What the kernels work on: few arrays, since every call hands them on.

    ``people`` (of `PERSON`) says who needs how many, is pinned, has which kind of row, and is where; they are sorted by
    kind. ``groups`` (of `GROUP`): the group's own rows of ``columns`` and ``members`` are those from ``first``, ``room``
    in all, ``count`` of them in use; ``top`` is the largest need of its members, ``n_top`` how many of them have it and
    ``pins`` how many are pinned.
    """

    people: np.ndarray
    groups: np.ndarray
    degrees: np.ndarray
    columns: np.ndarray
    members: np.ndarray
    one_sided: bool


@njit
def _take_in(columns: np.ndarray, degrees: np.ndarray, low: int, end: int, a: int) -> None:
    """Insert the degrees of ``a`` into sorted rows ``low`` to ``end`` - 1, all slices at a time."""
    for t in range(degrees.shape[1]):
        columns[end, t] = degrees[a, t]
    for i in range(end, low, -1):
        for t in range(degrees.shape[1]):
            x, v = columns[i - 1, t], columns[i, t]
            columns[i - 1, t] = x if x < v else v
            columns[i, t] = v if x < v else x


@njit
def _give_out(columns: np.ndarray, degrees: np.ndarray, low: int, end: int, a: int) -> None:
    """Take the degrees of ``a`` out of sorted rows ``low`` to ``end``."""
    for i in range(low, end):
        for t in range(degrees.shape[1]):
            x, after = columns[i, t], columns[i + 1, t]
            columns[i, t] = x if x < degrees[a, t] else after


@njit
def insert(st: State, g: int, a: int) -> None:
    """Put person ``a``, who is alone, into group ``g``."""
    group, who = st.groups[g], st.people[a]
    end = group.first + group.count
    _take_in(st.columns, st.degrees, group.first, end, a)
    st.members[end] = a
    who.label = g
    who.slot = end
    group.count += 1
    group.pins += who.pinned
    if who.need > group.top:
        group.top = who.need
        group.n_top = 0
    group.n_top += who.need == group.top


@njit
def remove(st: State, g: int, a: int) -> None:
    """Take person ``a`` out of group ``g``; they are alone then."""
    group, who = st.groups[g], st.people[a]
    end = group.first + group.count - 1
    _give_out(st.columns, st.degrees, group.first, end, a)
    last = st.members[end]
    st.members[who.slot] = last
    st.people[last].slot = who.slot
    who.label = -1
    group.count -= 1
    group.pins -= who.pinned
    group.n_top -= who.need == group.top
    if group.n_top == 0:
        group.top = _top_of(st.members, st.people, group.first, end, np.int64(-1))
        for i in range(group.first, end):
            group.n_top += st.people[st.members[i]].need == group.top


@njit
def _top_of(members: np.ndarray, people: np.ndarray, low: int, end: int, out: int) -> np.int64:
    """The largest need of the members in rows ``low`` to ``end`` - 1 apart from ``out``; 0 if there are none."""
    most = np.int64(0)
    for i in range(low, end):
        if members[i] != out:
            most = max(most, people[members[i]].need)
    return most


@njit
def fits(st: State, g: int, out: int, add: int) -> bool:
    """Whether group ``g`` still meets every need, and somebody's, when ``out`` leaves and ``add`` joins (-1: nobody)."""
    group = st.groups[g]
    after = group.count - (out >= 0) + (add >= 0)
    wanted = group.top
    if out >= 0 and st.people[out].need == wanted and group.n_top == 1:
        wanted = _top_of(st.members, st.people, group.first, group.first + group.count, out)
    if add >= 0 and st.people[add].need > wanted:
        wanted = st.people[add].need
    return 2 <= wanted <= after <= group.room


@njit
def _free_cost(columns: np.ndarray, low: int, end: int, one_sided: bool) -> np.int64:
    """What members in rows ``low`` to ``end`` - 1 cost with nobody pinned: distances to medians or largest degrees."""
    total = np.int64(0)
    for i in range(end - 1 - low if one_sided else (end - low) // 2):
        upper = end - 1 if one_sided else end - 1 - i
        for t in range(columns.shape[1]):
            total += np.int64(columns[upper, t]) - np.int64(columns[low + i, t])
    return total


@njit
def _leave_gain(columns: np.ndarray, degrees: np.ndarray, i: int, j: int, a: int) -> np.int64:
    """Cost that a group with medians in rows ``i`` and ``j`` loses with its member ``a``."""
    total = np.int32(0)
    for t in range(degrees.shape[1]):
        v = np.int32(degrees[a, t])
        below, above = np.int32(np.int32(columns[j, t]) - v), np.int32(v - np.int32(columns[i, t]))
        total = np.int32(total + (below if below > above else above))
    return np.int64(total)


@njit
def _join_cost(columns: np.ndarray, degrees: np.ndarray, i: int, j: int, a: int) -> np.int64:
    """Cost that person ``a`` adds to a group with medians in rows ``i`` and ``j``: how far it lies outside them."""
    total = np.int32(0)
    for t in range(degrees.shape[1]):
        v = np.int32(degrees[a, t])
        below, above = np.int32(np.int32(columns[i, t]) - v), np.int32(v - np.int32(columns[j, t]))
        out = below if below > above else above
        total = np.int32(total + (out if out > 0 else np.int32(0)))
    return np.int64(total)


@njit
def _join_without(columns: np.ndarray, degrees: np.ndarray, i: int, j: int, out: int, add: int) -> np.int64:
    """`_join_cost` of ``add`` once ``out`` has left and every value from theirs on has moved down one row."""
    total = np.int32(0)
    for t in range(degrees.shape[1]):
        x, v = np.int32(degrees[out, t]), np.int32(degrees[add, t])
        lo, lo_next = np.int32(columns[i, t]), np.int32(columns[i + 1, t])
        hi, hi_next = np.int32(columns[j, t]), np.int32(columns[j + 1, t])
        lo = lo if lo < x else lo_next
        hi = hi if hi < x else hi_next
        below, above = np.int32(lo - v), np.int32(v - hi)
        far = below if below > above else above
        total = np.int32(total + (far if far > 0 else np.int32(0)))
    return np.int64(total)


@njit
def _largest_change(columns: np.ndarray, degrees: np.ndarray, low: int, end: int, out: int, add: int) -> np.int64:
    """The change for a group that takes its largest degrees: its cost is size times largest, minus the sum of all."""
    before = end - low
    after = before - (out >= 0) + (add >= 0)
    total = np.int64(0)
    for t in range(degrees.shape[1]):
        old = np.int64(columns[end - 1, t])
        new = old
        if out >= 0:
            x = np.int64(degrees[out, t])
            total += x
            new = old if x < old else np.int64(columns[end - 2, t])
        if add >= 0:
            v = np.int64(degrees[add, t])
            total -= v
            new = v if v > new else new
        total += after * new - before * old
    return total


@njit
def _free_change(
    columns: np.ndarray, degrees: np.ndarray, low: int, end: int, one_sided: bool, out: int, add: int
) -> np.int64:
    """The change when nobody is pinned, before or after."""
    size = end - low
    if size - (out >= 0) + (add >= 0) <= 1:
        return -_free_cost(columns, low, end, one_sided)
    if one_sided:
        return _largest_change(columns, degrees, low, end, out, add)
    i, j = low + (size - 1) // 2, low + size // 2
    if out < 0:
        return _join_cost(columns, degrees, i, j, add)
    delta = -_leave_gain(columns, degrees, i, j, out)
    if add >= 0:
        delta += _join_without(columns, degrees, low + (size - 2) // 2, low + (size - 1) // 2, out, add)
    return delta


@njit
def _pinned_cost(st: State, g: int, out: int, add: int) -> np.int64:
    """The cost of group ``g`` without ``out`` and with ``add`` if somebody there is pinned; -1 if nobody is."""
    degrees = st.degrees
    low, end = st.groups[g].first, st.groups[g].first + st.groups[g].count
    p = add if add >= 0 and st.people[add].pinned else -1
    for i in range(low, end):
        a = st.members[i]
        if a != out and st.people[a].pinned:
            if p >= 0 and st.people[a].kind != st.people[p].kind:
                return np.int64(FAR)
            p = a
    if p < 0:
        return np.int64(-1)
    total = np.int64(0)
    for i in range(low, end + (add >= 0)):
        a = st.members[i] if i < end else add
        if a != out:
            for t in range(degrees.shape[1]):
                gap = np.int64(degrees[p, t]) - np.int64(degrees[a, t])
                if gap < 0 and st.one_sided:
                    return np.int64(FAR)
                total += abs(gap)
    return total


@njit
def cost_of(st: State, g: int) -> np.int64:
    """What it costs to give all members of group ``g`` one row."""
    if st.groups[g].pins > 0:
        return _pinned_cost(st, g, np.int64(-1), np.int64(-1))
    return _free_cost(st.columns, st.groups[g].first, st.groups[g].first + st.groups[g].count, st.one_sided)


@njit
def _pinned_change(st: State, g: int, out: int, add: int) -> np.int64:
    """The change when somebody is pinned, before or after."""
    after = _pinned_cost(st, g, out, add)
    if after == FAR:
        return after
    if after < 0:
        low, end = st.groups[g].first, st.groups[g].first + st.groups[g].count
        after = _free_cost(st.columns, low, end, st.one_sided)
        after += _free_change(st.columns, st.degrees, low, end, st.one_sided, out, add)
    return after - cost_of(st, g)


@njit
def change(st: State, g: int, out: int, add: int) -> np.int64:
    """Change in the cost of group ``g`` when its member ``out`` leaves and ``add`` joins (-1: nobody)."""
    low, end = st.groups[g].first, st.groups[g].first + st.groups[g].count
    if st.groups[g].pins == 0 and (add < 0 or not st.people[add].pinned):
        return _free_change(st.columns, st.degrees, low, end, st.one_sided, out, add)
    return _pinned_change(st, g, out, add)


@njit
def total_cost(st: State) -> np.int64:
    """The cost of the whole grouping."""
    total = np.int64(0)
    for g in range(st.groups.size):
        total += cost_of(st, g)
    return total


@njit
def fill(st: State, label: np.ndarray) -> None:
    """Put everybody into the group that ``label`` names, or leave them alone (-1)."""
    for a in range(label.size):
        if label[a] >= 0:
            insert(st, np.int64(label[a]), np.int64(a))
