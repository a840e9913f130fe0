"""Ways to make a TemporalGraph: from a table of contacts, from events, from one graph per slice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.common.checks import a_list, yes_or_no
from shoal.contacts import build
from shoal.contacts.behind import contacts_behind
from shoal.contacts.slices import encode_slices
from shoal.errors import InputError, spoken
from shoal.graph.slices import Slice, Tally
from shoal.slicing import Slicing

if TYPE_CHECKING:
    from shoal.graph import TemporalGraph


class Makers:
    """Methods of the class `TemporalGraph` that make one of something else; `Conversions` has those of other packages."""

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

        With `contacts` (as in `shoal.read`) the graph keeps the contacts behind its edges, for a release that has them; `count`
        is a column that says how many contacts a line stands for.

        >>> from shoal import TemporalGraph
        >>> TemporalGraph.from_edges({"a": [1, 2], "b": [2, 3], "t": [0, 90_000]}, "a", "b", time="t", slice="1d")
        TemporalGraph(3 nodes, 2 slices, 2 edges, undirected)
        """
        slicing = Slicing(slice, slices, timezone, offset, time_format, time_unit, day_first, origin)
        names = {"source": source, "target": target, "time": time, "layer": layer, "end": end, "count": count}
        return cls._from_contacts(frame, names, slicing, nodes=nodes, directed=directed, contacts=contacts)

    @classmethod
    def _from_contacts(
        cls,
        frame: Any,
        names: dict[str, str | None],
        slicing: Slicing,
        *,
        nodes: Iterable[Any] | None,
        directed: bool,
        contacts: str | None = None,
    ) -> TemporalGraph:
        """The same, from columns by what they mean and one object that says how time is cut."""
        columns, said = build.contact_columns(frame, names, cut=slicing.cuts)
        extra = None if nodes is None else build.ids_as_series(a_list("nodes", nodes))
        yes_or_no("directed", directed)
        ids, ends = build.encode_ids([columns["source"], columns["target"]], extra)
        times, layers, last = (columns.get(role) for role in ("time", "layer", "end"))
        found = encode_slices(times, layers, last, slicing)
        if found.rows is not None:
            ends = [side[found.rows] for side in ends]
        labels = [Slice(*x) for x in found.labels]
        made = cls._from_codes(ids, ends, found.codes, labels, directed=directed, ordered="time" in columns)
        made.contacts = contacts_behind(made._stored(), ends, found, columns, contacts, slicing)
        assert made.tally is not None
        remarks = (*map(spoken, found.said), *build.alike(ids))
        made.tally = made.tally._replace(unused=said.unused, guessed=said.guessed, remarks=remarks)
        made.slicing = slicing if "time" in columns else None
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

        >>> from shoal import TemporalGraph
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
        >>> from shoal import TemporalGraph
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
        return _graphs(cls)(ids, slices, edges, starts, directed=directed, ordered=ordered, tally=tally)


def _graphs(makers: Any) -> type[TemporalGraph]:
    """These are methods of nothing but TemporalGraph."""
    return makers
