"""Kernels of rewiring digraphs.

An arc u -> v has the key ``u * n + v``. ``lack`` has 2n entries: the arcs that node u still has to send at u, those that
node v still has to receive at n + v.
"""

from __future__ import annotations

import heapq

import numpy as np

from shoal._numba import njit
from shoal.rebuild._edgeset import has, insert, new_set, remove
from shoal.rebuild._kernels import only_in, price_of

TRIES = 150  # random arcs looked at before a repair goes through all of them
SMALL = 3000  # arcs up to which a repair always goes through all of them
IMPOSSIBLE = 9


@njit
def toggle_arc(u, v, n, arcs, lack):
    """Add u -> v or take it away."""
    key = u * n + v
    step = 1 if has(key, arcs) else -1
    if step == 1:
        remove(key, arcs)
    else:
        insert(key, arcs)
    lack[u] += step
    lack[n + v] += step


@njit
def remove_all(keys, n, arcs, lack):
    """Remove the arcs that were chosen to go."""
    for key in keys:
        toggle_arc(key // n, key % n, n, arcs, lack)


@njit
def drop_surplus(keys, n, arcs, lack, rng):
    """Remove arcs until nobody has too many: first where both ends do, then anywhere."""
    order = rng.permutation(keys.size)
    for wanted in (2, 1):
        for q in order:
            u, v = keys[q] // n, keys[q] % n
            if (lack[u] < 0) + (lack[n + v] < 0) >= wanted and has(keys[q], arcs):
                toggle_arc(u, v, n, arcs, lack)


@njit
def join_lacking(n, arcs, lack, start, near, rng):
    """Add arcs from those that lack some to those that lack some: the largest need first, random among equals.

    A source serves the targets ``near[start[u]:start[u + 1]]`` first, then those that have most to receive and, among
    equals, most to send. They wait in a heap; an entry that is no longer true is thrown away when it comes up. Started
    from no arcs and with nobody near, this is the construction of Kleitman and Wang (1973,
    doi:10.1016/0012-365X(73)90037-X), which realizes every realizable sequence.
    """
    tie = rng.permutation(n)
    heap = [(-lack[n + v], -lack[v], tie[v], np.int64(v)) for v in range(n) if lack[n + v] > 0]
    heapq.heapify(heap)
    sources = rng.permutation(n)
    sources = sources[lack[sources] > 0]
    touched = np.empty(n + 1, np.int64)
    for u in sources[np.argsort(-lack[sources], kind="mergesort")]:
        count = 0
        close = near[start[u] : start[u + 1]]
        for v in close[np.argsort(-lack[n + close], kind="mergesort")]:
            if lack[u] > 0 and lack[n + v] > 0 and v != u and not has(u * n + v, arcs):
                toggle_arc(u, v, n, arcs, lack)
                touched[count] = v
                count += 1
        while lack[u] > 0 and len(heap) > 0:
            receive, send, _, v = heapq.heappop(heap)
            if v == u or receive != -lack[n + v] or send != -lack[v]:
                continue
            if not has(u * n + v, arcs):
                toggle_arc(u, v, n, arcs, lack)
            touched[count] = v
            count += 1
        touched[count] = u
        for q in range(count + 1):
            v = touched[q]
            if lack[n + v] > 0:
                heapq.heappush(heap, (-lack[n + v], -lack[v], tie[v], v))


@njit
def _bridge_price(u, v, key, n, arcs, original):
    """Edits that u -> y and x -> v instead of x -> y cost."""
    x, y = key // n, key % n
    first, last = u * n + y, x * n + v
    if x == v or y == u or has(first, arcs) or has(last, arcs):
        return IMPOSSIBLE
    return price_of(first, arcs, original) + price_of(key, arcs, original) + price_of(last, arcs, original)


@njit
def _bridge(u, v, fresh, n, arcs, original, lack, rng):
    """Three-arc repair: u -> y and x -> v for the cheapest x -> y found, first among the ``fresh`` arcs that stand last."""
    items, count = arcs[2], arcs[3][0]
    best, best_price = np.int64(-1), IMPOSSIBLE
    if count > SMALL:
        for q in range(2 * TRIES):
            if best_price <= 1 or (q > TRIES and best_price < IMPOSSIBLE):
                break
            key = items[count - 1 - np.int64(rng.random() * (min(fresh, count) if q < TRIES else count))]
            price = _bridge_price(u, v, key, n, arcs, original)
            if price < best_price:
                best, best_price = key, price
    if best_price == IMPOSSIBLE and count:
        shift = np.int64(rng.random() * count)
        for q in range(count):
            key = items[(q + shift) % count]
            price = _bridge_price(u, v, key, n, arcs, original)
            if price < best_price:
                best, best_price = key, price
            if best_price <= -1 or (best_price <= 1 and count > SMALL):
                break
    if best_price == IMPOSSIBLE:
        return False
    toggle_arc(best // n, best % n, n, arcs, lack)
    toggle_arc(u, best % n, n, arcs, lack)
    toggle_arc(best // n, v, n, arcs, lack)
    return True


@njit
def repair(n, arcs, original, lack, rng):
    """Serve sources and targets that joining left over, by three-arc repairs; whoever cannot be served stays.

    Arcs added before are the cheap ones to give up again, and stand last in the list.
    """
    fresh = only_in(arcs, original).size + 64
    sources, targets = rng.permutation(n), rng.permutation(n)
    sources, targets = sources[lack[sources] > 0], targets[lack[n + targets] > 0]
    for u in sources:
        for v in targets:
            while lack[u] > 0 and lack[n + v] > 0:
                if u != v and not has(u * n + v, arcs):
                    toggle_arc(u, v, n, arcs, lack)
                elif not _bridge(u, v, fresh, n, arcs, original, lack, rng):
                    break
            if lack[u] == 0:
                break


@njit
def lists(ends, others, n):
    """The others of every end: ``other[start[i]:start[i + 1]]``."""
    start = np.zeros(n + 1, np.int64)
    for i in ends:
        start[i + 1] += 1
    for i in range(n):
        start[i + 1] += start[i]
    fill = start[:-1].copy()
    other = np.empty(ends.size, np.int64)
    for q in range(ends.size):
        other[fill[ends[q]]] = others[q]
        fill[ends[q]] += 1
    return start, other


@njit
def follow_witness(n, arcs, lack, target, rng):
    """Reach the targets for certain, along a Kleitman-Wang digraph W of the target degrees.

    Whoever lacks an arc to send has fewer than in W, so some arc of W is missing there: add it. If that leaves its
    target with too many, that one receives an arc that W does not have: remove it, and go on from its source. Every
    step makes the digraph agree with W in one more arc, so the steps come to an end, and they can only end when nobody
    sends too few; as nobody receives too many and the sums are equal, everybody is then on target.
    """
    witness = new_set(np.empty(0, np.int64), np.sum(target[:n]) + 1)
    join_lacking(n, witness, target.copy(), np.zeros(n + 1, np.int64), np.empty(0, np.int64), rng)
    keys = only_in(witness, arcs)
    plus_start, plus = lists(keys // n, keys % n, n)
    keys = only_in(arcs, witness)
    minus_start, minus = lists(keys % n, keys // n, n)
    plus_at, minus_at = plus_start[:-1].copy(), minus_start[:-1].copy()
    for i in range(n):
        while lack[i] > 0:
            u = np.int64(i)
            while lack[u] > 0:
                while has(u * n + plus[plus_at[u]], arcs):
                    plus_at[u] += 1
                v = plus[plus_at[u]]
                toggle_arc(u, v, n, arcs, lack)
                if lack[n + v] >= 0:
                    break
                while not has(minus[minus_at[v]] * n + v, arcs):
                    minus_at[v] += 1
                u = minus[minus_at[v]]
                toggle_arc(u, v, n, arcs, lack)


@njit
def polish(n, arcs, original, lack, rng):
    """Swap away edits: alternating squares x -> y, x -> w, z -> y, z -> w of which three are edits lose two of them."""
    for _ in range(6):
        gained = False
        for kind in range(2):
            # kind 0: a removed arc x -> y comes back; kind 1: an added arc x -> y goes
            here = only_in(original, arcs) if kind == 0 else only_in(arcs, original)
            there = only_in(arcs, original) if kind == 0 else only_in(original, arcs)
            if here.size == 0 or there.size == 0:
                continue
            to_start, to = lists(there // n, there % n, n)
            from_start, come = lists(there % n, there // n, n)
            for r in rng.permutation(here.size):
                x, y = here[r] // n, here[r] % n
                done = has(here[r], arcs) == (kind == 0)
                left = 4000
                for p in range(to_start[x], to_start[x + 1]):
                    if done or left < 0:
                        break
                    w = to[p]
                    if has(x * n + w, arcs) != (kind == 0):
                        continue
                    for q in range(from_start[y], from_start[y + 1]):
                        z = come[q]
                        left -= 1
                        if z == w or has(z * n + y, arcs) != (kind == 0):
                            continue
                        if has(z * n + w, arcs) == (kind == 1):
                            toggle_arc(x, w, n, arcs, lack)
                            toggle_arc(z, y, n, arcs, lack)
                            toggle_arc(x, y, n, arcs, lack)
                            toggle_arc(z, w, n, arcs, lack)
                            gained = done = True
                            break
        if not gained:
            return
