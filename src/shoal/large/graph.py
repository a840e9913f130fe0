"""A TemporalGraph whose edges lie in a work folder, slice by slice: whoever asks for a slice reads that slice."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.common.edges import edge_keys
from shoal.contacts.behind import Behind, reordered
from shoal.contacts.build import simple_slices
from shoal.engine import Result, Tell
from shoal.engine.parts import Array, Stored, load
from shoal.engine.work import Runner
from shoal.graph import Slice, Tally, TemporalGraph
from shoal.plan.shards import BLOCK_PEOPLE


class StoredGraph(TemporalGraph):
    """The same people, slices and edges, of which this process holds the people alone.

    `parts` has the arrays of every slice as `held_arrays` makes them; where degrees are missing they are counted from edges.
    Whatever needs all edges at once (`_edges`) reads them all.
    """

    def __init__(
        self,
        nodes: pl.Series,
        slices: Sequence[Slice],
        parts: Sequence[Mapping[str, Array]],
        run: Runner,
        *,
        directed: bool,
        ordered: bool,
        tally: Tally | None = None,
    ) -> None:
        starts = np.concatenate([[0], np.cumsum([len(part["edges"]) for part in parts], dtype=np.int64)])
        super().__init__(nodes, slices, np.empty(0), starts, directed=directed, ordered=ordered, tally=tally)
        self._parts, self.run = list(parts), run

    @property
    def _edges(self) -> np.ndarray:
        return np.concatenate([self.edges(t) for t in range(self.n_slices)])

    @_edges.setter
    def _edges(self, edges: np.ndarray) -> None:
        """They are in the files."""

    def held(self, t: int) -> Array:
        """Where the edges of slice t lie."""
        return self._parts[t]["edges"]

    def edges(self, t: int) -> np.ndarray:
        """The (m, 2) node indices of slice t, read now."""
        return load(self.held(t))

    def degree_blocks(self, size: int) -> list[list[Array]]:
        """Where the columns of the degree matrix lie."""
        n_blocks = -(-max(self.n_nodes, 1) // size)
        if size != BLOCK_PEOPLE or "0/0" not in self._parts[0]:
            return super().degree_blocks(size)
        sides = range(self.n_columns // self.n_slices)
        return [[part[f"{side}/{b}"] for side in sides for part in self._parts] for b in range(n_blocks)]

    def with_edges(self, slices: Sequence[Array]) -> TemporalGraph:
        """The same people and slices with other edges, which lie in files too or are arrays."""
        if not all(isinstance(edges, Stored) for edges in slices):
            return super().with_edges(slices)
        parts = [{"edges": edges} for edges in slices]
        return StoredGraph(self.nodes, self.slices, parts, self._runner, directed=self.directed, ordered=self.ordered)

    def placed(self, ids: pl.Series, place: np.ndarray) -> TemporalGraph:
        """The same slices over other people, made slice by slice."""
        name = hashlib.blake2b(place.tobytes(), digest_size=8).hexdigest()
        kept = self._runner.keep(f"place-{name}", place)
        behind = [None] * self.n_slices if self.contacts is None else self.contacts.behind
        pieces = [Placed(self.held(t), one, kept, len(ids), self.directed) for t, one in enumerate(behind)]
        parts = [done.arrays for done in self._runner(f"placed-{name}", _place, pieces)]
        made = StoredGraph(ids, self.slices, parts, self._runner, directed=self.directed, ordered=self.ordered)
        made.tally, made.slicing = self.tally, self.slicing
        if self.contacts is not None:
            made.contacts = replace(self.contacts, behind=tuple(map(behind_of, parts)))
        return made

    @property
    def _runner(self) -> Runner:
        assert self.run is not None
        return self.run


class Placed(NamedTuple):
    """A slice, what is kept behind its edges, and where everybody stands among the n people it is to be over; -1 for nowhere."""

    edges: Array
    behind: Behind | None
    place: Array
    n: int
    directed: bool


def _place(piece: Placed, threads: int, tell: Tell) -> Result:
    ends = load(piece.place)[load(piece.edges)]
    there = np.flatnonzero((ends >= 0).all(axis=1))
    edges = sorted_edges(ends[there], piece.n, directed=piece.directed)[0]
    arrays = held_arrays(edges, piece.n, piece.directed)
    if piece.behind is not None:
        keys = edge_keys(ends[there] if piece.directed else np.sort(ends[there], axis=1))
        counts, times = reordered(*piece.behind.loaded(), there[np.argsort(keys)])
        arrays |= {"counts": counts} | ({} if times is None else {"times": times})
    return Result({}, arrays)


def behind_of(part: Mapping[str, Array]) -> Behind:
    """What is kept behind the edges of a slice, among its arrays."""
    return Behind(part["counts"], part.get("times"))


def sorted_edges(ends: np.ndarray, n: int, *, directed: bool) -> tuple[np.ndarray, int]:
    """The edges of one slice as a graph has them, and how many repeats were merged."""
    edges, _, _, repeats = simple_slices(ends[:, 0], ends[:, 1], np.zeros(len(ends), np.int32), n, 1, directed=directed)
    return edges, repeats


def held_arrays(edges: np.ndarray, n: int, directed: bool) -> dict[str, Array]:
    """What is kept of a slice: edges, and degrees (or in-degrees, then out-degrees) in blocks of people."""
    arrays: dict[str, Array] = {"edges": edges}
    for side, ends in enumerate([edges[:, 1], edges[:, 0]] if directed else [edges.ravel()]):
        degrees = np.bincount(ends, minlength=n)
        degrees = degrees.astype(np.min_scalar_type(int(degrees.max(initial=0))))
        arrays |= {
            f"{side}/{b}": degrees[a : a + BLOCK_PEOPLE] for b, a in enumerate(range(0, max(n, 1), BLOCK_PEOPLE))
        }
    return arrays
