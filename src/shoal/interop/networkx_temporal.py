"""networkx-temporal: its graphs are lists of networkx snapshots with an index of labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.errors import InputError
from shoal.interop.networkx import from_networkx, to_networkx
from shoal.interop.packages import package, wrong

if TYPE_CHECKING:
    from shoal.graph import TemporalGraph


def _package() -> Any:
    """Version 1.4 is the first whose graphs have an index."""
    tx = package("networkx_temporal", "networkx-temporal")
    if not hasattr(tx.TemporalGraph, "index"):
        raise InputError("networkx-temporal 1.4 or newer is needed: pip install -U networkx-temporal")
    return tx


def from_networkx_temporal(
    cls: type[TemporalGraph], graph: Any, *, directed: bool | None, ordered: bool
) -> TemporalGraph:
    """Each snapshot is a slice, labelled by the index where there is one."""
    tx = _package()
    if not tx.is_temporal_graph(graph):
        raise wrong("from_networkx_temporal", "a networkx_temporal.TemporalGraph", graph)
    snapshots = list(graph.graphs)
    labels = list(graph.index or range(len(snapshots)))
    by_label = dict(zip(labels, snapshots, strict=True))
    return from_networkx(
        cls,
        by_label if len(by_label) == len(snapshots) else snapshots,
        time=None, layer=None, directed=directed, ordered=ordered,
    )  # fmt: skip


def to_networkx_temporal(graph: TemporalGraph) -> Any:
    """The snapshots of `to_networkx`, in their order."""
    tx = _package()
    return tx.from_snapshots(to_networkx(graph))
