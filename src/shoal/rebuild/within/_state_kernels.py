"""Kernels of rebuilding under limits: the slice while it changes, and alternating walks through its free pairs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal._numba import njit
from shoal.rebuild._edgeset import has, insert, key_of, new_set, remove

NEAR = 600  # states that a search may look at, if it is not thorough


class State(NamedTuple):
    """A slice while it changes. ``lack`` counts the edges every node still needs, negative where it has too many."""

    rule: np.ndarray  # number of nodes, out-copies (0: undirected), may add, may remove
    original: tuple
    current: tuple
    fixed: tuple  # edges that must stay, absent pairs that must stay absent
    still: np.ndarray
    start: np.ndarray  # original neighbours of i: near[start[i]:start[i + 1]]
    near: np.ndarray
    head: np.ndarray  # added neighbours of i: a linked list of (other, after) from head[i]
    other: np.ndarray
    after: np.ndarray
    spare: np.ndarray  # first unused link
    lack: np.ndarray
    # walks
    seen: np.ndarray  # per node and kind of need: the last walk that came by
    stamp: np.ndarray
    pool: np.ndarray  # all nodes; a walk moves those it has added an edge to behind the rest
    queue: np.ndarray
    parent: np.ndarray
    hot: np.ndarray  # the nodes in need, as far as known: hot[:n_hot[0]]
    n_hot: np.ndarray
    journal: np.ndarray  # keys of the pairs toggled since the last level change, for undoing it
    used: np.ndarray


@njit
def new_state(rule, keys, fixed_keys, still, labels, level, room):
    """The original slice, on its way to the degrees ``level[labels]``, with space for ``room`` edges."""
    n = rule[0]
    start = np.zeros(n + 1, np.int64)
    for key in keys:
        start[key // n + 1] += 1
        start[key % n + 1] += 1
    lack = level[labels] - start[1:]
    for i in range(n):
        start[i + 1] += start[i]
    near, fill = np.empty(2 * keys.size, np.int64), start[:-1].copy()
    for key in keys:
        u, v = key // n, key % n
        near[fill[u]], near[fill[v]] = v, u
        fill[u] += 1
        fill[v] += 1
    links = 2 * room + 2
    return State(
        rule,
        new_set(keys, keys.size),
        new_set(keys, room),
        new_set(fixed_keys, fixed_keys.size),
        still,
        start,
        near,
        np.full(n, -1, np.int64),
        np.empty(links, np.int64),
        np.arange(1, links + 1),
        np.zeros(1, np.int64),
        lack,
        np.zeros(2 * n, np.int64),
        np.zeros(1, np.int64),
        np.arange(n),
        np.empty(2 * n + 1, np.int64),
        np.empty(2 * n + 1, np.int64),
        np.empty(n, np.int64),
        np.zeros(1, np.int64),
        np.empty(64 * n + 1024, np.int64),
        np.zeros(1, np.int64),
    )


@njit
def is_free(u, v, s):
    """Whether the pair may differ from the original."""
    if u == v or s.still[u] or s.still[v]:
        return False
    half = s.rule[1]
    if half and ((u < half) == (v < half) or abs(u - v) == half):
        return False
    key = key_of(u, v, s.rule[0])
    if has(key, s.fixed):
        return False
    return s.rule[3] == 1 if has(key, s.original) else s.rule[2] == 1


@njit
def _link(u, v, s):
    here = s.spare[0]
    s.spare[0] = s.after[here]
    s.other[here], s.after[here] = v, s.head[u]
    s.head[u] = here


@njit
def _unlink(u, v, s):
    here, before = s.head[u], -1
    while s.other[here] != v:
        here, before = s.after[here], here
    if before < 0:
        s.head[u] = s.after[here]
    else:
        s.after[before] = s.after[here]
    s.after[here] = s.spare[0]
    s.spare[0] = here


@njit
def toggle(u, v, s):
    """Add u–v or take it away."""
    key = key_of(u, v, s.rule[0])
    step = -1
    new = not has(key, s.original)
    if has(key, s.current):
        remove(key, s.current)
        step = 1
        if new:
            _unlink(u, v, s)
            _unlink(v, u, s)
    else:
        insert(key, s.current)
        if new:
            _link(u, v, s)
            _link(v, u, s)
    s.lack[u] += step
    s.lack[v] += step
    if s.used[0] < s.journal.size:
        s.journal[s.used[0]] = key
    s.used[0] += 1


@njit
def _repeats(a, b, at, s):
    """Whether the walk to place ``at`` of the queue has used the pair a–b."""
    while s.parent[at] >= 0:
        x, y = s.queue[at] // 2, s.queue[s.parent[at]] // 2
        if (x == a and y == b) or (x == b and y == a):
            return True
        at = s.parent[at]
    return False


@njit
def _ends_at(b, adding, root, s):
    """Whether a walk can end at b, because b needs just what its last step does."""
    need = s.lack[b] if adding else -s.lack[b]
    return need > (1 if b == root else 0)


@njit
def _visit(b, at, tail, s):
    """Come to b from place ``at`` of the queue; returns the new tail, negative if the walk is complete with b."""
    a, adding = s.queue[at] // 2, s.queue[at] & 1
    root = s.queue[0] // 2
    state = 2 * b + 1 - adding
    done = _ends_at(b, adding == 1, root, s)
    if (s.seen[state] == s.stamp[0] and not done) or (s.rule[1] == 0 and _repeats(a, b, at, s)):
        return tail
    s.seen[state] = s.stamp[0]
    s.queue[tail], s.parent[tail] = state, at
    return -tail if done else tail + 1


@njit
def _toggle_walk(at, s):
    while s.parent[at] >= 0:
        a, b = s.queue[at] // 2, s.queue[s.parent[at]] // 2
        at = s.parent[at]
        toggle(a, b, s)


@njit
def walk(i, thrifty, reach, s, rng):
    """Serve node i along an alternating walk of free pairs; returns whether one was found, and the states looked at.

    Who needs an edge gets one to b, and if b had enough, b gives up another one, whose other end then needs an edge;
    and so on until somebody is met who needed just that. Breadth first, so walks are short; restored and undone edits
    come before new ones, random among equals. A ``thrifty`` walk takes no original edge away. On the double cover a
    search without ``reach`` finds a walk whenever there is one; in an undirected slice odd cycles can hide it.
    """
    n = s.rule[0]
    s.stamp[0] += 1
    s.queue[0], s.parent[0] = 2 * i + (1 if s.lack[i] > 0 else 0), -1
    s.seen[s.queue[0]] = s.stamp[0]
    at, tail, left = 0, 1, n
    reach = min(reach, 2 * n)
    while at < tail and tail < reach:
        a, adding = s.queue[at] // 2, s.queue[at] & 1
        if adding:
            low, size = s.start[a], s.start[a + 1] - s.start[a]
            turn = np.int64(rng.random() * size)
            for q in range(size):
                b = s.near[low + (q + turn) % size]
                if not has(key_of(a, b, n), s.current):
                    tail = _visit(b, at, tail, s)
                    if tail < 0:
                        _toggle_walk(-tail, s)
                        return True, -tail
            if s.rule[2]:
                for q in range(s.n_hot[0]):
                    b = s.hot[q]
                    if s.lack[b] > 0 and not has(key_of(a, b, n), s.current) and is_free(a, b, s):
                        tail = _visit(b, at, tail, s)
                        if tail < 0:
                            _toggle_walk(-tail, s)
                            return True, -tail
                q, looks = 0, 8 * reach
                while q < left and tail < reach and looks > 0:
                    looks -= 1
                    p = q + np.int64(rng.random() * (left - q))
                    b = s.pool[p]
                    s.pool[p] = s.pool[q]
                    s.pool[q] = b
                    if thrifty and s.head[b] < 0 and s.lack[b] <= 0:
                        q += 1
                    elif s.seen[2 * b] == s.stamp[0]:
                        left -= 1
                        s.pool[q], s.pool[left] = s.pool[left], b
                    elif has(key_of(a, b, n), s.current) or not is_free(a, b, s):
                        q += 1
                    else:
                        tail = _visit(b, at, tail, s)
                        if tail < 0:
                            _toggle_walk(-tail, s)
                            return True, -tail
                        q += 1
        else:
            link = s.head[a]
            while link >= 0 and tail < reach:
                b = s.other[link]
                link = s.after[link]
                tail = _visit(b, at, tail, s)
                if tail < 0:
                    _toggle_walk(-tail, s)
                    return True, -tail
            if s.rule[3] and not thrifty:
                low, size = s.start[a], s.start[a + 1] - s.start[a]
                turn = np.int64(rng.random() * size)
                for q in range(size):
                    b = s.near[low + (q + turn) % size]
                    if has(key_of(a, b, n), s.current) and is_free(a, b, s):
                        tail = _visit(b, at, tail, s)
                        if tail < 0:
                            _toggle_walk(-tail, s)
                            return True, -tail
        at += 1
    return False, tail


@njit
def serve(i, thorough, s, rng):
    """Bring node i to its degree by walks: thrifty ones, near ones, if ``thorough`` any.

    Returns whether that was done, and how many states of the queue the last search has looked at.
    """
    tail = np.int64(0)
    while s.lack[i] != 0:
        found = False
        for effort in range(3 if thorough else 2):
            found, tail = walk(i, effort == 0, 2 * s.rule[0] if effort == 2 else NEAR, s, rng)
            if found:
                break
        if not found:
            return False, tail
    return True, tail


@njit
def toggle_all(keys, s):
    """Toggle all these pairs."""
    for key in keys:
        toggle(key // s.rule[0], key % s.rule[0], s)
