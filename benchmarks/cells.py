"""One measurement each, run in a process of its own: `python cells.py NAME ARGUMENTS` prints JSON."""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import sets

import shoal
from shoal.datasets import messenger
from shoal.group import cheapest_runs, degree_anonymization, group_medians, l1_cost, search_groups

JOBS = 2


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _warm(method: str = "search") -> None:
    """Kernels compiled or loaded from the cache, so that what is timed is a second run."""
    for n_slices in (1, 5):
        shoal.anonymize(messenger(400, n_slices), 3, method=method, seed=0)


def _seconds(work: Any) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def release(
    name: str, k: int, method: str, effort: str = "balanced", objective: str = "edges", weight: float = 1.0
) -> dict:
    """A whole anonymization of a graph in memory."""
    _warm(method)
    graph = sets.load(name)
    work = lambda: shoal.anonymize(  # noqa: E731
        graph, k, method=method, seed=0, effort=effort, objective=objective, removal_weight=weight, jobs=JOBS
    )
    seconds, made = _seconds(work)
    return {
        "l1": made.cost_l1,
        "bound": made.bound,
        "changed": made.edges.changed,
        "kept": made.edges.kept_share,
        "seconds": seconds,
        "peak_mb": _peak_mb(),
    }


def demand(name: str, k: int, wishes: dict[str, Any]) -> dict:
    """A release with something asked for; `share` protects that share of the people, chosen at random."""
    graph = sets.load(name)
    options = dict(wishes)
    if share := options.pop("share", None):
        people = np.random.default_rng(0).choice(graph.n_nodes, int(share * graph.n_nodes), replace=False)
        options["protect"] = graph.nodes.gather(people).to_list()
    shoal.anonymize(messenger(200, 3), 3, seed=0, allow=options.get("allow", "both"), protect=[1, 2] if share else None)
    if graph.directed:
        shoal.anonymize(
            shoal.TemporalGraph.from_slices({"a": [(0, 1), (1, 2)], "b": [(0, 1)]}, directed=True), 2, seed=0
        )
    seconds, made = _seconds(lambda: shoal.anonymize(graph, k, seed=0, jobs=JOBS, **options))
    rows = made.degrees
    if graph.directed:  # networkx counts the degrees too
        into, out = rows[:, : graph.n_slices], rows[:, graph.n_slices :]
        for t, digraph in enumerate(made.graph.to_networkx().values()):
            nodes = graph.nodes.to_list()
            assert [digraph.in_degree(x) for x in nodes] == into[:, t].tolist()
            assert [digraph.out_degree(x) for x in nodes] == out[:, t].tolist()
    return {
        "changed": made.edges.changed,
        "kept": made.edges.kept_share,
        "edges": graph.n_edges,
        "bound": made.bound,
        "blocks": made.promise.n_blocks,
        "seconds": seconds,
    }


def growing(name: str, k: int, first: int, step: int, times: int) -> dict:
    """A release of the first slices, extended several times, against releasing all of them at once."""
    graph = sets.load(name)
    labels = [part.label for part in graph.slices]
    frame = graph.to_polars()

    def part(begin: int, end: int) -> shoal.TemporalGraph:
        chosen = frame.filter(frame["slice"].is_in(labels[begin:end]))
        return shoal.TemporalGraph.from_edges(chosen, time="slice", slice="value")

    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        made = shoal.anonymize(part(0, first), k, seed=0, jobs=JOBS)
        made.save(folder / "0", private=folder / "0.json", report=False)
        changed, held = [made.edges.changed], []
        for i in range(times):
            begin = first + i * step
            made = shoal.extend(folder / f"{i}", part(begin, begin + step), folder / f"{i}.json", seed=0, jobs=JOBS)
            made.save(folder / f"{i + 1}", private=folder / f"{i + 1}.json", report=False)
            changed.append(made.edges.changed)
            held.append(len(made.after.held_back))
        holds = bool(shoal.verify([folder / f"{i}" for i in range(times + 1)], k))
    whole = shoal.anonymize(part(0, first + times * step), k, seed=0, jobs=JOBS)
    return {"changed": changed, "held_back": held, "holds": holds, "at_once": whole.edges.changed}


def grouping(name: str, k: int) -> dict:
    """Grouping alone: one start of greedy and the three efforts of search, in one process."""
    degrees = sets.load(name).degree_matrix()
    rng = np.random.default_rng
    search_groups(degrees, k, rng=rng(0), effort="fast")
    degree_anonymization(degrees[:200], k, rng=rng(0), restarts=1)
    greedy, found = _seconds(lambda: degree_anonymization(degrees, k, rng=rng(0), restarts=1))
    answer: dict[str, Any] = {"greedy": {"l1": found.cost, "seconds": greedy}}
    for effort in ("fast", "balanced", "thorough"):
        seconds, labels = _seconds(
            lambda effort=effort: search_groups(degrees, k, rng=rng(0), effort=effort, jobs=JOBS)
        )
        cost = l1_cost(degrees, labels, group_medians(degrees, labels)[0])
        answer[effort] = {"l1": cost, "seconds": seconds, "faster": greedy / seconds}
    return answer


def single(n: int, k: int) -> dict:
    """One slice: Barabási–Albert, five edges per node."""
    import networkx as nx

    _warm()
    graph = shoal.TemporalGraph.from_slices({"all": nx.barabasi_albert_graph(n, 5, seed=1)})
    degrees = graph.degree_matrix()
    labels = cheapest_runs(degrees[:, 0], k)
    bound = l1_cost(degrees, labels, group_medians(degrees, labels)[0]) / 2
    seconds, made = _seconds(lambda: shoal.anonymize(graph, k, seed=0, jobs=JOBS))
    return {"bound": bound, "changed": made.edges.changed, "seconds": seconds}


def vectors(k: int) -> dict:
    """Random vectors, 5,000 of 5 (geometric): search against MDAV and, where installed, k-means-constrained."""
    degrees = (np.random.default_rng(0).geometric(0.3, (5_000, 5)) - 1).astype(np.int32)
    search_groups(degrees[:300], k, rng=np.random.default_rng(0), effort="fast")
    answer = {}
    for effort in ("fast", "balanced"):
        work = lambda effort=effort: search_groups(  # noqa: E731
            degrees, k, rng=np.random.default_rng(0), effort=effort, jobs=JOBS
        )
        seconds, labels = _seconds(work)
        answer[f"search, {effort}"] = {"l1": _l1(degrees, labels), "seconds": seconds}
    seconds, labels = _seconds(lambda: _mdav(degrees, k))
    answer["MDAV"] = {"l1": _l1(degrees, labels), "seconds": seconds}
    try:
        from k_means_constrained import KMeansConstrained
    except ImportError:
        return answer
    model = KMeansConstrained(len(degrees) // k, size_min=k, random_state=0, n_init=1)
    seconds, labels = _seconds(lambda: model.fit_predict(degrees.astype(float)))
    answer["k-means-constrained"] = {"l1": _l1(degrees, np.asarray(labels)), "seconds": seconds}
    return answer


def _l1(degrees: np.ndarray, labels: np.ndarray) -> int:
    return l1_cost(degrees, labels, group_medians(degrees, labels)[0])


def _mdav(rows: np.ndarray, k: int) -> np.ndarray:
    """Maximum distance to average vector, in l1: the microaggregation everybody compares with."""
    labels, left, group = np.zeros(len(rows), np.int64), np.arange(len(rows)), 0
    while len(left) >= 2 * k:
        far = left[np.abs(rows[left] - rows[left].mean(axis=0)).sum(axis=1).argmax()]
        for centre in (far, None):
            if centre is None:
                if len(left) < 2 * k:
                    break
                centre = left[np.abs(rows[left] - rows[far]).sum(axis=1).argmax()]
            near = left[np.argsort(np.abs(rows[left] - rows[centre]).sum(axis=1), kind="stable")[:k]]
            labels[near] = group
            group += 1
            left = np.setdiff1d(left, near)
    labels[left] = group if len(left) >= k else max(group - 1, 0)
    return np.unique(labels, return_inverse=True)[1]


def folder(name: str, k: int) -> dict:
    """From an edge file to a verified release folder with its report."""
    _warm()
    graph = sets.load(name)
    with tempfile.TemporaryDirectory() as work:
        graph.to_polars().write_csv(f"{work}/edges.csv")
        graph.nodes.to_frame().write_csv(f"{work}/people.csv")
        del graph
        start = time.perf_counter()
        graph = shoal.read(f"{work}/edges.csv", time="slice", slice="value", nodes=f"{work}/people.csv")
        read = time.perf_counter() - start
        made = shoal.anonymize(graph, k, seed=0, jobs=JOBS)
        anonymized = time.perf_counter() - start
        made.save(Path(work) / "release")
        seconds = time.perf_counter() - start
    return {
        "people": graph.n_nodes,
        "edges": graph.n_edges,
        "read": read,
        "anonymize": anonymized - read,
        "write": seconds - anonymized,
        "seconds": seconds,
        "peak_mb": _peak_mb(),
        "l1_per_person": made.cost_l1 / graph.n_nodes,
        "changed_share": made.edges.changed / graph.n_edges,
    }


def optimum(name: str, k: int) -> dict:
    """Edges changed against the exact optimum of the degree program for the same groups, over all slices."""
    from shoal.realize import SliceView, choose_degrees
    from shoal.rebuild import rewire

    graph = sets.load(name)
    labels = search_groups(graph.degree_matrix(), k, rng=np.random.default_rng(0), jobs=JOBS)
    sizes, n = np.bincount(labels), graph.n_nodes
    best = ours = 0.0
    for _, edges in graph:
        rng = np.random.default_rng(0)
        view = SliceView(edges, labels)
        levels, gone, _ = choose_degrees(view, rng=rng, exact=True)
        best += 2 * gone.sum() + (sizes @ levels) / 2 - len(edges)
        levels, gone, _ = choose_degrees(view, rng=rng)
        new = rewire(view, levels[labels], deleted=gone, rng=rng)
        ours += len(np.setxor1d(edges @ np.array([n, 1]), new @ np.array([n, 1])))
    return {"program": best, "changed": ours, "above": ours / best - 1}


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](*json.loads(sys.argv[2]))))
