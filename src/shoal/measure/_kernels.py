"""Loops of the measures. Arrays in, arrays out, nothing is checked here."""

from __future__ import annotations

import numpy as np

from shoal._numba import lean, njit


@njit
def pagerank(edges: np.ndarray, out: np.ndarray, both_ways: bool, alpha: float, tolerance: float) -> np.ndarray:
    """Rounds until the l1 change is below the tolerance. `out` has the number of edges leaving each node.

    What nodes without leaving edges spread goes to all alike, so the ranks are y / sum(y) where y = 1 + alpha P' y. Walked both
    ways, alpha P' is similar to a symmetric matrix with eigenvalues between -alpha and alpha, and each round can leap beyond
    its own result by Chebyshev's factors (G. Golub & R. Varga 1961, doi:10.1007/BF01386013): the change shrinks by 0.56 a round
    instead of alpha = 0.85. Either way the loop ends; 1,000 rounds are far beyond need.
    """
    n_nodes = len(out)
    rank, before, new = np.ones(n_nodes), np.ones(n_nodes), np.empty(n_nodes)
    share, sent = np.empty(n_nodes), np.zeros(n_nodes)
    for v in range(n_nodes):
        sent[v] = alpha / max(out[v], 1)
    leap = 1.0
    for number in range(1000):
        for v in range(n_nodes):
            share[v], new[v] = sent[v] * rank[v], 1.0
        for e in range(len(edges)):
            u, v = edges[e, 0], edges[e, 1]
            new[v] += share[u]
            if both_ways:
                new[u] += share[v]
        change = total = 0.0
        for v in range(n_nodes):
            new[v] = before[v] + leap * (new[v] - before[v])
            change += abs(new[v] - rank[v])
            total += new[v]
        before, rank, new = rank, new, before
        if change < tolerance * total:
            break
        if both_ways:
            leap = 1.0 / (1.0 - alpha * alpha * (0.5 if number == 0 else 0.25 * leap))
    for v in range(n_nodes):
        rank[v] /= total
    return rank


@njit
def orient_by_degree(edges: np.ndarray, degrees: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Point every edge to its end of higher degree (higher number among equals): heads[starts[v]:starts[v+1]].

    No node then has more than sqrt(2 m) heads, a hub has hardly any.
    """
    n_nodes, n_edges = len(degrees), len(edges)
    tails = np.empty(n_edges, np.int64)
    starts = np.zeros(n_nodes + 1, np.int64)
    for e in range(n_edges):
        u, v = edges[e, 0], edges[e, 1]
        up = degrees[u] < degrees[v] or (degrees[u] == degrees[v] and u < v)
        tails[e] = u if up else v
        starts[tails[e] + 1] += 1
    for v in range(n_nodes):
        starts[v + 1] += starts[v]
    free = np.empty(n_nodes, np.int64)
    for v in range(n_nodes):
        free[v] = starts[v]
    heads = np.empty(n_edges, np.int64)
    for e in range(n_edges):
        tail = tails[e]
        heads[free[tail]] = edges[e, 0] + edges[e, 1] - tail
        free[tail] += 1
    return starts, heads


@njit
def triangles(starts: np.ndarray, heads: np.ndarray) -> np.ndarray:
    """Triangles through each node of an oriented graph; each is found once, at its lowest corner."""
    n_nodes = len(starts) - 1
    count = np.zeros(n_nodes, np.int64)
    seen = np.zeros(n_nodes, np.int64)  # u + 1 for the neighbours of u
    for u in range(n_nodes):
        for i in range(starts[u], starts[u + 1]):
            seen[heads[i]] = u + 1
        for i in range(starts[u], starts[u + 1]):
            v = heads[i]
            for j in range(starts[v], starts[v + 1]):
                w = heads[j]
                if seen[w] == u + 1:
                    count[u] += 1
                    count[v] += 1
                    count[w] += 1
    return count


@njit
def components(edges: np.ndarray, n_nodes: int) -> tuple[int, int]:
    """How many connected components there are, and how many nodes the largest has: every edge joins two trees, if they are two."""
    above, size = np.arange(n_nodes), np.ones(n_nodes, np.int64)
    count, largest = n_nodes, 1
    for e in range(len(edges)):
        u, v = edges[e, 0], edges[e, 1]
        while above[u] != u:  # every second node on the way up is hung higher
            above[u] = above[above[u]]
            u = above[u]
        while above[v] != v:
            above[v] = above[above[v]]
            v = above[v]
        if u != v:
            if size[u] < size[v]:
                u, v = v, u
            above[v] = u
            size[u] += size[v]
            largest = max(largest, size[u])
            count -= 1
    return count, largest


@njit
def neighbours(edges: np.ndarray, n_nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Both ways: the neighbours of u are heads[starts[u] : starts[u + 1]], in rising order where edges are sorted."""
    starts = np.zeros(n_nodes + 1, np.int64)
    for e in range(len(edges)):
        starts[edges[e, 0] + 1] += 1
        starts[edges[e, 1] + 1] += 1
    for v in range(n_nodes):
        starts[v + 1] += starts[v]
    free = np.empty(n_nodes, np.int64)
    for v in range(n_nodes):
        free[v] = starts[v]
    heads = np.empty(2 * len(edges), np.int64)
    for side in (1, 0):  # whose neighbour comes before them, then after them
        for e in range(len(edges)):
            v = edges[e, side]
            heads[free[v]] = edges[e, 1 - side]
            free[v] += 1
    return starts, heads


@njit
def closings(starts: np.ndarray, heads: np.ndarray, new: np.ndarray) -> int:
    """How many common neighbours the ends of new edges have in a graph: paths of length two that the new edges close.

    The neighbours of u are heads[starts[u] : starts[u + 1]]; new edges come sorted by their first end, whose neighbours are
    marked once for all of them.
    """
    seen = np.zeros(len(starts) - 1, np.int64)  # u + 1 for the neighbours of u
    found, marked = 0, -1
    for e in range(len(new)):
        u, v = new[e, 0], new[e, 1]
        if u != marked:
            marked = u
            for i in range(starts[u], starts[u + 1]):
                seen[heads[i]] = u + 1
        for i in range(starts[v], starts[v + 1]):
            if seen[heads[i]] == u + 1:
                found += 1
    return found


@lean
def _most_common(v: int, starts: np.ndarray, heads: np.ndarray, label: np.ndarray, count: np.ndarray) -> int:
    """The label most neighbours of v have; `count` holds zeros, and does so again afterwards."""
    most, best, rank = 0, label[v], 0
    if starts[v + 1] - starts[v] == 1:
        return label[heads[starts[v]]]
    for j in range(starts[v], starts[v + 1]):
        count[label[heads[j]]] += 1
    for j in range(starts[v], starts[v + 1]):
        there = label[heads[j]]
        if count[there] == 0:
            continue  # looked at before
        place = -1 if there == label[v] else ((there + 1) * 0x9E3779B1 ^ (v + 1) * 0x85EBCA6B) & 0xFFFFFFFF
        if count[there] > most or (count[there] == most and place < rank):
            most, best, rank = count[there], there, place
        count[there] = 0
    return best


@njit
def propagate(starts: np.ndarray, heads: np.ndarray, order: np.ndarray, rounds: int) -> np.ndarray:
    """Everybody takes the label most of their neighbours have, in this order, until nobody's label changes.

    Among equals one's own label stays; else it is the one whose holder comes first in an order of the asker's own. Whoever
    has looked, and whose neighbours' labels have stayed since, would find the same again.
    """
    n_nodes = len(starts) - 1
    label = np.arange(n_nodes)
    count = np.zeros(n_nodes, np.int64)
    settled = np.zeros(n_nodes, np.bool_)
    for _ in range(rounds):
        changed = False
        for i in range(len(order)):
            v = order[i]
            if settled[v]:
                continue
            settled[v] = True
            best = _most_common(v, starts, heads, label, count)
            if best != label[v]:
                label[v] = best
                changed = True
                for j in range(starts[v], starts[v + 1]):
                    settled[heads[j]] = False
        if not changed:
            break
    return label


@njit
def expected_information(sizes: np.ndarray, others: np.ndarray, factorial: np.ndarray) -> float:
    """The mean information shared by two partitions with classes of these sizes, over all ways to place the people.

    Two classes of a and b people have s in common in a share of the ways that is hypergeometric; `factorial` has ln 0!, …, ln n!.
    """
    n, total = len(factorial) - 1, 0.0
    for a in sizes:
        for b in others:
            ways = factorial[a] + factorial[b] + factorial[n - a] + factorial[n - b] - factorial[n]
            ratio = n / (float(a) * float(b))
            for s in range(max(1, a + b - n), min(a, b) + 1):
                log = ways - factorial[s] - factorial[a - s] - factorial[b - s] - factorial[n - a - b + s]
                if log > -40.0:  # rarer than 10^-17, it adds nothing
                    total += s / n * np.log(s * ratio) * np.exp(log)
    return total
