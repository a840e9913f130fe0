"""Kernels of rewiring: the steps that bring a slice to its target degrees."""

from __future__ import annotations

import numpy as np

from shoal._numba import njit
from shoal.rebuild._edgeset import has, key_of, new_set, toggle

TRIES = 150  # random edges looked at before a repair goes through all of them
SMALL = 3000  # edges up to which a repair always goes through all of them


@njit
def drop_surplus(keys, n, edges, lack, rng):
    """Remove edges until nobody has too many: first between two such nodes, then anywhere."""
    order = rng.permutation(keys.size)
    for wanted in (2, 1):
        for q in order:
            u, v = keys[q] // n, keys[q] % n
            if (lack[u] < 0) + (lack[v] < 0) >= wanted and has(keys[q], edges):
                toggle(u, v, n, edges, lack)


@njit
def join_lacking(n, edges, lack, rng):
    """Add edges between nodes that lack some: the largest need first, to the largest needs, random among equals.

    Nodes stand sorted by need, ``end[d]`` being where the block of need d ends. A node served swaps to the end of its
    block and so falls into the next one: linear in the edges added and the neighbours skipped. Started from no edges at
    all this is the construction of Havel and Hakimi, which realizes every realizable sequence.
    """
    top = 0
    for i in range(n):
        top = max(top, lack[i])
    end = np.zeros(top + 2, np.int64)
    for i in range(n):
        if lack[i] > 0:
            end[lack[i]] += 1
    for d in range(top - 1, 0, -1):
        end[d] += end[d + 1]
    fill = np.zeros(top + 2, np.int64)
    fill[: top + 1] = end[1:]
    order = np.empty(end[1] if top else 0, np.int64)
    for i in rng.permutation(n):
        if lack[i] > 0:
            order[fill[lack[i]]] = i
            fill[lack[i]] += 1
    head = 0
    while top and head < end[1]:
        u = order[head]
        head += 1
        p = head
        while p < end[1] and lack[u] > 0:
            v = order[p]
            if has(key_of(u, v, n), edges):
                p += 1
                continue
            d = lack[v]
            toggle(u, v, n, edges, lack)
            end[d] -= 1
            order[p], order[end[d]] = order[end[d]], v
            if p == end[d]:
                p += 1


@njit
def price_of(key, edges, original):
    """Edits gained (-1) or lost (+1) by toggling a pair."""
    return 1 if has(key, edges) == has(key, original) else -1


@njit
def _bridge_price(u, v, key, turned, n, edges, original):
    """Edits that u+x, x-y, y+v costs; 9 where it cannot be."""
    x, y = key // n, key % n
    if turned:
        x, y = y, x
    if x == u or y == v:
        return 9
    first, last = key_of(u, x, n), key_of(y, v, n)
    if has(first, edges) or has(last, edges):
        return 9
    return price_of(first, edges, original) + price_of(key, edges, original) + price_of(last, edges, original)


@njit
def _bridge(u, v, n, edges, original, lack, rng):
    """Three-edge repair: u+x, x-y, y+v for the cheapest x-y found. Added edges are the cheap ones, and stand last."""
    items, count = edges[2], edges[3][0]
    best, best_price, best_turn = -1, 9, False
    if count > SMALL:
        fresh = max(1, min(count, np.sum(lack[lack > 0]) + 64))
        for q in range(2 * TRIES):
            if best_price <= 1 or (q > TRIES and best_price < 9):
                break
            key = items[count - 1 - np.int64(rng.random() * (fresh if q < TRIES else count))]
            turned = rng.random() < 0.5
            price = _bridge_price(u, v, key, turned, n, edges, original)
            if price < best_price:
                best, best_price, best_turn = key, price, turned
    if best_price == 9 and count:
        shift = np.int64(rng.random() * count)
        for q in range(count):
            key = items[(q + shift) % count]
            for turned in (False, True):
                price = _bridge_price(u, v, key, turned, n, edges, original)
                if price < best_price:
                    best, best_price, best_turn = key, price, turned
            if best_price <= -1 or (best_price <= 1 and count > SMALL):
                break
    if best_price == 9:
        return False
    x, y = best // n, best % n
    if best_turn:
        x, y = y, x
    toggle(x, y, n, edges, lack)
    toggle(u, x, n, edges, lack)
    toggle(y, v, n, edges, lack)
    return True


@njit
def repair(n, edges, original, lack, rng):
    """Serve pairs of nodes that joining left over, by three-edge repairs; whoever cannot be served stays."""
    stuck = np.flatnonzero(lack > 0)
    for p in range(stuck.size - 1, 0, -1):
        q = np.int64(rng.random() * (p + 1))
        stuck[p], stuck[q] = stuck[q], stuck[p]
    for p in range(stuck.size):
        u = stuck[p]
        for q in range(p + 1, stuck.size):
            v = stuck[q]
            while lack[u] > 0 and lack[v] > 0:
                if not has(key_of(u, v, n), edges):
                    toggle(u, v, n, edges, lack)
                elif not _bridge(u, v, n, edges, original, lack, rng):
                    break
            if lack[u] == 0:
                break
        while lack[u] > 1 and _bridge(u, u, n, edges, original, lack, rng):
            pass


@njit
def _half_edges(keys, n):
    start = np.zeros(n + 1, np.int64)
    for key in keys:
        start[key // n + 1] += 1
        start[key % n + 1] += 1
    for i in range(n):
        start[i + 1] += start[i]
    fill = start[:-1].copy()
    other = np.empty(2 * keys.size, np.int64)
    for key in keys:
        u, v = key // n, key % n
        other[fill[u]] = v
        fill[u] += 1
        other[fill[v]] = u
        fill[v] += 1
    return start, other


@njit
def only_in(a, b):
    """Keys of edge set ``a`` that are not in ``b``."""
    out = np.empty(a[3][0], np.int64)
    c = 0
    for q in range(a[3][0]):
        if not has(a[2][q], b):
            out[c] = a[2][q]
            c += 1
    return out[:c]


@njit
def follow_witness(n, edges, lack, target, rng):
    """Reach the targets for certain, along a Havel-Hakimi graph W of the target degrees.

    Whoever lacks an edge has fewer edges than in W, so some edge of W is missing there: add it. If that leaves its
    other end with too many, that end has an edge that W does not have: remove it, and go on from there. Every step
    makes the graph agree with W in one more pair, so the steps come to an end, and they can only end when nobody is
    off target.
    """
    room = 0
    for i in range(n):
        room += target[i]
    witness = new_set(np.empty(0, np.int64), room // 2 + 1)
    need = target.copy()
    join_lacking(n, witness, need, rng)
    plus_start, plus = _half_edges(only_in(witness, edges), n)
    minus_start, minus = _half_edges(only_in(edges, witness), n)
    plus_at, minus_at = plus_start[:-1].copy(), minus_start[:-1].copy()
    for i in range(n):
        while lack[i] > 0:
            u = i
            while lack[u] > 0:
                while has(key_of(u, plus[plus_at[u]], n), edges):
                    plus_at[u] += 1
                x = plus[plus_at[u]]
                toggle(u, x, n, edges, lack)
                if lack[x] >= 0:
                    break
                while not has(key_of(x, minus[minus_at[x]], n), edges):
                    minus_at[x] += 1
                u, old = minus[minus_at[x]], x
                toggle(old, u, n, edges, lack)


@njit
def polish(n, edges, original, lack, rng):
    """Swap away edits: alternating squares of which three sides are edits lose two of them."""
    for _ in range(6):
        gained = False
        for kind in range(2):
            # kind 0: a deleted edge x-y comes back; kind 1: an added edge x-y goes
            here = only_in(original, edges) if kind == 0 else only_in(edges, original)
            there = only_in(edges, original) if kind == 0 else only_in(original, edges)
            if here.size == 0 or there.size == 0:
                continue
            start, other = _half_edges(there, n)
            for r in rng.permutation(here.size):
                x, y = here[r] // n, here[r] % n
                done = has(here[r], edges) == (kind == 0)
                left = 4000
                for p in range(start[x], start[x + 1]):
                    if done or left < 0:
                        break
                    u = other[p]
                    if has(key_of(x, u, n), edges) != (kind == 0):
                        continue
                    for q in range(start[y], start[y + 1]):
                        v = other[q]
                        left -= 1
                        if u == v or has(key_of(y, v, n), edges) != (kind == 0):
                            continue
                        if has(key_of(u, v, n), edges) == (kind == 1):
                            toggle(x, u, n, edges, lack)
                            toggle(y, v, n, edges, lack)
                            toggle(x, y, n, edges, lack)
                            toggle(u, v, n, edges, lack)
                            gained = done = True
                            break
        if not gained:
            return


@njit
def remove_all(keys, n, edges, lack):
    """Remove the edges that were chosen to go."""
    for key in keys:
        toggle(key // n, key % n, n, edges, lack)
