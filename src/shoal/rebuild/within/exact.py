"""Rebuilding under limits as an integer program, solved by HiGHS: the last word on small slices."""

from __future__ import annotations

import numpy as np

from shoal.common.edges import found_in
from shoal.realize.highs import minimise, rows_of
from shoal.realize.view import SliceView


def free_pairs(view: SliceView) -> np.ndarray:
    """Keys of all pairs that may differ from the original. Quadratic in the nodes, where pairs may be added."""
    n = view.n_nodes
    keys = view.keys[~view.must_keep]
    if view.may_add:
        if view.half:
            us, vs = np.nonzero(~np.eye(view.half, dtype=bool))
            vs += view.half
        else:
            us, vs = np.triu_indices(n, 1)
        changing = ~(view.exempt[us] | view.exempt[vs])
        pairs = us[changing] * n + vs[changing]
        fixed = np.sort(np.concatenate([view.keys, view.forbidden]))
        keys = np.concatenate([keys, pairs[~found_in(pairs, fixed)]])
    return keys


def solve_exactly(
    view: SliceView, removal_weight: float, nodes: int, gap: float = 0.0
) -> tuple[np.ndarray | None, bool]:
    """The pairs to toggle for the fewest changes, and whether it is proven that there are none.

    One binary x_p for every free pair and one whole δ_g for every group:

        minimise  Σ_p c_p x_p   subject to   d_i + Σ_{p ∋ i} ± x_p = δ_{g(i)}   for every node i.

    Within ``nodes`` nodes of the solver's search tree; None without proof means that they did not suffice.
    """
    keys, n, m = free_pairs(view), view.n_nodes, view.n_groups
    sign = np.where(np.isin(keys, view.keys), -1.0, 1.0)
    pairs = np.arange(keys.size)
    rows = np.concatenate([keys // n, keys % n, np.arange(n)])
    cols = np.concatenate([pairs, pairs, keys.size + view.labels])
    values = np.concatenate([sign, sign, np.full(n, -1.0)])
    low, high = view.bounds
    x, proven = minimise(
        np.concatenate([np.where(sign < 0, removal_weight, 1.0), np.zeros(m)]),
        [rows_of((rows, cols), values, (n, keys.size + m), -view.degrees, -view.degrees)],
        np.concatenate([np.zeros(keys.size), low]),
        np.concatenate([np.ones(keys.size), np.maximum(low, high)]),
        nodes=nodes,
        gap=gap,
    )
    return (None, proven) if x is None else (keys[x[: keys.size] > 0.5], False)


def relax(view: SliceView, highest: np.ndarray, alive: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Degrees, with fractions, that keep the most of the edges ``alive`` if nothing is added; and the edges to remove.

    The linear relaxation of the program above, of which the optimum is nearly whole.
    """
    us, vs, n, m = view.us[alive], view.vs[alive], view.n_nodes, view.n_groups
    edges = np.arange(us.size)
    rows, cols = np.concatenate([us, vs, np.arange(n)]), np.concatenate([edges, edges, us.size + view.labels])
    values = np.concatenate([np.ones(2 * us.size), np.full(n, -1.0)])
    x, _ = minimise(
        np.concatenate([np.full(us.size, -1.0), np.zeros(m)]),
        [rows_of((rows, cols), values, (n, us.size + m), 0, 0)],
        np.concatenate([view.must_keep[alive], view.bounds[0]]),
        np.concatenate([np.ones(us.size), highest]),
        whole=False,
    )
    deleted = ~view.must_keep
    if x is None:  # edges that must stay leave no way even in fractions
        return highest.astype(float), np.zeros_like(deleted)
    deleted[alive] &= x[: us.size] < 0.5
    return x[us.size :], deleted
