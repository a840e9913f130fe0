"""The table of slices: both graphs side by side, one row for each slice, and what follows from it for the whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl

from shoal.common.edges import among
from shoal.common.progress import run_jobs
from shoal.graph import TemporalGraph
from shoal.measure.degrees import assortativity, degree_distance, degrees_of, hub_overlap
from shoal.measure.pagerank import cosine, pagerank
from shoal.measure.structure import structure, without_directions
from shoal.measure.temporal import (
    adjacency_correlation,
    closing_triangles,
    groups_in,
    lasting,
    meets_again,
    predecessor,
)

SLICE = ("clustering", "transitivity", "components", "largest_component", "triangles", "assortativity")
STEP = ("temporal_correlation", "meets_again", "closing_triangles", "lasting_groups")  # from the slice before
COUNTED = ("triangles", "closing_triangles")  # too few in many a slice for an agreement of their own
PAIRED = (*SLICE, *STEP)
SCHEMA = {
    "label": pl.String,
    "layer": pl.String,
    "start": pl.String,
    **{f"edges_{what}": pl.Int64 for what in ("original", "released", "kept", "added", "removed")},
    "pagerank_similarity": pl.Float64,
    "degree_distance": pl.Float64,
    **{
        f"{name}_{whose}": pl.Int64 if name in ("components", *COUNTED) else pl.Float64
        for name in PAIRED
        for whose in ("original", "released")
    },
    "hub_overlap": pl.Float64,
}


def groups_of(graph: TemporalGraph, order: np.ndarray, jobs: int) -> list[np.ndarray]:
    """The groups of every slice, each needed for two steps; looked for in this order of the people, and only where time has one."""
    if not graph.ordered or graph.n_slices < 2:
        return []
    return run_jobs(lambda t: groups_in(_plain(graph, t), order).astype(np.int32), range(graph.n_slices), jobs)


def row(original: TemporalGraph, released: TemporalGraph, t: int, groups: Sequence[list[np.ndarray]]) -> list[Any]:
    """One line of the table, in the order of SCHEMA; `groups` are those of all slices of both graphs."""
    n_nodes, directed = original.n_nodes, original.directed
    old, new = original.edges(t), released.edges(t)
    kept = int(np.count_nonzero(among(new, old)))
    ranks = [pagerank(edges, n_nodes, directed=directed) for edges in (old, new)]
    sides = [degrees_of(edges, n_nodes) for edges in (old, new)]
    sums = [a + b for a, b in sides]
    pairs = zip(*sides, strict=True) if directed else [sums]
    distances = [d for d in (degree_distance(*pair) for pair in pairs) if d is not None]
    per_graph = [_of_one(*one, t) for one in zip((original, released), sums, groups, strict=True)]
    return [
        *original.slices[t],
        *(len(old), len(new), kept, len(new) - kept, len(old) - kept),
        cosine(*ranks) if len(old) or len(new) else None,
        max(distances, default=None),
        *(value for both in zip(*per_graph, strict=True) for value in both),
        hub_overlap(*sums),
    ]


def _plain(graph: TemporalGraph, t: int) -> np.ndarray:
    """The edges of a slice without directions."""
    return without_directions(graph.edges(t)) if graph.directed else graph.edges(t)


def _of_one(graph: TemporalGraph, degrees: np.ndarray, groups: list[np.ndarray], t: int) -> tuple[float | None, ...]:
    """The measures of PAIRED, of one graph."""
    n_nodes, edges, plain = graph.n_nodes, graph.edges(t), _plain(graph, t)
    if graph.directed:
        degrees = np.bincount(plain.ravel(), minlength=n_nodes)
    mixing = assortativity(edges, n_nodes, directed=graph.directed)
    before = predecessor(graph, t)
    if before is None:
        return (*structure(plain, degrees), mixing, *(None for _ in STEP))
    earlier = _plain(graph, before)
    return (
        *structure(plain, degrees),
        mixing,
        adjacency_correlation(earlier, plain, n_nodes),
        meets_again(earlier, plain),
        closing_triangles(earlier, plain, n_nodes),
        lasting(groups[before], groups[t]),
    )


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
        "edges_per_slice": _counted(list(zip(table["edges_original"], table["edges_released"], strict=True))),
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
        scale = _weights_for(name, weights)
        numbers[name] = (
            _counted(both)
            if name in COUNTED
            else {
                "original": _mean((a for a, _ in both), scale),
                "released": _mean((b for _, b in both), scale),
                "agreement": _mean((agreement(a, b, signed=name == "assortativity") for a, b in both), scale),
            }
        )
    numbers["hub_overlap"] = _mean(table["hub_overlap"], weights)
    return numbers


def _weights_for(name: str, weights: list[float]) -> list[float]:
    """How much each slice counts."""
    if name == "temporal_correlation":  # two empty slices say nothing, and every other pair of slices counts alike
        return [1.0] * len(weights)
    if name in STEP:  # what becomes of the edges of the slice before
        return [0.0, *weights][: len(weights)]
    return weights


def _counted(both: list[tuple[int | None, int | None]]) -> dict[str, Any]:
    """Means per slice, and what the graphs have in common: Σ min / Σ max over slices."""
    pairs = [(a, b) for a, b in both if a is not None and b is not None]
    most = sum(map(max, pairs))
    return {
        "original": sum(a for a, _ in pairs) / len(pairs) if pairs else None,
        "released": sum(b for _, b in pairs) / len(pairs) if pairs else None,
        "agreement": sum(map(min, pairs)) / most if most else None,
    }


def agreement(one: float | None, other: float | None, *, signed: bool = False) -> float | None:
    """The smaller divided by the larger; of numbers between -1 and 1 how near they are."""
    if one is None or other is None:
        return None
    if signed:
        return 1 - abs(one - other) / 2
    return min(one, other) / max(one, other) if one != other else 1.0


def _mean(values: Iterable[float | None], weights: list[float]) -> float | None:
    pairs = [(value, weight) for value, weight in zip(values, weights, strict=True) if value is not None]
    total = sum(weight for _, weight in pairs)
    return sum(value * weight for value, weight in pairs) / total if total else None
