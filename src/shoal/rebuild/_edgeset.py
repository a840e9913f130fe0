"""An edge set that changes in constant time, for kernels.

A tuple (table, places, items, count): ``items[:count[0]]`` lists the keys ``u * n + v`` (u < v) of the edges, and
the hash table (linear probing, backward-shift deletion) finds a key's place in that list. Membership, insertion,
removal and drawing a random edge are O(1).
"""

from __future__ import annotations

import numpy as np

from shoal._numba import njit


@njit
def key_of(u, v, n):
    """One number for an unordered pair."""
    return u * n + v if u < v else v * n + u


@njit
def _home(key, mask):
    h = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(h >> np.uint64(24)) & mask


@njit
def _slot(key, table):
    mask = table.size - 1
    s = _home(key, mask)
    while table[s] != -1 and table[s] != key:
        s = (s + 1) & mask
    return s


@njit
def new_set(keys, room):
    """Edge set holding ``keys``, with space for ``room`` edges."""
    cap = 16
    while cap < 2 * room + 2:
        cap *= 2
    edges = (
        np.full(cap, -1, np.int64),
        np.empty(cap, np.int64),
        np.empty(room + 1, np.int64),
        np.zeros(1, np.int64),
    )
    for q in range(keys.size):
        insert(keys[q], edges)
    return edges


@njit
def has(key, edges):
    """Whether the edge is in the set."""
    return edges[0][_slot(key, edges[0])] == key


@njit
def insert(key, edges):
    """Put in an edge that is not there."""
    table, places, items, count = edges
    s = _slot(key, table)
    table[s] = key
    places[s] = count[0]
    items[count[0]] = key
    count[0] += 1


@njit
def remove(key, edges):
    """Take out an edge that is there; the last of the list takes its place."""
    table, places, items, count = edges
    mask = table.size - 1
    hole = _slot(key, table)
    count[0] -= 1
    last = items[count[0]]
    items[places[hole]] = last
    places[_slot(last, table)] = places[hole]
    s = (hole + 1) & mask
    while table[s] != -1:
        if ((s - _home(table[s], mask)) & mask) >= ((s - hole) & mask):
            table[hole], places[hole] = table[s], places[s]
            hole = s
        s = (s + 1) & mask
    table[hole] = -1


@njit
def toggle(u, v, n, edges, lack):
    """Add u-v or take it away; ``lack`` counts the edges a node still needs."""
    key = key_of(u, v, n)
    if has(key, edges):
        remove(key, edges)
        lack[u] += 1
        lack[v] += 1
    else:
        insert(key, edges)
        lack[u] -= 1
        lack[v] -= 1
