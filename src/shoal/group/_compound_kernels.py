"""Moves of many nodes at once: dissolve a group, found one, merge two and split them again.

Each is carried out step by step on the live state, priced exactly, and undone when it costs more than its ``limit``.
They return whether the move was kept and the change in cost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal._numba import njit
from shoal.group import _state_kernels as kernels

if TYPE_CHECKING:
    from shoal.group._state import State

FAR = 1 << 60


class Scratch(NamedTuple):
    """What one kernel call needs of its own: a random state and room for a few nodes."""

    rng: np.ndarray
    carry: np.ndarray
    moved: np.ndarray
    home: np.ndarray
    key: np.ndarray


@njit
def _insert(st: State, g: int, a: int, carry: np.ndarray) -> None:
    kernels.insert(st.degrees, st.columns, st.size, st.members, st.label, st.slot, carry, g, a)


@njit
def _remove(st: State, g: int, a: int) -> None:
    kernels.remove(st.degrees, st.columns, st.size, st.members, st.label, st.slot, g, a)


@njit
def draw(rng: np.ndarray, below: int) -> int:
    """A whole number in [0, below), by xorshift."""
    x = rng[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    rng[0] = x
    return int(np.int64(((x >> np.uint64(32)) * np.uint64(below)) >> np.uint64(32)))


@njit
def any_member(rng: np.ndarray, class_start: np.ndarray, c: int) -> int:
    """A random node of class ``c``."""
    first = class_start[c]
    count = class_start[c + 1] - first
    return first if count == 1 else first + draw(rng, count)


@njit
def distance(st: State, a: int, b: int) -> np.int64:
    """l1 distance of two nodes."""
    total = np.int64(0)
    for t in range(st.degrees.shape[1]):
        total += abs(st.degrees[a, t] - st.degrees[b, t])
    return total


@njit
def try_dissolve(st: State, tmp: Scratch, g: int, k: int, limit: float) -> tuple[bool, np.int64]:
    """Scatter the members of ``g``, each to the cheapest neighbouring group of the same shard that has room."""
    count = st.size[g]
    delta = -kernels.group_cost(st.columns, st.size, g)
    tmp.moved[:count] = st.members[g, :count]
    done = 0
    while done < count:
        a = tmp.moved[done]
        best, best_cost = np.int64(-1), np.int64(FAR)
        for j in range(st.near.shape[1]):
            h = np.int64(st.label[any_member(tmp.rng, st.class_start, st.near[st.row_class[a], j])])
            if h >= 0 and h != g and h != best and st.shard[h] == st.shard[g] and st.size[h] < 2 * k - 1:
                cost = kernels.join_cost(st.columns, st.size, st.degrees, h, a)
                if cost < best_cost:
                    best, best_cost = h, cost
        if best < 0 or delta + best_cost > limit:
            break
        delta += best_cost
        _remove(st, g, a)
        _insert(st, best, a, tmp.carry)
        done += 1
    if done == count:
        return True, delta
    for i in range(done):
        a = tmp.moved[i]
        _remove(st, np.int64(st.label[a]), a)
        _insert(st, g, a, tmp.carry)
    return False, np.int64(0)


@njit
def try_found(st: State, tmp: Scratch, a: int, g: int, k: int, limit: float) -> tuple[bool, np.int64]:
    """Fill the empty group ``g`` with ``a`` and its nearest neighbours whose groups can spare them."""
    delta = np.int64(0)
    done = 0
    for j in range(-1, st.near.shape[1]):
        b = a if j < 0 else any_member(tmp.rng, st.class_start, st.near[st.row_class[a], j])
        h = np.int64(st.label[b])
        if h < 0 or h == g or st.shard[h] != st.shard[g] or st.size[h] <= k:
            continue
        delta -= kernels.leave_gain(st.columns, st.size, st.degrees, h, b)
        if done > 0:
            delta += kernels.join_cost(st.columns, st.size, st.degrees, g, b)
        _remove(st, h, b)
        _insert(st, g, b, tmp.carry)
        tmp.moved[done], tmp.home[done] = b, h
        done += 1
        if done == k:
            break
    if done == k and delta <= limit:
        return True, delta
    for i in range(done):
        _remove(st, g, tmp.moved[i])
        _insert(st, tmp.home[i], tmp.moved[i], tmp.carry)
    return False, np.int64(0)


@njit
def try_resplit(st: State, tmp: Scratch, g: int, h: int, k: int, limit: float) -> tuple[bool, np.int64]:
    """Merge ``g`` and ``h`` and split them between a random member and the one farthest from it."""
    before = kernels.group_cost(st.columns, st.size, g) + kernels.group_cost(st.columns, st.size, h)
    first, total = st.size[g], st.size[g] + st.size[h]
    moved, key = tmp.moved, tmp.key
    moved[:first] = st.members[g, :first]
    moved[first:total] = st.members[h, : total - first]
    x = moved[draw(tmp.rng, total)]
    y, reach = x, np.int64(-1)
    for i in range(total):
        key[i] = distance(st, moved[i], x)
        if key[i] > reach:
            y, reach = moved[i], key[i]
    for i in range(total):
        key[i] -= distance(st, moved[i], y)
    order = np.argsort(key[:total], kind="mergesort")
    cut = 0
    while cut < total and key[order[cut]] < 0:
        cut += 1
    cut = max(k, total - (2 * k - 1), min(cut, total - k, 2 * k - 1))
    for i in range(total):
        _remove(st, np.int64(st.label[moved[i]]), moved[i])
    for i in range(total):
        _insert(st, g if i < cut else h, moved[order[i]], tmp.carry)
    delta = kernels.group_cost(st.columns, st.size, g) + kernels.group_cost(st.columns, st.size, h) - before
    if delta <= limit:
        return True, delta
    for i in range(total):
        _remove(st, np.int64(st.label[moved[i]]), moved[i])
    for i in range(total):
        _insert(st, g if i < first else h, moved[i], tmp.carry)
    return False, np.int64(0)
