"""Kernels of rewiring: the way that always ends, and edits that can be swapped away in the end."""

from __future__ import annotations

import numpy as np

from shoal._numba import njit
from shoal.rebuild._edgeset import EdgeSet, has, key_of, only_in
from shoal.rebuild._rewire_kernels import Rewiring, half_edges, is_free, shuffled, toggle


@njit
def follow_witness(witness: EdgeSet, s: Rewiring) -> None:
    """Reach the degrees for certain, along a slice W that has them.

    Whoever lacks an edge has fewer edges than in W, so some edge of W is missing there: add it. If that leaves its
    other end with too many, that end has an edge that W does not have: remove it, and go on from there. Every step
    makes the slice agree with W in one more pair, so the steps come to an end, and they can only end when nobody
    lacks an edge. In a directed slice all walks begin at senders; as nobody receives too many and the sums are equal,
    the receivers are then on target too.
    """
    plus_start, plus = half_edges(only_in(witness, s.current), s.n)
    minus_start, minus = half_edges(only_in(s.current, witness), s.n)
    plus_at, minus_at = plus_start.copy(), minus_start.copy()
    for i in range(s.half if s.half else s.n):
        while s.lack[i] > 0:
            u = np.int64(i)
            while s.lack[u] > 0:
                while has(key_of(u, plus[plus_at[u]], s.n), s.current):
                    plus_at[u] += 1
                x = plus[plus_at[u]]
                toggle(u, x, s)
                if s.lack[x] >= 0:
                    break
                while not has(key_of(x, minus[minus_at[x]], s.n), s.current):
                    minus_at[x] += 1
                u = minus[minus_at[x]]
                toggle(x, u, s)


@njit
def _swap(x, y, kind, start, other, s):
    """Undo the edit x-y with two others at its ends, for one new edit u-v at most; whether that was possible."""
    current, n, left = s.current, s.n, 4000
    for p in range(start[x], start[x + 1]):
        u = other[p]
        if left < 0:
            break
        if has(key_of(x, u, n), current) != (kind == 0):
            continue
        for q in range(start[y], start[y + 1]):
            v = other[q]
            left -= 1
            if u == v or has(key_of(y, v, n), current) != (kind == 0):
                continue
            if has(key_of(u, v, n), current) == (kind == 1) and is_free(u, v, s):
                toggle(x, u, s)
                toggle(y, v, s)
                toggle(x, y, s)
                toggle(u, v, s)
                return True
    return False


@njit
def polish(s: Rewiring, rng: np.random.Generator) -> None:
    """Swap away edits: alternating squares of which three sides are edits lose two of them."""
    original, current, n = s.original, s.current, s.n
    for _ in range(6):
        gained = False
        for kind in range(2):
            # kind 0: a deleted edge x-y comes back; kind 1: an added edge x-y goes
            deleted, added = only_in(original, current), only_in(current, original)
            here, there = (deleted, added) if kind == 0 else (added, deleted)
            if here.size == 0 or there.size == 0:
                continue
            start, other = half_edges(there, n)
            for r in shuffled(np.int64(0), here.size, rng):
                x, y = here[r] // n, here[r] % n
                if start[x] == start[x + 1] or start[y] == start[y + 1] or has(here[r], current) != (kind == 1):
                    continue
                gained |= _swap(x, y, kind, start, other, s)
        if not gained:
            return
