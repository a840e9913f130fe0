"""What moving loses is given back as a statistic: swaps bring a few totals over time near to those of the original.

After moving and rebuilding, nobody's contacts of yesterday are those of today any more. Edges of a slice then swap ends
(`shoal.rebuild.retie`), slice by slice, the others standing still, until people keep on average as much of their company from
slice to slice, and as many pairs ever meet, as in the original, and as many edges lie inside communities of groups as
among the moved ties. The swaps look at the moved graph, the groups and these totals, which are published; at nobody's ties.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from shoal.common.randomness import Randomness
from shoal.engine import Result, Tell
from shoal.engine.parts import Array, load
from shoal.engine.work import Runner
from shoal.errors import GuaranteeError
from shoal.graph import TemporalGraph
from shoal.measure.temporal import predecessor
from shoal.realize.ties import Elsewhere, look_around
from shoal.realize.view import SliceView
from shoal.rebuild import retie
from shoal.rebuild._retie_kernels import BUCKETS, KIND, OTHERS

FEW = 10  # people: of a step with fewer, or of one that nobody is in, no correlation is told
ROUNDS = {"fast": 3, "balanced": 10, "thorough": 20}
STEPS, FIRST_STEPS = 40, 10  # proposals for each edge in a round, and in the first, which only mixes
# A graph of more edges gets fewer of both, so that the time stays near that of the other stages.
LARGE, ROUNDS_LARGE, STEPS_LARGE = 100_000, 2, 10
# Of the edges two things are counted: inside a community or not, and whether the pair meets in any other slice.
COUNTED = np.isin(np.arange(retie.FEATURES), (OTHERS, KIND)).astype(np.int64)


class Totals(NamedTuple):
    """What is published of the original and matched: distinct pairs, and the correlation of each slice with the one before.

    Both are rounded: to two digits, and to hundredths. Where there is no slice before, or few people, there is none.
    """

    pairs: int
    correlation: tuple[float | None, ...]

    def to_dict(self) -> dict[str, Any]:
        """For the certificate."""
        return {"distinct_pairs": self.pairs, "correlation_with_slice_before": list(self.correlation)}


class Near(NamedTuple):
    """The slices before and after, where there are any."""

    before: int | None
    after: int | None


class SlicePiece(NamedTuple):
    """A slice among all slices as they are now."""

    slices: list[Array]
    t: int
    near: Near
    n_people: int
    directed: bool


class RetiePiece(NamedTuple):
    """A slice, the kinds of its people, what its edges are to come near to, and its own chance.

    `inside` is a share of the edges; `correlation` those with the slices before and after; `fewer` is how many more of the
    edges should be of pairs that meet in no other slice, None where that and the correlation are left alone.
    """

    slice: SlicePiece
    kind: Array
    inside: float
    correlation: tuple[float | None, float | None]
    fewer: float | None
    steps: int
    rng: np.random.Generator


def neighbours(graph: TemporalGraph) -> list[Near]:
    """The slices before and after every slice, of the same layer."""
    before = [predecessor(graph, t) for t in range(graph.n_slices)]
    after = [t + 1 if t + 1 < graph.n_slices and before[t + 1] == t else None for t in range(graph.n_slices)]
    return [Near(*both) for both in zip(before, after, strict=True)]


def find_totals(graph: TemporalGraph, run: Runner) -> Totals:
    """The totals of a graph, as they are published."""
    slices, near = [graph.held(t) for t in range(graph.n_slices)], neighbours(graph)
    pieces = [SlicePiece(slices, t, near[t], graph.n_nodes, graph.directed) for t in range(graph.n_slices)]
    found = [done.facts for done in run("totals", _count, pieces)]
    pairs = sum(facts["pairs"] for facts in found)
    digits = 1 - math.floor(math.log10(max(pairs, 1)))
    return Totals(int(round(pairs, min(digits, 0))), tuple(facts["correlation"] for facts in found))


def match_totals(
    graph: TemporalGraph,
    made: Sequence[Array],
    inside: Sequence[float],
    kinds: Sequence[Array],
    totals: Totals,
    rounds: int,
    chance: Randomness,
    run: Runner,
    tell: Tell,
    *,
    mix: bool,
) -> list[Array]:
    """The slices `made`, retied round by round: even slices while odd ones stand still, then odd ones.

    With `mix` the first round lets every edge wander between all pairs that keep the edges inside communities.
    """
    near, now, pairs = neighbours(graph), list(made), np.zeros(graph.n_slices)
    large = graph.n_edges > LARGE
    plan = list(_plan(graph.n_slices, rounds if not large else min(rounds, ROUNDS_LARGE), mix=mix))
    for i, (first, which) in enumerate(plan):
        edges = max(sum(len(now[t]) for t in which), 1)
        fewer = None if first else (totals.pairs - pairs.sum()) / edges
        pieces = [
            RetiePiece(
                SlicePiece(list(now), t, near[t], graph.n_nodes, graph.directed),
                kinds[t],
                inside[t],
                _wanted(totals, near[t], t),
                fewer,
                FIRST_STEPS if first else STEPS_LARGE if large else STEPS,
                chance.stream(f"retie/{i}/{t}"),
            )
            for t in which
        ]
        for t, done in zip(which, run(f"retie-{i:03}", _retie, pieces), strict=True):
            now[t], pairs[t] = done.arrays["edges"], done.facts["pairs"]
        tell((i + 1) / len(plan))
    return now


def _plan(n_slices: int, rounds: int, *, mix: bool) -> Iterator[tuple[bool, list[int]]]:
    """Which slices to retie together, and whether it is the first time, which only mixes."""
    for turn in range(0 if mix else 1, rounds + 1):
        for parity in range(min(2, n_slices)):
            yield turn == 0, list(range(parity, n_slices, 2))


def _wanted(totals: Totals, near: Near, t: int) -> tuple[float | None, float | None]:
    return totals.correlation[t], None if near.after is None else totals.correlation[near.after]


def _pairs(edges: np.ndarray, elsewhere: Elsewhere, n: int) -> tuple[float, int]:
    """A slice's share in the distinct pairs of all: an edge that is in m slices counts 1/m; and how many are in no other."""
    pairs = np.sort(edges, axis=1).astype(np.int64) @ np.array([n, 1])
    single = np.unique(pairs)  # a pair may have edges in both directions
    both, here, there = np.intersect1d(single, elsewhere.keys, assume_unique=True, return_indices=True)
    slices = np.ones(len(single))
    slices[here] += elsewhere.others[there]
    return float((1 / slices).sum()), int(np.count_nonzero(~np.isin(pairs, both)))


def _active(piece: SlicePiece, elsewhere: Elsewhere) -> list[int]:
    """People with edges here or in the slice before, after."""
    here = np.bincount(load(piece.slices[piece.t]).ravel(), minlength=piece.n_people) > 0
    return [int(np.count_nonzero(here | (of > 0))) for of in elsewhere.degrees]


def _count(piece: SlicePiece, threads: int, tell: Tell) -> Result:
    edges, n = load(piece.slices[piece.t]), piece.n_people
    elsewhere = look_around(piece.slices, piece.t, piece.near, n)
    active = _active(piece, elsewhere)[0]
    correlation = None
    if piece.near.before is not None and active >= FEW:
        view = SliceView(edges, np.zeros(n, np.int64), directed=piece.directed)
        ties, _ = retie.begin(view, edges, elsewhere, None, None, all_count=True, common=False)
        correlation = round(float(ties.repeats[:, 0].sum()) / active, 2)
    return Result({"pairs": _pairs(edges, elsewhere, n)[0], "correlation": correlation}, {})


def _retie(piece: RetiePiece, threads: int, tell: Tell) -> Result:
    here, n = piece.slice, piece.slice.n_people
    edges = load(here.slices[here.t])
    elsewhere = look_around(here.slices, here.t, here.near, n)
    if len(edges) > 1:
        view, kind = SliceView(edges, np.zeros(n, np.int64), directed=here.directed), load(piece.kind)
        aims, counted = _aims(piece, _pairs(edges, elsewhere, n)[1], len(edges)), COUNTED.copy()
        counted[OTHERS] = piece.fewer is not None
        made, _ = retie.retie(view, edges, elsewhere, aims, kind=kind, apart=counted, tries=piece.steps, rng=piece.rng)
        if not np.array_equal(SliceView(made, kind * 0, directed=here.directed).degrees, view.degrees):
            raise GuaranteeError("swaps changed somebody's degree; nothing was released, please report this")
        edges = made
    return Result({"pairs": _pairs(edges, elsewhere, n)[0]}, {"edges": edges})


def _aims(piece: RetiePiece, single: int, edges: int) -> retie.Aims:
    """What the edges of a slice should look like, of which `single` are now of pairs that meet in no other slice."""
    counts = np.zeros((retie.FEATURES, BUCKETS))
    counts[:, 0] = edges
    wanted = min(max(single + (piece.fewer or 0) * edges, 0), edges)
    counts[OTHERS, :2] = wanted, edges - wanted
    counts[KIND, :2] = edges * (1 - piece.inside), edges * piece.inside
    return retie.Aims((None, None) if piece.fewer is None else piece.correlation, counts)
