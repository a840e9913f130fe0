"""One measurement each: pure functions of names and numbers, so that they can be run anywhere, kept, and run again."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from shoal.anonymize import anonymize
from shoal.common.progress import usable_cores
from shoal.group import degree_anonymization, group_medians, group_sizes, search_groups
from shoal.group.medians import l1_cost, middle
from shoal.measure import compare
from shoal.measure.temporal import adjacency_correlation
from shoal.paper.nearest import nearest_realizable
from shoal.paper.sets import flickering, load, reading_options
from shoal.read import read
from shoal.realize import enforce_realizability, satisfies_erdos_gallai

LP = "LP"
METHODS = ("greedy", LP, "search")


def _group(degrees: np.ndarray, method: str, k: int, seed: int) -> tuple[np.ndarray, int, int]:
    """Groups by one repetition of a method, the rounds it took and the round of its best (0 for the search)."""
    rng = np.random.default_rng([seed, k])
    if method == "search":
        return search_groups(degrees, k, rng=rng), 0, 0
    assignment = "optimal" if method == LP else method
    found = degree_anonymization(degrees, k, assignment=assignment, rng=rng, restarts=1)
    return found.labels, found.rounds[0], found.best_rounds[0]


def grouping(name: str, file: str | None, method: str, k: int, seed: int) -> dict[str, Any]:
    """Normalised cost of one repetition, its rounds, and how many slices are realizable apart from parity."""
    degrees = load(name, file).degree_matrix()
    start = time.perf_counter()
    labels, rounds, best_round = _group(degrees, method, k, seed)
    seconds = time.perf_counter() - start
    centres = middle(*group_medians(degrees, labels))
    sizes = group_sizes(labels)
    active = [t for t in range(degrees.shape[1]) if degrees[:, t].any()]
    return {
        "cost": _normalised(l1_cost(degrees, labels, centres), degrees),
        "rounds": rounds,
        "best_round": best_round,
        "seconds": seconds,
        "active": len(active),
        "realizable": sum(satisfies_erdos_gallai(centres[:, t], sizes) for t in active),
    }


def _normalised(cost: int, degrees: np.ndarray) -> float:
    n, width = degrees.shape
    return cost / (width * n * (n - 1))


def realizing(seed: int, count: int) -> dict[str, Any]:
    """Random k-anonymous sequences over 10 nodes that no graph has: cost of Eq. 4 and of EnforceRealizability."""
    rng, n = np.random.default_rng([4, seed]), 10
    exact: list[float] = []
    pivot: list[float] = []
    while len(exact) < count:
        k = int(rng.integers(2, 6))
        sizes = np.array(_random_sizes(rng, n, k))
        degrees = np.sort(rng.choice(n, len(sizes), replace=False))[::-1]
        if satisfies_erdos_gallai(degrees, sizes):
            continue
        for solve, costs in ((nearest_realizable, exact), (enforce_realizability, pivot)):
            costs.append(float((sizes * np.abs(solve(degrees, sizes) - degrees)).sum() / (n * (n - 1))))
    return {"exact": exact, "pivot": pivot}


def _random_sizes(rng: np.random.Generator, n: int, k: int) -> list[int]:
    """Sizes of at least k that add up to n."""
    sizes: list[int] = []
    while n:
        largest = n if n < 2 * k else int(rng.integers(k, n - k + 1))
        sizes.append(largest)
        n -= largest
    return sizes


def correlation(theta: float, method: str, k: int, repetitions: int) -> dict[str, Any]:
    """Average temporal correlation of a synthetic graph, and the costs of several repetitions on it."""
    graph = flickering(theta)
    degrees = graph.degree_matrix()
    slices = [edges for _, edges in graph]
    found = [adjacency_correlation(before, after, graph.n_nodes) for before, after in pairwise(slices)]
    costs = []
    for seed in range(repetitions):
        labels, _, _ = _group(degrees, method, k, seed)
        costs.append(_normalised(l1_cost(degrees, labels, middle(*group_medians(degrees, labels))), degrees))
    return {"correlation": float(np.mean([one or 0.0 for one in found])), "costs": costs}


def _by(method: str) -> dict[str, Any]:
    """The method, with one random start where it has those."""
    return {"method": method} if method == "search" else {"method": method, "restarts": 1}


def similarity(name: str, file: str | None, method: str, k: int) -> dict[str, Any]:
    """PageRank similarity of a release to the original, slice by slice."""
    graph = load(name, file)
    release = anonymize(graph, k, **_by(method), seed=0, jobs=1)
    slices = compare(graph, release.graph, communities=False).slices
    return {
        "labels": [one.label for one in graph.slices],
        "edges": slices["edges_original"].to_list(),
        "similarity": slices["pagerank_similarity"].fill_nan(None).to_list(),
        "kept_share": release.edges.kept_share,
    }


def seconds(name: str, file: str | None, method: str, effort: str, k: int, repetitions: int) -> dict[str, Any]:
    """Seconds of whole anonymizations on all cores; where there are several, one before them is not counted.

    So kernels are compiled before the clock starts: by that one, or by the smaller graphs that come first.
    """
    graph, jobs = load(name, file), usable_cores()
    times = []
    for seed in range(repetitions + (repetitions > 1)):
        start = time.perf_counter()
        anonymize(graph, k, **_by(method), effort=effort, seed=seed, jobs=jobs)
        times.append(time.perf_counter() - start)
    return {"seconds": times[-repetitions:]}


def irvine_facts(file: str) -> dict[str, Any]:
    """What the public Irvine data hold of "20,296 interactions over a period of 51 days"."""
    options = reading_options("Irvine", Path(file)) | {"slice": None}
    by_day = read(file, **options | {"slice": "1d"})
    counts = by_day.slice_sizes()
    windows = np.convolve(counts, np.ones(min(51, len(counts)), np.int64), "valid")
    return {
        "days": by_day.n_slices,
        "busiest_51_days": int(windows.max()),
        "sender_receiver_pairs": read(file, **options, slices=1, directed=True).n_edges,
    }


# What each of them finds; a kept result that is not of this form is measured again.
RESULTS = {
    "grouping": ("cost", "rounds", "best_round", "seconds", "active", "realizable"),
    "realizing": ("exact", "pivot"),
    "correlation": ("correlation", "costs"),
    "similarity": ("labels", "edges", "similarity", "kept_share"),
    "seconds": ("seconds",),
    "irvine_facts": ("days", "busiest_51_days", "sender_receiver_pairs"),
}

TASKS: dict[str, Callable[..., dict[str, Any]]] = {
    task.__name__: task for task in (grouping, realizing, correlation, similarity, seconds, irvine_facts)
}
