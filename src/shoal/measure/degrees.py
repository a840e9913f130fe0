"""What degrees say: their distribution, who meets whom, and who the hubs are."""

from __future__ import annotations

import math

import numpy as np


def degrees_of(edges: np.ndarray, n_nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """How often every node is the first and the second end of an edge; their sum is the degree.

    >>> [side.tolist() for side in degrees_of(np.array([[0, 1], [0, 2]]), 3)]
    [[2, 0, 0], [0, 1, 1]]
    """
    return np.bincount(edges[:, 0], minlength=n_nodes), np.bincount(edges[:, 1], minlength=n_nodes)


def degree_distance(one: np.ndarray, other: np.ndarray) -> float | None:
    """Total variation between two degree distributions: ½ Σ_d |p(d) - q(d)|; None without people.

    It is the smallest share of people whose degree must change to turn one histogram into the other, from 0 (the same
    histogram) to 1 (no degree in common). Of the usual distances it is the strictest: Kolmogorov-Smirnov's is never
    larger, and would hide a release in which degrees merely gather on few values, which is what k-anonymity
    does. It does not see how far a degree moved, nor whose it was.

    >>> degree_distance(np.array([1, 1, 2, 2]), np.array([2, 1, 1, 1]))
    0.25
    """
    if len(one) == 0:
        return None
    bins = int(max(one.max(), other.max())) + 1
    gap = np.bincount(one, minlength=bins) - np.bincount(other, minlength=bins)
    return float(np.abs(gap).sum() / 2 / len(one))


def assortativity(edges: np.ndarray, n_nodes: int, *, directed: bool = False) -> float | None:
    """Pearson correlation of the degrees at the two ends of an edge: M. Newman 2003, doi:10.1103/PhysRevE.67.026126.

    Undirected edges count both ways. In a directed slice it is the out-degree of the source against the in-degree of the
    target, the default of networkx.degree_assortativity_coefficient. Computed in whole numbers up to the last division,
    so it is None exactly where it is undefined: without edges, and where all degrees at one side are equal.

    >>> assortativity(np.array([[0, 1], [0, 2], [0, 3]]), 4)
    -1.0
    >>> assortativity(np.array([[0, 1], [1, 2], [0, 2]]), 3) is None
    True
    """
    first, second = degrees_of(edges, n_nodes)
    if not directed:
        first = second = first + second
    times = 1 if directed else 2
    count = times * len(edges)
    product = times * int(first[edges[:, 0]] @ second[edges[:, 1]])  # at most 2 m²: fits for two thousand million edges
    mean_1, square_1 = _power_sums(first)
    mean_2, square_2 = _power_sums(second)
    spread = (count * square_1 - mean_1**2) * (count * square_2 - mean_2**2)
    if spread <= 0:
        return None
    return max(-1.0, min(1.0, (count * product - mean_1 * mean_2) / math.sqrt(spread)))


def _power_sums(degrees: np.ndarray) -> tuple[int, int]:
    """Σ d² and Σ d³ in Python's whole numbers: every node is the end of d edges and adds d or d² for each."""
    counts = np.bincount(degrees)
    there = [(d, int(counts[d])) for d in np.flatnonzero(counts).tolist()]
    return sum(n * d**2 for d, n in there), sum(n * d**3 for d, n in there)


def n_hubs(n_nodes: int) -> int:
    """How many people count as hubs: one in a hundred, but ten where ten are at most one in ten.

    >>> [n_hubs(n) for n in (5, 61, 151, 1_899, 100_000)]
    [1, 7, 10, 19, 1000]
    """
    return max(math.ceil(n_nodes / 100), min(10, math.ceil(n_nodes / 10)))


def hub_overlap(one: np.ndarray, other: np.ndarray) -> float | None:
    """The share of the people of highest degree that two graphs have in common; None where neither has edges.

    Nobody without edges is a hub. A k-anonymous release is full of ties, so ties are not broken: where c people share
    the last r places, each holds r / c of a place. With h and g these weights in the two graphs,

        overlap = Σ min(h_i, g_i) / max(Σ h_i, Σ g_i).

    >>> hub_overlap(np.array([9, 1, 1]), np.array([5, 0, 5]))
    0.5
    """
    if len(one) == 0:
        return None
    places_1, places_2 = _hub_places(one), _hub_places(other)
    total = max(places_1.sum(), places_2.sum())
    return min(1.0, float(np.minimum(places_1, places_2).sum() / total)) if total else None


def _hub_places(degrees: np.ndarray) -> np.ndarray:
    wanted = n_hubs(len(degrees))
    last = np.partition(degrees, -wanted)[-wanted]
    if last == 0:
        return (degrees > 0).astype(np.float64)
    above, level = degrees > last, degrees == last
    return above + level * ((wanted - np.count_nonzero(above)) / np.count_nonzero(level))
