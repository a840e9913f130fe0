"""Rebuilding under limits as an integer program, solved by HiGHS: the last word on small slices."""

from __future__ import annotations

import numpy as np
from scipy import optimize, sparse

from shoal.rebuild.within.board import Board
from shoal.solver import milp

INFEASIBLE = 2  # of scipy's result codes


def free_pairs(board: Board) -> np.ndarray:
    """Keys of all pairs that may differ from the original. Quadratic in the nodes, where pairs may be added."""
    n = board.n_nodes
    keys = board.keys[~board.stays]
    if board.may_add:
        if board.half:
            us, vs = np.nonzero(~np.eye(board.half, dtype=bool))
            vs += board.half
        else:
            us, vs = np.triu_indices(n, 1)
        moving = ~(board.still[us] | board.still[vs])
        absent = np.setdiff1d(us[moving] * n + vs[moving], np.concatenate([board.keys, board.shut]))
        keys = np.concatenate([keys, absent])
    return keys


def solve_exactly(board: Board, deletion_weight: float, nodes: int, gap: float = 0.0) -> tuple[np.ndarray | None, bool]:
    """The pairs to toggle for the fewest changes, and whether it is proven that there are none.

    One binary x_p for every free pair and one whole δ_g for every group:

        minimise  Σ_p c_p x_p   subject to   d_i + Σ_{p ∋ i} ± x_p = δ_{g(i)}   for every node i.

    Within ``nodes`` nodes of the solver's search tree; None without proof means that they did not suffice.
    """
    keys, n, m = free_pairs(board), board.n_nodes, board.n_groups
    us, vs = keys // n, keys % n
    sign = np.where(np.isin(keys, board.keys), -1.0, 1.0)
    pairs = np.arange(keys.size)
    rows = np.concatenate([us, vs, np.arange(n)])
    cols = np.concatenate([pairs, pairs, keys.size + board.labels])
    values = np.concatenate([sign, sign, np.full(n, -1.0)])
    low, high = board.bounds
    result = milp(
        np.concatenate([np.where(sign < 0, deletion_weight, 1.0), np.zeros(m)]),
        constraints=optimize.LinearConstraint(
            sparse.csr_array((values, (rows, cols)), shape=(n, keys.size + m)), -board.degrees, -board.degrees
        ),
        bounds=optimize.Bounds(
            np.concatenate([np.zeros(keys.size), low]), np.concatenate([np.ones(keys.size), np.maximum(low, high)])
        ),
        integrality=np.ones(keys.size + m, dtype=np.int64),
        options={"node_limit": nodes, "mip_rel_gap": gap},
    )
    if result.x is None:
        return None, result.status == INFEASIBLE
    return keys[result.x[: keys.size] > 0.5], False


def relax(board: Board, highest: np.ndarray, alive: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Degrees, with fractions, that keep the most of the edges ``alive`` if nothing is added; and the edges to remove.

    The linear relaxation of the program above, of which the optimum is nearly whole.
    """
    us, vs, n, m = board.us[alive], board.vs[alive], board.n_nodes, board.n_groups
    edges = np.arange(us.size)
    rows, cols = np.concatenate([us, vs, np.arange(n)]), np.concatenate([edges, edges, us.size + board.labels])
    values = np.concatenate([np.ones(2 * us.size), np.full(n, -1.0)])
    result = milp(
        np.concatenate([np.full(us.size, -1.0), np.zeros(m)]),
        constraints=optimize.LinearConstraint(sparse.csr_array((values, (rows, cols)), shape=(n, us.size + m)), 0, 0),
        bounds=optimize.Bounds(
            np.concatenate([board.stays[alive], board.bounds[0]]), np.concatenate([np.ones(us.size), highest])
        ),
    )
    deleted = ~board.stays
    if result.x is None:  # frozen edges leave no way even in fractions
        return highest.astype(float), np.zeros_like(deleted)
    deleted[alive] &= result.x[: us.size] < 0.5
    return result.x[us.size :], deleted
