"""TemporalGraph: a fixed set of people and, for every time bin or layer, a simple graph on them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.common.checks import a_list
from shoal.contacts.behind import EdgeContacts, Edges
from shoal.engine.parts import Array, load
from shoal.errors import InputError
from shoal.graph.makers import Makers
from shoal.graph.parts import Parts
from shoal.graph.slices import Slice, Tally
from shoal.interop import Conversions
from shoal.interop.packages import wrong
from shoal.show import notebook
from shoal.slicing import Slicing

if TYPE_CHECKING:
    from shoal.engine.work import Runner


class TemporalGraph(Makers, Conversions, Parts):
    """A time-varying or multi-layer graph over a fixed node set, each slice simple.

    Make one with `from_edges`, `from_events`, `from_slices` or one of the other `from_...`, or read a file with `shoal.read`.

    Parameters
    ----------
    nodes
        The ids, sorted, without repeats. Node i is the i-th of them.
    slices
        The labels of the slices, in order.
    edges
        (E, 2) int32 node indices, sorted by slice, then source, then target. Undirected edges have source < target.
    starts
        (T + 1,) where each slice begins in `edges`.
    directed, ordered
        Whether edges have a direction, and whether the slices follow each other in time.

    Examples
    --------
    >>> graph = TemporalGraph.from_slices({"mon": [("ann", "bob")], "tue": [("ann", "bob"), ("bob", "cem")]})
    >>> graph
    TemporalGraph(3 nodes, 2 slices, 3 edges, undirected)
    >>> graph.degree_matrix().tolist()
    [[1, 1], [1, 2], [0, 1]]
    """

    def __init__(
        self,
        nodes: pl.Series,
        slices: Iterable[Slice],
        edges: np.ndarray,
        starts: np.ndarray,
        *,
        directed: bool = False,
        ordered: bool = True,
        tally: Tally | None = None,
    ) -> None:
        self.nodes = nodes.alias("node")
        self.slices = tuple(slices)
        self.directed = directed
        self.ordered = ordered
        self.tally = tally
        self.slicing: Slicing | None = None
        self.contacts: EdgeContacts | None = None
        self._edges = edges
        self._starts = starts

    def _stored(self) -> Edges:
        return Edges(self._edges, self._starts, self.n_nodes, self.directed)

    @property
    def n_nodes(self) -> int:
        """People, isolated ones included."""
        return len(self.nodes)

    @property
    def n_slices(self) -> int:
        """Time bins or layers, empty ones included."""
        return len(self.slices)

    @property
    def n_edges(self) -> int:
        """Edges over all slices."""
        return int(self._starts[-1])

    @property
    def has_layers(self) -> bool:
        """Whether slices are layers, or layers and time bins together."""
        return any(s.layer is not None for s in self.slices)

    def places(self, ids: Iterable[Any]) -> np.ndarray:
        """Where these people stand among the nodes; numbers may come as text, as they do from files.

        >>> TemporalGraph.from_slices({"mon": [("ann", "bob")]}).places(["bob"]).tolist()
        [1]
        """
        place = {str(node): i for i, node in enumerate(self.nodes.to_list())}
        try:
            return np.array([place[str(one)] for one in a_list("people", ids)], np.int64)
        except KeyError as error:
            raise InputError(f"nobody in the graph is called {error}") from None

    def edges(self, t: int) -> np.ndarray:
        """The (m, 2) node indices of slice t; a view, not a copy."""
        return self._edges[self._starts[t] : self._starts[t + 1]]

    def __iter__(self) -> Iterator[tuple[str, np.ndarray]]:
        """Iterate over (label, edges)."""
        return ((s.label, self.edges(t)) for t, s in enumerate(self.slices))

    def __len__(self) -> int:
        return self.n_slices

    def slice_sizes(self) -> np.ndarray:
        """Edges in each slice."""
        return np.diff(self._starts)

    run: Runner | None = None  # of a graph that lies in a work folder: who reads it there

    def held(self, t: int) -> Array:
        """The edges of slice t as a piece of work carries them: here an array, elsewhere where it lies."""
        return self.edges(t)

    @property
    def n_columns(self) -> int:
        """Degrees that somebody has: one for every slice, or two where edges have a direction."""
        return self.n_slices * (2 if self.directed else 1)

    def degree_column(self, c: int) -> np.ndarray:
        """One column of the degree matrix."""
        edges, n = self.edges(c % max(self.n_slices, 1)), self.n_nodes
        ends = edges[:, int(c < self.n_slices)] if self.directed else edges.ravel()
        return np.bincount(ends, minlength=n).astype(np.int32) if len(ends) else np.zeros(n, np.int32)

    def degree_matrix(self) -> np.ndarray:
        """What the attacker knows: (n, T) degrees; for a directed graph (n, 2T), all in-degrees, then all out-degrees."""
        degrees = np.empty((self.n_nodes, self.n_columns), np.int32)
        for c in range(self.n_columns):
            degrees[:, c] = self.degree_column(c)
        return degrees

    def degree_blocks(self, size: int) -> list[list[Array]]:
        """The columns of the degree matrix for so many people after the other, as pieces of work carry them."""
        degrees = self.degree_matrix()
        return [list(degrees[first : first + size].T) for first in range(0, max(self.n_nodes, 1), size)]

    def contact_counts(self) -> list[np.ndarray]:
        """For every slice, how many contacts are behind each of its edges; the graph must keep them."""
        return [load(one.counts) for one in self._kept().behind]

    def _kept(self) -> EdgeContacts:
        if self.contacts is None:
            raise InputError("this graph does not keep the contacts behind its edges; read it with contacts='counts'")
        return self.contacts

    def strength_column(self, c: int) -> np.ndarray:
        """How many contacts everybody has: one column of the strength matrix."""
        t, n = c % max(self.n_slices, 1), self.n_nodes
        edges, counts = self.edges(t), load(self._kept().behind[t].counts)
        sides = [int(c < self.n_slices)] if self.directed else [0, 1]
        return sum((np.bincount(edges[:, side], counts, minlength=n) for side in sides), np.zeros(n)).astype(np.int64)

    def strength_matrix(self) -> np.ndarray:
        """(n, T) how many contacts everybody has in each slice; (n, 2T) of a directed graph, as in `degree_matrix`."""
        return np.stack([self.strength_column(c) for c in range(self.n_columns)], axis=1)

    def slice_codes(self) -> np.ndarray:
        """For every edge, the number of its slice."""
        return np.repeat(np.arange(self.n_slices, dtype=np.int32), self.slice_sizes())

    def digest(self) -> bytes:
        """A hash of everything that makes this graph what it is."""
        h = hashlib.blake2b(digest_size=32)
        h.update(repr((self.directed, self.slices, self.n_nodes)).encode())
        for i, some in enumerate(self.nodes.to_frame().iter_slices(100_000)):
            h.update(("\n" * (i > 0) + "\n".join(map(str, some["node"].to_list()))).encode())
        h.update(np.concatenate([[0], np.cumsum(self.slice_sizes(), dtype=np.int64)]).tobytes())
        for t in range(self.n_slices):
            h.update(np.ascontiguousarray(self.edges(t), np.int32).data)
        return h.digest()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TemporalGraph):
            return NotImplemented
        return (
            self.directed == other.directed
            and [s.label for s in self.slices] == [s.label for s in other.slices]
            and self.nodes.equals(other.nodes)
            and np.array_equal(self._starts, other._starts)
            and np.array_equal(self._edges, other._edges)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        return f"TemporalGraph({self.n_nodes:,} nodes, {self.n_slices:,} slices, {self.n_edges:,} edges, {kind})"

    @staticmethod
    def check(graph: object, function: str) -> None:
        """Refuse anything else, in the one place that says what to do about it."""
        if not isinstance(graph, TemporalGraph):
            raise wrong(function, "a shoal.TemporalGraph, which TemporalGraph.from_networkx and others make", graph)

    def _repr_html_(self) -> str:
        """For notebooks: the sizes, and the slices folded away."""
        rows = [(part.label, size) for part, size in zip(self.slices, self.slice_sizes().tolist(), strict=True)]
        return notebook.paragraph(repr(self)) + notebook.folded("slices", notebook.table(["slice", "edges"], rows))
