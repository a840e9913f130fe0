"""Other tools on the same input, measured: `python benchmarks/others.py` writes the tables of docs/compare.md.

A tool is measured where it can be imported (AnonyPy, AnonymiGraph, KDA, k-means-constrained, pyCANON) and called "not installed"
where it cannot; shoal depends on none of them. Times are processor time, the
shortest of up to four runs, as multiples of shoal's in the same process.
"""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import sets
from cells import _l1, _mdav

import shoal
from shoal.audit import Vector
from shoal.group import degree_anonymization, search_groups

PAGE = Path(__file__).parents[1] / "docs" / "compare.md"
LIMIT, REPEATS, ENOUGH = 600, 4, 10
Tool = Callable[[Any, int], Any]


def liu_terzi(graph: shoal.TemporalGraph, k: int) -> shoal.TemporalGraph:
    """AnonymiGraph's implementation of Liu & Terzi 2008, slice by slice; it takes people as 0, 1, 2, …"""
    import networkx as nx
    from anonymigraph.anonymization import KDegreeAnonymizer

    made = []
    for _, edges in graph:
        one = nx.empty_graph(graph.n_nodes)
        one.add_edges_from(edges.tolist())
        new = KDegreeAnonymizer(k).anonymize(one, random_seed=0) if len(edges) else one
        made.append(_edges(new))
    return graph.with_edges(made)


def dynamic_graphs(graph: shoal.TemporalGraph, k: int) -> shoal.TemporalGraph:
    """KDA of the repository Data-privacy-in-dynamic-graphs, whose module is called `graph`; it may need several starts."""
    import pandas as pd
    from graph import KDA

    ends = np.concatenate([edges for _, edges in graph])
    frame = pd.DataFrame({"From": ends[:, 0], "To": ends[:, 1], "Timestamp": graph.slice_codes()})
    for seed in range(20):
        np.random.seed(seed)  # noqa: NPY002 - what it draws from
        try:
            made = KDA("", ("", False, False, ""), frame, None, k).apply_protectionUndirected()[1]
        except ValueError:  # no snapshot of this start was realizable
            continue
        return graph.with_edges([_edges(one) for one in made])
    raise ValueError("no snapshot realizable in 20 starts")


def _edges(graph: Any) -> np.ndarray:
    return np.array(sorted(tuple(sorted(edge)) for edge in graph.edges()), np.int32).reshape(-1, 2)


def each_slice(graph: shoal.TemporalGraph, k: int) -> shoal.TemporalGraph:
    """shoal on every slice alone: what a tool for one graph gives at its best."""
    parts = {name: shoal.TemporalGraph.from_slices({name: one}) for name, one in graph.to_networkx().items()}
    return graph.with_edges([shoal.anonymize(part, k, seed=0).graph.edges(0) for part in parts.values()])


def mondrian(rows: np.ndarray, k: int) -> np.ndarray:
    """AnonyPy's groups; medians in the place of its ranges, so that costs can be compared."""
    import anonypy.mondrian
    import pandas as pd

    frame = pd.DataFrame(rows, columns=[f"t{t}" for t in range(rows.shape[1])])
    labels = np.empty(len(rows), np.int64)
    for number, part in enumerate(anonypy.mondrian.Mondrian(frame, list(frame.columns)).partition(k)):
        labels[part] = number
    return labels


def k_means(rows: np.ndarray, k: int) -> np.ndarray:
    """k-means with a smallest size of clusters, one start."""
    from k_means_constrained import KMeansConstrained

    model = KMeansConstrained(len(rows) // k, size_min=k, random_state=0, n_init=1)
    return np.unique(model.fit_predict(rows.astype(float)), return_inverse=True)[1]


GRAPHS: dict[str, Tool] = {
    "shoal": lambda graph, k: shoal.anonymize(graph, k, seed=0).graph,
    'shoal, `effort="fast"`': lambda graph, k: shoal.anonymize(graph, k, seed=0, effort="fast").graph,
    "the paper's greedy, in shoal": lambda graph, k: shoal.anonymize(graph, k, seed=0, method="greedy").graph,
    "shoal, each slice alone": each_slice,
    "Liu & Terzi (AnonymiGraph), each slice alone": liu_terzi,
    "KDA (Data-privacy-in-dynamic-graphs)": dynamic_graphs,
}
ROWS: dict[str, Tool] = {
    "shoal": lambda rows, k: search_groups(rows, k, rng=np.random.default_rng(0)),
    'shoal, `effort="fast"`': lambda rows, k: search_groups(rows, k, rng=np.random.default_rng(0), effort="fast"),
    "the paper's greedy, in shoal": lambda rows, k: degree_anonymization(rows, k, rng=np.random.default_rng(0)).labels,
    "MDAV (microaggregation, as in sdcMicro; our own lines)": _mdav,
    "Mondrian (AnonyPy)": mondrian,
    "k-means-constrained, one start": k_means,
}


def run(tool: Tool, given: Any, k: int) -> tuple[float, Any] | str:
    """The shortest of a few runs in seconds of the processor, and the result; or why there is none."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"stopped after {LIMIT} s")

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    seconds: list[float] = []
    try:
        while len(seconds) < REPEATS and sum(seconds) < ENOUGH:  # the first may compile
            start = time.process_time()
            result = tool(given, k)
            seconds.append(time.process_time() - start)
        return min(seconds), result
    except ModuleNotFoundError:
        return "not installed"
    except Exception as error:  # a tool that fails is a line of the table
        return f"failed: {error}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def changed(graph: shoal.TemporalGraph, other: shoal.TemporalGraph) -> int:
    return sum(
        len(np.setxor1d(a @ np.array([graph.n_nodes, 1]), b @ np.array([graph.n_nodes, 1])))
        for (_, a), (_, b) in zip(graph, other, strict=True)
    )


def canon(graph: shoal.TemporalGraph) -> str:
    """The k that pyCANON finds in the table of degrees."""
    try:
        import pandas as pd
        from pycanon import anonymity
    except ModuleNotFoundError:
        return "not installed"
    frame = pd.DataFrame(graph.degree_matrix()).rename(columns=str)
    return str(anonymity.k_anonymity(frame, list(frame.columns)))


HEADS = {
    "graphs": "| tool | contacts changed | all slices together k-anonymous? | smallest crowd | pyCANON's k | time |",
    "rows": "| groups by | l1 cost | smallest group | time |",
}


def graphs(name: str, k: int) -> list[str]:
    """Whole graphs: contacts changed, and whether the row of all slices is k-anonymous."""
    given = sets.load(name)

    def cells(made: shoal.TemporalGraph) -> list[str]:
        seen = shoal.audit(made, k=k, attackers=[Vector()])["vector"]
        holds = "yes" if seen.smallest_crowd >= k else f"**no**, {seen.unique:,} of {made.n_nodes:,} alone"
        return [f"{changed(given, made):,}", holds, str(seen.smallest_crowd), canon(made)]

    return table(f"{name}, k = {k}", HEADS["graphs"].count("|") - 1, GRAPHS, given, k, cells)


def rows(name: str, k: int) -> list[str]:
    """Groups of rows only: what tools for tables do."""
    given = sets.load(name).degree_matrix()

    def cells(labels: np.ndarray) -> list[str]:
        return [f"{_l1(given, labels):,}", str(np.bincount(labels).min())]

    return table(f"{name}, k = {k}", HEADS["rows"].count("|") - 1, ROWS, given, k, cells)


def table(
    title: str, columns: int, tools: dict[str, Tool], given: Any, k: int, cells: Callable[[Any], list[str]]
) -> list[str]:
    """A line for each tool: what is to be said of what it made, and how long it took beside the first."""
    base, lines = 0.0, [f"| **{title}** |" + " |" * (columns - 1)]
    for tool, work in tools.items():
        match run(work, given, k):
            case str(reason):
                lines.append(f"| {tool} | {reason} |" + " |" * (columns - 2))
            case seconds, made:
                base = base or seconds
                lines.append("| " + " | ".join([tool, *cells(made), f"{seconds / base:.2g}"]) + " |")
        print(lines[-1], flush=True)
    return lines


MEASURED = (
    (graphs, "Aarhus layers", 3),
    (rows, "Enron months", 5),
    (rows, "Copenhagen days", 5),
    (graphs, "Enron months", 5),
)


def main() -> None:
    tables: dict[str, list[str]] = {name: [head, "|---" * (head.count("|") - 1) + "|"] for name, head in HEADS.items()}
    for measure, given, k in MEASURED:
        tables[measure.__name__] += measure(given, k)
        text = PAGE.read_text(encoding="utf-8")
        for name, lines in tables.items():
            body = "\n".join([f"<!-- {name} -->", "", *lines, "", f"<!-- /{name} -->"])
            text = re.sub(rf"<!-- {name} -->.*?<!-- /{name} -->", lambda _, body=body: body, text, flags=re.DOTALL)
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
