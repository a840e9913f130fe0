"""TemporalGraph: a fixed set of people and, for every time bin or layer, a simple graph on them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from shoal.common.checks import a_list, yes_or_no
from shoal.contacts import build
from shoal.contacts.behind import EdgeContacts, Edges, contacts_behind
from shoal.contacts.slices import encode_slices
from shoal.engine.parts import Array
from shoal.errors import InputError, spoken
from shoal.graph.parts import Parts
from shoal.interop import Conversions
from shoal.interop.packages import wrong
from shoal.show import notebook
from shoal.slicing.timebins import parse_width

if TYPE_CHECKING:
    from shoal.engine.work import Runner


class Slice(NamedTuple):
    """One time bin or layer. `label` is unique; `layer` and `start` say what it is made of."""

    label: str
    layer: str | None = None
    start: str | None = None


class Tally(NamedTuple):
    """What became of the input: contacts (its rows), and how many of them were self-loops or repeats within a slice.

    `unused` are columns that were not looked at, `guessed` says which column was taken for what where nobody had said it,
    and `remarks` are sentences about what was assumed or looks odd. They quote the input: they are for its owner alone.
    """

    rows: int
    self_loops: int
    repeats: int
    unused: tuple[str, ...] = ()
    guessed: Mapping[str, str] = MappingProxyType({})
    remarks: tuple[str, ...] = ()


_UNITS = {"s": "second", "m": "minute", "h": "hour", "d": "day", "w": "week", "mo": "month", "y": "year"}


class Cut(NamedTuple):
    """How time was cut: into slices of a width or into so many, in whose calendar, and begun how much later."""

    width: str | None
    slices: int | None
    timezone: str
    offset: str | None

    def in_words(self) -> str:
        """What stands behind the number of slices.

        >>> Cut("1w", None, "UTC", "5h").in_words()
        'of 1 week in the calendar of UTC, begun 5h later'
        """
        if self.slices is not None:
            return "of equal length"
        if self.width is None or self.width == "value":
            return "as listed" if self.width is None else "one for each distinct time"
        later = "" if self.offset is None else f", begun {self.offset} later"
        count, unit = parse_width(self.width)
        return f"of {count} {_UNITS[unit]}{'s' * (count > 1)} in the calendar of {self.timezone}{later}"


class TemporalGraph(Conversions, Parts):
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
        self.cut: Cut | None = None
        self.contacts: EdgeContacts | None = None
        self._edges = edges
        self._starts = starts

    @classmethod
    def from_edges(
        cls,
        frame: Any,
        source: str | None = None,
        target: str | None = None,
        time: str | None = None,
        layer: str | None = None,
        *,
        end: str | None = None,
        slice: str | Sequence[Any] | None = None,
        slices: int | None = None,
        timezone: str = "UTC",
        offset: str | None = None,
        time_format: str | None = None,
        time_unit: str = "s",
        day_first: bool | None = None,
        origin: str | None = None,
        nodes: Iterable[Any] | None = None,
        directed: bool = False,
        contacts: str | None = None,
        count: str | None = None,
    ) -> TemporalGraph:
        """Build from a table of contacts: polars, pandas, pyarrow, a dict of columns, anything that speaks Arrow.

        Columns that are not named are guessed as `shoal.read` does, and `graph.tally` says how; a time is guessed only where
        it is to be cut.

        `time` is cut by `slice` ("1h", "1d", "1w", "1mo", "1y" or "value") or into `slices` equal parts; `layer` gives
        one slice per layer; both together one per (layer, bin). Without either there is one slice. A list of values as
        `slice` names the slices in their order, empty ones included. A contact that lasts from `time` to `end` is in every
        slice that this touches; where one of the two is missing it lasts from the first slice, or to the last.

        With `contacts` ("times" or "counts") the graph keeps the contacts behind its edges, for a release that has them; `count`
        is a column that says how many contacts a line stands for.

        >>> TemporalGraph.from_edges({"a": [1, 2], "b": [2, 3], "t": [0, 90_000]}, "a", "b", time="t", slice="1d")
        TemporalGraph(3 nodes, 2 slices, 2 edges, undirected)
        """
        columns, said = build.contact_columns(
            frame, {"source": source, "target": target, "time": time, "layer": layer, "end": end, "count": count},
            cut=slice is not None or slices is not None,
        )  # fmt: skip
        extra = None if nodes is None else build.ids_as_series(a_list("nodes", nodes))
        yes_or_no("directed", directed)
        ids, ends = build.encode_ids([columns["source"], columns["target"]], extra)
        how = {
            "slice": slice, "slices": slices, "timezone": timezone, "offset": offset, "time_format": time_format,
            "time_unit": time_unit, "day_first": day_first, "origin": origin,
        }  # fmt: skip
        found = encode_slices(columns.get("time"), columns.get("layer"), columns.get("end"), **how)
        if found.rows is not None:
            ends = [side[found.rows] for side in ends]
        labels = [Slice(*x) for x in found.labels]
        made = cls._from_codes(ids, ends, found.codes, labels, directed=directed, ordered="time" in columns)
        made.contacts = contacts_behind(made._stored(), ends, found, columns, contacts, how)
        assert made.tally is not None
        remarks = (*map(spoken, found.said), *build.alike(ids))
        made.tally = made.tally._replace(unused=said.unused, guessed=said.guessed, remarks=remarks)
        if "time" in columns:
            made.cut = Cut(slice if isinstance(slice, str) else None, slices, timezone, offset)
        return made

    @classmethod
    def from_events(
        cls,
        events: Iterable[tuple[Any, Any, Any]],
        *,
        slice: str | None = None,
        slices: int | None = None,
        **options: Any,
    ) -> TemporalGraph:
        """Build from contacts (u, v, t). Without a width every distinct t is a slice.

        >>> TemporalGraph.from_events([(1, 2, 2001), (2, 3, 2002)]).slices[1].label
        '2002'
        """
        rows = [tuple(a_list("an event", row)) for row in a_list("events", events)]
        if any(len(row) != 3 for row in rows):
            raise InputError("an event is (u, v, t): two people and a time")
        frame = {"source": [r[0] for r in rows], "target": [r[1] for r in rows], "time": [r[2] for r in rows]}
        width = "value" if slice is None and slices is None else slice
        return cls.from_edges(frame, time="time", slice=width, slices=slices, **options)

    @classmethod
    def from_slices(
        cls,
        slices: Mapping[Any, Any],
        *,
        nodes: Iterable[Any] | None = None,
        directed: bool = False,
        ordered: bool = True,
    ) -> TemporalGraph:
        """Build from one graph per label: pairs of ids, a networkx graph, or a scipy sparse matrix.

        >>> import networkx as nx
        >>> TemporalGraph.from_slices({"a": nx.path_graph(3), "b": nx.star_graph(4)}, ordered=False)
        TemporalGraph(5 nodes, 2 slices, 6 edges, undirected)
        """
        if not isinstance(slices, Mapping) or not slices:
            raise InputError("a graph needs at least one slice: a mapping from its label to its contacts")
        yes_or_no("directed", directed)
        yes_or_no("ordered", ordered)
        sources, targets, codes, people = [], [], [], [] if nodes is None else a_list("nodes", nodes)
        for code, content in enumerate(slices.values()):
            pairs, members = build.pairs_of(content)
            people += members
            sources += [u for u, _ in pairs]
            targets += [v for _, v in pairs]
            codes += [code] * len(pairs)
        ids, ends = build.encode_ids(build.same_kind(sources, targets, people))
        labels = [Slice(str(label), *((None, str(label)) if ordered else (str(label), None))) for label in slices]
        if len({s.label for s in labels}) < len(labels):
            raise InputError("two slices have the same label")
        return cls._from_codes(ids, ends[:2], np.array(codes, np.int32), labels, directed=directed, ordered=ordered)

    @classmethod
    def _from_codes(
        cls,
        ids: pl.Series,
        ends: list[np.ndarray],
        codes: np.ndarray,
        slices: list[Slice],
        *,
        directed: bool,
        ordered: bool,
    ) -> TemporalGraph:
        edges, starts, loops, repeats = build.simple_slices(
            ends[0], ends[1], codes, len(ids), len(slices), directed=directed
        )
        tally = Tally(len(ends[0]), loops, repeats)
        return cls(ids, slices, edges, starts, directed=directed, ordered=ordered, tally=tally)

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
        if self.contacts is None:
            raise InputError("this graph does not keep the contacts behind its edges; read it with contacts='counts'")
        return np.split(self.contacts.counts, self._starts[1:-1])

    def strength_matrix(self) -> np.ndarray:
        """(n, T) how many contacts everybody has in each slice; (n, 2T) of a directed graph, as in `degree_matrix`."""
        found = np.zeros((2, self.n_nodes, self.n_slices), np.int64)
        for t, counts in enumerate(self.contact_counts()):
            for side in (0, 1):
                found[side, :, t] = np.bincount(self.edges(t)[:, side], counts, minlength=self.n_nodes)
        return np.hstack([found[1], found[0]]) if self.directed else found[0] + found[1]

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
