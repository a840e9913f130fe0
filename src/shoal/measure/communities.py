"""Communities of the graph added up over all slices, and how far two graphs agree on them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib import import_module

import numpy as np

from shoal.common import communities
from shoal.common.edges import edge_keys, runs
from shoal.errors import InputError
from shoal.graph import TemporalGraph
from shoal.measure import _kernels

NONE = -1  # the label of people outside every community
SMALLEST = 3  # people: two are an edge


def check_installed() -> None:
    """Say at once, and in one sentence, where the library is missing."""
    try:
        import_module("sknetwork.clustering")
    except ImportError as error:
        raise InputError(
            f"community agreement needs scikit-network, and {error.name or error} cannot be imported: "
            "pip install scikit-network, or compare with communities=False"
        ) from error


def smallest_community(n_nodes: int) -> int:
    """From how many people on a group is a community: three, or one in ten thousand of large graphs.

    Smaller ones are mostly the small components of a sparse graph, thousands of them, which say nothing that the
    components do not say, and the agreement takes time in the product of the two numbers of communities.

    >>> [smallest_community(n) for n in (10, 1_899, 100_000)]
    [3, 3, 10]
    """
    return max(SMALLEST, math.ceil(n_nodes / 10_000))


def louvain(graph: TemporalGraph, seed: int) -> np.ndarray:
    """The community of every node, found by scikit-network's Louvain; NONE outside every community.

    The edge between two people weighs as much as the number of slices they meet in (for a directed graph, both
    directions together).

    Examples
    --------
    >>> two_cliques = [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)]
    >>> labels = louvain(TemporalGraph.from_slices({"mon": two_cliques, "tue": two_cliques}, nodes=range(8)), seed=0)
    >>> bool(labels[0] == labels[1] == labels[2] != labels[3]), labels[6:].tolist()
    (True, [-1, -1])
    """
    n_nodes = graph.n_nodes
    if graph.n_edges == 0:
        return np.full(n_nodes, NONE, np.int64)
    labels = communities.louvain(graph._edges, n_nodes, seed)
    sizes = np.bincount(labels, minlength=1)
    return np.where(sizes[labels] >= smallest_community(n_nodes), labels, NONE)


def n_communities(labels: np.ndarray) -> int:
    """Communities, not counting the people outside all of them.

    >>> n_communities(np.array([0, 0, 0, 4, 4, 4, -1]))
    2
    """
    return len(np.unique(labels[labels != NONE]))


def agreement(one: np.ndarray, other: np.ndarray, people: np.ndarray) -> float | None:
    """Adjusted mutual information of two partitions: N. Vinh, J. Epps & J. Bailey, JMLR 11 (2010).

    With I the information that the partitions share, E its mean over all pairs of partitions of these sizes, and H their
    entropies, (I - E) / ((H_1 + H_2) / 2 - E), which is also scikit-learn's score.

    1 where the communities are the same, 0 where they agree no better than two random partitions of the same sizes do (it may
    then be slightly negative). People outside every community form a class of their own. None where neither graph
    has a community, 0 where only one has.

    Parameters
    ----------
    one, other
        (n,) what `louvain` gives.
    people
        Whom to count, those with an edge in either graph: a flag for each of n, or their numbers.

    Examples
    --------
    >>> everybody = np.ones(6, np.bool_)
    >>> agreement(np.array([0, 0, 0, 1, 1, 1]), np.array([7, 7, 7, 2, 2, 2]), everybody)
    1.0
    """
    one, other = one[people], other[people]
    found = (one != NONE).any(), (other != NONE).any()
    if not all(found):
        return 0.0 if any(found) else None
    (first, sizes), (second, others) = (
        np.unique(labels, return_inverse=True, return_counts=True)[1:] for labels in (one, other)
    )
    both = np.unique(first * len(others) + second, return_counts=True)[1]
    if len(both) == len(sizes) == len(others):
        return 1.0  # the same classes
    if min(len(sizes), len(others)) == 1:
        return 0.0
    apart, joint = _entropy(sizes) + _entropy(others), _entropy(both)
    expected = _kernels.expected_information(sizes, others, log_factorials(len(one)))
    return (apart - joint - expected) / (apart / 2 - expected)


def log_factorials(n: int) -> np.ndarray:
    """ln 0!, ln 1!, …, ln n!.

    >>> log_factorials(3).round(3).tolist()
    [0.0, 0.0, 0.693, 1.792]
    """
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])


def _entropy(sizes: np.ndarray) -> float:
    """Of somebody's class, where classes have these sizes."""
    shares = sizes / sizes.sum()
    return float(-(shares * np.log(shares)).sum())


def _between(graph: TemporalGraph, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of classes that have edges between them, and how many; slice by slice, so that few are looked at together."""
    parts = [(np.empty(0, np.int64), np.empty(0, np.int64))]
    for _, edges in graph:
        ends = classes[edges]
        parts.append(runs(edge_keys(ends if graph.directed else np.sort(ends, axis=1))))
    pairs, counts = (np.concatenate(of) for of in zip(*parts, strict=True))
    there, place = np.unique(pairs, return_inverse=True)
    return there, np.bincount(place, counts, minlength=len(there)).astype(np.int64)


def mixing(graphs: Sequence[TemporalGraph], labels: np.ndarray) -> tuple[list[float | None], list[np.ndarray]]:
    """Of each graph the share of the edges inside a community, and how many edges there are between every two classes of people.

    The classes are the communities given and the people outside all of them. The counts are histograms over the same pairs of
    classes, those that any of the graphs has edges between (ordered pairs where graphs are directed): the mixing matrix of
    M. Newman 2003, doi:10.1103/PhysRevE.67.026126.

    >>> graph = TemporalGraph.from_slices({"mon": [(0, 1), (1, 2), (0, 2), (2, 3)], "tue": [(3, 4)]})
    >>> mixing([graph], np.array([0, 0, 0, NONE, NONE]))
    ([0.6], [array([1, 1, 3])])
    """
    each = [_between(graph, labels + 1) for graph in graphs]  # 0 is outside
    blocks = np.unique(np.concatenate([there for there, _ in each]))
    counts = [np.zeros(len(blocks), np.int64) for _ in each]
    for count, (there, found) in zip(counts, each, strict=True):
        count[np.searchsorted(blocks, there)] = found
    inside = (blocks >> 32 == blocks & 0xFFFFFFFF) & (blocks > 0)
    return [int(c[inside].sum()) / int(c.sum()) if c.any() else None for c in counts], counts
