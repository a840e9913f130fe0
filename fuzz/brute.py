"""Whether what was refused could have been done: every graph that the limits allow, where these are few."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable

from fuzz.graphs import Pair
from fuzz.outside import Request

MOST = 1 << 15  # graphs of a slice
MOST_TOGETHER = 300_000

Rows = tuple[tuple[int, int], ...]


def _rows(edges: Iterable[Pair], people: list[str], directed: bool) -> Rows:
    out, into = Counter(), Counter()
    for u, v in edges:
        out[u] += 1
        into[v] += 1
    if directed:
        return tuple((into[one], out[one]) for one in people)
    return tuple((into[one] + out[one], 0) for one in people)


def _enough(rows: list[tuple], needs: list[int]) -> bool:
    count = Counter(rows)
    return all(count[row] >= need for row, need in zip(rows, needs, strict=True))


def _extremes(asked: Request, people: list[str], pairs: list[Pair]) -> list[list[Rows]]:
    """Three graphs that are always allowed: the original, with all that may be added, and without all that may be removed."""
    found: list[list[Rows]] = [[], [], []]
    for part, before in zip(asked.graph.parts, asked.graph.edges, strict=True):
        free = {p for p in pairs if asked.limits.may_change(p, part.label, there=p in before)}
        for rows, edges in zip(found, (before, before | free, before - free), strict=True):
            rows.append(_rows(edges, people, asked.graph.directed))
    return found


def possible(asked: Request) -> bool | None:
    """Whether some release keeps both the promise and the limits; None where nobody can tell so simply."""
    people = sorted(asked.needs)
    needs, directed = [asked.needs[one] for one in people], asked.graph.directed
    pairs = [(u, v) for u in people for v in people if u < v or (directed and u != v)]
    extremes, certain = _extremes(asked, people, pairs), True
    for block in range(max(asked.blocks) + 1):
        here = [t for t, at in enumerate(asked.blocks) if at == block]
        if any(_enough(list(zip(*(rows[t] for t in here), strict=True)), needs) for rows in extremes):
            continue
        answer = _search(asked, here, people, pairs, needs)
        if answer is False:
            return False
        certain = certain and answer is True
    return True if certain else None


def _search(asked: Request, here: list[int], people: list[str], pairs: list[Pair], needs: list[int]) -> bool | None:
    """All ways to fill the slices of a block. Crowds only shrink from slice to slice, so each must do alone first."""
    ways: list[list[Rows]] = []
    for t in here:
        before, label = asked.graph.edges[t], asked.graph.parts[t].label
        free = [p for p in pairs if asked.limits.may_change(p, label, there=p in before)]
        if 1 << len(free) > MOST:
            return None
        fixed, found = before - set(free), set()
        for some in range(1 << len(free)):
            edges = fixed | {p for i, p in enumerate(free) if some >> i & 1}
            found.add(_rows(edges, people, asked.graph.directed))
        ways.append([rows for rows in sorted(found) if _enough(list(rows), needs)])
    together = 1
    for some_ways in ways:
        together *= len(some_ways)
    if together > MOST_TOGETHER:
        return None
    return any(_enough(list(zip(*some, strict=True)), needs) for some in itertools.product(*ways))
