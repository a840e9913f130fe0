"""Degrees of whole groups that can add up: an even sum, or, where edges have a direction, as many sent as received.

Groups move whole, so what is left over is closed in steps of group sizes: one step of a group of odd size, or a knapsack.
Where each step's price comes from is up to the caller: edges in the degree program, l1 in the paper's procedures, needs under
limits.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal.realize.view import SliceView

STEPS = 16  # of one size that the exact end of closing a gap may make
SPREAD = 32  # sizes that take part in the exact end of closing a gap
NEAR = 8  # and how many times the smallest the largest of them may be

Prices = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def gap_of(targets: np.ndarray, sizes: np.ndarray, side: np.ndarray) -> int:
    """What keeps degrees from adding up: sent less received, or where nobody receives, whether the sum is odd."""
    total = int(np.dot(side * sizes, targets))
    return total if (side < 0).any() else total % 2


def close(targets: np.ndarray, sizes: np.ndarray, side: np.ndarray, prices: Prices) -> np.ndarray:
    """Targets a few steps away that add up, or come nearer to it where no steps are found.

    `side` is -1 for groups that receive, else 1. `prices` gives what the next steps up and down from given targets cost every
    group, one row for each further step, infinite where a group may not go.
    """
    directed = bool((side < 0).any())
    while gap := gap_of(targets, sizes, side):
        rise, fall = prices(targets)
        way = -side if gap > 0 and directed else side  # the steps that make the gap smaller
        toward, away = np.where(way > 0, rise, fall), np.where(way > 0, fall, rise)
        odd = sizes % 2 == 1
        moves = close_gap(abs(gap), sizes, toward, away) if directed else _one_step(rise[0], fall[0], odd, odd)
        if moves is None:
            break
        targets = targets + way * moves
    return targets


def bring_within(
    targets: np.ndarray, sizes: np.ndarray, side: np.ndarray, prices: Prices, edges: tuple[int, int]
) -> np.ndarray:
    """Targets a few steps away that make a number of edges in this range, the cheapest found, or the same where none are.

    Both sides of a directed slice add up to that number, and the one side of an undirected slice to its double.
    """
    parts = [np.flatnonzero(side == one) for one in np.unique(side)]
    now, ends = int(sizes @ targets) // 2, 2 if len(parts) == 1 else 1
    if edges[0] <= now <= edges[1]:
        return targets
    rise, fall = prices(targets)
    toward, away, way = (rise, fall, 1) if now < edges[0] else (fall, rise, -1)
    best, least, ahead = targets, np.inf, np.arange(len(rise))[:, None]
    for count in sorted(range(edges[0], edges[1] + 1), key=lambda count: abs(count - now))[:STEPS]:
        moves, gap = np.zeros(len(targets), np.int64), ends * abs(count - now)
        for part in parts:
            found = close_gap(gap, sizes[part], toward[:, part], away[:, part])
            moves[part] = 0 if found is None else found
        cost = float(np.where(ahead < moves, toward, 0).sum() + np.where(ahead < -moves, away, 0).sum())
        if cost < least and all(sizes[part] @ moves[part] == gap for part in parts):
            best, least = targets + way * moves, cost
    return best


def steps_ahead(n_groups: int) -> int:
    """How many steps of every group to look at together: fewer where there are many groups to share them."""
    return max(2, min(STEPS, 100_000 // n_groups))


def prices_of_rising(
    view: SliceView, targets: np.ndarray, room: np.ndarray, us: np.ndarray, vs: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """What the next steps up cost every group in edges, one row for each; ``room`` is what every node lacks.

    A missing edge is half an edge where a partner is found, and up to one and a half where it has to be bridged. The
    partners of a member are barred who are neighbours already (``us``-``vs``), and those that the member's other
    missing edges will take: the ones that lack most. Among equals chance decides, groups that have edges first.
    """
    n, partners = view.people, np.split(room, 2)[::-1] if view.directed else [room]
    total = np.repeat([max(1, part.sum()) for part in partners], n)
    barred = (np.bincount(us, room[vs], view.n_nodes) + np.bincount(vs, room[us], view.n_nodes)) / total
    taken = np.stack([np.concatenate([[0], np.cumsum(-np.sort(-part))]) for part in partners])
    side = np.repeat(np.arange(len(partners)), n)
    price = 0.5 + 0.01 * rng.random(view.n_groups) + 0.01 * (targets == 0)
    rows = []
    for step in range(steps_ahead(view.n_groups)):
        used = np.minimum(np.maximum(room, 0) + step, n)
        lost = np.minimum(1, barred + taken[side, used] / total)
        cost = view.sizes * price + np.bincount(view.labels, lost, view.n_groups)
        rows.append(np.where(targets + step < view.bounds[1], cost, np.inf))
    return np.stack(rows)


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
