"""Loops of the rebuilding stage. Arrays in, arrays out, nothing is checked here."""

from __future__ import annotations

import numpy as np

from shoal._numba import njit


@njit
def priority_edges(
    starts: np.ndarray, neighbours: np.ndarray, wanted: np.ndarray, shuffled: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Liu & Terzi's Priority: gives the edges and the stubs every node is still missing.

    Nodes are taken by falling degree. Each joins first its original neighbours that still want edges, then the others
    that want most. Two nodes that were not taken yet are never joined, so no edge can repeat. `shuffled` is a random
    order of the nodes that decides among equals.

    The waiting nodes stand in `line`, sorted by how many edges they want; `place` is the inverse and `head[w]` is where
    the nodes that want w begin. Wanting one less is then a swap with the head of one's block.
    """
    n = len(wanted)
    want = wanted.copy()
    top = 0
    for i in range(n):
        top = max(top, want[i])
    head = np.zeros(top + 2, np.int64)
    for i in range(n):
        head[want[i] + 1] += 1
    for w in range(1, top + 2):
        head[w] += head[w - 1]
    line = np.empty(n, np.int64)
    place = np.empty(n, np.int64)
    fill = head.copy()
    for s in range(n):
        v = shuffled[s]
        place[v] = fill[want[v]]
        line[place[v]] = v
        fill[want[v]] += 1
    turn = line[::-1].copy()  # falling degree, random among equals

    n_edges = np.int64(0)
    for i in range(n):
        n_edges += wanted[i]
    edges = np.empty((n_edges // 2 + 1, 2), np.int32)
    count = 0
    missing = np.zeros(n, np.int64)
    done = np.zeros(n, np.bool_)
    chosen = np.full(n, -1, np.int64)
    partners = np.empty(n, np.int64)
    for v in turn:
        need = want[v]
        done[v] = True
        # v leaves the line: down to zero, one block at a time.
        for w in range(need, 0, -1):
            other = line[head[w]]
            line[place[v]] = other
            place[other] = place[v]
            line[head[w]] = v
            place[v] = head[w]
            head[w] += 1
        want[v] = 0
        found = 0
        # Original neighbours, those that want most first.
        near = neighbours[starts[v] : starts[v + 1]]
        waiting = np.empty(len(near), np.int64)
        n_waiting = 0
        for u in near:
            if not done[u] and want[u] > 0:
                waiting[n_waiting] = u
                n_waiting += 1
        if n_waiting > need:
            order = np.argsort(-want[waiting[:n_waiting]], kind="mergesort")
            for i in range(need):
                partners[i] = waiting[order[i]]
            found = need
        else:
            for i in range(n_waiting):
                partners[i] = waiting[i]
            found = n_waiting
        for i in range(found):
            chosen[partners[i]] = v
        # Then whoever wants most.
        at = n - 1
        while found < need and at >= 0:
            u = line[at]
            at -= 1
            if want[u] == 0:
                break
            if not done[u] and chosen[u] != v:
                chosen[u] = v
                partners[found] = u
                found += 1
        missing[v] = need - found
        for i in range(found):
            u = partners[i]
            edges[count, 0] = min(u, v)
            edges[count, 1] = max(u, v)
            count += 1
            w = want[u]
            other = line[head[w]]
            line[place[u]] = other
            place[other] = place[u]
            line[head[w]] = u
            place[u] = head[w]
            head[w] += 1
            want[u] = w - 1
    return edges[:count], missing
