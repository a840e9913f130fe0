from __future__ import annotations

import json
from collections import Counter
from itertools import combinations

import networkx as nx
import numpy as np
import polars as pl
import pytest
from hypothesis import given

import shoal
from shoal import InputError, TemporalGraph
from shoal.audit import (
    AnySlices,
    Approximate,
    Contacts,
    Neighbourhood,
    OneBlock,
    Vector,
    Window,
    attackers,
    audit,
    reidentify,
    usual_attackers,
)
from tests.strategies import graphs
from tests.uncompiled import examples


def crowds(attacker, graph):
    return attacker.crowds(graph, np.random.default_rng(0)).sizes


def naive_crowds(knowledge):
    counts = Counter(knowledge)
    return [counts[x] for x in knowledge]


@given(graphs())
def test_the_vector_and_its_parts_are_counted_as_a_counter_counts_them(graph):
    rows = graph.degree_matrix().tolist()
    assert crowds(Vector(), graph)[0].tolist() == naive_crowds([tuple(r) for r in rows])
    for w in range(1, graph.n_slices):
        every = [naive_crowds([tuple(r[t] for t in c) for r in rows]) for c in combinations(range(graph.n_slices), w)]
        assert crowds(AnySlices(w), graph).tolist() == every
        windows = [naive_crowds([tuple(r[t : t + w]) for r in rows]) for t in range(graph.n_slices - w + 1)]
        assert crowds(Window(w), graph).tolist() == windows


@given(graphs())
def test_whoever_knows_a_block_is_judged_by_the_one_that_tells_most(graph):
    rows = graph.degree_matrix()
    blocks = tuple(t // 2 for t in range(graph.n_slices))
    every = [naive_crowds([tuple(r[np.array(blocks) == b]) for r in rows]) for b in set(blocks)]
    assert crowds(OneBlock(blocks), graph)[0].tolist() == np.min(every, axis=0).tolist()


@given(graphs())
def test_rough_knowledge_fits_everybody_within_the_margin(graph):
    rows = graph.degree_matrix()
    for attacker, margin in ((Approximate(within=1), lambda r: 1 + 0 * r), (Approximate(percent=50), lambda r: r / 2)):
        expected = [int((np.abs(rows - r) <= margin(r)).all(axis=1).sum()) for r in rows]
        assert crowds(attacker, graph)[0].tolist() == expected
    assert crowds(Approximate(within=0), graph)[0].tolist() == crowds(Vector(), graph)[0].tolist()


@given(graphs())
def test_distinct_contacts_and_neighbourhoods(graph):
    slices = graph.to_networkx()
    ever = nx.compose_all(slices.values())
    assert crowds(Contacts(), graph)[0].tolist() == naive_crowds([ever.degree[v] for v in graph.nodes])
    colour = {v: tuple(r) for v, r in zip(graph.nodes, graph.degree_matrix().tolist(), strict=True)}
    for steps in (1, 2):
        colour = {
            v: (colour[v], tuple(tuple(sorted(map(repr, (colour[u] for u in g[v])))) for g in slices.values()))
            for v in graph.nodes
        }
        assert crowds(Neighbourhood(steps), graph)[0].tolist() == naive_crowds([colour[v] for v in graph.nodes])


@given(graphs())
def test_who_knows_less_never_finds_more(graph):
    found = audit(graph, k=2)
    vector = found["vector"]
    for exposure in found.attackers:
        if exposure.covered:
            assert exposure.expected_success <= vector.expected_success + 1e-12
        elif exposure.name.startswith("neighbours"):
            assert exposure.expected_success >= vector.expected_success - 1e-12
    assert json.loads(json.dumps(found.to_dict()))["attackers"][0]["name"] == "vector"


@pytest.mark.parametrize(("k", "below"), [(1, 0), (2, 1), (3, 3), (4, 3)])
def test_a_crowd_of_k_is_not_below_k(k, below):
    star = TemporalGraph.from_slices({"mon": [(0, 1), (0, 2)]})
    assert shoal.audit(star, k=k)["vector"].below_k == below


@examples(30)
@given(graphs())
def test_no_vector_attacker_beats_one_in_k_on_a_release(graph):
    for k in range(1, graph.n_nodes + 1):
        release = shoal.anonymize(graph, k, seed=0, effort="fast")
        for exposure in audit(release.graph, k=k, original=graph).attackers:
            if exposure.covered:
                assert exposure.below_k == 0
                assert exposure.smallest_crowd >= k
                assert exposure.expected_success <= 1 / k + 1e-12


@given(graphs())
def test_reidentification_agrees_with_trying_everybody(graph):
    release = shoal.anonymize(graph, min(2, graph.n_nodes), seed=1, effort="fast").graph
    known, rows = graph.degree_matrix(), release.degree_matrix()
    success = []
    for i, row in enumerate(known):
        distance = np.abs(rows - row).sum(axis=1)
        nearest = np.flatnonzero(distance == distance.min())
        success.append(1 / len(nearest) if i in nearest else 0.0)
    assert reidentify(graph, release).expected_success == pytest.approx(np.mean(success))


def test_the_slice_by_slice_trap_of_the_paper_is_reported():
    """Figure 2: each slice is 2-anonymous, and everybody is exposed."""
    graph = TemporalGraph.from_slices(
        {"1": [("a", "b"), ("a", "c"), ("b", "d")], "2": [("a", "c"), ("a", "b"), ("c", "d")]}
    )
    found = audit(graph, k=2)
    assert found["any-1-slices"].unique == 0
    assert found["vector"].unique == 4
    assert "4 of 4" in repr(found)


def test_attribution_counts_the_people_alone_without_each_part():
    frame = {"source": [1, 1, 2, 3, 1], "target": [2, 3, 3, 4, 4], "layer": list("aabbb"), "time": [0, 1, 0, 1, 1]}
    graph = TemporalGraph.from_edges(frame, time="time", layer="layer", slice="value")
    rows = graph.degree_matrix()
    found = {(r["kind"], r["without"]): r["unique"] for r in audit(graph).attribution}
    for t, part in enumerate(graph.slices):
        rest = np.delete(rows, t, axis=1)
        assert found["slice", part.label] == sum(c == 1 for c in Counter(map(tuple, rest.tolist())).values())
    assert found["layer", "a"] == sum(c == 1 for c in Counter(map(tuple, rows[:, 2:].tolist())).values())


def test_samples_come_with_a_band_that_holds_the_truth(monkeypatch):
    graph = shoal.datasets.messenger(400, 8, seed=2)
    exact = audit(graph, attackers=[Approximate(within=1), AnySlices(4)])
    monkeypatch.setattr(attackers, "PAIRS", 60_000)
    monkeypatch.setattr(attackers, "DRAWS", 20)
    sampled = audit(graph, attackers=[Approximate(within=1), AnySlices(4)])
    for one, other in zip(exact.attackers, sampled.attackers, strict=True):
        assert other.sampled
        assert other.band > 0
        assert abs(one.unique - other.unique) <= 2.5 * max(other.band, one.band)


def test_irvine_weeks(real_data):
    """The count of unique vectors against three lines of polars, and a release at k = 5."""
    file = real_data("uci-collegemsg/edges.csv.gz")
    graph = shoal.read(file, slice="1w")
    ends = pl.concat([graph.to_polars().select("slice", node=c) for c in ("source", "target")])
    vectors = ends.group_by("node", "slice").len().sort("slice").group_by("node").agg(pl.struct("slice", "len"))
    assert audit(graph)["vector"].unique == vectors.filter(pl.col("slice").is_unique()).height
    release = shoal.anonymize(graph, 5, seed=0, effort="fast")
    for exposure in audit(release.graph, k=5, original=graph).attackers:
        assert not exposure.covered or exposure.expected_success <= 0.2


def test_directed_graphs_and_people_alone():
    directed = TemporalGraph.from_slices({"a": [(1, 2), (3, 2)], "b": [(2, 1)]}, directed=True)
    assert audit(directed)["vector"].unique == 3
    assert {a.name for a in usual_attackers(directed)} >= {"vector", "contacts", "neighbours-2"}
    with pytest.raises(InputError, match="nobody"):
        audit(TemporalGraph.from_slices({"a": []}))
    with pytest.raises(InputError, match="same people"):
        reidentify(directed, TemporalGraph.from_slices({"a": [(1, 5)]}))
    with pytest.raises(KeyError):
        audit(directed)["nobody"]
