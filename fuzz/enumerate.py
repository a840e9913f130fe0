"""What a release folder gives away about its original, by trying: `python fuzz/enumerate.py [random sets] [originals]`.

The attacker has the folder alone. The original is a few edits away from the released graph, so they try, slice by slice, all sets of
at most MOST_ADDED edges that the release may have added and MOST_REMOVED that it may have removed, so that slices keep their numbers
of edges as releases do, and keep those sets whose numbers agree with what is published. Whoever is left with one set has the original.

With exact numbers per slice, as the private report has them, every slice is searched on its own. Of what is published only totals
speak of so few changes. They couple the slices, so candidates are counted: the edits of a slice by how many edges and
degrees they change, all slices together by convolution. Of the combinations whose totals agree some are drawn at random and
published in earnest; the share that gives the same folder is the share of candidates that are left.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from dataclasses import replace
from functools import cache, cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

import shoal
from shoal.common.edges import edge_keys, slack_of
from shoal.datasets import messenger
from shoal.group import lower_bound
from shoal.measure.degrees import assortativity
from shoal.measure.pagerank import cosine, pagerank
from shoal.measure.structure import Structure, structure
from shoal.published.coarse import PublishedNumbers, coarse_cost, coarse_edges, coarse_slices, floor_grid
from shoal.release import Release
from shoal.report import Report

MOST_ADDED, MOST_REMOVED = 4, 1
MOST_TRIED = 200_000  # sets of edits of a slice whose exact numbers are known
IN_FULL = 20  # originals of which the similarities are measured too
Kind = tuple[int, int, int]  # edges the release added, edges it removed, change of degrees


class Attacked(NamedTuple):
    """A release attacked: a line of the table."""

    people: int
    slices: int
    changed: int  # edges added and removed
    recovered: int  # slices of which exact numbers leave one candidate
    alone_exact: int  # people who stand alone with exact numbers
    free: float  # candidates without any number, as a power of ten
    counted: float  # those that fit the exact numbers of added and of removed edges, told alone
    left: float  # those that give the same folder, as a power of ten
    alone: int  # people who stand alone with what is published
    fewest: int  # the fewest people anybody is left among

    @property
    def factor(self) -> float:
        """How many times fewer candidates the folder's numbers leave."""
        return 10 ** (self.free - self.left)


class Slice:
    """All original slices within a few edits of a released one."""

    def __init__(self, edges: np.ndarray, n: int) -> None:
        self.edges, self.n = edges, n
        there = set(map(tuple, edges.tolist()))
        self.absent = np.array([pair for pair in combinations(range(n), 2) if pair not in there])
        self.degrees = np.bincount(edges.ravel(), minlength=n)

    @cache  # noqa: B019 - a slice lives as long as the attack on it
    def sets(self, added: int, removed: int) -> tuple[np.ndarray, np.ndarray]:
        """Every choice of edges to take away again, and every choice of pairs to join again, as rows of positions."""
        away, put = (
            np.array(list(combinations(range(len(pairs)), size)), np.int64).reshape(math.comb(len(pairs), size), size)
            for pairs, size in ((self.edges, added), (self.absent, removed))
        )
        return away, put

    def shifts(self, pairs: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """(sets, people) how many of the chosen pairs everybody is in."""
        counts, rows = np.zeros((len(chosen), self.n), np.int8), np.arange(len(chosen))
        for column in chosen.T:
            for side in (0, 1):
                np.add.at(counts, (rows, pairs[column, side]), 1)
        return counts

    @cached_property
    def costs(self) -> dict[tuple[int, int], np.ndarray]:
        """For every number of edits, the change of degrees of every pair of choices."""
        found = {}
        for added in range(min(MOST_ADDED, len(self.edges)) + 1):
            for removed in range(MOST_REMOVED + 1):
                if abs(added - removed) > slack_of(len(self.edges) - added + removed):
                    continue
                away, put = self.sets(added, removed)
                minus, plus = self.shifts(self.edges, away), self.shifts(self.absent, put)
                found[added, removed] = np.stack(
                    [np.abs(row - minus).sum(axis=1, dtype=np.uint8) for row in plus], axis=1
                )
        return found

    @cached_property
    def counts(self) -> Counter[Kind]:
        """How many originals there are of each kind."""
        return Counter(
            {
                (*edits, cost): int(count)
                for edits, costs in self.costs.items()
                for cost, count in enumerate(np.bincount(costs.ravel()))
                if count
            }
        )

    def draw(self, kind: Kind, rng: np.random.Generator) -> np.ndarray:
        """One of the originals of a kind."""
        away, put = self.sets(*kind[:2])
        some = self._those(kind)
        i, j = divmod(int(some[rng.integers(len(some))]), len(put))
        return self.edited(away[i], put[j])

    @cache  # noqa: B019
    def _those(self, kind: Kind) -> np.ndarray:
        return np.flatnonzero(self.costs[kind[:2]] == kind[2])

    def edited(self, away: np.ndarray, put: np.ndarray) -> np.ndarray:
        """The slice without some edges and with others."""
        edges = np.concatenate([np.delete(self.edges, away, axis=0), self.absent[put].reshape(-1, 2)])
        return edges[np.argsort(edge_keys(edges))].astype(np.int32)

    def fitting(self, original: np.ndarray, added: int, removed: int) -> list[np.ndarray] | None:
        """Originals that agree with this one in all exact numbers; None where there are too many to try."""
        if math.comb(len(self.edges), added) * math.comb(len(self.absent), removed) > MOST_TRIED:
            return None
        away, put = self.sets(added, removed)
        minus, plus = self.shifts(self.edges, away), self.shifts(self.absent, put)
        histogram = _histograms(np.bincount(original.ravel(), minlength=self.n)[None])
        kept = []
        for j, more in enumerate(plus):
            same = (_histograms(self.degrees - minus + more) == histogram).all(axis=1)
            kept += [self.edited(away[i], put[j]) for i in np.flatnonzero(same)]
        for number in (self._mixing, self._structure, self._similarity):  # the quickest first
            wanted = number(original)
            kept = [edges for edges in kept if number(edges) == wanted]
        return kept

    def _mixing(self, edges: np.ndarray) -> float | None:
        return assortativity(edges, self.n)

    def _structure(self, edges: np.ndarray) -> Structure:
        return structure(edges, np.bincount(edges.ravel(), minlength=self.n))

    def _similarity(self, edges: np.ndarray) -> float:
        return round(cosine(pagerank(edges, self.n), pagerank(self.edges, self.n)) or 0.0, 9)


def _histograms(degrees: np.ndarray) -> np.ndarray:
    return np.stack([(degrees == d).sum(axis=1) for d in range(degrees.shape[1])], axis=1)


class Totals:
    """All originals of all slices together, by what they change. Counts are floats: they have thirty digits."""

    def __init__(self, slices: list[Slice]) -> None:
        self.slices = slices
        most = np.array([max(kind[i] for one in slices for kind in one.counts) for i in range(3)])
        last = np.zeros(most * len(slices) + 1)
        last[0, 0, 0] = 1
        self.tails = [last]
        for one in reversed(slices):
            longer = np.zeros_like(last)
            for (a, r, l1), count in one.counts.items():
                rest = self.tails[-1][: len(last) - a, : last.shape[1] - r, : last.shape[2] - l1]
                longer[a:, r:, l1:] += count * rest
            self.tails.append(longer)

    @property
    def counts(self) -> dict[Kind, float]:
        """How many originals there are of each kind."""
        whole = self.tails[-1]
        return {(int(a), int(r), int(l1)): float(whole[a, r, l1]) for a, r, l1 in np.argwhere(whole)}

    def draw(self, kind: Kind, rng: np.random.Generator) -> list[np.ndarray]:
        """One of the originals that change so much in all."""
        edges, left = [], np.array(kind)
        for one, tail in zip(self.slices, self.tails[-2::-1], strict=True):
            mine = [kind for kind in one.counts if (left >= kind).all()]
            chosen = mine[_weighted([one.counts[kind] * tail[tuple(left - kind)] for kind in mine], rng)]
            edges.append(one.draw(chosen, rng))
            left = left - chosen
        return edges


def _weighted(weights: list[float], rng: np.random.Generator) -> int:
    sums = np.cumsum(weights)
    return int(np.searchsorted(sums, rng.random() * sums[-1], side="right"))


def attack(release: Release, wanted: int, seed: int = 0) -> Attacked:
    """Both attacks on one release; so many originals that give the same folder are wanted."""
    n, rng = release.graph.n_nodes, np.random.default_rng(seed)
    slices = [Slice(release.graph.edges(t), n) for t in range(release.graph.n_slices)]
    vectors = release.original.degree_matrix()

    exact = [
        one.fitting(release.original.edges(t), counts.added, counts.removed)
        for t, (one, counts) in enumerate(zip(slices, release.slice_edges, strict=True))
    ]
    known = [_degrees(some, n) if some is not None else None for some in exact]

    totals = Totals(slices)
    edges, changed = release.edges, (release.edges.added, release.edges.removed)
    grid = _told(edges.added, edges.removed, release.cost_l1)
    fits = {kind: count for kind, count in totals.counts.items() if _told(*kind) == grid}
    folder, kinds = Report(release).told, list(fits)
    truth = [release.original.edges(t) for t in range(len(slices))]
    same, tried = [truth], 1
    while len(same) < wanted and tried < 100 * wanted:
        tried += 1
        candidate = totals.draw(kinds[_weighted(list(fits.values()), rng)], rng)
        if _gives(folder, release, candidate, in_full=len(same) <= IN_FULL):
            same.append(candidate)
    possible = [_degrees([edges[t] for edges in same], n) for t in range(len(slices))]
    crowds = _crowds(vectors, possible)
    return Attacked(
        people=n,
        slices=len(slices),
        changed=release.edges.changed,
        recovered=sum(some is not None and len(some) == 1 for some in exact),
        alone_exact=int((_crowds(vectors, known) == 1).sum()),
        free=math.log10(sum(totals.counts.values())),
        counted=math.log10(sum(c for kind, c in totals.counts.items() if kind[:2] == changed)),
        left=math.log10(sum(fits.values())) + math.log10(max(len(same), 0.5) / tried),
        alone=int((crowds == 1).sum()),
        fewest=int(crowds.min()),
    )


def _told(added: int, removed: int, l1: int) -> tuple[int, int, int]:
    """The totals of a kind as a certificate tells them."""
    return floor_grid(added), floor_grid(removed), coarse_cost(l1, 0, 2, 1)["l1"]


def _gives(folder: PublishedNumbers, release: Release, edges: list[np.ndarray], *, in_full: bool) -> bool:
    """Whether the folder would say the same if this were the original; in full, with similarities, which so few do not have."""
    original = release.graph.with_edges(edges)
    other = replace(release, original=original, bound=lower_bound(original.degree_matrix(), release.k))
    report = Report(other, attacked=False)  # what is learned by attackers is not compared
    cost = coarse_cost(other.cost_l1, other.bound, original.n_nodes, original.n_slices)
    told = (
        coarse_edges(other.edges),
        cost,
        floor_grid(report.alone),
        coarse_slices(other.slice_edges, original, release.graph),
    )
    if told != folder[:4]:
        return False
    return not in_full or report.told.comparison.to_dict() == folder.comparison.to_dict()


def _degrees(candidates: list[np.ndarray], n: int) -> list[set[int]]:
    """The degrees that everybody may have had."""
    degrees = np.stack([np.bincount(edges.ravel(), minlength=n) for edges in candidates], axis=1)
    return [set(row) for row in degrees.tolist()]


def _crowds(vectors: np.ndarray, possible: list[list[set[int]] | None]) -> np.ndarray:
    """For everybody, how many people may have had their numbers, for all that an attacker has found out."""
    return np.array(
        [
            sum(
                all(some is None or d in some[q] for d, some in zip(row, possible, strict=True))
                for q in range(len(vectors))
            )
            for row in vectors.tolist()
        ]
    )


def cases(n_sets: int, effort: str = "balanced") -> list[Release]:
    """Releases at k = 2 of 24 people in 5 weeks, and of random small sets, that changed so little that all can be tried."""
    found: list[Release] = []
    sizes = [(24, 5), *[(16 + 2 * (i % 6), 3 + i % 3) for i in range(n_sets)]]
    for seed in range(10_000):
        if len(found) == len(sizes):
            break
        release = shoal.anonymize(messenger(*sizes[len(found)], seed=seed), 2, seed=seed, effort=effort)
        small = all(c.added <= MOST_ADDED and c.removed <= MOST_REMOVED for c in release.slice_edges)
        if small and release.edges.changed >= 5:
            found.append(release)
    return found


def main() -> None:
    """Print the table."""
    n_sets, wanted = (int(text) for text in (*sys.argv[1:], *("12", "500")[len(sys.argv) - 1 :]))
    print("people weeks changed | exact: known alone | candidates  counted     left     factor  alone fewest")
    for release in cases(n_sets):
        one = attack(release, wanted)
        free, counted, left = (f"10^{power:.1f}" for power in (one.free, one.counted, one.left))
        print(
            f"{one.people:6} {one.slices:5} {one.changed:7} | {one.recovered:12} {one.alone_exact:5} | "
            f"{free:>10} {counted:>8} {left:>8} {one.factor:10,.0f} {one.alone:6} {one.fewest:6}",
            flush=True,
        )


if __name__ == "__main__":
    main()
