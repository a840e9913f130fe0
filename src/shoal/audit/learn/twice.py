"""Two releases of the same data laid over each other: what is left of k?"""

from __future__ import annotations

import numpy as np

from shoal.audit.learn.case import REMADE, Case, Learned, moved
from shoal.audit.learn.matching import Side, lay_out, match
from shoal.common.crowds import crowd_sizes, distinct_rows
from shoal.errors import InputError
from shoal.graph import TemporalGraph


def twice(case: Case) -> Learned:
    """Another release of the same data, at the same k, laid over this one."""
    smaller = case.smaller(REMADE, REMADE)
    one = smaller.release if smaller is case else smaller.remade(smaller.original, "twice: the first")
    return laid_over(one, smaller.remade(smaller.original, "twice"), smaller, same=True)


def two_releases(
    one: TemporalGraph, other: TemporalGraph, *, same: bool, seed: int = 0, jobs: int | None = None
) -> Learned:
    """Two releases, whoever made them. `same` says that both have the original ids, so that a judge knows who is who."""
    if one.directed != other.directed:
        raise InputError(
            "one of the releases has directions and the other has not, so they cannot be laid over each other"
        )
    if same and not len(set(one.nodes.to_list()) & set(other.nodes.to_list())):
        raise InputError("the two releases have nobody in common; are the records theirs?")
    if same:
        both = one.nodes.filter(one.nodes.is_in(other.nodes.implode()))
        one, other = one.over(both), other.over(both)
    return laid_over(one, other, Case(one, other, 1, seed, jobs), same=same)


def laid_over(one: TemporalGraph, other: TemporalGraph, case: Case, *, same: bool) -> Learned:
    """Match the people of two releases. Where it is known who is who, say how many rightly and what crowd is left of both."""
    nodes = case.rng("twice nodes").permutation(other.n_nodes)
    common = [part.label for part in one.slices if part.label in {p.label for p in other.slices}]
    mine, theirs = _side(one, one._edges, common), _side(other, moved(other, nodes), common)
    found = match(mine, theirs, directed=one.directed, jobs=case.jobs)
    there = mine.sizes > 0
    confirmed = _agreement(one, other, nodes, found.nodes, common)
    numbers: dict[str, object] = {"people": int(there.sum()), "slices_in_common": len(common), "agree": confirmed}
    learns = f"lays them over each other; {confirmed:.0%} of the contacts of the one then are contacts of the other."
    if same:
        right = float((found.nodes[there] == nodes[there]).mean()) if there.any() else 0.0
        crowd = crowd_sizes(np.hstack([distinct_rows(g.degree_matrix())[1][:, None] for g in (one, other)]))
        numbers |= {
            "matched": right,
            "smallest_crowd": int(crowd.min()),
            "alone": int((crowd == 1).sum()),
            "crowds_before": [int(crowd_sizes(g.degree_matrix()).min()) for g in (one, other)],
        }
        learns = (
            f"finds the node of {right:.0%} of the people of one in the other; whoever is told who is who in both is left with a "
            f"crowd of {numbers['smallest_crowd']:,} ({numbers['alone']:,} people stand alone)."
        )
    return Learned(
        "twice",
        "has two releases of the same data",
        learns,
        "With one release alone there is nothing to lay it over"
        + (f", and the smallest crowd is {min(numbers['crowds_before']):,}." if same else "."),  # type: ignore[call-overload]
        numbers,
        case.sample,
    )


def _side(graph: TemporalGraph, edges: np.ndarray, common: list[str]) -> Side:
    """By the slices both have; where there is none, by who ever met."""
    n, codes = graph.n_nodes, graph.slice_codes()
    if not common:
        pairs = np.unique(edges, axis=0)
        return lay_out(pairs, np.zeros(len(pairs), np.int32), n, np.arange(1), directed=graph.directed)
    place = {part.label: t for t, part in enumerate(graph.slices)}
    slices = np.array([place[label] for label in common])
    return lay_out(edges, codes, n, slices, directed=graph.directed, ever=edges)


def _agreement(
    one: TemporalGraph, other: TemporalGraph, nodes: np.ndarray, found: np.ndarray, common: list[str]
) -> float:
    """The share of the contacts of one that, laid over the other, are contacts there too: what the attacker can check."""
    n = max(one.n_nodes, other.n_nodes, 1)

    def keys(graph: TemporalGraph, edges: np.ndarray) -> np.ndarray:
        place = {label: i for i, label in enumerate(common)}
        slot = np.array([place.get(part.label, -1) for part in graph.slices])[graph.slice_codes()]
        use = (edges >= 0).all(axis=1) & ((slot >= 0) | (not common))
        ends = (edges if graph.directed else np.sort(edges, axis=1))[use].astype(np.int64)
        return np.asarray(np.unique((np.maximum(slot[use], 0) * n + ends[:, 0]) * n + ends[:, 1]))

    mine, theirs = keys(one, found[one._edges]), keys(other, moved(other, nodes))
    return float(np.isin(mine, theirs).mean()) if len(mine) else 0.0
