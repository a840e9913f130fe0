"""The annealing kernel of the grouping search.

One call works on one shard: a set of groups and their nodes that no other thread touches. Costs are whole numbers and the
random state is the call's own, so the same seed gives the same groups on any number of threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal._numba import njit
from shoal.group._compound_kernels import Scratch, any_member, draw, try_dissolve, try_found, try_resplit
from shoal.group._state_kernels import insert, join_cost, leave_gain, remove, replace_cost

if TYPE_CHECKING:
    from shoal.group._state import State

LOG_BITS = 12
MINUS_LOG = -np.log((np.arange(1 << LOG_BITS) + 0.5) / (1 << LOG_BITS))
COOL_EVERY = 512
WINDOW = 2048


@njit
def neighbour(rng: np.ndarray, row_class: np.ndarray, class_start: np.ndarray, near: np.ndarray, a: int) -> int:
    """A node near ``a``; the nearer a row, the more often it is drawn."""
    j = (draw(rng, 1 << 15) * draw(rng, 1 << 15) * near.shape[1]) >> 30
    return any_member(rng, class_start, near[row_class[a], j])


@njit
def anneal(
    st: State,
    k: int,
    pick: np.ndarray,
    spare: np.ndarray,
    n_spare: int,
    hot: float,
    cold: float,
    n_steps: int,
    seed: np.uint64,
    rare: int,
) -> tuple[np.int64, int]:
    """Anneal one shard from temperature ``hot`` to ``cold``; return the change in cost and how many groups are empty.

    ``pick`` holds the nodes of the shard, ``spare[:n_spare]`` its empty groups. The work goes over ``pick`` a window at a
    time, for the cache, and cools down in every window.

    Each step looks at a node and one of its neighbours in another group: one of the two moves over, or a node is
    exchanged. A step in ``rare`` tries to dissolve or found a group, another to merge two groups and split them again.
    Temperatures are relative to the ``heat`` of the rows in play: an outlier whose moves cost dozens settles together
    with the crowd whose moves cost one.
    """
    tmp = Scratch(
        np.array([seed], np.uint64),
        np.empty(st.degrees.shape[1], st.degrees.dtype),
        np.empty(4 * k, np.int64),
        np.empty(4 * k, np.int64),
        np.empty(4 * k, np.int64),
    )
    rng, carry = tmp.rng, tmp.carry
    degrees, columns, size, members, label, slot = st.degrees, st.columns, st.size, st.members, st.label, st.slot
    row_class, class_start, near, heat, shard = st.row_class, st.class_start, st.near, st.heat, st.shard
    mine = st.shard[st.label[pick[0]]]
    n_windows = max(pick.size // WINDOW, 1)
    stay = max(n_steps // n_windows, 1)
    first = room = 0
    temperature, cooling = hot, (cold / hot) ** (COOL_EVERY / max(stay, COOL_EVERY))
    total = np.int64(0)
    for step in range(stay * n_windows):
        if step % stay == 0:
            window = step // stay
            first = window * pick.size // n_windows
            room = (window + 1) * pick.size // n_windows - first
            temperature = hot
        elif step % COOL_EVERY == 0:
            temperature *= cooling
        a = pick[first + draw(rng, room)]  # whole numbers of 64 bits throughout: one compilation of every helper
        c = neighbour(rng, row_class, class_start, near, a)
        g, h = np.int64(label[a]), np.int64(label[c])
        if h == g or h < 0 or shard[h] != mine:
            continue
        warmth = min(heat[row_class[a]], heat[row_class[c]])
        limit = temperature * warmth * MINUS_LOG[draw(rng, 1 << LOG_BITS)]
        kind = draw(rng, rare)
        if kind == 0:
            if size[g] == k:
                gone, delta = try_dissolve(st, tmp, g, k, limit)
                total += delta
                if gone:
                    spare[n_spare] = g
                    n_spare += 1
            elif n_spare > 0:
                made, delta = try_found(st, tmp, a, spare[n_spare - 1], k, limit)
                total += delta
                n_spare -= made
            continue
        if kind == 1 and k > 2:
            total += try_resplit(st, tmp, g, h, k, limit)[1]
            continue
        if kind & 1:
            push = size[g] > k and size[h] < 2 * k - 1
            pull = size[h] > k and size[g] < 2 * k - 1
            if push or pull:
                push = push and (kind & 2 or not pull)
                b, source, target = (a, g, h) if push else (c, h, g)
                delta = join_cost(columns, size, degrees, target, b) - leave_gain(columns, size, degrees, source, b)
                if delta <= limit:
                    remove(degrees, columns, size, members, label, slot, source, b)
                    insert(degrees, columns, size, members, label, slot, carry, target, b)
                    total += delta
                continue
        b = np.int64(members[h, draw(rng, size[h])])
        if b == c or row_class[a] == row_class[b]:
            continue
        delta = replace_cost(columns, size, degrees, g, a, b) + replace_cost(columns, size, degrees, h, b, a)
        if delta <= limit:
            remove(degrees, columns, size, members, label, slot, g, a)
            remove(degrees, columns, size, members, label, slot, h, b)
            insert(degrees, columns, size, members, label, slot, carry, h, a)
            insert(degrees, columns, size, members, label, slot, carry, g, b)
            total += delta
    return total, n_spare
