"""Retie: edges of a slice swap ends, so that they look like true ones over time, and no degree changes.

A swap puts a-d and c-b in the place of a-b and c-d. Everybody keeps as many edges as before, so whoever looks alike does so
afterwards. One slice is retied while the others stand still; see `shoal.plan.slices.retie_slices` for the rounds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.common.edges import distinct
from shoal.measure.pagerank import ALPHA
from shoal.realize.ties import Elsewhere
from shoal.realize.view import SliceView
from shoal.rebuild import _retie_kernels as kernels
from shoal.rebuild._edgeset import new_set
from shoal.rebuild._retie_kernels import BUCKETS, FIXED, HERE, Aim, Around, Ties
from shoal.rebuild._rewire_kernels import half_edges

FEATURES = 7
NO_PULL, NO_WISH = np.empty(0), np.empty((0, 2), np.int64)
PULL = 100.0, 30.0  # what PageRank counts beside them, and while pairs are too many
EDIT = 0.45  # what an edit costs, of what a pair costs that meets nowhere else: a swap that takes two has to save one
STEPS, FEWEST, MOST = 50_000, 5, 100  # swaps looked at in a slice, and how few and many of them for an edge
HOT = (20.0, 5.0)  # what a swap may typically cost before, in small slices: in units of an edge that is one off
WEIGHT = np.array([1.0, 2.0, 2.0, 2.0, 1.0, 3.0, 2.0])  # of each feature, in the order of the kernel
MANY = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 3.0, 0.0])  # and while pairs are too many


class Aims(NamedTuple):
    """What a slice should look like, where the slice does not say it itself: totals, of nobody in particular.

    ``correlation`` is how much people keep of their neighbourhood from the slice before, and to the one after
    (`shoal.measure.temporal`; None where there is none). ``counts`` is how often each bucket of each feature occurs among its
    edges; None if invented edges are to look like those that were kept. ``new`` is what a pair costs that meets nowhere else, for
    each of the edges that count. As long as it costs something, ``spend`` is how many edits more the slice may take. ``many`` says
    that more pairs meet than should, or may do so: then it matters most in how many slices they meet.
    """

    correlation: tuple[float | None, float | None]
    counts: np.ndarray | None = None
    lean: np.ndarray | float = 0.0
    ranks: tuple[np.ndarray, np.ndarray] | None = None
    new: float = 0.0
    spend: int = 0
    many: bool = False


def retie(
    view: SliceView,
    edges: np.ndarray,
    elsewhere: Elsewhere,
    aims: Aims,
    *,
    kind: np.ndarray | None = None,
    ever: np.ndarray | None = None,
    busy: np.ndarray | None = None,
    apart: np.ndarray | None = None,
    tries: float | None = None,
    mix: float = 0.0,
    aimed: float = 0.0,
    often: int = np.iinfo(np.int64).max,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """The edges of a slice, tied anew with the same degrees; `view` is the slice they were made from.

    Without ``aims.counts`` swaps take no more edits than ``aims.spend``. With them all edges swap, whatever they
    were before. ``tries`` are the swaps looked at for each edge that counts, by default fewer where there are many; ``mix``
    of them for each are looked at before, with regard to communities alone. ``kind`` is everybody's community, for edges
    inside one, ``ever`` how many people they meet over all slices. ``busy`` is how busy people are, by default as many
    edges as they have here; where it is given, the busier of two is counted for edges inside and between communities by
    itself. Of each feature, buckets from ``apart`` on count as one. With the chance ``aimed`` a proposal is a pair that
    meets in up to ``often`` other slices, in half of the cases one beside this.

    >>> from shoal.realize.ties import look_around
    >>> square = SliceView(np.array([[0, 1], [2, 3]], dtype=np.int32), np.zeros(4, int))
    >>> others = look_around([square.as_edges(square.keys), np.array([[0, 2], [1, 3]])], 0, (None, 1), 4)
    >>> made = np.array([[0, 3], [1, 2]], dtype=np.int32)
    >>> aims = Aims((None, 1.0), portrait(square, made[:, ::-1], others))
    >>> len(retie(square, made, others, aims, rng=np.random.default_rng(0))[0])
    2
    """
    apart = np.full(FEATURES, BUCKETS - 1) if apart is None else apart
    common, weight = bool(apart[kernels.COMMON]), MANY if aims.many else WEIGHT
    apart = np.minimum(apart, _highest(view, edges, elsewhere, ever, busy))
    ties, seen = begin(view, edges, elsewhere, kind, ever, busy, all_count=aims.counts is not None, common=common)
    m, counted = len(edges), int(ties.counts[0])
    before = counts_of(ties.seen[:m][ties.where < 0])
    wanted = before if aims.counts is None else aims.counts
    if not counted or not wanted.any():
        return edges, np.stack([before, counts_of(ties.seen[:m][ties.where >= 0])])
    wanted = np.maximum(wanted / wanted[0].sum() + aims.lean, 0)
    wanted = np.cumsum(counted * wanted / wanted.sum(axis=1, keepdims=True), axis=1)
    goal, worth = np.zeros(2), np.zeros(2)
    if mix:
        only = np.where(np.arange(FEATURES) == kernels.KIND, apart, 0)
        aim, have = Aim(wanted, only, weight, goal, worth, 0.0, 0.0, aims.counts is not None), _below(ties, m)
        kernels.retie(int(mix * counted), view.n_nodes, 0.0, 0.0, seen, aim, have, np.zeros(2), ties, rng)
    have, total = _below(ties, m), ties.repeats[:m].sum(axis=0)
    now = np.bincount(edges.ravel(), minlength=view.people)
    for side, correlation in enumerate(aims.correlation):
        if correlation is None or not total[side] + correlation:
            continue
        before = elsewhere.degrees[side]
        goal[side] = correlation * np.count_nonzero((now > 0) | (before > 0))
        both = (now > 0) & (before > 0)
        typical = 2 * np.sum(now[both] / np.sqrt(now[both] * before[both])) / max(1, now[both].sum())
        worth[side] = 1 / typical**2 if typical else 0.0
    if aimed:
        seen = _wish(seen, view, elsewhere, often)
    if aims.ranks is not None:
        seen = seen._replace(pull=_pulls(view, edges, *aims.ranks, PULL[aims.many], ties.off))
    new = aims.new * counted
    aim = Aim(wanted, apart, weight, goal, worth, new, EDIT * new, aims.counts is not None)
    ties.counts[1] += aims.spend if new else 0
    steps = int(np.clip(STEPS, FEWEST * counted, MOST * counted) if tries is None else tries * counted)
    for hot in HOT if aims.counts is None and MOST * counted <= STEPS else ():
        kernels.retie(steps // len(HOT), view.n_nodes, hot, aimed, seen, aim, have, total, ties, rng)
    kernels.retie(steps, view.n_nodes, 0.0, aimed, seen, aim, have, total, ties, rng)
    counts = [counts_of(ties.seen[:m][which]) for which in (ties.where < 0, ties.where >= 0)]
    return view.as_edges(np.sort(ties.current.items[:m])), np.stack(counts)


def _below(ties: Ties, m: int) -> np.ndarray:
    """How many of the edges that count are in each bucket of each feature or below."""
    return np.cumsum(counts_of(ties.seen[:m][ties.where >= 0]), axis=1)


def _pulls(
    view: SliceView, edges: np.ndarray, wanted: np.ndarray, now: np.ndarray, counts: float, off: np.ndarray
) -> np.ndarray:
    """What each contact adds to somebody's PageRank, with the ranks `now`; in `off` how far that is from the ranks `wanted`.

    The unit is what a typical contact adds times what PageRank ``counts``, so that it stands beside edges that are counted.
    """
    n, half = view.people, view.half
    out = np.bincount(edges[:, 0], minlength=n) + (0 if half else np.bincount(edges[:, 1], minlength=n))
    pull = np.where(out > 0, now / np.maximum(out, 1), 0.0)
    unit = np.sqrt(counts) / max(float(np.sqrt(np.mean(pull[out > 0] ** 2))), 1e-300)
    flow = np.bincount(edges[:, 1], pull[edges[:, 0]], n)
    if not half:
        flow += np.bincount(edges[:, 0], pull[edges[:, 1]], n)
    off[half:] = unit * (flow - (wanted - (now - ALPHA * flow)) / ALPHA)
    return unit * np.concatenate([pull, np.zeros(n)]) if half else unit * pull


def portrait(
    view: SliceView,
    edges: np.ndarray,
    elsewhere: Elsewhere,
    kind: np.ndarray | None = None,
    ever: np.ndarray | None = None,
) -> np.ndarray:
    """How often each bucket of each feature occurs among these edges: totals that another slice can aim at."""
    return counts_of(begin(view, edges, elsewhere, kind, ever, all_count=True)[0].seen[: len(edges)])


def _highest(
    view: SliceView, edges: np.ndarray, elsewhere: Elsewhere, ever: np.ndarray | None, busy: np.ndarray | None
) -> list[int]:
    """The highest bucket that an edge can be in, of each feature: all are there or below, so beyond it nothing is counted."""
    keys = edges.astype(np.int64) + np.array([0, view.half])
    most = kernels.bucket(int(np.bincount(keys.ravel()).max(initial=0)))
    busiest = most if busy is None else BUCKETS - 1  # those inside kinds come after all others
    widest = 0 if ever is None else 2 * int(_steps(ever).max(initial=0))
    return [kernels.bucket(int(elsewhere.others.max(initial=0))), 2, busiest, busiest, most, 1, widest]


def counts_of(seen: np.ndarray) -> np.ndarray:
    """How often each bucket of each feature occurs."""
    return np.stack([np.bincount(seen[:, f], minlength=BUCKETS) for f in range(FEATURES)]).astype(float)


def begin(
    view: SliceView,
    edges: np.ndarray,
    elsewhere: Elsewhere,
    kind: np.ndarray | None,
    ever: np.ndarray | None = None,
    busy: np.ndarray | None = None,
    *,
    all_count: bool,
    common: bool = True,
) -> tuple[Ties, Around]:
    """The edges as stubs, every one looked at."""
    n, m = view.n_nodes, len(edges)
    keys = edges[:, 0].astype(np.int64) * n + edges[:, 1] + view.half
    degrees = np.bincount(np.concatenate([keys // n, keys % n]), minlength=n)
    stubs, slots = np.empty((2, 2 * m), np.int64), np.empty((m, 2), np.int64)
    ties = Ties(
        view.half,
        np.concatenate([[0], np.cumsum(degrees)]),
        stubs[0],
        slots,
        stubs[1],
        new_set(keys, m),
        np.zeros((m + 2, FEATURES), np.int8),
        np.zeros((m + 2, 2)),
        np.empty(m, np.int64),
        np.full(m, -1),
        np.array([0, 4 * m if all_count else 0]),
        np.zeros(n),
    )
    seen = _around(view, edges, elsewhere, kind, ever, common)
    held = buckets(degrees if busy is None else np.tile(busy, n // view.people))
    seen = seen._replace(busy=held, by_kind=busy is not None)
    kernels.start_ties(n, seen, all_count, ties)
    return ties, seen


def _around(
    view: SliceView,
    edges: np.ndarray,
    elsewhere: Elsewhere,
    kind: np.ndarray | None,
    ever: np.ndarray | None,
    common: bool,
) -> Around:
    """What is around as the kernel sees it, with the edges and the limits of the original slice."""
    n, half, copies = view.people, view.half, view.n_nodes // max(1, view.people)
    low, high = elsewhere.keys // n, elsewhere.keys % n
    keys, others, marks = low * view.n_nodes + high + half, elsewhere.others, elsewhere.marks
    if half:
        keys = np.append(keys, high * view.n_nodes + low + half)
    every = distinct(np.concatenate([keys, view.keys, view.forbidden]))
    table = np.zeros((2, len(every)), np.int64)
    table[:, np.searchsorted(every, keys)] = np.tile(np.stack([others, marks]), copies)
    for which, mark in ((view.keys, HERE), (view.keys[view.must_keep], FIXED), (view.forbidden, FIXED)):
        table[1, np.searchsorted(every, which)] |= mark
    both = np.bincount(edges.ravel(), minlength=n) * elsewhere.degrees
    share = np.tile(np.where(both > 0, 1 / np.sqrt(np.maximum(both, 1)), 0.0), copies)
    kinds = np.tile(np.full(n, -1) if kind is None else kind, copies).astype(np.int32)  # small, for the cache
    steps = np.tile(np.zeros(n, np.int8) if ever is None else _steps(ever), copies)
    start, near = half_edges(every, view.n_nodes)
    found = new_set(every, every.size)
    return Around(
        found,
        table[0],
        table[1],
        start,
        near,
        NO_WISH,
        0,
        kinds,
        steps,
        view.exempt,
        NO_PULL,
        share,
        np.empty(0, np.int8),
        False,
        common,
    )


def _steps(ever: np.ndarray) -> np.ndarray:
    """Numbers of people in steps of a logarithm: those of two added up are a bucket of their product."""
    return np.minimum(np.rint(2 * np.log2(np.maximum(ever, 1))), (BUCKETS - 1) // 2).astype(np.int8)


def buckets(numbers: np.ndarray) -> np.ndarray:
    """`_retie_kernels.bucket` of each number; of the less busy of two it is the lower one.

    >>> buckets(np.array([0, 1, 2, 3, 4, 5, 6, 7, 8])).tolist()
    [0, 1, 2, 3, 4, 4, 5, 5, 6]
    """
    below = [1, *(low for power in range(1, BUCKETS // 2) for low in (2**power, 3 * 2 ** (power - 1)))]
    return np.searchsorted(below, numbers, side="right").astype(np.int8)


def _wish(seen: Around, view: SliceView, elsewhere: Elsewhere, often: int) -> Around:
    """The same, with pairs to aim at: those that meet in up to `often` other slices."""
    some = elsewhere.others <= often
    low, high = np.divmod(elsewhere.keys[some], view.people)
    pairs, beside = np.stack([low, high + view.half], axis=1), elsewhere.marks[some] > 0
    if view.half:  # in both directions
        pairs = np.concatenate([pairs, np.stack([high, low + view.half], axis=1)])
        beside = np.tile(beside, 2)
    wished = np.concatenate([pairs[beside], pairs[~beside]])
    return seen._replace(wished=wished, beside=int(beside.sum()))
