"""Moves of many people at once: dissolve a group, or found one.

Each is carried out step by step on the live state, priced exactly, and undone when it costs more than its ``limit``.
They return whether the move was kept and the change in cost.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal._numba import lean
from shoal.group._cost_kernels import change, cost_of
from shoal.group._state import FAR, NOBODY, State
from shoal.group._state_kernels import fits, put


class Scratch(NamedTuple):
    """What one thread needs of its own: its zone, a random state, and room for the people of two groups."""

    zone: int
    rng: np.ndarray
    moved: np.ndarray
    home: np.ndarray
    order: np.ndarray


@lean
def draw(rng: np.ndarray, below: int) -> int:
    """A whole number in [0, below), by xorshift."""
    x = rng[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    rng[0] = x
    return int(np.int64(((x >> np.uint64(32)) * np.uint64(below)) >> np.uint64(32)))


@lean
def _any_of_crowd(st: State, rng: np.ndarray, c: int) -> int:
    first = st.start[c]
    count = st.start[c + 1] - first
    return first if count == 1 else first + draw(rng, count)


@lean
def any_member(st: State, rng: np.ndarray, g: int) -> int:
    """A random member of group ``g``."""
    return st.members[st.groups[g].first + draw(rng, st.groups[g].count)]


@lean
def neighbour(st: State, rng: np.ndarray, a: int) -> int:
    """Somebody near ``a``; the nearer a row, the more often it is drawn."""
    j = (draw(rng, 1 << 15) * draw(rng, 1 << 15) * st.near.shape[1]) >> 30
    return _any_of_crowd(st, rng, st.near[st.people[a].crowd, j])


@lean
def alone_near(st: State, rng: np.ndarray, g: int) -> int:
    """Somebody who is alone, near a member of group ``g``; -1 if none was met."""
    member = any_member(st, rng, g)
    c = neighbour(st, rng, member)
    return c if st.people[c].label < 0 and st.people[c].zone == st.people[member].zone else NOBODY


@lean
def _undo(st: State, tmp: Scratch, count: int) -> tuple[bool, np.int64]:
    for i in range(count - 1, -1, -1):
        put(st, tmp.home[i], tmp.moved[i])
    return False, np.int64(0)


@lean
def _cheapest_home(st: State, tmp: Scratch, a: int) -> tuple[int, int, np.int64]:
    """The neighbouring group that takes in ``a`` at the least cost, and a member of level 1 whom it lets go for that."""
    g, best, best_out, best_cost = st.people[a].label, -1, -1, np.int64(FAR)
    for j in range(st.near.shape[1]):
        c = _any_of_crowd(st, tmp.rng, st.near[st.people[a].crowd, j])
        h = st.people[c].label
        if h < 0 or h == g or st.people[c].zone != tmp.zone:
            continue
        z = -1
        if st.groups[h].n_top < st.groups[h].count:
            z = any_member(st, tmp.rng, h)
            z = z if st.people[z].k == 1 else -1
        if (h != best or z >= 0) and fits(st, h, z, a):
            cost = change(st, h, z, a)
            if cost < best_cost:
                best, best_out, best_cost = h, z, cost
    return best, best_out, best_cost


@lean
def try_dissolve(st: State, tmp: Scratch, g: int, limit: float) -> tuple[bool, np.int64]:
    """Scatter ``g``: each to the cheapest neighbouring group with room, those of level 1 back to being alone."""
    count, first, done = st.groups[g].count, st.groups[g].first, 0
    delta = -cost_of(st, g)
    for i in range(count):
        tmp.order[i] = st.members[first + i]
    for i in range(count):
        a = tmp.order[i]
        home, out, cost = -1, -1, np.int64(0)
        if st.people[a].k > 1:
            home, out, cost = _cheapest_home(st, tmp, a)
        if delta + cost > limit:
            return _undo(st, tmp, done)
        delta += cost
        if out >= 0:
            tmp.moved[done], tmp.home[done] = out, home
            done += 1
            put(st, NOBODY, out)
        tmp.moved[done], tmp.home[done] = a, g
        done += 1
        put(st, home, a)
    return True, delta


@lean
def try_found(st: State, tmp: Scratch, a: int, g: int, limit: float) -> tuple[bool, np.int64]:
    """Fill the empty group ``g`` with ``a`` and the nearest who are alone or whose groups can spare them.

    If the group of ``a`` cannot spare them, somebody near who is alone takes their place first.
    """
    delta, done, old = np.int64(0), 0, st.people[a].label
    if not fits(st, old, a, NOBODY):
        c = alone_near(st, tmp.rng, old)
        if c < 0 or not fits(st, old, NOBODY, c):
            return False, delta
        delta -= cost_of(st, old)
        put(st, old, c)
        delta += cost_of(st, old)  # may be FAR, until ``a`` is gone
        tmp.moved[0], tmp.home[0], done = c, -1, 1
    for j in range(-1, st.near.shape[1]):
        b = a if j < 0 else _any_of_crowd(st, tmp.rng, st.near[st.people[a].crowd, j])
        h = st.people[b].label
        if h == g or st.people[b].zone != tmp.zone or st.people[b].k > st.groups[g].room:
            continue
        if h >= 0 and not fits(st, h, b, NOBODY):
            if j < 0:
                break
            continue
        cost = change(st, g, NOBODY, b)
        if cost == FAR:
            continue
        delta += cost + (change(st, h, b, NOBODY) if h >= 0 else 0)
        put(st, g, b)
        tmp.moved[done], tmp.home[done] = b, h
        done += 1
        if st.groups[g].count >= st.groups[g].top:
            break
    if 0 < st.groups[g].top <= st.groups[g].count and delta <= limit:
        return True, delta
    return _undo(st, tmp, done)
