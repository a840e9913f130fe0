"""Kernels of the degree program: its state, and alternating paths through it.

State of one slice, all arrays: ``deleted`` per edge, ``rest`` (degree left after the deletions) per node, ``level``
(the degree a group will get) and ``tight`` (members with ``rest == level``) per group. ``rest <= level`` holds
between moves, so every state is a feasible point of the program, and a move only has to count what it gains.
"""

from __future__ import annotations

import numpy as np

from shoal._numba import njit

REACH = 48  # nodes one path search may look at


@njit
def incidence(us, vs, n):
    """Edges at every node: ``at[start[i]:start[i + 1]]``."""
    start = np.zeros(n + 1, np.int64)
    for e in range(us.size):
        start[us[e] + 1] += 1
        start[vs[e] + 1] += 1
    for i in range(n):
        start[i + 1] += start[i]
    fill = start[:-1].copy()
    at = np.empty(2 * us.size, np.int64)
    for e in range(us.size):
        at[fill[us[e]]] = e
        fill[us[e]] += 1
        at[fill[vs[e]]] = e
        fill[vs[e]] += 1
    return start, at


@njit
def members_of(labels, m):
    """Members of every group: ``who[first[g]:first[g + 1]]``."""
    first = np.zeros(m + 1, np.int64)
    for i in range(labels.size):
        first[labels[i] + 1] += 1
    for g in range(m):
        first[g + 1] += first[g]
    fill = first[:-1].copy()
    who = np.empty(labels.size, np.int64)
    for i in range(labels.size):
        who[fill[labels[i]]] = i
        fill[labels[i]] += 1
    return first, who


@njit
def flip(e, graph, state):
    """Delete an edge or put it back."""
    us, vs, _, _, _, labels, _, _, _ = graph
    deleted, rest, level, tight = state
    step = 1 if deleted[e] else -1
    deleted[e] = not deleted[e]
    for i in (us[e], vs[e]):
        g = labels[i]
        if rest[i] == level[g]:
            tight[g] -= 1
        rest[i] += step
        if rest[i] == level[g]:
            tight[g] += 1


@njit
def count_tight(g, graph, state):
    """Count anew who holds a group up."""
    first, who = graph[7], graph[8]
    _, rest, level, tight = state
    c = 0
    for p in range(first[g], first[g + 1]):
        if rest[who[p]] == level[g]:
            c += 1
    tight[g] = c


@njit
def settle(g, graph, state, journal, used):
    """Lower a group that nobody holds up any more; the gain is pure."""
    weight = graph[6]
    level, tight = state[2], state[3]
    gain = 0.0
    while tight[g] == 0 and level[g] > 0 and weight[g] > 0:
        level[g] -= 1
        gain += weight[g]
        count_tight(g, graph, state)
        journal[used] = -1 - 2 * g
        used += 1
    return gain, used


@njit
def find_path(i, over, graph, state, scratch, stamp, rng):
    """Breadth-first search for the alternating path from ``i`` that pays best.

    A node that is ``over`` its level must lose an edge, which gives its other end room; a node with room takes a
    deleted edge back, which may push the other end over. A path is worth what it restores, less what it deletes,
    plus the weight of a group that its last deletion lets sink. Leaves the edges of the best path in ``path``, last
    one first.
    """
    us, vs, cost, start, at, labels, weight, _, _ = graph
    deleted, rest, level, tight = state
    seen, path, nodes, parents, edges, worth = scratch
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
            p = turn + q
            if p >= high:
                p -= high - low
            e = at[p]
            if deleted[e] == mode:
                continue
            b = us[e] + vs[e] - a
            if seen[b] == stamp:
                continue
            h = labels[b]
            room = level[h] - rest[b]
            if mode:
                value = worth[head] - cost[e]
                final = value
                if room < 0:
                    final += cost[e]
                elif room == 0 and tight[h] == 1:
                    final += weight[h]
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
        path[length] = edges[best]
        best = parents[best]
        length += 1
    return length


@njit
def walk(i, over, busy, graph, state, scratch, stamp, journal, used, rng):
    """Apply the best path from ``i``, let the group at its end sink; returns (found, change of the total, used)."""
    us, vs, cost, _, _, labels, _, _, _ = graph
    deleted, rest, level, tight = state
    path = scratch[1]
    length = find_path(i, over, graph, state, scratch, stamp, rng)
    if length == 0:
        return False, 0.0, used
    delta = 0.0
    for q in range(length):
        e = path[q]
        delta += -cost[e] if deleted[e] else cost[e]
        flip(e, graph, state)
        journal[used] = e
        used += 1
    for j in (us[path[0]], vs[path[0]]):
        g = labels[j]
        if busy != -2 and g != busy and tight[g] == 0 and rest[j] == level[g] - 1:
            gain, used = settle(g, graph, state, journal, used)
            delta -= gain
    return True, delta, used
