"""Ties, steps, reach and outbreaks against their naive twins, and against networkx where it has them."""

from __future__ import annotations

import sys
from collections import Counter
from itertools import pairwise
from unittest import mock

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import TemporalGraph
from shoal.measure import _spread_kernels as kernels
from shoal.measure import compare, over_time, spread
from shoal.measure.communities import NONE, mixing
from shoal.measure.temporal import closing_triangles, groups_in, lasting, meets_again
from shoal.measure.ties import overlap, ties
from tests.measure import naive

ALL = np.uint64(2**64 - 1)


def mix(key: np.uint64) -> np.uint64:
    return np.uint64(kernels.mix(key))  # compiled it gives an int


def array(edges: list[tuple[int, int]]) -> np.ndarray:
    return np.array(edges, np.int32).reshape(-1, 2)


@given(naive.pairs(max_slices=6), st.sampled_from([1, 4, 500_000]))
def test_meetings_gaps_and_burstiness(pair, together):
    graph = pair[0]
    with mock.patch.object(sys.modules["shoal.measure.ties"], "TOGETHER", together):
        found, counts = ties(graph), naive.meetings(graph)
    assert found.meetings.tolist()[1:] == [
        sum(n == times for n in counts.values()) for times in range(1, len(found.meetings))
    ]
    if not graph.ordered:
        assert found.gaps.sum() == 0
        assert found.burstiness_ties is found.burstiness_people is None
        return
    times = naive.pair_times(graph)
    steps = Counter(gap for one in times for gap in naive.gaps(one))
    assert {gap: n for gap, n in enumerate(found.gaps.tolist()) if n} == steps
    assert found.burstiness_ties == pytest.approx(naive.burstiness(times))
    assert found.burstiness_people == pytest.approx(naive.burstiness(naive.person_times(graph)))


def test_gaps_stay_within_a_layer():
    rows = {"u": [1] * 4, "v": [2] * 4, "t": [0, 2, 1, 2], "l": ["calls", "calls", "mail", "mail"]}
    graph = TemporalGraph.from_edges(rows, "u", "v", time="t", layer="l", slice="value")
    found = ties(graph)
    assert found.meetings.tolist() == [0, 0, 0, 0, 1]
    assert found.gaps.tolist() == [0, 1, 1]


@given(st.lists(st.integers(0, 4), max_size=9), st.lists(st.integers(0, 4), max_size=9))
def test_overlap_is_one_minus_total_variation(one, other):
    found = overlap(np.bincount(one, minlength=1), np.bincount(other, minlength=1))
    if not one or not other:
        assert found is None
        return
    p, q = Counter(one), Counter(other)
    assert found == pytest.approx(1 - sum(abs(p[i] / len(one) - q[i] / len(other)) for i in range(5)) / 2)


@given(naive.pairs(max_slices=4))
def test_steps_from_slice_to_slice(pair):
    slices, n_nodes = naive.slices_of(pair[0]), pair[0].n_nodes
    order = np.random.default_rng(n_nodes).permutation(n_nodes)
    for before, after in pairwise(slices):
        repeated = len(set(before) & set(after))
        assert meets_again(array(before), array(after)) == (repeated / len(before) if before else None)
        assert closing_triangles(array(before), array(after), n_nodes) == naive.closing_triangles(before, after)
        labels = [groups_in(array(edges), order) for edges in (before, after)]
        for edges, found in zip((before, after), labels, strict=True):
            assert found.tolist() == naive.label_propagation(edges, order.tolist(), n_nodes, 20)
        groups = [[set(np.flatnonzero(one == label).tolist()) for label in set(one.tolist())] for one in labels]
        assert lasting(*labels) == pytest.approx(naive.lasting(*groups))


@given(naive.pairs(max_slices=3))
def test_triangles_in_a_slice_and_closing_in_the_next_by_networkx(pair):
    graph = pair[0]
    found = compare(graph, graph, communities=False, jobs=1).slices
    plain = [nx.Graph(edges) for edges in naive.slices_of(graph)]
    assert found["triangles_original"].to_list() == [sum(nx.triangles(one).values()) // 3 for one in plain]
    for t, (before, after) in enumerate(pairwise(plain), start=1):
        before.add_nodes_from(after)
        closed = sum(len(list(nx.common_neighbors(before, *e))) for e in after.edges if not before.has_edge(*e))
        assert found["closing_triangles_original"][t] == (closed if graph.ordered else None)


def test_groups_of_cliques_are_those_of_networkx_and_last():
    cliques = nx.disjoint_union_all([nx.complete_graph(n) for n in (4, 6, 9, 3)])
    cliques.add_edges_from([(0, 5), (11, 20)])
    labels = groups_in(array(list(cliques.edges)), np.random.default_rng(3).permutation(25))
    found = {frozenset(np.flatnonzero(labels == label).tolist()) for label in set(labels.tolist())}
    theirs = {frozenset(group) for group in nx.community.label_propagation_communities(cliques)}
    assert theirs <= found
    assert found - theirs == {frozenset({v}) for v in (22, 23, 24)}  # people without edges are groups of one
    assert lasting(labels, labels) == 1.0


def walkable(graph: TemporalGraph) -> nx.DiGraph:
    """A node for every person and moment, and a way from each to the next moment: to stay, or along an edge."""
    ways = nx.DiGraph()
    for t in range(graph.n_slices):
        ways.add_edges_from(((v, t), (v, t + 1)) for v in range(graph.n_nodes))
        for u, v in graph.edges(t).tolist():
            ways.add_edge((u, t), (v, t + 1))
            if not graph.directed:
                ways.add_edge((v, t), (u, t + 1))
    return ways


@given(naive.pairs(max_slices=5))
def test_reach_is_that_of_networkx_in_the_graph_unrolled_in_time(pair):
    graph = pair[0]
    found = compare(graph, graph, communities=False, jobs=1)
    if not graph.ordered or graph.n_slices < 2 or not graph.n_edges:
        assert found.overall["reach"] == {"original": None, "released": None, "agreement": None}
        assert len(found.spread) == 0
        return
    ways, arrivals = walkable(graph), []
    for source in range(graph.n_nodes):
        first: dict[int, int] = {}
        for v, t in sorted(nx.descendants(ways, (source, 0)), key=lambda node: node[1]):
            first.setdefault(v, t)
        arrivals += [t for v, t in first.items() if v != source]
    n_nodes = graph.n_nodes
    assert found.overall["reach"]["original"] == pytest.approx((n_nodes + len(arrivals)) / n_nodes)
    delay = found.overall["reach_delay"]["original"]
    assert delay == (pytest.approx(sum(arrivals) / len(arrivals)) if arrivals else None)
    expected = [1 + sum(a <= t for a in arrivals) / n_nodes for t in range(1, graph.n_slices + 1)]
    assert found.spread["reach_original"].to_list() == pytest.approx(expected)


@given(naive.pairs(max_slices=4), st.sampled_from(list(spread.KINDS)), st.integers(0, 3))
def test_an_outbreak_is_its_twin_with_the_same_draws(pair, kind, seed):
    graph = pair[0]
    bins = spread.bins_of(graph)
    if bins is None:
        return
    full = spread.runs_of(kind, graph.n_nodes, seed)
    runs = spread.Runs(full.sources[:1], full.keys[:1])
    runs.sources[0, 5:] = -1
    found = spread.spread(bins, kind, runs, graph.n_nodes, directed=graph.directed)
    passing, recovering = (round(kernels.ALWAYS * chance) for chance in spread.KINDS[kind])

    def bit(run: int, key: np.uint64, chance: int) -> bool:
        return bool(int(kernels.happens(ALL, key, chance)) >> run & 1)

    total = np.zeros(len(bins.starts), np.int64)
    for run in range(min(5, graph.n_nodes if kind == "reach" else 5)):

        def now(t: int) -> np.uint64:
            return mix(runs.keys[0] ^ np.uint64(t))

        def passes(t: int, u: int, v: int, run: int = run) -> bool:
            ends = (u, v) if graph.directed else (min(u, v), max(u, v))
            return bit(run, mix(now(t) ^ np.uint64(ends[0] << 32 | ends[1])), passing)

        def recovers(t: int, v: int, run: int = run) -> bool:
            return bit(run, mix(mix(now(t)) ^ np.uint64(v)), recovering)

        slices = [[tuple(e) for e in edges.tolist()] for _, edges in graph]
        total += naive.outbreak(slices, int(runs.sources[0, run]), graph.directed, passes, recovers)
    assert found.tolist() == total.tolist()


@pytest.mark.parametrize("chance", [0.0, 0.2, 0.5, 0.9, 1.0])
def test_things_happen_as_often_as_they_should(chance):
    keys = np.arange(400, dtype=np.uint64)
    at = round(kernels.ALWAYS * chance)
    words = [int(kernels.happens(ALL, mix(key), at)) for key in keys]
    share = sum(word.bit_count() for word in words) / (64 * len(words))
    assert share == pytest.approx(chance, abs=0.015)  # five standard deviations of 25,600 draws
    some = np.uint64(0x00FF00FF12345678)  # a draw does not depend on whose else is asked for
    assert [int(kernels.happens(some, mix(key), at)) for key in keys] == [word & int(some) for word in words]


@given(naive.pairs(max_slices=4), st.integers(0, 5))
def test_more_contagion_or_more_edges_reach_no_fewer(pair, seed):
    graph = pair[0]
    fewer = graph.with_edges([graph.edges(t)[::2].copy() for t in range(graph.n_slices)])
    found = compare(graph, fewer, communities=False, jobs=1, seed=seed)
    kinds = ("outbreak_sir_20", "outbreak_si_20", "outbreak_si_50")
    for whose in ("original", "released"):
        sizes = [found.overall[kind][whose] for kind in kinds]
        assert None in sizes or sizes == sorted(sizes)
    for kind in (
        "reach",
        "outbreak_si_20",
        "outbreak_si_50",
    ):  # the same draws in both graphs, so that this holds in every run
        one, other = found.spread[f"{kind}_original"], found.spread[f"{kind}_released"]
        assert other.null_count() == len(other) or (one >= other).all()


def test_two_people_and_one_contact():
    graph = TemporalGraph.from_slices({"mon": [(0, 1)], "tue": []})
    found = compare(graph, graph, communities=False).overall
    assert found["reach"]["original"] == 2
    assert found["reach_delay"]["original"] == 1
    assert found["outbreak_si_20"]["original"] == pytest.approx(1.2, abs=0.03)
    assert found["outbreak_sir_50"]["original"] == pytest.approx(1.5, abs=0.03)
    again = graph.with_edges([graph.edges(0), graph.edges(0)])
    recovering = compare(again, again, communities=False).overall["outbreak_sir_50"]["original"]
    assert recovering == pytest.approx(1 + 0.5 + 0.5 * 0.8 * 0.5, abs=0.04)


def test_one_step_in_a_slice_along_directions_and_through_all_layers_of_a_time():
    path = {"mon": [(0, 1), (1, 2)], "tue": [(1, 2)]}
    assert compare(*[TemporalGraph.from_slices(path)] * 2).overall["reach"]["original"] == pytest.approx(
        (3 + 3 + 2) / 3
    )
    directed = TemporalGraph.from_slices(path, directed=True)
    assert compare(directed, directed).overall["reach"]["original"] == pytest.approx((3 + 2 + 1) / 3)
    rows = {"u": [0, 1], "v": [1, 2], "t": [0, 1], "l": ["calls", "mail"]}
    layers = TemporalGraph.from_edges(rows, "u", "v", time="t", layer="l", slice="value")
    found = compare(layers, layers, communities=False)
    assert found.overall["reach"]["original"] == pytest.approx((3 + 3 + 2) / 3)
    assert found.spread["slice"].to_list() == ["0", "1"]
    assert found.overall["meets_again"]["original"] == 0.0  # nobody meets twice in one layer


def test_large_graphs_are_sampled_and_say_so(monkeypatch):
    graph = shoal.datasets.messenger(300, 5, seed=2)
    exact = compare(graph, graph, communities=False)
    assert exact.sampled is None
    for module in (spread, over_time):
        monkeypatch.setattr(module, "MOST", 100)
        monkeypatch.setattr(module, "FEWER", 128)
    found = compare(graph, graph, communities=False)
    assert "from 128 people drawn at random" in found.sampled
    assert found.sampled in repr(found)
    assert found.sampled in found._repr_html_()
    assert found.to_dict()["sampled"] == found.sampled
    assert found.overall["reach"]["original"] != exact.overall["reach"]["original"]
    assert found.overall["reach"]["original"] == pytest.approx(exact.overall["reach"]["original"], rel=0.2)
    unordered = TemporalGraph.from_slices({"a": [(i, i + 1) for i in range(150)], "b": []}, ordered=False)
    assert compare(unordered, unordered, communities=False).sampled is None


def test_communities_of_large_graphs_are_compared_among_some(monkeypatch):
    """A part of the people says about what all of them say, and the same for the same seed."""
    rng, halves = np.random.default_rng(0), np.arange(400) // 100
    pairs = [(u, v) for u in range(400) for v in range(u) if rng.random() < (0.2 if halves[u] == halves[v] else 0.01)]
    one, other = (TemporalGraph.from_slices({"a": pairs, "b": pairs[::i]}) for i in (1, 3))
    exact = compare(one, other)
    for module in (spread, over_time, sys.modules["shoal.measure.compare"]):
        monkeypatch.setattr(module, "MOST", 200)
    found = compare(one, other)
    assert "the agreement of communities is measured among 200 people drawn at random" in found.sampled
    assert found.overall["communities"]["original"] == exact.overall["communities"]["original"]
    assert found.overall["communities"]["agreement"] == pytest.approx(
        exact.overall["communities"]["agreement"], abs=0.15
    )
    assert found.overall["communities"] == compare(one, other).overall["communities"]


@given(naive.pairs())
def test_mixing_counts_edges_between_communities(pair):
    labels = np.array([NONE, 4, 7, 4, NONE, 7, 7, 4, 0])[: pair[0].n_nodes]
    inside, counts = mixing(pair, labels)
    for graph, share, found in zip(pair, inside, counts, strict=True):
        ends = [(labels[u], labels[v]) for u, v in graph._edges.tolist()]
        within = sum(a == b != NONE for a, b in ends)
        assert share == (pytest.approx(within / len(ends)) if ends else None)
        blocks = Counter(ends if graph.directed else (tuple(sorted(pair)) for pair in ends))
        assert sorted(n for n in found.tolist() if n) == sorted(blocks.values())


def test_mixing_is_networkx_mixing_matrix():
    graph = nx.gnp_random_graph(30, 0.3, 4, directed=True)
    labels = np.arange(30) % 3
    nx.set_node_attributes(graph, dict(enumerate(labels.tolist())), "group")
    theirs = nx.attribute_mixing_matrix(graph, "group", mapping={0: 0, 1: 1, 2: 2}, normalized=False)
    inside, (counts,) = mixing([TemporalGraph.from_slices({"a": graph}, directed=True)], labels)
    assert counts.reshape(3, 3).tolist() == theirs.tolist()
    assert inside == [pytest.approx(np.trace(theirs) / theirs.sum())]


REAL = {
    "uci-collegemsg/edges.csv.gz": ("1w", 13_838, 1_110.5, 224.5, 677.7),
    "copenhagen/edges.csv.gz": ("1d", 880, 103.7, 5.04, 25.05),
}


@pytest.mark.parametrize("file", REAL)
def test_real_data_have_the_numbers_of_independent_simulations(real_data, file):
    """Pairs and reach by numpy; outbreaks are means over 40 seeds, which two seeds here agree with."""
    width, pairs, reach, small, large = REAL[file]
    graph = shoal.read(real_data(file), source="source", target="target", time="time", slice=width)
    for seed in (0, 1):
        found = compare(graph, graph, communities=False, seed=seed).overall
        assert found["pairs"]["original"] == pairs
        assert found["reach"]["original"] == pytest.approx(reach, abs=0.06)
        assert found["outbreak_si_20"]["original"] == pytest.approx(small, rel=0.06)
        assert found["outbreak_si_50"]["original"] == pytest.approx(large, rel=0.06)
