"""A TemporalGraph made from another one: other edges, other names, some of the people, some of the slices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.engine.parts import Array, load
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.graph import TemporalGraph


class Parts:
    """Methods of `TemporalGraph` that give another one; none of them changes the graph it is asked of."""

    def with_edges(self, slices: Sequence[Array]) -> TemporalGraph:
        """The same people and slices with other edges: one sorted (m, 2) int32 array per slice."""
        graph = _graph(self)
        starts = np.concatenate([[0], np.cumsum([len(e) for e in slices], dtype=np.int64)])
        edges = np.concatenate([*map(load, slices), np.empty((0, 2), np.int32)]).astype(np.int32, copy=False)
        return _of_arrays()(graph.nodes, graph.slices, edges, starts, directed=graph.directed, ordered=graph.ordered)

    def renamed(self, ids: pl.Series) -> TemporalGraph:
        """The same graph with other ids: the i-th of `ids` for node i."""
        order = ids.arg_sort().to_numpy()
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        return self.placed(ids.sort(), place)

    def over(self, ids: pl.Series) -> TemporalGraph:
        """The same slices over these people: those who were not there have no edges, and edges of others are gone.

        >>> from shoal import TemporalGraph
        >>> graph = TemporalGraph.from_slices({"mon": [("ann", "bob"), ("bob", "cem")]})
        >>> graph.over(pl.Series(["ann", "bob", "eve"]))
        TemporalGraph(3 nodes, 1 slices, 1 edges, undirected)
        """
        ids = ids.sort()
        place = {node: i for i, node in enumerate(ids.to_list())}
        return self.placed(ids, np.array([place.get(node, -1) for node in _graph(self).nodes.to_list()], np.int32))

    def placed(self, ids: pl.Series, place: np.ndarray) -> TemporalGraph:
        """The same slices over the people `ids`, among whom node i is the one at `place[i]`, or nobody at -1."""
        graph = _graph(self)
        ends = place[graph._edges]
        there = (ends >= 0).all(axis=1)
        u, v, codes = ends[there, 0], ends[there, 1], graph.slice_codes()[there]
        made = _of_arrays()._from_codes(
            ids, [u, v], codes, list(graph.slices), directed=graph.directed, ordered=graph.ordered
        )
        made.tally, made.slicing = graph.tally, graph.slicing  # of the same lines of the same file
        if graph.contacts is not None:
            made.contacts = graph.contacts.moved(made._stored(), u, v, codes, there)
        return made

    def subgraph(self, people: Iterable[Any]) -> TemporalGraph:
        """These people and the edges among them, in all slices.

        >>> from shoal import TemporalGraph
        >>> TemporalGraph.from_slices({"mon": [("ann", "bob"), ("bob", "cem")]}).subgraph(["ann", "bob"])
        TemporalGraph(2 nodes, 1 slices, 1 edges, undirected)
        """
        graph = _graph(self)
        places = np.unique(graph.places(people))
        if not len(places):
            raise InputError("a subgraph needs at least one person")
        return graph.over(graph.nodes.gather(places))

    def between(self, start: Any = None, end: Any = None) -> TemporalGraph:
        """The slices from `start` to `end`, both included, and everybody; each is a label, or what a slice begins with.

        A date that is no label stands for the slices that begin on it or later (`start`), on it or earlier (`end`).

        >>> from shoal import TemporalGraph
        >>> graph = TemporalGraph.from_slices({"2024-05-01": [(1, 2)], "2024-05-02": [(1, 3)], "2024-06-01": [(2, 3)]})
        >>> [part.label for part in graph.between("2024-05-02", "2024-06").slices]
        ['2024-05-02', '2024-06-01']
        """
        graph = _graph(self)
        if not graph.ordered:
            raise InputError("these slices have no order in time, so there is nothing between them")
        starts = [part.start or part.label for part in graph.slices]
        bins = {label: i for i, label in enumerate(dict.fromkeys(starts))}
        low, high = _place(bins, start, 0, first=True), _place(bins, end, len(bins) - 1, first=False)
        chosen = [t for t, label in enumerate(starts) if low <= bins[label] <= high]
        if not chosen:
            raise InputError(
                f"there is no slice from '{start}' to '{end}'; they go from '{starts[0]}' to '{starts[-1]}'"
            )
        edges = [graph.edges(t) for t in chosen]
        bounds = np.concatenate([[0], np.cumsum([len(e) for e in edges], dtype=np.int64)])
        slices, kept = [graph.slices[t] for t in chosen], np.concatenate(edges)
        made = _of_arrays()(graph.nodes, slices, kept, bounds, directed=graph.directed, ordered=True)
        if graph.contacts is not None:
            made.contacts = graph.contacts.of_slices(chosen)
        return made


def _graph(parts: Any) -> TemporalGraph:
    """These are methods of nothing but a TemporalGraph."""
    return parts


def _of_arrays() -> type[TemporalGraph]:
    from shoal.graph import TemporalGraph

    return TemporalGraph


def _place(bins: dict[str, int], wanted: Any, otherwise: int, *, first: bool) -> int:
    """Which time bin is meant, by its label, by how labels begin, or by where it would stand in the calendar."""
    if wanted is None:
        return otherwise
    text = str(wanted)
    if text in bins:
        return bins[text]
    begin = [i for label, i in bins.items() if label.startswith(text)]
    if begin:
        return begin[0] if first else begin[-1]
    if not all(label[:4].isdigit() for label in bins) or not text[:4].isdigit():
        raise InputError(f"there is no slice '{text}'; the first is '{next(iter(bins))}', the last '{list(bins)[-1]}'")
    if first:
        return next((i for label, i in bins.items() if label >= text), len(bins))
    return max((i for label, i in bins.items() if label <= text), default=-1)
