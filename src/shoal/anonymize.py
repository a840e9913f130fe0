"""The whole method on one page: group the people, give each group one degree vector, rebuild every slice.

An attacker knows somebody's degree in every slice and looks for the one person in the release who has that vector. So
people are put into groups of at least k with similar vectors; each group gets one vector for all its members; every
slice becomes a graph in which they have it, sharing as many edges as possible with the original. Whoever looks for one
of them then finds at least k.

| stage | method "search" | methods "greedy" and "optimal" (Rossi, Musolesi & Torsello 2015) |
|---|---|---|
| group | `search_groups` | `degree_anonymization` |
| realize | `choose_degrees` | medians, `realize_slice` |
| rebuild | `rewire` | `priority` |
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from shoal.crowds import smallest_class
from shoal.errors import GuaranteeError, InputError
from shoal.graph import TemporalGraph
from shoal.group import EFFORTS, degree_anonymization, group_medians, group_sizes, lower_bound, search_groups
from shoal.group.medians import middle
from shoal.group.neighbours import find_crowd
from shoal.progress import Progress, run_jobs, usable_cores
from shoal.randomness import Randomness
from shoal.realize import choose_degrees, realize_slice
from shoal.rebuild import priority, rewire, rewire_single
from shoal.release import Release

__all__ = ["METHODS", "Release", "anonymize"]

METHODS = ("search", "greedy", "optimal")
OBJECTIVES = ("edges", "l1")
# Slices up to this many edges go to the exact solver of the degree program.
EXACT_EDGES = {"fast": 0, "balanced": 1_000, "thorough": 4_000}


def anonymize(
    graph: TemporalGraph,
    k: int,
    *,
    method: str = "search",
    seed: int | None = None,
    effort: str = "balanced",
    time_limit: float | None = None,
    objective: str = "edges",
    deletion_weight: float = 1.0,
    restarts: int = 5,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Release:
    """Release a graph in which everybody shares their temporal degree vector with at least k - 1 others.

    Parameters
    ----------
    graph
        What is to be published.
    k
        The size of the smallest crowd, from 1 (no protection) to the number of people.
    method
        "search", or one of the paper's two, "greedy" and "optimal".
    seed
        For a release that can be made again; by default the randomness comes from the operating system.
    effort
        "fast", "balanced" or "thorough": how long the search looks for better groups and degrees.
    time_limit
        Seconds after which the grouping stops and the best so far is taken. The result then depends on the machine.
    objective
        "edges" chooses degrees for which the fewest edges change; "l1" takes medians, as the paper does.
    deletion_weight
        How many added edges a removed one is worth. Above 1 the release rather invents contacts than loses them.
    restarts
        Random starts of the paper's methods, of which the best is kept.
    jobs
        Threads; by default all cores. The result does not depend on it.
    progress
        Told how far the work is.

    Examples
    --------
    >>> import networkx as nx
    >>> graph = TemporalGraph.from_slices({"club": nx.karate_club_graph()})
    >>> release = anonymize(graph, k=3, seed=7)
    >>> release.min_class_size >= 3
    True
    """
    _check_parameters(graph, k, method, effort, objective, deletion_weight, restarts)
    jobs, progress = jobs or usable_cores(), progress or Progress()
    chance = Randomness(seed, graph.digest())
    degrees, n, searching = graph.degree_matrix(), graph.n_nodes, method == "search"

    with progress.stage("comparing", 100) as tell:
        crowd = find_crowd(degrees, k, jobs=jobs, progress=tell)
    with progress.stage("grouping", 100 if searching else restarts) as tell:
        rng = chance.stream("group")
        rounds: list[int] = []
        if searching:
            labels = search_groups(
                degrees, k, rng=rng, effort=effort, time_limit=time_limit, jobs=jobs, progress=tell, crowd=crowd
            )
        else:
            labels, _, rounds, _ = degree_anonymization(
                degrees, k, assignment=method, rng=rng, restarts=restarts, jobs=jobs, progress=tell
            )
    sizes = group_sizes(labels)
    centres = middle(*group_medians(degrees, labels))

    def by_paper(t: int) -> np.ndarray:
        chosen = realize_slice(centres[:, t], sizes, degrees[:, t], labels)
        return _exactly(chosen[labels], priority(graph.edges(t), chosen[labels], chance.stream(f"rebuild/{t}")))

    def by_medians(t: int) -> np.ndarray:
        chosen = realize_slice(centres[:, t], sizes, degrees[:, t], labels)
        return _exactly(chosen[labels], rewire(graph.edges(t), n, chosen[labels], rng=chance.stream(f"rebuild/{t}")))

    def by_program(t: int) -> np.ndarray:
        edges, rng = graph.edges(t), chance.stream(f"rebuild/{t}")
        chosen, deleted = choose_degrees(
            edges, n, labels, sizes, deletion_weight=deletion_weight, rng=rng, exact_edges=EXACT_EDGES[effort]
        )
        return _exactly(chosen[labels], rewire(edges, n, chosen[labels], deleted=deleted, rng=rng))

    def by_class(t: int) -> np.ndarray:
        rng = chance.stream(f"rebuild/{t}")
        return rewire_single(graph.edges(t), n, labels, k, deletion_weight=deletion_weight, rng=rng)

    rebuild: Callable[[int], np.ndarray]
    if not searching:
        rebuild = by_paper
    elif objective == "l1":
        rebuild = by_medians
    else:
        rebuild = by_class if graph.n_slices == 1 else by_program
    with progress.stage("rebuilding", graph.n_slices) as tell:
        released = graph.with_edges(run_jobs(rebuild, range(graph.n_slices), jobs, tell))
    with progress.stage("bounding", 1):
        bound = lower_bound(degrees, k, jobs=jobs, crowd=crowd)
    if smallest_class(released.degree_matrix()) < k:
        raise GuaranteeError(f"a degree vector occurs fewer than {k} times; nothing was released, please report this")
    return Release(original=graph, graph=released, k=k, method=method, chance=chance, rounds=rounds, bound=bound)


def _exactly(wanted: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """The edges, if they have these degrees: what was promised, looked at once more before anybody gets it."""
    if not np.array_equal(np.bincount(edges.ravel(), minlength=len(wanted)), wanted):
        raise GuaranteeError(
            "a slice was rebuilt with other degrees than chosen; nothing was released, please report this"
        )
    return edges


def _check_parameters(
    graph: TemporalGraph, k: Any, method: str, effort: str, objective: str, deletion_weight: float, restarts: int
) -> None:
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise InputError(f"k must be a whole number from 1; got {k}")
    if k > graph.n_nodes:
        raise InputError(f"k must be at most the number of people, {graph.n_nodes:,}; got {k:,}")
    for name, value, known in (
        ("method", method, METHODS),
        ("effort", effort, tuple(EFFORTS)),
        ("objective", objective, OBJECTIVES),
    ):
        if value not in known:
            raise InputError(f"unknown {name} '{value}'; known are {', '.join(known)}")
    if not 0 < deletion_weight <= 1_000:
        raise InputError(f"deletion_weight must be above 0 and at most 1,000; got {deletion_weight}")
    if restarts < 1:
        raise InputError(f"restarts must be at least 1; got {restarts}")
    if graph.directed:
        raise InputError("directed graphs cannot be anonymized yet; read the file without directions")
