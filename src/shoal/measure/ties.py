"""Pairs of people over all slices: how many ever meet, in how many slices, after which gaps, how bursty. Directions are ignored."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from shoal.common.edges import edge_keys
from shoal.graph import TemporalGraph
from shoal.measure.structure import without_directions

TOGETHER = 500_000  # meetings that are sorted at once: thirty megabytes


class Ties(NamedTuple):
    """What `ties` finds. meetings[s] pairs meet in s slices; gaps[g] times a pair meets again after g slices, and not sooner."""

    meetings: np.ndarray
    gaps: np.ndarray
    burstiness_ties: float | None
    burstiness_people: float | None


def ties(graph: TemporalGraph) -> Ties:
    """Meetings, gaps and burstiness of a graph; where slices have no order there are no gaps.

    Burstiness is (σ - μ) / (σ + μ) of the gaps between somebody's active slices (or a pair's meetings), with σ their standard
    deviation and μ their mean: -1 for a clock, 0 for meetings at random moments, towards 1 for long silences between dense
    spells; K.-I. Goh & A.-L. Barabási 2008, doi:10.1209/0295-5075/81/48002. It is averaged over all who have at least two gaps.
    In slices a gap is a whole number, so meetings at random moments fall somewhat below 0. Gaps lie within one layer.

    Examples
    --------
    >>> graph = TemporalGraph.from_slices({"mon": [(0, 1), (1, 2)], "tue": [(0, 1)], "wed": [(1, 2)], "thu": [(0, 1)]})
    >>> found = ties(graph)
    >>> found.meetings.tolist(), found.gaps.tolist()
    ([0, 0, 1, 1], [0, 1, 2])
    """
    plain = [without_directions(edges) if graph.directed else edges for _, edges in graph]
    layers = np.unique([part.layer or "" for part in graph.slices], return_inverse=True)[1]
    counted = np.zeros(graph.n_nodes + 1, np.int64)  # meetings of the lower end of a pair, which slices are sorted by
    for edges in plain:
        counted[1:] += np.bincount(edges[:, 0], minlength=graph.n_nodes)
    before = np.cumsum(counted)
    cuts = np.unique([*np.searchsorted(before, np.arange(0, before[-1], TOGETHER)), graph.n_nodes])
    found = [_of_people(plain, first, last, layers) for first, last in pairwise(cuts.tolist())]
    active = np.zeros((graph.n_nodes, graph.n_slices), np.bool_)
    for t, edges in enumerate(plain):
        active[edges.ravel(), t] = True
    bursts = [burstiness(*gaps_of(np.flatnonzero(active[a:b]), layers)) for a, b in pairwise(cuts.tolist())]
    meetings, gaps = (_added([one[i] for one in found]) for i in (0, 1))
    if not graph.ordered:
        return Ties(meetings, np.zeros(1, np.int64), None, None)
    return Ties(meetings, gaps, _mean([one[2] for one in found]), _mean(bursts))


def _of_people(
    plain: list[np.ndarray], first: int, last: int, layers: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Meetings, gaps and every burstiness of the pairs whose lower end is one of these people."""
    parts = [edges[slice(*np.searchsorted(edges[:, 0], (first, last)))] for edges in plain]
    keys = np.concatenate([edge_keys(edges) for edges in parts])
    order = np.argsort(keys, kind="stable")  # slices of a pair stay in their order
    new = np.diff(keys[order], prepend=-1) != 0
    when = np.repeat(np.arange(len(parts)), [len(edges) for edges in parts])[order]
    gaps, pair = gaps_of((np.cumsum(new) - 1) * len(parts) + when, layers)
    meetings = np.bincount(np.diff(np.flatnonzero(new), append=len(keys)), minlength=1)
    return meetings, np.bincount(gaps, minlength=1), burstiness(gaps, pair)


def _added(histograms: list[np.ndarray]) -> np.ndarray:
    total = np.zeros(max((len(one) for one in histograms), default=1), np.int64)
    for one in histograms:
        total[: len(one)] += one
    return total


def _mean(parts: list[np.ndarray]) -> float | None:
    values = np.concatenate([*parts, np.empty(0)])
    return float(values.mean()) if len(values) else None


def gaps_of(events: np.ndarray, layers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The steps from each event of somebody to their next one in the same layer, and a number for whose in which layer.

    `events` are sorted whole numbers, who times the number of slices plus the slice; `layers` has the layer of every slice.

    >>> [found.tolist() for found in gaps_of(np.array([0, 1, 3, 5, 6]), np.zeros(4, np.int64))]  # slices 0, 1, 3 and 1, 2
    [[1, 2, 1], [0, 0, 1]]
    """
    who, when = np.divmod(events, len(layers))
    goes_on = (np.diff(who) == 0) & (np.diff(layers[when]) == 0)
    return np.diff(when)[goes_on], np.cumsum(~goes_on)[goes_on]


def burstiness(gaps: np.ndarray, whose: np.ndarray) -> np.ndarray:
    """(σ - μ) / (σ + μ) of everybody who has at least two gaps.

    In whole numbers up to the root, with n gaps of sum s and sum of squares q: σ is √(n q - s²) / n and μ is s / n.

    >>> burstiness(np.array([2, 2, 1, 5]), np.array([0, 0, 3, 3])).tolist()  # a clock, and (2 - 3) / (2 + 3)
    [-1.0, -0.2]
    """
    count = np.bincount(whose)
    total, squares = (np.bincount(whose, weights).astype(np.int64) for weights in (gaps, gaps * gaps))
    enough = count > 1
    spread = np.sqrt((count * squares - total * total)[enough])
    return (spread - total[enough]) / (spread + total[enough])


def overlap(one: np.ndarray, other: np.ndarray) -> float | None:
    """1 minus the total variation between two histograms, each as shares; None where one is empty.

    >>> overlap(np.array([0, 3, 1]), np.array([0, 1, 1]))
    0.75
    """
    if not one.sum() or not other.sum():
        return None
    bins = max(len(one), len(other))
    shares = [np.pad(counts, (0, bins - len(counts))) / counts.sum() for counts in (one, other)]
    return float(np.minimum(*shares).sum())


def mean_of(histogram: np.ndarray) -> float | None:
    """The mean of what a histogram counts.

    >>> mean_of(np.array([0, 3, 1]))
    1.25
    """
    total = int(histogram.sum())
    return float(np.arange(len(histogram)) @ histogram) / total if total else None
