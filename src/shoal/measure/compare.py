"""compare: an original and its release, slice by slice and as a whole."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl

from shoal.common.checks import some_jobs, some_progress, whole, yes_or_no
from shoal.common.edges import edge_keys
from shoal.common.progress import Progress, run_jobs
from shoal.errors import InputError
from shoal.graph import TemporalGraph
from shoal.measure import communities as groups
from shoal.measure.comparison import Comparison
from shoal.measure.degrees import assortativity, degree_distance, degrees_of, hub_overlap
from shoal.measure.pagerank import cosine, pagerank
from shoal.measure.structure import structure, without_directions
from shoal.measure.temporal import adjacency_correlation, predecessor
from shoal.release import Release

PAIRED = ("clustering", "transitivity", "components", "largest_component", "assortativity", "temporal_correlation")
_ROW = {
    "label": pl.String,
    "layer": pl.String,
    "start": pl.String,
    **{f"edges_{what}": pl.Int64 for what in ("original", "released", "kept", "added", "removed")},
    "pagerank_similarity": pl.Float64,
    "degree_distance": pl.Float64,
    **{
        f"{name}_{whose}": pl.Int64 if name == "components" else pl.Float64
        for name in PAIRED
        for whose in ("original", "released")
    },
    "hub_overlap": pl.Float64,
}


def compare(
    original: TemporalGraph,
    release: TemporalGraph | Release,
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
    communities: bool = True,
    seed: int = 0,
) -> Comparison:
    """Measure what a release still says about its original.

    Of a directed graph, PageRank, assortativity (out-degree of the source against in-degree of the target) and the degree
    distance (the larger one of in- and out-degrees) see directions; clustering, transitivity, components and
    temporal correlation are those of the underlying undirected graph, and hubs are taken by in-degree plus out-degree.

    Numbers over all slices are means weighted by the edges of a slice (half the original's plus half the release's), so
    that quiet nights do not drown busy days. The agreement of two values is the smaller divided by the larger, for
    assortativity ``1 - |a - b| / 2``, for edges the Jaccard index and for communities the adjusted mutual information; it is
    taken slice by slice and then averaged, so that errors in opposite directions do not cancel. What is undefined is None
    and left out of means, as is the PageRank similarity of a slice without edges in both graphs.

    Parameters
    ----------
    original, release
        Two graphs with the same nodes and slices, in the same order. A `Release` may be given as it is.
    jobs
        Threads; by default all cores. The result does not depend on it.
    progress
        Told how far the work is.
    communities
        Whether to compare communities too; needs scikit-network and scikit-learn.
    seed
        The order in which Louvain looks at the nodes, the same for both graphs.

    Examples
    --------
    >>> graph = TemporalGraph.from_slices({"mon": [(1, 2), (2, 3), (1, 3)], "tue": [(1, 2), (3, 4)]})
    >>> other = TemporalGraph.from_slices({"mon": [(1, 2), (2, 3), (3, 4)], "tue": [(1, 2), (3, 4)]})
    >>> found = compare(graph, other, communities=False)
    >>> found.overall["edges_kept"], found.overall["clustering"]["original"]
    (4, 0.45)
    >>> found.slices["clustering_released"].to_list()
    [0.0, 0.0]
    """
    released = release.graph if isinstance(release, Release) else release
    for one in (original, released):
        TemporalGraph.check(one, "compare")
    _check(original, released, seed)
    if yes_or_no("communities", communities):
        groups.check_installed()
    jobs, progress = some_jobs(jobs), some_progress(progress)
    with progress.stage("measuring", original.n_slices) as tell:
        rows = run_jobs(lambda t: _row(original, released, t), range(original.n_slices), jobs, tell)
    table = pl.DataFrame(rows, schema=_ROW, orient="row")
    numbers = overall(table)
    totals = _totals(original), _totals(released)
    numbers["hub_overlap_total"] = hub_overlap(*totals)
    if communities:
        with progress.stage("finding communities", 3) as tell:
            numbers |= _communities(original, released, (totals[0] > 0) | (totals[1] > 0), seed, jobs, tell)
    return Comparison(n_nodes=original.n_nodes, directed=original.directed, slices=table, overall=numbers)


def _check(original: Any, released: Any, seed: Any) -> None:
    for graph in (original, released):
        if not isinstance(graph, TemporalGraph):
            raise InputError(f"compare takes two graphs; got {type(graph).__name__}")
    if original.directed != released.directed:
        raise InputError("one of the two graphs is directed and the other is not")
    if original.n_nodes != released.n_nodes:
        raise InputError(f"the graphs have different people: {original.n_nodes:,} and {released.n_nodes:,}")
    if original.nodes.dtype != released.nodes.dtype or not original.nodes.equals(released.nodes):
        raise InputError("the graphs have different people, or in another order: pseudonyms cannot be compared")
    if [s.label for s in original.slices] != [s.label for s in released.slices]:
        raise InputError("the graphs have different slices, or in another order")
    whole("seed", seed, 0, 2**32 - 2)


def _row(original: TemporalGraph, released: TemporalGraph, t: int) -> list[Any]:
    """One line of the table, in the order of _ROW."""
    n_nodes, directed = original.n_nodes, original.directed
    old, new = original.edges(t), released.edges(t)
    kept = len(np.intersect1d(edge_keys(old), edge_keys(new), assume_unique=True))
    ranks = [pagerank(edges, n_nodes, directed=directed) for edges in (old, new)]
    sides = [degrees_of(edges, n_nodes) for edges in (old, new)]
    sums = [a + b for a, b in sides]
    pairs = zip(*sides, strict=True) if directed else [sums]
    distances = [d for d in (degree_distance(*pair) for pair in pairs) if d is not None]
    per_graph = [_structure_row(graph, t, degrees) for graph, degrees in zip((original, released), sums, strict=True)]
    return [
        *original.slices[t],
        *(len(old), len(new), kept, len(new) - kept, len(old) - kept),
        cosine(*ranks) if len(old) or len(new) else None,
        max(distances, default=None),
        *(value for both in zip(*per_graph, strict=True) for value in both),
        hub_overlap(*sums),
    ]


def _structure_row(graph: TemporalGraph, t: int, degrees: np.ndarray) -> tuple[float | None, ...]:
    """The measures of PAIRED, of one graph."""
    edges, before = graph.edges(t), predecessor(graph, t)
    plain = without_directions(edges) if graph.directed else edges
    if graph.directed:
        degrees = np.bincount(plain.ravel(), minlength=graph.n_nodes)
    correlation = None
    if before is not None:
        earlier = without_directions(graph.edges(before)) if graph.directed else graph.edges(before)
        correlation = adjacency_correlation(earlier, plain, graph.n_nodes)
    mixing = assortativity(edges, graph.n_nodes, directed=graph.directed)
    return (*structure(plain, degrees), mixing, correlation)


def overall(table: pl.DataFrame) -> dict[str, Any]:
    """The numbers for the whole, from the table of slices."""
    totals = {name: int(table[f"edges_{name}"].sum()) for name in ("original", "released", "kept", "added", "removed")}
    either = totals["original"] + totals["added"]
    weights = ((table["edges_original"] + table["edges_released"]) / 2).to_list()
    numbers: dict[str, Any] = {
        "edges": {
            "original": totals["original"],
            "released": totals["released"],
            "agreement": totals["kept"] / either if either else None,
        },
        "edges_kept": totals["kept"],
        "edges_added": totals["added"],
        "edges_removed": totals["removed"],
        "edges_kept_share": totals["kept"] / totals["original"] if totals["original"] else None,
        "pagerank_similarity": _mean(table["pagerank_similarity"], weights),
        "degree_distance": _mean(table["degree_distance"], weights),
    }
    for name in PAIRED:
        values = list(zip(table[f"{name}_original"], table[f"{name}_released"], strict=True))
        both = [pair if None not in pair else (None, None) for pair in values]
        # Steps between slices: two empty slices say nothing, and every other pair of slices counts alike.
        scale = [1.0] * len(both) if name == "temporal_correlation" else weights
        numbers[name] = {
            "original": _mean((a for a, _ in both), scale),
            "released": _mean((b for _, b in both), scale),
            "agreement": _mean((_agreement(name, a, b) for a, b in both), scale),
        }
    numbers["hub_overlap"] = _mean(table["hub_overlap"], weights)
    return numbers


def _agreement(name: str, one: float | None, other: float | None) -> float | None:
    if one is None or other is None:
        return None
    if name == "assortativity":
        return 1 - abs(one - other) / 2
    return min(one, other) / max(one, other) if one != other else 1.0


def _mean(values: Iterable[float | None], weights: list[float]) -> float | None:
    pairs = [(value, weight) for value, weight in zip(values, weights, strict=True) if value is not None]
    total = sum(weight for _, weight in pairs)
    return sum(value * weight for value, weight in pairs) / total if total else None


def _totals(graph: TemporalGraph) -> np.ndarray:
    """Contacts of every person over all slices."""
    return graph.degree_matrix().sum(axis=1, dtype=np.int64)


def _communities(
    original: TemporalGraph, released: TemporalGraph, people: np.ndarray, seed: int, jobs: int, tell: Any
) -> dict[str, Any]:
    """The agreement, and how far Louvain agrees with itself when it looks at the original's nodes in another order."""
    searches = [(original, seed), (released, seed), (original, seed + 1)]
    old, new, again = run_jobs(lambda search: groups.louvain(*search), searches, jobs, tell)
    return {
        "communities": {
            "original": groups.n_communities(old),
            "released": groups.n_communities(new),
            "agreement": groups.agreement(old, new, people),
        },
        "communities_ceiling": groups.agreement(old, again, people),
    }
