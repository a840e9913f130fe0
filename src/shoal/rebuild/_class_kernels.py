"""Kernels of class changes: people of large classes take up or give up single degrees."""

from __future__ import annotations

import numpy as np

from shoal._numba import njit
from shoal.rebuild._edgeset import has, key_of, toggle
from shoal.rebuild._kernels import _bridge_price


@njit
def neighbour_class(c, t, step, rows, order, hashes, salt):
    """The class whose row differs from that of class ``c`` by ``step`` in slice ``t`` only; -1 if there is none."""
    wanted = np.uint64(0)
    for s in range(rows.shape[1]):
        value = rows[c, s] + (step if s == t else 0)
        if value < 0:
            return -1
        wanted += np.uint64(value) * salt[s]
    p = np.searchsorted(hashes, wanted)
    while p < hashes.size and hashes[p] == wanted:
        b = order[p]
        same = True
        for s in range(rows.shape[1]):
            if rows[b, s] != rows[c, s] + (step if s == t else 0):
                same = False
                break
        if same:
            return b
        p += 1
    return -1


@njit
def sink(below, k, lack, target, member, count, rng):
    """Whoever lacks a degree and whose row without it is a class too goes there instead of getting an edge."""
    n = lack.size
    for i in rng.permutation(n):
        c = member[i]
        if lack[i] == 1 and count[c] > k and below[c] >= 0:
            member[i] = below[c]
            count[c] -= 1
            count[below[c]] += 1
            lack[i] -= 1
            target[i] -= 1


@njit
def pair_up(n, edges, original, lack, rng):
    """Serve two that joining left over from one added edge x-y: it becomes u-x and y-v. Added edges stand last."""
    stuck = np.flatnonzero(lack > 0)
    items, total = edges[2], edges[3]
    for p in range(stuck.size):
        u = stuck[p]
        for q in range(p, stuck.size):
            v = stuck[q]
            misses = 0
            while misses < 300 and lack[u] > (1 if u == v else 0) and lack[v] > 0 and total[0] > 0:
                key = items[total[0] - 1 - np.int64(rng.random() * min(total[0], 400))]
                turned = rng.random() < 0.5
                misses += 1
                if has(key, original) or _bridge_price(u, v, key, turned, n, edges, original) > 1:
                    continue
                misses = 0
                x, y = key // n, key % n
                if turned:
                    x, y = y, x
                toggle(x, y, n, edges, lack)
                toggle(u, x, n, edges, lack)
                toggle(y, v, n, edges, lack)
            if lack[u] == 0:
                break


@njit
def absorb(above, k, n, edges, lack, target, member, count, rng):
    """Give what is missing to anybody whose row, one higher, is a class too: one edge for one missing degree, where a
    repair costs three for two."""
    order = rng.permutation(n)
    p = 0
    for u in np.flatnonzero(lack > 0):
        for _ in range(n):
            if lack[u] == 0:
                break
            f = order[p]
            p = p + 1 if p + 1 < n else 0
            c = member[f]
            if f != u and lack[f] == 0 and count[c] > k and above[c] >= 0 and not has(key_of(u, f, n), edges):
                member[f] = above[c]
                count[c] -= 1
                count[above[c]] += 1
                target[f] += 1
                lack[f] += 1
                toggle(u, f, n, edges, lack)
