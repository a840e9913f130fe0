"""DyNetx: a networkx graph whose edges hold the spans of snapshot ids in which they are there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.errors import InputError
from shoal.interop.networkx import direction
from shoal.interop.packages import package, wrong
from shoal.slicing.timebins import MAX_SLICES

if TYPE_CHECKING:
    from shoal.graph import TemporalGraph


def from_dynetx(cls: type[TemporalGraph], graph: Any, *, directed: bool | None) -> TemporalGraph:
    """One slice per snapshot id that occurs, in their order; a span counts in each snapshot inside it."""
    dn = package("dynetx")
    if not isinstance(graph, dn.DynGraph | dn.DynDiGraph):
        raise wrong("from_dynetx", "a dynetx.DynGraph or DynDiGraph", graph)
    contacts = [
        (u, v, t)
        for u, v, data in graph.edges(data=True)
        for first, last in data.get("t", [])
        for t in _snapshots(first, last)
    ]
    there = {t for _, _, t in contacts}
    labels = graph.graph.get("slices")
    if not isinstance(labels, dict) or not there <= labels.keys():
        labels = {t: str(t) for t in sorted(there)}
    if not labels:
        raise InputError("there are no interactions in this graph, so there are no slices")
    slices: dict[str, list[tuple[Any, Any]]] = {label: [] for label in labels.values()}
    for u, v, t in contacts:
        slices[labels[t]].append((u, v))
    return cls.from_slices(slices, nodes=graph.nodes(), directed=direction([graph], directed))


def _snapshots(first: Any, last: Any) -> range:
    if not isinstance(first, int) or not isinstance(last, int):
        raise InputError(f"snapshot ids are whole numbers; got {first} to {last}")
    if last - first >= MAX_SLICES:
        raise InputError(f"an interaction from {first} to {last} spans more than {MAX_SLICES:,} snapshots")
    return range(first, last + 1)


def to_dynetx(graph: TemporalGraph) -> Any:
    """Slice after slice, since DyNetx takes the interactions of a pair in the order of time only."""
    dn = package("dynetx")
    made = dn.DynDiGraph() if graph.directed else dn.DynGraph()
    ids, labels = graph.nodes.to_list(), [part.label for part in graph.slices]
    made.add_nodes_from(ids)
    times = _growing_numbers(labels) or range(len(labels))
    made.graph["slices"] = dict(zip(times, labels, strict=True))
    for t, (_, edges) in zip(times, graph, strict=True):
        for u, v in edges.tolist():
            made.add_interaction(ids[u], ids[v], t=t)
    return made


def _growing_numbers(labels: list[str]) -> list[int] | None:
    try:
        numbers = [int(label) for label in labels]
    except ValueError:
        return None
    return numbers if numbers == sorted(set(numbers)) and [str(n) for n in numbers] == labels else None
