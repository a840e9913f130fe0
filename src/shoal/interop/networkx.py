"""networkx: snapshots, or one graph whose edges carry a time or a layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shoal.contacts import build
from shoal.errors import InputError
from shoal.interop.packages import labelled, package, wrong

if TYPE_CHECKING:
    import networkx

    from shoal.graph import TemporalGraph

_EXPECTED = "a networkx graph, or a list or dict of them"
_OTHERS = {"networkx_temporal": "from_networkx_temporal", "dynetx": "from_dynetx"}


def from_networkx(
    cls: type[TemporalGraph],
    graphs: Any,
    *,
    time: str | None,
    layer: str | None,
    directed: bool | None,
    ordered: bool,
    **cut: Any,
) -> TemporalGraph:
    """One graph or many; see `TemporalGraph.from_networkx`."""
    nx = package("networkx")
    if isinstance(graphs, nx.Graph):
        _refuse_relatives(graphs)
        return _from_one(cls, graphs, time, layer, direction([graphs], directed), cut)
    if not isinstance(graphs, Mapping | list | tuple):
        raise wrong("from_networkx", _EXPECTED, graphs)
    if time is not None or layer is not None or cut:
        raise InputError(
            "a time, a layer and how to cut them are for one graph; a list or dict of graphs is cut already"
        )
    snapshots = labelled(graphs)
    for one in snapshots.values():
        if not isinstance(one, nx.Graph):
            raise wrong("from_networkx", _EXPECTED, one)
        _refuse_relatives(one)
    made = cls.from_slices(snapshots, directed=direction(snapshots.values(), directed), ordered=ordered)
    return _with_what_shoal_wrote(made, list(snapshots.values()))


def direction(graphs: Any, wanted: bool | None) -> bool:
    """Whether the result has directions: what was wanted, where the graphs can give it, else what they have."""
    have = {bool(graph.is_directed()) for graph in graphs}
    if wanted is None and len(have) > 1:
        raise InputError("some graphs have directions and some do not; say directed=False to drop the directions")
    if wanted and False in have:
        raise InputError("directed=True, but the edges have no direction")
    return have == {True} if wanted is None else wanted


def _refuse_relatives(graph: Any) -> None:
    """Graphs of other packages that are networkx graphs too, but whose edges mean something else."""
    for kind in type(graph).__mro__:
        method = _OTHERS.get(kind.__module__.split(".")[0])
        if method is not None:
            raise InputError(f"this is a graph of {kind.__module__.split('.')[0]}: use TemporalGraph.{method}")


def _from_one(
    cls: type[TemporalGraph], graph: Any, time: str | None, layer: str | None, directed: bool, cut: dict[str, Any]
) -> TemporalGraph:
    rows = list(graph.edges(data=True))
    for name in (time, layer):
        have = sorted({str(key) for _, _, data in rows for key in data})
        if name is not None and rows and name not in have:
            raise InputError(f"no edge has the attribute '{name}'; the attributes are {', '.join(have) or 'none'}")
    sources, targets, people = build.same_kind([u for u, _, _ in rows], [v for _, v, _ in rows], list(graph.nodes))
    table: dict[str, Any] = {"source": sources, "target": targets}
    table |= {name: [data.get(name) for _, _, data in rows] for name in (time, layer) if name is not None}
    if len(table) < 2 + (time is not None) + (layer is not None):
        raise InputError("the attributes of time and layer differ, and are not called source or target")
    return cls.from_edges(table, time=time, layer=layer, nodes=people, directed=directed, **cut)


def _with_what_shoal_wrote(made: TemporalGraph, graphs: list[Any]) -> TemporalGraph:
    """Layer and start of every slice, where all graphs have them as `to_networkx` writes them."""
    if not all({"layer", "start"} <= graph.graph.keys() for graph in graphs):
        return made
    slices = [
        part._replace(layer=graph.graph["layer"], start=graph.graph["start"])
        for part, graph in zip(made.slices, graphs, strict=True)
    ]
    ordered = any(part.start is not None for part in slices)
    return type(made)(
        made.nodes, slices, made._edges, made._starts, directed=made.directed, ordered=ordered, tally=made.tally
    )


def to_networkx(graph: TemporalGraph) -> dict[str, networkx.Graph]:
    """One graph per label, each with every node."""
    nx = package("networkx")
    ids = graph.nodes.to_list()
    graphs = {}
    for part, (label, edges) in zip(graph.slices, graph, strict=True):
        one = (nx.DiGraph if graph.directed else nx.Graph)(layer=part.layer, start=part.start)
        one.add_nodes_from(ids)
        one.add_edges_from((ids[u], ids[v]) for u, v in edges.tolist())
        graphs[label] = one
    return graphs


def to_multigraph(graph: TemporalGraph) -> networkx.MultiGraph:
    """All slices in one, told apart by edge attributes; a slice that is neither time nor layer leaves none."""
    nx = package("networkx")
    ids = graph.nodes.to_list()
    whole = nx.MultiDiGraph() if graph.directed else nx.MultiGraph()
    whole.add_nodes_from(ids)
    for part, (_, edges) in zip(graph.slices, graph, strict=True):
        marks = {"time": part.start, "layer": part.layer}
        marks = {name: value for name, value in marks.items() if value is not None}
        whole.add_edges_from((ids[u], ids[v], marks) for u, v in edges.tolist())
    return whole
