"""To and from the packages people already use: one short file for each, imported when it is asked for.

The methods below are those of `TemporalGraph`. A new package is a file with a function in, a function out, and two methods here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    import networkx
    import pandas
    import pyarrow
    import scipy.sparse

    from shoal.graph import TemporalGraph


class Conversions:
    """`from_...` and `to_...` of a TemporalGraph. Tables go in through `TemporalGraph.from_edges`, whatever made them."""

    @classmethod
    def from_networkx(
        cls,
        graphs: networkx.Graph | Iterable[networkx.Graph] | Mapping[Any, networkx.Graph],
        *,
        time: str | None = None,
        layer: str | None = None,
        directed: bool | None = None,
        ordered: bool = True,
        **cut: Any,
    ) -> TemporalGraph:
        """Build from networkx: a dict or list of snapshots, or one graph whose edges have a time or a layer.

        `time` and `layer` name edge attributes of one graph; its time is cut as in `from_edges` (`slice`, `slices`,
        `timezone`, ...). Snapshots of a list are labelled 0, 1, 2 and so on. All nodes are kept. Directions are those of the
        graphs; `directed=False` drops them. Snapshots are layers with `ordered=False`.

        >>> import networkx as nx
        >>> from shoal import TemporalGraph
        >>> calls = nx.MultiGraph([("ann", "bob", {"time": "2024-05-01"}), ("ann", "bob", {"time": "2024-05-02"})])
        >>> TemporalGraph.from_networkx(calls, time="time", slice="1d")
        TemporalGraph(2 nodes, 2 slices, 2 edges, undirected)
        >>> TemporalGraph.from_networkx([nx.path_graph(3), nx.star_graph(4)])
        TemporalGraph(5 nodes, 2 slices, 6 edges, undirected)
        """
        from shoal.interop.networkx import from_networkx

        return from_networkx(_graphs(cls), graphs, time=time, layer=layer, directed=directed, ordered=ordered, **cut)

    def to_networkx(self) -> dict[str, networkx.Graph]:
        """One networkx graph per label, each with every node; `layer` and `start` of the slice are graph attributes."""
        from shoal.interop.networkx import to_networkx

        return to_networkx(_graph(self))

    def to_multigraph(self) -> networkx.MultiGraph:
        """One networkx multigraph whose edges have the attributes `time` and `layer`, as GraphML and GEXF can hold it.

        >>> from shoal import TemporalGraph
        >>> graph = TemporalGraph.from_slices({"mon": [("ann", "bob")], "tue": [("ann", "bob")]})
        >>> list(graph.to_multigraph().edges(data="time"))
        [('ann', 'bob', 'mon'), ('ann', 'bob', 'tue')]
        """
        from shoal.interop.networkx import to_multigraph

        return to_multigraph(_graph(self))

    @classmethod
    def from_networkx_temporal(cls, graph: Any, *, directed: bool | None = None, ordered: bool = True) -> TemporalGraph:
        """Build from a networkx-temporal graph: each of its snapshots is a slice. Cut it first with its own `slice`."""
        from shoal.interop.networkx_temporal import from_networkx_temporal

        return from_networkx_temporal(_graphs(cls), graph, directed=directed, ordered=ordered)

    def to_networkx_temporal(self) -> Any:
        """A networkx-temporal `TemporalGraph` or `TemporalDiGraph` whose index holds the labels."""
        from shoal.interop.networkx_temporal import to_networkx_temporal

        return to_networkx_temporal(_graph(self))

    @classmethod
    def from_dynetx(cls, graph: Any, *, directed: bool | None = None) -> TemporalGraph:
        """Build from a DyNetx `DynGraph` or `DynDiGraph`: one slice per snapshot id; an interaction is in all of its span."""
        from shoal.interop.dynetx import from_dynetx

        return from_dynetx(_graphs(cls), graph, directed=directed)

    def to_dynetx(self) -> Any:
        """A DyNetx `DynGraph` or `DynDiGraph`.

        Snapshot ids are the labels where these are growing whole numbers, else 0, 1, 2 and so on; its graph attribute
        `slices` maps them to the labels.
        """
        from shoal.interop.dynetx import to_dynetx

        return to_dynetx(_graph(self))

    @classmethod
    def from_scipy(
        cls, matrices: Any, *, nodes: Iterable[Any] | None = None, directed: bool = False, ordered: bool = True
    ) -> TemporalGraph:
        """Build from a dict or list of adjacency matrices, or one: scipy sparse, or numpy. Whatever is not 0 is a contact.

        `nodes` names the rows; by default they are 0, 1, 2 and so on.

        >>> import scipy.sparse
        >>> from shoal import TemporalGraph
        >>> matrix = scipy.sparse.coo_array(([1], ([0], [1])), shape=(3, 3))
        >>> TemporalGraph.from_scipy({"mon": matrix, "tue": matrix}, nodes=["ann", "bob", "cem"])
        TemporalGraph(3 nodes, 2 slices, 2 edges, undirected)
        """
        from shoal.interop.scipy import from_scipy

        return from_scipy(_graphs(cls), matrices, nodes=nodes, directed=directed, ordered=ordered)

    def to_scipy(self) -> dict[str, scipy.sparse.csr_array]:
        """One sparse adjacency matrix per label, rows and columns in the order of `nodes`; symmetric if undirected."""
        from shoal.interop.scipy import to_scipy

        return to_scipy(_graph(self))

    def to_polars(self) -> pl.DataFrame:
        """One row per edge: source, target, slice, and layer where there are layers.

        People without contacts and slices without edges are not in the table; `from_edges` takes them beside it:

        >>> from shoal import TemporalGraph
        >>> graph = TemporalGraph.from_slices({"mon": [("ann", "bob")], "tue": []}, nodes=["cem"])
        >>> labels = [s.label for s in graph.slices]
        >>> TemporalGraph.from_edges(graph.to_polars(), time="slice", slice=labels, nodes=graph.nodes) == graph
        True
        """
        from shoal.interop.tables import to_polars

        return to_polars(_graph(self))

    def to_pandas(self) -> pandas.DataFrame:
        """The rows of `to_polars` as a pandas frame."""
        from shoal.interop.tables import to_pandas

        return to_pandas(_graph(self))

    def to_arrow(self) -> pyarrow.Table:
        """The rows of `to_polars` as a pyarrow table."""
        from shoal.interop.tables import to_arrow

        return to_arrow(_graph(self))


def _graphs(conversions: Any) -> type[TemporalGraph]:
    """The class itself, which is handed on: what is converted to stands below what converts."""
    return conversions


def _graph(conversions: Any) -> TemporalGraph:
    """These are methods of nothing but a TemporalGraph."""
    return conversions
