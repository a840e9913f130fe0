"""Changing crowds, in a slice that is released alone: where a crowd is larger than it must be, somebody can move to another.

People with the same degree are one crowd, which must be as large as the largest k of its members. Where it is larger, somebody
who lacks one degree can go to the crowd one below, and somebody who lacks nothing can go one above and so take the missing edge
of a hub whose equals are all its neighbours already. No crowd ever becomes smaller than somebody in it asks for, so everybody's
k is met by construction. Here, where most people stand in large crowds, this saves more edges than anything else.
"""

from __future__ import annotations

import numpy as np

from shoal.errors import InputError
from shoal.realize.choose import choose_degrees
from shoal.realize.degrees import Chosen
from shoal.realize.view import SliceView
from shoal.rebuild._crowd_kernels import Crowds
from shoal.rebuild.rewire import rewire

RISING_PRICE, HIGHEST_PRICE = 0.25, 1.05  # of a missing degree that stayed alone, in edges


def rewire_alone(
    view: SliceView,
    chosen: Chosen,
    levels: np.ndarray | int,
    *,
    removal_weight: float = 1.0,
    exact_edges: int = 1000,
    rounds: int = 3,
    edges: tuple[int, int] | None = None,
    rng: np.random.Generator,
) -> np.ndarray:
    """The edges of a slice that is released alone, for chosen degrees or, where that changes less, others.

    The degree program takes a missing degree for half an edge, which holds as long as partners are found. Groups whose
    missing degrees stayed alone count them at a whole edge in the next round; the best round is kept: the one that comes
    nearest to as many ``edges`` as the slice may have, then the cheapest. ``levels`` is the k of all, or of each.
    """
    best = rewire(view, chosen.targets[view.labels], deleted=chosen.deleted, rng=rng)
    fewest = _cost(view, best, removal_weight, edges)
    levels = np.broadcast_to(np.asarray(levels, np.int64), view.people).copy()
    now = _crowds(chosen.targets[view.labels], levels)
    large = (now.size >= 2 * now.top) & (np.append(0, now.size[:-1]) > 0)  # they can go one lower, many of them
    may_sink, price = large[now.target], np.full(view.n_groups, 0.5)
    for _ in range(rounds):
        other = choose_degrees(
            view, removal_weight=removal_weight, exact_edges=exact_edges, may_sink=may_sink, lack_price=price, rng=rng
        )
        crowds = _crowds(other.targets[view.labels], levels)
        try:
            found = rewire(view, crowds.target, deleted=other.deleted, crowds=crowds, rng=rng)
        except InputError:  # no slice has these degrees
            break
        cost = _cost(view, found, removal_weight, edges)
        if cost < fewest:
            best, fewest = found, cost
        lonely = np.bincount(view.labels, crowds.alone, view.n_groups) > 0
        price = np.where(lonely, np.minimum(HIGHEST_PRICE, price + RISING_PRICE), price)
    return best


def _crowds(target: np.ndarray, levels: np.ndarray) -> Crowds:
    size, top = np.bincount(target, minlength=len(target) + 2), np.zeros(len(target) + 2, np.int64)
    np.maximum.at(top, target, levels)
    return Crowds(target.astype(np.int64), levels, size, top, np.zeros(len(target), np.int64))


def _cost(view: SliceView, made: np.ndarray, removal_weight: float, edges: tuple[int, int] | None) -> tuple[int, float]:
    """By how many edges a slice misses its range, and what it costs."""
    low, high = edges or (0, len(made))
    cost = view.changes(made.astype(np.int64) @ np.array([view.n_nodes, 1]), removal_weight)
    return max(low - len(made), len(made) - high, 0), cost
