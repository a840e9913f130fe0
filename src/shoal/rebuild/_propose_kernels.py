"""Kernels that propose a swap to retying: two stubs to tie, blindly or of a pair that is wished for."""

from __future__ import annotations

import numpy as np

from shoal._numba import lean
from shoal.rebuild._edgeset import has, key_of

OTHERS = 0  # of what is counted of edges: in how many other slices the pair meets
LOOKS = 4  # at stubs of one person, or at people, for one that may be tied anew
BLIND = 0.67  # of wishes are drawn from a list, half of them from the slice before; others begin with a loose edge


@lean
def _draw(low, high, rng):
    return low + np.int64(rng.random() * (high - low))


@lean
def mate(p, t):
    """The stub that stub p is tied to."""
    e = t.slot[p]
    return t.ends[e, 0] + t.ends[e, 1] - p


@lean
def _partner(c, a, t, rng):
    """A stub for c: of somebody met elsewhere, of a contact's contact, or of anybody who has an edge that counts.

    Of somebody's stubs a few are looked at for one that may go.
    """
    start, owner, chance, x = t.start, t.owner, rng.random(), c
    if chance < 0.5 and a.start[c] < a.start[c + 1]:
        x = a.near[_draw(a.start[c], a.start[c + 1], rng)]
    elif chance < 0.75 and not t.half:
        for _ in range(2):
            x = owner[mate(_draw(start[x], start[x + 1], rng), t)]
    else:
        p = t.ends[t.listed[_draw(0, t.counts[0], rng)], np.int64(rng.random() < 0.5)]
        return mate(p, t) if t.half and (owner[p] < t.half) == (c < t.half) else p
    if x == c or start[x] == start[x + 1]:
        return np.int64(-1)
    p = _draw(start[x], start[x + 1], rng)
    for _ in range(LOOKS):
        if t.where[t.slot[p]] >= 0:
            return p
        p = p + 1 if p + 1 < start[x + 1] else start[x]
    return p


@lean
def _loose(x, t, rng):
    """A stub of x whose edge counts and is of a pair that meets nowhere else, if a few looks find one."""
    p = first = _draw(t.start[x], t.start[x + 1], rng)
    for _ in range(LOOKS):
        e = t.slot[p]
        if t.where[e] >= 0 and not t.seen[e, OTHERS]:
            return p
        p = p + 1 if p + 1 < t.start[x + 1] else t.start[x]
    return first


@lean
def _wish(n, a, t, rng):
    """A stub of each of two who meet elsewhere and not here, or none: beside this slice, anywhere, or where an edge is loose.

    From a loose edge on, a few of those met elsewhere are looked at for one who has a loose edge too: both are then tied anew
    without anything lost.
    """
    chance = rng.random()
    if a.wished.shape[0] and chance < BLIND:
        i = _draw(0, a.beside if a.beside and chance < BLIND / 2 else a.wished.shape[0], rng)
        u, x = a.wished[i, 0], a.wished[i, 1]
        if t.start[u] == t.start[u + 1] or t.start[x] == t.start[x + 1] or has(key_of(u, x, n), t.current):
            return np.int64(-1), np.int64(-1)
        return _loose(u, t, rng), _loose(x, t, rng)
    e = t.listed[_draw(0, t.counts[0], rng)]
    for _ in range(LOOKS):
        if t.seen[e, OTHERS]:
            e = t.listed[_draw(0, t.counts[0], rng)]
    p, r = t.ends[e, np.int64(rng.random() < 0.5)], np.int64(-1)
    u = t.owner[p]
    for _ in range(LOOKS if a.start[u] < a.start[u + 1] else 0):
        x = a.near[_draw(a.start[u], a.start[u + 1], rng)]
        if x != u and t.start[x] < t.start[x + 1] and not has(key_of(u, x, n), t.current):
            r = _loose(x, t, rng)
            if not t.seen[t.slot[r], OTHERS]:
                break
    return p, r


@lean
def propose(n, aimed, a, t, rng):
    """Two stubs to tie, with the chance ``aimed`` of a pair that is wished for; or none."""
    if aimed and rng.random() < aimed:
        return _wish(n, a, t, rng)
    e = t.listed[_draw(0, t.counts[0], rng)]
    p = t.ends[e, np.int64(rng.random() < 0.5)]
    return p, _partner(t.owner[p], a, t, rng)
