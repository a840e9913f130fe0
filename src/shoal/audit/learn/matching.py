"""Laying one graph over another: whose node is whose, by numbers of contacts and by the company they keep.

At first a person may be any node with similar numbers. Then, round after round, a node fits the better the more of the
person's contacts are believed to be its contacts in the same slice (similarity flooding, Melnik et al. 2002,
doi:10.1109/ICDE.2002.994702), no node being two people (Sinkhorn's scaling, as in graduated assignment, Gold & Rangarajan
1996, doi:10.1109/34.491619). In the end an assignment gives everybody one node, and contacts that agree with it decide again.
Everybody keeps a short list of candidates, so the work grows with the edges and not with the square of the people.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from shoal.audit.learn import _kernels
from shoal.common.progress import run_jobs, usable_cores

CANDIDATES = 200_000  # pairs of a person and a node that are looked at, within FEWEST and MOST nodes a person
FEWEST, MOST = 32, 128
ROUNDS, REFINEMENTS = 14, 2
GAIN, GROWTH = 8.0, 1.3  # weight of contacts against numbers of contacts in the first round, and from round to round
SCALINGS = 10
UNNAMED = 50.0  # rather a poor node than none
PEOPLE = 512  # a piece of work for one thread


class Side(NamedTuple):
    """One of the two graphs, as kernels read it: who is linked to whom under each label, and rows of degrees.

    A label is a slice; in a directed graph a slice and a direction, 2 t for links that go out and 2 t + 1 for those that
    come in. The last is "ever", where that is known. Links of person i with label l go to
    ends[starts[i * L + l] : starts[i * L + l + 1]]; `contacts` and `labels` are the same links, contact by contact.
    """

    starts: np.ndarray
    ends: np.ndarray
    contacts: np.ndarray
    labels: np.ndarray
    sizes: np.ndarray
    roots: np.ndarray


class Match(NamedTuple):
    """The node each person is taken for, -1 for nobody, and by how much it fits better than any other."""

    nodes: np.ndarray
    sure: np.ndarray


def lay_out(
    edges: np.ndarray,
    codes: np.ndarray,
    n_people: int,
    slices: np.ndarray,
    *,
    directed: bool,
    ever: np.ndarray | None = None,
) -> Side:
    """One side of a match: the edges (with their slices in `codes`) that lie in these slices.

    `ever` are the edges that say who ever met, in any slice; without them nobody looks at that.
    """
    place = np.full(int(max(codes.max(initial=0), slices.max(initial=0))) + 1, -1, np.int64)
    place[slices] = np.arange(len(slices))
    inside = place[codes] >= 0
    ends, label, ways = edges[inside].astype(np.int64), place[codes[inside]], 1 + directed
    degrees = np.zeros((n_people, len(slices) * ways), np.float32)
    np.add.at(degrees, (ends[:, 0], label * ways), 1)
    np.add.at(degrees, (ends[:, 1], label * ways + directed), 1)
    if ever is not None:
        pairs = np.unique(ever, axis=0).astype(np.int64)
        ends, label = np.vstack([ends, pairs]), np.concatenate([label, np.full(len(pairs), len(slices))])
    n_labels = (len(slices) + (ever is not None)) * ways
    where = np.concatenate([ends[:, 0] * n_labels + label * ways, ends[:, 1] * n_labels + label * ways + directed])
    to = np.concatenate([ends[:, 1], ends[:, 0]])
    order, by_contact = np.lexsort((to, where)), np.lexsort((where, to, where // n_labels))
    starts = np.concatenate([[0], np.cumsum(np.bincount(where, minlength=n_people * n_labels))])
    sizes = np.bincount(where // n_labels, minlength=n_people).astype(np.float32)
    contacts, labels = to[by_contact].astype(np.int32), (where[by_contact] % n_labels).astype(np.int32)
    return Side(starts, to[order].astype(np.int32), contacts, labels, sizes, np.sqrt(degrees))


class Matcher:
    """Beliefs about who is which node.

    With `people` only these are looked for; of their other contacts the numbers are believed, round after round.
    """

    def __init__(
        self,
        known: Side,
        seen: Side,
        *,
        directed: bool,
        people: np.ndarray | None = None,
        jobs: int | None = None,
    ) -> None:
        self.known, self.seen, self.flip = known, seen, int(directed)
        self.n_people, self.n_nodes = len(known.sizes), len(seen.sizes)
        self.people = np.arange(self.n_people) if people is None else people
        self.lengths = tuple(np.sqrt((side.roots**2).sum(axis=1)) for side in (known, seen))
        self.most = min(max(CANDIDATES // max(self.n_people, 1), FEWEST), MOST, self.n_nodes)
        self.jobs = jobs or usable_cores()
        self.near, self.apart = self._by_numbers()
        self.begin(np.full(self.n_people, -1))

    def begin(self, seeds: np.ndarray) -> None:
        """Forget what was believed, but for the nodes of people who are known from the start; -1 for others."""
        self.seeded = np.flatnonzero(seeds >= 0)
        self.seed_nodes = seeds[self.seeded]
        self.believe(*self._settled(self.near.copy(), -self.apart))

    def _by_numbers(self) -> tuple[np.ndarray, np.ndarray]:
        """The nodes with the nearest rows, for everybody who is looked for and their contacts."""
        reach, walk = self.lengths[0], by_length(self.seen.roots, self.lengths[1])
        wanted = np.zeros(self.n_people, bool)
        wanted[self.people] = True
        wanted[self.known.ends[np.repeat(wanted, self.known.sizes.astype(np.int64))]] = True
        rows = np.flatnonzero(wanted)
        near = np.full((self.n_people, self.most), -1, np.int32)
        apart = np.full((self.n_people, self.most), np.inf, np.float32)
        near[rows], apart[rows] = self._in_pieces(
            rows, lambda some: _kernels.nearest(some, self.known.roots, reach, self.seen.roots, walk, self.most)
        )
        return near, apart

    def _in_pieces(
        self, people: np.ndarray, work: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
    ) -> tuple[np.ndarray, np.ndarray]:
        pieces = [people[at : at + PEOPLE] for at in range(0, max(len(people), 1), PEOPLE)]
        parts = run_jobs(work, pieces, self.jobs)
        return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])

    def _settled(self, candidates: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Whoever is known from the start is that node, and nobody else is."""
        if len(self.seeded):
            scores[np.isin(candidates, self.seed_nodes)] = -np.inf
            candidates[self.seeded], scores[self.seeded] = -1, -np.inf
            candidates[self.seeded, 0], scores[self.seeded, 0] = self.seed_nodes, 0
        return candidates, scores

    def fits(self, gain: float) -> tuple[np.ndarray, np.ndarray]:
        """The best nodes for everybody and their scores, given the beliefs of now."""
        known, seen, candidates, scores = tuple(self.known), tuple(self.seen), self.near.copy(), -self.apart
        candidates[self.people], scores[self.people] = self._in_pieces(
            self.people,
            lambda some: _kernels.spread(
                some, known, seen, self.lengths, self.candidates, self.belief, self.near, gain, self.flip, self.most
            ),
        )
        return self._settled(candidates, scores)

    def believe(self, candidates: np.ndarray, scores: np.ndarray) -> None:
        """Turn scores into beliefs: those about a person sum to 1, and those about a node to about 1."""
        best = scores.max(axis=1, initial=-np.inf, keepdims=True)
        self.candidates = candidates
        self.belief = np.exp(scores - np.where(np.isfinite(best), best, 0)).astype(np.float32)
        _kernels.share_out(self.candidates, self.belief, self.n_nodes, SCALINGS)

    def alone(self) -> None:
        """Believe of everybody what their own numbers say, whoever else may be the same node."""
        self.candidates, weight = self.near, np.where(self.near >= 0, np.exp(-self.apart), 0)
        self.belief = (weight / np.maximum(weight.sum(axis=1, keepdims=True), 1e-30)).astype(np.float32)

    def take(self, nodes: np.ndarray) -> None:
        """Believe that everybody who is looked for is the node they were given."""
        candidates, scores = self.near.copy(), -self.apart
        candidates[self.people], scores[self.people] = -1, -np.inf
        candidates[self.people, 0] = nodes[self.people]
        scores[self.people, 0] = np.where(nodes[self.people] >= 0, 0, -np.inf)
        self.believe(candidates, scores)

    def decide(self, candidates: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """The best assignment of those who are looked for; -1 for others."""
        nodes = np.full(self.n_people, -1, np.int64)
        nodes[self.people] = assign(candidates[self.people], scores[self.people], self.n_nodes)
        return nodes


def by_length(roots: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The nodes by the lengths of their rows, equal rows side by side; the lengths; who has the row of the one before."""
    order = np.lexsort((*roots.T, lengths))
    rows = roots[order]
    same = np.zeros(len(order) + 1, bool)
    same[1:-1] = (rows[1:] == rows[:-1]).all(axis=1)
    return order, lengths[order], same


def assign(candidates: np.ndarray, scores: np.ndarray, n_nodes: int) -> np.ndarray:
    """A node for everybody who has candidates, each node once, with the largest sum of scores; -1 for whoever gets none."""
    n_people, most = candidates.shape
    there = np.isfinite(scores) & (candidates >= 0)
    people, nodes = np.repeat(np.arange(n_people), most)[there.ravel()], candidates[there].astype(np.int64)
    if len(people) == 0:
        return np.full(n_people, -1, np.int64)
    cost = scores[there].max() - scores[there].astype(np.float64) + 1.0
    rows = np.unique(people)
    place = np.searchsorted(rows, people)
    nobody = np.full(
        len(rows), cost.max() + UNNAMED
    )  # a node of their own that is nobody's, so that all can be assigned
    graph = sparse.coo_array(
        (
            np.concatenate([cost, nobody]),
            (
                np.concatenate([place, np.arange(len(rows))]),
                np.concatenate([nodes, n_nodes + np.arange(len(rows))]),
            ),
        ),
        shape=(len(rows), n_nodes + len(rows)),
    ).tocsr()
    which, found = min_weight_full_bipartite_matching(graph)
    taken = np.full(n_people, -1, np.int64)
    taken[rows[which]] = np.where(found < n_nodes, found, -1)
    return taken


def match(
    known: Side,
    seen: Side,
    *,
    directed: bool,
    people: np.ndarray | None = None,
    gain: float = GAIN,
    jobs: int | None = None,
) -> Match:
    """Lay what is known over what is seen. A small `gain` begins with the numbers, which is better where few people are known."""
    return settle(Matcher(known, seen, directed=directed, people=people, jobs=jobs), gain)


def settle(work: Matcher, gain: float = GAIN) -> Match:
    """From what is believed now to a node for everybody: company counts more and more, in the end that of nodes given out."""
    for turn in range(ROUNDS):
        candidates, scores = work.fits(gain * GROWTH**turn)
        work.believe(candidates, scores)
    nodes = work.decide(candidates, scores)
    for _ in range(REFINEMENTS):
        work.take(nodes)
        candidates, scores = work.fits(gain * GROWTH**ROUNDS)
        nodes = work.decide(candidates, scores)
    return Match(nodes, _sure(candidates, scores, nodes))


def _sure(candidates: np.ndarray, scores: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """By how much everybody's node fits better than the best of the others; below 0 where another one fits better."""
    own = candidates == nodes[:, None]
    named = (nodes >= 0) & own.any(axis=1)
    mine = np.where(named, np.where(own, scores, -np.inf).max(axis=1, initial=-np.inf), 0)
    others = np.where(own, -np.inf, scores).max(axis=1, initial=-np.inf)
    others = np.where(np.isfinite(others), others, mine - 1)
    return np.where(named, mine - others, -np.inf)
