"""Stages 2 to 4 cut into slices: rebuilt each on its own, then retied in rounds in which they see each other.

Every second slice is retied while the others stand still, then those, and so on: what a slice becomes depends on the others' last
round alone, never on who was faster. Degrees stay, so the promise does. Pieces are those of `pieces`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.common.communities import louvain
from shoal.common.randomness import Randomness
from shoal.demands.request import Request
from shoal.demands.settings import Settings
from shoal.engine import Result, Tell
from shoal.engine.parts import Array, load
from shoal.engine.work import Runner
from shoal.errors import GuaranteeError
from shoal.graph import TemporalGraph
from shoal.measure.pagerank import pagerank
from shoal.measure.structure import without_directions
from shoal.measure.temporal import adjacency_correlation, predecessor
from shoal.plan import cells
from shoal.plan.stages import rebuild_slice
from shoal.realize import SliceLimits, SliceView
from shoal.realize.ties import look_around
from shoal.rebuild._propose_kernels import OTHERS
from shoal.rebuild._retie_kernels import BUCKETS
from shoal.rebuild.retie import FEATURES, Aims, retie

ROUNDS = {"fast": 1, "balanced": 6, "thorough": 12}
AGAIN, FEW = 3, 100_000  # times as many rounds while pairs are too many, in graphs up to so many contacts
NEW = 200.0  # what a pair costs that meets nowhere else, times the share of pairs that are too many
SPENT = 0.01  # of the edits, how many more there may be while pairs are too many
WHOLE = 1_000_000  # contacts up to which slices see each other more than once, and communities are looked for


class SlicePiece(NamedTuple):
    """A slice: its number, the edges of all slices, everybody's group, and its own chance."""

    t: int
    slices: list[Array]
    labels: Array
    settings: Settings
    directed: bool
    limits: SliceLimits | None
    change_class: Array | None
    rng: np.random.Generator


class RetiePiece(NamedTuple):
    """A slice: where it was, all slices as they are now, those before and after it, and what to aim at."""

    t: int
    original: Array
    slices: list[Array]
    near: tuple[int | None, int | None]
    correlation: tuple[float | None, float | None]
    people: int
    directed: bool
    limits: SliceLimits | None
    kind: Array | None
    ever: Array | None
    lean: np.ndarray
    new: float
    spend: int
    many: bool
    rng: np.random.Generator


def rebuild_slices(
    request: Request, labels: list[np.ndarray], chance: Randomness, run: Runner, tell: Tell, *, change_class: bool
) -> tuple[TemporalGraph, float]:
    """Stages 2 and 3, slice by slice, and about how many edits it took to keep the numbers of edges.

    With `change_class` the people of a slice that is released alone may go to another crowd.
    """
    graph, promise, settings, limits = request.graph, request.promise, request.settings, request.limits
    single = (np.bincount(promise.blocks) == 1) & change_class
    levels = run.keep("k-of-all", promise.levels) if single.any() else None
    kept = [run.keep(f"labels-{block:05}", of) for block, of in enumerate(labels)]
    slices = [graph.held(t) for t in range(graph.n_slices)]
    pieces = [
        SlicePiece(
            t,
            slices,
            kept[block],
            settings,
            graph.directed,
            limits.of_slice(t) if limits is not None else None,
            levels if single[block] else None,
            chance.stream(f"rebuild/{t}"),
        )
        for t, block in enumerate(promise.blocks)
    ]
    n_groups = [int(of.max(initial=-1)) + 1 for of in labels]
    cut = [settings.method == "search" and limits is None and len(edges) > cells.CELL_EDGES for edges in slices]
    done = run("slice", _rebuild, [piece for piece, of in zip(pieces, cut, strict=True) if not of], tell)
    made = iter(done)
    edges = [
        cells.rebuild_in_cells(
            t, slices[t], piece.labels, n_groups[promise.blocks[t]], settings, graph.directed, chance, run
        )
        if cut[t]
        else next(made).arrays["edges"]
        for t, piece in enumerate(pieces)
    ]
    return graph.with_edges(edges), sum(one.facts["price"] for one in done)


def retie_slices(
    request: Request, released: TemporalGraph, chance: Randomness, run: Runner, tell: Tell
) -> TemporalGraph:
    """The released graph with the same degrees and about the same edits, its invented edges tied as true ones are."""
    graph, settings, limits = request.graph, request.settings, request.limits
    count, rounds = graph.n_slices, ROUNDS[settings.effort] if graph.n_edges <= WHOLE else 1
    if settings.method != "search" or count < 2:
        return released
    before = [predecessor(graph, t) for t in range(count)]
    after = [t + 1 if t + 1 < count and before[t + 1] == t else None for t in range(count)]
    steps = [t for t in range(count) if before[t] is not None]
    pairs = [(graph.held(t - 1), graph.held(t), graph.n_nodes, graph.directed) for t in steps]
    kept = dict(zip(steps, (done.facts["kept"] for done in run("steps", _kept, pairs)), strict=True))
    kind, ever, wanted = None, None, 0
    if graph.n_edges <= WHOLE:
        everything = ([graph.held(t) for t in range(count)], graph.n_nodes, chance.stream("communities"))
        (found,) = run("communities", _communities, [everything])
        kind, ever, wanted = found.arrays["kind"], found.arrays["ever"], found.facts["pairs"]
    slices = [released.held(t) for t in range(count)]
    small = [t for t in range(count) if len(slices[t]) <= cells.CELL_EDGES]  # others would not fit one process
    counted: list[np.ndarray] = [np.zeros((2, FEATURES, BUCKETS))] * count
    edits, most = np.zeros(count, np.int64), None
    enough, rounds = rounds, rounds * AGAIN if graph.n_edges <= FEW else rounds
    surplus = [np.inf, np.inf]  # a round now and then brings no fewer pairs
    for r in range(rounds):
        surplus.append(_too_many(counted, wanted))
        if r >= enough and not 0 < surplus[-1] < surplus[-3]:
            break
        for odd in (0, 1):
            which, new = [t for t in small if t % 2 == odd], NEW * _too_many(counted, wanted)
            if most is None and r and new and settings.keeps_density:
                most = _most_edits(edits, np.array([one[1, OTHERS, 0] for one in counted]))
            lean = _lean(np.sum(counted, axis=0))
            pieces = [
                RetiePiece(
                    t,
                    graph.held(t),
                    slices,
                    (before[t], after[t]),
                    (kept.get(t), kept.get(t + 1)),
                    graph.n_nodes,
                    graph.directed,
                    limits.of_slice(t) if limits is not None else None,
                    kind,
                    ever,
                    lean,
                    new,
                    0 if most is None else int(most[t] - edits[t]),
                    not r or new > 0,
                    chance.stream(f"retie/{r}/{t}"),
                )
                for t in which
            ]
            for t, done in zip(which, run(f"retie-{r}-{odd}", _retie, pieces), strict=True):
                slices = [*slices[:t], done.arrays["edges"], *slices[t + 1 :]]
                counted[t], edits[t] = load(done.arrays["counts"]), done.facts["edits"]
            tell((2 * r + odd + 1) / (2 * rounds))
    return released.with_edges(slices)


def _lean(counted: np.ndarray) -> np.ndarray:
    """What kept edges of all slices have more of than invented ones, as shares.

    Slices in which much is invented may differ from those in which little is. Aiming by this much higher in every slice halves what
    can be told over all slices, and what could be told inside one stays as small as that.
    """
    kept, invented = counted / np.maximum(counted.sum(axis=2, keepdims=True), 1)
    return kept - invented if counted.any(axis=(1, 2)).all() else np.zeros_like(kept)


def _too_many(counted: list[np.ndarray], wanted: int) -> float:
    """By which share more pairs meet than in the original."""
    return max(_pairs(np.sum(counted, axis=0)) / wanted - 1, 0.0) if wanted else 0.0


def _most_edits(edits: np.ndarray, loose: np.ndarray) -> np.ndarray:
    """How many edits every slice may have: those it has, and its part of SPENT of all.

    They are dealt out in twos, which is what a swap with a kept edge takes, by how many ``loose`` edges there are: invented ones
    of pairs that meet nowhere else.

    >>> _most_edits(np.array([100, 200]), np.array([1, 0])).tolist()
    [102, 200]
    """
    twos = int(SPENT * edits.sum()) // 2 if loose.any() else 0
    share = twos * loose / max(loose.sum(), 1)
    dealt = share.astype(np.int64)
    dealt[np.argsort(dealt - share, kind="stable")[: twos - dealt.sum()]] += 1
    return edits + 2 * dealt


def _pairs(counted: np.ndarray) -> float:
    """About how many pairs meet at all: one that meets in c other slices is counted by 1 + c edges."""
    below = np.arange(BUCKETS)
    width = np.where(below < 4, 1, 2.0 ** (below // 2 - 1))  # of the buckets of `_retie_kernels.bucket`
    others = np.cumsum(width) - (width + 1) / 2
    return float(counted[:, OTHERS].sum(axis=0) @ (1 / (1 + others)))


def _rebuild(piece: SlicePiece, threads: int, tell: Tell) -> Result:
    t, slices, held, settings, directed, limits, change_class, rng = piece
    labels = load(held)
    elsewhere, edges = None, load(slices[t])
    if settings.edges_to_have(len(edges)) is not None:
        groups = np.zeros(int(labels.max(initial=-1)) + 1, bool)
        groups[labels[edges.ravel()]] = True
        elsewhere = look_around(slices, t, (None, None), len(labels), groups[labels])
    made, price = rebuild_slice(
        edges,
        labels,
        settings,
        directed=directed,
        limits=limits,
        change_class=None if change_class is None else load(change_class),
        elsewhere=elsewhere,
        rng=rng,
    )
    return Result({"price": price}, {"edges": made})


def _retie(piece: RetiePiece, threads: int, tell: Tell) -> Result:
    now, n = load(piece.slices[piece.t]), piece.people
    view = SliceView(load(piece.original), np.zeros(n, np.int64), directed=piece.directed, limits=piece.limits)
    elsewhere = look_around(piece.slices, piece.t, piece.near, n)
    kind, ever = (None if held is None else load(held) for held in (piece.kind, piece.ever))
    ranks = pagerank(load(piece.original), n, directed=piece.directed), pagerank(now, n, directed=piece.directed)
    aims = Aims(piece.correlation, None, piece.lean, ranks, piece.new, piece.spend, piece.many)
    made, counts = retie(view, now, elsewhere, aims, kind=kind, ever=ever, rng=piece.rng)
    degrees = [np.bincount(edges[:, side], minlength=n) for edges in (now, made) for side in (0, 1)]
    a, b, c, d = degrees
    keys = np.sort(made[:, 0].astype(np.int64) * view.n_nodes + made[:, 1] + view.half)
    same = np.array_equal(a, c) and np.array_equal(b, d) if piece.directed else np.array_equal(a + b, c + d)
    if not same or not view.keeps(keys):
        raise GuaranteeError("a slice was retied with other degrees; nothing was released, please report this")
    return Result({"edits": int(view.changes(keys, 1.0))}, {"edges": made, "counts": counts})


def _kept(piece: tuple[Array, Array, int, bool], threads: int, tell: Tell) -> Result:
    """How much of their neighbourhood people keep from a slice to the next."""
    before, after, n, directed = piece
    one, other = (without_directions(load(edges)) if directed else load(edges) for edges in (before, after))
    return Result({"kept": adjacency_correlation(one, other, n)}, {})


def _communities(piece: tuple[list[Array], int, np.random.Generator], threads: int, tell: Tell) -> Result:
    slices, n, rng = piece
    edges = np.concatenate([*map(load, slices), np.empty((0, 2), np.int32)])
    pairs = without_directions(edges)
    arrays = {"kind": louvain(edges, n, int(rng.integers(2**31))), "ever": np.bincount(pairs.ravel(), minlength=n)}
    return Result({"pairs": len(pairs)}, arrays)
