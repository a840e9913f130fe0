"""The annealing kernel of the grouping search.

One call works on one zone: groups and people that no other thread touches. Costs are whole numbers and the random state is
the call's own, so the same seed gives the same groups on any number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal._numba import inlined, lean
from shoal.group._cost_kernels import change
from shoal.group._move_kernels import Scratch, alone_near, any_member, draw, neighbour, try_dissolve, try_found
from shoal.group._state import NOBODY, State
from shoal.group._state_kernels import fits, put

LOG_BITS = 12
MINUS_LOG = -np.log((np.arange(1 << LOG_BITS) + 0.5) / (1 << LOG_BITS))
COOL_EVERY = 512
WINDOW = 2048
TRIES = 8
NO_MOVE = NOBODY, NOBODY, NOBODY, NOBODY, NOBODY


Move = tuple[int, int, int, int, int]
"""Somebody (-1: nobody, no move), their group, who takes their place, the group they go to, and who leaves that.

Where the second and the last person are the same the two change places; otherwise the one comes out of being alone and the
other goes back to it. Being alone is group -1.
"""


class Stretch(NamedTuple):
    """A piece of the search: who starts moves, which groups are empty, from which temperature to which, how many steps.

    ``pick`` holds the people of the zone with k > 1, ``spare[:n_spare]`` its empty groups, with room for all it has. Of
    ``rare`` steps one tries to dissolve or found a group.
    """

    pick: np.ndarray
    spare: np.ndarray
    n_spare: int
    hot: float
    cold: float
    n_steps: int
    rare: int


@inlined
def _settle(st: State, move: Move, limit: float) -> np.int64:
    """Make a move unless it costs more than the limit; return the change in cost, 0 if nothing was done."""
    x, source, y, target, z = move
    delta = change(st, source, x, y) if source >= 0 else np.int64(0)
    if target >= 0:
        delta += change(st, target, z, x)
    if delta > limit:
        return np.int64(0)
    if z >= 0:
        put(st, NOBODY, z)
    put(st, target, x)
    if y >= 0:
        put(st, source, y)
    return delta


@lean
def _with_the_alone(st: State, rng: np.ndarray, a: int, c: int, dice: int) -> Move:
    """A small move around ``a`` and their neighbour ``c``, of level 1, who comes out of being alone or goes back to it."""
    g, z = st.people[a].label, NOBODY
    if st.people[c].label == g:
        return (c if fits(st, g, c, NOBODY) else NOBODY), g, NOBODY, NOBODY, NOBODY
    if dice & 1:
        z = any_member(st, rng, g)
        z = z if st.people[z].k == 1 else NOBODY
    return (c if fits(st, g, z, c) else NOBODY), NOBODY, NOBODY, g, z


@inlined
def _between(st: State, rng: np.ndarray, a: int, c: int, dice: int) -> Move:
    """A small move around ``a`` and their neighbour ``c`` in another group: one of them moves over, or two change places."""
    people = st.people
    g, h = people[a].label, people[c].label
    if dice & 1:
        push = fits(st, g, a, NOBODY) and fits(st, h, NOBODY, a)
        if (not push or dice & 2 == 0) and fits(st, h, c, NOBODY) and fits(st, g, NOBODY, c):
            return c, h, NOBODY, g, NOBODY
        if push:
            return a, g, NOBODY, h, NOBODY
    b = any_member(st, rng, h)
    y = b
    if people[b].k == 1 and dice & 4:  # b goes back to being alone
        y = NOBODY if fits(st, g, a, NOBODY) else alone_near(st, rng, g)
    elif b == c or (
        people[a].crowd == people[b].crowd and people[a].k == people[b].k and people[a].exempt == people[b].exempt
    ):
        return NOBODY, g, y, h, b
    return (a if fits(st, g, a, y) and fits(st, h, b, a) else NOBODY), g, y, h, b


@lean
def _place_for(st: State, rng: np.ndarray, spare: np.ndarray, n_spare: int, a: int) -> int:
    """An empty group with room for as many as ``a`` asks for, by its place in the list; -1 if none was met."""
    for _ in range(min(TRIES, n_spare)):
        i = draw(rng, n_spare)
        if st.groups[spare[i]].room >= st.people[a].k:
            return i
    return -1


@lean
def _try_number(
    st: State, tmp: Scratch, spare: np.ndarray, n_spare: int, a: int, c: int, limit: float
) -> tuple[np.int64, int]:
    """Found a group where that of ``a`` can spare them, or those who are alone can; else dissolve it."""
    g = st.people[a].label
    if fits(st, g, a, NOBODY) or (st.people[c].label < 0 and draw(tmp.rng, 2)):
        i = _place_for(st, tmp.rng, spare, n_spare, a)
        if i >= 0:
            made, delta = try_found(st, tmp, a, spare[i], limit)
            if made:
                n_spare -= 1
                spare[i] = spare[n_spare]
            return delta, n_spare
        return np.int64(0), n_spare
    gone, delta = try_dissolve(st, tmp, g, limit)
    if gone:
        spare[n_spare] = g
        n_spare += 1
    return delta, n_spare


@lean
def anneal(st: State, tmp: Scratch, run: Stretch) -> tuple[np.int64, int]:
    """Anneal one zone from temperature ``hot`` to ``cold``; return the change in cost and how many groups are empty.

    The work goes over ``pick`` a window at a time, for the cache, and cools down in every window. Each step looks at a
    person and one of their neighbours. Temperatures are relative to the ``heat`` of the rows in play: an outlier whose
    moves cost dozens settles together with the crowd whose moves cost one.
    """
    pick, n_spare, rng = run.pick, run.n_spare, tmp.rng
    n_windows = max(pick.size // WINDOW, 1)
    stay = max(run.n_steps // n_windows, 1)
    first = span = 0
    temperature, cooling = run.hot, (run.cold / run.hot) ** (COOL_EVERY / max(stay, COOL_EVERY))
    total = np.int64(0)
    for step in range(stay * n_windows):
        if step % stay == 0:
            window = step // stay
            first = window * pick.size // n_windows
            span = (window + 1) * pick.size // n_windows - first
            temperature = run.hot
        elif step % COOL_EVERY == 0:
            temperature *= cooling
        a = pick[first + draw(rng, span)]
        c = neighbour(st, rng, a)
        one, two = st.people[a], st.people[c]
        dice, move = draw(rng, run.rare), NO_MOVE
        if two.zone != one.zone:
            continue
        if two.label == one.label and two.k > 1 and (dice > 0 or st.groups[one.label].count < 4):
            continue  # a group that could be two may found one
        limit = temperature * min(st.heat[one.crowd], st.heat[two.crowd]) * MINUS_LOG[draw(rng, 1 << LOG_BITS)]
        if dice == 0:
            delta, n_spare = _try_number(st, tmp, run.spare, n_spare, a, c, limit)
            total += delta
        elif two.label < 0 or two.label == one.label:
            move = _with_the_alone(st, rng, a, c, dice)
        else:
            move = _between(st, rng, a, c, dice)
        if move[0] >= 0:
            total += _settle(st, move, limit)
    return total, n_spare
