"""The whole method on one page: group the people, give each group one degree vector, rebuild every slice.

An attacker knows somebody's degree in every slice and looks for the one person in the release who has that vector.
So people are put into groups of at least k with similar vectors; each group gets one vector for all its members; every slice
becomes a graph in which they have it, sharing as many edges as possible with the original. Whoever looks for one of
them then finds at least k.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.crowds import smallest_class
from shoal.errors import GuaranteeError, InputError
from shoal.graph import TemporalGraph
from shoal.group import degree_anonymization, group_medians, group_sizes
from shoal.group.medians import middle
from shoal.progress import Progress, map_in_order, usable_cores
from shoal.randomness import Randomness
from shoal.realize import realize_slice
from shoal.rebuild import priority
from shoal.release import Release

__all__ = ["METHODS", "Release", "anonymize"]

METHODS = ("greedy", "optimal")


def anonymize(
    graph: TemporalGraph,
    k: int,
    *,
    method: str = "greedy",
    seed: int | None = None,
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
        "greedy" or "optimal", the two of Rossi, Musolesi & Torsello 2015.
    seed
        For a release that can be made again; by default the randomness comes from the operating system.
    restarts
        Random starts of the grouping, of which the best is kept.
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
    _check_parameters(graph, k, method, restarts)
    jobs, progress = jobs or usable_cores(), progress or Progress()
    chance = Randomness(seed, graph.digest())
    degrees = graph.degree_matrix()

    with progress.stage("grouping", restarts) as step:
        grouping = degree_anonymization(
            degrees, k, assignment=method, rng=chance.stream("group"), restarts=restarts, jobs=jobs, progress=step
        )
    labels, sizes = grouping.labels, group_sizes(grouping.labels)
    centres = middle(*group_medians(degrees, labels))

    def release_slice(t: int) -> tuple[np.ndarray, np.ndarray]:
        chosen = realize_slice(centres[:, t], sizes, degrees[:, t], labels)[labels]
        return chosen, priority(graph.edges(t), chosen, chance.stream(f"rebuild/{t}"))

    with progress.stage("rebuilding", graph.n_slices) as step:
        parts = map_in_order(release_slice, range(graph.n_slices), jobs, step)
    chosen = np.column_stack([degrees_of for degrees_of, _ in parts]).astype(np.int32)
    released = graph.with_edges([edges for _, edges in parts])
    _check_result(released, chosen, k)
    return Release(
        original=graph, graph=released, k=k, method=method, labels=labels, degrees=chosen, chance=chance,
        rounds=grouping.rounds,
    )  # fmt: skip


def _check_parameters(graph: TemporalGraph, k: Any, method: str, restarts: int) -> None:
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise InputError(f"k must be a whole number from 1; got {k}")
    if k > graph.n_nodes:
        raise InputError(f"k must be at most the number of people, {graph.n_nodes:,}; got {k:,}")
    if method not in METHODS:
        raise InputError(f"unknown method '{method}'; known are {', '.join(METHODS)}")
    if restarts < 1:
        raise InputError(f"restarts must be at least 1; got {restarts}")
    if graph.directed:
        raise InputError("directed graphs cannot be anonymized yet; read the file without directions")


def _check_result(released: TemporalGraph, chosen: np.ndarray, k: int) -> None:
    """What was promised, looked at once more before anybody gets it."""
    found = released.degree_matrix()
    if not np.array_equal(found, chosen):
        raise GuaranteeError("a slice was rebuilt with other degrees than chosen; please report this")
    if smallest_class(found) < k:
        raise GuaranteeError(f"a degree vector occurs fewer than {k} times; please report this")
