"""What moving loses is given back as a statistic: swaps bring a few totals over time near to those of the original.

After moving and rebuilding, nobody's contacts of yesterday are those of today any more. Edges of a slice then swap ends
(`shoal.rebuild.retie`), one slice after the other, each with a view of those before it, until people keep on average as
much of their company from slice to slice, and as many pairs ever meet, as in the original, and as many edges lie inside
communities of groups as among the moved ties. The swaps look at the moved graph, the groups and these totals, which are
published; at nobody's ties.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from shoal.common.edges import distinct, found_in
from shoal.common.randomness import Randomness
from shoal.engine import Result, Tell
from shoal.engine.parts import Array, load
from shoal.engine.work import Runner
from shoal.errors import GuaranteeError
from shoal.graph import TemporalGraph
from shoal.measure.temporal import predecessor
from shoal.realize.ties import look_around
from shoal.realize.view import SliceView
from shoal.rebuild import retie
from shoal.rebuild._propose_kernels import OTHERS
from shoal.rebuild._retie_kernels import BUCKETS, HALF, KIND, LEAST, bucket
from shoal.rebuild._retie_kernels import MOST as MOST_BUSY

FEW = 10  # people: of a step with fewer, or of one that nobody is in, no correlation is told
EFFORT = {"fast": 0.25, "balanced": 1.0, "thorough": 4.0}
# Proposals: so many for a graph, but so few or so many for an edge; before them some that only mix.
PROPOSALS, FEWEST, MOST = 2_000_000, 4.0, 300.0
MIXING, MOST_MIXING = 0.25, 10.0  # of them, and for an edge
AIMED = 0.6  # of the proposals are pairs of earlier slices
BLOCK = 4_000_000  # contacts whose pairs are counted together
# Pairs meet about equally often: nobody's lasts much longer than the mean, so that a tie that is known to last has no likeness
# that goes on and on. By how much more some may meet was measured by benchmarks/against.py: with no more, pairs run out.
LASTING = 1.2
# Of the edges is counted: inside a community or not, how often the pair met in slices before, and perhaps how busy both are.
COUNTED = np.where(np.arange(retie.FEATURES) == OTHERS, BUCKETS - 1, 0) + (np.arange(retie.FEATURES) == KIND)
BUSY_TOO = COUNTED + np.isin(np.arange(retie.FEATURES), (LEAST, MOST_BUSY)) * (BUCKETS - 1)


class Totals(NamedTuple):
    """What is published of the original and matched: distinct pairs, and the correlation of each slice with the one before.

    Both are rounded: to two digits, and to hundredths. Where there is no slice before, or few people, there is none.
    """

    pairs: int
    correlation: tuple[float | None, ...]

    def wider(self, led_out: float) -> Totals:
        """What is aimed at where this share of the edges is led out of its communities: a pair meets in as much fewer slices.

        The same few pairs of strangers over and over would look like communities of their own.
        """
        return self._replace(pairs=round(self.pairs / (1 - led_out)))

    def to_dict(self) -> dict[str, Any]:
        """For the certificate."""
        return {"distinct_pairs": self.pairs, "correlation_with_slice_before": list(self.correlation)}


class StepPiece(NamedTuple):
    """A slice and the one before."""

    before: Array | None
    edges: Array
    n_people: int


class PairsPiece(NamedTuple):
    """All slices, and the people of whose pairs with later ones these are to be counted."""

    slices: list[Array]
    first: int
    last: int
    n_people: int


class Looks(NamedTuple):
    """What the edges of a slice should look like, by its moved ties: the share `inside` communities, and who meets whom.

    `active` is how many contacts everybody has over all slices, `busy` how often that occurs, in buckets, of the less busy of two
    and of the busier, for edges inside communities by themselves; None where only communities count.
    """

    inside: float
    active: Array
    busy: Array | None


class RetiePiece(NamedTuple):
    """A slice and those before it as they are now, the kinds of its people, what its edges should come near to, its own chance.

    `new` is a share of the edges, of pairs that met in no slice before; others
    met up to `most` times. `correlation` is that with the slice `before`. `mix` and `tries` are proposals for each edge.
    """

    slices: list[Array]
    before: int | None
    n_people: int
    directed: bool
    kind: Array
    looks: Looks
    new: float
    most: int
    correlation: float | None
    mix: float
    tries: float
    rng: np.random.Generator


def find_totals(graph: TemporalGraph, run: Runner) -> Totals:
    """The totals of a graph, as they are published."""
    slices, n = [graph.held(t) for t in range(graph.n_slices)], graph.n_nodes
    before = [predecessor(graph, t) for t in range(graph.n_slices)]
    steps = [StepPiece(None if b is None else slices[b], slices[t], n) for t, b in enumerate(before)]
    found = tuple(done.facts["correlation"] for done in run("steps", _step, steps))
    ends = np.linspace(0, n, 1 + max(1, -(-graph.n_edges // BLOCK))).astype(int)
    blocks = [PairsPiece(slices, int(a), int(b), n) for a, b in pairwise(ends)]
    pairs = sum(done.facts["pairs"] for done in run("pairs", _count_pairs, blocks))
    digits = 1 - math.floor(math.log10(max(pairs, 1)))
    return Totals(int(round(pairs, min(digits, 0))), found)


def match_totals(
    graph: TemporalGraph,
    made: Sequence[Array],
    looks: Sequence[Looks],
    kinds: Sequence[Array],
    totals: Totals,
    effort: str,
    chance: Randomness,
    run: Runner,
    tell: Tell,
    *,
    mix: bool,
) -> list[Array]:
    """The slices `made`, retied one after the other.

    With `mix` every edge first wanders between all pairs that keep the edges inside communities. Of the pairs that may
    still be new every slice gets its share, the first ones more, since few can be met again there.
    """
    now, pairs, left = list(made), 0, sum(len(edges) for edges in made)
    tries = EFFORT[effort] * min(max(PROPOSALS / max(left, 1), FEWEST), MOST)
    mean = max(left / max(totals.pairs, 1), 1.0)  # slices that a pair meets in
    for t in range(graph.n_slices):
        piece = RetiePiece(
            now[: t + 1],
            predecessor(graph, t),
            graph.n_nodes,
            graph.directed,
            kinds[t],
            looks[t],
            min(max((totals.pairs - pairs) / max(left, 1), 1 / (t + 1) if t < mean else 0.0), 1.0),
            min(t, max(round(LASTING * mean) - 1, 1)),
            totals.correlation[t],
            min(MIXING * tries, MOST_MIXING) if mix else 0.0,
            tries,
            chance.stream(f"retie/{t}"),
        )
        (done,) = run(f"retie-{t:05}", _retie, [piece])
        now[t], pairs, left = done.arrays["edges"], pairs + done.facts["new"], left - len(made[t])
        tell((t + 1) / graph.n_slices)
    return now


def _pairs_of(edges: np.ndarray, n: int) -> np.ndarray:
    """Who meets whom: ``low * n + high``, for each edge."""
    return np.sort(edges, axis=1).astype(np.int64) @ np.array([n, 1])


def _step(piece: StepPiece, threads: int, tell: Tell) -> Result:
    """How much people keep of their company, an edge u-v adding what retying counts for it."""
    if piece.before is None:
        return Result({"correlation": None}, {})
    before, edges, n = load(piece.before), load(piece.edges), piece.n_people
    degrees = [np.bincount(of.ravel(), minlength=n) for of in (before, edges)]
    active = int(np.count_nonzero(degrees[0] + degrees[1]))
    again = edges[np.isin(_pairs_of(edges, n), _pairs_of(before, n))]
    kept = float((1 / np.sqrt((degrees[0] * degrees[1])[again])).sum())
    return Result({"correlation": round(kept / active, 2) if active >= FEW else None}, {})


def _count_pairs(piece: PairsPiece, threads: int, tell: Tell) -> Result:
    found = np.empty(0, np.int64)
    for edges in map(load, piece.slices):
        low = edges.min(axis=1, initial=piece.n_people)
        some = edges[(low >= piece.first) & (low < piece.last)]
        found = np.concatenate([found, _pairs_of(some, piece.n_people)])
    return Result({"pairs": len(distinct(found))}, {})


def _retie(piece: RetiePiece, threads: int, tell: Tell) -> Result:
    n, t = piece.n_people, len(piece.slices) - 1
    edges = load(piece.slices[t])
    elsewhere = look_around(piece.slices, t, (piece.before, None), n)
    if len(edges) > 1:
        view, kind = SliceView(edges, np.zeros(n, np.int64), directed=piece.directed), load(piece.kind)
        made, _ = retie.retie(
            view,
            edges,
            elsewhere,
            _aims(piece, len(edges)),
            kind=kind,
            busy=None if piece.looks.busy is None else load(piece.looks.active),
            apart=COUNTED if piece.looks.busy is None else BUSY_TOO,
            tries=piece.tries,
            mix=piece.mix,
            aimed=AIMED,
            often=piece.most,
            rng=piece.rng,
        )
        if not np.array_equal(SliceView(made, kind * 0, directed=piece.directed).degrees, view.degrees):
            raise GuaranteeError("swaps changed somebody's degree; nothing was released, please report this")
        edges = made
    new = np.count_nonzero(~found_in(distinct(_pairs_of(edges, n)), elsewhere.keys))
    return Result({"new": int(new)}, {"edges": edges})


def _aims(piece: RetiePiece, edges: int) -> retie.Aims:
    """What the edges of a slice should look like."""
    counts = np.zeros((retie.FEATURES, BUCKETS))
    counts[:, 0] = edges
    counts[OTHERS, 0] = edges * (piece.new if piece.most else 1.0)
    for often in range(1, piece.most + 1):
        counts[OTHERS, bucket(often)] += edges * (1 - piece.new) / piece.most
    counts[KIND, :2] = edges * (1 - piece.looks.inside), edges * piece.looks.inside
    if piece.looks.busy is not None and (busy := load(piece.looks.busy)).any():
        counts[LEAST] = edges * busy[0] / busy[0].sum()
        for some, share in ((slice(HALF), counts[KIND, 0]), (slice(HALF, None), counts[KIND, 1])):
            counts[MOST_BUSY, some] = share * busy[1, some] / max(busy[1, some].sum(), 1)
    return retie.Aims((piece.correlation, None), counts, many=True)  # what counts most is how often pairs meet
