"""The degree program for digraphs: in- and out-degrees of the groups and the deletions together, for the fewest edits.

A digraph on n people is a bipartite graph on 2n nodes: everybody once as a sender, once as a receiver, and every group
once on either side. On it the program is that of :mod:`shoal.realize.choose`, with x_e = 1 for a deleted arc, δ_g the
degree of group g of size s_g, and instead of an even sum, sides that are equal:

    minimise  (1 + w) Σ_e x_e + ½ Σ_g s_g δ_g    subject to  Σ_{e ∋ i} x_e + δ_{g(i)} ≥ d_i,   Σ_out s_g δ_g = Σ_in s_g δ_g.

The equality gets a price: a sender's degree counts ½ + λ arcs, a receiver's ½ - λ. The local search runs in short
stretches, and between them λ moves against the side that is too large; what is left between the sides is closed by
moving a few groups. At λ = ½ a receiver's degree is free and more of them are always to be had, so λ stays below.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import optimize, sparse

from shoal.realize._prices import prices
from shoal.realize._program_kernels import anneal
from shoal.realize.choose import EFFORT, EXACT_EDGES, GAP, LARGE, NODES, cover_surplus
from shoal.realize.enforce_pairs import close_gap, realize_pairs, steps_ahead
from shoal.realize.fulkerson import is_digraphical
from shoal.solver import milp

STRETCHES = 32  # of the search; between two of them the price of the equality moves
FIRST_LEAN, MOST_LEAN = 0.03, 0.45  # by how much it moves first, and how far it may go
HOT, COLD = 0.1, 0.01


def choose_pairs(
    edges: np.ndarray,
    n: int,
    labels: np.ndarray,
    group_sizes: np.ndarray,
    *,
    deletion_weight: float = 1.0,
    rng: np.random.Generator,
    exact: bool | None = None,
    exact_edges: int = EXACT_EDGES,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """In- and out-degrees of the groups in one slice, and the arcs to delete for them.

    ``exact`` asks for the solver or forbids it; by default slices of up to ``exact_edges`` go to it too. The degrees are
    always realizable: equal sums, Fulkerson–Chen–Anstee.

    >>> arcs = np.array([[0, 1], [1, 2], [2, 0], [3, 0]], dtype=np.int32)
    >>> choose_pairs(arcs, 4, np.array([0, 0, 1, 1]), np.array([2, 2]), rng=np.random.default_rng(0))
    (array([2, 1]), array([1, 2]), array([False, False, False, False]))
    """
    sizes, m = np.asarray(group_sizes, dtype=np.int64), len(group_sizes)
    if len(edges) == 0:
        return np.zeros(m, np.int64), np.zeros(m, np.int64), np.zeros(0, dtype=bool)
    problem = _Pairs(edges, n, labels, sizes, deletion_weight)
    answer = problem.solve(rng, exact, exact_edges)
    levels, deleted = problem.close(answer, rng)
    outs, ins = levels[:m], levels[m:]
    if not is_digraphical(ins, outs, sizes):
        in_degrees, out_degrees = (np.bincount(edges[:, side], minlength=n) for side in (1, 0))
        ins, outs = realize_pairs(ins, outs, sizes, in_degrees, out_degrees, labels)
        cover = np.stack([edges[:, 0], edges[:, 1] + np.int64(n)], axis=1)
        deleted = cover_surplus(cover, 2 * n, np.concatenate([outs[labels], ins[labels]]), rng=rng)
    return ins, outs, deleted


class Answer(NamedTuple):
    """Levels of the groups that take part, and the deleted arcs."""

    level: np.ndarray
    deleted: np.ndarray


class _Pairs:
    """The program of one slice, reduced to senders, receivers and groups that have an arc."""

    def __init__(
        self, edges: np.ndarray, n: int, labels: np.ndarray, sizes: np.ndarray, deletion_weight: float
    ) -> None:
        m = len(sizes)
        ends = np.concatenate([edges[:, 0], edges[:, 1] + np.int64(n)])
        self.people, ends = np.unique(ends, return_inverse=True)
        self.member = np.concatenate([labels, labels + m]).astype(np.int64)
        self.us, self.vs = ends[: len(edges)].astype(np.int64), ends[len(edges) :].astype(np.int64)
        self.groups, inside = np.unique(self.member[self.people], return_inverse=True)
        self.labels = inside.astype(np.int64)
        self.degrees = np.bincount(ends)
        self.all_sizes = np.tile(sizes, 2)
        self.sizes = self.all_sizes[self.groups]
        self.side = np.where(self.groups < m, 1, -1)
        self.cost = np.full(len(edges), 1.0 + deletion_weight)

    def gap(self, answer: Answer) -> int:
        """By how much those who send have more than those who receive."""
        return int((self.side * self.sizes * answer.level).sum())

    def value(self, answer: Answer) -> float:
        """The objective once the smaller side has risen to the larger one, every degree at half an arc."""
        total = self.cost[answer.deleted].sum() + 0.5 * (self.sizes * answer.level).sum()
        return float(total + 0.5 * abs(self.gap(answer)))

    def solve(self, rng: np.random.Generator, exact: bool | None, exact_edges: int) -> Answer:
        """The search, and the solver where the slice is small enough."""
        found = None if exact else self.search(rng)
        if found is None or (exact is None and self.us.size <= exact_edges):
            best = self.milp(math.inf if exact else NODES, 0.0 if exact else GAP)
            found = min((a for a in (best, found) if a is not None), key=self.value)
        return found

    def search(self, rng: np.random.Generator) -> Answer:
        """Prices, then local search in stretches; the price of equal sides moves faster as long as it goes one way."""
        size = self.us.size + self.groups.size
        pricing = 100 if size <= LARGE else int(np.clip(10 * self.sizes.mean(), 20, 100))
        rounds = 2 * min(20.0, max(0.3, EFFORT / size * min(1.0, LARGE / size)))
        depth = 2 if rounds > 2 else 1
        mean, level = prices(
            self.us, self.vs, self.cost, self.labels, 0.5 * self.sizes, self.degrees.astype(float), pricing
        )
        answer = best = Answer(np.floor(level + 0.5).astype(np.int64), mean > 0.5)
        fewest = math.inf
        lean, step, way = 0.0, 2 * FIRST_LEAN, 0
        heat = np.geomspace(HOT, COLD, STRETCHES + 1)
        for hot, cold in pairwise(heat):
            weight = self.sizes * (0.5 + lean * self.side)
            answer = self.anneal(answer, weight, rounds / STRETCHES, hot, cold, False, depth, rng)
            if self.value(answer) < fewest:
                best, fewest = answer, self.value(answer)
            before, way = way, int(np.sign(self.gap(answer)))
            step *= 1.5 if way == before else 0.5
            lean = float(np.clip(lean + way * step, -MOST_LEAN, MOST_LEAN))
        return best

    def anneal(
        self,
        answer: Answer,
        weight: np.ndarray,
        rounds: float,
        hot: float,
        cold: float,
        fixed: bool,
        depth: int,
        rng: np.random.Generator,
    ) -> Answer:
        """The undirected kernel, to which parity means nothing here."""
        start = answer.deleted.copy(), answer.level.copy()
        odd = np.zeros(len(weight), dtype=np.int64)
        _, deleted, level = anneal(
            self.us, self.vs, self.cost, self.labels, weight, odd, *start, rounds, hot, cold, fixed, depth, rng
        )
        return Answer(level, deleted)

    def close(self, answer: Answer, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Make the sides equal, and take back or delete what the new levels allow or ask for; levels of all groups.

        The cheapest groups move: up at what their members' missing arcs cost; down at the arc that every member loses
        who has as many as the level, less half an arc per member. Where no steps are found, each group gets the smaller
        of its two levels.
        """
        levels = np.zeros(len(self.all_sizes), np.int64)
        levels[self.groups] = answer.level
        side = np.repeat([1, -1], len(levels) // 2)
        kept = np.concatenate([self.us[~answer.deleted], self.vs[~answer.deleted]])
        room = levels[self.member] - np.bincount(self.people[kept], minlength=len(self.member))
        down = self.cost[0] * np.bincount(self.member, room == 0) - 0.5 * self.all_sizes
        down[levels == 0] = np.inf
        while gap := int(np.dot(side * self.all_sizes, levels)):
            way = -side if gap > 0 else side
            rise = self.prices_of_rising(levels, room, answer.deleted, rng)
            fall = np.full_like(rise, np.inf)
            fall[0] = down
            toward, away = np.where(way > 0, rise, fall), np.where(way > 0, fall, rise)
            moves = close_gap(abs(gap), self.all_sizes, toward, away)
            if moves is None:
                levels = np.tile(np.minimum(*np.split(levels, 2)), 2)
            else:
                levels = levels + way * moves
                room = room + (way * moves)[self.member]
                down[moves != 0] = np.inf  # counted for one step only
        closed = Answer(levels[self.groups], answer.deleted)
        return levels, self.anneal(closed, 0.5 * self.sizes, 2.0, 0.1, 0.05, True, 1, rng).deleted

    def prices_of_rising(
        self, levels: np.ndarray, room: np.ndarray, deleted: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """What the next steps up cost every group, one row for each.

        A missing arc is half an arc where a partner is found, and up to one and a half where it has to be bridged. The
        partners of a member are barred who are neighbours already, and those that the member's other missing arcs will
        take: the ones that lack most. Among equals chance decides, groups that have arcs before those that have none.
        """
        n = len(room) // 2
        us, vs = self.people[self.us[~deleted]], self.people[self.vs[~deleted]]
        total = np.maximum(1, [room[:n].sum(), room[n:].sum()])
        barred = np.bincount(us, room[vs], 2 * n) / total[1] + np.bincount(vs, room[us], 2 * n) / total[0]
        most = (-np.sort(-room[n:]) / total[1], -np.sort(-room[:n]) / total[0])
        taken = [np.concatenate([[0], np.cumsum(share)]) for share in most]
        price = 0.5 + 0.01 * rng.random(len(levels)) + 0.01 * (levels == 0)
        rows = []
        for step in range(steps_ahead(len(levels))):
            used = np.minimum(np.maximum(room, 0) + step, n)
            lost = np.minimum(1, barred + np.concatenate([taken[0][used[:n]], taken[1][used[n:]]]))
            cost = self.all_sizes * price + np.bincount(self.member, lost)
            rows.append(np.where(levels + step < n - 1, cost, np.inf))
        return np.stack(rows)

    def milp(self, nodes: float, gap: float) -> Answer | None:
        """HiGHS, with equal sides as a constraint; groups without arcs may rise, one variable for each of their sizes."""
        n_arcs, m, people = self.us.size, self.groups.size, len(self.labels)
        idle = np.unique(self.all_sizes)
        rows = np.concatenate([self.us, self.vs, np.arange(people)])
        cols = np.concatenate([np.arange(n_arcs), np.arange(n_arcs), n_arcs + self.labels])
        n_variables = n_arcs + m + 2 * len(idle)
        cover = sparse.csr_array((np.ones(rows.size), (rows, cols)), shape=(people, n_variables))
        sides = np.concatenate([np.zeros(n_arcs), self.side * self.sizes, idle, -idle])
        upper = np.concatenate([np.ones(n_arcs), np.full(m + 2 * len(idle), np.inf)])
        limits: Any = {"mip_rel_gap": gap} | ({} if nodes == math.inf else {"node_limit": int(nodes)})
        result = milp(
            np.concatenate([self.cost, 0.5 * self.sizes, 0.5 * idle, 0.5 * idle]),
            constraints=[
                optimize.LinearConstraint(cover, self.degrees, np.inf),
                optimize.LinearConstraint(sparse.csr_array(sides[None]), 0, 0),
            ],
            bounds=optimize.Bounds(0, upper),
            integrality=np.ones(n_variables, dtype=np.int64),
            options=limits,
        )
        if result.x is None:
            return None
        return Answer(np.rint(result.x[n_arcs : n_arcs + m]).astype(np.int64), result.x[:n_arcs] > 0.5)
