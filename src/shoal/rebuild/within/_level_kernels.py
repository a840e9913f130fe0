"""Kernels of rebuilding under limits: the degrees of the groups, and which of them give way."""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from shoal._numba import njit


class Groups(NamedTuple):
    """The groups and the degrees they are to have."""

    level: np.ndarray
    low: np.ndarray
    high: np.ndarray
    first: np.ndarray  # members of g: who[first[g]:first[g + 1]]
    who: np.ndarray
    label: np.ndarray
    ways: np.ndarray  # may rise, may sink
    met: np.ndarray  # scratch: how many members a search has met, by what they needed


@njit
def imbalance(s):
    """What is lacking at out-copies and not at in-copies; whether an odd number is lacking in an undirected slice."""
    half, total = s.rule[1], 0
    for i in range(s.rule[0]):
        total += s.lack[i] if i < half or half == 0 else -s.lack[i]
    return total if half else total & 1


@njit
def shift(g, step, groups, s):
    """Change the degree of a group."""
    groups.level[g] += step
    for p in range(groups.first[g], groups.first[g + 1]):
        s.lack[groups.who[p]] += step


@njit
def _can(g, step, groups):
    if groups.ways[0 if step > 0 else 1] == 0:
        return False
    return groups.low[g] <= groups.level[g] + step <= groups.high[g]


@njit
def _price(g, step, groups, s):
    """What a changed degree costs, about, in half edges: who has just enough must lose an edge to go lower."""
    first = groups.first
    size = first[g + 1] - first[g]
    if step > 0:
        return size
    tight = 0
    for p in range(first[g], first[g + 1]):
        if s.lack[groups.who[p]] <= 0:
            tight += 1
    return max(1, 4 * tight - size)


@njit
def _cheapest(size, effect, groups, s, rng):
    """The group of a size (0: any odd) that changes the imbalance by effect * size: (group, step, price); or -1."""
    first, half = groups.first, s.rule[1]
    best, best_step, best_price = -1, 0, np.inf
    for g in range(groups.level.size):
        here = first[g + 1] - first[g]
        if here == 0 or (here != size if size else here % 2 == 0):
            continue
        outside = half == 0 or groups.who[first[g]] < half
        for step in (-1, 1):
            if half and (step if outside else -step) != effect:
                continue
            if _can(g, step, groups):
                price = _price(g, step, groups, s) + rng.random()
                if price < best_price:
                    best, best_step, best_price = g, step, price
    return best, best_step, best_price


@njit
def _coins(groups, s, rng):
    """How a group can change the imbalance of a directed slice: rows of (by how much, about what that costs)."""
    sizes = np.unique(np.diff(groups.first))
    coins = np.empty((2 * sizes.size, 2), np.int64)
    count = 0
    for size in sizes[sizes > 0]:
        for effect in (-1, 1):
            g, _, price = _cheapest(size, np.int64(effect), groups, s, rng)
            if g >= 0:
                coins[count] = effect * size, np.int64(price) + 1
                count += 1
    return coins[:count]


@njit
def _change_for(need, coins):
    """Coins that add up to ``need`` at the least cost, none if there are no such: a shortest path along the line."""
    reach = abs(need) + 2 * np.max(np.abs(coins[:, 0]))
    cost = np.full(2 * reach + 1, np.int64(1) << 60)
    came = np.full(2 * reach + 1, -1)
    cost[reach] = 0
    heap = [(np.int64(0), np.int64(0))]
    while len(heap):
        spent, here = heapq.heappop(heap)
        if here == need:
            break
        if spent > cost[here + reach]:
            continue
        for c in range(len(coins)):
            there = here + coins[c, 0]
            if abs(there) <= reach and spent + coins[c, 1] < cost[there + reach]:
                cost[there + reach] = spent + coins[c, 1]
                came[there + reach] = c
                heapq.heappush(heap, (spent + coins[c, 1], there))
    path = [np.int64(0) for _ in range(0)]
    here = need
    while here != 0 and came[here + reach] >= 0:
        path.append(coins[came[here + reach], 0])
        here -= path[-1]
    return path


@njit
def _approach(need, near, groups, s, rng):
    """Bring a large imbalance of a directed slice near 0 by changing every group at most once, the cheapest per member
    first; returns what is left of it."""
    m, half = groups.level.size, s.rule[1]
    rate, steps = np.full(m, np.inf), np.zeros(m, np.int64)
    for g in range(m):
        size = groups.first[g + 1] - groups.first[g]
        if size:
            steps[g] = -np.sign(need) if groups.who[groups.first[g]] < half else np.sign(need)
            if _can(g, steps[g], groups):
                rate[g] = (_price(g, steps[g], groups, s) + rng.random()) / size
    for g in np.argsort(rate):
        if abs(need) <= near or rate[g] == np.inf:
            break
        shift(g, steps[g], groups, s)
        need -= np.sign(need) * (groups.first[g + 1] - groups.first[g])
    return need


@njit
def balance(groups, s, rng):
    """Change a few groups so that the degrees of the groups can add up: an even sum, or as many in- as out-edges.

    Undirected, the cheapest group of odd size changes. Directed, groups are like coins that must add up to the
    imbalance, once that is near 0. Returns how many changes there were, 0 if none.
    """
    need, moved = imbalance(s), 0
    if need == 0:
        return moved
    if s.rule[1] == 0:
        g, step, _ = _cheapest(np.int64(0), np.int64(0), groups, s, rng)
        if g >= 0:
            shift(g, step, groups, s)
            moved += 1
        return moved
    coins = _coins(groups, s, rng)
    if len(coins) == 0:
        return moved
    near = 20 * np.max(np.abs(coins[:, 0]))
    while abs(need) > near:
        reached = _approach(need, near, groups, s, rng)
        if reached == need:
            return moved
        moved += 1
        need = reached
    if abs(need) <= near:
        for coin in _change_for(-need, coins):
            g, step, _ = _cheapest(abs(coin), np.sign(coin), groups, s, rng)
            if g >= 0:
                shift(g, step, groups, s)
                moved += 1
    return moved


@njit
def give_way(tail, groups, s, rng):
    """Change the group that a failed search (the first ``tail`` of the queue) met most of: whoever it met needing
    an edge needs none if the group sinks, and who would have to lose one need not if it rises."""
    first, met = groups.first, groups.met
    for q in range(tail):
        met[s.queue[q] & 1, groups.label[s.queue[q] // 2]] += 1
    best, best_step, best_score = np.int64(-1), np.int64(0), 0.0
    for q in range(tail):
        lower, g = s.queue[q] & 1, groups.label[s.queue[q] // 2]
        step = np.int64(-1 if lower else 1)
        if met[lower, g] > 0 and _can(g, step, groups):
            score = (met[lower, g] / (first[g + 1] - first[g]) ** 1.5) * (0.5 + rng.random())
            if score > best_score:
                best, best_step, best_score = g, step, score
        met[lower, g] = 0
    if best >= 0:
        shift(best, best_step, groups, s)
    return best >= 0
