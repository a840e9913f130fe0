"""Kernels of the degree program: alternating paths of deletions, and groups that sink where nobody holds them up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal._numba import lean, njit
from shoal.realize._program_kernels import count_tight, flip

REACH = 48  # nodes one path search may look at
NOBODY = -2  # no group is on the move, and none may sink


class Scratch(NamedTuple):
    """Room for path searches, and the journal of a move: edges flipped as e, a target changed as -1 - 2g or (up) -2 - 2g."""

    seen: np.ndarray
    path: np.ndarray
    nodes: np.ndarray
    parents: np.ndarray
    edges: np.ndarray
    worth: np.ndarray
    journal: np.ndarray
    counts: np.ndarray  # entries in the journal, searches so far


@njit
def new_scratch(n, limit):
    """Scratch for n nodes and moves of about ``limit`` steps."""
    path, nodes = np.empty(REACH, np.int64), np.empty(REACH, np.int64)
    parents, edges = np.empty(REACH, np.int64), np.empty(REACH, np.int64)
    journal = np.empty(2 * limit + 4 * REACH, np.int64)
    return Scratch(np.zeros(n, np.int64), path, nodes, parents, edges, np.empty(REACH), journal, np.zeros(2, np.int64))


@lean
def note(entry, t):
    """Write down one step of a move."""
    t.journal[t.counts[0]] = entry
    t.counts[0] += 1


@lean
def settle(g, p, s, t):
    """Lower a group that nobody holds up any more; the gain is pure."""
    gain = 0.0
    while s.tight[g] == 0 and s.target[g] > p.low[g] and p.weight[g] > 0:
        s.target[g] -= 1
        gain += p.weight[g]
        count_tight(g, p, s)
        note(-1 - 2 * g, t)
    return gain


@lean
def _find_path(i, p, s, t, rng):
    """Breadth-first search for the alternating path from ``i`` that pays best.

    A node that is over its target must lose an edge, which gives its other end room; a node with room takes a
    deleted edge back, which may push the other end over. A path is worth what it restores, less what it deletes,
    plus the weight of a group that its last deletion lets sink. Leaves the edges of the best path in ``path``, last
    one first, and returns how many they are.
    """
    us, vs, cost, labels, start, at = p.us, p.vs, p.cost, p.labels, p.start, p.at
    deleted, rest, target, tight = s.deleted, s.rest, s.target, s.tight
    seen, nodes, parents, edges, worth = t.seen, t.nodes, t.parents, t.edges, t.worth
    stamp, over = t.counts[1], rest[i] > target[labels[i]]
    nodes[0], parents[0], edges[0], worth[0] = i, -1, -1, 0.0
    seen[i] = stamp
    head, tail, layer = 0, 1, 1
    best = -1
    best_worth = -np.inf if over else 0.0
    enough = -0.5 if over else 0.0
    mode = over
    while head < tail and tail < REACH and not (best >= 0 and best_worth > enough):
        if head == layer:
            layer = tail
            mode = not mode
        a = nodes[head]
        low, high = start[a], start[a + 1]
        turn = low + np.int64(rng.random() * (high - low))
        for q in range(high - low):
            place = turn + q
            if place >= high:
                place -= high - low
            e = at[place]
            b = us[e] + vs[e] - a
            if deleted[e] == mode or seen[b] == stamp:
                continue
            h = labels[b]
            room = target[h] - rest[b]
            if mode:
                value = final = worth[head] - cost[e]
                if room < 0:
                    final += cost[e]
                elif room == 0 and tight[h] == 1 and target[h] > p.low[h]:
                    final += p.weight[h]
            else:
                if room < 0:
                    continue
                value = worth[head] + cost[e]
                final = value if room > 0 else -np.inf
            if final > best_worth + 1e-9:
                best_worth = final
                best = tail
            seen[b] = stamp
            nodes[tail], parents[tail], edges[tail], worth[tail] = b, head, e, value
            tail += 1
            if tail >= REACH:
                break
        head += 1
    length = 0
    while best > 0:
        t.path[length] = edges[best]
        best = parents[best]
        length += 1
    return length


@lean
def walk(i, busy, p, s, t, rng):
    """Apply the best path from ``i``, let the group at its end sink; the change of the total, infinite if there is none."""
    length = _find_path(i, p, s, t, rng)
    if length == 0:
        return np.inf
    delta = 0.0
    for q in range(length):
        e = t.path[q]
        delta += -p.cost[e] if s.deleted[e] else p.cost[e]
        flip(e, p, s)
        note(e, t)
    for j in (p.us[t.path[0]], p.vs[t.path[0]]):
        g = p.labels[j]
        if busy != NOBODY and g != busy and s.tight[g] == 0 and s.rest[j] == s.target[g] - 1:
            delta -= settle(g, p, s, t)
    return delta
