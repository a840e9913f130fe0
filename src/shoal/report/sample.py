"""What a report is measured on: the whole release, or of one that lies in files and is large, some of its slices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.graph import TemporalGraph
from shoal.release import Release

# Attackers and measures go through all edges many times: so many, of the original and the release together, take minutes.
REPORT_EDGES = 10_000_000


class Looked(NamedTuple):
    """The two graphs that attackers and measures see, the horizon of attackers, and a sentence where it is not all."""

    original: TemporalGraph
    graph: TemporalGraph
    horizon: str | None
    sampled: str | None = None


def looked_at(release: Release) -> Looked:
    """Everything, unless it lies in files and is large: then the first slices of the middle block, as many as there is room for.

    They lie in one block of the calendar, within which the promise holds; so attackers who know them need no horizon.
    """
    original, graph, promise = release.original, release.graph, release.promise
    sizes = original.slice_sizes() + graph.slice_sizes()
    if graph.run is None or sizes.sum() <= REPORT_EDGES:
        return Looked(original, graph, promise.horizon)
    block = promise.slices(int(promise.blocks[len(promise.blocks) // 2]))
    chosen = block[: max(int(np.searchsorted(np.cumsum(sizes[block]), REPORT_EDGES, side="right")), 1)].tolist()
    names = graph.slices[chosen[0]].label + (f" to {graph.slices[chosen[-1]].label}" if len(chosen) > 1 else "")
    told = (
        f"This release is large: attackers and measures were tried on {len(chosen):,} of its {graph.n_slices:,} slices ({names}). "
        "Whoever knows more slices finds more people than is said here. Crowds, edges and costs were counted in all slices."
    )
    return Looked(_only(original, chosen), _only(graph, chosen), None, told)


def _only(graph: TemporalGraph, chosen: list[int]) -> TemporalGraph:
    edges = [graph.edges(t) for t in chosen]
    starts = np.concatenate([[0], np.cumsum([len(one) for one in edges], dtype=np.int64)])
    slices = [graph.slices[t] for t in chosen]
    made = TemporalGraph(
        graph.nodes, slices, np.concatenate(edges), starts, directed=graph.directed, ordered=graph.ordered
    )
    made.contacts = None if graph.contacts is None else graph.contacts.of_slices(chosen)
    return made
