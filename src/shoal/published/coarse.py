"""What may be said in public about the original: every such number of a release folder passes through here.

Exact numbers are a fingerprint. Whoever has the release can try all originals a few edits away, and keep those whose numbers
agree; enough digits leave one. So counts are rounded down to a grid that does not depend on the data, similarities go into
bins of a tenth with neither an exact 1 nor an exact 0, and nothing is said about a slice in which few people or few
changes are. The numbers of the released graph itself are in its tables anyway and stay exact. docs/release.md goes through
them one by one.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
import polars.selectors as cs

from shoal.audit.findings import Audit
from shoal.graph import TemporalGraph
from shoal.measure.comparison import Comparison
from shoal.measure.rows import PAIRED, overall
from shoal.release import EdgeCounts, Release, normalised_cost

if TYPE_CHECKING:
    from shoal.audit.learn import Learned

# Edges of a slice are told where at least so many people have contacts in it and so many edges changed. How similar
# a slice, or the whole, is to the original is told from MANY of both: of fewer a bin of a tenth rules out nearly all
# originals but a few (fuzz/enumerate.py). The same holds for the cost as a multiple of a bound below MANY.
FEW, MANY = 10, 100
WEAKEST_BOUND = 3  # a cost of more than this many times the bound says nothing about the release
ROUNDING = (
    "Numbers about the original are rounded down to multiples of 10 below 100, of 50 below 1,000, of 500 below 10,000 and so "
    "on; edges kept and edges of the original are counted from these. A cost below 100 is told as 0."
)

_EDGES = ("original", "released", "added", "removed")
# Of these it is told how far the original agrees. Each bin more is one more thing to try originals by, so of what else is
# measured only the release's own number is told.
_SIMILAR = ("pagerank_similarity", "hub_overlap", "hub_overlap_total")
_AGREEING = ("clustering", "transitivity", "components", "largest_component", "assortativity", "temporal_correlation")


def floor_grid(count: int) -> int:
    """The largest value of the grid that is not above the count.

    >>> [floor_grid(count) for count in (9, 99, 149, 999, 1_257, 18_791)]
    [0, 90, 100, 950, 1000, 15000]
    """
    step = 10 if count < 100 else 5 * 10 ** (len(str(count)) - 2)
    return count - count % step


def floor_share(part: int, whole: int) -> float:
    """A share, down to a multiple of 0.05; 1 where there is nothing to share."""
    return (20 * part // whole) / 20 if whole else 1.0


def bin_of(similarity: float | None) -> float | None:
    """Down to a tenth; the highest bin is 0.9 to 1, so that no bin says 'the same'. Below 0 is 0."""
    return None if similarity is None or math.isnan(similarity) else min(max(math.floor(10 * similarity), 0), 9) / 10


class Lines(NamedTuple):
    """What became of the lines of the input, which are contacts."""

    read: int
    edges: int
    merged: int
    loops: int


def lines_of(original: TemporalGraph, edges: int, *, coarse: bool = True) -> Lines | None:
    """The lines the original was read from, on the grid where they are to be told; None where it was not read from any."""
    if original.tally is None:
        return None
    exact = Lines(original.tally.rows, edges, original.tally.repeats, original.tally.self_loops)
    return Lines(*(floor_grid(count) for count in exact)) if coarse else exact


class PublishedNumbers(NamedTuple):
    """What a folder says about the original: edges and cost in the certificate, and the rest in the report."""

    edges: EdgeCounts
    cost: dict[str, Any]
    alone: int
    slice_edges: list[EdgeCounts | None]
    comparison: Comparison
    lines: Lines | None
    learned: dict[str, Any] | None


def published_numbers(
    release: Release,
    comparison: Comparison,
    alone: int,
    compared: tuple[TemporalGraph, TemporalGraph],
    second: Learned | None,
) -> PublishedNumbers:
    """All of it, from exact numbers.

    `alone` people stood alone in the original, `compared` are the graphs that were, `second` is who held a part of the original.
    """
    original, graph, edges = release.original, release.graph, coarse_edges(release.edges)
    if release.moved is not None:  # then what was added and removed is no total
        edges = EdgeCounts(floor_grid(release.edges.original), edges.released, 0, 0)
    return PublishedNumbers(
        edges=edges,
        cost=coarse_cost(release.cost_l1, release.bound, graph.n_nodes, graph.n_slices),
        alone=floor_grid(alone),
        slice_edges=coarse_slices(release.slice_edges, original, graph),
        comparison=coarse_comparison(comparison, *compared),
        lines=lines_of(original, release.edges.original),
        learned=None if second is None else coarse_learned(second, original, graph, release.edges.changed),
    )


def coarse_edges(exact: EdgeCounts) -> EdgeCounts:
    """Added and removed on the grid; kept and original follow from these.

    Not the other way round: the release is known exactly, and where the grid happens to lie just below it, a rounded number of
    kept edges would tell that hardly any was added.
    """
    added, removed = floor_grid(exact.added), floor_grid(exact.removed)
    return EdgeCounts(exact.released - added + removed, exact.released, added, removed)


def coarse_cost(l1: int, bound: int, n_people: int, n_slices: int) -> dict[str, Any]:
    """Cost and bound on the grid, and the ratio of the exact ones up to a tenth, each where it is large.

    A small cost would tell more than how many edges changed: edits that undo each other's degrees are rare (fuzz/enumerate.py).
    """
    told_l1, told_bound = (floor_grid(cost) if cost >= MANY else 0 for cost in (l1, bound))
    tenths = -(-10 * l1 // bound) if bound >= MANY else None
    return {
        "l1": told_l1,
        "normalised": normalised_cost(told_l1, n_people, n_slices),
        "lower_bound": told_bound,
        "at_most_times_optimum": None if tenths is None or tenths > 10 * WEAKEST_BOUND else tenths / 10,
    }


def coarse_certificate(exact: dict[str, Any]) -> dict[str, Any]:
    """The certificate that goes into the folder, from the one with exact numbers."""
    cost, counts = exact["cost"], exact["edges"]
    if exact["against"] == "graph":  # what became of single contacts, and of somebody's degree, is no total
        known = {"original": floor_grid(counts["original"]), "released": counts["released"]}
        nothing = dict.fromkeys(cost), dict.fromkeys(counts)
        return exact | {"rounding": ROUNDING, "cost": nothing[0], "edges": nothing[1] | known}
    edges = coarse_edges(EdgeCounts(*(counts[name] for name in _EDGES)))
    return exact | {
        "rounding": ROUNDING,
        "cost": coarse_cost(cost["l1"], cost["lower_bound"], exact["n_nodes"], exact["n_slices"]),
        "edges": {name: getattr(edges, name) for name in (*_EDGES, "kept")}
        | {"kept_share": floor_share(edges.kept, edges.original)},
    }


def coarse_slices(exact: list[EdgeCounts], original: TemporalGraph, released: TemporalGraph) -> list[EdgeCounts | None]:
    """Edges slice by slice; None where few people or few changes are behind them."""
    return [
        coarse_edges(counts) if min(counts.changed, _people(original, t), _people(released, t)) >= FEW else None
        for t, counts in enumerate(exact)
    ]


def coarse_comparison(exact: Comparison, original: TemporalGraph, released: TemporalGraph) -> Comparison:
    """What is measured in the release, and bins of how far the original agrees; of the original itself no measure."""
    table = exact.slices
    counts = [EdgeCounts(*row) for row in table.select(f"edges_{name}" for name in _EDGES).iter_rows()]
    told = coarse_slices(counts, original, released)
    similar = [
        bin_of(value) if min(counts[t].changed, _people(original, t), _people(released, t)) >= MANY else None
        for t, value in enumerate(table["pagerank_similarity"])
    ]
    slices = table.select("label", "layer", "start").with_columns(
        pl.Series("edges_released", table["edges_released"]),
        *(
            pl.Series(f"edges_{name}", [getattr(one, name) if one is not None else None for one in told], pl.Int64)
            for name in ("original", "kept", "added", "removed")
        ),
        pl.Series("pagerank_similarity", similar, pl.Float64),
        *(table[f"{name}_released"] for name in PAIRED),
    )
    return replace(
        exact,
        slices=slices,
        overall=_overall(exact, counts, original, released),
        spread=exact.spread.select(cs.exclude(cs.ends_with("_original"))),
        meetings=exact.meetings.select("slices", "pairs_released").filter(
            pl.col("pairs_released").cum_sum(reverse=True) > 0
        ),
    )


def _overall(
    exact: Comparison, counts: list[EdgeCounts], original: TemporalGraph, released: TemporalGraph
) -> dict[str, Any]:
    """The numbers for the whole. Means over the release's slices are weighted by its own edges, not by the original's."""
    total = EdgeCounts(*(sum(getattr(one, name) for one in counts) for name in _EDGES))
    many = min(total.changed, _people(original), _people(released)) >= MANY
    edges = coarse_edges(total)
    own = overall(
        exact.slices.with_columns(exact.slices[f"{n}_released"].alias(f"{n}_original") for n in ("edges", *PAIRED))
    )
    told: dict[str, Any] = {
        "edges": {"original": edges.original, "released": edges.released, "agreement": None},
        "edges_kept": edges.kept,
        "edges_added": edges.added,
        "edges_removed": edges.removed,
        "edges_kept_share": floor_share(edges.kept, edges.original),
    }
    for name, value in exact.overall.items():
        if name in _SIMILAR:
            told[name] = bin_of(value) if many else None
        elif (
            isinstance(value, dict) and name not in told and name != "mixing"
        ):  # which is about the original's communities
            agreement = bin_of(value["agreement"]) if many and name in _AGREEING else None
            told[name] = {"original": None, "released": own.get(name, value)["released"], "agreement": agreement}
    return told


def coarse_learned(
    second: Learned, original: TemporalGraph, released: TemporalGraph, changed: int
) -> dict[str, Any] | None:
    """What somebody learns who holds a second graph, in bins; None where few people, changes or claims are behind it."""
    if min(changed, _people(original), _people(released), second["people"], second["all"]["claims"]) < MANY:
        return None
    kinds = [kind for kind in ("all", "known_ties", "new_pairs") if second[kind]["claims"] >= MANY]
    shares = {k: {"true": bin_of(second[k]["true"]), "without": bin_of(second[k]["without"]["true"])} for k in kinds}
    return {"matched": bin_of(second["matched"]), **shares}


def without_the_original(after: Audit) -> Audit:
    """The audit of a release, less the attacker whose success is measured against the original."""
    return replace(after, attackers=tuple(e for e in after.attackers if not e.name.startswith("reidentify")))


def _people(graph: TemporalGraph, t: int | None = None) -> int:
    """How many people have contacts, in a slice or at all."""
    edges = graph.edges(t) if t is not None else graph._edges
    return int(np.count_nonzero(np.bincount(edges.ravel(), minlength=graph.n_nodes)))
