"""Kernels of rebuilding under limits: serve everybody, let groups give way, raise again what can be raised."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal._numba import njit
from shoal.rebuild._edgeset import has, key_of
from shoal.rebuild._rewire_kernels import Rewiring, shuffled, toggle
from shoal.rebuild.within._walk_kernels import Walks, find_needy, serve

PATIENCE = 16  # of so many nodes in need one may be stuck before the sums are balanced again
LIFTS = 3  # times that raising is tried


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
def serve_all(changes: int, groups: Groups, s: Rewiring, w: Walks, rng: np.random.Generator) -> int:
    """Serve everybody in need; where somebody cannot be served, let a group give way, at most ``changes`` times.

    Returns how many did: 0 means that everybody is served, or nothing helps.
    """
    order, moved = find_needy(s, w, rng), 0
    for i in order:
        done, tail = serve(i, np.int64(3), s, w, rng)
        if not done:
            if moved == changes or not _give_way(tail, groups, s, w, rng):
                break
            moved += 1
            if PATIENCE * moved >= order.size:
                break
    return moved


@njit
def _lift(g, h, groups, s, w, rng):
    """Raise one group, or two, if everybody in them can be served; else leave everything as it was."""
    w.counts[0] = w.counts[1] = 0
    for f in (g, h):
        if f >= 0:
            _shift(f, np.int64(1), groups, s)
            for p in range(groups.first[f], groups.first[f + 1]):
                w.needy[w.counts[0]] = groups.who[p]
                w.counts[0] += 1
    fine = True
    for q in range(w.counts[0]):
        fine = w.counts[1] + 2 * s.n < w.journal.size and serve(w.needy[q], np.int64(2), s, w, rng)[0]
        if not fine:
            break
    if not fine:
        for q in range(w.counts[1] - 1, -1, -1):
            toggle(w.journal[q] // s.n, w.journal[q] % s.n, s)
        for f in (g, h):
            if f >= 0:
                _shift(f, np.int64(-1), groups, s)
    return fine


@njit
def _lost_partner(x, s, w, rng):
    """A random original neighbour of x that is one no more; -1 if there is none."""
    found, count = np.int64(-1), 0
    for p in range(w.start[x], w.start[x + 1]):
        if not has(key_of(x, w.near[p], s.n), s.current):
            count += 1
            if rng.random() * count < 1:
                found = w.near[p]
    return found


@njit
def lift_all(groups: Groups, s: Rewiring, w: Walks, rng: np.random.Generator) -> None:
    """Raise what can be raised, where nothing may be added: one group, or two that lost an edge between them."""
    first, target, high = groups.first, groups.target, groups.high
    for _ in range(LIFTS):
        gained = False
        for g in shuffled(np.int64(0), target.size, rng):
            size = first[g + 1] - first[g]
            if target[g] >= high[g]:
                continue
            if s.half == 0 and size % 2 == 0 and _lift(g, np.int64(-1), groups, s, w, rng):
                gained = True
                continue
            for _ in range(5):
                x = _lost_partner(groups.who[first[g] + np.int64(rng.random() * size)], s, w, rng)
                if x < 0:
                    break
                h = groups.labels[x]
                other = first[h + 1] - first[h]
                if h == g or target[h] >= high[h] or (other != size if s.half else (other - size) % 2 == 1):
                    continue
                if _lift(g, h, groups, s, w, rng):
                    gained = True
                    break
        if not gained:
            break
