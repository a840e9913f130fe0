"""The annealing kernel for people of different needs.

A step looks at one person who needs protection and at one of their neighbours, and tries to move somebody: from group to
group, in exchange for somebody else, out of being alone or back to it. Rarely it tries a larger move: dissolve a group,
found one, merge two and split them again. Larger moves are carried out on the live state, priced exactly and undone when
they cost more than their ``limit``; they return whether they were kept, and the change in cost.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal._numba import njit
from shoal.group._compound_kernels import any_member, distance, draw
from shoal.group._need_state import FAR, State, change, cost_of, fits, insert, remove
from shoal.group._search_kernels import COOL_EVERY, LOG_BITS, MINUS_LOG, WINDOW, neighbour

TRIES = 8


class Web(NamedTuple):
    """Who is near whom: the kind of row of each person, where each kind begins, its nearest kinds (itself first).

    ``heat`` is the scale of a kind's moves.
    """

    kind: np.ndarray
    start: np.ndarray
    near: np.ndarray
    heat: np.ndarray


@njit
def _put(st: State, g: int, a: int) -> None:
    """Move ``a`` from where they are into group ``g``, or out of all groups (-1)."""
    if st.people[a].label >= 0:
        remove(st, st.people[a].label, a)
    if g >= 0:
        insert(st, g, a)


@njit
def _transfer(st: State, x: int, source: int, y: int, target: int, z: int, limit: float) -> np.int64:
    """Move ``x`` from ``source`` to ``target``; ``y`` takes their place there and ``z`` leaves the target (-1: nobody).

    With y = z the two change places; otherwise y comes out of being alone and z goes back to it. Being alone is group
    -1. Returns the change in cost, 0 if the move was not made.
    """
    if (source >= 0 and not fits(st, source, x, y)) or (target >= 0 and not fits(st, target, z, x)):
        return np.int64(0)
    delta = change(st, source, x, y) if source >= 0 else np.int64(0)
    if target >= 0:
        delta += change(st, target, z, x)
    if delta > limit:
        return np.int64(0)
    if z >= 0:
        _put(st, np.int64(-1), z)
    _put(st, target, x)
    if y >= 0:
        _put(st, source, y)
    return delta


@njit
def _any_of(st: State, rng: np.ndarray, g: int) -> int:
    return np.int64(st.members[st.groups[g].first + draw(rng, st.groups[g].count)])


@njit
def _alone_near(st: State, web: Web, rng: np.ndarray, g: int) -> int:
    """Somebody who is alone, near a member of group ``g``; -1 if none was met."""
    c = neighbour(rng, web.kind, web.start, web.near, _any_of(st, rng, g))
    return c if st.people[c].label < 0 else np.int64(-1)


@njit
def _undo(st: State, moved: np.ndarray, home: np.ndarray, count: int) -> None:
    for i in range(count - 1, -1, -1):
        _put(st, home[i], moved[i])


@njit
def _try_dissolve(
    st: State, web: Web, rng: np.ndarray, moved: np.ndarray, home: np.ndarray, g: int, limit: float
) -> tuple[bool, np.int64]:
    """Scatter ``g``: whoever needs protection goes to the cheapest neighbouring group, the others back to being alone.

    Where somebody arrives, a member of need 1 may be let go.
    """
    low, done = st.groups[g].first, 0
    delta = -cost_of(st, g)
    for a in st.members[low : low + st.groups[g].count].copy():
        best, best_out, best_cost = np.int64(-1), np.int64(-1), np.int64(0 if st.people[a].need == 1 else FAR)
        for j in range(web.near.shape[1] if st.people[a].need > 1 else 0):
            h = st.people[any_member(rng, web.start, web.near[st.people[a].kind, j])].label
            if h < 0 or h == g:
                continue
            z = _any_of(st, rng, h)
            z = z if st.people[z].need == 1 else np.int64(-1)
            if (h != best or z >= 0) and fits(st, h, z, a):
                cost = change(st, h, z, a)
                if cost < best_cost:
                    best, best_out, best_cost = h, z, cost
        if delta + best_cost > limit:
            _undo(st, moved, home, done)
            return False, np.int64(0)
        delta += best_cost
        if best_out >= 0:
            moved[done], home[done] = best_out, best
            done += 1
            _put(st, np.int64(-1), best_out)
        moved[done], home[done] = a, g
        done += 1
        _put(st, best, a)
    return True, delta


@njit
def _try_found(
    st: State, web: Web, rng: np.ndarray, moved: np.ndarray, home: np.ndarray, a: int, g: int, limit: float
) -> tuple[bool, np.int64]:
    """Fill the empty group ``g`` with ``a`` and the nearest who are alone or can be spared.

    If the group of ``a`` cannot spare them, somebody near who is alone takes their place first.
    """
    delta, done, old = np.int64(0), 0, st.people[a].label
    if not fits(st, old, a, -1):
        c = _alone_near(st, web, rng, old)
        if c < 0 or not fits(st, old, -1, c):
            return False, delta
        delta -= cost_of(st, old)
        _put(st, old, c)
        delta += cost_of(st, old)  # may be FAR, until ``a`` is gone
        moved[0], home[0], done = c, -1, 1
    for j in range(-1, web.near.shape[1]):
        b = a if j < 0 else any_member(rng, web.start, web.near[st.people[a].kind, j])
        h = st.people[b].label
        if h == g or st.people[b].need > st.groups[g].room or (h >= 0 and not fits(st, h, b, -1)):
            if j < 0:
                break
            continue
        cost = change(st, g, -1, b)
        if cost == FAR:
            continue
        delta += cost + (change(st, h, b, -1) if h >= 0 else 0)
        _put(st, g, b)
        moved[done], home[done] = b, h
        done += 1
        if st.groups[g].count >= st.groups[g].top:
            break
    if st.groups[g].count > 0 and st.groups[g].count >= st.groups[g].top and delta <= limit:
        return True, delta
    _undo(st, moved, home, done)
    return False, np.int64(0)


@njit
def _best_cut(st: State, order: np.ndarray, wish: int, room_left: int, room_right: int) -> int:
    """How many of ``order`` go left so that both sides meet their needs, as near to ``wish`` as can be; 0 if no cut does."""
    total = order.size
    above = np.zeros(total + 1, np.int64)
    for i in range(total - 1, -1, -1):
        above[i] = max(above[i + 1], st.people[order[i]].need)
    below, best = np.int64(0), 0
    for cut in range(1, total):
        below = max(below, st.people[order[cut - 1]].need)
        valid = 2 <= below <= cut <= room_left and 2 <= above[cut] <= total - cut <= room_right
        if valid and (best == 0 or abs(cut - wish) < abs(best - wish)):
            best = cut
    return best


@njit
def _try_resplit(st: State, rng: np.ndarray, moved: np.ndarray, g: int, h: int, limit: float) -> np.int64:
    """Merge ``g`` and ``h`` and split them between a random member and the one farthest from it."""
    before = cost_of(st, g) + cost_of(st, h)
    first, total = st.groups[g].count, st.groups[g].count + st.groups[h].count
    moved[:first] = st.members[st.groups[g].first : st.groups[g].first + first]
    moved[first:total] = st.members[st.groups[h].first : st.groups[h].first + st.groups[h].count]
    x = y = moved[draw(rng, total)]
    key, reach = np.empty(total, np.int64), np.int64(-1)
    for i in range(total):
        key[i] = distance(st, moved[i], x)
        if key[i] > reach:
            y, reach = moved[i], key[i]
    for i in range(total):
        key[i] -= distance(st, moved[i], y)
    order = moved[:total][np.argsort(key, kind="mergesort")]
    cut = _best_cut(st, order, np.sum(key < 0), st.groups[g].room, st.groups[h].room)
    if cut == 0:
        return np.int64(0)
    _rearrange(st, order, cut, g, h)
    delta = cost_of(st, g) + cost_of(st, h) - before
    if delta <= limit:
        return delta
    _rearrange(st, moved[:total], first, g, h)
    return np.int64(0)


@njit
def _rearrange(st: State, order: np.ndarray, cut: int, g: int, h: int) -> None:
    for a in order:
        _put(st, np.int64(-1), a)
    for i in range(order.size):
        insert(st, g if i < cut else h, order[i])


@njit
def _step(st: State, web: Web, rng: np.ndarray, a: int, c: int, dice: int, limit: float) -> np.int64:
    """One small move around ``a``, who needs protection, and their neighbour ``c`` in another group or alone."""
    g, h, nobody = st.people[a].label, st.people[c].label, np.int64(-1)
    if h == g:
        return _transfer(st, c, g, nobody, nobody, nobody, limit)
    if h < 0:
        z = _any_of(st, rng, g)
        leaves = dice & 1 and st.people[z].need == 1
        return _transfer(st, c, nobody, nobody, g, z if leaves else nobody, limit)
    if dice & 1:
        push, pull = fits(st, g, a, -1) and fits(st, h, -1, a), fits(st, h, c, -1) and fits(st, g, -1, c)
        if push and (dice & 2 or not pull):
            return _transfer(st, a, g, nobody, h, nobody, limit)
        if pull:
            return _transfer(st, c, h, nobody, g, nobody, limit)
    b = _any_of(st, rng, h)
    if st.people[b].need == 1 and dice & 4:
        y = nobody if fits(st, g, a, -1) else _alone_near(st, web, rng, g)
        return _transfer(st, a, g, y, h, b, limit)
    one, two = st.people[a], st.people[b]
    if b == c or (one.kind == two.kind and one.need == two.need and one.pinned == two.pinned):
        return np.int64(0)
    return _transfer(st, a, g, b, h, b, limit)


@njit
def anneal(
    st: State,
    web: Web,
    pick: np.ndarray,
    spare: np.ndarray,
    n_spare: int,
    hot: float,
    cold: float,
    n_steps: int,
    seed: np.uint64,
    rare: int,
) -> tuple[np.int64, int]:
    """Anneal from temperature ``hot`` to ``cold``; return the change in cost and how many groups are empty.

    ``pick`` holds those who need protection, ``spare[:n_spare]`` the empty groups. As in the search for one k, the work
    goes over ``pick`` a window at a time, and temperatures are relative to the ``heat`` of the rows in play.
    """
    rng = np.array([seed], np.uint64)
    longest = 2 * np.max(st.groups["room"]) + 1
    moved, home = np.empty(longest, np.int64), np.empty(longest, np.int64)
    n_windows = max(pick.size // WINDOW, 1)
    stay = max(n_steps // n_windows, 1)
    first = span = 0
    temperature, cooling = hot, (cold / hot) ** (COOL_EVERY / max(stay, COOL_EVERY))
    total = np.int64(0)
    for step in range(stay * n_windows):
        if step % stay == 0:
            window = step // stay
            first = window * pick.size // n_windows
            span = (window + 1) * pick.size // n_windows - first
            temperature = hot
        elif step % COOL_EVERY == 0:
            temperature *= cooling
        a = pick[first + draw(rng, span)]
        c = neighbour(rng, web.kind, web.start, web.near, a)
        g, h = st.people[a].label, st.people[c].label
        dice = draw(rng, rare)
        if h == g and dice > 0 and st.people[c].need > 1:
            continue
        warmth = min(web.heat[st.people[a].kind], web.heat[st.people[c].kind])
        limit = temperature * warmth * MINUS_LOG[draw(rng, 1 << LOG_BITS)]
        if dice > 1:
            total += _step(st, web, rng, a, c, dice, limit)
        elif dice == 1:
            if h >= 0 and h != g and st.groups[g].pins + st.groups[h].pins == 0:
                total += _try_resplit(st, rng, moved, g, h, limit)
        elif draw(rng, 2):
            gone, delta = _try_dissolve(st, web, rng, moved, home, g, limit)
            total += delta
            if gone:
                spare[n_spare] = g
                n_spare += 1
        else:
            for _ in range(min(TRIES, n_spare)):
                i = draw(rng, n_spare)
                if st.groups[spare[i]].room >= st.people[a].need:
                    made, delta = _try_found(st, web, rng, moved, home, a, spare[i], limit)
                    total += delta
                    if made:
                        n_spare -= 1
                        spare[i] = spare[n_spare]
                    break
    return total, n_spare
