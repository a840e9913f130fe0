"""Who can be reached along time, and how far an outbreak gets.

Both are walks that take at most one step in a slice: whoever has something at the beginning of a slice may hand it on to their
neighbours in it, and these from the next slice on. Directions are followed. Layers of the same time are one slice here: two people
who meet in any of them meet. Without an order in time, in a single slice, and without any edge there is nothing to measure.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.common.randomness import Randomness
from shoal.graph import TemporalGraph
from shoal.measure import _spread_kernels as kernels

# Up to MOST people reach is counted from everybody and RUNS outbreaks are drawn; beyond it there are FEWER starts for each.
MOST, RUNS, FEWER = 20_000, 4_096, 128
RECOVERY = 0.2  # chance to get well after a slice: five slices of handing on, neither one contact nor the whole period
_BLOCK = 16  # words of 64 runs that are one piece of work for a thread


class Kind(NamedTuple):
    """What spreads: with which chance over a contact, and with which chance somebody gets well after a slice."""

    passes: float
    recovers: float = 0.0


KINDS = {
    "reach": Kind(1.0),
    "outbreak_si_20": Kind(0.2),
    "outbreak_si_50": Kind(0.5),
    "outbreak_sir_20": Kind(0.2, RECOVERY),
    "outbreak_sir_50": Kind(0.5, RECOVERY),
}


class Bins(NamedTuple):
    """A graph in the order of time: its edges, where each bin of them begins, and what the bins are called."""

    edges: np.ndarray
    starts: np.ndarray
    labels: list[str]


def bins_of(graph: TemporalGraph) -> Bins | None:
    """The layers of the same time together; None where there is nothing to walk along.

    >>> rows = {"u": [1, 2, 1], "v": [2, 3, 3], "t": [0, 1, 1], "l": ["calls", "calls", "mail"]}
    >>> bins = bins_of(TemporalGraph.from_edges(rows, "u", "v", time="t", layer="l", slice="value"))
    >>> bins.starts.tolist(), bins.labels
    ([0, 1, 3], ['0', '1'])
    """
    labels = list(dict.fromkeys(part.start or part.label for part in graph.slices))
    if not graph.ordered or len(labels) < 2 or graph.n_edges == 0:
        return None
    place = {label: i for i, label in enumerate(labels)}
    slices = [place[part.start or part.label] for part in graph.slices]
    starts = np.concatenate([[0], np.cumsum(np.bincount(slices, graph.slice_sizes()))]).astype(np.int64)
    if slices == sorted(slices):  # they stand in this order
        return Bins(graph._edges, starts, labels)
    return Bins(np.concatenate([graph.edges(t) for t in np.argsort(slices, kind="stable")]), starts, labels)


class Runs(NamedTuple):
    """Rows of 64 people from whom 64 runs start, -1 for no run, and for every row the key of its draws."""

    sources: np.ndarray
    keys: np.ndarray


def runs_of(kind: str, n_nodes: int, seed: int) -> Runs:
    """Everybody starts as often as everybody else, up to one, in an order drawn from the seed; the same for all outbreaks.

    >>> sorted(runs_of("reach", 3, 0).sources[0].tolist())[-4:]
    [-1, 0, 1, 2]
    """
    count = FEWER if n_nodes > MOST else n_nodes if kind == "reach" else RUNS
    rng = Randomness(seed, b"spread").stream(kind.partition("_")[0])
    sources = np.full((-(-count // 64), 64), -1, np.int64)
    sources.ravel()[:count] = np.resize(rng.permutation(n_nodes), count)
    return Runs(sources, rng.integers(0, 2**64, len(sources), np.uint64))


def spread(bins: Bins, kind: str, runs: Runs, n_nodes: int, *, directed: bool) -> np.ndarray:
    """How many people a thing of this kind reaches for the first time: at the beginning, then bin by bin; over all runs.

    The draws for a contact depend on the run, the bin and the two people alone, so in two graphs a contact that both have
    hands it on in both or in neither, and what differs is not chance. SI and SIR are the classical models (W. Kermack & A.
    McKendrick 1927, doi:10.1098/rspa.1927.0118) at contacts that come and go.

    Examples
    --------
    >>> graph = TemporalGraph.from_slices({"mon": [(0, 1)], "tue": [(1, 2)], "wed": [(0, 1)]})
    >>> spread(bins_of(graph), "reach", runs_of("reach", 3, 0), 3, directed=False).tolist()
    [3, 2, 3, 1]
    """
    chances = np.array([round(kernels.ALWAYS * chance) for chance in KINDS[kind]], np.int64)
    return kernels.spread(bins.edges, bins.starts, *runs, not directed, chances, n_nodes)


class Task(NamedTuple):
    """A piece of the work: some of the runs of a kind in one of the graphs."""

    bins: Bins
    kind: str
    runs: Runs


def tasks_of(bins: Bins, n_nodes: int, seed: int) -> list[Task]:
    """All runs of all kinds in one graph, in pieces."""
    tasks = []
    for kind in KINDS:
        runs = runs_of(kind, n_nodes, seed)
        pieces = [slice(i, i + _BLOCK) for i in range(0, len(runs.keys), _BLOCK)]
        tasks += [Task(bins, kind, Runs(runs.sources[piece], runs.keys[piece])) for piece in pieces]
    return tasks


def mean_delay(new: np.ndarray) -> float | None:
    """After how many slices somebody is reached, on average over all who are; None where nobody is.

    >>> mean_delay(np.array([3, 2, 3, 1]))
    1.83...
    """
    reached = int(new[1:].sum())
    return float(np.arange(len(new)) @ new) / reached if reached else None
