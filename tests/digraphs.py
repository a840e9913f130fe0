"""Obvious answers for tiny digraphs."""

from itertools import product

import numpy as np
from hypothesis import strategies as st
from scipy import optimize, sparse

from shoal.realize.fulkerson import is_digraphical


def degrees(arcs, n):
    """In- and out-degrees."""
    return np.bincount(arcs[:, 1], minlength=n), np.bincount(arcs[:, 0], minlength=n)


def random_arcs(n, share, rng):
    chosen = rng.random((n, n)) < share
    np.fill_diagonal(chosen, False)
    return np.argwhere(chosen).astype(np.int32)


def simple(arcs, n):
    keys = arcs[:, 0].astype(np.int64) * n + arcs[:, 1]
    return arcs.dtype == np.int32 and bool((arcs[:, 0] != arcs[:, 1]).all() and (np.diff(keys) > 0).all())


def edits(a, b, n):
    a, b = (e[:, 0].astype(np.int64) * n + e[:, 1] for e in (a, b))
    return len(np.setxor1d(a, b))


def fewest_edits(arcs, n, ins, outs):
    """A transport problem, so the linear program is whole."""
    u, v = np.where(~np.eye(n, dtype=bool))
    there = np.zeros((n, n))
    there[arcs[:, 0], arcs[:, 1]] = 1
    pairs = np.arange(len(u))
    rows, cols = np.concatenate([u, n + v]), np.concatenate([pairs, pairs])
    sums = sparse.csr_array((np.ones(len(rows)), (rows, cols)), shape=(2 * n, len(u)))
    wanted = np.concatenate([outs, ins])
    return round(optimize.linprog(1 - 2 * there[u, v], A_eq=sums, b_eq=wanted, bounds=(0, 1)).fun + len(arcs))


def nearest_pairs(in_members, out_members, labels, sizes):
    """The least l1 cost of a realizable pair per group, by trying all."""
    n, m, best = len(labels), len(sizes), np.inf
    for levels in product(range(n), repeat=2 * m):
        ins, outs = np.array(levels[:m]), np.array(levels[m:])
        cost = np.abs(in_members - ins[labels]).sum() + np.abs(out_members - outs[labels]).sum()
        if cost < best and is_digraphical(ins, outs, sizes):
            best = cost
    return best


@st.composite
def grouped(draw, most=16):
    """Arcs on n people in groups of at least k."""
    n = draw(st.integers(2, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    lure = rng.random(n) ** draw(st.integers(0, 3))
    arcs = random_arcs(n, draw(st.floats(0, 1)) * lure, rng)
    n_groups = draw(st.integers(1, max(1, n // 2)))
    labels = rng.permutation(np.arange(n) % n_groups)
    return arcs, n, labels.astype(np.int64), np.bincount(labels)
