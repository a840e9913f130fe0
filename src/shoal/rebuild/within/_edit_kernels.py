"""Kernels of rebuilding under limits: edits where nothing is in the way, and edits swapped away in the end."""

from __future__ import annotations

import numpy as np

from shoal._numba import njit
from shoal.rebuild._edgeset import has, key_of
from shoal.rebuild.within._state_kernels import is_free, toggle


@njit
def drop_surplus(s, rng):
    """Remove free edges between two nodes that both have too many."""
    n = s.rule[0]
    keys = s.current[2][: s.current[3][0]].copy()
    for q in rng.permutation(keys.size):
        u, v = keys[q] // n, keys[q] % n
        if s.lack[u] < 0 and s.lack[v] < 0 and is_free(u, v, s):
            toggle(u, v, s)


@njit
def _by_need(low, high, s, rng):
    """Nodes from ``low`` to ``high`` that lack edges, the largest need first, and where the block of each need ends."""
    top = 0
    for i in range(low, high):
        top = max(top, s.lack[i])
    end = np.zeros(top + 2, np.int64)
    for i in range(low, high):
        if s.lack[i] > 0:
            end[s.lack[i]] += 1
    for d in range(top - 1, 0, -1):
        end[d] += end[d + 1]
    fill = np.zeros(top + 2, np.int64)
    fill[: top + 1] = end[1:]
    order = np.empty(end[1] if top else 0, np.int64)
    for i in low + rng.permutation(high - low):
        if s.lack[i] > 0:
            order[fill[s.lack[i]]] = i
            fill[s.lack[i]] += 1
    return order, end


@njit
def join_lacking(s, rng):
    """Join nodes that lack edges by free pairs, the largest need first, to the largest needs, random among equals.

    Whoever is served swaps to the end of the block of his need and so falls into the next one. On the double cover
    the out-copies are served one by one and the in-copies stand in blocks.
    """
    n, half = s.rule[0], s.rule[1]
    if s.rule[2] == 0:
        return
    order, end = _by_need(half, n, s, rng)
    givers = _by_need(np.int64(0), half, s, rng)[0] if half else order
    if order.size == 0:
        return
    for h in range(givers.size):
        p = np.int64(0) if half else h + 1
        u = givers[h]
        while p < end[1] and s.lack[u] > 0:
            v = order[p]
            if has(key_of(u, v, n), s.current) or not is_free(u, v, s):
                p += 1
                continue
            d = s.lack[v]
            toggle(u, v, s)
            end[d] -= 1
            order[p], order[end[d]] = order[end[d]], v
            if p == end[d]:
                p += 1


@njit
def _edits(kind, s):
    """Pairs that were deleted (kind 0) or added (kind 1)."""
    here, there = (s.original, s.current) if kind == 0 else (s.current, s.original)
    out = np.empty(here[3][0], np.int64)
    count = 0
    for q in range(here[3][0]):
        if not has(here[2][q], there):
            out[count] = here[2][q]
            count += 1
    return out[:count]


@njit
def deleted_at(x, s):
    out = np.empty(s.start[x + 1] - s.start[x], np.int64)
    count = 0
    for p in range(s.start[x], s.start[x + 1]):
        if not has(key_of(x, s.near[p], s.rule[0]), s.current):
            out[count] = s.near[p]
            count += 1
    return out[:count]


@njit
def _added_at(x, s):
    out = np.empty(256, np.int64)
    count = 0
    link = s.head[x]
    while link >= 0 and count < 256:
        out[count] = s.other[link]
        count += 1
        link = s.after[link]
    return out[:count]


@njit
def polish(s, rng):
    """Swap away edits: alternating squares of which three sides are edits lose two of them."""
    n = s.rule[0]
    for _ in range(6):
        gained = False
        for kind in range(2):
            keys = _edits(kind, s)
            for r in rng.permutation(keys.size):
                x, y = keys[r] // n, keys[r] % n
                if has(keys[r], s.current) == (kind == 0):
                    continue
                xs = _added_at(x, s) if kind == 0 else deleted_at(x, s)
                ys = _added_at(y, s) if kind == 0 else deleted_at(y, s)
                done = False
                for u in xs:
                    for v in ys:
                        if u != v and has(key_of(u, v, n), s.current) == (kind == 1) and is_free(u, v, s):
                            toggle(x, u, s)
                            toggle(y, v, s)
                            toggle(x, y, s)
                            toggle(u, v, s)
                            gained = done = True
                            break
                    if done:
                        break
        if not gained:
            return
