"""Kernels of changing crowds: people of large crowds take up or give up single degrees."""

from __future__ import annotations

import numpy as np

from shoal._numba import njit
from shoal.rebuild._edgeset import has
from shoal.rebuild._repair_kernels import bridge_price, build_bridge, lacking
from shoal.rebuild._rewire_kernels import Rewiring, can_join, shuffled, toggle


@njit
def _go(i, step, crowd, target, s):
    """Person i goes to the crowd that is ``step`` higher."""
    crowd[target[i]] -= 1
    target[i] += step
    crowd[target[i]] += 1
    s.lack[i] += step


@njit
def sink(k: int, crowd: np.ndarray, target: np.ndarray, s: Rewiring, rng: np.random.Generator) -> None:
    """Whoever lacks one degree goes to the crowd one below, if there is one, instead of getting an edge."""
    for i in shuffled(np.int64(0), s.n, rng):
        d = target[i]
        if s.lack[i] == 1 and crowd[d] > k and crowd[d - 1] > 0:
            _go(i, np.int64(-1), crowd, target, s)


@njit
def pair_up(s: Rewiring, rng: np.random.Generator) -> None:
    """Serve two that joining left over from one added edge x-y: it becomes u-x and y-v. Added edges stand last."""
    stuck = lacking(np.int64(0), s.n, s, rng)
    items, total = s.current.items, s.current.counts
    for p in range(stuck.size):
        u = stuck[p]
        for q in range(p, stuck.size):
            v = stuck[q]
            misses = 0
            while misses < 300 and s.lack[u] > (1 if u == v else 0) and s.lack[v] > 0 and total[0] > 0:
                key = items[total[0] - 1 - np.int64(rng.random() * min(total[0], 400))]
                turned = rng.random() < 0.5
                misses += 1
                if not has(key, s.original) and bridge_price(u, v, key, turned, s) <= 1:
                    misses = 0
                    build_bridge(u, v, key, turned, s)
            if s.lack[u] == 0:
                break


@njit
def absorb(k: int, crowd: np.ndarray, target: np.ndarray, s: Rewiring, rng: np.random.Generator) -> None:
    """Give what is missing to anybody who can go to the crowd one above: one edge for one missing degree, where a
    repair costs three for two."""
    order, p = shuffled(np.int64(0), s.n, rng), 0
    for u in lacking(np.int64(0), s.n, s, rng):
        for _ in range(s.n):
            if s.lack[u] == 0:
                break
            f = order[p]
            p = p + 1 if p + 1 < s.n else 0
            d = target[f]
            if s.lack[f] == 0 and crowd[d] > k and crowd[d + 1] > 0 and can_join(u, f, s):
                _go(f, np.int64(1), crowd, target, s)
                toggle(u, f, s)
