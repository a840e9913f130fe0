"""Kernels that propose a swap to retying: two stubs to tie, blindly or of a pair that is wished for."""

from __future__ import annotations

import numpy as np

from shoal._numba import njit
from shoal.rebuild._edgeset import has, key_of

OTHERS = 0  # of what is counted of edges: in how many other slices the pair meets
LOOKS = 4  # at stubs of one person, for one that may be tied anew


@njit
def _draw(low, high, rng):
    return low + np.int64(rng.random() * (high - low))


@njit
def mate(p, t):
    """The stub that stub p is tied to."""
    e = t.slot[p]
    return t.ends[e, 0] + t.ends[e, 1] - p


@njit
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


@njit
def _loose(x, t, rng):
    """A stub of x whose edge counts and is of a pair that meets nowhere else, if a few looks find one."""
    p = first = _draw(t.start[x], t.start[x + 1], rng)
    for _ in range(LOOKS):
        e = t.slot[p]
        if t.where[e] >= 0 and not t.seen[e, OTHERS]:
            return p
        p = p + 1 if p + 1 < t.start[x + 1] else t.start[x]
    return first


@njit
def _wish(n, a, t, rng):
    """A stub of each of two who meet elsewhere and not here, or none: beside this slice, anywhere, or where an edge is loose."""
    chance = rng.random()
    if a.wished.shape[0] and chance < 0.67:
        i = _draw(0, a.beside if a.beside and chance < 0.33 else a.wished.shape[0], rng)
        u, x = a.wished[i, 0], a.wished[i, 1]
        p = _loose(u, t, rng) if t.start[u] < t.start[u + 1] else np.int64(-1)
    else:
        e = t.listed[_draw(0, t.counts[0], rng)]
        for _ in range(LOOKS):
            if t.seen[e, OTHERS]:
                e = t.listed[_draw(0, t.counts[0], rng)]
        p = t.ends[e, np.int64(rng.random() < 0.5)]
        u = t.owner[p]
        x = a.near[_draw(a.start[u], a.start[u + 1], rng)] if a.start[u] < a.start[u + 1] else u
    if u == x or p < 0 or t.start[x] == t.start[x + 1] or has(key_of(u, x, n), t.current):
        return p, np.int64(-1)
    return p, _loose(x, t, rng)


@njit
def propose(n, aimed, a, t, rng):
    """Two stubs to tie, with the chance ``aimed`` of a pair that is wished for; or none."""
    if aimed and rng.random() < aimed:
        return _wish(n, a, t, rng)
    e = t.listed[_draw(0, t.counts[0], rng)]
    p = t.ends[e, np.int64(rng.random() < 0.5)]
    return p, _partner(t.owner[p], a, t, rng)
