"""Random graphs of many shapes as plain Python: people, slices, the edges of each, and the rows a file of them would have.

Nothing of shoal is used here. What a release has to say is counted from these.
"""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

Pair = tuple[str, str]
DAY = datetime.date(2024, 4, 22)  # a Monday; a month ends nine days later

# Names that are easily mixed up, cut off, escaped twice or taken for something else.
ODD = [
    "Zoë-Ångström", "Zoe\u0308-A\u030angstro\u0308m", "李小龙的朋友", "Анна-Ann", "Anna-Ann", 'quo"te"d', "com,ma,s", "semi;colon", "new\nline-id",
    "tab\tseparated", "0000007", "000007", "00007", "7.000", "1e5000", "+12345", "nullnull", "None", "NaN-like", "true-ish", "O'Brien",
    "back\\slash", "<b>bold</b>", "=cmd()|x", "#comment-id", "%percent-id", "emoji-🦈🦈", "zero\u200bwidth", "rtl-\u202eabc", "ann  two",
    "lower-case", "Lower-Case", "LOWER-CASE", "ﬁligature", "filigature", "-dashfirst", "--option", "long-" + "x" * 300, "a/b/c-slashes",
    "same-id", "same-id-", "same-id--",
]  # fmt: skip


class Part(NamedTuple):
    """A slice: its label, and the layer and the start it has."""

    label: str
    layer: str | None
    start: str | None


class Graph(NamedTuple):
    """What a release is made from. `edges` are those of each slice by id as text, undirected ones in one order only."""

    people: list[Any]
    parts: list[Part]
    edges: list[set[Pair]]
    rows: list[tuple[Any, Any, int]]
    directed: bool
    axis: str

    @property
    def ordered(self) -> bool:
        """Whether the slices follow each other in time."""
        return self.axis in ("labels", "values", "days", "both")


def pair(u: Any, v: Any, directed: bool) -> Pair:
    """An edge under its one name."""
    a, b = str(u), str(v)
    return (a, b) if directed or a < b else (b, a)


def _some(rng: Random, n: int, share: float) -> set[tuple[int, int]]:
    return {(u, v) for u in range(n) for v in range(n) if u != v and rng.random() < share}


def _attached(rng: Random, n: int) -> set[tuple[int, int]]:
    """Newcomers prefer those who have many contacts (Barabási and Albert)."""
    ends, found = [0], set()
    for u in range(1, n):
        for v in {rng.choice(ends) for _ in range(rng.randint(1, 3))} - {u}:
            found.add((u, v))
            ends += [u, v]
    return found


def _cliques(rng: Random, n: int) -> set[tuple[int, int]]:
    size = rng.randint(2, max(2, n // 2))
    return {(u, v) for u in range(n) for v in range(n) if u < v and u // size == v // size}


def _stars(rng: Random, n: int) -> set[tuple[int, int]]:
    hubs = rng.sample(range(n), min(n, rng.randint(1, 3)))
    return {(hub, v) for hub in hubs for v in range(n) if v != hub}


SHAPES: dict[str, Callable[[Random, int], set[tuple[int, int]]]] = {
    "empty": lambda rng, n: set(),
    "one edge": lambda rng, n: {(0, n - 1)} if n > 1 else set(),
    "sparse": lambda rng, n: _some(rng, n, rng.uniform(0.3, 2.5) / n),
    "middling": lambda rng, n: _some(rng, n, rng.uniform(0.1, 0.4)),
    "dense": lambda rng, n: _some(rng, n, rng.uniform(0.6, 0.98)),
    "complete": lambda rng, n: {(u, v) for u in range(n) for v in range(n) if u != v},
    "stars": _stars,
    "cliques": _cliques,
    "attached": _attached,
    "ring": lambda rng, n: {(u, (u + 1) % n) for u in range(n)} if n > 2 else set(),
    "halves": lambda rng, n: {(u, v) for u, v in _some(rng, n, 0.5) if (u < n // 2) == (v < n // 2)},
}


def names(rng: Random, n: int) -> list[Any]:
    """Ids of one kind: small or large numbers, words, or odd texts."""
    kind = rng.choice(["small", "large", "words", "words", "odd", "odd"])
    if kind == "small":
        return list(range(1, n + 1)) if rng.random() < 0.5 else rng.sample(range(-5, 10 * n + 5), n)
    if kind == "large":
        return rng.sample(range(10**11, 10**12), n)
    if kind == "odd":
        found = rng.sample(ODD, min(n, len(ODD)))
        return found + [f"odd-{rng.randrange(10**9):09}" for _ in range(n - len(found))]
    return [f"person-{number:07x}" for number in rng.sample(range(16**7), n)]


def more_names(rng: Random, known: list[Any], n: int) -> list[Any]:
    """Ids of people who were not there before, of the same kind."""
    if all(isinstance(one, int) for one in known):
        return [max(known, default=0) + 10_000_019 * (i + 1) for i in range(n)]
    return [f"later-{rng.randrange(16**9):09x}-{i}" for i in range(n)]


def parts_of(rng: Random, axis: str, n_slices: int, first: int = 0) -> list[Part]:
    """Slices of one kind; those of a later graph begin at `first`."""
    days = [(DAY + datetime.timedelta(first + i)).isoformat() for i in range(n_slices)]
    if axis == "one":
        return [Part("all", None, None)]
    if axis == "labels":
        return [Part(f"t{first + i}", None, f"t{first + i}") for i in range(n_slices)]
    if axis == "values":
        return [Part(str(1990 + first + i), None, str(1990 + first + i)) for i in range(n_slices)]
    if axis == "days":
        return [Part(day, None, day) for day in days]
    layers = sorted(
        rng.choice([["calls", "mail"], ["Große", 'quo"ted', "zz,top"], ["only"], [f"l{i}" for i in range(6)]])
    )
    if axis == "layers":
        layers = [f"{layer}.{first}" for layer in layers] if first else layers
        return [Part(layer, layer, None) for layer in layers[:n_slices]]
    days = days[: max(1, n_slices // 2)]
    return [Part(f"{layer}/{day}", layer, day) for layer in layers for day in days]


AXES = ("labels", "values", "days", "layers", "both", "one")


def make_graph(rng: Random, people: list[Any], parts: list[Part], axis: str, *, directed: bool) -> Graph:
    """Draw the edges of every slice, and rows that lead to them: in any order and direction, with repeats and loops."""
    n, rows = len(people), []
    shape = rng.choice(list(SHAPES))
    for t in range(len(parts)):
        shape = shape if rng.random() < 0.6 else rng.choice(list(SHAPES))
        for u, v in sorted(SHAPES[shape](rng, n)) if n else []:
            ends = (v, u) if not directed and rng.random() < 0.5 else (u, v)
            rows += [(people[ends[0]], people[ends[1]], t)] * (1 if rng.random() < 0.95 else rng.randint(2, 4))
    seen = {t for _, _, t in rows}
    # A file can only say that a slice is there by a row in it: a loop, which is no contact.
    loops = [t for t in range(len(parts)) if t not in seen or rng.random() < 0.1] if n else []
    rows += [(one, one, t) for t in loops for one in [rng.choice(people)]]
    rng.shuffle(rows)
    edges = [{pair(u, v, directed) for u, v, at in rows if at == t and u != v} for t in range(len(parts))]
    return Graph(people, parts, edges, rows, directed, axis)


def draw_graph(rng: Random, *, tiny: bool = False) -> Graph:
    """A graph of any size and kind; tiny ones can be enumerated."""
    n = rng.randint(1, 5) if tiny else rng.choice([rng.randint(1, 8), rng.randint(4, 20), rng.randint(10, 60)])
    axis = rng.choice(AXES)
    n_slices = rng.randint(1, 2) if tiny else rng.choice([1, 2, 3, rng.randint(2, 6), rng.randint(8, 16)])
    parts = parts_of(rng, axis, n_slices)[: 2 if tiny and axis == "layers" else None]
    if tiny and axis == "both":
        parts = parts[:1] if len({part.layer for part in parts}) > 1 else parts
    directed = rng.random() < 0.35 and not (tiny and n > 4)
    return make_graph(rng, names(rng, n), parts, axis, directed=directed)


def later_graph(rng: Random, before: list[Graph], k: int) -> Graph:
    """Later slices of some of the people, and of some who are new."""
    last = before[-1]
    known = list(dict.fromkeys(itertools.chain.from_iterable(graph.people for graph in before)))
    there = [one for one in known if rng.random() < rng.choice([0.3, 0.8, 1.0])]
    new = more_names(rng, known, rng.choice([0, 0, 1, max(0, k - 1), k, k + 2]))
    first = sum(len(graph.parts) for graph in before)
    parts = parts_of(rng, last.axis, rng.randint(1, 3), first)
    return make_graph(rng, there + new, parts, last.axis, directed=last.directed)
