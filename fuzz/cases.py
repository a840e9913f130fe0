"""One case of the campaign, drawn from a seed and a number alone: a graph, what is asked of it, and the way it is asked."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from fuzz.graphs import Graph, draw_graph, later_graph, make_graph, names, pair, parts_of
from fuzz.outside import Limits, Request

# What a case is about, and how often. Everything else is drawn beside it.
KINDS = {
    "plain": 14, "levels": 12, "horizon": 12, "limits": 16, "tiny limits": 20, "extension": 16, "limited extension": 5,
    "shards": 6, "resumed": 5, "command": 14, "folder": 2, "wrong": 8, "dask": 0.3,
}  # fmt: skip
WAYS = ("slices", "table", "file", "command", "folder")


@dataclass
class Case:
    """`options` are those of anonymize, `save` those of Release.save; `again` says how the same release is made a second time."""

    name: str
    kind: str
    graph: Graph
    way: str
    k: Any
    asked: Request
    options: dict[str, Any] = field(default_factory=dict)
    save: dict[str, Any] = field(default_factory=dict)
    again: str | None = None
    later: list[Graph] = field(default_factory=list)
    wrong: str | None = None
    private: bool = True
    stop_after: int | None = None

    def __str__(self) -> str:
        g = self.graph
        later = f", then {[(len(x.people), len(x.parts)) for x in self.later]}" if self.later else ""
        return (
            f"{self.name} {self.kind}: {len(g.people)} people, {len(g.parts)} slices ({g.axis}), {sum(map(len, g.edges))} "
            f"{'directed ' * g.directed}edges, by {self.way}, k={self.k!r}, {self.options}, {self.save}{later}"
        )


def draw_case(seed: int, number: int) -> Case:
    """The case of this number."""
    rng = Random(f"shoal/{seed}/{number}")
    kind = rng.choices(list(KINDS), list(KINDS.values()))[0]
    graph = _graph(rng, kind)
    ids, n = graph.people, len(graph.people)
    k = _number(rng, n)
    options: dict[str, Any] = {"seed": rng.randrange(10**12, 10**13), "jobs": rng.choice([1, 1, 2])}
    options |= _how(rng, limited="limit" in kind)
    needs = dict.fromkeys(map(str, ids), k)
    if kind == "levels" or (kind != "wrong" and rng.random() < 0.2):
        k, needs, more = _levels(rng, graph)
        options |= more
    limits = Limits()
    if "limit" in kind or (kind in ("command", "folder") and options["method"] == "search" and rng.random() < 0.4):
        limits, more = _limits(rng, graph)
        options |= more
        if limits.exempt and rng.random() < 0.5:  # about whom nothing changes, and who need no protection
            needs |= dict.fromkeys(limits.exempt, 1)
            k = {one: needs[str(one)] for one in ids}
            options.pop("protect", None)
    blocks, horizon = [0] * len(graph.parts), None
    extends = "extension" in kind
    if graph.ordered and not extends and (kind == "horizon" or rng.random() < 0.12):
        horizon, blocks = _horizon(rng, graph)
        options["horizon"] = horizon
    if (kind == "shards" or rng.random() < 0.1) and options["method"] == "search" and not limits.any():
        options["shard_people"] = rng.choice([1, 2, 5, 10, 20])
    save = {
        "keep_ids": rng.random() < 0.2,
        "format": rng.choice(["csv", "csv", "parquet"]),
        "report": rng.random() < 0.02,
    }
    asked = Request(
        graph, needs, blocks, limits, save["keep_ids"], save["format"], save["report"],
        partitioned=kind == "folder", seed=options["seed"], horizon=None if horizon is None else str(horizon),
    )  # fmt: skip
    case = Case(f"{seed}-{number}", kind, graph, _way(rng, kind, graph, k), k, asked, options, save)
    case.again = rng.choice([None, None, "same", "jobs"]) if kind != "dask" else "dask"
    case.private = extends or rng.random() < 0.9
    if kind == "resumed":
        case.again, case.stop_after = "same", rng.randint(0, 12)
    if extends:
        before = [graph]
        for _ in range(rng.choice([1, 1, 2])):
            before.append(later_graph(rng, before, max(needs.values(), default=1)))
        case.later = before[1:]
    if kind == "folder":
        _fit_folder(case)
    if case.way == "command":
        _fit_command(case)
    if kind == "wrong" or n == 0:
        _make_wrong(rng, case)
    return case


def _graph(rng: Random, kind: str) -> Graph:
    if kind == "folder":
        people = rng.sample(range(10**8, 10**9), rng.randint(2, 60))
        graph = make_graph(rng, people, parts_of(rng, "days", rng.randint(1, 5)), "days", directed=rng.random() < 0.3)
        there = sorted({one for u, v, _ in graph.rows for one in (u, v)})  # whoever is in no row is not in a folder
        return graph._replace(people=there)
    if kind == "horizon":
        axis = rng.choice(["labels", "values", "days", "days", "both"])
        n = rng.choice([rng.randint(1, 8), rng.randint(5, 40)])
        parts = parts_of(rng, axis, rng.randint(2, 14))
        return make_graph(rng, names(rng, n), parts, axis, directed=rng.random() < 0.3)
    graph = draw_graph(rng, tiny=kind == "tiny limits")
    while "extension" in kind and graph.axis == "one":
        graph = draw_graph(rng)
    return graph


def _number(rng: Random, n: int) -> int:
    k = rng.choice([1, 2, 2, 3, 3, 5, rng.randint(1, max(n, 1)), max(n - 1, 1), n, n // 2])
    return max(1, min(k, n))


def _how(rng: Random, *, limited: bool) -> dict[str, Any]:
    method = "search" if limited else rng.choice(["search", "search", "search", "greedy", "optimal"])
    found: dict[str, Any] = {"method": method}
    if method == "search":
        found["effort"] = rng.choice(["fast", "fast", "balanced", "thorough"])
    if rng.random() < 0.25:
        found["objective"] = rng.choice(["edges", "l1"])
    if method == "search" and found.get("objective") != "l1" and rng.random() < 0.25:
        found["removal_weight"] = rng.choice([0.01, 0.5, 1.0, 2, 10.0, 1000])
    if rng.random() < 0.2:
        found["density"] = "free"
    if method != "search":
        found["restarts"] = rng.randint(1, 4)
    return found


def _levels(rng: Random, graph: Graph) -> tuple[Any, dict[str, int], dict[str, Any]]:
    """A level for each: a mapping, a list in the order of the sorted ids, or one number for some."""
    ids, n = graph.people, len(graph.people)
    form = rng.choice(["mapping", "mapping", "list", "protect"])
    if form == "protect":
        some, k = [one for one in ids if rng.random() < rng.choice([0.0, 0.3, 0.9])], _number(rng, n)
        needs = {str(one): k if one in some else 1 for one in ids}
        return k, needs, {"protect": rng.choice([list, tuple])(some)}
    usual = [_number(rng, n) for _ in range(rng.randint(1, 3))]
    levels = {one: rng.choice([1, *usual]) for one in ids}
    needs = {str(one): level for one, level in levels.items()}
    if form == "list":
        return [levels[one] for one in sorted(ids)], needs, {}
    return {one: level for one, level in levels.items() if level > 1 or rng.random() < 0.5}, needs, {}


def _limits(rng: Random, graph: Graph) -> tuple[Limits, dict[str, Any]]:
    """Some of the limits, as anonymize takes them and as the checker does."""
    by_text, labels = {str(one): one for one in graph.people}, [part.label for part in graph.parts]
    edges = [(edge, t) for t, some in enumerate(graph.edges) for edge in sorted(some)]
    everybody = sorted(by_text)
    limits, options = Limits(rng.choice(["both", "both", "add", "remove"])), {}

    def asked(pairs: Iterable[tuple[tuple[str, str], int]]) -> tuple[set[Any], list[tuple[Any, ...]]]:
        found, rows = set(), []
        for (u, v), t in pairs:
            where = rng.choice([None, labels[t]])
            ends = (v, u) if not graph.directed and rng.random() < 0.5 else (u, v)
            found.add((pair(u, v, graph.directed), where))
            rows.append((by_text[ends[0]], by_text[ends[1]], *([where] if where or rng.random() < 0.3 else [])))
        return found, rows

    if edges and rng.random() < 0.5:
        some = rng.sample(edges, rng.randint(1, max(1, len(edges) // rng.choice([1, 3, 10]))))
        limits.keep, options["must_keep"] = asked(some)
    if len(everybody) > 1 and rng.random() < 0.5:
        some = [
            (tuple(rng.sample(everybody, 2)), rng.randrange(len(labels)))
            for _ in range(rng.randint(1, 2 * len(everybody)))
        ]
        limits.forbid, options["forbid"] = asked(some)
    if everybody and rng.random() < 0.4:
        limits.exempt = set(rng.sample(everybody, rng.randint(1, max(1, len(everybody) // rng.choice([2, 5])))))
        options["exempt"] = [by_text[one] for one in sorted(limits.exempt)]
    if limits.allow != "both" or rng.random() < 0.2:
        options["allow"] = limits.allow
    return limits, options


def _horizon(rng: Random, graph: Graph) -> tuple[Any, list[int]]:
    """A horizon, and the block of every slice by our own calendar."""
    starts = [str(part.start) for part in graph.parts]
    if graph.axis in ("days", "both") and rng.random() < 0.5:
        width = rng.choice(["1d", "1w", "1mo", "1y"])
        days = [datetime.date.fromisoformat(start) for start in starts]
        keys: list[Any] = {
            "1d": days,
            "1w": [day.isocalendar()[:2] for day in days],
            "1mo": [(day.year, day.month) for day in days],
            "1y": [day.year for day in days],
        }[width]
        order = sorted(set(keys))
        return width, [order.index(key) for key in keys]
    width = rng.choice([1, 2, 3, 5, len(starts), len(starts) + 3])
    order = list(dict.fromkeys(starts))
    return rng.choice([width, str(width)]), [order.index(start) // width for start in starts]


def _way(rng: Random, kind: str, graph: Graph, k: Any) -> str:
    if kind == "folder":
        return "folder"
    if graph.axis == "labels":
        return "slices"
    if isinstance(k, list):
        return "table"  # a file may turn texts into numbers, which stand in another order
    ways = ["file", "file"] if kind != "command" else ["command"]
    return rng.choice([*ways, "table", "command"] if kind != "command" else ways)


def _fit_folder(case: Case) -> None:
    """Folders of Parquet are released as Parquet."""
    case.save["format"] = case.asked.format = "parquet"


def _fit_command(case: Case) -> None:
    """What the command line can say."""
    if isinstance(case.k, dict):
        case.k = {one: case.asked.needs[str(one)] for one in case.graph.people}
    if "protect" in case.options and not case.options["protect"]:
        case.wrong = "a file of nobody"


def _make_wrong(rng: Random, case: Case) -> None:
    """Ask for something that must be refused."""
    n, people = len(case.graph.people), case.graph.people
    somebody = people[0] if people else 0
    wrongs: dict[str, Any] = {
        "k above n": {"k": n + 1}, "k of 0": {"k": 0}, "k below 0": {"k": -3}, "level above n": {"k": {somebody: n + 1}},
        "level of 0": {"k": {somebody: 0}}, "levels for others": {"k": {"nobody-at-all": 1}}, "too many levels": {"k": [1] * (n + 1)},
        "k of 2.5": {"k": 2.5}, "k as text": {"k": "two"}, "no k": {"k": None},
        "unknown allow": {"allow": "swap"}, "unknown method": {"method": "magic"}, "unknown effort": {"effort": "lazy"},
        "unknown objective": {"objective": "l2"}, "limits of the paper's methods": {"method": "greedy", "allow": "add"},
        "protect nobody known": {"protect": ["nobody-at-all"]}, "exempt nobody known": {"exempt": ["nobody-at-all"]},
        "keep a loop": {"must_keep": [(somebody, somebody)]}, "forbid in no slice": {"forbid": [(*tuple(people[:2]), "no such slice")]},
        "keep one": {"must_keep": [(somebody,)]}, "removal_weight 0": {"removal_weight": 0.0}, "removal_weight nan": {"removal_weight": float("nan")},
        "no restarts": {"restarts": 0}, "seed below 0": {"seed": -1}, "seed of 1.5": {"seed": 1.5}, "resume nothing": {"resume": True},
        "shards of nobody": {"shard_people": 0}, "horizon of 0": {"horizon": 0}, "horizon soon": {"horizon": "soon"},
        "horizon below 0": {"horizon": -1}, "unknown format": {"format": "xml"},
    }  # fmt: skip
    if not case.graph.ordered:
        wrongs["horizon without time"] = {"horizon": 1}
    if n < 2:
        del wrongs["forbid in no slice"]
    case.wrong = rng.choice(sorted(wrongs)) if n else "nobody"
    change = dict(wrongs.get(case.wrong, {}))
    case.way, case.again, case.later = ("slices" if case.graph.axis in ("labels", "layers") else "table"), None, []
    if "k" in change:
        case.k = change.pop("k")
        case.options.pop("protect", None)
    if "format" in change:
        case.save["format"] = change.pop("format")
    case.options |= change
