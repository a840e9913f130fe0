"""Kernels of rebuilding under limits: serve everybody, and let groups give way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal._numba import njit
from shoal.rebuild._rewire_kernels import Rewiring
from shoal.rebuild._walk_kernels import new_walks, serve

PATIENCE = 16  # of so many nodes in need one may be stuck before the sums are balanced again


class Groups(NamedTuple):
    """The groups and the degrees they are to have."""

    target: np.ndarray
    low: np.ndarray
    high: np.ndarray
    labels: np.ndarray
    first: np.ndarray  # members of g: who[first[g]:first[g + 1]]
    who: np.ndarray
    may_rise: bool
    may_sink: bool
    met: np.ndarray  # scratch: how many members a search has met, by what they needed


@njit
def _shift(g, step, groups, s):
    """Change the degree of a group."""
    groups.target[g] += step
    for p in range(groups.first[g], groups.first[g + 1]):
        s.lack[groups.who[p]] += step


@njit
def fits(s: Rewiring) -> bool:
    """Whether the arrays have room for the edges that are lacking."""
    lacking = 0
    for i in range(s.n):
        lacking += max(0, s.lack[i])
    return s.current.counts[0] + lacking // 2 + 2 < s.current.items.size


@njit
def _give_way(tail, groups, s, w, rng):
    """Change the group that a failed search (the first ``tail`` of the queue) met most of: whoever it met needing
    an edge needs none if the group sinks, and who would have to lose one need not if it rises."""
    first, met = groups.first, groups.met
    for q in range(tail):
        met[w.queue[q] & 1, groups.labels[w.queue[q] // 2]] += 1
    best, best_step, best_score = np.int64(-1), np.int64(0), 0.0
    for q in range(tail):
        needs, g = w.queue[q] & 1, groups.labels[w.queue[q] // 2]
        step = np.int64(-1 if needs else 1)
        may = groups.may_sink if needs else groups.may_rise
        if may and met[needs, g] > 0 and groups.low[g] <= groups.target[g] + step <= groups.high[g]:
            score = (met[needs, g] / (first[g + 1] - first[g]) ** 1.5) * (0.5 + rng.random())
            if score > best_score:
                best, best_step, best_score = g, step, score
        met[needs, g] = 0
    if best >= 0:
        _shift(best, best_step, groups, s)
    return best >= 0


@njit
def serve_all(changes: int, groups: Groups, s: Rewiring, rng: np.random.Generator) -> int:
    """Serve everybody in need; where somebody cannot be served, let a group give way, at most ``changes`` times.

    Returns how many did: 0 means that everybody is served, or nothing helps.
    """
    w, moved = new_walks(s, rng), 0
    for i in w.needy:
        done, tail = serve(i, np.int64(3), s, w, rng)
        if not done:
            if moved == changes or not _give_way(tail, groups, s, w, rng):
                break
            moved += 1
            if PATIENCE * moved >= w.needy.size:
                break
    return moved
