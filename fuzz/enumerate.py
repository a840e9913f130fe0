"""What a release folder gives away about its original, by trying: `python fuzz/enumerate.py [random sets] [originals]`.

The attacker has the folder alone. The original is a few edits away from the released graph, so they try, slice by slice, all sets of
at most MOST_ADDED edges that the release may have added and MOST_REMOVED that it may have removed, and keep those whose numbers
agree with what is published. Whoever is left with one set has the original.

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
from shoal.datasets import messenger
from shoal.edges import edge_keys
from shoal.group import lower_bound
from shoal.measure.degrees import assortativity
from shoal.measure.pagerank import cosine, pagerank
from shoal.measure.structure import structure
from shoal.release import Release
from shoal.report import Report
from shoal.write.published import Told, floor_grid

MOST_ADDED, MOST_REMOVED = 4, 1
MOST_TRIED = 200_000  # sets of edits of a slice whose exact numbers are known
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
        some = np.flatnonzero(self.costs[kind[:2]] == kind[2])
        i, j = divmod(int(rng.choice(some)), len(put))
        return self.edited(away[i], put[j])

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
        numbers, kept = self._numbers(original), []
        for j, more in enumerate(plus):
            same = (_histograms(self.degrees - minus + more) == histogram).all(axis=1)
            kept += [self.edited(away[i], put[j]) for i in np.flatnonzero(same)]
        return [edges for edges in kept if self._numbers(edges) == numbers]

    def _numbers(self, edges: np.ndarray) -> tuple[object, ...]:
        ranks = [round(x, 9) for x in [cosine(pagerank(edges, self.n), pagerank(self.edges, self.n)) or 0.0]]
        degrees = np.bincount(edges.ravel(), minlength=self.n)
        return *structure(edges, degrees), assortativity(edges, self.n), *ranks


def _histograms(degrees: np.ndarray) -> np.ndarray:
    return np.stack([(degrees == d).sum(axis=1) for d in range(degrees.shape[1])], axis=1)


class Totals:
    """All originals of all slices together, by what they change."""

    def __init__(self, slices: list[Slice]) -> None:
        self.slices = slices
        self.tails: list[Counter[Kind]] = [Counter({(0, 0, 0): 1})]
        for one in reversed(slices):
            longer: Counter[Kind] = Counter()
            for kind, count in one.counts.items():
                for rest, more in self.tails[-1].items():
                    longer[tuple(a + b for a, b in zip(kind, rest, strict=True))] += count * more  # type: ignore[index]
            self.tails.append(longer)

    def draw(self, kind: Kind, rng: np.random.Generator) -> list[np.ndarray]:
        """One of the originals that change so much in all."""
        edges = []
        for one, tail in zip(self.slices, self.tails[-2::-1], strict=True):
            rest = {mine: tuple(a - b for a, b in zip(kind, mine, strict=True)) for mine in one.counts}
            weights = {mine: one.counts[mine] * tail[rest[mine]] for mine in rest if tail[rest[mine]]}  # type: ignore[index]
            mine = list(weights)[_weighted(list(weights.values()), rng)]
            edges.append(one.draw(mine, rng))
            kind = rest[mine]  # type: ignore[assignment]
        return edges


def _weighted(weights: list[int], rng: np.random.Generator) -> int:
    """A place, by whole weights of any length."""
    shares = np.array([weight / sum(weights) for weight in weights])
    return int(rng.choice(len(weights), p=shares / shares.sum()))


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

    totals, released = Totals(slices), release.graph.n_edges
    edges, changed = release.edges, (release.edges.added, release.edges.removed)
    grid = [floor_grid(x) for x in (edges.kept, edges.original, release.cost_l1)]
    fits = {
        kind: count
        for kind, count in totals.tails[-1].items()
        if [floor_grid(x) for x in (released - kind[0], released - kind[0] + kind[1], kind[2])] == grid
    }
    folder, kinds = Report(release).told, list(fits)
    same, tried = [], 0
    while len(same) < wanted and tried < 100 * wanted:
        tried += 1
        candidate = totals.draw(kinds[_weighted(list(fits.values()), rng)], rng)
        if _gives(folder, release, candidate):
            same.append(candidate)
    possible = [_degrees([edges[t] for edges in same], n) for t in range(len(slices))]
    crowds = _crowds(vectors, possible)
    return Attacked(
        people=n,
        slices=len(slices),
        changed=release.edges.changed,
        recovered=sum(some is not None and len(some) == 1 for some in exact),
        alone_exact=int((_crowds(vectors, known) == 1).sum()),
        free=math.log10(sum(totals.tails[-1].values())),
        counted=math.log10(sum(c for kind, c in totals.tails[-1].items() if kind[:2] == changed)),
        left=math.log10(sum(fits.values())) + math.log10(max(len(same), 0.5) / tried),
        alone=int((crowds == 1).sum()),
        fewest=int(crowds.min()),
    )


def _gives(folder: Told, release: Release, edges: list[np.ndarray]) -> bool:
    """Whether the folder would say the same if this were the original."""
    original = release.graph.with_edges(edges)
    bound = lower_bound(original.degree_matrix(), release.k)
    report = Report(replace(release, original=original, bound=bound))
    if floor_grid(report.alone) != folder.alone or floor_grid(bound) != folder.cost["lower_bound"]:
        return False  # the rest takes longer
    told = report.told
    return told[:4] == folder[:4] and told.comparison.to_dict() == folder.comparison.to_dict()


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


def cases(n_sets: int) -> list[Release]:
    """Releases at k = 2 of 24 people in 5 weeks, and of random small sets, that changed so little that all can be tried."""
    found: list[Release] = []
    sizes = [(24, 5), *[(16 + 2 * (i % 6), 3 + i % 3) for i in range(n_sets)]]
    for seed in range(10_000):
        if len(found) == len(sizes):
            break
        release = shoal.anonymize(messenger(*sizes[len(found)], seed=seed), 2, seed=seed)
        small = all(c.added <= MOST_ADDED and c.removed <= MOST_REMOVED for c in release.slice_edges)
        if small and release.edges.changed >= 5:
            found.append(release)
    return found


def main() -> None:
    """Print the table."""
    n_sets, wanted = (int(text) for text in (*sys.argv[1:], *("12", "300")[len(sys.argv) - 1 :]))
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
