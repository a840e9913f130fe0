"""Protection for as many people as a budget of edits reaches.

Somebody is cheap to protect where others have nearly the same numbers of edges: their price is the distance to the nearest row
that, with all nearer ones, makes a crowd of k. The dearest are left out; how many, is found by halving, and every step is a real
release whose edits are counted.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from shoal.anonymize import anonymize
from shoal.common.checks import number, one_of, some_jobs, some_progress, whole
from shoal.common.progress import Progress
from shoal.demands.left_out import LEFT_OUT, WITHHELD, LeftOut
from shoal.demands.promise import Promise, make_promise
from shoal.errors import InputError, NoReleaseError
from shoal.graph import TemporalGraph
from shoal.group.neighbours import find_crowds
from shoal.release import Release
from shoal.sweep.cells import Store

_ROW = {"slice", "against", "k", "changed_share", "protected", "n_nodes", "left_out", "gone_share"}
FINEST = 1_000  # halving stops at one in so many people: a release's edits vary by more than those of one person


def protect_most(
    graph: TemporalGraph,
    k: int,
    *,
    budget: float,
    left_out: str = WITHHELD,
    seed: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Release:
    """Protect as many people at k as a budget of edits reaches; the others are left out, and counted in the certificate.

    Parameters
    ----------
    graph
        What is to be published.
    k
        The crowd that everybody who is protected stands in; one number.
    budget
        The edges added and removed among the people of the release, at most this share of all edges of the graph.
    left_out
        What becomes of those whom the budget does not reach: "withheld" takes them out of the release, with all their edges,
        which are not counted as edits; "exempt" leaves them in it as they were, unprotected.
    seed, progress
        As in `anonymize`.
    options
        For `anonymize`.

    Examples
    --------
    >>> from shoal.datasets import messenger
    >>> graph = messenger(60, 4, seed=1)
    >>> release = protect_most(graph, 5, budget=0.1, seed=1, effort="fast")
    >>> release.edges.changed <= 0.1 * graph.n_edges, release.graph.n_nodes + len(release.left_out.people)
    (True, 60)
    """
    TemporalGraph.check(graph, "protect_most")
    number("budget", budget, 0, math.inf, above=True)
    one_of("left_out", left_out, LEFT_OUT)
    if whole("k", k, 2) > graph.n_nodes:
        raise InputError(f"k must be at most the number of people, {graph.n_nodes:,}; got {k:,}")
    _refuse(graph, left_out, options)
    promise = make_promise(graph, k, horizon=options.get("horizon"))
    most, n = int(budget * graph.n_edges), graph.n_nodes
    best, low, high = _made(graph, k, seed=seed, progress=progress, **options), k - 1, n
    if best is not None and best.edges.changed <= most:
        return best
    best, order = None, np.argsort(prices(graph, promise, some_jobs(options.get("jobs"))), kind="stable")
    with some_progress(progress).stage("leaving out", n) as tell:
        while high - low > (1 if best is None else max(n // FINEST, 1)):
            middle = (low + high) // 2
            made = _leaving_out(graph, k, order, middle, left_out, options | {"seed": seed})
            if made is not None and made.edges.changed <= most:
                best, low = made, middle
            else:
                high = middle
            tell(1 - math.log2(high - low) / math.log2(n))
    if best is None:
        raise NoReleaseError(
            f"changing {budget:.1%} of the edges does not protect even the {k:,} people who are cheapest to"
        )
    return best


def _refuse(graph: TemporalGraph, left_out: str, options: dict[str, Any]) -> None:
    """What cannot go together with a budget, in a sentence."""
    pairs = options.get("must_keep") is not None or options.get("forbid") is not None
    for there, why in (
        (graph.run is not None, "a budget tries many releases one after the other, which a folder of Parquet is too large for"),
        (options.get("protect") is not None, "a budget chooses itself who is protected; it cannot be told with protect"),
        (options.get("against", "numbers") != "numbers", "against='graph' nearly all contacts change hands, so no budget holds"),
        (options.get("work_dir") is not None, "a budget tries many releases, and a work folder is that of one"),
        (
            left_out == WITHHELD and options.get("allow") == "add",
            "where people are withheld their contacts are missing, so 'only added' could not be true; they can be exempt instead",
        ),
        (
            left_out == WITHHELD and pairs,
            "where people are withheld, edges that must stay or must not be could be theirs; they can be exempt instead",
        ),
    ):  # fmt: skip
        if there:
            raise InputError(why)


def prices(graph: TemporalGraph, promise: Promise, jobs: int) -> np.ndarray:
    """How far everybody's row is from the nearest that make a crowd of k with it, added up over blocks of the calendar.

    Of people with the same price, those with fewer edges come first.
    """
    total, k = np.zeros(graph.n_nodes), promise.k
    rows = graph.degree_matrix()
    for block in range(promise.n_blocks):
        part = np.ascontiguousarray(rows[:, promise.columns(block, directed=graph.directed)])
        crowds = find_crowds(part, k, jobs=jobs)
        reached = np.cumsum(np.column_stack([crowds.sizes, crowds.sizes[crowds.near]]), axis=1) >= k
        far = np.column_stack([np.zeros(len(crowds.sizes), np.int64), crowds.distance])
        price = np.where(reached.any(axis=1), far[np.arange(len(far)), reached.argmax(axis=1)], part.sum())
        total += price[crowds.label]
    return total + rows.sum(axis=1) / (rows.sum() + 1.0)


def _leaving_out(
    graph: TemporalGraph, k: int, order: np.ndarray, count: int, left_out: str, options: dict[str, Any]
) -> Release | None:
    """The release that protects the first `count` in this order; None where there is none."""
    nodes = graph.nodes.to_list()
    protected, others = ([nodes[i] for i in np.sort(some).tolist()] for some in (order[:count], order[count:]))
    if left_out == WITHHELD:
        part = graph.subgraph(protected)
        part.tally = None  # which counts the lines of everybody
        made, gone = _made(part, k, **options), graph.n_edges - part.n_edges
    else:
        exempt = [*(options.get("exempt") or ()), *others]
        made, gone = _made(graph, k, **options | {"protect": protected, "exempt": exempt}), 0
    return None if made is None else replace(made, left_out=LeftOut(left_out, tuple(others), gone, graph.digest()))


def _made(graph: TemporalGraph, k: int, **options: Any) -> Release | None:
    try:
        return anonymize(graph, k, **options)
    except NoReleaseError:
        return None


class Spending(NamedTuple):
    """A budget, and where it buys protection for most people, what becomes of the others."""

    budget: float
    left_out: str | None


def most_within(store: Store, name: str, graph: TemporalGraph, k: int, spend: Spending) -> dict[str, Any]:
    """For how many people a budget buys protection at k, measured or from the folder of the sweep."""
    what = ("most people", name, graph.digest(), k, store.seed, *spend, sorted(store.options.items()))
    kept = store.kept.find(*what)
    if isinstance(kept, dict) and kept.keys() == _ROW and kept["k"] == k and kept["slice"] == name:
        return kept
    try:
        made = protect_most(
            graph, k, budget=spend.budget, left_out=spend.left_out or WITHHELD, seed=store.seed, **store.options
        )
        left, changed = made.left_out, made.edges.changed / max(graph.n_edges, 1)
        reached = graph.n_nodes - (0 if left is None else len(left.people))
    except NoReleaseError:
        left, changed, reached = None, 0.0, 0
    gone = 0.0 if left is None else left.edges / max(graph.n_edges, 1)
    row = {
        "slice": name, "against": "numbers", "k": k, "changed_share": changed, "protected": reached, "n_nodes": graph.n_nodes,
        "left_out": spend.left_out, "gone_share": gone,
    }  # fmt: skip
    store.kept.keep(row, *what)
    return row
