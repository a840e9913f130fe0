"""Fill the last missing stubs of a slice so that every node ends with exactly its degree, whatever it takes.

Small repairs first, because they touch few edges:

- two nodes that both miss an edge and are strangers are joined;
- a node v that misses two takes an edge x–y of two strangers: x–y becomes v–x and v–y;
- neighbours v and w that miss one each take an edge x–y with x a stranger to v and y to w: it becomes v–x and w–y.

Where none applies, a trail does. Let F be the graph so far and H any graph with the wanted degrees (Havel–Hakimi). Colour
the edges only in H "add" and those only in F "drop". At each node the adds exceed the drops by just what it misses. So
a trail that leaves a node with a missing edge by an add, and then takes drops and adds in turn, never edge by edge twice,
can only get stuck on arriving by an add at a node that misses an edge. Flipping the trail keeps all degrees between and
gives both ends one more. Two stubs fewer each time: the loop ends, with every degree exact.
"""

from __future__ import annotations

import heapq

import numpy as np

_TRIES = 64  # random edges looked at before all edges are


def complete(edges: np.ndarray, missing: np.ndarray, degrees: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Edges of a graph with exactly `degrees`, from one in which node v has `missing[v]` fewer."""
    graph = _Adjacency(edges, len(degrees))
    lack = {int(v): int(missing[v]) for v in np.flatnonzero(missing)}
    while lack:
        v = max(lack, key=lambda u: (lack[u], u))
        partner = next((w for w in lack if w != v and not graph.joined(v, w)), None)
        if partner is not None:
            graph.add(v, partner)
            _took_one(lack, v, partner)
            continue
        w = v if lack[v] >= 2 else next(u for u in lack if u != v)
        bridge = _find_bridge(graph, v, w, rng)
        if bridge is None:
            w = _flip_trail(graph, v, lack, degrees)
        else:
            x, y = bridge
            graph.remove(x, y)
            graph.add(v, x)
            graph.add(w, y)
        _took_one(lack, v, w)
    return graph.edges()


class _Adjacency:
    """A simple graph that changes: a set of neighbours per node, and a list of edges to draw from."""

    def __init__(self, edges: np.ndarray, n_nodes: int) -> None:
        self.near: list[set[int]] = [set() for _ in range(n_nodes)]
        self.pairs: list[tuple[int, int]] = [(u, v) for u, v in edges.tolist()]
        for u, v in self.pairs:
            self.near[u].add(v)
            self.near[v].add(u)

    def joined(self, u: int, v: int) -> bool:
        return v in self.near[u]

    def add(self, u: int, v: int) -> None:
        self.near[u].add(v)
        self.near[v].add(u)
        self.pairs.append((u, v))

    def remove(self, u: int, v: int) -> None:
        self.near[u].discard(v)
        self.near[v].discard(u)

    def draw(self, rng: np.random.Generator) -> tuple[int, int]:
        """A random pair that was an edge at some time; the caller looks whether it still is."""
        return self.pairs[int(rng.integers(len(self.pairs)))]

    def edges(self) -> np.ndarray:
        pairs = [(u, v) for u, around in enumerate(self.near) for v in around if u < v]
        return np.array(pairs, np.int32).reshape(-1, 2)


def _took_one(lack: dict[int, int], *nodes: int) -> None:
    for v in nodes:
        lack[v] -= 1
        if not lack[v]:
            del lack[v]


def _find_bridge(graph: _Adjacency, v: int, w: int, rng: np.random.Generator) -> tuple[int, int] | None:
    """An edge x–y that can become v–x and w–y (v and w may be the same node)."""

    def fits(x: int, y: int) -> bool:
        if not graph.joined(x, y) or x in (v, w) or y in (v, w):
            return False
        return not graph.joined(v, x) and not graph.joined(w, y)

    if not graph.pairs:
        return None
    for _ in range(_TRIES):
        x, y = graph.draw(rng)
        if fits(x, y):
            return x, y
        if fits(y, x):
            return y, x
    for x, y in graph.pairs:
        if fits(x, y):
            return x, y
        if fits(y, x):
            return y, x
    return None


def _flip_trail(graph: _Adjacency, v: int, lack: dict[int, int], degrees: np.ndarray) -> int:
    """Flip an alternating trail from v against a Havel–Hakimi graph; gives the node at its other end."""
    target = havel_hakimi(degrees)
    adds = [target[u] - graph.near[u] for u in range(len(degrees))]
    drops = [graph.near[u] - target[u] for u in range(len(degrees))]
    at = v
    while True:
        u = min(adds[at])
        adds[at].discard(u)
        adds[u].discard(at)
        graph.add(at, u)
        at = u
        spare = lack.get(at, 0) - (1 if at == v else 0)
        if spare > 0:
            return at
        u = min(drops[at])
        drops[at].discard(u)
        drops[u].discard(at)
        graph.remove(at, u)
        at = u


def havel_hakimi(degrees: np.ndarray) -> list[set[int]]:
    """Neighbour sets of a graph with these (realizable) degrees: whoever wants most joins those that want most next."""
    near: list[set[int]] = [set() for _ in range(len(degrees))]
    heap = [(-int(d), v) for v, d in enumerate(degrees) if d > 0]
    heapq.heapify(heap)
    while heap:
        want, v = heapq.heappop(heap)
        partners = [heapq.heappop(heap) for _ in range(-want)]
        for rest, u in partners:
            near[v].add(u)
            near[u].add(v)
            if rest + 1 < 0:
                heapq.heappush(heap, (rest + 1, u))
    return near
