"""An edge set that changes in constant time, for kernels: membership, insertion, removal and drawing a random edge are O(1)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal._numba import lean, njit


class EdgeSet(NamedTuple):
    """``items[:counts[0]]`` lists the keys ``u * n + v`` (u < v) of the edges.

    The hash table (linear probing, backward-shift deletion) finds a key's place in that list.
    """

    table: np.ndarray
    places: np.ndarray
    items: np.ndarray
    counts: np.ndarray


@lean
def key_of(u, v, n):
    """One number for an unordered pair."""
    return u * n + v if u < v else v * n + u


@lean
def _home(key, mask):
    h = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(h >> np.uint64(24)) & mask


@lean
def _slot(key, table):
    mask = table.size - 1
    s = _home(key, mask)
    while table[s] != -1 and table[s] != key:
        s = (s + 1) & mask
    return s


@njit
def new_set(keys: np.ndarray, room: int) -> EdgeSet:
    """Edge set holding ``keys``, with space for ``room`` edges."""
    cap = 16
    while cap < 2 * room + 2:
        cap *= 2
    table = np.empty(cap, np.int64)
    for q in range(cap):
        table[q] = -1
    edges = EdgeSet(table, np.empty(cap, np.int64), np.empty(room + 1, np.int64), np.zeros(1, np.int64))
    for q in range(keys.size):
        insert(keys[q], edges)
    return edges


@lean
def has(key, edges):
    """Whether the edge is in the set."""
    return edges.table[_slot(key, edges.table)] == key


@lean
def place_of(key, edges):
    """The place of an edge in the list, or -1."""
    s = _slot(key, edges.table)
    return edges.places[s] if edges.table[s] == key else np.int64(-1)


@lean
def insert(key, edges):
    """Put in an edge that is not there."""
    s = _slot(key, edges.table)
    edges.table[s] = key
    edges.places[s] = edges.counts[0]
    edges.items[edges.counts[0]] = key
    edges.counts[0] += 1


@lean
def remove(key, edges):
    """Take out an edge that is there; the last of the list takes its place."""
    table, places = edges.table, edges.places
    mask = table.size - 1
    hole = _slot(key, table)
    edges.counts[0] -= 1
    last = edges.items[edges.counts[0]]
    edges.items[places[hole]] = last
    places[_slot(last, table)] = places[hole]
    s = (hole + 1) & mask
    while table[s] != -1:
        if ((s - _home(table[s], mask)) & mask) >= ((s - hole) & mask):
            table[hole], places[hole] = table[s], places[s]
            hole = s
        s = (s + 1) & mask
    table[hole] = -1


@njit
def only_in(a, b):
    """Keys of edge set ``a`` that are not in ``b``."""
    out = np.empty(a.counts[0], np.int64)
    c = 0
    for q in range(a.counts[0]):
        if not has(a.items[q], b):
            out[c] = a.items[q]
            c += 1
    return out[:c]
