"""Kernels of changing crowds: people of large crowds take up or give up single degrees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal._numba import njit
from shoal.rebuild._rewire_kernels import Rewiring, can_join, shuffled, toggle
from shoal.rebuild._walk_kernels import in_need


class Crowds(NamedTuple):
    """Everybody's target degree and k; of the people with each degree how many there are and the largest k.

    ``alone`` is for the missing edges of everybody that found no partner.
    """

    target: np.ndarray
    levels: np.ndarray
    size: np.ndarray
    top: np.ndarray
    alone: np.ndarray


@njit
def _may_go(i, step, c):
    """Whether both crowds are large enough for everybody in them if person i goes ``step`` higher."""
    here = c.target[i]
    return (c.size[here] > c.top[here] or c.size[here] == 1) and c.size[here + step] + 1 >= c.levels[i]


@njit
def _go(i, step, c, s):
    """Person i goes to the crowd that is ``step`` higher. What they asked for is still asked of those they leave, if any."""
    here, there = c.target[i], c.target[i] + step
    c.size[here] -= 1
    c.size[there] += 1
    c.top[here] = c.top[here] if c.size[here] else 0
    c.top[there] = max(c.top[there], c.levels[i])
    c.target[i] = there
    s.lack[i] += step


@njit
def sink(c: Crowds, s: Rewiring, rng: np.random.Generator) -> None:
    """Whoever lacks one degree goes to the crowd one below, if they may, instead of getting an edge."""
    for i in shuffled(np.int64(0), s.n, rng):
        if s.lack[i] == 1 and _may_go(i, np.int64(-1), c):
            _go(i, np.int64(-1), c, s)


@njit
def absorb(c: Crowds, s: Rewiring, rng: np.random.Generator) -> None:
    """Give what is missing to anybody who can go to the crowd one above: one edge for one missing degree, where a
    repair costs three for two."""
    order, p = shuffled(np.int64(0), s.n, rng), 0
    for u in in_need(s, rng):
        for _ in range(s.n):
            if s.lack[u] == 0:
                break
            f = order[p]
            p = p + 1 if p + 1 < s.n else 0
            if s.lack[f] == 0 and _may_go(f, np.int64(1), c) and can_join(u, f, s):
                _go(f, np.int64(1), c, s)
                toggle(u, f, s)
