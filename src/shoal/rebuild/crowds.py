"""Changing crowds, in a slice that is released alone: where a crowd has more than k members, somebody can move to another.

People with the same degree are one crowd. In a crowd of more than k, somebody who lacks one degree can go to the crowd one
below, and somebody who lacks nothing can go one above and so take the missing edge of a hub whose equals are all its neighbours
already. No crowd is ever made or emptied below k, so the release stays k-anonymous by construction. Here, where most people
stand in large crowds, this saves more edges than anything else.
"""

from __future__ import annotations

import numpy as np

from shoal.errors import InputError
from shoal.realize.choose import choose_degrees
from shoal.realize.degrees import Chosen
from shoal.realize.view import SliceView
from shoal.rebuild import _crowd_kernels
from shoal.rebuild._rewire_kernels import Rewiring
from shoal.rebuild.rewire import rewire

RISING_PRICE, HIGHEST_PRICE = 0.25, 1.05  # of a missing degree that stayed alone, in edges


class CrowdChanges:
    """The steps of `rewire` in which people change crowds. ``alone`` counts the missing edges that found no partner."""

    def __init__(self, target: np.ndarray, k: int) -> None:
        self.k, self.crowd = k, np.bincount(target, minlength=len(target) + 2)
        self.alone = np.zeros(len(target), np.int64)

    def before_joining(self, s: Rewiring, target: np.ndarray, rng: np.random.Generator) -> None:
        """Whoever lacks one degree may go to the crowd below."""
        _crowd_kernels.sink(self.k, self.crowd, target, s, rng)

    def after_joining(self, s: Rewiring, target: np.ndarray, rng: np.random.Generator) -> None:
        """Others may go to the crowd above and take an edge that nobody else could."""
        _crowd_kernels.pair_up(s, rng)
        self.alone = s.lack.copy()
        _crowd_kernels.absorb(self.k, self.crowd, target, s, rng)


def rewire_alone(
    view: SliceView,
    chosen: Chosen,
    k: int,
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
    nearest to as many ``edges`` as the slice may have, then the cheapest.
    """
    best = rewire(view, chosen.targets[view.labels], deleted=chosen.deleted, rng=rng)
    fewest = _cost(view, best, removal_weight, edges)
    crowd = np.bincount(chosen.targets, view.sizes, view.people + 1)
    large = (crowd >= 2 * k) & (np.append(0, crowd[:-1]) > 0)  # they can go one lower, many of them
    may_sink, price = large[chosen.targets][view.labels], np.full(view.n_groups, 0.5)
    for _ in range(rounds):
        other = choose_degrees(
            view,
            removal_weight=removal_weight,
            exact_edges=exact_edges,
            may_sink=may_sink,
            lack_price=price,
            rng=rng,
        )
        target = other.targets[view.labels]
        changes = CrowdChanges(target, k)
        try:
            found = rewire(view, target, deleted=other.deleted, changes=changes, rng=rng)
        except InputError:  # no slice has these degrees
            break
        cost = _cost(view, found, removal_weight, edges)
        if cost < fewest:
            best, fewest = found, cost
        lonely = np.bincount(view.labels, changes.alone, view.n_groups) > 0
        price = np.where(lonely, np.minimum(HIGHEST_PRICE, price + RISING_PRICE), price)
    return best


def _cost(view: SliceView, made: np.ndarray, removal_weight: float, edges: tuple[int, int] | None) -> tuple[int, float]:
    """By how many edges a slice misses its range, and what it costs."""
    low, high = edges or (0, len(made))
    cost = view.changes(made.astype(np.int64) @ np.array([view.n_nodes, 1]), removal_weight)
    return max(low - len(made), len(made) - high, 0), cost
