"""Kernels of rewiring: alternating walks, for whoever has too few edges or too many, and the way that always ends."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal._numba import njit
from shoal.rebuild._edgeset import EdgeSet, has, key_of, only_in
from shoal.rebuild._rewire_kernels import Rewiring, can_join, half_edges, is_free, shuffled, toggle

NEAR = 600  # states that a search may look at, if it is not thorough


class Walks(NamedTuple):
    """What searches need. A state is a node and what it needs: 2i + 1 an edge, 2i one less."""

    start: np.ndarray  # original neighbours of i: near[start[i]:start[i + 1]]
    near: np.ndarray
    head: np.ndarray  # added neighbours of i: a linked list of (other, after) from head[i]
    other: np.ndarray
    after: np.ndarray
    needy: np.ndarray  # the nodes in need when the walks began, in random order
    pool: np.ndarray  # all nodes; a walk moves those it has added an edge to behind the rest
    seen: np.ndarray  # of every state: the last walk that came by
    queue: np.ndarray  # states, and from where in the queue each was reached
    parent: np.ndarray
    counts: np.ndarray  # walks so far, the first unused link


@njit
def in_need(s: Rewiring, rng: np.random.Generator) -> np.ndarray:
    """The nodes with too few edges or too many, in random order."""
    order, count = shuffled(np.int64(0), s.n, rng), 0
    for i in order:
        if s.lack[i] != 0:
            order[count] = i
            count += 1
    return order[:count]


@njit
def new_walks(s: Rewiring, rng: np.random.Generator) -> Walks:
    """Room for walks through a slice as it is now."""
    start, near = half_edges(s.original.items[: s.original.counts[0]], s.n)
    head, pool, links = np.empty(s.n, np.int64), np.empty(s.n, np.int64), 2 * s.current.items.size + 2
    for i in range(s.n):
        head[i], pool[i] = -1, i
    other, after = np.empty(links, np.int64), np.empty(links, np.int64)
    for q in range(links):
        after[q] = q + 1
    queue, parent, seen = np.empty(2 * s.n + 1, np.int64), np.empty(2 * s.n + 1, np.int64), np.zeros(2 * s.n, np.int64)
    w = Walks(start, near, head, other, after, in_need(s, rng), pool, seen, queue, parent, np.zeros(2, np.int64))
    for key in only_in(s.current, s.original):
        _link(key // s.n, key % s.n, w)
        _link(key % s.n, key // s.n, w)
    return w


@njit
def _link(u, v, w):
    here = w.counts[1]
    w.counts[1] = w.after[here]
    w.other[here], w.after[here] = v, w.head[u]
    w.head[u] = here


@njit
def _unlink(u, v, w):
    here, before = w.head[u], -1
    while w.other[here] != v:
        here, before = w.after[here], here
    if before < 0:
        w.head[u] = w.after[here]
    else:
        w.after[before] = w.after[here]
    w.after[here] = w.counts[1]
    w.counts[1] = here


@njit
def _step(u, v, s, w):
    """Toggle u-v, and link it where it is an added edge."""
    toggle(u, v, s)
    key = key_of(u, v, s.n)
    if has(key, s.original):
        return
    if has(key, s.current):
        _link(u, v, w)
        _link(v, u, w)
    else:
        _unlink(u, v, w)
        _unlink(v, u, w)


@njit
def _repeats(a, b, at, w):
    """Whether the walk to place ``at`` of the queue has used the pair a-b."""
    while w.parent[at] >= 0:
        x, y = w.queue[at] // 2, w.queue[w.parent[at]] // 2
        if (x == a and y == b) or (x == b and y == a):
            return True
        at = w.parent[at]
    return False


@njit
def _visit(b, at, tail, s, w):
    """Come to b from place ``at`` of the queue; returns the new tail, negative if the walk is complete with b.

    A walk can end at b if b needs just what its last step does.
    """
    a, adding = w.queue[at] // 2, w.queue[at] & 1
    state = 2 * b + 1 - adding
    done = (s.lack[b] if adding else -s.lack[b]) > (1 if b == w.queue[0] // 2 else 0)
    if (w.seen[state] == w.counts[0] and not done) or (s.half == 0 and _repeats(a, b, at, w)):
        return tail
    w.seen[state] = w.counts[0]
    w.queue[tail], w.parent[tail] = state, at
    return -tail if done else tail + 1


@njit
def _add_from(at, tail, left, thrifty, reach, s, w, rng):
    """Where a walk can go from a node that needs an edge; the new tail, and how many of the pool are left.

    First to original neighbours that were lost, then to others in need, then to anybody.
    """
    a = w.queue[at] // 2
    low, size = w.start[a], w.start[a + 1] - w.start[a]
    turn = np.int64(rng.random() * size)
    for q in range(size):
        b = w.near[low + (q + turn) % size]
        if not has(key_of(a, b, s.n), s.current):
            tail = _visit(b, at, tail, s, w)
            if tail < 0:
                return tail, left
    if not s.may_add:
        return tail, left
    for b in w.needy:
        if s.lack[b] > 0 and can_join(a, b, s):
            tail = _visit(b, at, tail, s, w)
            if tail < 0:
                return tail, left
    q, looks = 0, 8 * reach
    while q < left and 0 <= tail < reach and looks > 0:
        looks -= 1
        p = q + np.int64(rng.random() * (left - q))
        b = w.pool[p]
        w.pool[p] = w.pool[q]
        w.pool[q] = b
        if thrifty and w.head[b] < 0 and s.lack[b] <= 0:
            q += 1
        elif w.seen[2 * b] == w.counts[0]:
            left -= 1
            w.pool[q], w.pool[left] = w.pool[left], b
        else:
            if can_join(a, b, s):
                tail = _visit(b, at, tail, s, w)
            q += 1
    return tail, left


@njit
def _remove_from(at, tail, thrifty, reach, s, w, rng):
    """Where a walk can go from a node that has an edge too many: added ones go first; the new tail."""
    a = w.queue[at] // 2
    link = w.head[a]
    while link >= 0 and 0 <= tail < reach:
        b = w.other[link]
        link = w.after[link]
        tail = _visit(b, at, tail, s, w)
    if s.may_remove and not thrifty:
        low, size = w.start[a], w.start[a + 1] - w.start[a]
        turn = np.int64(rng.random() * size)
        for q in range(size):
            b = w.near[low + (q + turn) % size]
            if tail >= 0 and has(key_of(a, b, s.n), s.current) and is_free(a, b, s):
                tail = _visit(b, at, tail, s, w)
    return tail


@njit
def _walk(i, thrifty, reach, s, w, rng):
    """Serve node i along an alternating walk of free pairs; returns whether one was found, and the states looked at.

    Who needs an edge gets one to b, and if b had enough, b gives up another one, whose other end then needs an edge;
    and so on until somebody is met who needed just that. Breadth first, so walks are short; restored and undone edits
    come before new ones, random among equals. A ``thrifty`` walk takes no original edge away. On the double cover a
    search without ``reach`` finds a walk whenever there is one; in an undirected slice odd cycles can hide it.
    """
    w.counts[0] += 1
    w.queue[0], w.parent[0] = 2 * i + (1 if s.lack[i] > 0 else 0), -1
    w.seen[w.queue[0]] = w.counts[0]
    at, tail, left = np.int64(0), np.int64(1), s.n
    while 0 <= at < tail < reach:
        if w.queue[at] & 1:
            tail, left = _add_from(at, tail, left, thrifty, reach, s, w, rng)
        else:
            tail = _remove_from(at, tail, thrifty, reach, s, w, rng)
        at += 1
    if tail >= 0:
        return False, tail
    at = -tail
    while w.parent[at] >= 0:
        a, b = w.queue[at] // 2, w.queue[w.parent[at]] // 2
        at = w.parent[at]
        _step(a, b, s, w)
    return True, -tail


@njit
def serve(i, efforts, s, w, rng):
    """Bring node i to its degree by walks: thrifty ones, then near ones, with three ``efforts`` any.

    Returns whether that was done, and how many states of the queue the last search has looked at.
    """
    tail = np.int64(0)
    while s.lack[i] != 0:
        found = False
        for effort in range(efforts):
            reach = 2 * s.n if effort == 2 else min(NEAR, 2 * s.n)
            found, tail = _walk(i, effort == 0, reach, s, w, rng)
            if found:
                break
        if not found:
            return False, tail
    return True, tail


@njit
def serve_each(efforts: int, s: Rewiring, rng: np.random.Generator) -> None:
    """Bring everybody to their degree, as far as walks are found."""
    w = new_walks(s, rng)
    for i in w.needy:
        serve(i, efforts, s, w, rng)


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
