"""The degree program: choose the degrees of the groups and the deletions together, so that the fewest edges change.

One slice, groups fixed. With x_e = 1 for a deleted edge and δ_g the degree of group g of size s_g, everybody must
end at or below the degree of the group before anything is added, and every missing degree is half an added edge:

    minimise  (1 + w) Σ_e x_e + ½ Σ_g s_g δ_g    subject to  Σ_{e ∋ i} x_e + δ_{g(i)} ≥ d_i,   x binary, δ whole.

Less the constant ½ Σ_i d_i this is the number of edges changed, a deletion counted w times.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import optimize, sparse

from shoal.realize._prices import prices
from shoal.realize._program_kernels import anneal
from shoal.realize.enforce import enforce_realizability, fix_parity
from shoal.realize.erdos_gallai import is_graphical
from shoal.solver import milp

EXACT_EDGES = 1000  # slices up to this size go to the solver
EFFORT = 1e5  # moves of the search, and no fewer than a third of the slice
LARGE = 20_000  # edges and groups above which a slice gets fewer rounds of local search, for less than 1 % more edits
NODES = 20  # of the solver's search tree; a limit in seconds would make results depend on the machine
GAP = 1e-3  # relative, of an objective that is larger than the edges changed


def choose_degrees(
    edges: np.ndarray,
    n: int,
    labels: np.ndarray,
    group_sizes: np.ndarray,
    *,
    deletion_weight: float = 1.0,
    rng: np.random.Generator,
    exact: bool | None = None,
    exact_edges: int = EXACT_EDGES,
    free: np.ndarray | None = None,
    lack_price: np.ndarray | float = 0.5,
) -> tuple[np.ndarray, np.ndarray]:
    """Degrees of the groups in one slice, and the edges to delete for them.

    ``exact`` asks for the solver or forbids it; by default slices of up to ``exact_edges`` go to it too. Larger ones are
    solved by prices (:func:`shoal.realize._prices.prices`) and a local search. The degrees are always realizable.

    ``free`` marks people who may end below the degree of their group, because they can change to another one
    afterwards (see :mod:`shoal.rebuild.classes`): an edge lost there need not come back. ``lack_price`` is what a
    missing degree costs (of all groups, or of each): half an edge if two that lack one can be joined, a whole one
    if they are neighbours already.

    >>> path = np.array([[0, 1], [1, 2], [2, 3]], dtype=np.int32)
    >>> choose_degrees(path, 4, np.array([0, 0, 1, 1]), np.array([2, 2]), rng=np.random.default_rng(0))
    (array([2, 2]), array([False, False, False]))
    """
    sizes = np.asarray(group_sizes, dtype=np.int64)
    degrees = np.bincount(edges.ravel(), minlength=n).astype(np.int64)
    levels = np.zeros(sizes.size, dtype=np.int64)
    if len(edges) == 0:
        return levels, np.zeros(0, dtype=bool)
    problem = _Problem(edges, n, labels, sizes, degrees, deletion_weight, free, lack_price)
    inner, deleted = problem.solve(rng, exact, exact_edges)
    np.maximum.at(levels, labels, degrees)  # for groups of which everybody is free
    levels[problem.groups] = inner
    if free is None and not is_graphical(levels, sizes):
        levels = fix_parity(enforce_realizability(levels, sizes), sizes, up=sizes, down=sizes)
        deleted = cover_surplus(edges, n, levels[labels], rng=rng)
    return levels, deleted


def cover_surplus(edges: np.ndarray, n: int, target_degrees: np.ndarray, *, rng: np.random.Generator) -> np.ndarray:
    """Few edges whose deletion brings everybody to or below the target degrees (a minimum cover of the surplus)."""
    us, vs = edges[:, 0].astype(np.int64), edges[:, 1].astype(np.int64)
    nobody = np.zeros(len(edges), dtype=bool)
    level = np.array(target_degrees, dtype=np.int64)
    ones, odd = np.ones(len(edges)), np.zeros(n, dtype=np.int64)
    return anneal(us, vs, ones, np.arange(n), np.ones(n), odd, nobody, level, 2.0, 0.1, 0.05, True, 1, rng)[1]


class _Problem:
    """The program of one slice, reduced to the groups, people and edges that play a part in it."""

    def __init__(
        self,
        edges: np.ndarray,
        n: int,
        labels: np.ndarray,
        sizes: np.ndarray,
        degrees: np.ndarray,
        deletion_weight: float,
        free: np.ndarray | None,
        lack_price: np.ndarray | float,
    ) -> None:
        bound = np.ones(n, dtype=bool) if free is None else ~free
        inside = np.zeros(sizes.size, dtype=bool)
        inside[labels[bound & (degrees > 0)]] = True
        if free is not None:  # crowds of equals stay as they are
            low, high = np.full(sizes.size, n), np.zeros(sizes.size, dtype=np.int64)
            np.minimum.at(low, labels, degrees)
            np.maximum.at(high, labels, degrees)
            inside &= low < high
        elif (sizes % 2).any():  # the cheapest group that can make the sum even, idle or not
            inside[np.argmin(np.where(sizes % 2 == 1, sizes, n + 1))] = True
        self.groups = np.flatnonzero(inside)
        place = np.full(sizes.size, self.groups.size)
        place[self.groups] = np.arange(self.groups.size)
        self.labels = np.where(bound, place[labels], self.groups.size).astype(np.int64)
        self.edges = np.flatnonzero((self.labels[edges] < self.groups.size).any(axis=1))
        self.us, self.vs = (np.ascontiguousarray(edges[self.edges, side], np.int64) for side in (0, 1))
        self.n_edges = len(edges)
        self.degrees = degrees
        counted = sizes if free is None else np.bincount(labels[bound], minlength=sizes.size)
        self.sizes = counted[self.groups]
        price = np.broadcast_to(lack_price, sizes.shape)
        self.weight = self.sizes * price[self.groups]
        ends = np.where(bound, price[labels], 0.0)
        self.cost = deletion_weight + ends[self.us] + ends[self.vs]
        self.even = free is None

    def solve(
        self, rng: np.random.Generator, exact: bool | None, exact_edges: int = EXACT_EDGES
    ) -> tuple[np.ndarray, np.ndarray]:
        """Closed form where no deletion can pay, else search, and the solver where the slice is small enough."""
        top = np.zeros(self.groups.size + 1, dtype=np.int64)
        np.maximum.at(top, self.labels, self.degrees)
        weight = np.append(self.weight, 0.0)[self.labels]
        # an edge whose loss can save more than it costs; without one, nothing is deleted (each step of a group down
        # takes an edge at one of its members), and with few of them the even sum is all that keeps the solver busy
        paying = weight[self.us] + weight[self.vs] > self.cost
        if not paying.any():
            best = self.search(rng, top, np.zeros(self.us.size, dtype=bool), 0.0)
        else:
            size = self.us.size + self.groups.size
            pricing = (
                100 if size <= LARGE else int(np.clip(10 * self.sizes.mean(), 20, 100))
            )  # small groups settle soon
            mean, level = prices(
                self.us,
                self.vs,
                self.cost,
                self.labels,
                np.append(self.weight, 0.0),
                self.degrees.astype(float),
                pricing,
            )
            rounds = min(20.0, max(0.3, EFFORT / size * min(1.0, LARGE / size)))
            best = self.search(rng, np.floor(level + 0.5).astype(np.int64), mean > 0.5, rounds)
            if exact or (exact is None and self.us.size <= exact_edges and paying.mean() > 0.1):
                found = self.milp(math.inf if exact else NODES, 0.0 if exact else GAP)
                best = min(best, found, key=self.value)
        deleted = np.zeros(self.n_edges, dtype=bool)
        deleted[self.edges[best[1]]] = True
        return best[0], deleted

    def value(self, solution: tuple[np.ndarray, np.ndarray]) -> float:
        """The objective, infinite where the degree sum is odd."""
        level, deleted = solution
        if self.even and (level * self.sizes).sum() % 2:
            return math.inf
        return float(self.cost[deleted].sum() + (self.weight * level).sum())

    def search(
        self, rng: np.random.Generator, level: np.ndarray, deleted: np.ndarray, rounds: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Local search from a first guess."""
        level[-1] = np.max(self.degrees)  # the free: nobody holds them down, nothing is paid for them
        depth = 2 if rounds > 2 else 1
        weight = np.append(self.weight, 0.0)
        odd = np.append(self.sizes % 2 if self.even else np.zeros_like(self.sizes), 0)
        _, deleted, level = anneal(
            self.us, self.vs, self.cost, self.labels, weight, odd, deleted, level, rounds, 0.05, 0.01, False, depth, rng
        )
        return level[:-1], deleted

    def milp(self, nodes: float, gap: float) -> tuple[np.ndarray, np.ndarray]:
        """HiGHS, with the even sum as a constraint of its own (Σ s δ = 2 z)."""
        n_edges, m = self.us.size, self.groups.size
        people = np.flatnonzero((self.degrees > 0) & (self.labels < m))
        row = np.full(self.labels.size, -1)
        row[people] = np.arange(people.size)
        ends = np.concatenate([row[self.us], row[self.vs]])
        what = np.tile(np.arange(n_edges), 2)[ends >= 0]
        rows = np.concatenate([ends[ends >= 0], np.arange(people.size)])
        cols = np.concatenate([what, n_edges + self.labels[people]])
        cover = sparse.csr_array((np.ones(rows.size), (rows, cols)), shape=(people.size, n_edges + m + 1))
        constraints = [optimize.LinearConstraint(cover, self.degrees[people], np.inf)]
        if self.even:
            total = np.concatenate([np.zeros(n_edges), self.sizes, [-2.0]])
            constraints.append(optimize.LinearConstraint(sparse.csr_array(total[None]), 0, 0))
        upper = np.concatenate([np.ones(n_edges), np.full(m, self.degrees.max() + 1.0), [np.inf]])
        limits: Any = {"mip_rel_gap": gap} | ({} if nodes == math.inf else {"node_limit": int(nodes)})
        result = milp(
            np.concatenate([self.cost, self.weight, [0.0]]),
            constraints=constraints,
            bounds=optimize.Bounds(0, upper),
            integrality=np.ones(n_edges + m + 1, dtype=np.int64),
            options=limits,
        )
        if result.x is None:
            return np.full(m, self.degrees.max()), np.ones(n_edges, dtype=bool)
        return np.rint(result.x[n_edges : n_edges + m]).astype(np.int64), result.x[:n_edges] > 0.5
