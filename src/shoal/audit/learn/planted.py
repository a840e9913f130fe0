"""Accounts planted before collection, found again in the release (Backstrom et al. 2007, doi:10.1145/1242572.1242598)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

from shoal.audit.learn.case import REMADE, Case, Learned, moved
from shoal.audit.learn.matching import lay_out, match
from shoal.graph import TemporalGraph

ACCOUNTS = 10
TARGETS = 20  # people the accounts make contact with, to find them again too
GAIN = 2.0  # ten accounts are few: their numbers come first
SHARE = 0.5  # of the slices in which two of the accounts are in contact


def planted(case: Case) -> Learned:
    """Plant accounts with a pattern of contacts, anonymize with the same k, look for the pattern; in a release that grew, too."""
    case = case.smaller(REMADE, REMADE)
    graph, accounts, targets = plant(case.original, case.rng("plant"))
    ways: dict[str, Callable[[], TemporalGraph]] = {"once": lambda: case.remade(graph, "planted")}
    if graph.n_slices > 1:
        ways["grown"] = lambda: grown(case, graph)
    numbers: dict[str, object] = {"accounts": len(accounts), "targets": len(targets)}
    for name, make in ways.items():
        numbers[name] = search(case, graph, make(), accounts, targets)
    once, later = numbers["once"], numbers.get("grown")
    words = f" In a release that was extended it is {_words(later)}." if isinstance(later, dict) else ""
    return Learned(
        "planted",
        f"made {len(accounts):,} accounts before collection, agreed on a pattern of contacts and touched {len(targets):,} people",
        f"finds {_words(once)} again.{words}",
        "Without the release they know the contacts they made, and no others.",
        numbers,
        case.sample,
    )


def _words(found: object) -> str:
    assert isinstance(found, dict)
    return f"{found['accounts']:.0%} of the accounts and {found['targets']:.0%} of the people they touched"


def plant(graph: TemporalGraph, rng: np.random.Generator) -> tuple[TemporalGraph, np.ndarray, np.ndarray]:
    """The graph with accounts in it: each two in contact in random slices, each target touched by three in random slices."""
    n, n_slices = graph.n_nodes, graph.n_slices
    accounts = n + np.arange(ACCOUNTS)
    active = np.unique(graph._edges)
    targets = rng.choice(active, min(TARGETS, len(active)), replace=False)
    one, other = np.triu_indices(ACCOUNTS, 1)
    pairs = [np.column_stack([accounts[one], accounts[other]])]
    for target in targets:
        by = rng.choice(accounts, 3, replace=False)
        pairs.append(np.column_stack([np.full(3, target), by]))
    both = np.concatenate(pairs)
    if graph.directed:  # who writes first is part of the pattern
        swap = rng.random(len(both)) < 0.5
        both[swap] = both[swap, ::-1]
    met = rng.random((len(both), n_slices)) < SHARE
    edges = np.vstack([graph._edges, *(both[met[:, t]] for t in range(n_slices))])
    codes = np.concatenate([graph.slice_codes(), np.repeat(np.arange(n_slices), met.sum(axis=0)).astype(np.int32)])
    ids = pl.Series(np.arange(n + ACCOUNTS))
    made = TemporalGraph._from_codes(
        ids, [edges[:, 0], edges[:, 1]], codes, list(graph.slices), directed=graph.directed, ordered=graph.ordered
    )
    return made, accounts, targets


def search(
    case: Case, graph: TemporalGraph, release: TemporalGraph, accounts: np.ndarray, targets: np.ndarray
) -> dict[str, float]:
    """The share of the accounts, and of the people they touched, that are found in a release of the graph with them.

    Accounts are found by all their numbers of contacts and by the pattern among them; a target is then the node that has the
    most of the agreed contacts with them.
    """
    nodes = case.rng("planted nodes").permutation(graph.n_nodes)
    seen, codes = moved(release, nodes), release.slice_codes()
    slices, first = np.arange(graph.n_slices), accounts[0]
    ours = (graph._edges >= first).all(axis=1)
    inner = graph._edges[ours] - first
    side = lay_out(inner, graph.slice_codes()[ours], len(accounts), slices, directed=graph.directed, ever=inner)
    order = graph.degree_matrix()[accounts]
    if graph.directed:  # the columns of `lay_out`: out, then in, slice by slice
        order = np.stack([order[:, graph.n_slices :], order[:, : graph.n_slices]], axis=2).reshape(len(order), -1)
    side = side._replace(roots=np.sqrt(order).astype(np.float32))
    whole = lay_out(seen, codes, graph.n_nodes, slices, directed=graph.directed, ever=seen)
    found = match(side, whole, directed=graph.directed, gain=GAIN, jobs=case.jobs).nodes
    right = float((found == nodes[accounts]).mean())
    return {"accounts": right, "targets": _targets(graph, seen, codes, found, nodes, accounts, targets)}


def _targets(
    graph: TemporalGraph,
    seen: np.ndarray,
    codes: np.ndarray,
    found: np.ndarray,
    nodes: np.ndarray,
    accounts: np.ndarray,
    targets: np.ndarray,
) -> float:
    name = np.full(graph.n_nodes, -1, np.int64)
    name[found[found >= 0]] = accounts[found >= 0]
    score = np.zeros((len(targets), graph.n_nodes), np.int64)
    place = np.full(graph.n_nodes, -1, np.int64)
    place[targets] = np.arange(len(targets))
    agreed = np.zeros((len(targets), graph.n_nodes, graph.n_slices), bool)
    for u, v in ((0, 1), (1, 0)):
        mine = (place[graph._edges[:, u]] >= 0) & (graph._edges[:, v] >= accounts[0])
        agreed[place[graph._edges[mine, u]], graph._edges[mine, v], graph.slice_codes()[mine]] = True
    for u, v in ((0, 1), (1, 0)):
        known = name[seen[:, v]] >= 0
        for i in range(len(targets)):
            fits = agreed[i, name[seen[known, v]], codes[known]]
            np.add.at(score[i], seen[known, u][fits], 1)
    score[:, found[found >= 0]] = 0  # those are the accounts themselves
    best = score == score.max(axis=1, keepdims=True)
    chance = best[np.arange(len(targets)), nodes[targets]] / best.sum(axis=1)
    return float(np.where(score.max(axis=1) > 0, chance, 0).mean()) if len(targets) else 0.0


def grown(case: Case, graph: TemporalGraph) -> TemporalGraph:
    """The first half of the slices released, the second half published by `extend`, laid together."""
    from shoal.anonymize import anonymize
    from shoal.extend import extend

    seed, half = int(case.rng("grown").integers(2**32)), graph.n_slices // 2
    early, late = _cut(graph, 0, half), _cut(graph, half, graph.n_slices)
    with tempfile.TemporaryDirectory() as place:
        folder, record = Path(place) / "early", Path(place) / "record.json"
        first = anonymize(early, min(case.k, graph.n_nodes), seed=seed, effort="fast", jobs=case.jobs)
        first.save(folder, private=record, report=False)
        later = extend(folder, late, record, seed=seed, effort="fast", jobs=case.jobs).graph
    return graph.with_edges([*(first.graph.edges(t) for t in range(half)), *(edges for _, edges in later)])


def _cut(graph: TemporalGraph, first: int, last: int) -> TemporalGraph:
    starts = graph._starts[first : last + 1]
    return TemporalGraph(
        graph.nodes,
        graph.slices[first:last],
        graph._edges[starts[0] : starts[-1]],
        starts - starts[0],
        directed=graph.directed,
        ordered=graph.ordered,
    )
