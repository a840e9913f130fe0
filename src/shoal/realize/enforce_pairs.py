"""From one pair of degrees per group to a realizable one per group: the directed side of EnforceRealizability.

Arcs leave somewhere and arrive somewhere, so besides the inequalities of Fulkerson, Chen and Anstee the two sums must be
equal, while groups only move whole: a knapsack in steps of group sizes. Levels and sizes of both sides are handled as one
array of 2m groups, those that send and then those that receive.
"""

from __future__ import annotations

import numpy as np

from shoal.realize.fulkerson import is_digraphical, satisfies_fulkerson

STEPS = 16  # of one size that the exact end of closing a gap may make
SPREAD = 32  # sizes that take part in the exact end of closing a gap
NEAR = 8  # and how many times the smallest the largest of them may be


def realize_pairs(
    in_levels: np.ndarray,
    out_levels: np.ndarray,
    sizes: np.ndarray,
    in_members: np.ndarray,
    out_members: np.ndarray,
    labels: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """A realizable pair per group near the given ones, at a low l1 cost against the members' own degrees.

    The sums are made equal at the least cost. Where that is not realizable, the side that loses less is cut at the
    highest level that is, may not rise above it again, and the sums are made equal anew. The cuts fall each time, so
    this ends: at the latest where one side, and then the other, is zero.

    >>> three, own = np.array([0, 0, 0]), np.array([1, 1, 1])
    >>> realize_pairs(np.array([1]), np.array([2]), np.array([3]), own, own, three)
    (array([1]), array([1]))
    """
    m, sizes = len(sizes), np.asarray(sizes, np.int64)
    prices = Prices(np.concatenate([out_members, in_members]), np.concatenate([labels, labels + m]), np.tile(sizes, 2))
    cap = np.full(2, max(int(sizes.sum()) - 1, 0))
    levels = np.concatenate([out_levels, in_levels]).astype(np.int64)
    while True:
        levels = balance(np.clip(levels, 0, np.repeat(cap, m)), prices, np.repeat(cap, m))
        outs, ins = levels[:m], levels[m:]
        if is_digraphical(ins, outs, sizes):
            return ins, outs
        cuts = (_highest_cut(ins, outs, sizes), _highest_cut(outs, ins, sizes))
        losses = [int(np.dot(sizes, np.maximum(d - c, 0))) for d, c in zip((outs, ins), cuts, strict=True)]
        side = int(np.argmin(losses))
        cap[side] = cuts[side]


def steps_ahead(n_groups: int) -> int:
    """How many steps of every group to look at together: fewer where there are many groups to share them."""
    return max(2, min(STEPS, 100_000 // n_groups))


def _highest_cut(fixed: np.ndarray, cut: np.ndarray, sizes: np.ndarray) -> int:
    """The highest level below the highest of `cut` at which cutting makes the inequalities hold; they hold at 0."""
    low, high = 0, int(cut.max())
    while high - low > 1:
        half = (low + high) // 2
        if satisfies_fulkerson(fixed, np.minimum(cut, half), sizes):
            low = half
        else:
            high = half
    return low


class Prices:
    """What it costs in l1 to move a group: members whose own degree lies ahead come nearer, the others go away."""

    def __init__(self, members: np.ndarray, labels: np.ndarray, sizes: np.ndarray) -> None:
        self.sizes = sizes
        self.base = int(members.max(initial=0)) + 2
        self.keys = np.sort(labels.astype(np.int64) * self.base + members)

    def step(self, levels: np.ndarray, way: np.ndarray, cap: np.ndarray) -> np.ndarray:
        """The price of one step up (`way` 1) or down (-1) from these levels; infinite beyond 0 and `cap`."""
        groups = np.arange(len(levels)) * self.base
        reach = np.clip(levels + (way > 0), 0, self.base - 1)  # nobody above base - 2
        below = np.searchsorted(self.keys, groups + reach) - np.searchsorted(self.keys, groups)
        ahead = np.where(way > 0, self.sizes - below, below)
        after = levels + way
        return np.where((after >= 0) & (after <= cap), self.sizes - 2.0 * ahead, np.inf)


def balance(levels: np.ndarray, prices: Prices, cap: np.ndarray) -> np.ndarray:
    """Make both sides send and receive the same number of arcs, at a low price, with levels from 0 to `cap`.

    Where no such steps are found, each group gets the smaller of its two levels, which is balanced for sure.
    """
    m, sizes = len(levels) // 2, prices.sizes
    side = np.repeat([1, -1], m)
    while gap := int(np.dot(side * sizes, levels)):
        way = -side if gap > 0 else side  # the steps that make the gap smaller
        ahead = range(steps_ahead(2 * m))
        toward, away = (np.stack([prices.step(levels + j * w, w, cap) for j in ahead]) for w in (way, -way))
        moves = close_gap(abs(gap), sizes, toward, away)
        if moves is None:
            return np.tile(np.minimum(levels[:m], levels[m:]), 2)
        levels = levels + way * moves
    return levels


def close_gap(gap: int, sizes: np.ndarray, toward: np.ndarray, away: np.ndarray) -> np.ndarray | None:
    """How many steps each group makes (negative: away) to bring a gap to zero or nearer to it; None where none do.

    `toward` and `away` hold prices, one row per further step of every group, not falling from row to row. The steps
    cheapest per member are taken until little is left. The rest is a knapsack over the smallest sizes, exact for the
    cheapest steps of each: more steps toward zero, steps away from it, and steps just taken that are taken back. Where
    the common divisor of those sizes does not divide the gap, one step of another size comes first.
    """
    n_groups = len(sizes)
    few = np.unique(sizes)
    few = few[few <= NEAR * few[0]][:SPREAD]
    divisor = int(np.gcd.reduce(few))
    if gap % divisor:
        return _one_step(toward[0], away[0], (gap - sizes) % divisor == 0, (gap + sizes) % divisor == 0)
    width, price = np.tile(sizes, len(toward)), toward.ravel()
    order = np.lexsort((width, price / width))
    order = order[np.isfinite(price[order]) & (width[order] % divisor == 0)]
    taken = order[: np.searchsorted(np.cumsum(width[order]), max(gap - 4 * few[-1], 0), side="right")]
    moves = np.bincount(taken % n_groups, minlength=n_groups)
    left, window = gap - int(width[taken].sum()), STEPS * int(few[-1])
    if left > window:  # these steps were not enough
        return moves if len(taken) else None
    sources = ((order[len(taken) :], price, 1), (taken, -price, -1), (np.arange(away.size), away.ravel(), -1))
    items = [
        (int(size), float(cost[q]), sign, int(q % n_groups))
        for size in few
        for which, cost, sign in sources
        for q in _cheapest(which[width[which] == size], cost)
    ]
    chosen = _knapsack(left, window, items)
    if chosen is None:
        return None
    for q in chosen:
        moves[items[q][3]] += items[q][2]
    return moves


def _one_step(toward: np.ndarray, away: np.ndarray, may: np.ndarray, may_away: np.ndarray) -> np.ndarray | None:
    """The cheapest single step of those that may be made."""
    price = np.concatenate([np.where(may, toward, np.inf), np.where(may_away, away, np.inf)])
    best = int(np.argmin(price))
    if not np.isfinite(price[best]):
        return None
    moves = np.zeros(len(toward), np.int64)
    moves[best % len(toward)] = 1 if best < len(toward) else -1
    return moves


def _cheapest(which: np.ndarray, cost: np.ndarray) -> np.ndarray:
    which = which[np.isfinite(cost[which])]
    return which[np.argsort(cost[which], kind="stable")[:STEPS]]


def _knapsack(left: int, window: int, items: list[tuple[int, float, int, int]]) -> list[int] | None:
    """The cheapest items (size, price, sign, ..) whose signed sizes add up to `left`, never straying from the window."""
    width = 2 * window + 1
    best = np.full(width, np.inf)  # best[window + x]: the least price at which x is left
    best[window + left] = 0.0
    used = np.zeros((len(items), width), dtype=bool)
    for q, (size, price, sign, _) in enumerate(items):
        moved = np.full(width, np.inf)
        if sign > 0:
            moved[: width - size] = best[size:] + price
        else:
            moved[size:] = best[: width - size] + price
        used[q] = moved < best - 1e-9
        best = np.where(used[q], moved, best)
    if not np.isfinite(best[window]):
        return None
    chosen, at = [], window
    for q in range(len(items) - 1, -1, -1):
        if used[q, at]:
            chosen.append(q)
            at += items[q][0] * items[q][2]
    return chosen
