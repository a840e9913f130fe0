"""Kernels of rebuilding under limits: serve everybody, let groups give way, raise again what can be raised."""

from __future__ import annotations

import numpy as np

from shoal._numba import njit
from shoal.rebuild.within._edit_kernels import deleted_at, drop_surplus, join_lacking
from shoal.rebuild.within._level_kernels import balance, give_way, shift
from shoal.rebuild.within._state_kernels import serve, toggle

PATIENCE = 16  # of so many nodes in need one may be stuck before the sums are balanced again


@njit
def find_hot(s, rng):
    """List the nodes in need, in random order."""
    count = 0
    for i in range(s.rule[0]):
        if s.lack[i] != 0:
            s.hot[count] = i
            count += 1
    s.n_hot[0] = count
    return s.hot[:count][rng.permutation(count)]


@njit
def fits(s):
    """Whether the arrays have room for the edges that are lacking."""
    lacking = 0
    for i in range(s.rule[0]):
        lacking += max(0, s.lack[i])
    return s.current[3][0] + lacking // 2 + 2 < s.current[2].size


@njit
def drive(groups, changes, s, rng):
    """Serve everybody; where somebody cannot be served, let groups give way, at most ``changes`` times.

    Returns the nodes that are left in need.
    """
    balance(groups, s, rng)
    drop_surplus(s, rng)
    while fits(s):
        join_lacking(s, rng)
        order = find_hot(s, rng)
        moved = 0
        for i in order:
            done, tail = serve(i, True, s, rng)
            if not done:
                step = 0
                if changes > 0 and moved == 0:
                    step = balance(groups, s, rng)
                if changes > 0 and step == 0 and give_way(tail, groups, s, rng):
                    step = 1
                moved += step
                changes -= step
                if step == 0 or PATIENCE * moved >= order.size:
                    break
        if moved == 0:
            break
        balance(groups, s, rng)
    return find_hot(s, rng)


@njit
def _lift(g, h, groups, s, rng):
    """Raise one group, or two, if everybody in them can be served; else leave everything as it was."""
    n = s.rule[0]
    s.used[0] = 0
    s.n_hot[0] = 0
    for f in (g, h):
        if f >= 0:
            shift(f, np.int64(1), groups, s)
            for p in range(groups.first[f], groups.first[f + 1]):
                s.hot[s.n_hot[0]] = groups.who[p]
                s.n_hot[0] += 1
    fine = True
    for i in s.hot[: s.n_hot[0]].copy():
        fine = s.used[0] + 2 * n < s.journal.size and serve(i, False, s, rng)[0]
        if not fine:
            break
    if not fine:
        for q in range(s.used[0] - 1, -1, -1):
            toggle(s.journal[q] // n, s.journal[q] % n, s)
        for f in (g, h):
            if f >= 0:
                shift(f, np.int64(-1), groups, s)
    return fine


@njit
def lift_all(groups, rounds, s, rng):
    """Raise what can be raised, where nothing may be added: one group, or two that lost an edge between them."""
    first, level, high, half = groups.first, groups.level, groups.high, s.rule[1]
    for _ in range(rounds):
        gained = False
        for g in rng.permutation(level.size):
            size = first[g + 1] - first[g]
            if level[g] >= high[g]:
                continue
            if half == 0 and size % 2 == 0 and _lift(g, np.int64(-1), groups, s, rng):
                gained = True
                continue
            for _ in range(5):
                near = deleted_at(groups.who[first[g] + np.int64(rng.random() * size)], s)
                if near.size == 0:
                    break
                h = groups.label[near[np.int64(rng.random() * near.size)]]
                other = first[h + 1] - first[h]
                if h == g or level[h] >= high[h] or (other != size if half else (other - size) % 2 == 1):
                    continue
                if _lift(g, h, groups, s, rng):
                    gained = True
                    break
        if not gained:
            break
