"""Kernels of rewiring: a slice while it changes, and the steps where nothing is in the way (drop, join).

Nodes are those of `SliceView`: people, or senders below ``half`` and receivers from there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal._numba import njit
from shoal.group._sort_kernels import sort_by
from shoal.realize._program_kernels import buckets
from shoal.rebuild._edgeset import EdgeSet, has, insert, key_of, remove


class Rewiring(NamedTuple):
    """A slice on its way to other degrees. ``lack`` counts the edges every node still needs, negative where it has too many."""

    n: int
    half: int
    limited: bool
    may_add: bool
    may_remove: bool
    original: EdgeSet
    current: EdgeSet
    untouchable: EdgeSet  # edges that must stay, absent pairs that are forbidden
    exempt: np.ndarray
    lack: np.ndarray


@njit
def is_free(u, v, s):
    """Whether the pair may differ from the original."""
    if u == v or (s.half and ((u < s.half) == (v < s.half) or abs(u - v) == s.half)):
        return False
    if not s.limited:
        return True
    key = key_of(u, v, s.n)
    if s.exempt[u] or s.exempt[v] or has(key, s.untouchable):
        return False
    return s.may_remove if has(key, s.original) else s.may_add


@njit
def can_join(u, v, s):
    """Whether u-v can be added."""
    return not has(key_of(u, v, s.n), s.current) and is_free(u, v, s)


@njit
def toggle(u, v, s):
    """Add u-v or take it away."""
    key = key_of(u, v, s.n)
    there = has(key, s.current)
    if there:
        remove(key, s.current)
    else:
        insert(key, s.current)
    step = 1 if there else -1
    s.lack[u] += step
    s.lack[v] += step


@njit
def toggle_all(keys: np.ndarray, s: Rewiring) -> None:
    """Toggle all these pairs."""
    for q in range(keys.size):
        toggle(keys[q] // s.n, keys[q] % s.n, s)


@njit
def shuffled(low, high, rng):
    """The numbers from ``low`` to ``high`` in random order."""
    order = np.empty(high - low, np.int64)
    for p in range(order.size):
        q = np.int64(rng.random() * (p + 1))
        order[p] = order[q]
        order[q] = low + p
    return order


@njit
def _push(code, heap):
    heap[0] += 1
    i = heap[0]
    while i > 1 and heap[i // 2] > code:
        heap[i] = heap[i // 2]
        i //= 2
    heap[i] = code


@njit
def _pop(heap):
    top, last = heap[1], heap[heap[0]]
    heap[0] -= 1
    i = 1
    while 2 * i <= heap[0]:
        child = 2 * i
        if child < heap[0] and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= last:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = last
    return top


@njit
def half_edges(keys: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The others of every end: ``other[start[i]:start[i + 1]]``."""
    ends = np.empty(2 * keys.size, np.int64)
    for q in range(keys.size):
        ends[2 * q], ends[2 * q + 1] = keys[q] // n, keys[q] % n
    start, other = buckets(ends, n)
    for q in range(other.size):
        other[q] = ends[other[q] ^ 1]
    return start, other


@njit
def drop_surplus(keys: np.ndarray, ends: int, s: Rewiring, rng: np.random.Generator) -> None:
    """Remove free edges between two that have too many; where one such end is enough (``ends`` is 1), then there too."""
    order = shuffled(np.int64(0), keys.size, rng)
    for wanted in range(2, ends - 1, -1):
        for q in order:
            u, v = keys[q] // s.n, keys[q] % s.n
            if (s.lack[u] < 0) + (s.lack[v] < 0) >= wanted and has(keys[q], s.current) and is_free(u, v, s):
                toggle(u, v, s)


@njit
def join_lacking(near_first: bool, s: Rewiring, rng: np.random.Generator) -> None:
    """Add edges between nodes that lack some: the largest need first, to the largest needs, random among equals.

    Who may receive waits in a heap, as a number that holds the need and, among equals, a rank: receivers that still have
    most to send come first, those that have been served as senders last. An entry that is no longer true is thrown away
    when it comes up. With ``near_first`` everybody serves original neighbours before others. Without, and started from no
    edges, this is the construction of Havel and Hakimi, or of Kleitman and Wang (1973, doi:10.1016/0012-365X(73)90037-X),
    which realizes every realizable sequence.
    """
    n, half, lack = s.n, s.half, s.lack
    order = shuffled(np.int64(0), half if half else n, rng)
    size, top, total = order.size, np.int64(0), np.int64(0)
    rank, key = np.empty(n, np.int64), np.empty(n, np.int64)
    for u in order:
        key[u] = -max(np.int64(0), lack[u])
    sort_by(key, order, np.empty(size, np.int64), 0, size)
    for q in range(size):
        v = order[q] + half
        rank[v] = q
        top = max(top, lack[v])
        total += max(np.int64(0), lack[order[q]])
    heap, touched = np.zeros(2 * size + total + 2, np.int64), np.empty(n + 1, np.int64)
    for q in range(size):
        if lack[order[q] + half] > 0:
            _push((top - lack[order[q] + half]) * 2 * size + q, heap)
    start, near = half_edges(s.original.items[: s.original.counts[0] if near_first else 0], n)
    close = np.zeros(n + 1, np.int64)
    for u in order:
        count = 0
        for q in range(start[u], start[u + 1]):
            v = near[q]
            if lack[u] > 0 and lack[v] > 0:
                _push((top - lack[v]) * 2 * size + rank[v], close)
        while close[0]:
            v = order[_pop(close) % (2 * size) % size] + half
            if lack[u] > 0 and can_join(u, v, s):
                toggle(u, v, s)
                touched[count] = v
                count += 1
        while lack[u] > 0 and heap[0]:
            code = _pop(heap)
            v = order[code % (2 * size) % size] + half
            if v == u + half or code != (top - lack[v]) * 2 * size + rank[v]:
                continue
            if can_join(u, v, s):
                toggle(u, v, s)
            touched[count] = v
            count += 1
        rank[u + half] += size
        if half:
            touched[count] = u + half
            count += 1
        for q in range(count):
            v = touched[q]
            if lack[v] > 0 and (half or rank[v] < size):
                _push((top - lack[v]) * 2 * size + rank[v], heap)
