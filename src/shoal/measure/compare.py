"""compare: an original and its release, slice by slice and as a whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from shoal.common.checks import some_jobs, some_progress, whole, yes_or_no
from shoal.common.progress import Progress, run_jobs
from shoal.common.randomness import Randomness
from shoal.errors import InputError
from shoal.graph import TemporalGraph
from shoal.measure import communities as groups
from shoal.measure.comparison import Comparison
from shoal.measure.degrees import hub_overlap
from shoal.measure.over_time import over_time, sampled_in_words
from shoal.measure.rows import SCHEMA, groups_of, overall, row
from shoal.measure.spread import MOST
from shoal.measure.ties import overlap
from shoal.release import Release


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

    Of a directed graph, PageRank, assortativity (out-degree of the source against in-degree of the target), the degree
    distance (the larger one of in- and out-degrees), reach, outbreaks and the mixing of communities see directions; all else
    is measured in the underlying undirected graph, and hubs are taken by in-degree plus out-degree. Where there are layers
    and times, steps and gaps lie within a layer; reach and outbreaks go through all layers of a time together.

    Numbers over all slices are means weighted by the edges of a slice (half the original's plus half the release's), so
    that quiet nights do not drown busy days. The agreement of two values is the smaller divided by the larger, for
    assortativity and burstiness ``1 - |a - b| / 2``, for edges the Jaccard index, for edges and triangles per slice Σ min / Σ
    max over slices, for distributions (slices per pair, gaps, mixing) one minus their total variation, and for communities
    the adjusted mutual information. What is measured in slices is compared slice by slice and then averaged, so that errors
    in opposite directions do not cancel. What is undefined is None and left out of means, as is the PageRank similarity of a
    slice without edges in both graphs.

    Both graphs get the same draws. Beyond 20,000 people reach and outbreaks start from 128 of them, and the agreement of
    communities is that among 20,000, which `sampled` says.

    Parameters
    ----------
    original, release
        Two graphs with the same nodes and slices, in the same order. A `Release` may be given as it is.
    jobs
        Threads; by default all cores. The result does not depend on it.
    progress
        Told how far the work is.
    communities
        Whether to compare communities too; needs scikit-network.
    seed
        Of all draws: the order in which communities are looked for, and how outbreaks run. The same for both graphs.

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
    order = Randomness(seed, b"groups").stream("order").permutation(original.n_nodes)
    with progress.stage("measuring", original.n_slices) as tell:
        both = [groups_of(graph, order, jobs) for graph in (original, released)]
        rows = run_jobs(lambda t: row(original, released, t, both), range(original.n_slices), jobs, tell)
    with progress.stage("following contacts through time", 1) as tell:
        followed = over_time(original, released, seed, jobs, tell)
    table = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    totals = _totals(original), _totals(released)
    numbers = overall(table) | {"hub_overlap_total": hub_overlap(*totals)} | followed.overall
    if communities:
        with progress.stage("finding communities", 3) as tell:
            numbers |= _communities(original, released, (totals[0] > 0) | (totals[1] > 0), seed, jobs, tell)
    return Comparison(
        n_nodes=original.n_nodes,
        directed=original.directed,
        slices=table,
        overall=numbers,
        spread=followed.spread,
        meetings=followed.meetings,
        sampled=sampled_in_words(original.n_nodes, followed=len(followed.spread) > 0, communities=communities),
    )


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


def _totals(graph: TemporalGraph) -> np.ndarray:
    """Contacts of every person over all slices."""
    return graph.degree_matrix().sum(axis=1, dtype=np.int64)


def _communities(
    original: TemporalGraph, released: TemporalGraph, people: np.ndarray, seed: int, jobs: int, tell: Any
) -> dict[str, Any]:
    """The agreement, and how far Louvain agrees with itself when it looks at the original's nodes in another order."""
    searches = [(original, seed), (released, seed), (original, seed + 1)]
    old, new, again = run_jobs(lambda search: groups.louvain(*search), searches, jobs, tell)
    inside, between = groups.mixing((original, released), old)
    if len(people) > MOST:
        drawn = Randomness(seed, b"communities").stream("people").permutation(len(people))[:MOST]
        people = drawn[people[drawn]]
    return {
        "communities": {
            "original": groups.n_communities(old),
            "released": groups.n_communities(new),
            "agreement": groups.agreement(old, new, people),
        },
        "communities_ceiling": groups.agreement(old, again, people),
        "mixing": {"original": inside[0], "released": inside[1], "agreement": overlap(*between)},
    }
