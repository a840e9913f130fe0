"""Obvious versions of the measures that networkx does not have, and pairs of small graphs to try them on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import pairwise, permutations
from math import sqrt
from statistics import mean, pstdev

from hypothesis import strategies as st

from shoal import TemporalGraph


@st.composite
def pairs(draw: st.DrawFn, max_nodes: int = 9, max_slices: int = 4) -> tuple[TemporalGraph, TemporalGraph]:
    """Two graphs over the same people and slices, directed or not, slices from empty to complete."""
    n_nodes, n_slices = draw(st.integers(1, max_nodes)), draw(st.integers(1, max_slices))
    directed, ordered = draw(st.booleans()), draw(st.booleans())
    possible = [(u, v) for u, v in permutations(range(n_nodes), 2) if directed or u < v]
    content = st.sampled_from([[], possible, possible[: n_nodes - 1]])
    if possible:
        content = st.lists(st.sampled_from(possible), unique=True) | content
    made = []
    for _ in range(2):
        slices = {f"t{t}": draw(content) for t in range(n_slices)}
        made.append(TemporalGraph.from_slices(slices, nodes=range(n_nodes), directed=directed, ordered=ordered))
    return made[0], made[1]


def total_variation(one: list[int], other: list[int]) -> Fraction:
    p, q = Counter(one), Counter(other)
    return sum((Fraction(abs(p[d] - q[d]), 2 * len(one)) for d in {*p, *q}), Fraction(0))


def assortativity(ends: list[tuple[int, int]]) -> float | None:
    """Pearson's correlation of pairs of degrees in fractions."""
    if not ends:
        return None
    n = len(ends)
    mx, my = Fraction(sum(x for x, _ in ends), n), Fraction(sum(y for _, y in ends), n)
    vx, vy = sum((x - mx) ** 2 for x, _ in ends), sum((y - my) ** 2 for _, y in ends)
    if vx == 0 or vy == 0:
        return None
    return float(sum((x - mx) * (y - my) for x, y in ends)) / sqrt(vx * vy)


def neighbours(edges: list[tuple[int, int]], node: int) -> set[int]:
    return {v for u, v in edges if u == node} | {u for u, v in edges if v == node}


def adjacency_correlation(before: list, after: list, n_nodes: int) -> float | None:
    found = []
    for node in range(n_nodes):
        a, b = neighbours(before, node), neighbours(after, node)
        if a or b:
            found.append(len(a & b) / sqrt(len(a) * len(b)) if a and b else 0.0)
    return sum(found) / len(found) if found else None


def hub_overlap(one: list[int], other: list[int], n_hubs: int) -> float | None:
    """Hand out the places one degree at a time, from the top; equals share what is left."""

    def places(degrees: list[int]) -> list[Fraction]:
        left, held = n_hubs, [Fraction(0)] * len(degrees)
        for degree in sorted({d for d in degrees if d > 0}, reverse=True):
            equals = [i for i, d in enumerate(degrees) if d == degree]
            given = min(left, len(equals))
            for i in equals:
                held[i] = Fraction(given, len(equals))
            left -= given
        return held

    a, b = places(one), places(other)
    total = max(sum(a), sum(b))
    return float(sum(map(min, a, b)) / total) if total else None


def slices_of(graph: TemporalGraph) -> list[list[tuple[int, int]]]:
    """The edges of every slice as pairs, without directions u < v and once."""
    return [sorted({(min(e), max(e)) for e in edges.tolist()}) for _, edges in graph]


def meetings(graph: TemporalGraph) -> Counter[tuple[int, int]]:
    return Counter(pair for edges in slices_of(graph) for pair in edges)


def gaps(times: list[int]) -> list[int]:
    return [b - a for a, b in pairwise(times)]


def burstiness(all_times: Iterable[list[int]]) -> float | None:
    """The mean over all who have two gaps or more."""
    found = []
    for times in all_times:
        steps = gaps(times)
        if len(steps) > 1:
            found.append((pstdev(steps) - mean(steps)) / (pstdev(steps) + mean(steps)))
    return mean(found) if found else None


def pair_times(graph: TemporalGraph) -> list[list[int]]:
    slices = slices_of(graph)
    return [[t for t, edges in enumerate(slices) if pair in edges] for pair in meetings(graph)]


def person_times(graph: TemporalGraph) -> list[list[int]]:
    slices = slices_of(graph)
    return [[t for t, edges in enumerate(slices) if neighbours(edges, v)] for v in range(graph.n_nodes)]


def closing_triangles(before: list, after: list) -> int:
    new = set(after) - set(before)
    return sum(len(neighbours(before, a) & neighbours(before, c)) for a, c in new)


def lasting(before: list[set[int]], after: list[set[int]]) -> float | None:
    """The best match of every group of three or more, weighted by its size."""
    groups = [group for group in before if len(group) >= 3]
    if not groups:
        return None
    best = [max(len(group & other) / len(group | other) for other in after) for group in groups]
    return sum(len(g) * b for g, b in zip(groups, best, strict=True)) / sum(map(len, groups))


def label_propagation(edges: list, order: list[int], n_nodes: int, rounds: int) -> list[int]:
    """Everybody takes the most frequent label around; their own one first among equals, then by a hash of both."""
    label = list(range(n_nodes))
    for _ in range(rounds):
        old = list(label)
        for v in order:
            counts = Counter(label[w] for w in neighbours(edges, v))
            if counts:
                label[v] = min(
                    counts,
                    key=lambda there, v=v, counts=counts: (
                        -counts[there],
                        there != label[v],
                        ((there + 1) * 0x9E3779B1 ^ (v + 1) * 0x85EBCA6B) & 0xFFFFFFFF,
                    ),
                )
        if label == old:
            break
    return label


def outbreak(
    slices: list[list[tuple[int, int]]],
    start: int,
    directed: bool,
    passes: Callable[[int, int, int], bool],
    recovers: Callable[[int, int], bool],
) -> list[int]:
    """How many one outbreak reaches anew, at its start and in each slice."""
    ever, ill, new = {start}, {start}, [1]
    for t, edges in enumerate(slices):
        ways = edges if directed else [*edges, *((v, u) for u, v in edges)]
        fresh = {v for u, v in ways if u in ill and v not in ever and passes(t, u, v)}
        ill = {v for v in ill if not recovers(t, v)} | fresh
        ever |= fresh
        new.append(len(fresh))
    return new
