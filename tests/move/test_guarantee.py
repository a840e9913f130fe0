"""The guarantee itself: two originals that differ only in who of a group has which ties give releases of one distribution.

Groups are fixed, as the guarantee has them. Releases are drawn over many seeds for one original and for one whose ties were
dealt out otherwise inside groups, with the same totals. Two samples of one distribution differ as chi-square says.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from shoal.common.randomness import Randomness
from shoal.demands.against import make_moving
from shoal.demands.promise import Promise
from shoal.demands.request import Request
from shoal.demands.settings import Settings
from shoal.engine import open_engine
from shoal.engine.work import Runner
from shoal.graph import TemporalGraph
from shoal.move import steps
from shoal.move.match import find_totals
from shoal.move.permute import move_slice
from shoal.move.steps import MovePiece, _move, rebuild_moved

SIGNIFICANT = 1e-6  # a false alarm in a million; seeds are fixed
LEAST = 5  # of an outcome, in the mean: rarer ones are put together, as the test asks for
LABELS = np.array([0, 0, 0, 1, 1, 1, 2, 2])
NOBODY = len(LABELS)


def graph_of(slices: list[list[tuple[int, int]]], *, directed: bool) -> TemporalGraph:
    return TemporalGraph.from_slices(
        {f"2024-0{t + 1}": edges for t, edges in enumerate(slices)}, nodes=range(NOBODY), directed=directed
    )


ORIGINALS = {
    "undirected": graph_of(
        [[(0, 3), (0, 4), (1, 3), (3, 4), (0, 6), (6, 7)], [(0, 3), (1, 4), (2, 6)]], directed=False
    ),
    "directed": graph_of([[(0, 3), (3, 0), (0, 4), (4, 1), (6, 0), (3, 5)], [(0, 3), (4, 1), (6, 2)]], directed=True),
}


def dealt_out(edges: np.ndarray, rng: np.random.Generator, *, directed: bool) -> np.ndarray:
    """Ties between any two groups moved by random permutations, written apart from what is tested."""
    hands = {(g, h): rng.permutation(np.flatnonzero(g == LABELS)) for g in range(3) for h in range(3)}
    place = [int(np.count_nonzero(LABELS[:i] == LABELS[i])) for i in range(NOBODY)]
    moved = [[int(hands[LABELS[u], LABELS[v]][place[u]]), int(hands[LABELS[v], LABELS[u]][place[v]])] for u, v in edges]
    return np.array(sorted(pair if directed else sorted(pair) for pair in moved), np.int32)


def dealt_out_otherwise(graph: TemporalGraph) -> TemporalGraph:
    """Another original of the same totals, whose ties between every two groups that have some lie otherwise in every slice."""
    rng = np.random.default_rng(0)
    with open_engine() as engine:
        wanted = find_totals(graph, Runner(engine))
        for _ in range(2_000):
            moved = [dealt_out(graph.edges(t), rng, directed=graph.directed) for t in range(graph.n_slices)]
            apart = all(between(moved[t]) != between(graph.edges(t)) for t in range(graph.n_slices))
            if apart and find_totals(other := graph.with_edges(moved), Runner(engine)) == wanted:
                return other
    raise AssertionError("no other original has these totals")


def between(edges: np.ndarray) -> list[list[int]]:
    """The ties between groups 0 and 1, which the mutants of the test leave alone."""
    return edges[(np.sort(LABELS[edges], axis=1) == [0, 1]).all(axis=1)].tolist()


def differ(one: list[str], other: list[str]) -> float:
    """How likely two samples of one distribution would be as different as these."""
    names, places = np.unique(one + other, return_inverse=True)
    counts = np.stack([np.bincount(p, minlength=len(names)) for p in (places[: len(one)], places[len(one) :])])
    rare = counts.sum(axis=0) < 2 * LEAST
    counts = np.column_stack([counts[:, ~rare], counts[:, rare].sum(axis=1)])
    counts = counts[:, counts.sum(axis=0) > 0]
    return float(chi2_contingency(counts).pvalue) if counts.shape[1] > 1 else 1.0


def rebuilt(graph: TemporalGraph, seed: int, t: int = 0) -> tuple[str, str]:
    """A slice after moving, and after rebuilding, before the swaps, which would hide much of what the steps before did wrong."""
    chance = Randomness(seed, b"")
    promise = Promise(np.full(NOBODY, 2), np.zeros(graph.n_slices, np.int64), None)
    moving = make_moving(graph, promise, None, against="graph", move="slice")
    assert moving is not None
    key = moving.key(chance.secret("move"), t)
    piece = MovePiece(graph.edges(t), None, LABELS, key, graph.directed, chance.stream(f"rebuild/{t}"))
    done = _move(piece, 1, lambda share: None)
    moved, made = (str(np.asarray(done.arrays[name]).tolist()) for name in ("moved", "edges"))
    return moved, made


def slices_differ(one: TemporalGraph, other: TemporalGraph, tries: int) -> float:
    """The least likely of what slices show: moved ties, rebuilt ties. Each by itself, since few outcomes of both occur twice."""
    first = zip(*(rebuilt(one, i) for i in range(tries)), strict=True)
    second = zip(*(rebuilt(other, tries + i) for i in range(tries)), strict=True)
    return min(differ(list(a), list(b)) for a, b in zip(first, second, strict=True))


@pytest.mark.compiled
@pytest.mark.parametrize("kind", list(ORIGINALS))
def test_slices_are_moved_and_rebuilt_alike(kind: str) -> None:
    one = ORIGINALS[kind]
    assert slices_differ(one, dealt_out_otherwise(one), 1_500) > SIGNIFICANT


@pytest.mark.compiled
@pytest.mark.parametrize("kind", list(ORIGINALS))
def test_releases_have_the_same_distribution(kind: str) -> None:
    one, tries = ORIGINALS[kind], 120
    other = dealt_out_otherwise(one)
    promise = Promise(np.full(NOBODY, 2), np.zeros(one.n_slices, np.int64), None)
    moving = make_moving(one, promise, None, against="graph", move="slice")
    request = Request(one, promise, Settings(effort="fast"), NOBODY, None, moving, None)

    def releases(graph: TemporalGraph, first: int) -> list[str]:
        found = []
        with open_engine(jobs=1) as engine:
            for seed in range(first, first + tries):
                chance = Randomness(seed, b"")
                made, *_ = rebuild_moved(
                    replace(request, graph=graph),
                    chance.secret("move"),
                    [LABELS],
                    chance,
                    Runner(engine),
                    lambda x: None,
                )
                found.append(str(made.edges(1).tolist()))
        return found

    assert differ(releases(one, 0), releases(other, tries)) > SIGNIFICANT


def test_a_block_that_is_not_moved_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same test, with ties between two groups left where they are: it must notice."""
    one = ORIGINALS["undirected"]
    other = dealt_out_otherwise(one)

    def one_block_stays(edges: np.ndarray, labels: np.ndarray, key: np.ndarray, *, directed: bool):
        stays = (np.sort(labels[edges], axis=1) == [0, 1]).all(axis=1)
        made = np.concatenate([edges[stays], move_slice(edges[~stays], labels, key, directed=directed)[0]])
        return made[np.lexsort((made[:, 1], made[:, 0]))], None

    monkeypatch.setattr(steps, "move_slice", one_block_stays)
    assert slices_differ(one, other, 300) < SIGNIFICANT
