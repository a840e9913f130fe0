"""The degree program of a small slice, solved by HiGHS."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.realize.highs import Rows, minimise, rows_of

if TYPE_CHECKING:
    from shoal.realize.degrees import DegreeProgram

LESS = 0.05  # of what decides who rises: the solver sees the smallest difference, and pairs that last come first


def solve_whole(program: DegreeProgram, nodes: float, gap: float) -> tuple[np.ndarray, np.ndarray] | None:
    """Targets and deletions, with the sum as a constraint of its own: Σ s δ = 2 z, or equal sides, and within its range.

    Groups without edges may rise to make the sides equal, with one variable for each of their sizes. A pair that may well be
    joined takes one of what both its ends lack.
    """
    p, view, m, n_edges = program.arrays, program.view, program.groups.size, program.arrays.us.size
    extra, extra_cost = np.array([-2.0]), np.zeros(1)
    if view.directed:
        idle = np.unique(view.sizes)
        extra, extra_cost = np.concatenate([idle, -idle]), np.tile(0.5 * idle, 2)
    group = np.full(view.n_groups, -1)
    group[program.groups] = np.arange(m)
    group = group[view.labels]
    some = (group[program.ties.likely] >= 0).all(axis=1)
    likely, worth = program.ties.likely[some], program.ties.worth[some]
    inside = program.nodes[p.labels < m]
    people = np.union1d(inside, likely)  # those of the program, and others who may lack an edge
    place, degrees = np.full(view.n_nodes, -1), np.zeros(view.n_nodes)
    place[people], degrees[inside] = np.arange(people.size), view.degrees[inside]
    us, vs = place[program.nodes[p.us]], place[program.nodes[p.vs]]
    ends, n_free = np.concatenate([us, vs]), len(extra) + len(worth)
    rows = np.concatenate([ends[ends >= 0], np.arange(people.size), place[likely].T.ravel()])
    joined = n_edges + m + len(extra) + np.arange(len(worth))
    cols = np.concatenate([np.tile(np.arange(n_edges), 2)[ends >= 0], n_edges + group[people], np.tile(joined, 2)])
    shape = (people.size, n_edges + m + n_free)
    sign = np.where(cols < n_edges + m, 1.0, -1.0)
    constraints = [rows_of((rows, cols), sign, shape, degrees[people], np.inf)]
    if program.adds_up:
        total = np.concatenate([np.zeros(n_edges), program.side * program.sizes, extra, np.zeros(len(worth))])
        constraints.append(_whole_row(total, 0, 0))
    if program.within is not None:
        total = np.concatenate([np.zeros(n_edges), program.sizes, np.zeros(n_free)])
        low_sum, high_sum = (2.0 * count for count in program.within)
        constraints.append(_whole_row(total, low_sum, high_sum))
    low, high = program.low[:-1], program.high[:-1].astype(float)
    if not view.directed:
        high = np.maximum(np.minimum(high, program.degrees.max() + 1.0), low)
    x, _ = minimise(
        np.concatenate([program.dear, p.weight[:-1] - LESS * program.higher[:-1], extra_cost, -worth]),
        constraints,
        np.concatenate([np.zeros(n_edges), low, np.zeros(n_free)]),
        np.concatenate([np.ones(n_edges), high, np.full(len(extra), np.inf), np.ones(len(worth))]),
        nodes=nodes,
        gap=gap,
    )
    return None if x is None else (np.rint(x[n_edges : n_edges + m]).astype(np.int64), x[:n_edges] > 0.5)


def _whole_row(values: np.ndarray, low: float, high: float) -> Rows:
    """One constraint on all variables together."""
    used = np.flatnonzero(values)
    return rows_of((np.zeros_like(used), used), values[used], (1, values.size), low, high)
