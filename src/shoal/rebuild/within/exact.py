"""Rebuilding under limits as an integer program, solved by HiGHS: the last word on small slices."""

from __future__ import annotations

from typing import Any

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


def _solve(view: SliceView, removal_weight: float, **how: Any) -> tuple[np.ndarray, np.ndarray | None, bool]:
    """The keys of all free pairs, by how much each is toggled followed by the degree of every group, for the fewest changes.

    One binary x_p for every free pair and one whole δ_g for every group:

        minimise  Σ_p c_p x_p   subject to   d_i + Σ_{p ∋ i} ± x_p = δ_{g(i)}   for every node i.

    None where there was no answer, and whether it is proven that there is none.
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
        **how,
    )
    return keys, x, proven


def solve_exactly(
    view: SliceView, removal_weight: float, nodes: int, gap: float = 0.0
) -> tuple[np.ndarray | None, bool]:
    """The pairs to toggle for the fewest changes, and whether it is proven that there are none.

    Within ``nodes`` nodes of the solver's search tree; None without proof means that they did not suffice.
    """
    keys, x, proven = _solve(view, removal_weight, nodes=nodes, gap=gap)
    return (None, proven) if x is None else (keys[x[: keys.size] > 0.5], False)


def relax(view: SliceView) -> tuple[np.ndarray, np.ndarray] | None:
    """Degrees, with fractions, for the fewest changes if edges are only removed, and the edges to remove; None if there are none.

    The linear relaxation, of which the optimum is nearly whole.
    """
    keys, x, _ = _solve(view, 1.0, whole=False)
    return None if x is None else (x[keys.size :], np.isin(view.keys, keys[x[: keys.size] > 0.5]))
