"""Which part of the original an attacker holds: the slices up to a moment, a random share of the edges, some layers, or a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.errors import InputError
from shoal.graph import TemporalGraph


@dataclass(frozen=True)
class Known:
    """The part of an original that somebody holds with names.

    Parameters
    ----------
    share
        Of the slices, from the first on; or of the edges.
    edges
        Whether `share` is a random share of the edges of all slices.
    layers
        The layers that are known, in place of a share.
    contacts
        Contacts with the ids of the original, in place of a share: those of them that are in the original too are known. A
        contact is the same in a slice of the same name; where no name of a slice is in both, two people are enough.

    Examples
    --------
    >>> graph = TemporalGraph.from_slices({"mon": [(1, 2)], "tue": [(1, 2)], "wed": [(2, 3)]})
    >>> Known(0.5).of(graph, np.random.default_rng(0)).slices.tolist()
    [0, 1]
    """

    share: float = 0.5
    edges: bool = False
    layers: Sequence[str] | None = None
    contacts: TemporalGraph | None = None

    def __post_init__(self) -> None:
        if self.layers is None and self.contacts is None and not 0 < self.share < 1:
            what = "nobody is known" if self.share <= 0 else "everything is known, so nothing is left to learn"
            raise InputError(f"what is known is a share above 0 and below 1; got {self.share:g}: {what}")

    def of(self, graph: TemporalGraph, rng: np.random.Generator) -> Part:
        """Which edges and slices of a graph that is."""
        codes, n = graph.slice_codes(), graph.n_slices
        if self.contacts is not None:
            which, slices, rest = _in_both(graph, self.contacts), np.arange(n), np.arange(n)
            words = f"{int(which.sum()):,} of the {graph.n_edges:,} edges of the original"
        elif self.edges:
            which = rng.random(graph.n_edges) < self.share
            words = f"a random {self.share:.0%} of the contacts"
            slices = rest = np.arange(n)
        else:
            slices, words = self._slices(graph)
            which, rest = np.isin(codes, slices), np.setdiff1d(np.arange(n), slices)
        if not which.any():
            raise InputError(f"there are no contacts in what is known ({words}); let the attacker know more")
        if which.all():
            raise InputError(f"there are no contacts beside what is known ({words}); let the attacker know less")
        return Part(which, slices, rest, words)

    def _slices(self, graph: TemporalGraph) -> tuple[np.ndarray, str]:
        if self.layers is not None:
            there = {part.layer for part in graph.slices}
            if missing := [name for name in self.layers if name not in there]:
                raise InputError(f"there is no layer '{missing[0]}'")
            chosen = [t for t, part in enumerate(graph.slices) if part.layer in self.layers]
            if len(chosen) == graph.n_slices:
                raise InputError("every layer is known, so nothing is left to learn")
            return np.array(chosen), "the layers " + ", ".join(self.layers)
        starts = [part.start if graph.ordered else part.label for part in graph.slices]
        moment = {start: i for i, start in enumerate(dict.fromkeys(starts))}  # layers share their moments
        if len(moment) < 2:
            raise InputError(
                "there is one slice, so knowing the first ones leaves nothing to learn; let some edges be known"
            )
        count = min(max(round(self.share * len(moment)), 1), len(moment) - 1)
        chosen = [t for t, start in enumerate(starts) if moment[start] < count]
        return np.array(chosen), f"the contacts of the first {count:,} of {len(moment):,} slices"


def _in_both(graph: TemporalGraph, other: TemporalGraph) -> np.ndarray:
    """Which edges of the graph are in the other one too, by id; in the same slice where both have slices of one name."""
    if graph.directed != other.directed:
        raise InputError("the contacts that are known have directions and the original has not, or the other way round")
    place = {str(node): i for i, node in enumerate(graph.nodes.to_list())}
    own = np.array([place.get(str(node), -1) for node in other.nodes.to_list()], np.int64)
    if (own < 0).all():
        raise InputError("nobody in the contacts that are known is in the original; the ids have to be the same")
    ends = own[other._edges]
    ends = ends if graph.directed else np.sort(ends, axis=1)
    labels = {part.label: t for t, part in enumerate(graph.slices)}
    same = np.array([labels.get(part.label, -1) for part in other.slices], np.int64)
    timed = bool((same >= 0).any())
    where = same[other.slice_codes()] if timed else np.zeros(len(ends), np.int64)
    known = ends[(ends >= 0).all(axis=1) & (where >= 0)], where[(ends >= 0).all(axis=1) & (where >= 0)]
    n, mine = graph.n_nodes, graph.slice_codes() if timed else np.zeros(graph.n_edges, np.int64)

    def keys(pairs: np.ndarray, slices: np.ndarray) -> np.ndarray:
        return (slices.astype(np.int64) * n + pairs[:, 0]) * n + pairs[:, 1]

    return np.isin(keys(graph._edges.astype(np.int64), mine), keys(*known))


@dataclass(frozen=True)
class Part:
    """The known edges (a mask), the slices they are compared in, those claims are made about, and all this in words."""

    edges: np.ndarray
    slices: np.ndarray
    rest: np.ndarray
    words: str
