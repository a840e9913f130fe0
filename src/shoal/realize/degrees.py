"""The degree program: choose the degrees of the groups and the deletions together, so that the fewest edges change.

One slice, groups fixed. With x_e = 1 for a deleted edge and δ_g the degree of group g of size s_g, everybody must
end at or below the degree of the group before anything is added, and every missing degree is half an added edge:

    minimise  (1 + w) Σ_e x_e + ½ Σ_g s_g δ_g    subject to  Σ_{e ∋ i} x_e + δ_{g(i)} ≥ d_i,   x binary, δ whole.

Less the constant ½ Σ_i d_i this is the number of edges changed, a deletion counted w times. The sum Σ_g s_g δ_g must be even.
Where edges have a direction the nodes are senders and receivers (`view`), and instead Σ_out s_g δ_g = Σ_in s_g δ_g. That
equality gets a price: a sender's degree counts ½ + λ edges, a receiver's ½ - λ. The local search runs in short stretches, and
between them λ moves against the side that is too large. At λ = ½ a receiver's degree is free and more of them are always to
be had, so λ stays below. Whatever does not add up after the search is closed by moving a few groups.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from shoal.realize._anneal_kernels import anneal
from shoal.realize._program_kernels import Program, buckets, prices
from shoal.realize.close import bring_within, close, gap_of, prices_of_rising
from shoal.realize.exact import solve_whole
from shoal.realize.ties import EQUALS, NO_TIES, Ties
from shoal.realize.view import SliceView

EFFORT = 1e5  # moves of the search, and no fewer than a third of the slice
LARGE = 20_000  # edges and groups above which a slice gets fewer rounds of local search, for less than 1 % more edits
DENSE = 250  # members times degree above which it gets fewer too: a move there looks at that many edges
NODES = 20  # of the solver's search tree; a limit in seconds would make results depend on the machine
GAP = 1e-3  # relative, of an objective that is larger than the edges changed
TOO_DEAR = 1e6  # what it costs to delete an edge that must stay
STRETCHES, FEW_STRETCHES = 32, 4  # of the search for λ and μ, which move between them; few where prices have found μ
FIRST_LEAN, MOST_LEAN = 0.03, 0.45  # by how much λ moves first, and how far it may go
HALVINGS = 6  # of the range of μ, where it is looked for by prices
ANY_SUM = np.array([0.0, np.inf, 0.0, 1.0])  # of the degrees of a slice
STRAYING = 0.25  # what a degree outside the range of the sum costs, beside its price μ; see `DegreeProgram.search`


class Chosen(NamedTuple):
    """A degree for every group, which edges to delete for them (if that was looked at), and what the number of edges took."""

    targets: np.ndarray
    deleted: np.ndarray | None = None
    price: float = 0.0


class Answer(NamedTuple):
    """Targets of the groups that take part in the program, and which of its edges are deleted."""

    target: np.ndarray
    deleted: np.ndarray


def arrays_of(us: np.ndarray, vs: np.ndarray, cost: np.ndarray, labels: np.ndarray, weight: np.ndarray) -> Program:
    """The arrays of the kernels; targets may be anything."""
    start, ends = buckets(np.stack([us, vs], axis=1).ravel(), len(labels))
    none, high = np.zeros(len(weight), np.int64), np.full(len(weight), np.iinfo(np.int64).max)
    members = buckets(labels, len(weight))
    return Program(us, vs, cost, labels, weight, none, ANY_SUM, none, high, start, ends // 2, *members)


class DegreeProgram:
    """The program of one slice, reduced to the groups, nodes and edges that play a part in it."""

    def __init__(
        self,
        view: SliceView,
        removal_weight: float,
        may_sink: np.ndarray | None = None,
        lack_price: np.ndarray | float = 0.5,
        edges: tuple[int, int] | None = None,
        ties: Ties = NO_TIES,
    ) -> None:
        self.ties = ties
        self.view, self.adds_up, self.free = view, may_sink is None, math.inf
        self.within = edges if self.adds_up else None
        labels, sizes, degrees = view.labels, view.sizes, view.degrees
        bound = np.ones(view.n_nodes, bool) if may_sink is None else ~may_sink
        inside = np.zeros(view.n_groups, bool)
        inside[labels[bound & (degrees > 0)]] = True
        if may_sink is not None:  # crowds of equals stay as they are
            low, high = np.full(view.n_groups, view.n_nodes), np.zeros(view.n_groups, np.int64)
            np.minimum.at(low, labels, degrees)
            np.maximum.at(high, labels, degrees)
            inside &= low < high
        elif not view.directed and (sizes % 2).any():  # the cheapest that can make the sum even, idle or not
            inside[np.argmin(np.where(sizes % 2 == 1, sizes, view.n_nodes + 1))] = True
        if self.within is not None:  # and an idle one of every size, for numbers that the others do not add up to
            idle = np.flatnonzero(~inside)
            inside[idle[np.unique(sizes[idle], return_index=True)[1]]] = True
        self.groups = np.flatnonzero(inside)
        m = self.groups.size
        place = np.full(view.n_groups, m)  # the last group holds those who do not count
        place[self.groups] = np.arange(m)
        place = np.where(bound, place[labels], m)
        self.edges = np.flatnonzero((place[view.us] < m) | (place[view.vs] < m))
        present = np.zeros(view.n_nodes, bool)
        present[view.us[self.edges]] = present[view.vs[self.edges]] = True
        self.nodes, number = np.flatnonzero(present), np.cumsum(present) - 1
        us, vs = number[view.us[self.edges]], number[view.vs[self.edges]]
        price = np.broadcast_to(np.asarray(lack_price, float), sizes.shape)
        of_end = np.where(bound, price[labels], 0.0)
        cost = removal_weight + of_end[view.us] + of_end[view.vs]
        cost = np.where(view.must_keep, TOO_DEAR, cost)[self.edges]
        self.dear = cost + np.broadcast_to(ties.dearer, view.us.shape)[self.edges]
        counted = sizes if may_sink is None else np.bincount(labels[bound], minlength=view.n_groups)
        self.sizes, self.side, self.degrees = counted[self.groups], view.side[self.groups], degrees[self.nodes]
        self.higher = np.append(np.broadcast_to(ties.higher, sizes.shape)[self.groups] * self.sizes, 0.0)
        weight = np.append(self.sizes * price[self.groups], 0.0)
        self.low, self.high = (np.append(ends[self.groups], view.n_nodes) for ends in view.bounds)
        arrays = arrays_of(us, vs, cost, place[self.nodes].astype(np.int64), weight)
        total = ANY_SUM.copy()
        total[3] = 2.0 if self.adds_up and not view.directed else 1.0
        self.arrays = arrays._replace(low=self.low, high=self.high, size=np.append(self.sizes, 0), total=total)

    def expand(self, answer: Answer) -> Chosen:
        """The answer for all groups and edges; a group that takes no part gets the largest degree in it."""
        targets, deleted = np.zeros(self.view.n_groups, np.int64), np.zeros(self.view.us.size, bool)
        np.maximum.at(targets, self.view.labels, self.view.degrees)
        targets[self.groups] = answer.target
        deleted[self.edges] = answer.deleted
        return Chosen(targets, deleted, max(0.0, self.plain(answer) - self.free))

    def plain(self, answer: Answer) -> float:
        """The objective, whether it adds up or not."""
        return float(self.arrays.cost[answer.deleted].sum() + (self.arrays.weight[:-1] * answer.target).sum())

    def value(self, answer: Answer) -> float:
        """The objective once the smaller side has risen to the larger one, or a small group has made the sum even."""
        total = self.plain(answer)
        if not self.adds_up:
            return total
        step = 1 if self.view.directed else np.min(self.sizes[self.sizes % 2 == 1], initial=self.view.n_nodes)
        gap = abs(gap_of(answer.target, self.sizes, self.side))
        return float(total + 0.5 * step * gap + 2 * abs(self.missing(answer)))

    def missing(self, answer: Answer) -> int:
        """How many degrees the slice lacks for the fewest edges it may have; negative where it has more than it may."""
        total = int(self.sizes @ answer.target)
        low, high = (2 * count for count in self.within) if self.within is not None else (total, total)
        return min(max(total, low), high) - total

    def solve(self, rng: np.random.Generator, exact: bool | None, exact_edges: int) -> Answer:
        """Closed form where no deletion can pay, else search, and the solver where the slice is small enough."""
        p, top = self.arrays, self.low.copy()
        np.maximum.at(top, p.labels, self.degrees)
        # an edge whose loss can save more than it costs; without one, nothing is deleted (each step of a group down
        # takes an edge at one of its members), and with few of them the even sum is all that keeps the solver busy
        weight = p.weight[p.labels]
        paying = weight[p.us] + weight[p.vs] > p.cost
        found = Answer(top[:-1], np.zeros(p.us.size, bool))
        if not paying.any() and (top <= self.high).all() and not self.missing(found):
            return found
        found = self.search(rng)
        if exact or (exact is None and p.us.size <= exact_edges and paying.mean() > 0.1):
            best = solve_whole(self, math.inf if exact else NODES, 0.0 if exact else GAP)
            if best is not None and self.value(Answer(*best)) <= self.value(found) + 1e-6:
                return Answer(*best)
        if (self.dear == p.cost).all():
            return found
        other = self.anneal(found, 2.0, 0.5 * EQUALS, 0.05 * EQUALS, rng, fixed=True, cost=self.dear)
        return other if self.value(other) <= self.value(found) + 1e-6 else found

    def search(self, rng: np.random.Generator) -> Answer:
        """Prices, then local search: in stretches between which λ and μ move, where sides or the sum are not as they must be."""
        size = self.arrays.us.size + self.groups.size
        pricing = 100 if size <= LARGE else int(np.clip(10 * self.sizes.mean(), 20, 100))  # small groups settle soon
        answer = self.priced(0.0, pricing)
        rounds = min(20.0, max(0.3, EFFORT / size * min(1.0, LARGE / size)))
        rounds *= min(1.0, DENSE / max(1.0, self.sizes.mean() * self.degrees.mean()))
        lean, step, way = np.zeros(2), np.full(2, 2 * FIRST_LEAN), np.zeros(2)
        stretches, share = STRETCHES, 2.0
        if not self.view.directed:
            answer = self.anneal(answer, rounds, 0.05, 0.01, rng)
            self.free = self.plain(answer)
            if not self.missing(answer):
                return answer
            lean[1], answer = self.price_of_sum(answer, pricing)
            step[1] = abs(lean[1]) / STRETCHES
            if size > LARGE:
                stretches, share = FEW_STRETCHES, 0.5
        best, fewest, depth = answer, math.inf, 2 if rounds > 1 else 1
        for hot, cold in pairwise(np.geomspace(0.1, 0.01, stretches + 1)):
            answer = self.anneal(answer, share * rounds / stretches, hot, cold, rng, lean=lean, depth=depth)
            if self.value(answer) < fewest:
                best, fewest = answer, self.value(answer)
            gap = gap_of(answer.target, self.sizes, self.side) if self.view.directed else 0
            before, way = way, np.sign([gap, -self.missing(answer) or -lean[1]])
            step *= np.where(way == before, 1.5, 0.5)
            lean += way * step
            lean[1] = max(lean[1], -MOST_LEAN)
            lean[0] = np.clip(lean[0], *(np.array([-1, 1]) * (MOST_LEAN + min(lean[1], 0.0))))
        return best

    def priced(self, extra: float, pricing: int) -> Answer:
        """What the relaxed program gives, rounded, where a degree costs `extra`."""
        p = self.arrays._replace(weight=self.arrays.weight + np.append(extra * self.sizes, 0.0))
        mean, target = prices(p, self.degrees.astype(float), pricing)
        return Answer(np.clip(np.floor(target + 0.5).astype(np.int64), self.low, self.high)[:-1], mean > 0.5)

    def price_of_sum(self, answer: Answer, pricing: int) -> tuple[float, Answer]:
        """The price μ of a degree, as near to none as can be, at which the relaxed program has about as many as it may."""
        near, far = 0.0, -math.copysign(MOST_LEAN, self.missing(answer))
        for _ in range(HALVINGS):
            middle = (near + far) / 2
            found = self.priced(middle, pricing)
            if self.missing(found) * far < 0:  # still on the side where it began
                near = middle
            else:
                far, answer = middle, found
        return far, answer

    def anneal(
        self,
        answer: Answer,
        rounds: float,
        hot: float,
        cold: float,
        rng: np.random.Generator,
        *,
        fixed: bool = False,
        cost: np.ndarray | None = None,
        lean: np.ndarray | None = None,
        depth: int | None = None,
    ) -> Answer:
        """Local search from an answer, at the prices `lean` of equal sides and of a degree; `fixed` leaves the targets."""
        weight, total = self.arrays.weight - self.ties.alike * self.higher, self.arrays.total
        if lean is not None:
            weight = weight + np.append((lean[0] * self.side + lean[1]) * self.sizes, 0.0)
            if self.within is not None:
                total = np.array([2.0 * self.within[0], 2.0 * self.within[1], STRAYING, total[3]])
        target = np.append(answer.target, self.view.n_nodes)
        depth = depth or (2 if rounds > 2 and not fixed else 1)
        cost = self.arrays.cost if cost is None else cost
        arrays, deleted = self.arrays._replace(cost=cost, weight=weight, total=total), answer.deleted.copy()
        deleted, target = anneal(arrays, deleted, target, float(rounds), float(hot), float(cold), fixed, depth, rng)
        return Answer(target[:-1], deleted)

    def close(self, chosen: Chosen, rng: np.random.Generator) -> Chosen:
        """Make the degrees add up, and take back or delete what the new targets allow or ask for.

        The cheapest groups move: up at what their members' missing edges cost; down at the edge that every member loses
        who has as many as the target, less half an edge per member. Where no steps are found, each group of a directed slice
        gets the smaller of its two targets.
        """
        view, (targets, deleted, price) = self.view, chosen
        assert deleted is not None
        us, vs = view.us[~deleted], view.vs[~deleted]
        rest = np.bincount(np.concatenate([us, vs]), minlength=view.n_nodes)
        tight = np.bincount(view.labels, rest == targets[view.labels], view.n_groups)
        down = np.where(targets > view.bounds[0], self.arrays.cost.min() * tight - 0.5 * view.sizes, np.inf)

        def of_steps(now: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            rise = prices_of_rising(view, now, now[view.labels] - rest, us, vs, rng)
            fall = np.full_like(rise, np.inf)
            fall[0] = np.where(now == targets, down, np.inf)  # counted for one step only
            return rise, fall

        closed = close(targets, view.sizes, view.side, of_steps)
        if view.directed and not view.limited and gap_of(closed, view.sizes, view.side):
            closed = np.tile(np.minimum(*np.split(closed, 2)), 2)
        if self.within is not None:
            closed = bring_within(closed, view.sizes, view.side, of_steps, self.within)
        if np.array_equal(closed, targets):
            return chosen
        answer = Answer(closed[self.groups], deleted[self.edges])
        return Chosen(closed, self.expand(self.anneal(answer, 2.0, 0.1, 0.05, rng, fixed=True)).deleted, price)
