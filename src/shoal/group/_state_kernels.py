"""Updates of the state: people join and leave groups, and may do so only where everybody's k is still met."""

from __future__ import annotations

import numpy as np

from shoal._numba import inlined, lean
from shoal.group._state import NOBODY, State


@lean
def _take_in(columns: np.ndarray, degrees: np.ndarray, low: int, end: int, a: int) -> None:
    """Insert the degrees of ``a`` into sorted rows ``low`` to ``end`` - 1, all slices at a time."""
    for t in range(degrees.shape[1]):
        columns[end, t] = degrees[a, t]
    for i in range(end, low, -1):
        for t in range(degrees.shape[1]):
            x, v = columns[i - 1, t], columns[i, t]
            columns[i - 1, t] = x if x < v else v
            columns[i, t] = v if x < v else x


@lean
def _give_out(columns: np.ndarray, degrees: np.ndarray, low: int, end: int, a: int) -> None:
    """Take the degrees of ``a`` out of sorted rows ``low`` to ``end``."""
    for i in range(low, end):
        for t in range(degrees.shape[1]):
            x, after = columns[i, t], columns[i + 1, t]
            columns[i, t] = x if x < degrees[a, t] else after


@lean
def insert(st: State, g: int, a: int) -> None:
    """Put person ``a``, who is alone, into group ``g``."""
    group, who = st.groups[g], st.people[a]
    end = group.first + group.count
    _take_in(st.columns, st.degrees, group.first, end, a)
    st.members[end] = a
    who.label = g
    who.slot = end
    group.count += 1
    group.exempt += who.exempt
    if who.k > group.top:
        group.top = who.k
        group.n_top = 0
    group.n_top += who.k == group.top


@lean
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
    group.exempt -= who.exempt
    group.n_top -= who.k == group.top
    if group.n_top == 0:
        group.top = _top_of(st.people, st.members, group.first, end, NOBODY)
        for i in range(group.first, end):
            group.n_top += st.people[st.members[i]].k == group.top


@inlined
def put(st: State, g: int, a: int) -> None:
    """Move ``a`` from where they are into group ``g``, or out of all groups (-1)."""
    if st.people[a].label >= 0:
        remove(st, st.people[a].label, a)
    if g >= 0:
        insert(st, g, a)


@lean
def _top_of(people: np.ndarray, members: np.ndarray, low: int, end: int, out: int) -> int:
    """The largest k of the members in rows ``low`` to ``end`` - 1 apart from ``out``; 0 if there are none."""
    most = 0
    for i in range(low, end):
        if members[i] != out and people[members[i]].k > most:
            most = people[members[i]].k
    return most


@lean
def fits(st: State, g: int, out: int, add: int) -> bool:
    """Whether ``g`` still has as many members as each of them asks for when ``out`` leaves and ``add`` joins (-1: nobody)."""
    people, group = st.people, st.groups[g]
    after = group.count - (out >= 0) + (add >= 0)
    top = group.top
    if out >= 0 and group.n_top == 1 and people[out].k == top:
        top = _top_of(people, st.members, group.first, group.first + group.count, out)
    if add >= 0 and people[add].k > top:
        top = people[add].k
    return 2 <= top <= after <= group.room


@lean
def fill(st: State, label: np.ndarray) -> None:
    """Put everybody into the group that ``label`` names, or leave them alone (-1)."""
    for a in range(label.size):
        if label[a] >= 0:
            insert(st, label[a], a)
