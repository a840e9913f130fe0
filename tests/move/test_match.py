"""What is given back over time: totals are those of the graph, counted anew, and a release comes near to them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import shoal
from shoal.engine import open_engine
from shoal.engine.work import Runner
from shoal.graph import TemporalGraph
from shoal.move import match
from shoal.move.match import FEW, Totals, find_totals
from shoal.move.steps import DENSEST, how_busy
from shoal.rebuild._retie_kernels import HALF, bucket
from shoal.rebuild.retie import buckets


def totals_of(graph: TemporalGraph) -> Totals:
    with open_engine(jobs=1) as engine:
        return find_totals(graph, Runner(engine))


def naive(graph: TemporalGraph) -> tuple[int, list[float | None]]:
    """Pairs that ever meet, and what people keep of their company, person by person."""
    slices = [graph.edges(t).tolist() for t in range(graph.n_slices)]
    kept: list[float | None] = [None]
    for before, now in pairwise(slices):
        then = {frozenset(edge) for edge in before}
        counts = [[sum(i in edge for edge in edges) for i in range(graph.n_nodes)] for edges in (before, now)]
        again = [edge for edge in now if frozenset(edge) in then]
        active = sum(a + b > 0 for a, b in zip(*counts, strict=True))
        sums = sum(1 / np.sqrt(counts[0][i] * counts[1][i]) for edge in again for i in edge)
        kept.append(round(sums / active, 2) if active >= FEW else None)
    return len({frozenset(edge) for edges in slices for edge in edges}), kept


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("block", [1, 10**6])
def test_totals_are_those_of_the_graph(directed: bool, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match, "BLOCK", block)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        rows = [
            (int(u), int(v), f"2024-01-0{t + 1}") for t in range(3) for u, v in rng.integers(0, 14, (20, 2)) if u != v
        ]
        graph = TemporalGraph.from_events(rows, directed=directed)
        pairs, kept = naive(graph)
        found = totals_of(graph)
        assert found.pairs == pairs
        assert list(found.correlation) == pytest.approx(kept, abs=0.0101)


def test_a_release_has_the_totals_of_its_original() -> None:
    graph = shoal.datasets.messenger(600, 8, seed=2)
    wanted, made = totals_of(graph), shoal.anonymize(graph, 4, seed=1, against="graph").graph
    found = totals_of(made)
    assert found.pairs == pytest.approx(wanted.pairs, rel=0.15)
    assert list(found.correlation[1:]) == pytest.approx(list(wanted.correlation[1:]), abs=0.05)


def test_pairs_meet_about_equally_often() -> None:
    """A tie that is known to last has no likeness in the release that stands out by lasting as long."""
    graph = shoal.datasets.messenger(600, 20, seed=2)
    made = shoal.anonymize(graph, 4, seed=1, against="graph").graph
    times = [np.unique(np.sort(of._edges, axis=1), axis=0, return_counts=True)[1] for of in (graph, made)]
    assert (times[1] > 2 * times[1].mean()).mean() < 0.1 * (times[0] > 2 * times[0].mean()).mean()


@pytest.mark.parametrize("directed", [False, True])
def test_dense_communities_are_thinned(directed: bool) -> None:
    """A guess that two of one community met in a slice is hardly ever right more often than is said, and edges stay as many."""
    rng, own = np.random.default_rng(0), np.arange(120) // 20
    inside = [(u, v) for u in range(120) for v in range(120) if own[u] == own[v] and (u < v or (directed and u > v))]
    slices = {f"2024-01-0{t}": [pair for pair in inside if rng.random() < 0.4] for t in (1, 2, 3)}
    graph = TemporalGraph.from_slices(slices, nodes=range(120), directed=directed)
    made = shoal.anonymize(graph, 4, seed=1, against="graph", effort="fast").graph
    for t in range(3):
        ends = own[made.edges(t)]
        assert (ends[:, 0] == ends[:, 1]).sum() < 1.2 * DENSEST * len(inside)
    assert made.n_edges == pytest.approx(graph.n_edges, rel=0.05)


def test_buckets_are_those_of_retying() -> None:
    numbers = np.concatenate([np.arange(1_000), 2 ** np.arange(10, 40), 3 * 2 ** np.arange(10, 38) - 1])
    assert buckets(numbers).tolist() == [bucket(int(x)) for x in numbers]


def test_people_with_few_contacts_do_not_only_meet_one_another() -> None:
    """A few busy people whom all others meet: their contacts in the release are mostly with these, as they were."""
    rng = np.random.default_rng(1)
    slices = {}
    for t in range(12):
        some = rng.choice(np.arange(20, 300), 90, replace=False)
        slices[f"2024-01-{t + 1:02}"] = [(int(rng.integers(20)), int(u)) for u in some]
    graph = TemporalGraph.from_slices(slices, nodes=range(300))
    made = shoal.anonymize(graph, 4, seed=1, against="graph").graph
    active = made.degree_matrix().sum(axis=1)
    busy = active > np.sort(active)[-30]
    with_busy = busy[made._edges].any(axis=1).mean()
    assert with_busy > 0.9


def test_how_busy_two_are_is_counted_inside_and_between_communities() -> None:
    rng = np.random.default_rng(0)
    active, kinds = rng.integers(0, 500, (40, 2)), rng.integers(0, 3, (40, 2))
    found = how_busy(active, kinds)
    for b in range(HALF):
        same = kinds[:, 0] == kinds[:, 1]
        more = np.array([min(bucket(int(max(pair))), HALF - 1) for pair in active])
        assert found[1, b] == (~same & (more == b)).sum()
        assert found[1, HALF + b] == (same & (more == b)).sum()
        assert found[0, b] == sum(bucket(int(min(pair))) == b for pair in active)
