"""Kernels of rewiring: what is still lacking after joining, and edits that can be swapped away in the end."""

from __future__ import annotations

import numpy as np

from shoal._numba import njit
from shoal.rebuild._edgeset import EdgeSet, has, key_of, only_in
from shoal.rebuild._rewire_kernels import Rewiring, can_join, half_edges, is_free, shuffled, toggle

TRIES = 150  # random edges looked at before a repair goes through all of them
SMALL = 3000  # edges up to which a repair always goes through all of them
IMPOSSIBLE = 9


@njit
def _price_of(key, s):
    """Edits gained (-1) or lost (+1) by toggling a pair."""
    return 1 if has(key, s.current) == has(key, s.original) else -1


@njit
def bridge_price(u, v, key, turned, s):
    """Edits that u-x and y-v in the place of x-y cost. In a directed slice x is the receiver, so it has to be ``turned``."""
    x, y = key // s.n, key % s.n
    if turned:
        x, y = y, x
    if not (can_join(u, x, s) and can_join(y, v, s)):
        return IMPOSSIBLE
    return _price_of(key_of(u, x, s.n), s) + _price_of(key, s) + _price_of(key_of(y, v, s.n), s)


@njit
def build_bridge(u, v, key, turned, s):
    """Put u-x and y-v in the place of x-y."""
    x, y = key // s.n, key % s.n
    if turned:
        x, y = y, x
    toggle(x, y, s)
    toggle(u, x, s)
    toggle(y, v, s)


@njit
def _bridge(u, v, fresh, s, rng):
    """Three-edge repair: u-x and y-v for the cheapest x-y found, first among the ``fresh`` edges that stand last."""
    items, count = s.current.items, s.current.counts[0]
    best, best_price, best_turn = np.int64(-1), IMPOSSIBLE, np.bool_(False)
    if count > SMALL:
        for q in range(2 * TRIES):
            if best_price <= 1 or (q > TRIES and best_price < IMPOSSIBLE):
                break
            key = items[count - 1 - np.int64(rng.random() * (min(fresh, count) if q < TRIES else count))]
            turned = s.half > 0 or rng.random() < 0.5
            price = bridge_price(u, v, key, turned, s)
            if price < best_price:
                best, best_price, best_turn = key, price, turned
    if best_price == IMPOSSIBLE and count:
        shift = np.int64(rng.random() * count)
        for q in range(count):
            key = items[(q + shift) % count]
            for turned in (False, True):
                price = bridge_price(u, v, key, turned, s)
                if price < best_price:
                    best, best_price, best_turn = key, price, turned
            if best_price <= -1 or (best_price <= 1 and count > SMALL):
                break
    if best_price == IMPOSSIBLE:
        return False
    build_bridge(u, v, best, best_turn, s)
    return True


@njit
def lacking(low, high, s, rng):
    """Nodes from ``low`` to ``high`` that lack edges, in random order."""
    order = shuffled(low, high, rng)
    count = 0
    for i in order:
        if s.lack[i] > 0:
            order[count] = i
            count += 1
    return order[:count]


@njit
def repair(s: Rewiring, rng: np.random.Generator) -> None:
    """Serve pairs of nodes that joining left over, by three-edge repairs; whoever cannot be served stays.

    Edges added before are the cheap ones to give up again, and stand last in the list.
    """
    fresh = only_in(s.current, s.original).size + 64
    ones = lacking(np.int64(0), s.half if s.half else s.n, s, rng)
    others = lacking(s.half, s.n, s, rng) if s.half else ones
    for p in range(ones.size):
        u = ones[p]
        for q in range(0 if s.half else p + 1, others.size):
            v = others[q]
            while s.lack[u] > 0 and s.lack[v] > 0:
                if can_join(u, v, s):
                    toggle(u, v, s)
                elif not _bridge(u, v, fresh, s, rng):
                    break
            if s.lack[u] == 0:
                break
        while s.half == 0 and s.lack[u] > 1 and _bridge(u, u, fresh, s, rng):
            pass


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
