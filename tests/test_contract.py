"""What every method promises for every graph: the one contract over all of them."""

from __future__ import annotations

import hashlib

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import InputError, TemporalGraph
from shoal.anonymize import METHODS
from tests import naive
from tests.strategies import by, graphs
from tests.uncompiled import examples


def check(release, k):
    graph = release.graph
    labels = [s.label for s in graph.slices]
    degrees = naive.degree_matrix(graph.to_polars(), graph.nodes.to_list(), labels)
    assert naive.smallest_crowd(degrees) >= k
    assert release.min_class_size == naive.smallest_crowd(degrees)
    assert np.array_equal(degrees, release.degrees)
    for g in np.unique(release.labels):
        assert (release.degrees[release.labels == g] == release.degrees[release.labels == g][0]).all()
    for t, sliced in enumerate(graph.to_networkx().values()):
        assert nx.number_of_selfloops(sliced) == 0
        assert sliced.number_of_edges() == len(graph.edges(t))
        assert [d for _, d in sorted(sliced.degree())] == release.degrees[:, t].tolist()
    assert graph.nodes.equals(release.original.nodes)
    assert graph.slices == release.original.slices
    old, new = (set(g.to_polars().iter_rows()) for g in (release.original, graph))
    assert (release.edges.added, release.edges.removed) == (len(new - old), len(old - new))
    assert release.edges.kept == len(old & new)


@examples(120)
@given(graphs(), st.data(), st.sampled_from(METHODS))
def test_every_release_keeps_the_contract(graph, data, method):
    k = data.draw(st.integers(1, graph.n_nodes))
    check(shoal.anonymize(graph, k, **by(method, 2), seed=0), k)


@examples(15)
@given(graphs(), st.data(), st.sampled_from(METHODS))
def test_same_seed_same_bytes(tmp_path_factory, graph, data, method):
    k = data.draw(st.integers(1, graph.n_nodes))
    tmp_path = tmp_path_factory.mktemp("bytes")
    for name, jobs in (("a", 1), ("b", 2)):
        shoal.anonymize(graph, k, **by(method, 2), seed=3, jobs=jobs).save(tmp_path / name, report=False)
    files = [
        sorted((f.name, hashlib.sha256(f.read_bytes()).hexdigest()) for f in (tmp_path / n).iterdir()) for n in "ab"
    ]
    assert files[0] == files[1]


@examples(60)
@given(
    graphs(),
    st.data(),
    st.sampled_from(["fast", "thorough"]),
    st.sampled_from([{"removal_weight": 0.3}, {"removal_weight": 5.0}, {"objective": "l1"}]),
)
def test_the_search_keeps_it_with_all_its_options(graph, data, effort, options):
    k = data.draw(st.integers(1, graph.n_nodes))
    release = shoal.anonymize(graph, k, seed=0, effort=effort, **options)
    check(release, k)
    assert release.bound <= release.cost_l1
    assert release.at_most_times_optimum is None or release.at_most_times_optimum >= 1


def one_slice(graph):
    return TemporalGraph.from_slices({"all": graph}, nodes=list(graph.nodes))


HARD = {
    "star": (one_slice(nx.star_graph(50)), 2),
    "karate club": (one_slice(nx.karate_club_graph()), 2),
    "karate club, k = 10": (one_slice(nx.karate_club_graph()), 10),
    "dense random graph": (one_slice(nx.gnp_random_graph(200, 0.5, seed=1)), 2),
    "odd degree sum": (one_slice(nx.barabasi_albert_graph(1000, 5, seed=1)), 5),
    "text labels": (
        TemporalGraph.from_slices({"a": [("<b>", "ü; drop"), ("x,y", 'q"q')], "b": [("x,y", "ü; drop")]}),
        2,
    ),
    "complete and empty slices": (TemporalGraph.from_slices({"c": nx.complete_graph(30), "e": nx.empty_graph(30)}), 4),
    "n = k": (one_slice(nx.gnp_random_graph(25, 0.3, seed=2)), 25),
    "everybody identical": (TemporalGraph.from_slices({"a": nx.cycle_graph(40), "b": nx.cycle_graph(40)}), 3),
    "a hub joined to everybody": (one_slice(nx.wheel_graph(120)), 5),
    "one person": (TemporalGraph.from_slices({"a": []}, nodes=["solo"]), 1),
    "a complete graph less one edge": (one_slice(nx.Graph(list(nx.complete_graph(12).edges)[1:])), 3),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", HARD)
def test_graphs_on_which_other_tools_fail(name, method):
    graph, k = HARD[name]
    check(shoal.anonymize(graph, k, **by(method), seed=1), k)


def test_identical_people_are_left_alone():
    release = shoal.anonymize(HARD["everybody identical"][0], 3, seed=0)
    assert release.cost_l1 == 0


@pytest.mark.parametrize("method", ["search", "greedy"])
def test_many_more_people_than_a_thousand_times_k(method):
    graph = one_slice(nx.gnm_random_graph(2500, 6000, seed=4))
    check(shoal.anonymize(graph, 2, **by(method), seed=1), 2)


def test_slice_by_slice_anonymity_is_not_enough():
    """The paper's Figure 2: each slice is 2-anonymous, no row is."""
    graph = TemporalGraph.from_slices(
        {"1": [("a", "b"), ("a", "c"), ("b", "d")], "2": [("a", "c"), ("a", "b"), ("c", "d")]}
    )
    assert sorted(graph.degree_matrix().tolist()) == [[1, 1], [1, 2], [2, 1], [2, 2]]
    check(shoal.anonymize(graph, 2, seed=0), 2)


def test_chance_comes_from_the_system_without_a_seed():
    graph = HARD["dense random graph"][0]
    one, other = (shoal.anonymize(graph, 5) for _ in range(2))
    assert one.chance.seed != other.chance.seed
    assert one.graph != other.graph


def test_k_of_one_changes_nothing_in_degrees():
    for method in METHODS:
        release = shoal.anonymize(HARD["karate club"][0], 1, seed=0, method=method)
        assert release.cost_l1 == 0
    assert shoal.anonymize(HARD["karate club"][0], 1, seed=0).graph == HARD["karate club"][0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": 0}, "k must be a whole number from 1"),
        ({"k": 2.5}, "k must be a whole number from 1"),
        ({"k": True}, "k must be a whole number from 1"),
        ({"k": 35}, "at most the number of people, 34; got 35"),
        ({"method": "magic"}, "unknown method 'magic'"),
        ({"seed": -1}, "a seed is a whole number"),
        ({"restarts": 0}, "restarts must be a whole number from 1"),
        ({"effort": "heroic"}, "unknown effort 'heroic'"),
        ({"objective": "fame"}, "unknown objective 'fame'"),
        ({"removal_weight": 0}, "removal_weight must be above 0"),
        (
            {"removal_weight": 2.0, "objective": "l1"},
            "removal_weight .* needs the method 'search'",
        ),
        (
            {"removal_weight": 2.0, "method": "greedy"},
            "removal_weight .* needs the method 'search'",
        ),
    ],
)
def test_bad_parameters_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        shoal.anonymize(HARD["karate club"][0], **{"k": 2, **change})
