"""The measures networkx does not have against naive oracles, and what happens at the edges of their definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import TemporalGraph
from shoal.measure import _kernels, compare
from shoal.measure.communities import NONE, agreement, louvain, n_communities
from shoal.measure.degrees import assortativity, degree_distance, hub_overlap, n_hubs
from shoal.measure.pagerank import cosine, pagerank
from shoal.measure.structure import structure
from shoal.measure.temporal import adjacency_correlation, predecessor
from tests.measure import naive

NOTHING = np.empty((0, 2), np.int32)
degree_pairs = st.integers(1, 40).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 5), min_size=n, max_size=n)] * 2)
)


def same(mine: float | None, theirs: float | None) -> bool:
    return mine is theirs is None or mine == pytest.approx(theirs, abs=1e-12)


@given(degree_pairs)
def test_degree_distance(degrees):
    one, other = degrees
    found = degree_distance(np.array(one), np.array(other))
    assert found == pytest.approx(float(naive.total_variation(one, other)))
    steps = [abs(sum(x <= d for x in one) - sum(x <= d for x in other)) / len(one) for d in range(6)]
    assert max(steps) <= found + 1e-12 <= 1 + 1e-9  # never below Kolmogorov-Smirnov


@given(degree_pairs)
def test_hub_overlap(degrees):
    one, other = degrees
    found = hub_overlap(np.array(one), np.array(other))
    assert same(found, naive.hub_overlap(one, other, n_hubs(len(one))))
    assert found == hub_overlap(np.array(other), np.array(one))
    assert hub_overlap(np.array(one), np.array(one)) in (1.0, None)


def test_hubs_share_tied_places_instead_of_drawing_lots():
    assert hub_overlap(np.array([4, 4, 4, 4, 0]), np.array([4, 4, 0, 0, 0])) == 0.5


@given(naive.pairs())
def test_assortativity_is_exact_and_undefined_only_where_it_must_be(pair):
    graph = pair[0]
    for _, array in graph:
        edges = [tuple(e) for e in array.tolist()]
        if graph.directed:
            out, into = ([sum(e[side] == v for e in edges) for v in range(graph.n_nodes)] for side in (0, 1))
            ends = [(out[u], into[v]) for u, v in edges]
        else:
            degree = [len(naive.neighbours(edges, v)) for v in range(graph.n_nodes)]
            ends = [(degree[a], degree[b]) for u, v in edges for a, b in ((u, v), (v, u))]
        assert same(assortativity(array, graph.n_nodes, directed=graph.directed), naive.assortativity(ends))


def test_assortativity_of_a_huge_star_does_not_overflow():
    n = 3_000_000  # the sum of cubed degrees is beyond 64 bits
    star = np.column_stack([np.zeros(n - 1, np.int32), np.arange(1, n, dtype=np.int32)])
    assert assortativity(star, n) == -1.0


@given(naive.pairs())
def test_adjacency_correlation(pair):
    before, after = pair[0].edges(0), pair[1].edges(0)
    if pair[0].directed:
        before, after = (e[e[:, 0] < e[:, 1]] for e in (before, after))
    found = adjacency_correlation(before, after, pair[0].n_nodes)
    lists = ([tuple(e) for e in edges.tolist()] for edges in (before, after))
    assert same(found, naive.adjacency_correlation(*lists, pair[0].n_nodes))
    assert found is None or 0 <= found <= 1 + 1e-12


def test_slices_follow_each_other_only_in_time_and_within_their_layer():
    frame = {"a": [1, 1, 1, 1], "b": [2, 3, 2, 3], "t": [0, 1, 0, 1], "kind": ["call", "call", "text", "text"]}
    timed = TemporalGraph.from_edges(frame, "a", "b", time="t", layer="kind", slice="value")
    assert [predecessor(timed, t) for t in range(4)] == [None, 0, None, 2]
    layers = TemporalGraph.from_edges(frame, "a", "b", layer="kind")
    assert [predecessor(layers, t) for t in range(2)] == [None, None]
    assert compare(layers, layers, communities=False).overall["temporal_correlation"]["original"] is None


def test_no_hub_has_many_heads():
    star = np.column_stack([np.zeros(999, np.int32), np.arange(1, 1000, dtype=np.int32)])
    clique = np.array([(u, v) for u in range(500, 520) for v in range(u + 1, 520)], np.int32)
    edges = np.unique(np.concatenate([star, clique]), axis=0)
    starts, heads = _kernels.orient_by_degree(edges, np.bincount(edges.ravel()))
    assert np.diff(starts)[0] == 0
    assert np.diff(starts).max() <= np.sqrt(2 * len(edges))
    assert len(heads) == len(edges)
    assert _kernels.triangles(starts, heads).sum() == 3 * (20 * 19 * 18 // 6 + 20 * 19 // 2)


def test_a_slice_without_people():
    assert pagerank(NOTHING, 0).tolist() == []
    assert cosine(np.empty(0), np.empty(0)) is None
    assert structure(NOTHING, np.empty(0, np.int64)) == (None, None, 0, None, 0)
    assert degree_distance(np.empty(0, np.int64), np.empty(0, np.int64)) is None
    assert hub_overlap(np.empty(0, np.int64), np.empty(0, np.int64)) is None


def test_a_slice_without_edges():
    assert pagerank(NOTHING, 4).tolist() == [0.25] * 4
    assert structure(NOTHING, np.zeros(4, np.int64)) == (0.0, 0.0, 4, 0.25, 0)
    assert assortativity(NOTHING, 4) is None
    assert hub_overlap(np.zeros(4, np.int64), np.zeros(4, np.int64)) is None
    assert hub_overlap(np.zeros(4, np.int64), np.array([1, 1, 0, 0])) == 0.0


def cliques(n_cliques: int, size: int, n_nodes: int) -> TemporalGraph:
    pairs = [(c * size + u, c * size + v) for c in range(n_cliques) for u in range(size) for v in range(u)]
    return TemporalGraph.from_slices({"a": pairs, "b": pairs[:1]}, nodes=range(n_nodes))


def test_communities_are_found_and_agree_with_themselves():
    graph = cliques(5, 4, 25)
    labels = louvain(graph, seed=3)
    assert n_communities(labels) == 5
    assert (labels[20:] == NONE).all()
    assert all(len(set(labels[c * 4 : c * 4 + 4].tolist())) == 1 for c in range(5))
    assert agreement(labels, louvain(graph, seed=4), np.ones(25, np.bool_)) == 1.0


def test_communities_of_one_graph_only_agree_on_nothing():
    everybody = np.ones(6, np.bool_)
    none, one = np.full(6, NONE), np.zeros(6, np.int64)
    assert agreement(none, none, everybody) is None
    assert agreement(none, one, everybody) == agreement(one, none, everybody) == 0.0
    assert agreement(one, one, everybody) == 1.0
    assert n_communities(louvain(cliques(0, 1, 4).with_edges([NOTHING, NOTHING]), 0)) == 0
