"""EnforceRealizability and the parity step of the paper: from one degree per group to a realizable one per group.

The paper's parity step moves the smallest group with an odd sum of degrees; here it is the cheapest of odd size.

All functions take one slice: `degrees` and `sizes` of the groups. Groups stay whole, so k-anonymity is untouched. Where edges
have a direction, those that send come first, then those that receive, and instead of an even sum the two sums must be equal.
"""

from __future__ import annotations

import numpy as np

from shoal.realize.close import close, gap_of, steps_ahead
from shoal.realize.erdos_gallai import is_graphical, satisfies_erdos_gallai
from shoal.realize.fulkerson import is_digraphical, satisfies_fulkerson


def is_realizable(degrees: np.ndarray, sizes: np.ndarray, *, directed: bool) -> bool:
    """Whether some simple slice has these degrees."""
    if not directed:
        return is_graphical(degrees, sizes)
    (outs, ins), m = np.split(degrees, 2), len(sizes) // 2
    return is_digraphical(ins, outs, sizes[:m])


def realize_slice(
    degrees: np.ndarray,
    sizes: np.ndarray,
    members: np.ndarray,
    labels: np.ndarray,
    *,
    directed: bool = False,
    highest: np.ndarray | None = None,
) -> np.ndarray:
    """Realizable degrees near the given ones, at a low l1 cost against `members`, the nodes' own degrees.

    The degrees are made to add up. Where that is not realizable, some may be no higher any more, and they are made to add up
    anew: without directions no group may rise above what the pivot method left, with them one side is cut. From then on sums
    only fall, so this ends, at the latest with no edges. No group rises above its `highest`.

    >>> three, own = np.array([0, 0, 0, 1, 1, 1]), np.ones(6, np.int64)
    >>> realize_slice(np.array([2, 1]), np.array([3, 3]), own, three, directed=True)
    array([1, 1])
    """
    degrees, sizes = np.asarray(degrees, np.int64), np.asarray(sizes, np.int64)
    m, prices = len(sizes) // 2, _Prices(members, labels, sizes)
    side = np.repeat([1, -1], m) if directed else np.ones_like(sizes)
    most = np.full(len(sizes), (len(labels) // 2 if directed else len(labels)) - 1).clip(min=0)
    most = most if highest is None else np.minimum(most, highest)
    while True:
        degrees = np.clip(degrees, 0, most)
        if not directed:
            degrees = enforce_realizability(degrees, sizes)
        closed = _balance(degrees, sizes, side, prices, most)
        if is_realizable(closed, sizes, directed=directed):
            return closed
        most, degrees = _cut(closed, sizes, most) if directed else np.minimum(most, degrees), closed


def _pointwise_violation(degrees: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """By how much each group exceeds its own constraint in Eq. 5, summed over its members; groups largest first.

    The i-th node (from 1) of the sorted sequence may have at most (i - 1) + #{j > i : d_j >= i}. These constraints add up
    to those of Erdős and Gallai, so wherever the latter fail, at least one group exceeds its own.
    """
    ends = np.cumsum(sizes)
    starts = ends - sizes
    n = int(ends[-1])
    at_least = n - np.searchsorted(np.repeat(degrees, sizes)[::-1], np.arange(n + 2), side="left")
    excess = np.zeros(len(degrees), np.int64)
    for g in range(len(degrees)):
        i = np.arange(starts[g] + 1, ends[g] + 1)
        allowed = (i - 1) + np.maximum(at_least[i] - i, 0)
        excess[g] = np.maximum(degrees[g] - allowed, 0).sum()
    return excess


def enforce_realizability(degrees: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Lower group degrees until the Erdős–Gallai inequalities hold (the pivot method of the paper).

    The pivot is the first group, largest degree first, that exceeds its own constraint. It goes down by its total excess
    divided by its size (at least 1), and no group that followed it stays above it, so the order is kept. Every round
    lowers at least one degree and none rises, so the loop ends: at the latest at the all-zero sequence, which is realizable.

    >>> enforce_realizability(np.array([5, 1]), np.array([2, 2])).tolist()
    [2, 1]
    """
    degrees = np.asarray(degrees, np.int64).clip(min=0)
    order = np.argsort(-degrees, kind="stable")
    d, s = degrees[order], np.asarray(sizes, np.int64)[order]
    while not satisfies_erdos_gallai(d, s):
        excess = _pointwise_violation(d, s)
        pivot = int((excess > 0).argmax())
        d[pivot] -= max(1, excess[pivot] // s[pivot])
        d[pivot:] = np.minimum(d[pivot:], d[pivot])
    result = np.empty_like(degrees)
    result[order] = d
    return result


def _cut(degrees: np.ndarray, sizes: np.ndarray, most: np.ndarray) -> np.ndarray:
    """What groups may have at most where equal sums are not realizable: the side that loses less is cut at the highest target
    that is."""
    m, most = len(sizes) // 2, most.copy()
    outs, ins = degrees[:m], degrees[m:]
    cuts = (_highest_cut(ins, outs, sizes[:m]), _highest_cut(outs, ins, sizes[:m]))
    losses = [int(np.dot(sizes[:m], np.maximum(d - c, 0))) for d, c in zip((outs, ins), cuts, strict=True)]
    here = slice(0, m) if losses[0] <= losses[1] else slice(m, None)
    most[here] = np.minimum(most[here], cuts[int(np.argmin(losses))])
    return most


def _balance(
    degrees: np.ndarray, sizes: np.ndarray, side: np.ndarray, prices: _Prices, highest: np.ndarray
) -> np.ndarray:
    """Degrees that add up, at a low price: an even sum, which the cheapest group of odd size makes, or equal ones.

    Where no steps are found, each group of a directed slice gets the smaller of its two degrees. An odd sum always has one:
    some group of odd size has an odd degree, and may fall.
    """

    def both(targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        ahead = range(steps_ahead(len(targets)))
        rise, fall = (np.stack([prices.step(targets + j * way, way, highest) for j in ahead]) for way in (1, -1))
        return rise, fall

    closed = close(degrees, sizes, side, both)
    return np.tile(np.minimum(*np.split(closed, 2)), 2) if gap_of(closed, sizes, side) else closed


def _highest_cut(fixed: np.ndarray, cut: np.ndarray, sizes: np.ndarray) -> int:
    """The highest target below the highest of `cut` at which cutting makes the inequalities hold; they hold at 0."""
    low, high = 0, int(cut.max())
    while high - low > 1:
        half = (low + high) // 2
        if satisfies_fulkerson(fixed, np.minimum(cut, half), sizes):
            low = half
        else:
            high = half
    return low


class _Prices:
    """What it costs in l1 to move a group: members whose own degree lies ahead come nearer, the others go away."""

    def __init__(self, members: np.ndarray, labels: np.ndarray, sizes: np.ndarray) -> None:
        self.sizes = sizes
        self.base = int(members.max(initial=0)) + 2
        self.keys = np.sort(labels.astype(np.int64) * self.base + members)

    def step(self, targets: np.ndarray, way: int, highest: np.ndarray) -> np.ndarray:
        """The price of one step up (`way` 1) or down (-1) from these targets; infinite below 0 and above `highest`."""
        groups = np.arange(len(targets)) * self.base
        reach = np.clip(targets + (way > 0), 0, self.base - 1)  # nobody above base - 2
        below = np.searchsorted(self.keys, groups + reach) - np.searchsorted(self.keys, groups)
        ahead = self.sizes - below if way > 0 else below
        after = targets + way
        return np.where((after >= 0) & (after <= highest), self.sizes - 2.0 * ahead, np.inf)
